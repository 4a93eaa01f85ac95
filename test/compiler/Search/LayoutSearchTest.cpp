// SPDX-License-Identifier: Apache-2.0
#include "test/compiler/Search/RandomProblem.h"
#include "test/every_case.h"

#include <gtest/gtest.h>

#include <random>

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
  for (unsigned seed = 0; seed < npu::test::caseCount(1000, 4000); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Problem problem = randomProblem(seed, smallOptions(seed));
    ASSERT_EQ(check(problem), "");
    Solution solution = solve(problem);
    expectValid(problem, solution);
    EXPECT_TRUE(solution.proved);
    ASSERT_EQ(solution.cost, bruteForce(problem));
  }
}

/// Elimination, and then the linear programmes with elimination forbidden.
void compareMethods(const Problem &problem, int &provedByDuals) {
  Solution eliminated = solve(problem);
  expectValid(problem, eliminated);
  ASSERT_TRUE(eliminated.proved);
  Options options;
  options.tableEntries = 1;
  Solution programmed = solve(problem, options);
  expectValid(problem, programmed);
  EXPECT_LE(programmed.lowerBound, eliminated.cost);
  EXPECT_EQ(programmed.cost, eliminated.cost) << programmed.method;
  provedByDuals += programmed.proved;
}

TEST(LayoutSearch, LinearProgrammesAgreeWithTryingEverything) {
  int proved = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    compareMethods(randomProblem(seed, smallOptions(seed)), proved);
  }
  EXPECT_GT(proved, 150);
}

TEST(LayoutSearch, LinearProgrammesAgreeWithElimination) {
  RandomOptions options;
  options.ops = 60;
  options.layouts = 4;
  options.window = 5;
  int proved = 0;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    compareMethods(randomProblem(seed, options), proved);
  }
  EXPECT_GT(proved, 5);
}

/// Tables large enough for messages, and too small to eliminate at once.
TEST(LayoutSearch, MessagesAgreeWithElimination) {
  RandomOptions shape;
  shape.ops = 80;
  shape.layouts = 4;
  shape.window = 14;
  Options options;
  options.tableEntries = 1 << 13;
  int byMessages = 0;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Problem problem = randomProblem(seed, shape);
    Solution eliminated = solve(problem), found = solve(problem, options);
    expectValid(problem, found);
    ASSERT_TRUE(eliminated.proved);
    EXPECT_EQ(found.cost, eliminated.cost) << found.method;
    byMessages += found.proved && found.method == "message passing";
  }
  EXPECT_GT(byMessages, 5);
}

/// Values whose eleven readers may need 2,048 sets of layouts: more than
/// elimination and messages look at.
Problem manySets(uint64_t seed) {
  constexpr int readers = 11, layouts = readers + 1;
  std::mt19937_64 random(seed);
  Problem problem;
  for (int value = 0; value < 3; ++value) {
    problem.values.push_back({layouts, {}});
    for (int from = 0; from < layouts; ++from)
      for (int to = 0; to < layouts; ++to)
        problem.values.back().move.push_back(
            from == to ? 0 : 10 + static_cast<Cost>(random() % 20));
    problem.ops.push_back({{}, {value}, {}});
    for (int layout = 0; layout < layouts; ++layout)
      problem.ops.back().ways.push_back(
          {static_cast<Cost>(random() % 9), {layout}});
  }
  // Each reads all values, in the first layout or in its own.
  for (int reader = 0; reader < readers; ++reader) {
    problem.ops.push_back({{0, 1, 2}, {}, {}});
    for (int layout : {0, reader + 1})
      problem.ops.back().ways.push_back(
          {static_cast<Cost>(random() % 30), {layout, layout, layout}});
  }
  return problem;
}

TEST(LayoutSearch, PricesProveWhereSetsAreTooMany) {
  int byPrices = 0;
  const int seeds = npu::test::caseCount(8, 20);
  for (int seed = 0; seed < seeds; ++seed) {
    Problem problem = manySets(seed);
    ASSERT_EQ(check(problem), "");
    Solution found = solve(problem);
    expectValid(problem, found);
    EXPECT_TRUE(found.proved) << "seed " << seed;
    byPrices += found.method == "prices";
  }
  EXPECT_GT(byPrices, seeds / 4);
}

/// Too wide to eliminate with the tables allowed.
Problem wideProblem(uint64_t seed) {
  RandomOptions options;
  options.ops = 300;
  options.layouts = 4;
  return randomProblem(seed, options);
}

TEST(LayoutSearch, ReturnsInTimeWhatIsKnown) {
  Problem problem = wideProblem(1);
  for (double seconds : {0.0, 0.01, 0.1}) {
    Options options;
    options.seconds = seconds;
    options.tableEntries = 16;
    Solution solution = solve(problem, options);
    expectValid(problem, solution);
    if (seconds > 0)
      EXPECT_GT(solution.largestTable, options.tableEntries);
    else // nothing was planned
      EXPECT_EQ(solution.largestTable, 0);
    EXPECT_NE(solution.method, "elimination");
    EXPECT_LT(solution.seconds, seconds + 1);
    // No steps are over before there is a time to look at.
    EXPECT_TRUE(solution.settled || seconds > 0);
  }
}

/// Works on without counting anything, until the guard of time strikes.
void waste(const Deadline &deadline) {
  while (!deadline.strikes()) {
  }
}

