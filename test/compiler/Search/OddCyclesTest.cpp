// SPDX-License-Identifier: Apache-2.0
#include "compiler/Search/OddCycles.h"

#include "compiler/Search/Highs.h"
#include "test/compiler/Search/RandomProblem.h"

#include <gtest/gtest.h>

#include <random>

namespace npu::search::test {

namespace {

constexpr double enough = 10; // seconds

LinearModel withOtherCosts(LinearModel model, std::mt19937_64 &random) {
  for (Cost &cost : model.costs)
    cost = 1 + static_cast<Cost>(random() % 20);
  return model;
}

struct Tally {
  int rows = 0, raised = 0, closed = 0;
};

/// Solves the relaxation with more and more rows; none may cut off a choice.
void cutAndCompare(const Problem &problem, Cost least, Tally &tally) {
  LinearModel model(problem, RelayoutTrees(problem));
  if (model.columns() == 0)
    return;
  Relaxation relaxation(model);
  Cost first = 0, bound = 0;
  for (int round = 0; round < 6; ++round) {
    LinearSolution relaxed = relaxation.solve(Deadline(enough));
    ASSERT_FALSE(relaxed.values.empty());
    bound = proveBound(problem, model, relaxed.duals).bound;
    ASSERT_LE(bound, least) << "in round " << round;
    first = round == 0 ? bound : first;
    std::vector<LinearModel::Row> rows =
        violatedRows(model, relaxed.values, Deadline(enough));
    for (const LinearModel::Row &row : rows)
      EXPECT_LT(row.excess(relaxed.values), -0.009);
    tally.rows += static_cast<int>(rows.size());
    model.rows.insert(model.rows.end(), rows.begin(), rows.end());
  }
  tally.raised += bound > first;
  tally.closed += bound > first && bound == least;
}

TEST(OddCycles, BoundsNeverPassTheOptimum) {
  Tally tally;
  for (uint64_t seed = 0; seed < 1500; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomOptions options;
    options.ops = 4 + static_cast<int>(seed % 4);
    options.layouts = 2 + static_cast<int>(seed % 3);
    Problem problem = randomProblem(seed, options);
    cutAndCompare(problem, bruteForce(problem), tally);
  }
  EXPECT_GT(tally.rows, 100);
  EXPECT_GT(tally.raised, 20);
  EXPECT_GT(tally.closed, 10);
}

/// Values with more sets of layouts than the model lists: copies that may be
/// made from copies are then underpriced.
TEST(OddCycles, BoundsHoldWhereSetsAreTooMany) {
  Tally tally;
  int exact = 0, below = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomOptions options;
    options.ops = 9;
    options.layouts = options.ways = 10;
    Problem problem = randomProblem(seed, options);
    Solution best = solve(problem);
    ASSERT_TRUE(best.proved);
    cutAndCompare(problem, best.cost, tally);
    LinearModel model(problem, RelayoutTrees(problem));
    exact += model.exact();
    below += !model.exact();
  }
  EXPECT_GT(exact, 20);
  EXPECT_GT(below, 20);
}

TEST(OddCycles, BoundsNeverPassWhatEliminationFinds) {
  Tally tally;
  for (uint64_t seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomOptions options;
    options.ops = 40;
    options.layouts = 4;
    options.window = 6;
    Problem problem = randomProblem(seed, options);
    Solution best = solve(problem);
    ASSERT_TRUE(best.proved);
    cutAndCompare(problem, best.cost, tally);
  }
  EXPECT_GT(tally.raised, 5);
}

/// A row holds for what is cheapest at other costs, too.
TEST(OddCycles, RowsHoldForEveryChoice) {
  int found = 0;
  std::mt19937_64 random(1);
  for (uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomOptions options;
    options.ops = 15;
    Problem problem = randomProblem(seed, options);
    LinearModel model =
        withOtherCosts(LinearModel(problem, RelayoutTrees(problem)), random);
    std::vector<double> values =
        Relaxation(model).solve(Deadline(enough)).values;
    std::vector<LinearModel::Row> rows =
        violatedRows(model, values, Deadline(enough));
    found += static_cast<int>(rows.size());
    for (int choice = 0; choice < 5 && !rows.empty(); ++choice) {
      LinearModel other = withOtherCosts(model, random);
      std::vector<double> whole =
          solveInteger(other, Deadline(enough), {}).values;
      ASSERT_EQ(whole.size(), values.size());
      for (const LinearModel::Row &row : rows)
        EXPECT_GE(row.excess(whole), -1e-6);
    }
  }
  EXPECT_GT(found, 20);
}

} // namespace

} // namespace npu::search::test
