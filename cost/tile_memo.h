// SPDX-License-Identifier: Apache-2.0
//
// Tilings that were found: a layout search asks for the same kernels again and
// again, with more or less memory left to them.
#ifndef NPU_COST_TILE_MEMO_H
#define NPU_COST_TILE_MEMO_H

#include "cost/tile_search.h"

#include <unordered_map>

namespace npu::cost {

class TileMemo {
public:
  /// Of one kernel on one chip and one goal, whatever memory the chip has.
  class Entry {
  public:
    /// Null: not known for this capacity.
    const Tiling *find(double capacity) const {
      for (const Found &one : found)
        if (one.least <= capacity && capacity <= one.most)
          return &one.tiling;
      return nullptr;
    }
    /// The best one at `most` is the best one as long as it fits.
    void add(const Tiling &tiling, double least, double most) {
      found.push_back({tiling, least, most});
    }

  private:
    struct Found {
      Tiling tiling;
      double least, most;
    };
    std::vector<Found> found;
  };

  Entry &of(const KernelWork &work, const Machine &machine, Goal goal);

private:
  std::unordered_map<std::string, Entry> entries;
};

} // namespace npu::cost

#endif // NPU_COST_TILE_MEMO_H
