// SPDX-License-Identifier: Apache-2.0

#include "kernels/support/interpreter.h"
#include "kernels/support/angles.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace npu::kernels {

/// f64 has what constants are computed with, and no function that is a formula
/// in float.
static bool isForDoubles(npu_instr_kind kind) {
  switch (kind) {
  case NPU_INSTR_abs:
  case NPU_INSTR_neg:
  case NPU_INSTR_relu:
  case NPU_INSTR_sqrt:
  case NPU_INSTR_reciprocal:
  case NPU_INSTR_floor:
  case NPU_INSTR_ceil:
  case NPU_INSTR_round:
  case NPU_INSTR_round_away:
  case NPU_INSTR_sign:
  case NPU_INSTR_add:
  case NPU_INSTR_sub:
  case NPU_INSTR_mul:
  case NPU_INSTR_div:
  case NPU_INSTR_min:
  case NPU_INSTR_max:
  case NPU_INSTR_pow:
  case NPU_INSTR_mod:
    return true;
  default:
    return false;
  }
}

static bool fits(const InstrKind &kind, int32_t dtype) {
  bool isDouble = dtype == NPU_F64;
  switch (kind.types) {
  case NPU_TYPES_FLOATS:
    return isDouble ? isForDoubles(kind.kind) : isFloat(dtype);
  case NPU_TYPES_NUMBERS:
    return !isDouble || isForDoubles(kind.kind);
  case NPU_TYPES_INTEGERS:
    return !isDouble && !isFloat(dtype) && dtype != NPU_BOOL;
  case NPU_TYPES_BOOLS:
    return dtype == NPU_BOOL;
  default:
    return true;
  }
}

std::string checkInstr(const npu_instr &instr, const int32_t *operandTypes) {
  const InstrKind &kind = *lookupInstr(instr.kind);
  std::string name(kind.name), result = dtypeName(instr.dtype);
  int32_t type = operandTypes[kind.types == NPU_TYPES_SELECT ? 1 : 0];
  std::string found = dtypeName(type);
  if (kind.types == NPU_TYPES_CAST)
    return "";
  if (kind.types == NPU_TYPES_BITCAST)
    return dtypeBytes(type) == dtypeBytes(instr.dtype)
               ? ""
               : name + " of " + found + " cannot give " + result +
                     ", which has another width";
  if (kind.types == NPU_TYPES_SELECT && operandTypes[0] != NPU_BOOL)
    return name + " takes a bool first, not " + dtypeName(operandTypes[0]);
  for (int i = 1; i < kind.arity; ++i)
    if (operandTypes[i] != type)
      return name + " mixes " + found + " and " + dtypeName(operandTypes[i]) +
             "; cast one of them";
  if (!fits(kind, type))
    return name + " has no meaning on " + found;
  int32_t given = kind.types == NPU_TYPES_COMPARE ? NPU_BOOL : type;
  if (instr.dtype != given)
    return name + " of " + found + " gives " + dtypeName(given) + ", not " +
           result + "; use cast";
  return "";
}

template <typename T, typename Function>
NPU_INLINE void map1(const T *a, T *out, int n, Function function) {
  for (int i = 0; i < n; ++i)
    out[i] = function(a[i]);
}

template <typename T, typename Function>
NPU_INLINE void map2(const T *a, const T *b, T *out, int n, Function function) {
  for (int i = 0; i < n; ++i)
    out[i] = function(a[i], b[i]);
}

/// A loop for each function, since a lambda's code is inlined into it.
#define NPU_MAP(kind, function)                                                \
  case NPU_INSTR_##kind:                                                       \
    return map1(a, out, n, [](float v) { return functions::function(v); });

static NPU_WIDE_CLONES(void, ofAngles,
                       (int kind, const float *a, float *out, int n),
                       (kind, a, out, n)) {
  switch (kind) {
    NPU_MAP(sin, sine)
    NPU_MAP(cos, cosine)
    NPU_MAP(tan, tangent)
    NPU_MAP(asin, arcSine)
    NPU_MAP(acos, arcCosine)
    NPU_MAP(atan, arcTangent)
  default:
    break;
  }
}