/// Where time ends a search, it says so, whoever used that time: another run
/// may find something else. Steps that are over say nothing of the kind.
TEST(LayoutSearch, IsNotSettledByTime) {
  Problem problem = wideProblem(1);
  for (bool counted : {false, true}) {
    Options options;
    options.tableEntries = 16;
    options.within = Deadline(0.02);
    if (counted)
      options.within->count(0.03 * Deadline::stepsPerSecond);
    else
      waste(*options.within);
    Solution solution = solve(problem, options);
    expectValid(problem, solution);
    EXPECT_FALSE(solution.proved);
    EXPECT_EQ(solution.settled, counted);
    EXPECT_EQ(solution.largestTable, 0);
  }
}

/// However much time there is, where the search does not need it.
TEST(LayoutSearch, ChoosesTheSameWhereTimeDecidesNothing) {
  int settled = 0;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    Problem problem = randomProblem(seed, {});
    Options options;
    options.tableEntries = seed % 2 ? 16 : options.tableEntries;
    const Solution enough = solve(problem, options);
    ASSERT_TRUE(enough.settled) << "seed " << seed;
    options.seconds = 0.003;
    const Solution hurried = solve(problem, options);
    settled += hurried.settled;
    if (hurried.settled)
      EXPECT_EQ(hurried.ways, enough.ways) << "seed " << seed;
  }
  EXPECT_GT(settled, 0);
}

/// Where its steps end it, what a search finds does not depend on how fast they
/// are. The guard of time is far away, so that slow builds (sanitizers) end by
/// the same steps.
TEST(LayoutSearch, EndsAtTheSamePlaceEachTime) {
  int ended = 0, compared = 0;
  for (uint64_t seed = 0; seed < 4; ++seed) {
    Problem problem = wideProblem(seed);
    for (double seconds : {0.0, 0.02, 0.1}) {
      Options options;
      options.seconds = seconds;
      options.tableEntries = seed % 2 ? 16 : 1 << 12;
      auto solveAnew = [&] {
        options.within = Deadline(100);
        return solve(problem, options);
      };
      const Solution first = solveAnew(), second = solveAnew();
      ended += !first.proved;
      if (!first.settled || !second.settled)
        continue;
      ++compared;
      EXPECT_EQ(first.ways, second.ways) << seed << ", " << seconds;
      EXPECT_EQ(first.lowerBound, second.lowerBound) << seed << ", " << seconds;
    }
  }
  EXPECT_GT(ended, 4);
  EXPECT_GT(compared, 4);
}

/// What others have used of a limit is gone.
TEST(LayoutSearch, TakesWhatIsLeft) {
  Problem problem = wideProblem(3);
  Options options;
  options.tableEntries = 16;
  options.within = Deadline(10);
  options.within->count(20 * Deadline::stepsPerSecond);
  Options none;
  none.tableEntries = 16;
  none.seconds = 0;
  const Solution found = solve(problem, options), quick = solve(problem, none);
  EXPECT_EQ(found.ways, quick.ways);
  EXPECT_TRUE(found.settled);
}

TEST(LayoutSearch, NeverWorseThanTheIncumbent) {
  Problem problem = wideProblem(2);
  Options options;
  options.tableEntries = 16;
  options.seconds = 1;
  Solution good = solve(problem, options);
  options.seconds = 0;
  options.incumbent = good.ways;
  Solution quick = solve(problem, options);
  expectValid(problem, quick);
  EXPECT_LE(quick.cost, good.cost);
  EXPECT_LE(quick.lowerBound, good.cost);
}

TEST(LayoutSearch, SameAnswerTwice) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    RandomOptions shape;
    shape.ops = 40;
    Problem problem = randomProblem(seed, shape);
    Options options;
    options.tableEntries = seed % 2 == 0 ? 64 : options.tableEntries;
    Solution first = solve(problem, options), second = solve(problem, options);
    EXPECT_EQ(first.ways, second.ways);
    EXPECT_EQ(first.lowerBound, second.lowerBound);
  }
}

TEST(LayoutSearch, EmptyProblem) {
  Solution solution = solve({});
  EXPECT_TRUE(solution.proved);
  EXPECT_EQ(solution.cost, 0);
}

/// One value read by all of many ops, in one layout or the other.
TEST(LayoutSearch, ManyReaders) {
  Problem problem;
  problem.values = {{2, {0, 10, 10, 0}}};
  problem.ops = {{{}, {0}, {{0, {0}}}}};
  for (int i = 0; i < 1000; ++i)
    problem.ops.push_back({{0}, {}, {{i % 2 ? 3 : 0, {0}}, {0, {1}}}});
  ASSERT_EQ(check(problem), "");
  Solution solution = solve(problem);
  EXPECT_TRUE(solution.proved);
  EXPECT_EQ(solution.cost, 10) << "one relayout, however many readers";
}

/// Every layer reads all before it: sets contained in sets keep tables small.
TEST(LayoutSearch, DenseNetIsNarrow) {
  Problem problem;
  constexpr int layers = 200, layouts = 4;
  std::vector<int> all;
  for (int i = 0; i < layers; ++i) {
    Value value;
    value.layouts = layouts;
    for (int from = 0; from < layouts; ++from)
      for (int to = 0; to < layouts; ++to)
        value.move.push_back(from == to ? 0 : 1 + (i + from + 2 * to) % 7);
    problem.values.push_back(value);
    Op op{all, {i}, {}};
    for (int layout = 0; layout < layouts; ++layout)
      op.ways.push_back({(i * 5 + layout * 3) % 11,
                         std::vector<int>(all.size() + 1, layout)});
    problem.ops.push_back(std::move(op));
    all.push_back(i);
  }
  ASSERT_EQ(check(problem), "");
  Solution solution = solve(problem);
  EXPECT_TRUE(solution.proved);
  EXPECT_EQ(solution.method, "elimination");
  EXPECT_LE(solution.largestTable, 1024);
}

} // namespace

} // namespace npu::search::test
