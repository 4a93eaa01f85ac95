// SPDX-License-Identifier: Apache-2.0
#include "compiler/Search/LayoutSearch.h"

#include "compiler/Search/Assignment.h"
#include "compiler/Search/Elimination.h"
#include "compiler/Search/Encoding.h"
#include "compiler/Search/Highs.h"
#include "compiler/Search/Narrowing.h"
#include "compiler/Search/OddCycles.h"
#include "compiler/Search/Polish.h"
#include "compiler/Search/Prices.h"
#include "compiler/Search/Reduction.h"

#include <optional>
#include <utility>

namespace npu::search {

namespace {

Cost cheapestWays(const Problem &problem) {
  Cost sum = 0;
  for (const Op &op : problem.ops) {
    Cost least = op.ways.front().cost;
    for (const Way &way : op.ways)
      least = std::min(least, way.cost);
    sum += least;
  }
  return sum;
}

Deadline limitOf(const Options &options) {
  return options.within ? options.within->within(options.seconds)
                        : Deadline(options.seconds);
}

/// One search: what is left of the problem, the best choice so far, and what
/// is proved about all others.
class Search {
public:
  Search(const Problem &whole, const Options &options, int depth = 0)
      // The last step cannot be interrupted everywhere.
      : whole(whole), options(options), depth(depth),
        deadline(limitOf(options).share(0.93)), trees(whole), left(whole) {}

  Solution run() {
    solution.lowerBound = cheapestWays(whole);
    left.dropDominated(trees, deadline);
    if (!eliminateWhatFits())
      searchFurther();
    solution.cost = totalCost(whole, trees, solution.ways);
    solution.proved = solution.cost == solution.lowerBound;
    solution.settled = !isCut && !deadline.isStruck();
    solution.seconds = deadline.spent();
    return std::move(solution);
  }

private:
  /// Part of what is left.
  Deadline share(double part) const { return deadline.share(part); }

  void encodeLeft() {
    encoding = encode(left.problem(), trees);
    deadline.count(encoding.network.entries());
  }

  /// Solves the parts of the problem that are narrow enough and keeps their
  /// ways. True if that was all: then what is left has one choice, and no
  /// other is cheaper than `solution`.
  bool eliminateWhatFits() {
    if (deadline.over())
      return false;
    encodeLeft();
    if (!encoding.complete)
      return false;
    EliminationPlan plan =
        planElimination(encoding.network, options.tableEntries);
    solution.largestTable =
        std::max(solution.largestTable,
                 static_cast<int64_t>(std::min(plan.largestTable, 9e18)));
    if (!deadline.allows(plan.work))
      return false;
    std::vector<int> states = eliminate(encoding.network, plan, share(0.5));
    if (states.size() != encoding.network.variables.size())
      return false;
    std::vector<char> solved(states.size(), plan.fits);
    for (int variable : plan.order)
      solved[variable] = 1;
    fix(states, solved);
    if (!plan.fits) {
      encodeLeft();
      return false;
    }
    std::vector<int> only(whole.ops.size(), 0);
    consider(only);
    solution.lowerBound = bestCost;
    solution.method = "elimination";
    return true;
  }

  void fix(const std::vector<int> &states, const std::vector<char> &solved) {
    std::vector<std::vector<char>> keep;
    for (size_t i = 0; i < whole.ops.size(); ++i) {
      keep.emplace_back(left.problem().ops[i].ways.size(), !solved[i]);
      if (solved[i])
        keep.back()[states[i]] = 1;
    }
    left.keepOnly(keep);
  }

  /// Takes ways of what is left, if they are the cheapest so far.
  void consider(const std::vector<int> &ways) {
    Cost cost = totalCost(left.problem(), trees, ways);
    if (!solution.ways.empty() && cost >= bestCost)
      return;
    bestCost = cost;
    solution.ways = left.toWhole(ways);
  }

