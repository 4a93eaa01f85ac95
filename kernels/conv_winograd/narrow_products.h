// SPDX-License-Identifier: Apache-2.0
//
// The products of Winograd's convolution with weights that stay in memory as
// the numbers which their taps are made of: some channels of a panel of filters
// go to the points when tiles of data are about to meet them.
#ifndef NPU_KERNELS_CONV_WINOGRAD_NARROW_PRODUCTS_H
#define NPU_KERNELS_CONV_WINOGRAD_NARROW_PRODUCTS_H

#include "kernels/matmul/packed_weights.h"
#include "kernels/support/vectors.h"

namespace npu::kernels {

class NarrowProducts {
public:
  /// Of a Winograd convolution with Problem::narrow, on a processor with
  /// registers of 512 bits.
  explicit NarrowProducts(const Problem &problem);

  /// What these products do not take; empty: nothing of the kind.
  static std::string whyNot(const Problem &problem);

  size_t pack(const Problem &problem);

  int64_t panels() const { return taps.panels(); }

  /// Has a run bring all weights to the points at its begin, in its scratch,
  /// for many blocks of tiles; false where they are too many.
  bool makeWhole();

  size_t scratchBytes(int threads) const;

  /// Brings a panel of weights to the points, where all of them are.
  void begin(int64_t panel, char *scratch) const;

  /// Filters of a row of products: whole vectors.
  int64_t productStep() const { return (filters + lanes - 1) / lanes * lanes; }

  /// Tiles at the points, [points][count][channels], of which `rows` are meant,
  /// and where their products go, [points][count][step].
  struct Tiles {
    const float *data;
    float *products;
    int64_t count, step;
    Range rows;
  };
  /// `next`: what the thread reads when that is done.
  void multiply(int64_t panel, const Tiles &tiles, int thread,
                Kernel::Bytes next, char *scratch) const;

  /// What multiply() reads of a panel before anything else.
  Kernel::Bytes readsFirst(int64_t panel) const;

private:
  int64_t widthOf(int64_t panel) const;
  int64_t columnsOf(int64_t panel) const;
  int64_t weightFloats() const;
  int64_t tapFloats() const;
  Kernel::Bytes bytesOf(int64_t panel, Range some) const;
  void multiplySome(int64_t panel, const Tiles &tiles, Range some, Range points,
                    Kernel::Bytes next, const float *weights) const;

  int64_t side, channels, filters;
  int64_t together; ///< channels whose weights are at the points at once
  bool isWhole;
  PackedWeights taps; ///< rows: the taps of channel after channel
};

} // namespace npu::kernels

#endif // NPU_KERNELS_CONV_WINOGRAD_NARROW_PRODUCTS_H
