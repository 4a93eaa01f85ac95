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
    Prices prices =
        findPrices(problem, RelayoutTrees(problem), {2 * least + 1});
    ASSERT_LE(prices.bound, least) << "seed " << seed;
    met += prices.bound == least;
    ++problems;
  }
  EXPECT_GT(met, problems * 9 / 10);
}

/// What is said of a way is true of every choice with it.
TEST(Prices, BoundEachWay) {
  int tight = 0, ways = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    RandomOptions options;
    options.ops = 2 + static_cast<int>(seed % 4);
    const Problem problem = randomProblem(seed, options);
    Prices prices = findPrices(problem, RelayoutTrees(problem),
                               {2 * bruteForce(problem) + 1});
    for (size_t op = 0; op < prices.withWay.size(); ++op)
      for (size_t way = 0; way < prices.withWay[op].size(); ++way) {
        Problem forced = problem;
        forced.ops[op].ways = {problem.ops[op].ways[way]};
        const Cost least = bruteForce(forced);
        ASSERT_LE(prices.withWay[op][way], least)
            << "seed " << seed << ", op " << op << ", way " << way;
        tight += prices.withWay[op][way] == least;
        ++ways;
      }
  }
  EXPECT_GT(tight, ways / 2);
}

/// Without time, and without a need.
TEST(Prices, AreNoneWhereTheCheapestWaysProveEnough) {
  for (uint64_t seed = 0; seed < 100; ++seed) {
    Problem problem = randomProblem(seed, {});
    const RelayoutTrees trees(problem);
    Prices none = findPrices(problem, trees, {0}),
           hurried = findPrices(problem, trees, {1 << 30, Deadline(0)});
    EXPECT_TRUE(none.paid.empty());
    EXPECT_TRUE(hurried.paid.empty());
    EXPECT_EQ(none.bound, hurried.bound);
  }
}

} // namespace npu::search::test
