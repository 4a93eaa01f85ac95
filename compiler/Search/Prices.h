// SPDX-License-Identifier: Apache-2.0
//
// Prices that prove a bound: with them, looking at each op by itself is enough.
#ifndef NPU_COMPILER_SEARCH_PRICES_H
#define NPU_COMPILER_SEARCH_PRICES_H

#include "compiler/Search/CostNetwork.h"
#include "compiler/Search/RelayoutTrees.h"

namespace npu::search {

/// What an op pays to a value for reading it in a layout. The value spends it
/// on copies, and what that leaves open, in the worst case, the value's op pays
/// for. Whatever the prices are, no choice costs less than the sum of all ops'
/// cheapest ways, payments included.
struct Prices {
  /// Prices are in parts of a unit of cost: so many are one.
  Cost scale = 1;
  /// paid[op][operand][layout]; reading as stored is free. Empty: all are 0.
  std::vector<std::vector<std::vector<Cost>>> paid;
  /// No choice costs less.
  Cost bound = 0;
  /// No choice with this way costs less, for each way of each op; empty where
  /// there are no prices.
  std::vector<std::vector<Cost>> withWay;
};

struct PriceLimits {
  /// A bound that is enough.
  Cost target = 0;
  Deadline until = Deadline(10);
  /// Of all values: what copies cost, by the layout that a value is stored in
  /// and the set that it is read in.
  int64_t tableEntries = int64_t(1) << 24;
};

/// Raises the bound until it reaches the target, or no longer rises, or the
/// time is over; the best prices found. Without prices where the readers of
/// values may need more sets of layouts than can be looked at one by one. The
/// trees are those of the problem's values.
Prices findPrices(const Problem &problem, const RelayoutTrees &trees,
                  const PriceLimits &limits);

} // namespace npu::search

#endif // NPU_COMPILER_SEARCH_PRICES_H
