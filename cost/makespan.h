// SPDX-License-Identifier: Apache-2.0
//
// When a kernel's tiles are loaded, computed and stored: what can overlap
// through the buffers that it has, and what has to wait.
#ifndef NPU_COST_MAKESPAN_H
#define NPU_COST_MAKESPAN_H

#include <array>
#include <cstddef>

namespace npu::cost {

/// Transfers of one direction, by how often there are such: what comes for each
/// tile, once for a round of them, once in all. The rarer come with the others.
class Arrivals {
public:
  struct Kind {
    double times = 0;             ///< a whole number
    double cycles = 0, bytes = 0; ///< of each time
  };

  /// `cycles` and `bytes` of all times.
  void add(double times, double cycles, double bytes);
  /// Of what comes together at the first and at the last tile: one of each.
  Kind together() const;
  /// Of those that come more than `times` times, one of each.
  Kind moreOftenThan(double times) const;
  const Kind *begin() const { return kinds.data(); }
  const Kind *end() const { return kinds.data() + count; }

private:
  // Whole, by tile, and by round of each extent that a tiling cuts.
  std::array<Kind, 8> kinds;
  size_t count = 0;
};

/// A kernel's program: in each step a tile is computed.
struct Steps {
  double number = 1;
  double computing = 0; ///< cycles of all
  /// Bytes that array and vector unit move in on-chip memory, of all.
  double bytes = 0;
  Arrivals loads, stores;
  bool ownChannels = false; ///< loads and stores do not take turns
  /// Bytes a cycle that on-chip memory gives and takes; 0: as many as there
  /// are.
  double onChip = 0;
};

/// Cycles from the first load to the last store. With one buffer a step is
/// loaded, computed and stored in turn. With two, the next one is loaded and
/// the one before is stored meanwhile; the first load and the last store are
/// waited for. Whatever the order in which tiles pass, it does not take longer.
double makespan(const Steps &steps, bool hasTwoBuffers);

} // namespace npu::cost

#endif // NPU_COST_MAKESPAN_H
