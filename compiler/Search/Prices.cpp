// SPDX-License-Identifier: Apache-2.0
//
// Block-coordinate ascent over ops and values, in graph order and back
// (sequential reweighted message passing, V. Kolmogorov 2015): an op collects
// what its values know, and passes on a share of it.
#include "compiler/Search/Prices.h"

#include "compiler/Search/CostNetwork.h"
#include "compiler/Search/RelayoutTrees.h"

#include <cmath>
#include <limits>

namespace npu::search {

namespace {

constexpr size_t mostSets = 4096;

/// An operand of an op, as the value sees it.
struct Use {
  int op = 0, operand = 0;
  LayoutSet layouts = 0; // that some way of the op reads
  bool asStored = false; // or some way reads it as it is
};

/// A value, what it may be stored in and what it may be read in.
struct Good {
  int layouts = 0;
  int producer = 0, result = 0;
  LayoutSet stored = 0;
  std::vector<Use> uses;
  std::vector<LayoutSet> sets; // that the uses together may need
  /// What the copies cost: costs[stored][set].
  std::vector<std::vector<Cost>> costs;
};

/// Each union of a member of `sets` and one layout of the use. False if these
/// are too many.
bool extend(std::vector<LayoutSet> &sets, const Use &use) {
  std::vector<LayoutSet> all;
  if (use.asStored)
    all = sets;
  for (LayoutSet left = use.layouts; left != 0; left &= left - 1)
    for (LayoutSet set : sets)
      all.push_back(set | (left & -left));
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  sets = std::move(all);
  return sets.size() <= mostSets;
}

/// The problem as its values see it.
class Market {
public:
  Market(const Problem &problem, const RelayoutTrees &trees,
         int64_t tableEntries)
      : problem(problem), goods(problem.values.size()),
        useOf(problem.ops.size()), entriesLeft(tableEntries) {
    for (size_t i = 0; i < problem.ops.size(); ++i)
      addOp(static_cast<int>(i));
    for (size_t v = 0; v < goods.size() && listed; ++v)
      addCosts(static_cast<int>(v), trees);
  }

  bool isListed() const { return listed; }
  /// How many numbers are looked at by who goes through all ops and back.
  double work() const {
    double sum = 0;
    for (const Good &good : goods)
      sum += static_cast<double>(good.sets.size() *
                                 (good.costs.size() + 4 * good.uses.size()));
    for (const Op &op : problem.ops)
      sum += static_cast<double>(op.ways.size() *
                                 (op.operands.size() + op.results.size() + 1));
    return 4 * sum;
  }

  const Problem &problem;
  std::vector<Good> goods;             // by value
  std::vector<std::vector<int>> useOf; // of its value, by op and operand

private:
  void addOp(int index) {
    const Op &op = problem.ops[index];
    for (size_t k = 0; k < op.operands.size(); ++k) {
      Use use{index, static_cast<int>(k)};
      for (const Way &way : op.ways) {
        use.asStored |= way.layouts[k] == asStored;
        if (way.layouts[k] != asStored)
          use.layouts |= setOf(way.layouts[k]);
      }
      std::vector<Use> &uses = goods[op.operands[k]].uses;
      useOf[index].push_back(static_cast<int>(uses.size()));
      uses.push_back(use);
    }
    for (size_t k = 0; k < op.results.size(); ++k) {
      Good &good = goods[op.results[k]];
      good.producer = index;
      good.result = static_cast<int>(op.operands.size() + k);
      for (const Way &way : op.ways)
        good.stored |= setOf(way.layouts[good.result]);
    }
  }

  void addCosts(int value, const RelayoutTrees &trees) {
    Good &good = goods[value];
    good.layouts = problem.values[value].layouts;
    good.sets = {0};
    for (const Use &use : good.uses)
      listed = listed && extend(good.sets, use);
    entriesLeft -= static_cast<int64_t>(good.sets.size()) *
                   __builtin_popcountll(good.stored);
    listed = listed && entriesLeft >= 0;
    good.costs.resize(good.layouts);
    for (int stored = 0; listed && stored < good.layouts; ++stored)
      if (good.stored & setOf(stored))
        for (LayoutSet set : good.sets)
          good.costs[stored].push_back(
              trees.cost(value, stored, set & ~setOf(stored)));
  }

