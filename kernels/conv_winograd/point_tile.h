// SPDX-License-Identifier: Apache-2.0
//
// Rows of data times a panel of weights at one point, all sums in registers.
#ifndef NPU_KERNELS_CONV_WINOGRAD_POINT_TILE_H
#define NPU_KERNELS_CONV_WINOGRAD_POINT_TILE_H

#include "kernels/kernel.h"

namespace npu::kernels {

/// Of some channels.
struct PointProduct {
  const float *data;
  const float *weights; ///< [depth][width]
  float *sums;
  int64_t dataStep, sumStep; ///< between rows
  int64_t depth;
  bool isFirst;       ///< nothing is in the sums yet
  Kernel::Bytes next; ///< what is read soon, and is brought nearer
};

/// On a processor with registers of 512 bits; `width` is 2 or 4 vectors.
void multiplyPoint(const PointProduct &product, int64_t rows, int64_t width);

} // namespace npu::kernels

#endif // NPU_KERNELS_CONV_WINOGRAD_POINT_TILE_H
