// SPDX-License-Identifier: Apache-2.0

#include "kernels/support/pair_scale.h"

#include "kernels/support/vectors.h"

#include <algorithm>

namespace npu::kernels {

using Ints = int32_t __attribute__((vector_size(64)));
using Bytes = int8_t __attribute__((vector_size(16)));
using UnsignedBytes = uint8_t __attribute__((vector_size(16)));
constexpr int group = 16;

/// Added to a float, it leaves the nearest integer in the lowest bits.
constexpr float toInteger = 0x1.8p23F;

template <typename T>
NPU_INLINE void storeGroup(const PairScale &scale, const int32_t *x,
                           const void *y, void *out) {
  Ints first;
  T second;
  std::memcpy(&first, x, sizeof(first));
  std::memcpy(&second, y, sizeof(second));
  Vector value =
      __builtin_convertvector(first, Vector) * scale.ofX +
      (__builtin_convertvector(second, Vector) * scale.ofY + scale.more);
  Vector low = Vector{} + scale.low, high = Vector{} + scale.high;
  value = value < low ? low : value;
  value = value > high ? high : value;
  auto bytes = __builtin_convertvector((Ints)(value + toInteger), Bytes);
  std::memcpy(out, &bytes, sizeof(bytes));
}

template <typename T>
NPU_INLINE void storeGroups(const PairScale &scale, const int32_t *x,
                            const char *y, char *out, int n) {
  int whole = n / group * group;
  for (int i = 0; i < whole; i += group)
    storeGroup<T>(scale, x + i, y + i, out + i);
  if (int rest = n - whole) {
    int32_t lastX[group] = {};
    char lastY[group] = {}, last[group];
    std::memcpy(lastX, x + whole, static_cast<size_t>(rest) * sizeof(int32_t));
    std::memcpy(lastY, y + whole, static_cast<size_t>(rest));
    storeGroup<T>(scale, lastX, lastY, last);
    std::memcpy(out + whole, last, static_cast<size_t>(rest));
  }
}

static NPU_WIDE_CLONES(void, store,
                       (const PairScale &scale, const int32_t *x, const char *y,
                        bool isSigned, char *out, int n),
                       (scale, x, y, isSigned, out, n)) {
  if (isSigned)
    storeGroups<Bytes>(scale, x, y, out, n);
  else
    storeGroups<UnsignedBytes>(scale, x, y, out, n);
}

void storePairs(const PairScale &scale, const int32_t *x, const void *y,
                bool isSigned, void *out, int n) {
  store(scale, x, static_cast<const char *>(y), isSigned,
        static_cast<char *>(out), n);
}

static bool gives(const PairScale &scale, const PairTable &table) {
  uint8_t y[PairTable::row], found[PairTable::row];
  for (int i = 0; i < PairTable::row; ++i)
    y[i] = static_cast<uint8_t>(table.firstY + i);
  int32_t x[PairTable::row], next = table.firstX;
  for (auto row = table.bytes.begin(); row != table.bytes.end();
       row += PairTable::row) {
    std::fill_n(x, PairTable::row, next++);
    storePairs(scale, x, y, table.firstY < 0, found, PairTable::row);
    if (!std::equal(found, found + PairTable::row, row))
      return false;
  }
  return true;
}

std::optional<PairScale> provedPairScale(const PairScale &guess,
                                         const PairTable &table) {
  // Halves go upwards in most chains, to the even number in floats.
  for (float moved : {0.0F, 0x1p-14F, 0x1p-11F, -0x1p-14F}) {
    PairScale tried = guess;
    tried.more += moved;
    if (gives(tried, table))
      return tried;
  }
  return std::nullopt;
}

} // namespace npu::kernels