  int64_t entriesLeft;
  bool listed = true;
};

/// The most that a use pays where the value is there in these layouts. Behind
/// the prices of layouts stands that of reading as stored.
template <class Number>
Number mostPaid(const Use &use, const std::vector<Number> &prices,
                LayoutSet set) {
  constexpr Number nothing = std::numeric_limits<Number>::lowest();
  Number most = use.asStored ? prices.back() : nothing;
  for (LayoutSet left = set & use.layouts; left != 0; left &= left - 1)
    most = std::max(most, prices[__builtin_ctzll(left)]);
  return most;
}

/// Sums of prices: however large these are, a sum is exact.
using Sum = __int128;

/// What rounded prices prove, in whole numbers.
class Proof {
public:
  Proof(const Market &market, Cost scale,
        const std::vector<std::vector<std::vector<double>>> &exact)
      : market(market), scale(scale) {
    prices.scale = scale;
    std::vector<std::vector<Sum>> charge; // by value: what its op pays
    for (size_t v = 0; v < market.goods.size(); ++v)
      charge.push_back(chargeOf(market.goods[v], round(exact[v])));
    Sum sum = 0;
    std::vector<std::vector<Sum>> costs;
    for (size_t i = 0; i < market.problem.ops.size(); ++i) {
      costs.push_back(costsOf(static_cast<int>(i), charge));
      sum += *std::min_element(costs.back().begin(), costs.back().end());
    }
    prices.bound = inUnits(sum);
    for (const std::vector<Sum> &ways : costs) {
      const Sum least = *std::min_element(ways.begin(), ways.end());
      prices.withWay.emplace_back();
      for (Sum cost : ways)
        prices.withWay.back().push_back(inUnits(sum - least + cost));
    }
  }

  Prices take() { return std::move(prices); }

private:
  /// Costs are whole numbers, and none is below 0.
  Cost inUnits(Sum sum) const {
    constexpr Sum largest = Cost(1) << 62;
    return static_cast<Cost>(
        std::clamp((sum + scale - 1) / scale, Sum(0), largest));
  }

  std::vector<std::vector<Cost>>
  round(const std::vector<std::vector<double>> &exact) const {
    std::vector<std::vector<Cost>> result;
    for (const std::vector<double> &uses : exact) {
      result.emplace_back();
      for (double price : uses)
        result.back().push_back(std::llround(
            std::clamp((price - uses.back()) * static_cast<double>(scale),
                       -0x1p62, 0x1p62)));
    }
    return result;
  }

  /// By layout that the value is stored in: what copies cost beyond what is
  /// paid for them, at least.
  std::vector<Sum> chargeOf(const Good &good,
                            std::vector<std::vector<Cost>> paid) {
    std::vector<Sum> charge(good.layouts, 0);
    for (int stored = 0; stored < good.layouts; ++stored)
      for (size_t s = 0; s < good.costs[stored].size(); ++s) {
        Sum open = Sum(good.costs[stored][s]) * scale;
        for (size_t u = 0; u < good.uses.size(); ++u)
          open -= mostPaid(good.uses[u], paid[u], good.sets[s]);
        charge[stored] = s == 0 ? open : std::min(charge[stored], open);
      }
    for (size_t u = 0; u < good.uses.size(); ++u) {
      const Use &use = good.uses[u];
      prices.paid.resize(market.problem.ops.size());
      auto &ofOp = prices.paid[use.op];
      ofOp.resize(market.problem.ops[use.op].operands.size());
      paid[u].pop_back();
      ofOp[use.operand] = std::move(paid[u]);
    }
    return charge;
  }

  /// Of the op's ways, payments included.
  std::vector<Sum> costsOf(int index,
                           const std::vector<std::vector<Sum>> &charge) const {
    const Op &op = market.problem.ops[index];
    std::vector<Sum> costs;
    for (const Way &way : op.ways) {
      Sum cost = Sum(way.cost) * scale;
      for (size_t k = 0; k < op.operands.size(); ++k)
        if (way.layouts[k] != asStored)
          cost += prices.paid[index][k][way.layouts[k]];
      for (size_t k = 0; k < op.results.size(); ++k)
        cost += charge[op.results[k]][way.layouts[op.operands.size() + k]];
      costs.push_back(cost);
    }
    return costs;
  }

  const Market &market;
  const Cost scale;
  Prices prices;
};

class Ascent {
public:
  explicit Ascent(const Market &market) : market(market) {
    for (const Op &op : market.problem.ops) {
      costs.emplace_back();
      for (const Way &way : op.ways)
        costs.back().push_back(static_cast<double>(way.cost));
    }
    for (const Good &good : market.goods) {
      paid.emplace_back(good.uses.size(),
                        std::vector<double>(good.layouts + 1, 0));
      charge.emplace_back(good.layouts, 0);
      income.emplace_back(good.sets.size(), 0);
      open.emplace_back(good.sets.size(), 0);
      reopen(static_cast<int>(open.size()) - 1);
    }
  }

