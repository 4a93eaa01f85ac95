// SPDX-License-Identifier: Apache-2.0
#include "compiler/Search/Narrowing.h"

#include "compiler/Search/Contraction.h"
#include "compiler/Search/Elimination.h"

#include <numeric>

namespace npu::search {

namespace {

std::vector<int> numbersOf(const std::vector<char> &stays) {
  std::vector<int> result;
  for (size_t i = 0; i < stays.size(); ++i)
    if (stays[i])
      result.push_back(static_cast<int>(i));
  return result;
}

template <class T>
std::vector<T> pick(const std::vector<T> &from, const std::vector<int> &which) {
  std::vector<T> result;
  for (int i : which)
    result.push_back(from[i]);
  return result;
}

/// Costs times 2^shift: so much less is lost where messages are rounded.
CostNetwork scaled(CostNetwork network, int shift) {
  auto scale = [&](std::vector<Cost> &costs) {
    for (Cost &cost : costs)
      cost = cost > forbidden >> shift ? forbidden : cost << shift;
  };
  for (std::vector<Cost> &costs : network.variables)
    scale(costs);
  for (PairCost &pair : network.pairs)
    scale(pair.table);
  return network;
}

/// The network with these states of each variable.
CostNetwork restricted(const CostNetwork &network,
                       const std::vector<std::vector<int>> &states) {
  CostNetwork result;
  for (size_t v = 0; v < states.size(); ++v)
    result.variables.push_back(pick(network.variables[v], states[v]));
  for (const PairCost &pair : network.pairs) {
    const size_t columns = network.size(pair.second);
    result.pairs.push_back({pair.first, pair.second, {}});
    for (int i : states[pair.first])
      for (int k : states[pair.second])
        result.pairs.back().table.push_back(pair.table[i * columns + k]);
  }
  return result;
}

} // namespace

Narrowing::Narrowing(const CostNetwork &whole, Cost best) : whole(whole) {
  constexpr Cost largest = Cost(1) << 57;
  while (shift < 40 && best << shift < largest)
    ++shift;
  most = best << shift;
  for (const std::vector<Cost> &costs : whole.variables) {
    stays.emplace_back(costs.size(), 1);
    names.push_back(static_cast<int>(names.size()));
    states.emplace_back(costs.size());
    std::iota(states.back().begin(), states.back().end(), 0);
  }
  begin(scaled(whole, shift));
}

Narrowing::Narrowing(const Narrowing &other, int neighbours)
    : whole(other.whole), most(other.most), shift(other.shift),
      neighbours(neighbours), stays(other.stays), constant(other.constant),
      names(other.names), states(other.states) {
  begin(other.messages->moved());
}

void Narrowing::begin(CostNetwork next) {
  Contraction contraction = contract(next, neighbours);
  constant += contraction.constant;
  names = pick(names, contraction.kept);
  states = pick(states, contraction.kept);
  network = std::move(contraction.network);
  messages = std::make_unique<Messages>(network, most);
}

size_t Narrowing::size() const {
  size_t sum = 0;
  for (const std::vector<int> &mine : states)
    sum += mine.size();
  return sum;
}

Cost Narrowing::narrow(Cost best) {
  Messages::Bound bound = messages->bound();
  std::vector<std::vector<char>> keep;
  size_t kept = 0;
  for (const std::vector<Cost> &costs : bound.withState) {
    keep.emplace_back();
    for (Cost cost : costs)
      keep.back().push_back(constant + cost <= (best - 1) << shift);
    size_t mine = numbersOf(keep.back()).size();
    if (mine == 0)
      return best;
    kept += mine;
  }
  Cost least = rounded(constant + bound.least, best);
  // To begin anew takes as long as many messages.
  constexpr double worthwhile = 0.95;
  if (static_cast<double>(kept) > worthwhile * static_cast<double>(size()))
    return least;
  keepOnly(keep);
  return names.empty() ? std::max(least, rounded(constant, best)) : least;
}

/// A bound in the costs of the whole network: choices cost whole numbers.
Cost Narrowing::rounded(Cost bound, Cost best) const {
  return std::clamp(((bound - 1) >> shift) + 1, Cost(0), best);
}

void Narrowing::keepOnly(const std::vector<std::vector<char>> &keep) {
  std::vector<std::vector<int>> left;
  for (size_t v = 0; v < keep.size(); ++v) {
    left.push_back(numbersOf(keep[v]));
    for (size_t s = 0; s < keep[v].size(); ++s)
      if (!keep[v][s])
        stays[names[v]][states[v][s]] = 0;
  }
  CostNetwork moved = restricted(messages->moved(), left);
  for (size_t v = 0; v < left.size(); ++v)
    states[v] = pick(states[v], left[v]);
  begin(std::move(moved));
}

std::vector<int> Narrowing::solve(int64_t tableEntries,
                                  const Deadline &deadline) const {
  std::vector<std::vector<int>> left;
  for (const std::vector<char> &mine : stays)
    left.push_back(numbersOf(mine));
  CostNetwork rest = restricted(whole, left);
  EliminationPlan plan = planElimination(rest, tableEntries);
  if (!plan.fits)
    return {};
  std::vector<int> result = eliminate(rest, plan, deadline);
  for (size_t v = 0; v < result.size(); ++v)
    result[v] = left[v][result[v]];
  return result;
}

std::vector<int> Narrowing::guess(int candidates,
                                  const Deadline &deadline) const {
  constexpr int passes = 10;
  // Candidates between two others would go before they have been decided.
  Narrowing some(*this, 1);
  do
    for (int i = 0; i < passes; ++i) {
      if (deadline.over())
        return {};
      some.pass(deadline);
    }
  while (some.leaveOutDearest(candidates));
  constexpr int64_t tableEntries = 1 << 20;
  return some.solve(tableEntries, deadline);
}

/// False if all candidates are decided.
bool Narrowing::leaveOutDearest(int candidates) {
  constexpr double part = 0.15;
  Messages::Bound bound = messages->bound();
  std::vector<Cost> costs;
  for (size_t v = 0; v < names.size(); ++v)
    if (names[v] < candidates)
      costs.insert(costs.end(), bound.withState[v].begin(),
                   bound.withState[v].end());
  if (costs.empty())
    return false;
  auto limit =
      costs.begin() + static_cast<ptrdiff_t>((1 - part) * costs.size());
  std::nth_element(costs.begin(), limit, costs.end());
  // States that fit each other stay; and nothing else, if these are dearest.
  std::vector<int> chosen = messages->choose();
  std::vector<std::vector<char>> keep, fitting;
  size_t kept = 0;
  for (size_t v = 0; v < names.size(); ++v) {
    const bool candidate = names[v] < candidates;
    keep.emplace_back();
    for (Cost cost : bound.withState[v])
      keep.back().push_back(!candidate || cost < *limit);
    fitting.emplace_back(keep.back().size(), !candidate);
    keep.back()[chosen[v]] = fitting.back()[chosen[v]] = 1;
    kept += numbersOf(keep.back()).size();
  }
  keepOnly(kept < size() ? keep : fitting);
  return true;
}

} // namespace npu::search
