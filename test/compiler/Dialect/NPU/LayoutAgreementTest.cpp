// SPDX-License-Identifier: Apache-2.0
//
// Which layouts the operand and the result of a slice, a pad or a concatenation
// may have together, against enumeration of everything that can be spelled: one
// spelling must say how both are stored.
#include "compiler/Dialect/NPU/LayoutRelations.h"
#include "compiler/Dialect/NPU/LayoutTransfer.h"
#include "test/compiler/Dialect/NPU/StoredMemory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

using namespace npu;
using test::allShapes;
using test::memoryOf;
using test::product;
using test::Shape;
using test::stored;

namespace {

using Memory = std::vector<int64_t>;

/// All layouts of this rank in up to `most` blocks of these sizes.
std::vector<StoredOrder> spellings(size_t rank, int most, const Shape &sizes) {
  std::vector<std::vector<LayoutBlock>> blocks = {{}};
  for (size_t first = 0; most-- > 0;) {
    size_t end = blocks.size();
    for (; first < end; ++first)
      for (size_t dim = 0; dim < rank; ++dim)
        for (int64_t size : sizes) {
          std::vector<LayoutBlock> longer = blocks[first];
          longer.push_back({static_cast<int64_t>(dim), size});
          blocks.push_back(std::move(longer));
        }
  }
  std::vector<StoredOrder> found;
  StoredOrder plain = StoredOrder::rowMajor(rank);
  Shape order(plain.order.begin(), plain.order.end());
  do
    for (const std::vector<LayoutBlock> &chosen : blocks)
      found.push_back(stored(order, chosen));
  while (std::next_permutation(order.begin(), order.end()));
  return found;
}

/// Whether some spelling has one value's elements where `a` has them and the
/// other's where `b` has them.
bool haveOneSpelling(const std::vector<StoredOrder> &spelled, const Shape &from,
                     const Memory &a, const Shape &to, const Memory &b) {
  return llvm::any_of(spelled, [&](const StoredOrder &layout) {
    return memoryOf(layout, from) == a && memoryOf(layout, to) == b;
  });
}

std::string text(const Shape &shape, const StoredOrder &layout) {
  std::string result = testing::PrintToString(shape) + " in " +
                       testing::PrintToString(layout.order);
  for (const LayoutBlock &block : layout.blocks)
    result +=
        " " + std::to_string(block.size) + "*" + std::to_string(block.dim);
  return result;
}

/// Two values of an op that takes its operand's dimensions for its result's.
class Pair {
public:
  Pair(const Shape &from, const Shape &to)
      : from(from), to(to), relation(relations::samePlaces({from}, to)) {}

  bool agree(const StoredOrder &a, const StoredOrder &b) const {
    return layoutsAgree({relation.operands[0], from}, a,
                        {relation.results[0], to}, b);
  }

  TransferResult carry(const StoredOrder &a) const {
    return transferLayout({relation.operands[0], from}, a,
                          {relation.results[0], to});
  }

private:
  const Shape &from, &to;
  LayoutRelation relation;
};

/// A shape whose extents differ in some dimensions, larger or smaller.
Shape resized(Shape shape, std::mt19937 &random) {
  for (int64_t &extent : shape)
    if (random() % 2)
      extent = 2 + random() % 11;
  return shape;
}

/// Whether a block begins behind the end of its dimension: nothing but padding,
/// which lies alike wherever it is said to be.
bool hasEmptyBlock(const StoredOrder &layout, const Shape &shape) {
  Shape place(shape.size(), 1);
  for (const LayoutBlock &block : llvm::reverse(layout.blocks)) {
    if (place[block.dim] >= shape[block.dim])
      return true;
    place[block.dim] *= block.size;
  }
  return false;
}

TEST(LayoutAgreement, IsOneSpellingOfBoth) {
  std::mt19937 random(3);
  std::map<size_t, std::vector<StoredOrder>> few, many;
  for (size_t rank = 1; rank <= 3; ++rank) {
    few[rank] = spellings(rank, 2, {2, 3, 4});
    many[rank] =
        spellings(rank, rank == 3 ? 3 : 4, {2, 3, 4, 5, 6, 8, 9, 12, 16});
  }
  int agreeing = 0, wrong = 0;
  for (const Shape &from : allShapes(48)) {
    if (from.empty() || from.size() > 3 || llvm::is_contained(from, 1))
      continue;
    Shape to = resized(from, random);
    Pair pair(from, to);
    const std::vector<StoredOrder> &spelled = few[from.size()];
    for (int round = 0; round < 32; ++round) {
      StoredOrder a = spelled[random() % spelled.size()];
      StoredOrder b = round % 2 ? a : spelled[random() % spelled.size()];
      if (hasEmptyBlock(a, from) || hasEmptyBlock(b, to))
        continue;
      if (round & 2)
        a = normalForm(a, from);
      if (round & 4)
        b = normalForm(b, to);
      Memory memoryA = memoryOf(a, from), memoryB = memoryOf(b, to);
      bool expected = haveOneSpelling(spelled, from, memoryA, to, memoryB);
      bool found = pair.agree(a, b);
      agreeing += found;
      if (found && !expected)
        expected =
            haveOneSpelling(many[from.size()], from, memoryA, to, memoryB);
      if (found != expected && ++wrong < 30)
        ADD_FAILURE() << text(from, a) << ", " << text(to, b) << ": "
                      << (found ? "agree, one spelling says neither"
                                : "one spelling says both");
    }
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(agreeing, 1000);
}

} // namespace