/// Those of functions.h.
static NPU_WIDE_CLONES(void, ofExponentials,
                       (const npu_instr &instr, const float *a, float *out,
                        int n),
                       (instr, a, out, n)) {
  float alpha = instr.alpha;
  switch (instr.kind) {
    NPU_MAP(sigmoid, logistic)
    NPU_MAP(tanh, hyperbolicTangent)
    NPU_MAP(exp, exponential)
    NPU_MAP(log, logarithm)
    NPU_MAP(erf, errorFunction)
    NPU_MAP(softplus, softplus)
    NPU_MAP(gelu_erf, geluByErf)
    NPU_MAP(gelu_tanh, geluByTanh)
  case NPU_INSTR_elu:
    return map1(a, out, n, [=](float v) {
      return v >= 0 ? v : alpha * functions::exponentialLess1(v);
    });
  case NPU_INSTR_swish:
    return map1(a, out, n,
                [=](float v) { return v * functions::logistic(alpha * v); });
  default:
    break;
  }
}
#undef NPU_MAP

/// Those that f64 has, too.
template <typename T>
NPU_INLINE void unaryPlain(int kind, const T *a, T *out, int n) {
  switch (kind) {
  case NPU_INSTR_abs:
    return map1(a, out, n, [](T v) { return std::fabs(v); });
  case NPU_INSTR_neg:
    return map1(a, out, n, [](T v) { return -v; });
  case NPU_INSTR_relu:
    return map1(a, out, n, [](T v) { return v < 0 ? T{0} : v; });
  case NPU_INSTR_sqrt:
    return map1(a, out, n, [](T v) { return std::sqrt(v); });
  case NPU_INSTR_reciprocal:
    return map1(a, out, n, [](T v) { return 1 / v; });
  case NPU_INSTR_floor:
    return map1(a, out, n, [](T v) { return std::floor(v); });
  case NPU_INSTR_ceil:
    return map1(a, out, n, [](T v) { return std::ceil(v); });
  case NPU_INSTR_round:
    return map1(a, out, n, [](T v) { return std::nearbyint(v); });
  case NPU_INSTR_round_away:
    return map1(a, out, n, [](T v) { return std::round(v); });
  case NPU_INSTR_sign:
    return map1(a, out, n, [](T v) {
      return v > 0 ? T{1} : v < 0 ? T{-1} : v;
    });
  default:
    break;
  }
}

static NPU_CLONES(void, unaryFloat,
                  (const npu_instr &instr, const float *a, float *out, int n),
                  (instr, a, out, n)) {
  float alpha = instr.alpha, beta = instr.beta;
  switch (instr.kind) {
  case NPU_INSTR_abs:
  case NPU_INSTR_neg:
  case NPU_INSTR_relu:
  case NPU_INSTR_sqrt:
  case NPU_INSTR_reciprocal:
  case NPU_INSTR_floor:
  case NPU_INSTR_ceil:
  case NPU_INSTR_round:
  case NPU_INSTR_round_away:
  case NPU_INSTR_sign:
    return unaryPlain(instr.kind, a, out, n);
  case NPU_INSTR_leaky_relu:
    return map1(a, out, n, [=](float v) { return v >= 0 ? v : alpha * v; });
  case NPU_INSTR_rsqrt:
    return map1(a, out, n, [](float v) { return 1.0f / std::sqrt(v); });
  case NPU_INSTR_clip:
    return map1(a, out, n, [=](float v) {
      float raised = v < alpha ? alpha : v;
      return raised > beta ? beta : raised;
    });
  case NPU_INSTR_linear:
    return map1(a, out, n, [=](float v) { return alpha * v + beta; });
  case NPU_INSTR_hard_sigmoid:
    return map1(a, out, n, [=](float v) {
      return std::min(std::max(alpha * v + beta, 0.0f), 1.0f);
    });
  case NPU_INSTR_hard_swish:
    return map1(a, out, n, [=](float v) {
      return v * std::min(std::max(alpha * v + beta, 0.0f), 1.0f);
    });
  case NPU_INSTR_sin:
  case NPU_INSTR_cos:
  case NPU_INSTR_tan:
  case NPU_INSTR_asin:
  case NPU_INSTR_acos:
  case NPU_INSTR_atan:
    return ofAngles(instr.kind, a, out, n);
  default:
    return ofExponentials(instr, a, out, n);
  }
}

