// SPDX-License-Identifier: Apache-2.0
#include "compiler/Search/Encoding.h"

#include <map>
#include <numeric>

namespace npu::search {

namespace {

using Set = LayoutSet;

constexpr size_t maxSets = 1024;

/// One op that reads a value: what it needs of it in each of its ways.
struct Reader {
  int op = 0;
  std::vector<Set> needs;
};

struct ValueUse {
  int producer = -1;
  int result = 0;              // which of the producer's results it is
  std::vector<Reader> readers; // in graph order, those that need some layout
};

/// The set of layouts in which a group of values is read. All values of a
/// group have the same readers, which read them alike.
struct Group {
  std::vector<int> values;              // the first one's layouts are the bits
  std::vector<std::vector<int>> rename; // of each value, from the first's
  std::vector<int> children;            // groups that this one contains
  std::vector<std::vector<int>> childRename; // their layouts in this group's
  std::vector<Set> sets;                     // the states of the variable
  int variable = -1;
};

Set renamed(Set set, const std::vector<int> &rename) {
  Set result = 0;
  for (size_t bit = 0; set != 0; ++bit, set >>= 1)
    if (set & 1)
      result |= Set(1) << rename[bit];
  return result;
}

class Encoder {
public:
  Encoder(const Problem &problem, const RelayoutTrees &trees)
      : problem(problem), trees(trees), uses(problem.values.size()),
        groupOf(problem.values.size(), -1) {}

  Encoding run() {
    collectUses();
    for (const Op &op : problem.ops) {
      encoding.network.variables.emplace_back();
      for (const Way &way : op.ways)
        encoding.network.variables.back().push_back(way.cost);
    }
    makeGroups();
    for (size_t v = 0; v < uses.size(); ++v)
      if (uses[v].readers.size() == 1)
        payDirectly(static_cast<int>(v));
    for (int group : fewestReadersFirst())
      if (encoding.complete)
        encodeGroup(groups[group]);
    return std::move(encoding);
  }

private:
  int storedIn(int value, size_t way) const {
    const ValueUse &use = uses[value];
    const Op &op = problem.ops[use.producer];
    return op.ways[way].layouts[op.operands.size() + use.result];
  }

  Cost movesOf(int value, size_t producerWay, Set set) const {
    return trees.cost(value, storedIn(value, producerWay), set);
  }

  void collectUses() {
    for (size_t i = 0; i < problem.ops.size(); ++i) {
      const Op &op = problem.ops[i];
      for (size_t k = 0; k < op.results.size(); ++k) {
        uses[op.results[k]].producer = static_cast<int>(i);
        uses[op.results[k]].result = static_cast<int>(k);
      }
      for (size_t k = 0; k < op.operands.size(); ++k)
        addReader(static_cast<int>(i), k);
    }
  }

  void addReader(int index, size_t operand) {
    const Op &op = problem.ops[index];
    int value = op.operands[operand];
    std::vector<Reader> &readers = uses[value].readers;
    bool known = !readers.empty() && readers.back().op == index;
    std::vector<Set> needs(op.ways.size(), 0);
    Set any = 0;
    for (size_t way = 0; way < needs.size(); ++way) {
      int layout = op.ways[way].layouts[operand];
      if (layout != asStored)
        any |= needs[way] = setOf(layout);
    }
    if (any == 0)
      return;
    if (!known) {
      readers.push_back({index, std::move(needs)});
      return;
    }
    for (size_t way = 0; way < needs.size(); ++way)
      readers.back().needs[way] |= needs[way];
  }

