// SPDX-License-Identifier: Apache-2.0

#include "kernels/support/integer_rows.h"

#include "format/instr_kinds.h"
#include "kernels/support/convert.h"
#include "kernels/support/vectors.h"

#include <algorithm>
#include <cmath>
#include <limits>

// Sanitisers and builds without optimisation vectorise nothing; only slower.
#pragma clang diagnostic ignored "-Wpass-failed"

namespace npu::kernels {

int64_t lowOf(const npu_instr &clip) {
  return floatToInteger(NPU_I64, std::ceil(clip.alpha));
}
int64_t highOf(const npu_instr &clip) {
  return floatToInteger(NPU_I64, std::floor(clip.beta));
}

/// Numbers from `first` on as 32 bits.
template <typename T>
NPU_INLINE void widen(const void *from, int64_t first, int32_t *out, int n) {
  const T *numbers = static_cast<const T *>(from) + first;
  for (int i = 0; i < n; ++i)
    out[i] = numbers[i];
}

NPU_CLONES(void, loadRow,
           (int32_t dtype, const void *from, int64_t first, int32_t *out,
            int n),
           (dtype, from, first, out, n)) {
  switch (dtype) {
  case NPU_I8:
    return widen<int8_t>(from, first, out, n);
  case NPU_U8:
    return widen<uint8_t>(from, first, out, n);
  case NPU_I16:
    return widen<int16_t>(from, first, out, n);
  default:
    return widen<int32_t>(from, first, out, n);
  }
}

template <typename T>
NPU_INLINE void narrow(const int32_t *row, void *to, int64_t first, int n) {
  T *numbers = static_cast<T *>(to) + first;
  for (int i = 0; i < n; ++i)
    numbers[i] = static_cast<T>(row[i]);
}

NPU_CLONES(void, storeRow,
           (int32_t dtype, const int32_t *row, void *to, int64_t first, int n),
           (dtype, row, to, first, n)) {
  switch (dtype) {
  case NPU_I8:
  case NPU_U8:
    return narrow<int8_t>(row, to, first, n);
  case NPU_I16:
    return narrow<int16_t>(row, to, first, n);
  default:
    return narrow<int32_t>(row, to, first, n);
  }
}

static NPU_CLONES(void, wrapRow,
                  (int32_t dtype, const int32_t *a, int32_t *out, int n),
                  (dtype, a, out, n)) {
  switch (dtype) {
  case NPU_I8:
    for (int i = 0; i < n; ++i)
      out[i] = static_cast<int8_t>(a[i]);
    break;
  case NPU_U8:
    for (int i = 0; i < n; ++i)
      out[i] = static_cast<uint8_t>(a[i]);
    break;
  case NPU_I16:
    for (int i = 0; i < n; ++i)
      out[i] = static_cast<int16_t>(a[i]);
    break;
  default:
    std::copy_n(a, n, out);
  }
}

/// Two's complement: unsigned arithmetic has no overflow.
static uint32_t u(int32_t value) { return static_cast<uint32_t>(value); }
static int32_t wrapping(uint32_t value) { return static_cast<int32_t>(value); }

static NPU_CLONES(void, mulShift,
                  (const int32_t *a, const int32_t *b, const int32_t *c,
                   int32_t *out, int n),
                  (a, b, c, out, n)) {
  for (int i = 0; i < n; ++i) {
    uint64_t shift = static_cast<uint64_t>(c[i]) & 63;
    uint64_t round = (uint64_t{1} << shift) >> 1;
    auto product = static_cast<uint64_t>(static_cast<int64_t>(a[i]) * b[i]);
    out[i] =
        static_cast<int32_t>(static_cast<int64_t>(product + round) >> shift);
  }
}

/// As if it had been rounded at bit 30 before, halves away from zero.
static NPU_CLONES(void, mulShiftTwice,
                  (const int32_t *a, const int32_t *b, const int32_t *c,
                   int32_t *out, int n),
                  (a, b, c, out, n)) {
  for (int i = 0; i < n; ++i) {
    uint64_t shift = static_cast<uint64_t>(c[i]) & 63;
    uint64_t half = uint64_t{1} << 30, more = a[i] >= 0 ? half : 0 - half;
    uint64_t round =
        ((uint64_t{1} << shift) >> 1) + (shift > 31 ? more : uint64_t{0});
    auto product = static_cast<uint64_t>(static_cast<int64_t>(a[i]) * b[i]);
    out[i] =
        static_cast<int32_t>(static_cast<int64_t>(product + round) >> shift);
  }
}

static NPU_CLONES(void, unary,
                  (const npu_instr &instr, const int32_t *a, int32_t *out,
                   int n),
                  (instr, a, out, n)) {
  switch (instr.kind) {
  case NPU_INSTR_abs:
    for (int i = 0; i < n; ++i)
      out[i] = a[i] < 0 ? wrapping(0 - u(a[i])) : a[i];
    break;
  case NPU_INSTR_neg:
    for (int i = 0; i < n; ++i)
      out[i] = wrapping(0 - u(a[i]));
    break;
  case NPU_INSTR_relu:
    for (int i = 0; i < n; ++i)
      out[i] = std::max(a[i], 0);
    break;
  case NPU_INSTR_bit_not:
    for (int i = 0; i < n; ++i)
      out[i] = ~a[i];
    break;
  default: { // clip; its bounds as the interpreter has them
    auto low = static_cast<int32_t>(
        std::max<int64_t>(lowOf(instr), std::numeric_limits<int32_t>::min()));
    auto high = static_cast<int32_t>(
        std::min<int64_t>(highOf(instr), std::numeric_limits<int32_t>::max()));
    for (int i = 0; i < n; ++i)
      out[i] = std::min(std::max(a[i], low), high);
  }
  }
}

static NPU_CLONES(void, binary,
                  (int32_t kind, const int32_t *a, const int32_t *b,
                   int32_t *out, int n),
                  (kind, a, b, out, n)) {
  switch (kind) {
  case NPU_INSTR_add:
    for (int i = 0; i < n; ++i)
      out[i] = wrapping(u(a[i]) + u(b[i]));
    break;
  case NPU_INSTR_sub:
    for (int i = 0; i < n; ++i)
      out[i] = wrapping(u(a[i]) - u(b[i]));
    break;
  case NPU_INSTR_mul:
    for (int i = 0; i < n; ++i)
      out[i] = wrapping(u(a[i]) * u(b[i]));
    break;
  case NPU_INSTR_min:
    for (int i = 0; i < n; ++i)
      out[i] = std::min(a[i], b[i]);
    break;
  case NPU_INSTR_max:
    for (int i = 0; i < n; ++i)
      out[i] = std::max(a[i], b[i]);
    break;
  case NPU_INSTR_bit_and:
    for (int i = 0; i < n; ++i)
      out[i] = a[i] & b[i];
    break;
  case NPU_INSTR_bit_or:
    for (int i = 0; i < n; ++i)
      out[i] = a[i] | b[i];
    break;
  case NPU_INSTR_bit_xor:
    for (int i = 0; i < n; ++i)
      out[i] = a[i] ^ b[i];
    break;
  case NPU_INSTR_shift_left: // in 64 bits, then wrapped
    for (int i = 0; i < n; ++i)
      out[i] = u(b[i]) > 31 ? 0 : wrapping(u(a[i]) << b[i]);
    break;
  default: // shift_right
    for (int i = 0; i < n; ++i)
      out[i] = a[i] >> (u(b[i]) > 31 ? 31 : b[i]);
  }
}

void stepRow(const npu_instr &instr, const int32_t *a, const int32_t *b,
             const int32_t *c, int32_t *out, int n) {
  if (instr.kind == NPU_INSTR_cast)
    return wrapRow(instr.dtype, a, out, n);
  if (instr.kind == NPU_INSTR_mul_shift)
    (instr.alpha == 1.0F ? mulShiftTwice : mulShift)(a, b, c, out, n);
  else if (lookupInstr(instr.kind)->arity == 1)
    unary(instr, a, out, n);
  else
    binary(instr.kind, a, b, out, n);
  if (instr.dtype != NPU_I32)
    wrapRow(instr.dtype, out, out, n);
}

} // namespace npu::kernels
