// SPDX-License-Identifier: Apache-2.0
#include "compiler/Frontend/TFLite/TfliteShort.h"

#include "compiler/Dialect/NPU/Constants.h"
#include "compiler/Frontend/Support/IntegerScale.h"
#include "compiler/Frontend/TFLite/TfliteFixed.h"

#include <cmath>

using namespace npu;

static int16_t saturated(int64_t value) {
  return int16_t(std::clamp<int64_t>(value, INT16_MIN, INT16_MAX));
}

Value npu::tfliteShortTable(TfliteNode &node,
                            function_ref<int32_t(int32_t)> function) {
  std::vector<int16_t> numbers;
  for (int32_t x = INT16_MIN; x <= INT16_MAX; ++x)
    numbers.push_back(saturated(function(x)));
  auto type =
      RankedTensorType::get({65536}, node.getBuilder().getIntegerType(16));
  return node.constant(makeElements(
      type, ArrayRef(reinterpret_cast<const char *>(numbers.data()),
                     numbers.size() * sizeof(int16_t))));
}

Value npu::tfliteShortLookUp(TfliteNode &node, Value table, Value value) {
  return lookUp(node, table,
                node.two(NPU_INSTR_add, node.cast(value, node.i32()),
                         node.number32(32768)));
}

template <typename Real>
TfliteCurve<Real>::TfliteCurve(Real low, Real high, Real unit,
                               function_ref<Real(Real)> function) {
  constexpr int places = 512;
  Real step = (high - low) / places;
  auto bounded = [](Real x) {
    // LiteRT's conversion makes 0 of what is no number.
    return std::isnan(x) ? 0
                         : static_cast<int32_t>(
                               std::clamp(x, Real(INT16_MIN), Real(INT16_MAX)));
  };
  for (int i = 0; i < places; ++i) {
    Real here = std::round(function(low + Real(i) * step) * unit);
    Real next = function(low + Real(i + 1) * step) * unit;
    Real middle = std::round(function(low + Real(i) * step + step / 2) * unit);
    // Half of what the straight line is off in the middle.
    Real error = std::round((next + here) / 2) - middle;
    entries.push_back(bounded(here - std::round(error / 2)));
  }
  entries.push_back(bounded(std::round(function(high) * unit)));
}

template <typename Real>
Value TfliteCurve<Real>::at(TfliteNode &node, Value x) const {
  Value place = node.two(NPU_INSTR_add,
                         node.two(NPU_INSTR_shift_right, x, node.number32(7)),
                         node.number32(256));
  ArrayRef<int32_t> all(entries);
  Value here = lookUp(node, node.vectorAlong(all.drop_back(), 0, 1), place);
  Value next = lookUp(node, node.vectorAlong(all.drop_front(), 0, 1), place);
  Value slope = node.two(NPU_INSTR_mul, node.two(NPU_INSTR_sub, next, here),
                         node.two(NPU_INSTR_bit_and, x, node.number32(127)));
  return node.two(NPU_INSTR_add, here,
                  node.eltwise(NPU_INSTR_mul_shift,
                               {slope, node.number32(1), node.number32(7)}));
}

template class npu::TfliteCurve<float>;
template class npu::TfliteCurve<double>;

/// 2^16 / (1 + exp(-x)) of x = place / 24, raised by half of what the straight
/// line to the next place is off in the middle, as LiteRT's table is; the last
/// one is the largest.
static int64_t sigmoidEntry(int64_t place) {
  auto exact = [](double at) { return 65536 / (1 + std::exp(-at / 24)); };
  double here = exact(double(place)), next = exact(double(place + 1));
  double error = exact(double(place) + 0.5) - (here + next) / 2;
  return place == 255 ? 65535 : std::llround(here + error / 2);
}

/// Between entries of the table, of which each has 2^bits numbers, in units of
/// 2^-(16 + bits).
static int64_t sigmoidBetween(int64_t x, int bits) {
  int64_t place = x >> bits;
  if (place >= 255)
    return bits == 9 ? int64_t(0x7fff) << 10 : int64_t(0xffff) << 8;
  int64_t here = sigmoidEntry(place);
  return (here << bits) +
         (x & ((1 << bits) - 1)) * (sigmoidEntry(place + 1) - here);
}

TfliteThirds::TfliteThirds(double scale) {
  int exponent = 0;
  if (std::frexp(scale, &exponent) == 0.5 &&
      (exponent == -11 || exponent == -10)) {
    multiplier = 3 << (exponent + 11);
    return;
  }
  double wide = scale * 4096 * 3;
  for (; wide <= 32767.0 / 2 && shift <= 30; ++shift)
    wide *= 2;
  multiplier = int64_t(wide);
}

