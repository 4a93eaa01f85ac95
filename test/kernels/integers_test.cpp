// SPDX-License-Identifier: Apache-2.0
//
// mul_shift in floats and by small products, against 64 bits: at all sums near
// those where a byte changes, which is where floats can be wrong.

#include "kernels/support/float_scale.h"
#include "kernels/support/pair_scale.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

using namespace npu::kernels;

namespace {

/// As TOSA says it, then bounds.
int32_t scaled(const MulShift &step, const ScaleEnd &end, int32_t sum) {
  __int128 round = __int128(1) << (step.shift - 1);
  if (step.twice && step.shift > 31)
    round += sum >= 0 ? 1 << 30 : -(1 << 30);
  __int128 number = ((__int128(sum) * step.factor + round) >> step.shift);
  number = std::clamp<__int128>(number + end.offset, end.low, end.high);
  return static_cast<int32_t>(number) + end.behind;
}

struct Drawn {
  MulShift step;
  ScaleEnd end;
};

Drawn draw(std::mt19937 &random) {
  Drawn drawn = {};
  drawn.step.factor = static_cast<int32_t>((1U << 30) + random() % (1U << 30));
  if (random() % 8 == 0) // halves exactly
    drawn.step.factor = 1 << 30;
  drawn.step.shift = 33 + static_cast<int32_t>(random() % 18);
  drawn.step.twice = random() % 2;
  drawn.end.offset = static_cast<int32_t>(random() % 256) - 128;
  drawn.end.low =
      -128 + static_cast<int32_t>(random() % 3 == 0 ? random() % 100 : 0);
  drawn.end.high =
      127 - static_cast<int32_t>(random() % 3 == 0 ? random() % 100 : 0);
  drawn.end.behind = random() % 2 ? 128 : 0;
  return drawn;
}

/// The sums next to each middle between two numbers, zero and the ends.
std::vector<int32_t> sumsOf(const Drawn &drawn) {
  std::vector<int32_t> sums = {0, 1, -1, std::numeric_limits<int32_t>::max(),
                               std::numeric_limits<int32_t>::min()};
  for (int level = -128; level <= 128; ++level) {
    double middle =
        std::ldexp(level - 0.5 - drawn.end.offset, drawn.step.shift) /
        drawn.step.factor;
    for (int i = -20; i <= 20; ++i)
      if (std::abs(middle + i) < 0x1p31 - 1)
        sums.push_back(static_cast<int32_t>(middle + i));
  }
  return sums;
}

float nearest(float value) { return std::nearbyint(value); }

} // namespace

TEST(FloatScale, IsTheByteButForWhatItNames) {
  int proved = 0, refused = 0;
  for (unsigned seed = 0; seed < 600; ++seed) {
    std::mt19937 random(seed);
    Drawn drawn = draw(random);
    int32_t bias =
        seed % 3 ? static_cast<int32_t>(random() % 40000) - 20000 : 0;
    auto floats = floatScaleOf(drawn.step, drawn.end, bias);
    if (!floats) { // such as offsets of their own for both signs
      ++refused;
      continue;
    }
    proved += floats->wrong.empty();
    for (int32_t sum : sumsOf(drawn)) {
      if (std::abs(int64_t{sum} - bias) > (int64_t{1} << 31) - 1)
        continue;
      float value = nearest((static_cast<float>(sum - bias) + floats->offset) *
                            floats->scale);
      value = std::min(std::max(value, static_cast<float>(drawn.end.low)),
                       static_cast<float>(drawn.end.high));
      auto found = static_cast<int32_t>(value);
      int32_t wanted = scaled(drawn.step, drawn.end, sum);
      ASSERT_EQ(exactScale(drawn.step, drawn.end, sum), wanted);
      bool isNamed =
          std::any_of(floats->wrong.begin(), floats->wrong.end(),
                      [&](int32_t number) { return number == found; });
      if (!isNamed)
        ASSERT_EQ(found + drawn.end.behind, wanted)
            << "seed " << seed << ", sum " << sum;
    }
  }
  EXPECT_GT(proved, 100); // else it is of no use
  EXPECT_LT(refused, 400);
}

/// Not for numbers that fall, or wrap.
TEST(FloatScale, RefusesWhatDoesNotRise) {
  ScaleEnd bytes;
  bytes.low = -128;
  bytes.high = 127;
  EXPECT_TRUE(floatScaleOf({1 << 30, 40, false}, bytes));
  EXPECT_FALSE(floatScaleOf({-(1 << 30), 40, false}, bytes));
  EXPECT_FALSE(floatScaleOf({0, 40, false}, bytes));
  EXPECT_FALSE(floatScaleOf({1 << 30, 30, false}, bytes));
  EXPECT_FALSE(floatScaleOf({1 << 30, 63, false}, bytes));
  EXPECT_FALSE(
      floatScaleOf({std::numeric_limits<int32_t>::max(), 31, false}, bytes));
  bytes.offset = std::numeric_limits<int32_t>::max();
  EXPECT_FALSE(floatScaleOf({1 << 30, 33, false}, bytes));
  bytes.high = 128;
  EXPECT_FALSE(centred(bytes));
  bytes.low = 0;
  bytes.offset = 3;
  ASSERT_TRUE(centred(bytes));
  EXPECT_EQ(centred(bytes)->low, -128);
  EXPECT_EQ(centred(bytes)->behind, 128);
}

