// SPDX-License-Identifier: Apache-2.0
//
// The vectorised ends of Winograd's convolution: data to points, and products
// at the points to results with bias and fused instructions.
#ifndef NPU_KERNELS_CONV_WINOGRAD_EPILOGUE_H
#define NPU_KERNELS_CONV_WINOGRAD_EPILOGUE_H

#include "kernels/kernel.h"

#include <limits>

namespace npu::kernels {

/// A fused chain: one whole operand added, a range kept to (both while the
/// results are in registers), then unary instructions.
struct WinogradEpilogue {
  int added = -1; // input stored like the output, or -1
  float least = -std::numeric_limits<float>::infinity();
  float most = std::numeric_limits<float>::infinity();
  std::vector<npu_instr> rest; // for interpretChain
};

/// False with a reason where the instructions are no such chain.
bool translate(const Problem &problem, WinogradEpilogue &epilogue,
               std::string &whyNot);

/// Where one tile's results go: pixels of all channels, row by row.
struct ResultTile {
  const float *bias;
  float *pixels[16];
  const float *added[16]; // all null, or none; may be the pixel itself
  float least, most;
};

/// `pixels`: (tile + 2)^2, row by row. Point p goes to out[p * stride].
void dataToPoints(int64_t tile, const float *const *pixels, int64_t channels,
                  float *out, int64_t stride);

/// Point p is at products[p * stride]. Returns whether a sum of products is
/// NaN, infinite or so large that the results may be: then those of the whole
/// tile are not to be trusted.
bool pointsToResults(int64_t tile, const float *products, int64_t stride,
                     int64_t channels, const ResultTile &to);

} // namespace npu::kernels

#endif // NPU_KERNELS_CONV_WINOGRAD_EPILOGUE_H
