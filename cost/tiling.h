// SPDX-License-Identifier: Apache-2.0
//
// Which part of a kernel is on the chip at a time.
#ifndef NPU_COST_TILING_H
#define NPU_COST_TILING_H

#include "cost/kernel_work.h"

#include <string>

namespace npu::cost {

/// Of a sum that is not complete.
inline constexpr double sumBytes = 4;

/// What stays in on-chip memory while the innermost loop over tiles runs; the
/// other operand is read anew in each round of it. Of a kernel that reads or
/// writes rows of a table: the table (weights), or its rows come and go with
/// each piece (data).
enum class Stays { Weights, Data, Sums };

/// "weights".
std::string_view nameOf(Stays stays);
std::optional<Stays> findStays(std::string_view name);

/// A kernel of one matrix product: extents of a tile, of `count` products at a
/// time. Any other: `pieces` equal parts of everything, and zero extents.
struct Tiling {
  int64_t m = 0, k = 0, n = 0, count = 0;
  Stays stays = Stays::Weights;
  int64_t pieces = 1;
  /// Of each tensor that comes or goes in parts: 1 or 2, the second to move the
  /// next part while the one before is in use.
  int64_t buffers = 2;

  bool operator==(const Tiling &other) const {
    return m == other.m && k == other.k && n == other.n &&
           count == other.count && stays == other.stays &&
           pieces == other.pieces && buffers == other.buffers;
  }
};

/// How many tiles there are along each extent.
struct Cuts {
  double m = 1, k = 1, n = 1, count = 1;
  double tiles() const { return m * k * n * count; }
};

/// Whether rows of it are read or written whose place is known when the kernel
/// runs.
inline bool hasRows(const Transfer &transfer) {
  return transfer.touched > 0 || transfer.rewritten > 0;
}

/// The extents along which a kernel is cut; null: it is cut in equal pieces.
const Product *extentsOf(const KernelWork &work);

/// What untrusted numbers are checked by.
bool isValid(const Tiling &tiling, const KernelWork &work);

/// In one piece.
Tiling untiled(const KernelWork &work);
Cuts cutsOf(const KernelWork &work, const Tiling &tiling);
int64_t tileCount(const KernelWork &work, const Tiling &tiling);

/// "392x576x64 of 3136x576x256, weights stay"; "4 pieces, one buffer".
std::string describe(const Tiling &tiling, const KernelWork &work);

/// Of one tensor under a tiling.
struct TilePart {
  double share = 1;  ///< how much of it is in one tile, without its halo
  double halo = 1;   ///< how much of its halo
  double pieces = 1; ///< in how many parts it comes
  double times = 1;  ///< how often each comes in
};

/// What a tiling makes of a kernel's tensors: cuts and shares are the same for
/// all of them, and found once.
class TileParts {
public:
  TileParts(const KernelWork &work, const Tiling &tiling);

  const Cuts &cuts() const { return along; }
  TilePart of(const Transfer &transfer) const;
  /// That is moved each time that all of it is: rows of a table, or the table.
  double bytesOf(const Transfer &transfer) const {
    return transfer.touched > 0 && tiling.stays == Stays::Data
               ? transfer.touched
               : transfer.bytes;
  }
  /// That are written once more, in rows.
  double rewrittenOf(const Transfer &transfer) const {
    return tiling.stays == Stays::Data ? transfer.rewritten : 0;
  }
  /// Bytes of a tile that lie next to each other in DRAM. `part`: of the same.
  double runOf(const Transfer &transfer, const TilePart &part) const;

private:
  const Product *product; // null: the kernel has no extents
  const Tiling &tiling;
  Cuts along;
  double m = 1, k = 1, n = 1, count = 1; // shares
};

/// Bytes of on-chip memory for the tiles' buffers, in whole banks: as many as
/// the tiling says of each tensor that comes or goes in parts, and sums of 4
/// bytes where K is cut. Where there are points, a tile's data and sums are at
/// all of them besides. Scalars and values for each column share banks.
double bufferBytes(const KernelWork &work, const Tiling &tiling,
                   const Machine &machine);

/// Whether the buffers fit in what the work leaves free.
bool fits(const KernelWork &work, const Tiling &tiling, const Machine &machine);

} // namespace npu::cost

#endif // NPU_COST_TILING_H