TEST(FloatScale, RowsAreExact) {
  for (unsigned seed = 0; seed < 25; ++seed) {
    std::mt19937 random(1000 + seed);
    constexpr int groups = 5, most = groups * ScaleGroup::numbers;
    ScaleGroup exact[groups];
    FloatGroup floats[groups];
    Drawn drawn[most];
    int32_t sums[most], wide[most], wanted[most];
    int8_t bytes[most];
    std::vector<int32_t> near[most];
    bool isSplit = false;
    ScaleEnd end = draw(random).end;
    for (int i = 0; i < most; ++i) {
      drawn[i] = draw(random);
      drawn[i].end = end;
      near[i] = sumsOf(drawn[i]);
      const MulShift &step = drawn[i].step;
      int group = i / ScaleGroup::numbers, place = i % ScaleGroup::numbers;
      exact[group].set(place, step.factor, step.shift, step.twice);
      isSplit |= floats[group].set(place, step, end);
    }
    for (int round = 0; round < 200; ++round) {
      for (int i = 0; i < most; ++i) {
        sums[i] = near[i][random() % near[i].size()];
        wanted[i] = scaled(drawn[i].step, end, sums[i]);
      }
      int n = most - static_cast<int>(random() % 20);
      storeScaled(exact, floats, isSplit, end, sums, bytes, n);
      scaleRow(exact, floats, isSplit, end, sums, wide, n);
      for (int i = 0; i < n; ++i) {
        ASSERT_EQ(bytes[i], static_cast<int8_t>(wanted[i])) << seed << " " << i;
        ASSERT_EQ(wide[i], wanted[i]) << seed << " " << i;
      }
    }
  }
}

TEST(SmallScale, IsTheProductIn64Bits) {
  std::mt19937 random(7);
  for (int32_t shift = 0; shift <= SmallScale::mostShift; ++shift)
    for (int i = 0; i < 20; ++i) {
      auto factor = static_cast<int32_t>(random());
      SmallScale scale(factor, shift);
      for (int32_t a = -SmallScale::most; a <= SmallScale::most; ++a) {
        int32_t found;
        scaleSmallRow(scale, &a, &found, 1);
        int64_t round = (int64_t{1} << shift) >> 1;
        ASSERT_EQ(found,
                  static_cast<int32_t>((int64_t{a} * factor + round) >> shift))
            << a << " * " << factor << " >> " << shift;
      }
    }
}

namespace {

/// A sum of two bytes as integers make it, with 40 bits behind the point.
struct Sum {
  double scaleX, scaleY;
  int32_t zeroX, zeroY, zero;

  uint8_t of(int32_t x, int32_t y) const {
    auto fixed = [](double value) { return std::llround(value * 0x1p40); };
    int64_t sum = (x - zeroX) * fixed(scaleX) + (y - zeroY) * fixed(scaleY);
    int64_t number = ((sum + (int64_t{1} << 39)) >> 40) + zero;
    return static_cast<uint8_t>(std::clamp<int64_t>(number, 0, 255));
  }
};

PairTable tableOf(const Sum &sum, int32_t firstY) {
  PairTable table{-3, firstY, {}};
  for (int32_t x = -3; x < 200; ++x)
    for (int32_t y = firstY; y < firstY + PairTable::row; ++y)
      table.bytes.push_back(sum.of(x, y));
  return table;
}

} // namespace

/// Scales that are halves exactly among them, whose middles go upwards.
TEST(PairScale, IsTheByteOfAllPairs) {
  int proved = 0;
  constexpr int drawn = 60;
  for (unsigned seed = 0; seed < drawn; ++seed) {
    std::mt19937 random(seed);
    auto scale = [&] { return seed % 5 ? 0.05 + 0x1.7p-32 * random() : 0.5; };
    Sum sum = {scale(), scale(), static_cast<int32_t>(random() % 200),
               static_cast<int32_t>(random() % 200) - 100,
               static_cast<int32_t>(random() % 256)};
    int32_t firstY = seed % 2 ? -128 : 0;
    double more = sum.zero - sum.zeroX * sum.scaleX - sum.zeroY * sum.scaleY;
    auto found = provedPairScale({static_cast<float>(sum.scaleX),
                                  static_cast<float>(sum.scaleY),
                                  static_cast<float>(more), 0, 255},
                                 tableOf(sum, firstY));
    if (!found)
      continue;
    ++proved;
    for (int n : {1, 15, 16, 17, 40}) {
      std::vector<int32_t> x;
      std::vector<uint8_t> y, bytes(static_cast<size_t>(n) + 1, 77);
      for (int i = 0; i < n; ++i) {
        x.push_back(static_cast<int32_t>(random() % 200) - 3);
        y.push_back(static_cast<uint8_t>(random()));
      }
      storePairs(*found, x.data(), y.data(), firstY < 0, bytes.data(), n);
      for (size_t i = 0; i < x.size(); ++i)
        ASSERT_EQ(bytes[i],
                  sum.of(x[i], firstY < 0 ? static_cast<int8_t>(y[i]) : y[i]))
            << "seed " << seed << ", " << x[i] << " and " << int(y[i]);
      ASSERT_EQ(bytes.back(), 77) << "wrote behind its end";
    }
  }
  EXPECT_GT(proved, drawn * 2 / 3); // else it is of no use
}

TEST(PairScale, RefusesWhatNoFloatsGive) {
  Sum sum = {M_SQRT1_2, M_1_PI, 3, 5, 9};
  PairTable table = tableOf(sum, 0);
  double more = sum.zero - sum.zeroX * sum.scaleX - sum.zeroY * sum.scaleY;
  const PairScale guess = {static_cast<float>(sum.scaleX),
                           static_cast<float>(sum.scaleY),
                           static_cast<float>(more), 0, 255};
  EXPECT_TRUE(provedPairScale(guess, table));
  table.bytes[777] ^= 1;
  EXPECT_FALSE(provedPairScale(guess, table));
}