int64_t TfliteThirds::of(int32_t x) const {
  int64_t half = shift > 0 ? int64_t(1) << (shift - 1) : 0;
  return int32_t(x * multiplier + half) >> shift;
}

int32_t npu::tfliteShortSigmoid(int64_t thirds) {
  int64_t between = sigmoidBetween(std::abs(thirds), 9);
  return int32_t(
      (thirds >= 0 ? between + (1 << 9) : (1 << 25) - between + (1 << 9) - 1) >>
      10);
}

int32_t npu::tfliteShortTanh(int64_t thirds) {
  int64_t twice = sigmoidBetween(std::abs(thirds), 8) - (1 << 23);
  return int32_t((thirds >= 0 ? twice + (1 << 7) : -twice + (1 << 7) - 1) >> 8);
}

namespace {
/// A number of 16 bits that wraps, as gemmlowp's raw numbers do. Where its
/// point is follows from what is done with it.
struct Raw {
  int16_t raw;

  static Raw of(int64_t value) { return {int16_t(value)}; }
  /// A constant of 32 bits, rounded.
  static Raw constant(int32_t value) { return of(Fixed::divided(value, 16)); }
  Raw operator+(Raw other) const { return of(raw + other.raw); }
  Raw operator-(Raw other) const { return of(raw - other.raw); }
  Raw operator-() const { return of(-raw); }
  /// The product in units of 2^-15, halves away from zero.
  Raw operator*(Raw other) const {
    int32_t product = int32_t(raw) * other.raw;
    return {saturated((product + (product >= 0 ? 1 << 14 : 1 - (1 << 14))) /
                      (1 << 15))};
  }
  /// Times a power of two, saturated, or rounded.
  Raw shifted(int power) const {
    return power < 0 ? of(Fixed::divided(raw, -power))
                     : Raw{saturated(int64_t(raw) << power)};
  }
};
} // namespace

static constexpr Raw one{INT16_MAX}; // without bits before the point

/// exp(x) of -1/4 <= x < 0, both without bits before the point.
static Raw expOfQuarter(Raw x) {
  const Raw expOfEighth = Raw::constant(1895147668),
            third = Raw::constant(715827883);
  x = x + Raw{1 << 12};
  Raw x2 = x * x, x3 = x2 * x, x4 = x2 * x2;
  Raw rest = ((x4.shifted(-2) + x3) * third + x2).shifted(-1);
  return {saturated(int64_t(expOfEighth.raw) + (expOfEighth * (x + rest)).raw)};
}

/// exp(x) without bits before the point, of a number that is not above 0 and
/// has `bits` there.
static Raw exponential(Raw x, int bits) {
  if (x.raw == 0)
    return one;
  int fraction = 15 - bits;
  Raw quarter = Raw::of(1 << (fraction - 2));
  Raw last = Raw::of(x.raw & (quarter.raw - 1)) - quarter;
  Raw result = expOfQuarter(last.shifted(bits));
  int16_t remainder = (last - x).raw;
  // exp(-1/4), exp(-1/2), exp(-1), ... exp(-16).
  constexpr int32_t factors[] = {1672461947, 1302514674, 790015084, 290630308,
                                 39332535,   720401,     242};
  for (auto [i, factor] : llvm::enumerate(factors))
    if (bits > int(i) - 2 && (remainder & (quarter.raw << i)) != 0)
      result = result * Raw::constant(factor);
  bool isTooLow = bits > 5 && x.raw < -(1 << (20 - bits));
  return isTooLow ? Raw{0} : result;
}

/// 2 / (1 + x) with two bits before the point, of 0 <= x <= 1 without.
static Raw twiceReciprocal(Raw x) {
  int32_t sum = int32_t(x.raw) + one.raw;
  Raw half = Raw::of((sum + 1) / 2);
  Raw result = Raw::constant(1515870810) + half * Raw::constant(-1010580540);
  for (int i = 0; i < 3; ++i)
    result = result + (result * (Raw{1 << 13} - half * result)).shifted(2);
  return result;
}

int32_t npu::fixedSigmoid(int32_t x, int integerBits) {
  if (x == 0)
    return 1 << 14;
  Raw number = Raw::of(x), size = x > 0 ? number : -number;
  // Half of it has one bit before the point.
  Raw above = twiceReciprocal(exponential(-size, integerBits)).shifted(1);
  return (x > 0 ? above : one - above).raw;
}

int32_t npu::fixedTanh(int32_t x, int integerBits) {
  if (x == 0)
    return 0;
  Raw number = Raw::of(x), below = x < 0 ? number : -number;
  // Of twice the number, which has one more bit before the point.
  Raw result =
      (twiceReciprocal(exponential(below, integerBits + 1)) - Raw{1 << 13})
          .shifted(2);
  return (x < 0 ? -result : result).raw;
}
