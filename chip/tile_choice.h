// SPDX-License-Identifier: Apache-2.0
//
// Which tiles a kernel is computed in, and in which order.
#ifndef NPU_CHIP_TILE_CHOICE_H
#define NPU_CHIP_TILE_CHOICE_H

#include "chip/tiled_form.h"

namespace npu::chip {

/// Operands are inputs, then the result.
struct TileChoice {
  std::vector<int64_t> tile; ///< extents of the result's dimensions
  std::vector<int> order;    ///< axes that are cut, the outermost loop first
  /// Of each operand: how many of these loops it follows, 0: it comes once;
  /// bytes of its largest tile, 0: it stays on the chip as it is; and how many
  /// tiles of it are there at a time.
  std::vector<size_t> depth;
  std::vector<int64_t> bytes, slots;
  int64_t memory = 0; ///< of all slots
};

/// Cuts the result until its tiles fit `capacity` bytes, each time where the
/// least is moved, and orders the loops likewise; in a counted number of steps.
/// `stays`: operands that have a place on the chip. Of what comes in parts
/// there are `slots`, or one where these do not fit. Returns an empty string,
/// or what is wrong.
std::string chooseTile(const kernels::Problem &problem, const TiledForm &form,
                       const std::vector<bool> &stays, int64_t capacity,
                       int64_t slots, TileChoice &choice);

/// Tiles along an axis, one after the other, that are alike but for where they
/// begin.
struct Segment {
  int64_t first = 0, trips = 1; ///< number of the first tile, and of tiles
  Span part;                    ///< of the first one
};
/// Of all of an axis; empty: a tile would lie in the padding alone.
std::vector<Segment> segmentsOf(const kernels::Problem &problem,
                                const TiledForm &form, int axis, int64_t tile);

} // namespace npu::chip

#endif // NPU_CHIP_TILE_CHOICE_H
