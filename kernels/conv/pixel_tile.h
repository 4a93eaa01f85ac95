// SPDX-License-Identifier: Apache-2.0
//
// The innermost loop of depthwise convolutions, channels last: a few pixels of
// two rows of results, whose sums stay in registers while the rows of the data
// go by. Each number of the data is loaded once for all windows that it is in.
#ifndef NPU_KERNELS_CONV_PIXEL_TILE_H
#define NPU_KERNELS_CONV_PIXEL_TILE_H

#include "kernels/matmul/panel_tile.h"

#include <cstdint>

namespace npu::kernels {

/// Rows of results of a tile, and pixels of each.
constexpr int64_t pixelRows = 2, tilePixels = 7;
/// Rows of the data that a tile reads at most.
constexpr int64_t mostDataRows = 8;
/// Columns of the data under a row of a tile at most.
constexpr int64_t mostDataColumns = 17;
/// Vectors of channels of a tile at most.
constexpr int64_t tileVectors = 16;

/// The columns of its end are channels, [vectors][lanes].
struct PixelTile : TileEnd {
  /// Where the window of the first pixel begins in each row of the data under
  /// the rows of results; null: that row is padding. It may lie before the
  /// row's first pixel.
  const void *data[mostDataRows];
  /// Of the first pixel; the second may be null where some are there.
  void *results[pixelRows];
  int64_t pixels;       ///< at most tilePixels
  int64_t channels;     ///< numbers from pixel to pixel of the data
  int64_t step;         ///< of the results
  bool isStaged;        ///< results are f32, whatever the data is
  int64_t vectors;      ///< of channels, at most tileVectors
  const float *weights; ///< [vectors][row of the window][column][lanes]
  /// All bits where the data has a column, counted from the first window's, 0
  /// where it is padding.
  const uint16_t *columns;
  unsigned lastLanes; ///< bits: those of the last vector that are channels
};

/// Of a square window and a stride: the tile's function where all columns,
/// pixels and lanes are there, and the one where some are.
struct PixelWindow {
  int64_t window, stride;
  void (*all)(const PixelTile &tile);
  void (*some)(const PixelTile &tile);

  /// Columns of the data under a row of a tile.
  int64_t columns() const { return window + (tilePixels - 1) * stride; }
  /// Rows of the data under a tile.
  int64_t rows() const { return window + (pixelRows - 1) * stride; }
};

/// Of data and results of f32. Null: there is none. To be called with registers
/// of 512 bits.
const PixelWindow *findPixelWindow(int64_t window, int64_t stride);

/// Of bf16; null, too, where the processor has no instructions for it.
const PixelWindow *findBfloatWindow(int64_t window, int64_t stride);

} // namespace npu::kernels

#endif // NPU_KERNELS_CONV_PIXEL_TILE_H
