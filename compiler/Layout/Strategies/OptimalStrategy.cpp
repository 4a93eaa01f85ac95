// SPDX-License-Identifier: Apache-2.0
//
// optimal: the layouts of all values at once, so that the objective's total is
// the least there is.
#include "compiler/Layout/Problem/LayoutPlan.h"
#include "compiler/Layout/Problem/LayoutProblem.h"
#include "compiler/Layout/Strategies/Certificate.h"
#include "compiler/Layout/Strategies/Comparison.h"
#include "compiler/Layout/Strategies/SearchProblem.h"

using namespace npu;

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
/// unfinished search has seen, or it has layouts that were left out.
static void takeCheaper(const LayoutProblem &problem, ArrayRef<Strategy> others,
                        LayoutPlan &plan) {
  for (const Strategy &strategy : others) {
    // The rest go through the ops a few times.
    if (strategy.searches && problem.limit.over())
      continue;
    StrategyResult other = tryStrategy(problem, strategy);
    int64_t cost = other.cost.of(problem.objective);
    if (!other.feasible || cost >= plan.search->cost)
      continue;
    SearchOutcome outcome = *plan.search;
    outcome.cost = cost;
    if (cost < outcome.lowerBound) // folded: not one of those searched
      outcome.lowerBound = 0;
    outcome.proved = outcome.isLeast();
    outcome.method = ("plan of " + other.name).str();
    plan = std::move(other.plan);
    plan.search = outcome;
  }
}

namespace {

/// The best plan so far, over what may stay on the chip.
struct Best {
  LayoutPlan plan;
  SearchOutcome outcome;
  std::pair<int64_t, int64_t> cost; // the objective, then its tie-breaks
  CertifiedChoice choice;
};

} // namespace

/// Whether relayouts alone make up the objective: these are as many, whatever
/// stays on the chip.
static bool countsRelayouts(const LayoutProblem &problem) {
  return problem.objective == Objective::Count ||
         problem.objective == Objective::Bytes;
}

/// Searches with one choice of what stays on the chip.
static void searchOnce(const ResidentProblem &problem, const OpWays &ways,
                       SearchPrices &prices, ArrayRef<LayoutPlan> plans,
                       const search::Deadline &until,
                       std::optional<Best> &best) {
  SearchProblem searched(problem, ways, prices,
                         best ? best->cost.first
                              : std::numeric_limits<int64_t>::max());
  if (searched.isTooDear())
    return;
  search::Options options;
  options.seconds = problem->searchSeconds;
  options.within = until;
  options.incumbent = bestOf(searched, plans);
  search::Solution solution = search::solve(searched.numbers(), options);
  int64_t bound = searched.primary(solution.lowerBound);
  double before = best ? best->outcome.seconds : 0;
  bool settled = solution.settled && (!best || best->outcome.settled);
  // Each search's bound of relayouts holds for all. Of cycles and energy the
  // least one does.
  if (best)
    bound = countsRelayouts(*problem)
                ? std::max(bound, best->outcome.lowerBound)
                : std::min(bound, best->outcome.lowerBound);
  auto cost = searched.comparable(solution.cost);
  if (!best || cost < best->cost) {
    best = {searched.planOf(solution.ways),
            {},
            cost,
            {&problem.onChip(), solution.ways, cost.first}};
    best->outcome.method = solution.method;
    best->outcome.cost = cost.first;
    best->outcome.values = static_cast<int>(searched.numbers().values.size());
    best->outcome.ops = static_cast<int>(searched.numbers().ops.size());
    best->outcome.capped = ways.capped();
    best->outcome.space = ways.space();
  }
  best->outcome.lowerBound = bound;
  best->outcome.seconds = before + solution.seconds;
  best->outcome.settled = settled;
}

/// What no plan costs less than, whatever stays on the chip.
static int64_t leastOfAny(const LayoutProblem &problem, const OpWays &ways,
                          SearchPrices &prices) {
  const OnChipValues all =
      allOnChip(problem.function, problem.target, problem.axes);
  return SearchProblem({problem, all}, ways, prices).least();
}

LogicalResult npu::decideOptimal(const LayoutProblem &problem,
                                 ArrayRef<Strategy> others, LayoutPlan &plan) {
  std::vector<LayoutPlan> plans = plansOf(problem, others);
  // Only costs depend on what stays on the chip.
  Candidates candidates(problem, plans, Groups::MaySplit);
  OpWays ways(problem, candidates);
  SearchPrices prices;
  std::optional<Best> best;
  ArrayRef<OnChipValues> residencies = problem.residencies();
  while (!residencies.empty() && !(best && problem.limit.over())) {
    // The first would leave nothing to the others.
    const double part = residencies.size() == 1 ? 1 : 0.5;
    searchOnce({problem, residencies.front()}, ways, prices, plans,
               problem.limit.share(part), best);
    residencies = residencies.drop_front();
  }
  if (!residencies.empty() && !countsRelayouts(problem))
    best->outcome.lowerBound =
        std::min(best->outcome.lowerBound, leastOfAny(problem, ways, prices));
  plan = std::move(best->plan);
  SearchOutcome outcome = best->outcome;
  outcome.proved = outcome.isLeast();
  if (!problem.certifiedModel.empty() && outcome.proved)
    outcome.certificate = certificateOf(problem, ways, prices, best->choice);
  plan.search = outcome;
  if (!outcome.proved)
    takeCheaper(problem, others, plan);
  plan.search->settled &= !problem.limit.isStruck();
  return success();
}
