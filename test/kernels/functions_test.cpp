// SPDX-License-Identifier: Apache-2.0
//
// The elementary functions against long double, over all floats.

#include "kernels/support/angles.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

using namespace npu::functions;

namespace {

using Function = float (*)(float);
using Exact = long double (*)(long double);

/// How many floats lie between; a result beyond the largest is infinity.
double distance(float found, long double exact) {
  if (std::isnan(exact) || std::isnan(found))
    return std::isnan(exact) == std::isnan(found) ? 0 : 1e9;
  auto rounded = static_cast<float>(exact);
  if (rounded == found)
    return 0;
  constexpr float largest = std::numeric_limits<float>::max();
  if (std::isinf(found) || std::isinf(rounded))
    return std::fabs(found) >= largest && std::fabs(rounded) >= largest &&
                   std::signbit(found) == std::signbit(rounded)
               ? 1
               : 1e9;
  float size = std::fabs(rounded);
  float step = std::nextafter(size, 2 * largest) - size;
  return static_cast<double>(std::fabs(found - exact) / step);
}

struct Row {
  const char *name;
  Function function;
  Exact exact;
  double limit; // units in the last place
};

const Row rows[] = {
    {"exp", exponential<float>, std::exp, 1},
    {"exp - 1", exponentialLess1<float>, std::expm1, 1.5},
    {"log", logarithm<float>, std::log, 1},
    {"log(1 + x)", logarithmOf1Plus<float>, std::log1p, 1.5},
    {"tanh", hyperbolicTangent<float>, std::tanh, 2.5},
    {"sigmoid", logistic<float>,
     [](long double x) {
       return x < -87.3F ? 0 : 1 / (1 + std::exp(-x)); // no denormal floats
     },
     2.5},
    {"softplus", softplus<float>,
     [](long double x) {
       return (x < 0 ? 0 : x) + std::log1p(std::exp(-std::fabs(x)));
     },
     2.5},
    {"erf", errorFunction<float>, std::erf, 1.5},
    {"sin", sine<float>, std::sin, 0.51},
    {"cos", cosine<float>, std::cos, 0.51},
    {"tan", tangent<float>, std::tan, 0.51},
    {"asin", arcSine<float>, std::asin, 0.51},
    {"acos", arcCosine<float>, std::acos, 0.51},
    {"atan", arcTangent<float>, std::atan, 0.51},
};

class Functions : public testing::TestWithParam<Row> {};

void expectNear(const Row &row, float x) {
  ASSERT_LE(distance(row.function(x), row.exact(x)), row.limit)
      << row.name << " of " << x << ": " << row.function(x) << ", expected "
      << row.exact(x);
}

/// All exponents, both signs, infinities and NaN.
TEST_P(Functions, OverAllFloats) {
  for (uint64_t bits = 0; bits < uint64_t{1} << 32; bits += 99991)
    expectNear(GetParam(), numberOf(static_cast<uint32_t>(bits)));
  const float infinite = std::numeric_limits<float>::infinity();
  for (float x : {0.0f, 1.0f, 0.5f, 1e-40f, 1e-45f, infinite, 88.72283f,
                  88.72284f, 103.97f, 3.4028235e38f, std::nanf("")})
    for (float sign : {1.0f, -1.0f})
      expectNear(GetParam(), sign * x);
}

/// Where a function of angles is nearly 0: the floats around multiples of
/// pi / 2, and the one of all that is nearest to one.
TEST_P(Functions, AroundQuarterTurns) {
  const long double quarter = std::acos(-1.0L) / 2;
  for (int k = 1; k < 2000; ++k) {
    auto near = static_cast<float>(k * quarter);
    for (float x :
         {near, std::nextafter(near, 0.0f), std::nextafter(near, 2 * near)})
      expectNear(GetParam(), x);
  }
  expectNear(GetParam(), std::ldexp(16367173.0f, 72));
}

INSTANTIATE_TEST_SUITE_P(All, Functions, testing::ValuesIn(rows));

/// Softmax's: of 0, of what exp() gives a normal float for, of less, of NaN.
TEST(FunctionsOfNegative, ExponentialIsZeroBelowNormalFloats) {
  const Row row = {"exp(x <= 0)", exponentialOfNegative<float>, std::exp, 1};
  for (uint32_t bits = bitsOf(-0.0f); bits <= bitsOf(-87.3f); bits += 9991)
    expectNear(row, numberOf(bits));
  expectNear(row, 0.0f);
  expectNear(row, -87.3f);
  for (float x : {-87.4f, -103.0f, -3.4028235e38f,
                  -std::numeric_limits<float>::infinity()})
    EXPECT_EQ(exponentialOfNegative(x), 0.0f) << x;
  EXPECT_TRUE(std::isnan(exponentialOfNegative(std::nanf(""))));
}

/// GELU is near in parts of its argument; far out it is all of x, or nothing.
void expectGelu(Function gelu, Exact exact) {
  for (uint64_t bits = 0; bits < uint64_t{1} << 32; bits += 99991)
    if (const float x = numberOf(static_cast<uint32_t>(bits)); std::isfinite(x))
      ASSERT_LE(std::fabs(gelu(x) - exact(x)), 3e-7L * std::fabs(x) + 1e-44L)
          << x;
  EXPECT_EQ(gelu(1e30f), 1e30f);
  EXPECT_EQ(gelu(-1e30f), 0.0f);
  EXPECT_TRUE(std::isnan(gelu(std::nanf(""))));
}

TEST(Gelu, ByErf) {
  expectGelu(geluByErf<float>, [](long double x) {
    return x * 0.5L * (1 + std::erf(x / std::sqrt(2.0L)));
  });
}

TEST(Gelu, ByTanh) {
  expectGelu(geluByTanh<float>, [](long double x) {
    const long double inner =
        0.79788456080286536L * (x + 0.044715L * x * x * x);
    return x * 0.5L * (1 + std::tanh(inner));
  });
}

TEST(FunctionsOfZero, KeepTheSign) {
  for (Function function :
       {hyperbolicTangent<float>, errorFunction<float>, sine<float>,
        tangent<float>, arcSine<float>, arcTangent<float>})
    for (float zero : {0.0f, -0.0f})
      EXPECT_EQ(bitsOf(function(zero)), bitsOf(zero));
}

} // namespace