/// Remainder with the sign of the divisor.
template <typename T>
static T floorMod(T a, T b) {
  T rest = std::fmod(a, b);
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

template <typename T>
NPU_INLINE void binaryPlain(const npu_instr &instr, const T *a, const T *b,
                            T *out, int n) {
  switch (instr.kind) {
  case NPU_INSTR_add:
    return map2(a, b, out, n, [](T x, T y) { return x + y; });
  case NPU_INSTR_sub:
    return map2(a, b, out, n, [](T x, T y) { return x - y; });
  case NPU_INSTR_mul:
    return map2(a, b, out, n, [](T x, T y) { return x * y; });
  case NPU_INSTR_div:
    return map2(a, b, out, n, [](T x, T y) { return x / y; });
  case NPU_INSTR_min:
    return map2(a, b, out, n,
                [](T x, T y) { return x < y || std::isnan(x) ? x : y; });
  case NPU_INSTR_max:
    return map2(a, b, out, n,
                [](T x, T y) { return x > y || std::isnan(x) ? x : y; });
  case NPU_INSTR_pow:
    return map2(a, b, out, n, [](T x, T y) { return std::pow(x, y); });
  case NPU_INSTR_mod:
    if (instr.alpha == 1.0f)
      return map2(a, b, out, n, [](T x, T y) { return std::fmod(x, y); });
    return map2(a, b, out, n, floorMod<T>);
  case NPU_INSTR_prelu:
    return map2(a, b, out, n, [](T x, T y) { return x >= 0 ? x : x * y; });
  default:
    break;
  }
}

static NPU_CLONES(void, binaryFloat,
                  (const npu_instr &instr, const float *a, const float *b,
                   float *out, int n),
                  (instr, a, b, out, n)) {
  binaryPlain(instr, a, b, out, n);
}

/// Integers wrap as two's complement; unsigned arithmetic has no overflow.
static int64_t wrapping(uint64_t value) { return static_cast<int64_t>(value); }
static uint64_t u(int64_t value) { return static_cast<uint64_t>(value); }

static int64_t divide(int64_t a, int64_t b) {
  if (b == 0)
    return 0;
  return b == -1 ? wrapping(0 - u(a)) : a / b;
}

static int64_t remainder(int64_t a, int64_t b) {
  return b == 0 || b == -1 ? 0 : a % b;
}

static int64_t floorRemainder(int64_t a, int64_t b) {
  int64_t rest = remainder(a, b);
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

static int64_t powerOf(uint64_t base, uint64_t exponent) {
  uint64_t result = 1;
  for (; exponent; exponent >>= 1, base *= base)
    if (exponent & 1)
      result *= base;
  return wrapping(result);
}

static int64_t power(int64_t base, int64_t exponent) {
  if (exponent >= 0)
    return powerOf(u(base), u(exponent));
  if (base == 1)
    return 1;
  return base == -1 ? (exponent % 2 ? -1 : 1) : 0;
}

static int bitsOf(int32_t dtype) {
  return dtype == NPU_BOOL ? 1 : static_cast<int>(8 * dtypeBytes(dtype));
}

/// Of the value's lowest `bits`.
static int64_t leadingZeros(int64_t value, int bits) {
  int64_t zeros = 0;
  while (zeros < bits && (u(value) >> (bits - 1 - zeros) & 1) == 0)
    ++zeros;
  return zeros;
}

/// value * factor / 2^shift in 64 bits, halves upwards. `twice`: as if it had
/// been rounded at bit 30 before, halves away from zero (TOSA's double_round).
static int64_t mulShift(int64_t value, int64_t factor, int64_t shift,
                        bool twice) {
  uint64_t round = (uint64_t{1} << (u(shift) & 63)) >> 1;
  if (twice && shift > 31)
    round += value >= 0 ? uint64_t{1} << 30 : 0 - (uint64_t{1} << 30);
  return wrapping(u(value) * u(factor) + round) >> (u(shift) & 63);
}

/// As binaryAboveInt64.
static bool unaryAboveInt64(const npu_instr &instr, const int64_t *a,
                            int64_t *out, int n) {
  switch (instr.kind) {
  case NPU_INSTR_abs:
  case NPU_INSTR_relu:
    std::copy_n(a, n, out);
    return true;
  case NPU_INSTR_sign:
    map1(a, out, n, [](int64_t v) { return int64_t{v != 0}; });
    return true;
  case NPU_INSTR_clip: {
    uint64_t low = u(floatToInteger(NPU_U64, std::ceil(instr.alpha)));
    uint64_t high = u(floatToInteger(NPU_U64, std::floor(instr.beta)));
    map1(a, out, n, [=](int64_t v) {
      return wrapping(std::min(std::max(u(v), low), high));
    });
    return true;
  }
  default:
    return false;
  }
}

static void unaryInteger(const npu_instr &instr, const int64_t *a, int64_t *out,
                         int n) {
  if (isAboveInt64(instr.dtype) && unaryAboveInt64(instr, a, out, n))
    return;
  switch (instr.kind) {
  case NPU_INSTR_abs:
    return map1(a, out, n,
                [](int64_t v) { return v < 0 ? wrapping(0 - u(v)) : v; });
  case NPU_INSTR_neg:
    return map1(a, out, n, [](int64_t v) { return wrapping(0 - u(v)); });
  case NPU_INSTR_relu:
    return map1(a, out, n, [](int64_t v) { return v < 0 ? 0 : v; });
  case NPU_INSTR_sign:
    return map1(a, out, n,
                [](int64_t v) { return int64_t{v > 0} - int64_t{v < 0}; });
  case NPU_INSTR_clip: {
    int64_t low = floatToInteger(NPU_I64, std::ceil(instr.alpha));
    int64_t high = floatToInteger(NPU_I64, std::floor(instr.beta));
    return map1(a, out, n,
                [=](int64_t v) { return std::min(std::max(v, low), high); });
  }
  case NPU_INSTR_logical_not:
    return map1(a, out, n, [](int64_t v) { return int64_t{v == 0}; });
  case NPU_INSTR_bit_not:
    return map1(a, out, n, [](int64_t v) { return ~v; });
  case NPU_INSTR_clz: {
    int bits = bitsOf(instr.dtype);
    return map1(a, out, n, [=](int64_t v) { return leadingZeros(v, bits); });
  }
  default:
    break;
  }
}

/// Those for which it matters that numbers of u64 may be above int64_t's;
/// false: it is none of them.
static bool binaryAboveInt64(int kind, const int64_t *a, const int64_t *b,
                             int64_t *out, int n) {
  using I = int64_t;
  switch (kind) {
  case NPU_INSTR_div:
    map2(a, b, out, n,
         [](I x, I y) { return y == 0 ? 0 : wrapping(u(x) / u(y)); });
    return true;
  case NPU_INSTR_mod:
    map2(a, b, out, n,
         [](I x, I y) { return y == 0 ? 0 : wrapping(u(x) % u(y)); });
    return true;
  case NPU_INSTR_min:
    map2(a, b, out, n, [](I x, I y) { return u(x) < u(y) ? x : y; });
    return true;
  case NPU_INSTR_max:
    map2(a, b, out, n, [](I x, I y) { return u(x) > u(y) ? x : y; });
    return true;
  case NPU_INSTR_pow:
    map2(a, b, out, n, [](I x, I y) { return powerOf(u(x), u(y)); });
    return true;
  case NPU_INSTR_shift_right:
    map2(a, b, out, n,
         [](I x, I y) { return u(y) > 63 ? 0 : wrapping(u(x) >> y); });
    return true;
  default:
    return false;
  }
}

static void binaryInteger(const npu_instr &instr, const int64_t *a,
                          const int64_t *b, int64_t *out, int n) {
  using I = int64_t;
  if (isAboveInt64(instr.dtype) && binaryAboveInt64(instr.kind, a, b, out, n))
    return;
  switch (instr.kind) {
  case NPU_INSTR_add:
    return map2(a, b, out, n, [](I x, I y) { return wrapping(u(x) + u(y)); });
  case NPU_INSTR_sub:
    return map2(a, b, out, n, [](I x, I y) { return wrapping(u(x) - u(y)); });
  case NPU_INSTR_mul:
    return map2(a, b, out, n, [](I x, I y) { return wrapping(u(x) * u(y)); });
  case NPU_INSTR_div:
    return map2(a, b, out, n, divide);
  case NPU_INSTR_min:
    return map2(a, b, out, n, [](I x, I y) { return std::min(x, y); });
  case NPU_INSTR_max:
    return map2(a, b, out, n, [](I x, I y) { return std::max(x, y); });
  case NPU_INSTR_pow:
    return map2(a, b, out, n, power);
  case NPU_INSTR_mod:
    return map2(a, b, out, n, instr.alpha == 1.0f ? remainder : floorRemainder);
  case NPU_INSTR_bit_and:
    return map2(a, b, out, n, [](I x, I y) { return x & y; });
  case NPU_INSTR_bit_or:
    return map2(a, b, out, n, [](I x, I y) { return x | y; });
  case NPU_INSTR_bit_xor:
    return map2(a, b, out, n, [](I x, I y) { return x ^ y; });
  case NPU_INSTR_shift_left:
    return map2(a, b, out, n, [](I x, I y) {
      return y < 0 || y > 63 ? 0 : wrapping(u(x) << y);
    });
  case NPU_INSTR_shift_right:
    return map2(a, b, out, n,
                [](I x, I y) { return x >> (y < 0 || y > 63 ? 63 : y); });
  case NPU_INSTR_logical_and:
    return map2(a, b, out, n, [](I x, I y) { return I{x && y}; });
  case NPU_INSTR_logical_or:
    return map2(a, b, out, n, [](I x, I y) { return I{x || y}; });
  case NPU_INSTR_logical_xor:
    return map2(a, b, out, n, [](I x, I y) { return I{(x != 0) != (y != 0)}; });
  default:
    break;
  }
}

/// As numbers of type T, which has the register's bits.
template <typename T, typename Register>
static void compareAs(int kind, const Register *a, const Register *b,
                      int64_t *out, int n) {
  auto fill = [&](auto function) {
    for (int i = 0; i < n; ++i)
      out[i] = function(static_cast<T>(a[i]), static_cast<T>(b[i]));
  };
  switch (kind) {
  case NPU_INSTR_equal:
    fill([](T x, T y) { return x == y; });
    break;
  case NPU_INSTR_less:
    fill([](T x, T y) { return x < y; });
    break;
  case NPU_INSTR_less_equal:
    fill([](T x, T y) { return x <= y; });
    break;
  case NPU_INSTR_greater:
    fill([](T x, T y) { return x > y; });
    break;
  default:
    fill([](T x, T y) { return x >= y; });
    break;
  }
}

static void compare(int kind, int32_t type, const Row *a, const Row *b,
                    int64_t *out, int n) {
  if (type == NPU_F64)
    compareAs<double>(kind, a->d, b->d, out, n);
  else if (isFloat(type))
    compareAs<float>(kind, a->f, b->f, out, n);
  else if (isAboveInt64(type))
    compareAs<uint64_t>(kind, a->i, b->i, out, n);
  else
    compareAs<int64_t>(kind, a->i, b->i, out, n);
}

/// Numbers of type `from` to T: float or double.
template <typename T>
static void castToReal(int32_t from, const Row *a, T *out, int n) {
  if (from == NPU_F64)
    for (int i = 0; i < n; ++i)
      out[i] = static_cast<T>(a->d[i]);
  else if (isFloat(from))
    for (int i = 0; i < n; ++i)
      out[i] = static_cast<T>(a->f[i]);
  else
    for (int i = 0; i < n; ++i)
      out[i] = isAboveInt64(from) ? static_cast<T>(u(a->i[i]))
                                  : static_cast<T>(a->i[i]);
}

static void cast(const npu_instr &instr, int32_t from, const Row *a, Row *out,
                 int n) {
  if (instr.dtype == NPU_F64)
    return castToReal(from, a, out->d, n);
  if (!isFloat(instr.dtype)) {
    for (int i = 0; i < n; ++i)
      out->i[i] = from == NPU_F64 ? floatToInteger(instr.dtype, a->d[i])
                  : isFloat(from) ? floatToInteger(instr.dtype, a->f[i])
                                  : wrapTo(instr.dtype, a->i[i]);
    return;
  }
  castToReal(from, a, out->f, n);
  if (!isHalfWide(instr.dtype))
    return;
  uint16_t halves[rowLength];
  narrow(instr.dtype, out->f, halves, n);
  widen(instr.dtype, halves, out->f, n);
}

/// What memory holds for a number of the type, zeros above.
static uint64_t bitsInMemory(int32_t dtype, const Row *row, int i) {
  uint32_t word = 0;
  switch (dtype) {
  case NPU_F64:
    return __builtin_bit_cast(uint64_t, row->d[i]);
  case NPU_F32:
    std::memcpy(&word, &row->f[i], sizeof(word));
    return word;
  case NPU_F16:
    return floatToHalf(row->f[i]);
  case NPU_BF16:
    return floatToBfloat(row->f[i]);
  default:
    return u(row->i[i]);
  }
}

static void bitcast(const npu_instr &instr, int32_t from, const Row *a,
                    Row *out, int n) {
  for (int i = 0; i < n; ++i) {
    uint64_t bits = bitsInMemory(from, a, i);
    auto word = static_cast<uint32_t>(bits);
    if (instr.dtype == NPU_F64)
      out->d[i] = __builtin_bit_cast(double, bits);
    else if (instr.dtype == NPU_F32)
      std::memcpy(&out->f[i], &word, sizeof(word));
    else if (instr.dtype == NPU_F16)
      out->f[i] = halfToFloat(static_cast<uint16_t>(word));
    else if (instr.dtype == NPU_BF16)
      out->f[i] = bfloatToFloat(static_cast<uint16_t>(word));
    else
      out->i[i] = wrapTo(instr.dtype, wrapping(bits));
  }
}

static void select(int32_t dtype, const Row *a, const Row *b, const Row *c,
                   Row *out, int n) {
  if (isFloat(dtype))
    for (int i = 0; i < n; ++i)
      out->f[i] = a->i[i] ? b->f[i] : c->f[i];
  else if (dtype == NPU_F64)
    for (int i = 0; i < n; ++i)
      out->d[i] = a->i[i] ? b->d[i] : c->d[i];
  else
    for (int i = 0; i < n; ++i)
      out->i[i] = a->i[i] ? b->i[i] : c->i[i];
}

void interpret(const npu_instr &instr, int32_t typeA, const Row *a,
               const Row *b, const Row *c, Row *out, int n) {
  const InstrKind &kind = *lookupInstr(instr.kind);
  if (instr.kind == NPU_INSTR_cast)
    return cast(instr, typeA, a, out, n);
  if (instr.kind == NPU_INSTR_bitcast)
    return bitcast(instr, typeA, a, out, n);
  if (instr.kind == NPU_INSTR_select)
    return select(instr.dtype, a, b, c, out, n);
  if (kind.types == NPU_TYPES_COMPARE)
    return compare(instr.kind, typeA, a, b, out->i, n);
  if (instr.dtype == NPU_F64)
    return kind.arity == 1 ? unaryPlain(instr.kind, a->d, out->d, n)
                           : binaryPlain(instr, a->d, b->d, out->d, n);
  if (isFloat(instr.dtype))
    return kind.arity == 1 ? unaryFloat(instr, a->f, out->f, n)
                           : binaryFloat(instr, a->f, b->f, out->f, n);
  if (instr.kind == NPU_INSTR_mul_shift)
    for (int i = 0; i < n; ++i)
      out->i[i] = mulShift(a->i[i], b->i[i], c->i[i], instr.alpha == 1.0f);
  else if (kind.arity == 1)
    unaryInteger(instr, a->i, out->i, n);
  else
    binaryInteger(instr, a->i, b->i, out->i, n);
  if (instr.dtype != NPU_I64 && instr.dtype != NPU_U64)
    for (int i = 0; i < n; ++i)
      out->i[i] = wrapTo(instr.dtype, out->i[i]);
}

bool isUnaryChain(const std::vector<npu_instr> &chain, size_t operands) {
  auto value = static_cast<int64_t>(operands);
  return std::all_of(chain.begin(), chain.end(), [&](const npu_instr &instr) {
    return lookupInstr(instr.kind)->arity == 1 && instr.a == value++ &&
           instr.dtype == NPU_F32;
  });
}

void interpretChain(const std::vector<npu_instr> &chain, float *values,
                    int64_t count) {
  Row rows[2];
  for (int64_t first = 0; first < count; first += rowLength) {
    int n = static_cast<int>(std::min<int64_t>(rowLength, count - first));
    std::copy(values + first, values + first + n, rows[0].f);
    size_t at = 0;
    for (const npu_instr &instr : chain) {
      interpret(instr, NPU_F32, &rows[at], nullptr, nullptr, &rows[1 - at], n);
      at = 1 - at;
    }
    std::copy(rows[at].f, rows[at].f + n, values + first);
  }
}

} // namespace npu::kernels
