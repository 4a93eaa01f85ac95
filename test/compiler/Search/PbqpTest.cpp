// SPDX-License-Identifier: Apache-2.0
#include "compiler/Search/Pbqp.h"
#include "test/compiler/Search/RandomNetwork.h"
#include "test/compiler/Search/RandomProblem.h"

#include <gtest/gtest.h>

#include <random>

namespace npu::search::test {

namespace {

/// A choice for each variable, one of its own.
void expectValid(const CostNetwork &network, const PbqpChoice &choice) {
  ASSERT_EQ(choice.states.size(), network.variables.size());
  for (size_t v = 0; v < choice.states.size(); ++v) {
    ASSERT_GE(choice.states[v], 0);
    ASSERT_LT(choice.states[v], network.size(static_cast<int>(v)));
  }
}

TEST(Pbqp, IsTheLeastUnlessItGuesses) {
  int exact = 0, guessed = 0, missed = 0;
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    CostNetwork network = randomNetwork(seed);
    PbqpChoice choice = solvePbqp(network);
    expectValid(network, choice);
    Cost cost = costOf(network, choice.states), least = leastOf(network);
    if (choice.guessed == 0)
      ASSERT_EQ(cost, least);
    ASSERT_GE(cost, least);
    exact += choice.guessed == 0;
    guessed += choice.guessed > 0;
    missed += cost > least;
  }
  EXPECT_GT(exact, 1000);
  EXPECT_GT(guessed, 200);
  EXPECT_GT(missed, 50); // so it is a heuristic, and the test sees it guess
}

/// Each value has one reader, and no two ops meet twice.
Problem randomTree(uint64_t seed) {
  std::mt19937_64 random(seed);
  auto upTo = [&](int most) { return static_cast<int>(random() % (most + 1)); };
  Problem problem;
  std::vector<int> unread;
  for (int i = 2 + upTo(5); i > 0; --i) {
    Op op;
    for (int take = upTo(2); take > 0 && !unread.empty(); --take) {
      op.operands.push_back(unread.back());
      unread.pop_back();
    }
    Value value{1 + upTo(2), {}};
    for (int from = 0; from < value.layouts; ++from)
      for (int to = 0; to < value.layouts; ++to)
        value.move.push_back(from == to ? 0 : upTo(20));
    op.results = {static_cast<int>(problem.values.size())};
    unread.push_back(op.results[0]);
    problem.values.push_back(value);
    for (int ways = 1 + upTo(3); ways > 0; --ways) {
      op.ways.push_back({upTo(20), {}});
      for (int read : op.operands)
        op.ways.back().layouts.push_back(
            upTo(5) == 0 ? asStored : upTo(problem.values[read].layouts - 1));
      op.ways.back().layouts.push_back(upTo(value.layouts - 1));
    }
    problem.ops.push_back(std::move(op));
  }
  return problem;
}

TEST(Pbqp, IsTheLeastOnTrees) {
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Problem problem = randomTree(seed);
    ASSERT_EQ(check(problem), "");
    PbqpChoice choice = chooseByPbqp(problem);
    EXPECT_EQ(choice.guessed, 0);
    ASSERT_EQ(totalCost(problem, choice.states), bruteForce(problem));
  }
}

/// Values with any readers, ops with several results and twice the same
/// operand: always a choice of ways, and on average not far from the least.
TEST(Pbqp, IsAlwaysAChoice) {
  double chosen = 0, least = 0;
  for (uint64_t seed = 0; seed < 500; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomOptions options;
    options.ops = 2 + static_cast<int>(seed % 40);
    options.window = seed % 2 == 0 ? 0 : 6;
    Problem problem = randomProblem(seed, options);
    PbqpChoice choice = chooseByPbqp(problem);
    ASSERT_EQ(choice.states.size(), problem.ops.size());
    for (size_t i = 0; i < problem.ops.size(); ++i)
      ASSERT_LT(static_cast<size_t>(choice.states[i]),
                problem.ops[i].ways.size());
    chosen += static_cast<double>(totalCost(problem, choice.states));
    least += static_cast<double>(solve(problem).cost);
  }
  EXPECT_GE(chosen, least);
  EXPECT_LT(chosen, 1.3 * least);
}

/// Two readers want the other layout: a copy for both costs 2, and storing it
/// so at once 3. A programme of pairs sees a copy for each.
TEST(Pbqp, KnowsNoSharedCopies) {
  Problem problem;
  problem.values = {{2, {0, 2, 2, 0}}};
  problem.ops = {{{}, {0}, {{0, {0}}, {3, {1}}}},
                 {{0}, {}, {{0, {1}}}},
                 {{0}, {}, {{0, {1}}}}};
  ASSERT_EQ(check(problem), "");
  EXPECT_EQ(solve(problem).cost, 2);
  EXPECT_EQ(totalCost(problem, chooseByPbqp(problem).states), 3);
}

/// A ring of variables with so many states that an edge between two of them
/// would be too large to make.
TEST(Pbqp, GuessesInsteadOfLargeTables) {
  const int states = 300, variables = 6;
  CostNetwork network;
  for (int v = 0; v < variables; ++v) {
    network.variables.emplace_back(states, unit);
    PairCost pair{v, (v + 1) % variables, {}};
    for (int a = 0; a < states; ++a)
      for (int b = 0; b < states; ++b)
        pair.table.push_back((a * 7 + b * 3 + v) % 11);
    network.pairs.push_back(std::move(pair));
  }
  PbqpChoice choice = solvePbqp(network);
  expectValid(network, choice);
  EXPECT_EQ(choice.guessed, 1);
}

TEST(Pbqp, EmptyNetwork) { EXPECT_TRUE(solvePbqp({}).states.empty()); }

} // namespace

/// Two ops of thousands of ways each, of which the last is the cheapest: a pair
/// for each would be gigabytes (layout-fuzz --tiled --seed=30049409).
TEST(Pbqp, LooksAtTheCheapestOfThousandsOfWays) {
  constexpr int layouts = 40, ways = 60000;
  Problem problem;
  Value value{layouts, std::vector<Cost>(layouts * layouts, 1000)};
  for (int i = 0; i < layouts; ++i)
    value.move[i * layouts + i] = 0;
  problem.values = {value};
  Op maker, reader;
  maker.results = {0};
  reader.operands = {0};
  for (int i = 0; i < ways; ++i) {
    maker.ways.push_back({ways - i, {i % layouts}});
    reader.ways.push_back({ways - i, {i % layouts}});
  }
  problem.ops = {maker, reader};
  EXPECT_EQ(chooseByPbqp(problem).states, std::vector<int>(2, ways - 1));
}

} // namespace npu::search::test