  /// The same for states of the encoding's variables, of which the ops come
  /// first. False if there are none.
  bool considerStates(std::vector<int> states) {
    if (states.empty())
      return false;
    states.resize(whole.ops.size());
    consider(states);
    return true;
  }

  void improve(std::vector<int> ways, double part) {
    Deadline until = share(part);
    Assignment assignment(left.problem(), trees, std::move(ways));
    assignment.descend(until);
    consider(polish(left.problem(), trees, encoding, assignment.ways(), until));
  }

  void searchFurther() {
    solution.method = "message passing";
    improve({}, 0.01);
    if (options.incumbent.size() == whole.ops.size()) {
      Cost cost = totalCost(whole, trees, options.incumbent);
      if (cost < bestCost) {
        solution.ways = options.incumbent;
        bestCost = cost;
      }
      improve(left.fromWhole(options.incumbent), 0.03);
    }
    if (bestCost == solution.lowerBound || (!isListed() && askPrices()))
      return;
    if (!isListed() || !passMessages())
      relax();
  }

  /// Whether messages need no larger tables than elimination may have.
  bool isListed() const {
    return encoding.complete && encoding.network.entries() <=
                                    static_cast<double>(options.tableEntries);
  }

  /// Raises the bound by messages and makes choices that they suggest, until
  /// what can still be cheaper is narrow enough to be eliminated: true. False
  /// if that is too far away; then ways that cannot be cheaper are gone.
  bool passMessages() {
    constexpr int passes = 50, patience = 100;
    if (deadline.over())
      return false;
    Narrowing narrowing(encoding.network, bestCost);
    std::vector<std::vector<int>> guesses;
    size_t tried = narrowing.size();
    int nextGuess = 0;
    for (int round = 0; !deadline.over(); ++round) {
      for (int i = 0; i < passes && !deadline.over(); ++i)
        narrowing.pass(deadline);
      Cost before = std::exchange(
          solution.lowerBound,
          std::max(solution.lowerBound, narrowing.narrow(bestCost)));
      if (solution.lowerBound == bestCost)
        return true;
      if (narrowing.size() < 0.9 * tried) {
        tried = narrowing.size();
        if (considerStates(narrowing.solve(options.tableEntries, share(0.5)))) {
          solution.lowerBound = bestCost;
          return true;
        }
      }
      Cost gap = bestCost - solution.lowerBound;
      if (round > 0 && (solution.lowerBound - before) * patience < gap)
        break;
      if (round < nextGuess)
        continue;
      nextGuess = 2 * round + 1;
      addGuess(narrowing, guesses);
    }
    std::vector<std::vector<char>> keep = narrowing.left();
    keep.resize(whole.ops.size());
    left.keepOnly(keep);
    encodeLeft();
    return false;
  }

  /// Each guess is wrong elsewhere: the best of their ways, put together, are
  /// better than each.
  void addGuess(const Narrowing &narrowing,
                std::vector<std::vector<int>> &guesses) {
    std::vector<int> states =
        narrowing.guess(static_cast<int>(whole.ops.size()), share(0.5));
    if (!considerStates(states))
      return;
    states.resize(whole.ops.size());
    guesses.push_back(std::move(states));
    if (guesses.size() < 2 || depth > 0)
      return;
    std::vector<std::vector<char>> keep;
    for (size_t i = 0; i < whole.ops.size(); ++i) {
      keep.emplace_back(left.problem().ops[i].ways.size(), 0);
      for (const std::vector<int> &ways : guesses)
        keep[i][ways[i]] = 1;
    }
    searchAmong(keep, share(0.2));
  }

  /// Takes the best choice of only these ways.
  void searchAmong(const std::vector<std::vector<char>> &keep,
                   const Deadline &until) {
    Reduction shared = left;
    shared.keepOnly(keep);
    Options narrower = options;
    narrower.within = until;
    narrower.incumbent.clear();
    Solution found = Search(shared.problem(), narrower, depth + 1).run();
    isCut |= !found.settled;
    consider(left.fromWhole(shared.toWhole(std::move(found.ways))));
  }

