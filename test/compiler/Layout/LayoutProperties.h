// SPDX-License-Identifier: Apache-2.0
//
// What must hold for every graph, chip, boundary and strategy.
#ifndef NPU_TEST_COMPILER_LAYOUT_LAYOUTPROPERTIES_H
#define NPU_TEST_COMPILER_LAYOUT_LAYOUTPROPERTIES_H

#include "test/compiler/Layout/RandomLayoutGraph.h"

namespace npu::test {

/// A property that does not hold. Two findings with one `property` are taken
/// for the same fault.
struct Finding {
  std::string property; // "optimal-costs-more"
  std::string detail;   // which strategy, what was found and expected
};

/// How much of the ground the cases cover.
struct Coverage {
  int64_t cases = 0, ops = 0;
  int64_t plans = 0;      // finished by some strategy
  int64_t infeasible = 0; // refused by some strategy
  int64_t searches = 0, proved = 0;
  int64_t bruteForced = 0;        // searches compared with all choices
  int64_t randomPlans = 0;        // that met the demands
  int64_t cheaperRandomPlans = 0; // than a proved one: of no candidate orders
  int64_t runs = 0;               // programs compiled and run
  int64_t onProcessor = 0;        // ops that the chip lacks

  Coverage &operator+=(const Coverage &other);
};

struct CheckOptions {
  /// Of what is drawn at random on the way.
  uint64_t seed = 0;
  /// A random plan that is cheaper than a proved one is a finding.
  bool cheaperFails = false;
  /// Under every objective and each strategy twice; else under one objective,
  /// drawn, and one strategy of three twice: other graphs find more than other
  /// objectives do.
  bool thorough = false;
};

/// Checks a case; the first property that does not hold, if any.
std::optional<Finding> checkLayoutCase(MLIRContext &context,
                                       const LayoutCase &problem,
                                       const CheckOptions &options,
                                       Coverage &coverage);

} // namespace npu::test

#endif // NPU_TEST_COMPILER_LAYOUT_LAYOUTPROPERTIES_H
