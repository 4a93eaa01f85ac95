// SPDX-License-Identifier: Apache-2.0
#include "test/compiler/Search/RandomProblem.h"

#include <gtest/gtest.h>

namespace npu::search::test {

namespace {

void expectValid(const Problem &problem, const Solution &solution) {
  ASSERT_EQ(solution.ways.size(), problem.ops.size());
  for (size_t i = 0; i < problem.ops.size(); ++i) {
    ASSERT_GE(solution.ways[i], 0);
    ASSERT_LT(solution.ways[i], static_cast<int>(problem.ops[i].ways.size()));
  }
  EXPECT_EQ(solution.cost, totalCost(problem, solution.ways));
  EXPECT_LE(solution.lowerBound, solution.cost);
  if (solution.proved)
    EXPECT_EQ(solution.lowerBound, solution.cost);
}

RandomOptions smallOptions(uint64_t seed) {
  RandomOptions options;
  options.ops = 2 + static_cast<int>(seed % 6);
  options.layouts = 2 + static_cast<int>(seed / 7 % 3);
  options.ways = seed % 5 == 0 ? 6 : 4;
  if (seed % 3 == 0)
    options.moveCost = 3; // many ties
  return options;
}

TEST(LayoutSearch, SameAsTryingEverything) {
  for (uint64_t seed = 0; seed < 4000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Problem problem = randomProblem(seed, smallOptions(seed));
    ASSERT_EQ(check(problem), "");
    Solution solution = solve(problem);
    expectValid(problem, solution);
    EXPECT_TRUE(solution.proved);
    ASSERT_EQ(solution.cost, bruteForce(problem));
  }
}

} // namespace

} // namespace npu::search::test
