// SPDX-License-Identifier: Apache-2.0
#include "certificate/certificate.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace npu::certificate {

namespace {

using Set = uint64_t;                              // of layouts of one value
constexpr int64_t never = 1ll << 60;               // more than anything costs
constexpr size_t mostSets = 4096, mostOpen = 4096; // docs/certificate.md

void lower(int64_t &least, int64_t other) { least = std::min(least, other); }

/// What the cheapest tree of relayouts from a layout of a value to all of a set
/// costs, by way of any others.
class Trees {
public:
  Trees(const Numbers &costs, int64_t layouts, Work &work)
      : count(layouts), nearest(costs), work(work) {
    work.spend(count * count * count);
    for (int64_t by = 0; by < count; ++by)
      for (int64_t from = 0; from < count; ++from)
        for (int64_t to = 0; to < count; ++to)
          lower(nearest[from * count + to],
                nearest[from * count + by] + nearest[by * count + to]);
  }

  /// By the layout where the tree starts. It goes to some layout, and from
  /// there to a part of the set and to the rest.
  const Numbers &to(Set set) {
    auto [at, isNew] = known.try_emplace(set, count, set == 0 ? 0 : never);
    Numbers &least = at->second;
    if (!isNew || set == 0)
      return least;
    Numbers fork(count, never);
    if ((set & (set - 1)) == 0)
      fork[__builtin_ctzll(set)] = 0;
    for (Set part = (set - 1) & set; part != 0; part = (part - 1) & set) {
      const Numbers &one = to(part), &rest = to(set ^ part);
      work.spend(count);
      for (int64_t i = 0; i < count; ++i)
        lower(fork[i], one[i] + rest[i]);
    }
    work.spend(count * count);
    for (int64_t from = 0; from < count; ++from)
      for (int64_t i = 0; i < count; ++i)
        lower(least[from], nearest[from * count + i] + fork[i]);
    return least;
  }

private:
  const int64_t count;
  Numbers nearest; // from * layouts + to
  Work &work;
  std::map<Set, Numbers> known;
};

/// A value that later ops read. How much was paid for its copies does not tell
/// two from each other: the less is still to be paid, the better.
struct Open {
  int64_t stored = 0;
  Set read = 0;
  int64_t paid = 0;
  bool operator<(const Open &other) const {
    return std::tie(stored, read) < std::tie(other.stored, other.read);
  }
};

/// What later ops can know of a choice for the first ones.
using Combination = std::map<int64_t, Open>;

/// One case; its costs are in parts of a unit here.
class Prices {
public:
  Prices(const Certificate &all, const Case &one,
         std::map<int64_t, Trees> &trees, Work &work)
      : all(all), one(one), trees(trees), work(work), uses(all.values.size()),
        spare(all.values.size()) {
    for (size_t i = 0; i < all.ops.size(); ++i)
      for (size_t k = 0; k < all.ops[i].reads.size(); ++k)
        uses[all.ops[i].reads[k]].emplace_back(i, k);
    for (size_t value = 0; value < uses.size(); ++value)
      findSpare(value);
    for (size_t i = 0; i < all.ops.size(); ++i) {
      excess.emplace_back();
      for (const Numbers &way : waysOf(i))
        excess.back().push_back(costOf(i, way));
      const auto least = *std::min_element(excess[i].begin(), excess[i].end());
      for (int64_t &cost : excess[i])
        cost -= least;
      bound += least;
    }
  }

  /// Throws if a plan costs less than so many units, or may.
  void requireNoneBelow(int64_t units) {
    // Costs are whole numbers. A plan as cheap as the prices say is found soon.
    // All plans of this case cost less than mostCost, whatever the plan's does.
    const int64_t most = std::min(units - 1, mostCost / one.scale);
    const int64_t limit = most * one.scale + 1;
    for (int64_t first : {std::min(limit, bound + one.scale), limit})
      if (const int64_t least = cheapestBelow(first); least < first)
        throw Refuted("a plan of " + std::to_string(least / one.scale) + " " +
                      all.unit + " is cheaper");
  }

private:
  const std::vector<Numbers> &waysOf(size_t op) const {
    return all.ways[one.ways[op]];
  }
  int64_t priceOf(size_t op, size_t operand, int64_t layout) const {
    const bool isFree = one.prices.empty() || layout == asStored;
    return isFree ? 0 : one.prices[op][operand][layout];
  }
  int64_t treeCost(int64_t value, int64_t stored, Set set) {
    const int64_t list = one.relayouts[value];
    auto at =
        trees.try_emplace(list, all.relayouts[list], all.values[value], work);
    return one.scale * at.first->second.to(set)[stored];
  }

  /// What the cheapest plan below `limit` costs, or `limit`. Goes through the
  /// ops with all combinations that may stay below.
  int64_t cheapestBelow(int64_t limit) {
    std::map<Combination, int64_t> open = {{{}, bound}}, next;
    for (size_t i = 0; i < all.ops.size() && !open.empty(); ++i) {
      next.clear();
      for (const auto &[combination, cost] : open)
        for (size_t w = 0; w < excess[i].size(); ++w)
          extend(i, w, combination, cost, limit, next);
      open.swap(next);
      if (open.size() > mostOpen)
        throw Refuted("the prices leave too much open to go through, bound " +
                      std::to_string(bound / one.scale));
    }
    return open.empty() ? limit : open.begin()->second;
  }

