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
    std::optional<double> seconds;
    if (strategy.searches) // as it decides alone, in its part of them
      seconds = problem.searchSeconds;
    StrategyResult other = tryStrategy(problem, strategy, seconds);
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

/// Where there is time for fewer searches, the first is one that finds a plan.
constexpr double fewSearches = 3;

/// A search for each choice of what may stay on the chip that can matter.
class OverResidencies {
public:
  OverResidencies(const LayoutProblem &problem, const OpWays &ways,
                  SearchPrices &prices, ArrayRef<LayoutPlan> plans)
      : problem(problem), limit(problem.limit.share(1 - numbersPart)),
        ways(ways), prices(prices), plans(plans),
        counts(countsRelayouts(problem.objective)) {
    outcome.lowerBound = counts ? 0 : std::numeric_limits<int64_t>::max();
    outcome.settled = true;
    outcome.capped = ways.capped();
    outcome.space = ways.space();
    if (problem.residencies().size() > 1)
      outcome.space += "; " + residencySpace();
  }

  void run() {
    ArrayRef<OnChipValues> choices = problem.residencies();
    std::vector<ResidencyBound> bounds = residencyBounds(problem, ways, prices);
    if (bounds.size() > 1 && !limit.allows(fewSearches * pricingStepsOf(ways)))
      searchSmallest(bounds, limit.share(0.5));
    ArrayRef<ResidencyBound> left = bounds;
    while (!left.empty() && !limit.over()) {
      // What is left costs no less.
      if (choice && !counts && left.front().least >= cost.first)
        return finish();
      // The first would leave nothing to the others.
      const double part = left.size() == 1 ? 1 : 0.5;
      searchOne({problem, choices[left.front().number]}, limit.share(part),
                /*isLast=*/left.size() == 1);
      left = left.drop_front();
    }
    if (!left.empty() && !counts)
      outcome.lowerBound = std::min(outcome.lowerBound, left.front().least);
    if (!choice)
      searchSmallest(bounds, limit);
    finish();
  }

  LayoutPlan plan;
  SearchOutcome outcome;
  std::optional<CertifiedChoice> choice;

private:
  /// What takes least of the chip leaves most to the kernels: it is taken out
  /// and searched.
  void searchSmallest(std::vector<ResidencyBound> &bounds,
                      const search::Deadline &until) {
    ArrayRef<OnChipValues> choices = problem.residencies();
    auto least = llvm::min_element(bounds, [&](auto &a, auto &b) {
      return choices[a.number].peak() < choices[b.number].peak();
    });
    const size_t number = least->number;
    bounds.erase(least);
    searchOne({problem, choices[number]}, until, /*isLast=*/true);
  }

  void searchOne(const ResidentProblem &resident, const search::Deadline &until,
                 bool isLast) {
    SearchProblem searched(resident, ways, prices,
                           choice ? cost.first
                                  : std::numeric_limits<int64_t>::max());
    if (searched.isTooDear())
      return;
    search::Options options;
    options.seconds = problem.searchSeconds;
    options.within = until;
    options.incumbent = bestOf(searched, plans);
    search::Solution solution = search::solve(searched.numbers(), options);
    outcome.seconds += solution.seconds;
    outcome.settled &= solution.settled;
    const bool isBeyond = searched.isBeyond(solution.cost);
    // Each search's bound of relayouts holds for all. Of cycles and energy the
    // least one does; where no choice can be executed, there is none.
    const int64_t bound = searched.primary(solution.lowerBound);
    if (counts)
      outcome.lowerBound = std::max(bound, outcome.lowerBound);
    else if (!isBeyond || !searched.isBeyond(solution.lowerBound))
      outcome.lowerBound = std::min(bound, outcome.lowerBound);
    auto found = searched.comparable(solution.cost);
    if (isBeyond ? choice || !isLast : choice && found >= cost)
      return;
    cost = found;
    plan = searched.planOf(solution.ways);
    choice = {&resident.onChip(), solution.ways, cost.first};
    outcome.method = solution.method;
    outcome.values = static_cast<int>(searched.numbers().values.size());
    outcome.ops = static_cast<int>(searched.numbers().ops.size());
  }

  void finish() {
    outcome.cost = cost.first;
    outcome.lowerBound = std::min(outcome.lowerBound, outcome.cost);
    outcome.proved = outcome.isLeast();
  }

  const LayoutProblem &problem;
  const search::Deadline limit;
  const OpWays &ways;
  SearchPrices &prices;
  const ArrayRef<LayoutPlan> plans;
  const bool counts;
  std::pair<int64_t, int64_t> cost; // the objective, then its tie-breaks
};

} // namespace

LogicalResult npu::decideOptimal(const LayoutProblem &problem,
                                 ArrayRef<Strategy> others, LayoutPlan &plan) {
  std::vector<LayoutPlan> plans = plansOf(problem, others);
  // Only costs depend on what stays on the chip.
  Candidates candidates(problem, plans, Groups::MaySplit);
  OpWays ways(problem, candidates);
  SearchPrices prices;
  OverResidencies searched(problem, ways, prices, plans);
  searched.run();
  plan = std::move(searched.plan);
  SearchOutcome outcome = searched.outcome;
  if (!problem.certifiedModel.empty() && outcome.proved)
    outcome.certificate =
        certificateOf(problem, ways, prices, *searched.choice);
  plan.search = outcome;
  if (!outcome.proved)
    takeCheaper(problem, others, plan);
  plan.search->settled &= !problem.limit.isStruck();
  return success();
}
