// SPDX-License-Identifier: Apache-2.0
#include "compiler/Search/Highs.h"
#include "compiler/Search/OddCycles.h"
#include "compiler/Search/SoftDuals.h"
#include "test/compiler/Search/RandomProblem.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

namespace npu::search::test {

namespace {

constexpr double enough = 10; // seconds

double costOf(const LinearModel &model, const std::vector<double> &values) {
  double sum = static_cast<double>(model.constant);
  for (int column = 0; column < model.columns(); ++column)
    sum += static_cast<double>(model.costs[column]) * values[column];
  return sum;
}

RandomOptions smallOptions(uint64_t seed) {
  RandomOptions options;
  options.ops = 4 + static_cast<int>(seed % 4);
  options.layouts = 2 + static_cast<int>(seed % 3);
  return options;
}

RandomOptions middleOptions(uint64_t seed) {
  RandomOptions options;
  options.ops = 60;
  options.layouts = 4;
  options.window = seed % 2 == 0 ? 6 : 0;
  return options;
}

TEST(SoftDuals, BoundsNeverPassTheOptimum) {
  int equal = 0, models = 0;
  for (uint64_t seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Problem problem = randomProblem(seed, smallOptions(seed));
    LinearModel model(problem, RelayoutTrees(problem));
    if (model.columns() == 0)
      continue;
    LinearSolution soft = softSolution(model, Deadline(enough));
    ASSERT_EQ(soft.values.size(), model.costs.size());
    Cost least = bruteForce(problem);
    Cost bound = proveBound(problem, model, soft.duals).bound;
    ASSERT_LE(bound, least);
    equal += bound == least;
    ++models;
  }
  EXPECT_GT(equal, models / 2);
}

TEST(SoftDuals, SharesOfAnOpAddUpAndTheBoundIsNear) {
  double reached = 0, possible = 0;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Problem problem = randomProblem(seed, middleOptions(seed));
    LinearModel model(problem, RelayoutTrees(problem));
    LinearSolution soft = softSolution(model, Deadline(enough));
    for (size_t op = 0; op < problem.ops.size(); ++op)
      if (int first = model.firstWay[op]; first >= 0)
        EXPECT_NEAR(std::accumulate(soft.values.begin() + first,
                                    soft.values.begin() + first +
                                        problem.ops[op].ways.size(),
                                    0.0),
                    1, 1e-9);
    LinearSolution relaxed = Relaxation(model).solve(enough);
    Cost soon = proveBound(problem, model, soft.duals).bound;
    Cost best = proveBound(problem, model, relaxed.duals).bound;
    EXPECT_LE(soon, best);
    reached += static_cast<double>(soon);
    possible += static_cast<double>(best);
  }
  EXPECT_GT(reached, 0.95 * possible);
}

TEST(SoftDuals, NothingWithoutTime) {
  Problem problem = randomProblem(1, middleOptions(1));
  LinearModel model(problem, RelayoutTrees(problem));
  EXPECT_TRUE(softSolution(model, Deadline(0)).values.empty());
}

/// Whatever columns it begins with, it ends with the best of all, before and
/// after rows are added.
TEST(Relaxation, TakesUpWhatItNeeds) {
  std::mt19937_64 random(1);
  int withCuts = 0;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Problem problem = randomProblem(seed, middleOptions(seed));
    LinearModel model(problem, RelayoutTrees(problem));
    std::vector<char> likely(model.columns(), 1);
    for (int first : model.firstWay)
      for (int way = first + 1;
           first >= 0 && way < model.wayColumns() &&
           std::find(model.firstWay.begin(), model.firstWay.end(), way) ==
               model.firstWay.end();
           ++way)
        likely[way] = random() % 3 == 0;
    Relaxation some(model, likely), all(model);
    for (int round = 0; round < 3; ++round) {
      LinearSolution found = some.solve(enough), best = all.solve(enough);
      double cost = costOf(model, best.values);
      ASSERT_NEAR(costOf(model, found.values), cost, 1e-6 * (1 + cost));
      Cost bound = proveBound(problem, model, found.duals).bound;
      EXPECT_NEAR(
          static_cast<double>(bound),
          static_cast<double>(proveBound(problem, model, best.duals).bound),
          1 + 1e-6 * cost);
      std::vector<LinearModel::Row> rows =
          violatedRows(model, best.values, Deadline(enough));
      withCuts += round > 0 && !rows.empty();
      model.rows.insert(model.rows.end(), rows.begin(), rows.end());
    }
  }
  EXPECT_GT(withCuts, 5);
}

} // namespace

} // namespace npu::search::test
