// SPDX-License-Identifier: Apache-2.0
#include "compiler/Search/Elimination.h"

namespace npu::search {

namespace {

/// A cost for each combination of the scope's states; the last variable of the
/// scope is the next to go, and its states lie side by side.
struct Table {
  std::vector<int> scope;
  std::vector<Cost> entries;
};

class Eliminator {
public:
  Eliminator(const CostNetwork &network, const EliminationPlan &plan,
             std::vector<int> states)
      : network(network), plan(plan), state(std::move(states)),
        position(network.variables.size(), -1), unary(network.variables),
        buckets(network.variables.size()) {
    state.resize(network.variables.size(), 0);
    for (size_t i = 0; i < plan.order.size(); ++i)
      position[plan.order[i]] = static_cast<int>(i);
    for (const PairCost &pair : network.pairs)
      addPair(pair);
  }

  std::vector<int> run(const Deadline &deadline) {
    for (int variable : plan.order)
      if (!eliminate(variable, deadline))
        return {};
    return readBack();
  }

private:
  /// Variables outside the plan keep their state: their pairs are costs of the
  /// other side.
  void addPair(const PairCost &pair) {
    int a = pair.first, b = pair.second;
    if (position[a] < 0 && position[b] < 0)
      return;
    if (position[a] < 0 || position[b] < 0) {
      int free = position[a] < 0 ? b : a;
      int columns = network.size(b);
      for (int i = 0; i < network.size(free); ++i)
        unary[free][i] =
            add(unary[free][i], free == a ? pair.table[i * columns + state[b]]
                                          : pair.table[state[a] * columns + i]);
      return;
    }
    bool firstGoesFirst = position[a] < position[b];
    Table table;
    table.scope = firstGoesFirst ? std::vector<int>{b, a} : std::vector{a, b};
    if (!firstGoesFirst) {
      table.entries = pair.table;
    } else {
      int rows = network.size(a), columns = network.size(b);
      table.entries.resize(pair.table.size());
      for (int i = 0; i < rows; ++i)
        for (int j = 0; j < columns; ++j)
          table.entries[j * rows + i] = pair.table[i * columns + j];
    }
    buckets[table.scope.back()].push_back(std::move(table));
  }

  /// The variables that share a table with `variable`; the next to go is last.
  std::vector<int> around(int variable) const {
    std::vector<int> scope;
    for (const Table &table : buckets[variable])
      scope.insert(scope.end(), table.scope.begin(), table.scope.end() - 1);
    std::sort(scope.begin(), scope.end(),
              [&](int a, int b) { return position[a] > position[b]; });
    scope.erase(std::unique(scope.begin(), scope.end()), scope.end());
    return scope;
  }

  /// Tables over the same variables become one.
  void mergeBucket(std::vector<Table> &bucket) {
    std::sort(bucket.begin(), bucket.end(),
              [](const Table &a, const Table &b) { return a.scope < b.scope; });
    size_t kept = 0;
    for (size_t i = 1; i < bucket.size(); ++i) {
      if (bucket[i].scope != bucket[kept].scope) {
        if (++kept != i)
          bucket[kept] = std::move(bucket[i]);
        continue;
      }
      for (size_t e = 0; e < bucket[i].entries.size(); ++e)
        bucket[kept].entries[e] =
            add(bucket[kept].entries[e], bucket[i].entries[e]);
    }
    if (!bucket.empty())
      bucket.resize(kept + 1);
  }

  /// strides[t][k]: how far table t moves when variable k of `scope` does.
  std::vector<std::vector<int64_t>>
  stridesOf(const std::vector<Table> &bucket,
            const std::vector<int> &scope) const {
    std::vector<std::vector<int64_t>> strides;
    for (const Table &table : bucket) {
      strides.emplace_back(scope.size(), 0);
      int64_t stride = 1;
      for (size_t i = table.scope.size(); i-- > 0;) {
        auto at = std::find(scope.begin(), scope.end(), table.scope[i]);
        if (at != scope.end())
          strides.back()[at - scope.begin()] = stride;
        stride *= network.size(table.scope[i]);
      }
    }
    return strides;
  }

  bool eliminate(int variable, const Deadline &deadline) {
    std::vector<Table> &bucket = buckets[variable];
    mergeBucket(bucket);
    Table message;
    message.scope = around(variable);
    int64_t entries = 1;
    for (int other : message.scope)
      entries *= network.size(other);
    message.entries.resize(entries);
    if (!minimise(variable, message, deadline))
      return false;
    if (message.scope.empty())
      return true;
    int next = message.scope.back();
    if (message.scope.size() == 1)
      for (int i = 0; i < network.size(next); ++i)
        unary[next][i] = add(unary[next][i], message.entries[i]);
    else
      buckets[next].push_back(std::move(message));
    return true;
  }

  /// The tables of a bucket by the last variable of the scope that moves them.
  struct Level {
    std::vector<const Cost *> rows;
    std::vector<std::vector<int64_t>> strides; // beside rows
    /// Unary costs and all tables of this level and of those before it.
    std::vector<Cost> sums;
  };