  /// Through all ops and back.
  void pass() {
    const int ops = static_cast<int>(costs.size());
    for (int op = 0; op < ops; ++op)
      visit(op, true);
    for (int op = ops; op-- > 0;)
      visit(op, false);
  }

  /// By value, use and layout; at last the price of reading as stored.
  const std::vector<std::vector<std::vector<double>>> &prices() const {
    return paid;
  }

private:
  /// The op collects from those values of which an op before it (behind it, on
  /// the way back) knows something, and gives to the others.
  void visit(int index, bool forward) {
    const Op &op = market.problem.ops[index];
    auto isLast = [&](size_t k) {
      return market.goods[op.operands[k]].uses.back().op == index;
    };
    size_t before = op.operands.size(), after = 0;
    for (size_t k = 0; k < op.operands.size(); ++k)
      after += !isLast(k);
    for (int value : op.results)
      after += !market.goods[value].uses.empty();
    const double share =
        1.0 / static_cast<double>(std::max<size_t>({1, before, after}));
    for (size_t k = 0; k < op.operands.size(); ++k)
      if (forward || !isLast(k))
        collect(index, k);
    for (size_t k = 0; k < op.results.size() && !forward; ++k)
      collectCharge(index, op.results[k]);
    std::vector<double> all = costs[index];
    for (size_t k = 0; k < op.operands.size(); ++k)
      if (!forward || !isLast(k))
        give(index, k, all, share);
    for (size_t k = 0; k < op.results.size() && forward; ++k)
      giveCharge(index, op.results[k], all, share);
  }

  /// For each layout the least that the value leaves open without this use.
  void collect(int index, size_t operand) {
    const int value = market.problem.ops[index].operands[operand];
    const Good &good = market.goods[value];
    const int number = market.useOf[index][operand];
    const Use &use = good.uses[number];
    constexpr double never = std::numeric_limits<double>::infinity();
    std::vector<double> least(good.layouts + 1, never);
    for (size_t s = 0; s < good.sets.size(); ++s) {
      const LayoutSet set = good.sets[s];
      double left = open[value][s] - income[value][s] +
                    mostPaid(use, paid[value][number], set);
      least.back() = std::min(least.back(), left);
      for (LayoutSet in = set & use.layouts; in != 0; in &= in - 1) {
        double &one = least[__builtin_ctzll(in)];
        one = std::min(one, left);
      }
    }
    for (double &one : least)
      one = one == never ? 0 : one;
    setPrices(index, operand, std::move(least));
  }

  void collectCharge(int index, int value) {
    const Good &good = market.goods[value];
    std::vector<double> least(good.layouts, 0);
    for (int stored = 0; stored < good.layouts; ++stored)
      for (size_t s = 0; s < good.costs[stored].size(); ++s) {
        double left =
            static_cast<double>(good.costs[stored][s]) - income[value][s];
        least[stored] = s == 0 ? left : std::min(least[stored], left);
      }
    setCharge(index, value, std::move(least));
  }

  /// By the layout at one place of the ways: how much dearer than the cheapest
  /// the cheapest way with it is.
  std::vector<double> dearer(int index, size_t place, int layouts,
                             const std::vector<double> &all) const {
    constexpr double never = std::numeric_limits<double>::infinity();
    std::vector<double> least(layouts + 1, never);
    const std::vector<Way> &ways = market.problem.ops[index].ways;
    for (size_t w = 0; w < ways.size(); ++w) {
      int layout = ways[w].layouts[place];
      double &one = layout == asStored ? least.back() : least[layout];
      one = std::min(one, all[w]);
    }
    const double cheapest = *std::min_element(all.begin(), all.end());
    for (double &one : least)
      one = one == never ? 0 : one - cheapest;
    return least;
  }

  void give(int index, size_t operand, const std::vector<double> &all,
            double share) {
    const int value = market.problem.ops[index].operands[operand];
    const int number = market.useOf[index][operand];
    std::vector<double> prices = paid[value][number];
    std::vector<double> more =
        dearer(index, operand, market.goods[value].layouts, all);
    for (size_t layout = 0; layout < prices.size(); ++layout)
      prices[layout] -= share * more[layout];
    setPrices(index, operand, std::move(prices));
  }

