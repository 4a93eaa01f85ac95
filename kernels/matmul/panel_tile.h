// SPDX-License-Identifier: Apache-2.0
//
// The innermost loop of products of floats with constant weights: a few rows
// of data times one panel of columns, all sums in registers from the first
// number of the depth to the last.
#ifndef NPU_KERNELS_MATMUL_PANEL_TILE_H
#define NPU_KERNELS_MATMUL_PANEL_TILE_H

#include <cstdint>

namespace npu::kernels {

/// Rows of a tile: what fits into 32 registers beside a row of any panel's
/// weights.
constexpr int64_t mostTileRows = 8;

/// Columns of a panel as it is stored: `columns` of the result, rounded up to
/// whole vectors.
int64_t panelWidth(int64_t columns);

/// Rows of which a tile of so wide a panel is made.
int64_t tileRows(int64_t width);

/// Functions that are a few instructions: for registers.
enum class Activation { None, HardSigmoid, HardSwish, LeakyRelu };

/// Where a run of the data of each row of a tile lies; the first null: all are
/// zeros.
using RunOfRows = const float *[mostTileRows];

/// What is put on the sums of some columns: the bias before all, bounds behind
/// all sums; then come the activation, factors and summands.
struct TileEnd {
  const float *bias; ///< one for each column of the width
  float least, most;
  Activation activation;
  float alpha, beta;               ///< of the activation, as npu_instr has them
  const float *factors, *summands; ///< like the bias; both null, or none
};

/// Some rows of data and a panel. The sums of a row are what `bias` says, the
/// products, and what `added` says.
struct PanelTile : TileEnd {
  int64_t count;         ///< rows, at most tileRows(width)
  const RunOfRows *runs; ///< of `depth` numbers each, so many:
  int64_t runCount;
  const float *added[mostTileRows]; ///< all null, or none
  float *results[mostTileRows];     ///< may be what is added
  const float *weights;             ///< [runCount][depth][width]
  int64_t depth, width;
  int64_t columns; ///< of the result; those behind are not stored
  /// Sums [count][width]: those that come in place of the bias, and where they
  /// go if that is not all; or null.
  const float *begun;
  float *unfinished;
  /// What is read soon, and is brought nearer: a line for each step of the
  /// depth, or (step 0) always the same one.
  const float *next;
  int64_t nextStep;
};

/// Rows in whole tiles of tileRows(width), each kind equally far apart, in
/// floats.
struct PanelRows {
  const float *data, *added; ///< `added` may be null
  float *results;
  int64_t dataStep, addedStep, resultStep;
  int64_t tiles;
};

/// On a processor with registers of 512 bits.
void multiplyTile(const PanelTile &tile);

/// Whether the panel is of whole vectors and stays in the nearest cache from
/// tile to tile.
bool isForRows(const PanelTile &tile);

/// The same of many tiles of a panel that isForRows(): of `tile` the panel
/// counts, and what follows on the sums. The data is one run, and all of it.
void multiplyRows(PanelTile tile, PanelRows rows);

} // namespace npu::kernels

#endif // NPU_KERNELS_MATMUL_PANEL_TILE_H
