// SPDX-License-Identifier: Apache-2.0
//
// AMX's tiles: eight registers of up to 16 rows of 64 bytes. Only where
// hasTiles() says that there are any.
#ifndef NPU_KERNELS_SUPPORT_TILE_SCOPE_H
#define NPU_KERNELS_SUPPORT_TILE_SCOPE_H

#include <cstdint>

namespace npu::kernels {

/// The calling thread's tiles, until the end of the scope. Sums are in tiles 0
/// to 3, 16 rows of 16 numbers; rows of data in 4 and 5 and what they are
/// multiplied by in 6 and 7, `steps` times four bytes deep.
class TileScope {
public:
  explicit TileScope(int64_t steps = 16);
  ~TileScope();
  TileScope(const TileScope &) = delete;
  TileScope &operator=(const TileScope &) = delete;
};

} // namespace npu::kernels

#endif // NPU_KERNELS_SUPPORT_TILE_SCOPE_H
