// SPDX-License-Identifier: Apache-2.0
//
// The products of Winograd's convolution: tiles of data at the points times
// constant weights, in panels of up to 64 filters. For processors with
// registers of 512 bits.
#ifndef NPU_KERNELS_CONV_WINOGRAD_POINT_PRODUCTS_H
#define NPU_KERNELS_CONV_WINOGRAD_POINT_PRODUCTS_H

#include "kernels/kernel.h"
#include "kernels/parallel.h"
#include "kernels/support/vectors.h"

namespace npu::kernels {

/// Tiles at the points, [points][count][channels], of which the first `used`
/// are meant, and where their products go, [points][count][step].
struct PointTiles {
  const float *data;
  float *products;
  int64_t count, step, used;
};

/// Which part of the work is meant.
struct PointShare {
  int thread, threads;
};

/// Filters of a row of products: whole panels, the last perhaps half as wide.
inline int64_t productStep(int64_t filters) {
  return (filters + 2 * lanes - 1) / (2 * lanes) * 2 * lanes;
}

class PointProducts {
public:
  virtual ~PointProducts() = default;

  virtual size_t pack(const Problem &problem, const void *const *operands) = 0;

  /// As Kernel has it.
  virtual bool readsNarrow() const { return false; }

  /// Whether weights are at the points, or a run brings all of them there when
  /// it begins: for many blocks of tiles. Once, before anything else.
  virtual bool makeWhole() { return true; }

  virtual size_t scratchBytes(int /*threads*/) const { return 0; }

  /// What a run begins with, if it does.
  virtual bool hasBegin() const { return false; }
  virtual void begin(PointShare /*share*/, char * /*scratch*/) const {}

  /// `next`: what the thread reads when that is done.
  virtual void multiply(const PointTiles &tiles, PointShare share,
                        Kernel::Bytes next, char *scratch) const = 0;

  /// What multiply() reads before anything else.
  virtual Kernel::Bytes readsFirst(PointShare share) const = 0;
};

/// Of constant f32 in no blocks; null for others.
std::unique_ptr<PointProducts> createFloatProducts(const Problem &problem);

/// Of Problem::narrow; null where there is none, or otherwise stored.
std::unique_ptr<PointProducts> createNarrowProducts(const Problem &problem);

} // namespace npu::kernels

#endif // NPU_KERNELS_CONV_WINOGRAD_POINT_PRODUCTS_H
