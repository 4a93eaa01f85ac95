// SPDX-License-Identifier: Apache-2.0
#include "compiler/Search/Narrowing.h"
#include "compiler/Search/Contraction.h"
#include "compiler/Search/Elimination.h"
#include "compiler/Search/Encoding.h"
#include "test/compiler/Search/RandomNetwork.h"
#include "test/compiler/Search/RandomProblem.h"

#include <gtest/gtest.h>

namespace npu::search::test {

namespace {

constexpr double enough = 10; // seconds
constexpr int64_t anyTable = int64_t(1) << 30;

/// Calls test(network, least cost) for 300 networks that can be paid for, and
/// stops where it has failed.
template <class Test>
void forEachNetwork(Test test) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    CostNetwork network = randomNetwork(seed);
    if (Cost least = leastOf(network); least < forbidden)
      test(network, least);
    if (testing::Test::HasFatalFailure())
      return;
  }
}

TEST(Contraction, CostsTheSame) {
  int smaller = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    CostNetwork network = randomNetwork(seed);
    for (int neighbours : {1, 2}) {
      Contraction rest = contract(network, neighbours);
      ASSERT_EQ(rest.kept.size(), rest.network.variables.size());
      Cost least = rest.kept.empty() ? 0 : leastOf(rest.network);
      ASSERT_EQ(add(rest.constant, least), leastOf(network));
      smaller += !rest.kept.empty();
      // And for each state of what is kept.
      for (size_t v = 0; v < rest.kept.size(); ++v)
        for (int s = 0; s < rest.network.size(static_cast<int>(v)); ++s)
          ASSERT_EQ(
              add(rest.constant, leastOf(rest.network, static_cast<int>(v), s)),
              leastOf(network, rest.kept[v], s));
    }
  }
  EXPECT_GT(smaller, 50);
}

TEST(Messages, BoundsHoldAndRise) {
  int reached = 0;
  forEachNetwork([&](const CostNetwork &network, Cost least) {
    Messages messages(network, least + 1);
    Cost first = messages.bound().least;
    for (int i = 0; i < 30; ++i)
      messages.pass();
    Messages::Bound bound = messages.bound();
    ASSERT_LE(bound.least, least);
    EXPECT_GE(bound.least + unit, first);
    reached += bound.least > least - unit;
    for (size_t v = 0; v < network.variables.size(); ++v)
      for (size_t s = 0; s < network.variables[v].size(); ++s) {
        Cost there = leastOf(network, static_cast<int>(v), static_cast<int>(s));
        ASSERT_LE(std::min(bound.withState[v][s], least + 1),
                  std::min(there, least + 1));
      }
    // Moved costs are the same costs.
    CostNetwork moved = messages.moved();
    ASSERT_EQ(leastOf(moved), least);
  });
  EXPECT_GT(reached, 100);
}

TEST(Narrowing, LeavesOutNothingCheaper) {
  int gone = 0;
  forEachNetwork([&](const CostNetwork &network, Cost least) {
    Narrowing narrowing(network, least + 1);
    for (int round = 0; round < 3; ++round) {
      for (int i = 0; i < 10; ++i)
        narrowing.pass(Deadline(enough));
      ASSERT_LE(narrowing.narrow(least + 1), least);
    }
    for (size_t v = 0; v < network.variables.size(); ++v)
      for (size_t s = 0; s < network.variables[v].size(); ++s)
        if (!narrowing.left()[v][s]) {
          ASSERT_GT(leastOf(network, static_cast<int>(v), static_cast<int>(s)),
                    least);
          ++gone;
        }
    std::vector<int> best = narrowing.solve(anyTable, Deadline(enough));
    ASSERT_EQ(costOf(network, best), least);
    // If the best choice is known, nothing cheaper is left.
    ASSERT_LE(narrowing.narrow(least), least);
  });
  EXPECT_GT(gone, 100);
}

/// A guess is a choice of ops' ways: with sets as large as it takes.
TEST(Narrowing, GuessesAreNear) {
  RandomOptions options;
  options.ops = 60;
  options.layouts = 4;
  double guessed = 0, least = 0;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    options.window = seed % 2 == 0 ? 6 : 8;
    Problem problem = randomProblem(seed, options);
    RelayoutTrees trees(problem);
    Encoding encoding = encode(problem, trees);
    ASSERT_TRUE(encoding.complete);
    Solution exact = solve(problem);
    ASSERT_TRUE(exact.proved);
    Narrowing narrowing(encoding.network, 2 * exact.cost + 1);
    for (int i = 0; i < 50; ++i)
      narrowing.pass(Deadline(enough));
    std::vector<int> ways = narrowing.guess(options.ops, Deadline(enough));
    ASSERT_FALSE(ways.empty());
    ways.resize(problem.ops.size());
    guessed += static_cast<double>(totalCost(problem, trees, ways));
    least += static_cast<double>(exact.cost);
  }
  EXPECT_LT(guessed, 1.1 * least);
}

TEST(Narrowing, NoGuessWithoutTime) {
  CostNetwork network = randomNetwork(1);
  EXPECT_TRUE(Narrowing(network, 1000).guess(4, Deadline(0)).empty());
}

} // namespace

} // namespace npu::search::test
