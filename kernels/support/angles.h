// SPDX-License-Identifier: Apache-2.0
//
// The functions of angles, as functions.h has the others; in double precision,
// rounded once at the end.
#ifndef NPU_KERNELS_SUPPORT_ANGLES_H
#define NPU_KERNELS_SUPPORT_ANGLES_H

#include "kernels/support/functions.h"

namespace npu::functions {

/// |x| = quarter turns * pi / 2 + rest, |rest| <= pi / 4; of the quarters the
/// last two bits.
template <typename D, typename U>
struct Angle {
  D rest;
  U quarters;
};

/// By Payne and Hanek: x is a whole number times 2^s, and of 2 / pi only the
/// bits count that make up less than four quarter turns of it, 96 of them. So
/// the rest is exact to the last bit of the largest float.
template <typename F>
NPU_INLINE auto reduceAngle(F x) {
  // 2 / pi / 2^24 in binary, from the digit of 2^1 on.
  constexpr double digits[] = {0x00000028, 0xbe60db93, 0x91054a7f, 0x09d5f47d,
                               0x4d377036, 0xd8a5664f, 0x10e4107f, 0x9458eaf7};
  auto bits = bitsOf(x) & like(bitsOf(x), 0x7fffffff);
  auto exponent = shiftRight(bits, 23);
  auto isSmall = exponent < like(bits, 126);
  auto fraction = (bits & like(bits, 0x7fffff)) | like(bits, 0x800000);
  auto first = select(isSmall, like(bits, 0), exponent - like(bits, 126));
  auto word = shiftRight(first, 5);
  auto within = widen(first & like(bits, 31));
  auto digitAt = [&](int i) {
    auto digit = like(bits, digits[i]);
    for (int skipped = 1; skipped <= 4 && i + skipped < 8; ++skipped)
      digit = select(word == like(bits, skipped),
                     like(bits, digits[i + skipped]), digit);
    return widen(digit);
  };
  auto a = digitAt(0), b = digitAt(1), c = digitAt(2), d = digitAt(3);
  auto window = [&](auto high, auto low) {
    return shiftRight(shiftLeftBy(shiftLeft(high, 32) | low, within), 32);
  };
  auto m = widen(fraction), mask = like(m, 0xffffffff);
  auto lowest = m * window(c, d);
  auto middle = m * window(b, c) + shiftRight(lowest, 32);
  auto highest = m * window(a, b) + shiftRight(middle, 32);
  // Two digits before the point, 62 behind it.
  auto turns = shiftLeft(highest, 32) | (middle & mask);
  auto nearest = shiftRight(turns + like(m, 0x1p61), 62);
  auto rest = fromSigned(turns - shiftLeft(nearest, 62)) *
              like(fromSigned(m), halfPi * 0x1p-62);
  auto isFinite = exponent < like(bits, 255);
  auto whole = widen(numberOf(bits));
  auto nan = like(whole, std::numeric_limits<double>::quiet_NaN());
  rest = select(isFinite, select(widen(isSmall), whole, rest), nan);
  auto quarters = select(isSmall, like(bits, 0), low(nearest));
  return Angle<decltype(rest), decltype(quarters)>{rest, quarters};
}

template <typename D>
NPU_INLINE D sineOfRest(D r) {
  constexpr double c[] = {-1.0 / 6, 1.0 / 120, -1.0 / 5040, 1.0 / 362880,
                          -1.0 / 39916800};
  D square = r * r;
  return fma(r * square, polynomial(square, c), r);
}

template <typename D>
NPU_INLINE D cosineOfRest(D r) {
  constexpr double c[] = {
      1,           -0.5,           1.0 / 24,       -1.0 / 720,
      1.0 / 40320, -1.0 / 3628800, 1.0 / 479001600};
  return polynomial(r * r, c);
}

/// sin of so many quarters more than the reduced angle.
template <typename F, typename A>
NPU_INLINE F sineOf(A angle, F sign) {
  auto isOdd =
      (angle.quarters & like(angle.quarters, 1)) == like(angle.quarters, 1);
  F result =
      narrow(select(isOdd, cosineOfRest(angle.rest), sineOfRest(angle.rest)));
  auto turned = shiftLeft(angle.quarters & like(angle.quarters, 2), 30);
  return numberOf(bitsOf(result) ^ turned ^
                  (bitsOf(sign) & like(bitsOf(sign), 0x80000000)));
}

template <typename F>
NPU_INLINE F sine(F x) {
  return sineOf(reduceAngle(x), x);
}

template <typename F>
NPU_INLINE F cosine(F x) {
  auto angle = reduceAngle(x);
  angle.quarters = angle.quarters + like(angle.quarters, 1);
  return sineOf(angle, like(x, 0));
}

template <typename F>
NPU_INLINE F tangent(F x) {
  auto angle = reduceAngle(x);
  auto s = sineOfRest(angle.rest), c = cosineOfRest(angle.rest);
  auto isOdd =
      (angle.quarters & like(angle.quarters, 1)) == like(angle.quarters, 1);
  auto negated = like(c, 0) - c;
  F result = narrow(select(isOdd, negated, s) / select(isOdd, s, c));
  return numberOf(bitsOf(result) ^ (bitsOf(x) & like(bitsOf(x), 0x80000000)));
}

/// Up to 1/2.
template <typename D>
NPU_INLINE D smallArcSine(D x) {
  constexpr double c[] = {
      0.16666666668435715, 0.07499999027573351,   0.04464366191574025,
      0.03035664349554022, 0.022765986563784202,  0.013978766150694882,
      0.03030955197654045, -0.031236005731882097, 0.05996845312451936};
  D square = x * x;
  return fma(x * square, polynomial(square, c), x);
}

/// arcsin |x|, and whether it was computed from the other side, where
/// pi / 2 - 2 * arcsin(sqrt((1 - x) / 2)) is more exact.
template <typename F>
NPU_INLINE F arcSine(F x) {
  auto a = widen(magnitude(x));
  auto isLarge = a > like(a, 0.5);
  auto root = squareRoot((like(a, 1) - a) * like(a, 0.5));
  auto small = smallArcSine(select(isLarge, root, a));
  auto large = fma(small, like(a, -2), like(a, halfPi));
  return withSign(narrow(select(isLarge, large, small)), x);
}

template <typename F>
NPU_INLINE F arcCosine(F x) {
  auto d = widen(x), a = widen(magnitude(x));
  auto isLarge = a > like(a, 0.5);
  auto root = squareRoot((like(a, 1) - a) * like(a, 0.5));
  auto small = smallArcSine(select(isLarge, root, d));
  auto twice = small * like(a, 2);
  auto large = select(d < like(d, 0), like(d, 2 * halfPi) - twice, twice);
  return narrow(select(isLarge, large, like(d, halfPi) - small));
}

template <typename F>
NPU_INLINE F arcTangent(F x) {
  constexpr double c[] = {-0.33333333329516546, 0.19999997867003366,
                          -0.14285549054621316, 0.11106068536325556,
                          -0.09014157644524695, 0.07063105452891663,
                          -0.03909681779200202};
  auto a = widen(magnitude(x));
  auto isLarge = a > like(a, 1);
  auto z = select(isLarge, like(a, 1) / a, a);
  // Beyond tan(pi / 8), what is left of pi / 4.
  auto isHalf = z > like(a, 0.4142135623730950);
  z = select(isHalf, (z - like(a, 1)) / (z + like(a, 1)), z);
  auto square = z * z;
  auto result = fma(z * square, polynomial(square, c), z);
  result = select(isHalf, result + like(a, halfPi / 2), result);
  result = select(isLarge, like(a, halfPi) - result, result);
  return withSign(narrow(result), x);
}

} // namespace npu::functions

#endif // NPU_KERNELS_SUPPORT_ANGLES_H