  /// How layouts of v correspond to layouts of u in the eyes of v's readers.
  /// Empty if some of them do not read u, or not alike.
  std::vector<int> correspondence(int v, int u) const {
    std::vector<int> rename(problem.values[v].layouts, -1);
    const std::vector<Reader> &outer = uses[u].readers;
    size_t at = 0;
    for (const Reader &reader : uses[v].readers) {
      while (at < outer.size() && outer[at].op < reader.op)
        ++at;
      if (at == outer.size() || outer[at].op != reader.op)
        return {};
      for (size_t way = 0; way < reader.needs.size(); ++way) {
        Set mine = reader.needs[way], theirs = outer[at].needs[way];
        if (mine == 0 && theirs == 0)
          continue;
        // Two layouts at once do not say which is which.
        if (mine == 0 || theirs == 0 || (mine & (mine - 1)) != 0 ||
            (theirs & (theirs - 1)) != 0)
          return {};
        int &to = rename[__builtin_ctzll(mine)];
        int layout = __builtin_ctzll(theirs);
        if (to >= 0 && to != layout)
          return {};
        to = layout;
      }
    }
    return rename;
  }

  /// The group whose set contains what v's readers need; -1: none. Values with
  /// few readers are tried first: the tightest set is the best link.
  struct Link {
    int group = -1;
    bool same = false;
    std::vector<int> rename; // v's layouts in the group's; or back if same
  };

  Link findLink(int v) const {
    const std::vector<Reader> &mine = uses[v].readers;
    const Reader *narrow = &mine.front();
    for (const Reader &reader : mine)
      if (problem.ops[reader.op].operands.size() <
          problem.ops[narrow->op].operands.size())
        narrow = &reader;
    std::vector<int> candidates;
    for (int u : problem.ops[narrow->op].operands)
      if (u != v && groupOf[u] >= 0 && groups[groupOf[u]].values[0] == u)
        candidates.push_back(u);
    constexpr size_t tries = 8;
    size_t sorted = std::min(tries, candidates.size());
    // Groups are made from many readers to few: the last made is the tightest.
    std::partial_sort(candidates.begin(), candidates.begin() + sorted,
                      candidates.end(),
                      [&](int a, int b) { return groupOf[a] > groupOf[b]; });
    for (size_t i = 0; i < sorted; ++i) {
      int u = candidates[i];
      std::vector<int> rename = correspondence(v, u);
      if (rename.empty())
        continue;
      if (uses[u].readers.size() == mine.size()) {
        std::vector<int> back = correspondence(u, v);
        if (!back.empty())
          return {groupOf[u], true, std::move(back)};
      }
      return {groupOf[u], false, std::move(rename)};
    }
    return {};
  }

  void makeGroups() {
    std::vector<int> order;
    for (size_t v = 0; v < uses.size(); ++v)
      if (uses[v].readers.size() > 1)
        order.push_back(static_cast<int>(v));
    std::sort(order.begin(), order.end(), [&](int a, int b) {
      size_t more = uses[a].readers.size(), fewer = uses[b].readers.size();
      return more != fewer ? more > fewer : a < b;
    });
    for (int v : order) {
      Link link = findLink(v);
      if (link.same) {
        groupOf[v] = link.group;
        groups[link.group].values.push_back(v);
        groups[link.group].rename.push_back(std::move(link.rename));
        continue;
      }
      groupOf[v] = static_cast<int>(groups.size());
      if (link.group >= 0) {
        groups[link.group].children.push_back(groupOf[v]);
        groups[link.group].childRename.push_back(std::move(link.rename));
      }
      std::vector<int> identity(problem.values[v].layouts);
      std::iota(identity.begin(), identity.end(), 0);
      groups.push_back({{v}, {std::move(identity)}, {}, {}, {}, -1});
    }
  }

  /// Children were made after what contains them.
  std::vector<int> fewestReadersFirst() const {
    std::vector<int> order(groups.size());
    std::iota(order.rbegin(), order.rend(), 0);
    return order;
  }

  /// The readers of a group that no contained group speaks for.
  std::vector<const Reader *> directReaders(const Group &group) {
    std::vector<int> spoken;
    for (int child : group.children)
      for (const Reader &reader : uses[groups[child].values[0]].readers)
        spoken.push_back(reader.op);
    std::sort(spoken.begin(), spoken.end());
    std::vector<const Reader *> direct;
    for (const Reader &reader : uses[group.values[0]].readers)
      if (!std::binary_search(spoken.begin(), spoken.end(), reader.op))
        direct.push_back(&reader);
    return direct;
  }