  /// By the set of layouts that a value's readers need together: the most that
  /// they may pay for it.
  std::map<Set, int64_t> incomeOf(size_t value) {
    std::map<Set, int64_t> sets = {{0, 0}};
    for (auto [op, operand] : uses[value]) {
      std::map<Set, int64_t> more;
      for (const Numbers &way : waysOf(op)) {
        const int64_t layout = way[1 + operand];
        const Set needed = layout == asStored ? 0 : 1ull << layout;
        work.spend(8 * sets.size());
        for (auto [set, paid] : sets) {
          auto at = more.try_emplace(set | needed, -never).first;
          at->second =
              std::max(at->second, paid + priceOf(op, operand, layout));
        }
      }
      if (more.size() > mostSets)
        throw Malformed("value " + std::to_string(value) +
                        " may be read in too many sets of layouts");
      sets.swap(more);
    }
    return sets;
  }

  /// By the layout that the value is stored in: the least that its copies cost
  /// beyond what is paid for them. The op that makes it pays that.
  void findSpare(size_t value) {
    spare[value].resize(all.values[value], never);
    for (auto [set, paid] : incomeOf(value))
      for (int64_t stored = 0; stored < all.values[value]; ++stored)
        lower(spare[value][stored], treeCost(value, stored, set) - paid);
  }

  int64_t costOf(size_t index, const Numbers &way) const {
    const auto &[reads, makes] = all.ops[index];
    int64_t cost = one.scale * way[0];
    for (size_t k = 0; k < reads.size(); ++k)
      cost += priceOf(index, k, way[1 + k]);
    for (size_t k = 0; k < makes.size(); ++k)
      cost += spare[makes[k]][way[1 + reads.size() + k]];
    return cost;
  }

  void extend(size_t index, size_t w, Combination combination, int64_t cost,
              int64_t limit, std::map<Combination, int64_t> &next) {
    work.spend(32 * (1 + combination.size()));
    const auto &[reads, makes] = all.ops[index];
    const Numbers &way = waysOf(index)[w];
    cost += excess[index][w];
    for (size_t k = 0; k < reads.size(); ++k)
      if (way[1 + k] != asStored) {
        Open &value = combination[reads[k]];
        const int64_t price = priceOf(index, k, way[1 + k]);
        value.read |= 1ull << way[1 + k];
        value.paid += price;
        cost -= price;
      }
    for (size_t k = 0; k < makes.size(); ++k)
      if (!uses[makes[k]].empty())
        combination[makes[k]].stored = way[1 + reads.size() + k];
    for (int64_t value : reads)
      if (auto last = combination.find(value);
          uses[value].back().first == index && last != combination.end()) {
        const auto &[stored, read, paid] = last->second;
        cost += treeCost(value, stored, read) - spare[value][stored];
        combination.erase(last);
      }
    int64_t atLeast = cost;
    for (const auto &[value, state] : combination)
      atLeast += state.paid;
    auto known = next.find(combination);
    if (atLeast >= limit || (known != next.end() && known->second <= cost))
      return;
    next.erase(combination);
    next.emplace(std::move(combination), cost);
  }

  const Certificate &all;
  const Case &one;
  std::map<int64_t, Trees> &trees; // by number in the certificate's relayouts
  Work &work;
  std::vector<std::vector<std::pair<size_t, size_t>>> uses; // op, operand
  std::vector<Numbers> spare;  // by value and layout
  std::vector<Numbers> excess; // by op and way: over its least
  int64_t bound = 0;           // all ops' least
};

/// Each op has what it reads, and the plan costs what it says.
void checkPlan(const Certificate &all) {
  const Case &one = all.cases[all.planCase];
  std::vector<Set> there(all.values.size(), 0), read = there;
  int64_t cost = 0;
  for (size_t i = 0; i < all.ops.size(); ++i) {
    const auto &[reads, makes] = all.ops[i];
    const Numbers &way = all.ways[one.ways[i]][all.planWays[i]];
    cost += way[0];
    for (size_t k = 0; k < reads.size(); ++k)
      if (way[1 + k] != asStored)
        read[reads[k]] |= 1ull << way[1 + k];
    for (size_t k = 0; k < makes.size(); ++k)
      there[makes[k]] = 1ull << way[1 + reads.size() + k];
  }
  for (const Numbers &step : all.planRelayouts) {
    const int64_t value = step[0], from = step[1], to = step[2];
    if (!(there[value] >> from & 1))
      throw Refuted("the plan copies value " + std::to_string(value) +
                    " from layout " + std::to_string(from) +
                    ", which is not there");
    there[value] |= 1ull << to;
    cost += all.relayouts[one.relayouts[value]][from * all.values[value] + to];
    // The certificate says how many there are: their sum may be any.
    if (cost > mostCost)
      throw Refuted("the plan costs over 2^54 " + all.unit);
  }
  for (size_t value = 0; value < read.size(); ++value)
    if (read[value] & ~there[value])
      throw Refuted("the plan reads value " + std::to_string(value) +
                    " in a layout that is not there");
  if (cost != all.planCost)
    throw Refuted("the plan costs " + std::to_string(cost) + " " + all.unit +
                  ", the certificate says " + std::to_string(all.planCost));
}

} // namespace

void check(const Certificate &all, Work &work) {
  checkPlan(all);
  std::map<int64_t, Trees> trees;
  // The plan's case first: what its prices lead to is the cheapest plan, if
  // this one is not.
  for (int64_t i = -1; i < int64_t(all.cases.size()); ++i)
    Prices(all, all.cases[i < 0 ? all.planCase : i], trees, work)
        .requireNoneBelow(all.planCost);
  checkSlots(all, work);
}

} // namespace npu::certificate