  std::vector<Level> levelsOf(int variable,
                              const std::vector<int> &scope) const {
    const std::vector<Table> &bucket = buckets[variable];
    auto strides = stridesOf(bucket, scope);
    std::vector<Level> levels(scope.size());
    for (Level &level : levels)
      level.sums.resize(unary[variable].size());
    for (size_t t = 0; t < bucket.size(); ++t) {
      size_t last = scope.size();
      while (strides[t][--last] == 0)
        ;
      levels[last].rows.push_back(bucket[t].entries.data());
      levels[last].strides.push_back(std::move(strides[t]));
    }
    return levels;
  }

  static void sumUp(const Level &level, const std::vector<Cost> &before,
                    std::vector<Cost> &sums) {
    const size_t states = sums.size();
    std::copy(before.begin(), before.end(), sums.begin());
    for (const Cost *row : level.rows)
      for (size_t i = 0; i < states; ++i)
        sums[i] = add(sums[i], row[i]);
  }

  /// The least sum with the rows of the last level, of which there is one at
  /// most places.
  static Cost leastOf(const Level &level, const std::vector<Cost> &before,
                      std::vector<Cost> &sums) {
    Cost least = forbidden;
    if (level.rows.size() == 1) {
      const Cost *row = level.rows.front();
      // Sums beyond what is forbidden are not the least.
      for (size_t i = 0; i < sums.size(); ++i)
        least = std::min(least, before[i] + row[i]);
      return least;
    }
    sumUp(level, before, sums);
    return *std::min_element(sums.begin(), sums.end());
  }

  /// message[others] = min over the states of `variable` of all that it pays.
  /// What the first variables of the scope decide is summed when they move,
  /// not once more for each state of the last.
  bool minimise(int variable, Table &message, const Deadline &deadline) {
    const std::vector<int> &scope = message.scope;
    const std::vector<Cost> &own = unary[variable];
    if (scope.empty()) {
      message.entries[0] = *std::min_element(own.begin(), own.end());
      return !deadline.over();
    }
    std::vector<Level> levels = levelsOf(variable, scope);
    auto before = [&](size_t level) -> const std::vector<Cost> & {
      return level ? levels[level - 1].sums : own;
    };
    const size_t last = scope.size() - 1;
    std::vector<int> digits(scope.size(), 0);
    size_t moved = 0; // levels from here on are to be summed
    const size_t step = std::min<size_t>(message.entries.size(), 65536);
    const size_t entrySteps =
        own.size() * std::max<size_t>(1, levels[last].rows.size());
    for (size_t entry = 0; entry < message.entries.size(); ++entry) {
      if (entry % step == 0) {
        deadline.count(static_cast<double>(step * entrySteps));
        if (deadline.over())
          return false;
      }
      for (; moved < last; ++moved)
        sumUp(levels[moved], before(moved), levels[moved].sums);
      message.entries[entry] =
          leastOf(levels[last], before(last), levels[last].sums);
      moved = advance(scope, digits, levels);
    }
    return !deadline.over();
  }

  /// The next combination of the scope's states; the first variable that moved.
  size_t advance(const std::vector<int> &scope, std::vector<int> &digits,
                 std::vector<Level> &levels) const {
    for (size_t k = scope.size(); k-- > 0;) {
      int size = network.size(scope[k]);
      bool wraps = ++digits[k] == size;
      int64_t steps = wraps ? 1 - size : 1;
      for (size_t level = k; level < levels.size(); ++level)
        for (size_t t = 0; t < levels[level].rows.size(); ++t)
          levels[level].rows[t] += steps * levels[level].strides[t][k];
      if (!wraps)
        return k;
      digits[k] = 0;
    }
    return 0;
  }

  /// From the last variable to the first: all that it depends on is known.
  std::vector<int> readBack() {
    for (size_t i = plan.order.size(); i-- > 0;) {
      int variable = plan.order[i];
      std::vector<Cost> sums = unary[variable];
      for (const Table &table : buckets[variable]) {
        int64_t row = 0;
        for (int other : table.scope)
          row = row * network.size(other) +
                (other == variable ? 0 : state[other]);
        for (size_t s = 0; s < sums.size(); ++s)
          sums[s] = add(sums[s], table.entries[row + s]);
      }
      state[variable] = static_cast<int>(
          std::min_element(sums.begin(), sums.end()) - sums.begin());
    }
    return std::move(state);
  }

  const CostNetwork &network;
  const EliminationPlan &plan;
  std::vector<int> state;
  std::vector<int> position; // in the order; -1: keeps its state
  std::vector<std::vector<Cost>> unary;
  std::vector<std::vector<Table>> buckets; // of the variable that goes first
};

} // namespace

std::vector<int> eliminate(const CostNetwork &network,
                           const EliminationPlan &plan,
                           const Deadline &deadline, std::vector<int> states) {
  return Eliminator(network, plan, std::move(states)).run(deadline);
}

} // namespace npu::search