  void giveCharge(int index, int value, const std::vector<double> &all,
                  double share) {
    const Good &good = market.goods[value];
    if (good.uses.empty())
      return;
    std::vector<double> prices = charge[value];
    std::vector<double> more = dearer(index, good.result, good.layouts, all);
    for (size_t layout = 0; layout < prices.size(); ++layout)
      prices[layout] -= share * more[layout];
    setCharge(index, value, std::move(prices));
  }

  void setPrices(int index, size_t operand, std::vector<double> prices) {
    const Op &op = market.problem.ops[index];
    const int value = op.operands[operand];
    const Good &good = market.goods[value];
    const int number = market.useOf[index][operand];
    const Use &use = good.uses[number];
    std::vector<double> &now = paid[value][number];
    for (size_t s = 0; s < good.sets.size(); ++s)
      income[value][s] += mostPaid(use, prices, good.sets[s]) -
                          mostPaid(use, now, good.sets[s]);
    for (size_t w = 0; w < op.ways.size(); ++w) {
      const int layout = op.ways[w].layouts[operand];
      const size_t at = layout == asStored ? good.layouts : layout;
      costs[index][w] += prices[at] - now[at];
    }
    now = std::move(prices);
  }

  void setCharge(int index, int value, std::vector<double> prices) {
    const Good &good = market.goods[value];
    const std::vector<Way> &ways = market.problem.ops[index].ways;
    for (size_t w = 0; w < ways.size(); ++w) {
      const int layout = ways[w].layouts[good.result];
      costs[index][w] += prices[layout] - charge[value][layout];
    }
    charge[value] = std::move(prices);
    reopen(value);
  }

  /// For each set what its copies cost beyond what the value's op pays.
  void reopen(int value) {
    const Good &good = market.goods[value];
    bool first = true;
    for (int stored = 0; stored < good.layouts; ++stored) {
      if (good.costs[stored].empty())
        continue;
      for (size_t s = 0; s < good.sets.size(); ++s) {
        double left =
            static_cast<double>(good.costs[stored][s]) - charge[value][stored];
        open[value][s] = first ? left : std::min(open[value][s], left);
      }
      first = false;
    }
  }

  const Market &market;
  std::vector<std::vector<double>>
      costs; // of each op's ways, payments included
  std::vector<std::vector<std::vector<double>>> paid;
  std::vector<std::vector<double>> charge; // by value and layout stored in
  std::vector<std::vector<double>> income; // by value and set: all uses' most
  std::vector<std::vector<double>> open;   // by value and set
};

/// The most that all can cost together.
double mostOf(const Problem &problem) {
  double sum = 1;
  for (const Op &op : problem.ops) {
    Cost most = 0;
    for (const Way &way : op.ways)
      most = std::max(most, way.cost);
    sum += static_cast<double>(most);
  }
  for (const Value &value : problem.values)
    for (Cost cost : value.move)
      sum += static_cast<double>(cost);
  return sum;
}

/// What the prices are parts of, from few parts to many.
std::vector<Cost> scalesFor(const Problem &problem) {
  const double most = mostOf(problem);
  std::vector<Cost> scales;
  for (int shift = 0;
       shift <= 20 && (shift == 0 || most * std::ldexp(1, shift) < 0x1p50);
       shift += 4)
    scales.push_back(Cost(1) << shift);
  return scales;
}

} // namespace

Prices findPrices(const Problem &problem, const RelayoutTrees &trees,
                  const PriceLimits &limits) {
  constexpr int mostPasses = 2000, patience = 50;
  Prices best;
  for (const Op &op : problem.ops) {
    Cost least = op.ways.front().cost;
    for (const Way &way : op.ways)
      least = std::min(least, way.cost);
    best.bound += least;
  }
  if (best.bound >= limits.target || limits.until.over())
    return best;
  Market market(problem, trees, limits.tableEntries);
  if (!market.isListed())
    return best;
  const std::vector<Cost> scales = scalesFor(problem);
  Ascent ascent(market);
  int waited = 0;
  for (int i = 0; i < mostPasses && waited < patience && !limits.until.over();
       ++i) {
    limits.until.count(market.work());
    ascent.pass();
    ++waited;
    Prices prices = Proof(market, scales.back(), ascent.prices()).take();
    if (prices.bound <= best.bound)
      continue;
    best = std::move(prices);
    waited = 0;
    if (best.bound < limits.target)
      continue;
    // Few digits, if they do.
    for (Cost scale : scales)
      if (Prices few = Proof(market, scale, ascent.prices()).take();
          few.bound >= limits.target)
        return few;
    return best;
  }
  return best;
}

} // namespace npu::search