  /// What prices prove is what messages prove, but they need no table over an
  /// op's ways and the sets of a value. True if nothing is cheaper than the
  /// best choice, or the ways that may be are few enough to be eliminated.
  bool askPrices() {
    solution.method = "prices";
    Prices prices = findPrices(left.problem(), trees,
                               {bestCost, share(0.3), options.tableEntries});
    solution.lowerBound = std::max(solution.lowerBound, prices.bound);
    if (solution.lowerBound >= bestCost || prices.withWay.empty())
      return solution.lowerBound >= bestCost;
    improve(cheapestUnder(prices), 0.03);
    if (solution.lowerBound >= bestCost)
      return true;
    return !dropTooDear(prices.withWay) || eliminateWhatFits();
  }

  /// Each op's cheapest way, payments included.
  static std::vector<int> cheapestUnder(const Prices &prices) {
    std::vector<int> ways;
    for (const std::vector<Cost> &costs : prices.withWay)
      ways.push_back(static_cast<int>(
          std::min_element(costs.begin(), costs.end()) - costs.begin()));
    return ways;
  }

  void relax() {
    if (deadline.over())
      return;
    solution.method = "linear relaxation";
    DualBound dual = cut();
    if (dual.withWay.empty() || solution.lowerBound == bestCost ||
        solveNear(dual))
      return;
    Reduction before = left;
    if (!dropTooDear(dual.withWay) || eliminateWhatFits() || depth > 0)
      return;
    branchAndBound();
    // A cheaper choice leaves fewer ways, perhaps few enough.
    left = std::move(before);
    if (solution.lowerBound < bestCost && dropTooDear(dual.withWay))
      eliminateWhatFits();
  }

  /// Solves the relaxation, and again with rows that its solution violates,
  /// until a choice costs no more than the bound or rows no longer help. The
  /// best bound's duals; nothing if there are none.
  DualBound cut() {
    LinearModel model(left.problem(), trees);
    const Deadline until = share(0.9);
    DualBound best;
    Relaxation relaxation(model);
    constexpr int large = 20000; // rows
    constexpr size_t few = 150;
    const double all = until.left();
    double dived = model.wayColumns();
    for (int round = 0; !until.over() && solution.lowerBound < bestCost;
         ++round) {
      LinearSolution relaxed = relaxation.solve(until);
      if (relaxed.values.empty())
        break;
      DualBound dual = proveBound(left.problem(), model, relaxed.duals);
      if (best.withWay.empty() || dual.bound > best.bound)
        best = std::move(dual);
      solution.lowerBound = std::max(solution.lowerBound, best.bound);
      std::vector<LinearModel::Row> rows =
          violatedRows(model, relaxed.values, until);
      // The fewer odd cycles are left, the better do the shares fit each other.
      const bool small = static_cast<int>(model.rows.size()) < large;
      const bool hurry = !until.allows(0.3 * all);
      const bool closed = rows.size() <= few && !hurry;
      if ((round == 0 && small) || hurry ||
          (closed && !dive(model, relaxed.values, until, dived)))
        improve(model.round(left.problem(), relaxed.values), hurry ? 0.3 : 0.1);
      if (rows.empty())
        break;
      model.rows.insert(model.rows.end(), rows.begin(), rows.end());
    }
    return best;
  }

  /// Searches among only those ways that have a share in the relaxation's
  /// solution; they fit each other better than the largest shares do. False if
  /// these are hardly fewer than all, or than last time (`dived`).
  bool dive(const LinearModel &model, const std::vector<double> &values,
            const Deadline &until, double &dived) {
    constexpr double tiny = 1e-6, fewer = 0.95;
    std::vector<std::vector<char>> keep;
    double kept = 0;
    std::vector<int> best = left.fromWhole(solution.ways);
    for (size_t i = 0; i < whole.ops.size(); ++i) {
      keep.emplace_back(left.problem().ops[i].ways.size(), 1);
      int first = model.firstWay[i];
      for (size_t way = 0; first >= 0 && way < keep[i].size(); ++way) {
        keep[i][way] = values[first + way] > tiny;
        kept += keep[i][way];
      }
      keep[i][best[i]] = 1; // values may be anything where time ran out
    }
    if (kept > fewer * dived)
      return false;
    dived = kept;
    searchAmong(keep, until.share(0.5));
    return true;
  }

