// SPDX-License-Identifier: Apache-2.0
//
// A piece of a movement (see movement.h) compiled for speed: blocked
// dimensions split into linear loops, loops merged and ordered by the result,
// then runs of memory copied, 2-d tiles transposed, or, failing both, elements
// moved one by one. Work is counted in units that threads share.
#ifndef NPU_KERNELS_SUPPORT_COPY_H
#define NPU_KERNELS_SUPPORT_COPY_H

#include "kernels/support/movement.h"

namespace npu::kernels {

class CopyPlan {
public:
  /// `piece` as splitBlocks() left it.
  CopyPlan(const Piece &piece, int64_t elementBytes);

  int input() const { return source; }
  int64_t units() const { return unitCount; }
  int64_t bytes() const { return elements * elementBytes; }

  /// Does units [begin, end).
  void run(const void *from, void *to, int64_t begin, int64_t end) const;

private:
  enum class Kind { Runs, Fill, Tiles, Elements };
  struct Loop {
    int64_t extent;
    DimMap from, to;
  };

  void orderLoops();
  void mergeLoops();
  bool findTiles(int64_t least);
  void chooseKind();
  template <typename T>
  void runAs(const T *from, T *to, int64_t begin, int64_t end) const;
  template <typename T>
  void unit(const T *from, T *to, int64_t part) const;

  int source;
  int64_t elementBytes, elements = 1;
  int64_t fromBase, toBase;
  uint64_t value;
  std::vector<Loop> loops; // outermost first; the last two belong to a unit
  Kind kind = Kind::Elements;
  // A unit is a part of the lines by a part of each line's elements.
  int64_t outerCount = 1, unitCount = 0;
  int64_t linePart = 1, lineParts = 1, innerPart = 1, innerParts = 1;
};

/// `piece` with its blocked dimensions as two linear loops each, where blocks
/// are not full, as several pieces.
std::vector<Piece> splitBlocks(const Piece &piece);

/// Plans for a list of pieces.
std::vector<CopyPlan> makePlans(const std::vector<Piece> &pieces,
                                int64_t elementBytes);

/// Runs all plans on one team. `inputs[i]` is the data of input i.
void runPlans(const std::vector<CopyPlan> &plans, const void *const *inputs,
              void *to, int threads);

} // namespace npu::kernels

#endif // NPU_KERNELS_SUPPORT_COPY_H
