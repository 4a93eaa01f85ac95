// SPDX-License-Identifier: Apache-2.0
//
// A function of two bytes in floats: what a sum of two quantized numbers is,
// each with a scale and a zero point of its own. Proved by trying all pairs.
#ifndef NPU_KERNELS_SUPPORT_PAIR_SCALE_H
#define NPU_KERNELS_SUPPORT_PAIR_SCALE_H

#include <cstdint>
#include <optional>
#include <vector>

namespace npu::kernels {

/// clip(round(x * ofX + y * ofY + more), low, high), a byte.
struct PairScale {
  float ofX, ofY, more, low, high;
};

/// All bytes that a function gives: a row for each x from `firstX` on, and in
/// it one for each of the 256 y from `firstY` on.
struct PairTable {
  static constexpr int row = 256;
  int32_t firstX, firstY;
  std::vector<uint8_t> bytes;
};

/// Numbers near these that give the table; nothing where none are found.
std::optional<PairScale> provedPairScale(const PairScale &guess,
                                         const PairTable &table);

/// `n` results; `y` are bytes, signed or not.
void storePairs(const PairScale &scale, const int32_t *x, const void *y,
                bool isSigned, void *out, int n);

} // namespace npu::kernels

#endif // NPU_KERNELS_SUPPORT_PAIR_SCALE_H
