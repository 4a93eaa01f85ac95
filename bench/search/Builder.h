// SPDX-License-Identifier: Apache-2.0
//
// Ops of networks as ops of a layout problem.
#ifndef NPU_BENCH_SEARCH_BUILDER_H
#define NPU_BENCH_SEARCH_BUILDER_H

#include "bench/search/Families.h"

#include <random>

namespace npu::search::bench {

class Builder {
public:
  Builder(Costs costs, uint64_t seed) : costs(costs), random(seed) {}

  /// A graph input: stored in any layout, or in the first one only.
  int input(Cost bytes, bool fixed = false);
  /// Reads one value and prefers some layouts.
  int heavy(int operand, Cost bytes);
  /// Reads values and makes one, all in the same layout.
  int agnostic(const std::vector<int> &operands, Cost bytes);
  /// Two operands, each in two layouts, a result in two (a matrix product).
  int product(int left, int right, Cost bytes);
  /// A graph output, read in the first layout.
  void output(int operand);

  Cost bytesOf(int value) const { return bytes[value]; }
  int opCount() const { return static_cast<int>(problem.ops.size()); }
  int upTo(int most) { return static_cast<int>(random() % (most + 1)); }
  Problem take() { return std::move(problem); }

private:
  int addValue(Cost size);
  int addOp(Op op);
  Cost price(Cost real) { return costs == Costs::Random ? upTo(1000) : real; }

  Costs costs;
  std::mt19937_64 random;
  Problem problem;
  std::vector<Cost> bytes;
};

} // namespace npu::search::bench

#endif // NPU_BENCH_SEARCH_BUILDER_H
