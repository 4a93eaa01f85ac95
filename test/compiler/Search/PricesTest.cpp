// SPDX-License-Identifier: Apache-2.0
#include "compiler/Search/Prices.h"
#include "test/compiler/Search/RandomProblem.h"

#include <gtest/gtest.h>

namespace npu::search::test {

/// However hard the bound is pushed; and mostly it comes as far.
TEST(Prices, NeverProveMoreThanTryingEverythingFinds) {
  int met = 0, problems = 0;
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    RandomOptions options;
    options.ops = 2 + static_cast<int>(seed % 6);
    Problem problem = randomProblem(seed, options);
    const Cost least = bruteForce(problem);
    Prices prices = findPrices(problem, 2 * least + 1, 10);
    ASSERT_LE(prices.bound, least) << "seed " << seed;
    met += prices.bound == least;
    ++problems;
  }
  EXPECT_GT(met, problems * 9 / 10);
}

/// Without time, and without a need.
TEST(Prices, AreNoneWhereTheCheapestWaysProveEnough) {
  for (uint64_t seed = 0; seed < 100; ++seed) {
    Problem problem = randomProblem(seed, {});
    Prices none = findPrices(problem, 0, 10),
           hurried = findPrices(problem, 1 << 30, 0);
    EXPECT_TRUE(none.paid.empty());
    EXPECT_TRUE(hurried.paid.empty());
    EXPECT_EQ(none.bound, hurried.bound);
  }
}

} // namespace npu::search::test