  /// sets = every union of one member of `sets` and one of `more`.
  bool extend(std::vector<Set> &sets, std::vector<Set> more) const {
    std::sort(more.begin(), more.end());
    more.erase(std::unique(more.begin(), more.end()), more.end());
    std::vector<Set> all;
    for (Set a : sets)
      for (Set b : more)
        all.push_back(a | b);
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    sets = std::move(all);
    return sets.size() <= maxSets;
  }

  void encodeGroup(Group &group) {
    std::vector<const Reader *> direct = directReaders(group);
    group.sets = {0};
    bool listed = true;
    for (const Reader *reader : direct)
      listed = listed && extend(group.sets, reader->needs);
    for (size_t i = 0; i < group.children.size(); ++i) {
      std::vector<Set> inner;
      for (Set set : groups[group.children[i]].sets)
        inner.push_back(renamed(set, group.childRename[i]));
      listed = listed && extend(group.sets, std::move(inner));
    }
    group.variable = static_cast<int>(encoding.network.variables.size());
    if (!listed) {
      encoding.complete = false;
      group.sets = {0};
      return;
    }
    encoding.network.variables.emplace_back(group.sets.size(), 0);
    encoding.sets.push_back({group.variable, group.sets, {}});
    for (const Reader *reader : direct)
      require(reader->op, reader->needs);
    for (size_t i = 0; i < group.children.size(); ++i) {
      const Group &child = groups[group.children[i]];
      std::vector<Set> inner;
      for (Set set : child.sets)
        inner.push_back(renamed(set, group.childRename[i]));
      require(child.variable, std::move(inner));
    }
    for (size_t i = 0; i < group.values.size(); ++i)
      payForSet(group, group.values[i], group.rename[i]);
  }

  /// The newest set contains needs[state of variable].
  void require(int variable, std::vector<Set> needs) {
    Encoding::SetVariable &owner = encoding.sets.back();
    PairCost pair{variable, owner.variable, {}};
    for (Set need : needs)
      for (Set set : owner.sets)
        pair.table.push_back((need & ~set) == 0 ? 0 : forbidden);
    encoding.network.pairs.push_back(std::move(pair));
    owner.demands.push_back({variable, std::move(needs)});
  }

  void payForSet(const Group &group, int value,
                 const std::vector<int> &rename) {
    int producer = uses[value].producer;
    PairCost pair{producer, group.variable, {}};
    std::vector<Set> sets;
    for (Set set : group.sets)
      sets.push_back(renamed(set, rename));
    for (size_t way = 0; way < problem.ops[producer].ways.size(); ++way)
      for (Set set : sets)
        pair.table.push_back(movesOf(value, way, set));
    encoding.network.pairs.push_back(std::move(pair));
  }

  void payDirectly(int value) {
    const ValueUse &use = uses[value];
    const Reader &reader = use.readers.front();
    PairCost pair{use.producer, reader.op, {}};
    for (size_t way = 0; way < problem.ops[use.producer].ways.size(); ++way)
      for (Set need : reader.needs)
        pair.table.push_back(movesOf(value, way, need));
    encoding.network.pairs.push_back(std::move(pair));
  }

  const Problem &problem;
  const RelayoutTrees &trees;
  std::vector<ValueUse> uses;
  std::vector<int> groupOf;
  std::vector<Group> groups;
  Encoding encoding;
};

} // namespace

std::vector<int> Encoding::statesOf(const std::vector<int> &ways) const {
  std::vector<int> states = ways;
  states.resize(network.variables.size(), 0);
  for (const SetVariable &owner : sets) {
    Set needed = 0;
    for (const Demand &demand : owner.demands)
      needed |= demand.needs[states[demand.variable]];
    auto at = std::lower_bound(owner.sets.begin(), owner.sets.end(), needed);
    states[owner.variable] = static_cast<int>(at - owner.sets.begin());
  }
  return states;
}

Encoding encode(const Problem &problem, const RelayoutTrees &trees) {
  return Encoder(problem, trees).run();
}

} // namespace npu::search
