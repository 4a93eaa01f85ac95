// SPDX-License-Identifier: Apache-2.0
//
// Small layout problems of every shape, the same for the same seed, and the
// answer by trying everything.
#ifndef NPU_TEST_COMPILER_SEARCH_RANDOMPROBLEM_H
#define NPU_TEST_COMPILER_SEARCH_RANDOMPROBLEM_H

#include "compiler/Search/LayoutSearch.h"

#include <cstdint>

namespace npu::search::test {

struct RandomOptions {
  int ops = 6;
  int layouts = 3;    // at most, of a value
  int ways = 4;       // at most, of an op
  int operands = 3;   // at most, of an op
  Cost moveCost = 20; // at most
  /// How far back an op may read; 0: anywhere.
  int window = 0;
};

/// An op may read one value twice in two layouts, read as stored, have several
/// results or none; costs may be zero or forbidding.
Problem randomProblem(uint64_t seed, const RandomOptions &options);

/// The least cost of all choices.
Cost bruteForce(const Problem &problem);

} // namespace npu::search::test

#endif // NPU_TEST_COMPILER_SEARCH_RANDOMPROBLEM_H