  /// Solves the problem of only those ways with which a choice may cost no
  /// more than the bound and a margin: the largest margin for which elimination
  /// fits. True if the answer lies within the margin; then it is the cheapest.
  bool solveNear(const DualBound &dual) {
    std::vector<Cost> steps;
    for (const std::vector<Cost> &costs : dual.withWay)
      for (Cost cost : costs)
        if (cost < bestCost)
          steps.push_back(cost);
    std::sort(steps.begin(), steps.end());
    steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
    size_t fits = 0, tooMany = steps.size();
    while (fits < tooMany && !deadline.over()) {
      size_t middle = (fits + tooMany) / 2;
      std::optional<Reduction> found = waysUpTo(dual.withWay, steps[middle]);
      if (!found) {
        fits = middle + 1;
        continue;
      }
      Reduction &near = *found;
      std::vector<int> ways = solveNarrow(near.problem());
      if (ways.empty()) {
        tooMany = middle;
        continue;
      }
      fits = middle + 1;
      consider(left.fromWhole(near.toWhole(std::move(ways))));
      if (bestCost <= steps[middle]) {
        solution.lowerBound = bestCost;
        return true;
      }
    }
    return false;
  }

  /// The cheapest choice if elimination is quick; else empty.
  std::vector<int> solveNarrow(const Problem &problem) {
    Encoding narrow = encode(problem, trees);
    if (!narrow.complete)
      return {};
    EliminationPlan plan = planElimination(
        narrow.network, std::min<int64_t>(options.tableEntries, 1 << 20));
    if (!plan.fits)
      return {};
    std::vector<int> states = eliminate(narrow.network, plan, share(0.2));
    states.resize(states.empty() ? 0 : problem.ops.size());
    return states;
  }

  /// What is left with the ways with which a choice may cost that at most.
  /// Nothing if an op has none: then each choice costs more.
  std::optional<Reduction>
  waysUpTo(const std::vector<std::vector<Cost>> &withWay, Cost most) const {
    std::vector<std::vector<char>> keep;
    for (const std::vector<Cost> &costs : withWay) {
      keep.emplace_back();
      for (Cost cost : costs)
        keep.back().push_back(cost <= most);
      if (*std::min_element(costs.begin(), costs.end()) > most)
        return std::nullopt;
    }
    Reduction fewer = left;
    fewer.keepOnly(keep);
    return fewer;
  }

  /// Ways with which no choice is cheaper than the best so far go. If a choice
  /// is cheaper, all its ways stay. False if none is: the best is the least.
  bool dropTooDear(const std::vector<std::vector<Cost>> &withWay) {
    std::optional<Reduction> fewer = waysUpTo(withWay, bestCost - 1);
    if (fewer)
      left = std::move(*fewer);
    else
      solution.lowerBound = bestCost;
    return fewer.has_value();
  }

  void branchAndBound() {
    solution.method = "branch and bound";
    LinearModel model(left.problem(), trees);
    LinearSolution found =
        solveInteger(model, share(0.75), left.fromWhole(solution.ways));
    isCut |= found.isCut;
    if (!found.values.empty())
      improve(model.round(left.problem(), found.values), 0.3);
  }

  const Problem &whole;
  const Options &options;
  const int depth; // of searches that are part of another
  const Deadline deadline;
  bool isCut = false; // by a clock of somebody else's
  RelayoutTrees trees;
  Reduction left;
  Encoding encoding; // of what is left
  Solution solution;
  Cost bestCost = 0; // of solution.ways
};

} // namespace

Solution solve(const Problem &problem, const Options &options) {
  return Search(problem, options).run();
}

} // namespace npu::search
