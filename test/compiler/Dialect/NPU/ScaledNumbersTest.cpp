// SPDX-License-Identifier: Apache-2.0
#include "compiler/Dialect/NPU/ScaledNumbers.h"

#include "format/program_format.h"

#include "gtest/gtest.h"
#include <cmath>
#include <limits>
#include <random>

using namespace npu;

namespace {

constexpr int64_t shape[] = {6, 5, 3, 7};
constexpr size_t count = size_t{6} * 5 * 3 * 7;
/// Elements of one index of each dimension lie behind each other.
constexpr size_t runs[] = {105, 21, 7, 1};

std::mt19937 generator(46);

/// Bytes, or numbers of eleven digits of which some are below f16's normal
/// ones.
std::vector<float> narrowNumbers(int32_t dtype) {
  std::vector<float> numbers(count);
  for (float &number : numbers) {
    const int digits = static_cast<int>(generator() % 4096) - 2048;
    number = dtype == NPU_I8
                 ? static_cast<float>(digits / 16)
                 : std::ldexp(static_cast<float>(digits),
                              -12 - static_cast<int>(generator() % 13));
  }
  return numbers;
}

std::vector<float> times(std::vector<float> numbers,
                         const std::vector<float> &scales, size_t dim) {
  for (size_t i = 0; i < count; ++i)
    numbers[i] *= scales[i / runs[dim] % static_cast<size_t>(shape[dim])];
  return numbers;
}

std::vector<float> scalesAlong(size_t dim) {
  std::vector<float> scales(static_cast<size_t>(shape[dim]));
  for (float &scale : scales)
    scale =
        std::exp2(std::uniform_real_distribution<float>(-20, 20)(generator));
  return scales;
}

/// The values are the bits of the numbers times scales, which the type holds.
void expectFound(const std::vector<float> &values, int32_t dtype, int64_t dim) {
  std::optional<ScaledNumbers> found = findScaledNumbers(values, shape);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->dtype, dtype);
  EXPECT_EQ(found->dim, dim);
  EXPECT_TRUE(found->offsets.empty());
  ASSERT_EQ(found->scales.size(), static_cast<size_t>(shape[dim]));
  for (float number : found->numbers) {
    if (dtype == NPU_I8)
      ASSERT_TRUE(number == std::trunc(number) && number >= -128 &&
                  number <= 127)
          << number;
    else
      ASSERT_EQ(number, static_cast<float>(static_cast<_Float16>(number)));
  }
  const std::vector<float> back =
      times(found->numbers, found->scales, static_cast<size_t>(dim));
  EXPECT_EQ(std::memcmp(back.data(), values.data(), count * sizeof(float)), 0);
}

} // namespace

TEST(ScaledNumbers, AreFound) {
  for (int round = 0; round < 20; ++round)
    for (int32_t dtype : {NPU_I8, NPU_F16})
      for (size_t dim : {0, 1, 3}) {
        SCOPED_TRACE("type " + std::to_string(dtype) + " along " +
                     std::to_string(dim));
        expectFound(times(narrowNumbers(dtype), scalesAlong(dim), dim), dtype,
                    static_cast<int64_t>(dim));
      }
}

/// Bytes without a sign, and what each channel takes for zero.
TEST(ScaledNumbers, Offsets) {
  std::vector<float> zeros(static_cast<size_t>(shape[1])), numbers(count);
  for (float &zero : zeros)
    zero = static_cast<float>(generator() % 256);
  for (size_t i = 0; i < count; ++i)
    numbers[i] = static_cast<float>(generator() % 256) -
                 zeros[i / runs[1] % zeros.size()];
  const std::vector<float> values = times(numbers, scalesAlong(1), 1);
  auto found = findScaledNumbers(values, shape);
  ASSERT_TRUE(found && found->dtype == NPU_I8 && found->dim == 1);
  ASSERT_EQ(found->offsets.size(), zeros.size());
  for (size_t i = 0; i < count; ++i) {
    const size_t channel = i / runs[1] % zeros.size();
    const float stored = found->numbers[i] - found->offsets[channel];
    ASSERT_TRUE(stored >= -128 && stored <= 127);
    ASSERT_EQ(found->numbers[i] * found->scales[channel], values[i]);
  }
}

TEST(ScaledNumbers, ChannelsWithoutNumbers) {
  std::vector<float> scales = scalesAlong(0);
  std::vector<float> values = times(narrowNumbers(NPU_I8), scales, 0);
  std::fill_n(values.begin(), runs[0], 0.0f);       // none
  std::fill_n(values.begin() + runs[0], 104, 0.0f); // one
  values[runs[0] + 104] = 0.1f;
  values[runs[0] * 2] = -128 * scales[2]; // the only one of its size
  expectFound(values, NPU_I8, 0);
  // Bytes have one zero.
  values[3] = -0.0f;
  expectFound(values, NPU_F16, 0);
}

TEST(ScaledNumbers, OthersAreNot) {
  const std::vector<float> whole =
      times(narrowNumbers(NPU_F16), scalesAlong(0), 0);
  const float infinity = std::numeric_limits<float>::infinity();
  for (float wrong :
       {std::nextafterf(whole[321], infinity), infinity, -infinity,
        std::nanf(""), 0x1p-149f, std::numeric_limits<float>::max()}) {
    std::vector<float> values = whole;
    values[321] = wrong;
    EXPECT_FALSE(findScaledNumbers(values, shape).has_value()) << wrong;
  }
  std::vector<float> any(count);
  for (float &value : any)
    value = std::normal_distribution<float>()(generator);
  EXPECT_FALSE(findScaledNumbers(any, shape).has_value());
  // Scales of two dimensions at once.
  EXPECT_FALSE(findScaledNumbers(times(whole, scalesAlong(1), 1), shape));
  // As many scales as numbers.
  EXPECT_FALSE(findScaledNumbers(whole, {int64_t{count}}));
  EXPECT_FALSE(findScaledNumbers({}, shape).has_value());
  EXPECT_FALSE(findScaledNumbers({1.0f}, {}).has_value());
}
