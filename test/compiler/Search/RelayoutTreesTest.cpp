// SPDX-License-Identifier: Apache-2.0
#include "compiler/Search/RelayoutTrees.h"

#include <gtest/gtest.h>

#include <random>

namespace npu::search::test {

namespace {

/// A value that may be stored and read in all of its layouts.
Problem valueWith(std::vector<Cost> move, int layouts) {
  Problem problem;
  problem.values = {{layouts, std::move(move)}};
  problem.ops = {{{}, {0}, {}}, {{0}, {}, {}}};
  for (int layout = 0; layout < layouts; ++layout)
    for (Op &op : problem.ops)
      op.ways.push_back({0, {layout}});
  return problem;
}

Problem randomValue(uint64_t seed) {
  std::mt19937_64 random(seed);
  int layouts = 2 + static_cast<int>(random() % 4);
  Cost most = seed % 3 == 0 ? 3 : 40;
  std::vector<Cost> move;
  for (int from = 0; from < layouts; ++from)
    for (int to = 0; to < layouts; ++to)
      move.push_back(from == to ? 0 : static_cast<Cost>(random() % (most + 1)));
  return valueWith(std::move(move), layouts);
}

/// The layouts that are there if each is made from its parent (-1: not made).
LayoutSet madeBy(const std::vector<int> &parents, int stored) {
  LayoutSet made = setOf(stored), before = 0;
  while (made != before) {
    before = made;
    for (size_t layout = 0; layout < parents.size(); ++layout)
      if (parents[layout] >= 0 && (made & setOf(parents[layout])))
        made |= setOf(static_cast<int>(layout));
  }
  return made;
}

/// The least cost of all ways to make each layout from some other, or not.
Cost tryEverything(const Value &value, int stored, LayoutSet wanted) {
  std::vector<int> parents(value.layouts, -1);
  Cost least = INT64_MAX;
  for (size_t at = 0; at < parents.size();) {
    if ((wanted & ~madeBy(parents, stored)) == 0) {
      Cost cost = 0;
      for (int layout = 0; layout < value.layouts; ++layout)
        if (parents[layout] >= 0)
          cost += value.move[parents[layout] * value.layouts + layout];
      least = std::min(least, cost);
    }
    for (at = 0; at < parents.size() && ++parents[at] == value.layouts; ++at)
      parents[at] = -1;
  }
  return least;
}

/// The tree makes what is wanted, each copy once and from one that is there.
void expectTree(const Value &value, const std::vector<Relayout> &tree,
                int stored, LayoutSet wanted, Cost cost) {
  LayoutSet made = setOf(stored);
  Cost sum = 0;
  for (Relayout relayout : tree) {
    EXPECT_TRUE(made & setOf(relayout.from));
    EXPECT_FALSE(made & setOf(relayout.to));
    made |= setOf(relayout.to);
    sum += value.move[relayout.from * value.layouts + relayout.to];
  }
  EXPECT_EQ(wanted & ~made, 0u);
  EXPECT_EQ(sum, cost);
}

TEST(RelayoutTrees, SameAsTryingEverything) {
  int shared = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    Problem problem = randomValue(seed);
    const Value &value = problem.values[0];
    RelayoutTrees trees(problem);
    shared += trees.shares(0);
    for (int stored = 0; stored < value.layouts; ++stored)
      for (LayoutSet set = 0; set < setOf(value.layouts); ++set) {
        SCOPED_TRACE("seed " + std::to_string(seed) + ", from " +
                     std::to_string(stored) + " to " + std::to_string(set));
        Cost cost = trees.cost(0, stored, set);
        ASSERT_EQ(cost, tryEverything(value, stored, set));
        expectTree(value, trees.tree(0, stored, set), stored, set, cost);
      }
  }
  EXPECT_GT(shared, 100);
}

TEST(RelayoutTrees, SharesWhereACopyIsNearer) {
  EXPECT_FALSE(RelayoutTrees(valueWith({0, 5, 5, 0}, 2)).shares(0));
  EXPECT_FALSE(
      RelayoutTrees(valueWith({0, 5, 7, 5, 0, 7, 5, 5, 0}, 3)).shares(0));
  EXPECT_TRUE(
      RelayoutTrees(valueWith({0, 5, 7, 5, 0, 6, 5, 5, 0}, 3)).shares(0));
}

/// Nobody reads layout 1, but the way to 2 and 3 leads over it.
TEST(RelayoutTrees, MakesACopyThatNobodyReads) {
  Problem problem =
      valueWith({0, 10, 90, 90, 90, 0, 1, 2, 90, 90, 0, 90, 90, 90, 90, 0}, 4);
  RelayoutTrees trees(problem);
  EXPECT_EQ(trees.cost(0, 0, setOf(2)), 11);
  EXPECT_EQ(trees.cost(0, 0, setOf(2) | setOf(3)), 13);
  EXPECT_EQ(trees.tree(0, 0, setOf(2) | setOf(3)).front().to, 1);
}

/// A chain through all layouts is the tree to all of them.
TEST(RelayoutTrees, ManyLayoutsAtOnce) {
  constexpr int layouts = 12;
  std::vector<Cost> move;
  for (int from = 0; from < layouts; ++from)
    for (int to = 0; to < layouts; ++to)
      move.push_back(from == to ? 0 : to == from + 1 ? 1 : 100);
  Problem problem = valueWith(std::move(move), layouts);
  RelayoutTrees trees(problem);
  EXPECT_EQ(trees.cost(0, 0, setOf(layouts) - 2), layouts - 1);
  EXPECT_EQ(trees.tree(0, 0, setOf(layouts - 1)).size(), layouts - 1u);
}

} // namespace

} // namespace npu::search::test
