// SPDX-License-Identifier: Apache-2.0
//
// Layout problems shaped like networks, of any size.
#ifndef NPU_BENCH_SEARCH_FAMILIES_H
#define NPU_BENCH_SEARCH_FAMILIES_H

#include "compiler/Search/LayoutSearch.h"

namespace npu::search::bench {

/// What ways and relayouts cost.
enum class Costs {
  /// Relayouts in proportion to the bytes of the tensor, convolutions to their
  /// work, with a favourite layout for each; half of them accept only one.
  Bytes,
  /// Anything between 0 and 1000, for each way and each pair of layouts apart.
  Random
};

struct Family {
  const char *name;
  const char *what;
  /// About `ops` ops, four layouts for each value.
  Problem (*make)(int ops, Costs costs, uint64_t seed);
  /// Narrow graphs are to be solved by elimination, whatever the costs.
  bool narrow;
};

const std::vector<Family> &families();

} // namespace npu::search::bench

#endif // NPU_BENCH_SEARCH_FAMILIES_H
