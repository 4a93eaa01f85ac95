// SPDX-License-Identifier: Apache-2.0
//
// Cycles of matrix products on an array of multipliers, without stalls. With
// ArrayUse::Whole the closed forms are those of SCALE-Sim (3.0.0), which counts
// every cycle; they agree exactly. With ArrayUse::Parts no cycle goes to rows
// and columns that a product does not have, so that a larger array, or a
// product in fewer parts, never takes longer.
#ifndef NPU_COST_MAC_ARRAY_H
#define NPU_COST_MAC_ARRAY_H

#include "cost/machine.h"

#include <cstdint>

namespace npu::cost {

/// What an array is told to compute: `count` products M x K by K x N. Of a
/// convolution: M pixels of the result, K kernel area times input channels, N
/// output channels, count groups.
struct Product {
  int64_t m = 0, k = 0, n = 0;
  int64_t count = 1;
  /// A depthwise convolution: K kernel area, N channels. Inputs do not pass
  /// from column to column; each column gets those of its channel.
  bool depthwise = false;
  /// Pixels of M that no tile separates: a row of the result.
  int64_t row = 1;
  /// Neighbours in K that no tile narrower than the array separates: a
  /// channel's kernel area.
  int64_t window = 1;
  /// Of its element type: multiply-adds that each multiplier does in a cycle,
  /// and the energy of one in pJ (0: the chip says nothing of energy).
  double rate = 1, energy = 0;
  /// Of Winograd's algorithm: vector operations that take the data to the
  /// `count` points at which they are multiplied, each time that they come in.
  /// A result is made of all points: no tile has a part of them.
  double toPoints = 0;

  /// Multiply-adds.
  double macs() const {
    return static_cast<double>(m) * static_cast<double>(k) *
           static_cast<double>(n) * static_cast<double>(count);
  }
};

/// Elements that the array reads from on-chip memory, and writes there; partial
/// sums are written once for each part of K. As SCALE-Sim counts; a depthwise
/// convolution reads its data once for each channel.
struct OnChipAccess {
  double inputs = 0, weights = 0, outputs = 0;
};

double arrayCycles(const Product &product, const Machine &machine);
OnChipAccess onChipAccess(const Product &product, const Machine &machine);

} // namespace npu::cost

#endif // NPU_COST_MAC_ARRAY_H
