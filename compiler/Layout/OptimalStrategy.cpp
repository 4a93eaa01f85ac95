// SPDX-License-Identifier: Apache-2.0
//
// optimal: the layouts of all values at once, so that the objective's total is
// the least there is.
#include "compiler/Layout/Comparison.h"
#include "compiler/Layout/SearchProblem.h"

using namespace npu;

/// What the other strategies decide. A plan that breaks a demand is of use all
/// the same: its orders are candidates.
static std::vector<LayoutPlan> otherPlans(const LayoutProblem &problem) {
  QuietDiagnostics quiet(problem.getContext());
  std::vector<LayoutPlan> plans;
  for (const Strategy &strategy : strategies()) {
    LayoutPlan plan;
    if (strategy.decide != decideOptimal &&
        succeeded(strategy.decide(problem, plan)))
      plans.push_back(std::move(plan));
  }
  return plans;
}

/// The cheapest of the others' plans; empty if none is one.
static std::vector<int> bestOf(const SearchProblem &searched,
                               ArrayRef<LayoutPlan> plans) {
  std::vector<int> best;
  search::Cost least = 0;
  for (const LayoutPlan &plan : plans) {
    std::vector<int> ways = searched.waysOf(plan);
    if (ways.empty())
      continue;
    search::Cost cost = searched.cost(ways);
    if (best.empty() || cost < least) {
      best = std::move(ways);
      least = cost;
    }
  }
  return best;
}

/// Folding may have made another strategy's plan cheaper than all that an
/// unfinished search has seen.
static void takeCheaper(const LayoutProblem &problem, LayoutPlan &plan) {
  for (const Strategy &strategy : strategies()) {
    if (strategy.decide == decideOptimal)
      continue;
    StrategyResult other = tryStrategy(problem, strategy);
    int64_t cost = other.cost.of(problem.objective);
    if (!other.feasible || cost >= plan.search->cost)
      continue;
    SearchOutcome outcome = *plan.search;
    outcome.cost = cost;
    outcome.method = ("plan of " + other.name).str();
    plan = std::move(other.plan);
    plan.search = outcome;
  }
}

LogicalResult npu::decideOptimal(const LayoutProblem &problem,
                                 LayoutPlan &plan) {
  std::vector<LayoutPlan> others = otherPlans(problem);
  SearchProblem searched(problem, others);
  search::Options options;
  options.seconds = problem.searchSeconds;
  options.incumbent = bestOf(searched, others);
  search::Solution solution = search::solve(searched.numbers(), options);
  plan = searched.planOf(solution.ways);
  SearchOutcome outcome;
  outcome.method = solution.method;
  outcome.cost = searched.primary(solution.cost);
  outcome.lowerBound = searched.primary(solution.lowerBound);
  outcome.proved = outcome.cost == outcome.lowerBound;
  outcome.seconds = solution.seconds;
  outcome.values = static_cast<int>(searched.numbers().values.size());
  outcome.ops = static_cast<int>(searched.numbers().ops.size());
  outcome.capped = searched.capped();
  plan.search = outcome;
  if (!outcome.proved)
    takeCheaper(problem, plan);
  return success();
}
