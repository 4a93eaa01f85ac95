// SPDX-License-Identifier: Apache-2.0
//
// The elementary functions, each once: the interpreter computes them on floats,
// the compiler writes them into generated kernels, and both give the same bits.
// A formula works on whatever has the operations of scalars.h; it has no
// branch, so that many lanes go through at once. Each result is within three
// units in the last place over all floats, denormal ones too, unless its
// function says otherwise; NaN gives NaN.
#ifndef NPU_KERNELS_SUPPORT_FUNCTIONS_H
#define NPU_KERNELS_SUPPORT_FUNCTIONS_H

#include "kernels/support/scalars.h"

#include <limits>

namespace npu::functions {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double log2e = 1.4426950408889634;
constexpr double halfPi = 1.5707963267948966;
/// ln 2 in two parts; products of the first with whole numbers are exact.
constexpr double ln2High = 0.693359375, ln2Low = -2.12194440054690583e-4;

/// c[0] + c[1] x + c[2] x^2 ...
template <typename F, int n>
NPU_INLINE F polynomial(F x, const double (&c)[n]) {
  F sum = like(x, c[n - 1]);
  for (int i = n - 2; i >= 0; --i)
    sum = fma(sum, x, like(x, c[i]));
  return sum;
}

/// NaN stays.
template <typename F>
NPU_INLINE F between(F x, double low, double high) {
  F raised = select(x < like(x, low), like(x, low), x);
  return select(raised > like(x, high), like(x, high), raised);
}

template <typename F>
NPU_INLINE F magnitude(F x) {
  return numberOf(bitsOf(x) & like(bitsOf(x), 0x7fffffff));
}

/// The magnitude's bits with the sign of `sign`.
template <typename F>
NPU_INLINE F withSign(F size, F sign) {
  return numberOf(bitsOf(size) |
                  (bitsOf(sign) & like(bitsOf(sign), 0x80000000)));
}

/// exp(x) = (1 + rest) * 2^whole; the whole number, as a signed one, lies in
/// the bits of `shifted` above those of 0x4b400000.
template <typename F>
struct Reduced {
  F rest, shifted;
};

template <typename F>
NPU_INLINE Reduced<F> reduced(F x) {
  // Adding 1.5 * 2^23 rounds to a whole number, which then lies in the bits.
  F shifted = fma(x, like(x, log2e), like(x, 12582912.0));
  F n = shifted - like(x, 12582912.0);
  F r = fma(n, like(x, -ln2High), x);
  r = fma(n, like(x, -ln2Low), r);
  constexpr double c[] = {0.5,
                          0.1666666716337204,
                          0.04166625440120697,
                          0.008333266712725163,
                          0.0013947270344942808,
                          0.00019917114695999771};
  return {fma(r * r, polynomial(r, c), r), shifted};
}

/// exp(x) = (1 + rest) * first * second, both powers of two: one of them alone
/// may lie beyond the floats.
template <typename F>
struct Power {
  F rest, first, second, secondInverse;
};

template <typename F>
NPU_INLINE Power<F> powerOf(F x) {
  auto [rest, shifted] = reduced(x);
  auto whole = bitsOf(shifted) - like(bitsOf(x), 0x4b400000);
  auto half = shiftSigned(whole, 1), other = whole - half;
  auto bias = like(whole, 127);
  return {rest, numberOf(shiftLeft(half + bias, 23)),
          numberOf(shiftLeft(other + bias, 23)),
          numberOf(shiftLeft(bias - other, 23))};
}

template <typename F>
NPU_INLINE F exponential(F x) {
  Power<F> p = powerOf(between(x, -104, 89));
  return fma(p.rest, p.first, p.first) * p.second;
}

/// exp(x) = (1 + rest) * power
template <typename F>
struct NearPower {
  F rest, power;
};

/// Where exp(x) is a normal float: -87.3 to 88.3, no more.
template <typename F>
NPU_INLINE NearPower<F> nearPowerOf(F x) {
  auto [rest, shifted] = reduced(x);
  // What lies above the whole number in the bits of `shifted` is shifted out.
  return {rest, numberOf(shiftLeft(bitsOf(shifted), 23) +
                         like(bitsOf(x), 0x3f800000))};
}

/// exp(x) where x is at most 0: softmax's. Half as long as the one for all x;
/// results below the least normal float are 0.
template <typename F>
NPU_INLINE F exponentialOfNegative(F x) {
  auto [rest, power] = nearPowerOf(x);
  return select(x < like(x, -87.3), like(x, 0), fma(rest, power, power));
}

/// exp(x) - 1
template <typename F>
NPU_INLINE F exponentialLess1(F x) {
  Power<F> p = powerOf(between(x, -20, 89));
  return fma(p.rest, p.first, p.first - p.secondInverse) * p.second;
}

template <typename F>
NPU_INLINE F logarithm(F x) {
  auto isTiny = x < like(x, 1.1754943508222875e-38);
  F y = select(isTiny, x * like(x, 8388608), x);
  // The exponent by which y lies between sqrt(1/2) and sqrt(2).
  auto root = like(bitsOf(x), 0x3f3504f3);
  auto above = bitsOf(y) - root;
  F exponent = fromSigned(shiftSigned(above, 23));
  exponent = select(isTiny, exponent - like(x, 23), exponent);
  F f = numberOf((above & like(above, 0x7fffff)) + root) - like(x, 1);
  constexpr double c[] = {
      0.3333331048488617,   -0.24999986588954926, 0.20002226531505585,
      -0.16669249534606934, 0.14218655228614807,  -0.12384366244077682,
      0.1187300905585289,   -0.1178971603512764,  0.0691518634557724};
  F square = f * f;
  F tail = fma(f * square, polynomial(f, c), exponent * like(x, ln2Low));
  tail = fma(square, like(x, -0.5), tail);
  F result = fma(exponent, like(x, ln2High), f + tail);
  result = select(x < like(x, infinity), result, x);
  F beyond = select(x == like(x, 0), like(x, -infinity),
                    like(x, std::numeric_limits<double>::quiet_NaN()));
  return select(x > like(x, 0), result, beyond);
}

/// ln(1 + x)
template <typename F>
NPU_INLINE F logarithmOf1Plus(F x) {
  F sum = x + like(x, 1);
  F lost = (x - (sum - like(x, 1))) / sum;
  F result = logarithm(sum);
  F exact = select(sum > like(x, 0), result + lost, result);
  return select(sum < like(x, infinity), exact, result);
}

template <typename F>
NPU_INLINE F hyperbolicTangent(F x) {
  F grown = exponentialLess1(between(magnitude(x), 0, 10) * like(x, 2));
  return withSign(grown / (grown + like(x, 2)), x);
}

/// 1 / (1 + exp(-x)); results below the least normal float are 0.
template <typename F>
NPU_INLINE F logistic(F x) {
  // One power of two is enough for both ends: beyond the upper one the result
  // is 1.
  constexpr double reach = 87.3;
  F one = like(x, 1);
  auto [rest, power] = nearPowerOf(between(like(x, 0) - x, -reach, reach));
  F result = one / (one + fma(rest, power, power));
  return select(x < like(x, -reach), like(x, 0), result);
}

/// max(x, 0) + ln(1 + exp(-|x|)), which does not overflow.
template <typename F>
NPU_INLINE F softplus(F x) {
  F power = exponential(like(x, 0) - magnitude(x));
  return select(x < like(x, 0), like(x, 0), x) + logarithmOf1Plus(power);
}

template <typename F>
NPU_INLINE F errorFunction(F x) {
  constexpr double small[] = {0.12837916626122512,  -0.37612634897232056,
                              0.11283696442842484,  -0.026859406381845474,
                              0.005200971383601427, -0.0008141266880556941,
                              8.361404616152868e-05};
  // ln(1 - erf(a))
  constexpr double large[] = {0.0001758782600518316, -1.1295208930969238,
                              -0.6333346366882324,   -0.10829399526119232,
                              0.02512865699827671,   -0.004174655769020319,
                              0.0004352216492407024, -2.1162159100640565e-05};
  F a = between(magnitude(x), 0, 4);
  F near = fma(polynomial(a * a, small), a, a);
  F far = like(x, 1) - exponential(polynomial(a, large));
  return withSign(select(a < like(x, 0.9275), near, far), x);
}

/// Within 3e-7 of |x|, not in units of the last place: what is left of a large
/// negative number is the difference of two halves of it.
template <typename F>
NPU_INLINE F geluByErf(F x) {
  // erf(x / sqrt(2)) = x P(x^2) / Q(x^2), up to where floats have 1 for it.
  constexpr double above[] = {0.7978844046592712,     0.06938375532627106,
                              0.009451756253838539,   0.00035386806121096015,
                              1.2729688933177385e-05, 4.363843686405744e-08};
  constexpr double below[] = {1.0,
                              0.25362521409988403,
                              0.029118891805410385,
                              0.001930530765093863,
                              7.602126424899325e-05,
                              1.1712812693076557e-06};
  constexpr double reach = 5.656854249492381;
  F near = between(x, -reach, reach), square = near * near;
  F erf = near * polynomial(square, above) / polynomial(square, below);
  erf = select(x > near, like(x, 1), erf);
  erf = select(x < near, like(x, -1), erf);
  F half = x * like(x, 0.5);
  return fma(half, erf, half);
}

/// x (1 + tanh(u)) / 2 = x / (1 + exp(-2 u))
template <typename F>
NPU_INLINE F geluByTanh(F x) {
  constexpr double twice = 2 * 0.79788456080286536;
  F square = x * x;
  F slope = fma(square, like(x, 0.044715 * twice), like(x, twice));
  return x * logistic(x * slope);
}

} // namespace npu::functions

#endif // NPU_KERNELS_SUPPORT_FUNCTIONS_H
