// SPDX-License-Identifier: Apache-2.0
#include "kernels/support/tile_scope.h"

#include <immintrin.h>

#define NPU_TILES __attribute__((target("amx-tile")))

namespace npu::kernels {

namespace {
/// What LDTILECFG reads.
struct Configuration {
  uint8_t palette = 1, startRow = 0, reserved[14] = {};
  uint16_t bytes[8], unused[8] = {}; // of a row
  uint8_t rows[8], unusedRows[8] = {};
};
static_assert(sizeof(Configuration) == 64);
} // namespace

NPU_TILES TileScope::TileScope(int64_t steps) {
  constexpr int rowBytes = 64, rows = 16;
  Configuration all;
  for (int i = 0; i < 8; ++i) {
    const bool isData = i == 4 || i == 5, isMultiplied = i >= 6;
    all.bytes[i] = static_cast<uint16_t>(isData ? 4 * steps : rowBytes);
    all.rows[i] = static_cast<uint8_t>(isMultiplied ? steps : rows);
  }
  _tile_loadconfig(&all);
}

NPU_TILES TileScope::~TileScope() { _tile_release(); }

} // namespace npu::kernels
