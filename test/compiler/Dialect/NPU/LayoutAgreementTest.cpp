// SPDX-License-Identifier: Apache-2.0
//
// Which layouts the operand and the result of an op may have together: of a
// slice, a pad or a concatenation against enumeration of everything that can be
// spelled (one spelling must say how both are stored), of others by example.
#include "compiler/Dialect/NPU/LayoutAgreement.h"
#include "compiler/Dialect/NPU/LayoutRelations.h"
#include "compiler/Dialect/NPU/OneSpelling.h"
#include "test/compiler/Dialect/NPU/StoredMemory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

using namespace npu;
using test::allShapes;
using test::memoryOf;
using test::product;
using test::Shape;
using test::stored;

namespace {

using Memory = std::vector<int64_t>;

const StoredOrder nhwc = stored({0, 2, 3, 1});

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

/// The extents with the padding of blocks.
Shape paddedOf(const StoredOrder &layout, const Shape &shape) {
  auto elements = elementsInBlocks(layout, shape.size());
  Shape padded = shape;
  for (size_t dim = 0; dim < shape.size(); ++dim)
    padded[dim] =
        (shape[dim] + elements[dim] - 1) / elements[dim] * elements[dim];
  return padded;
}

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

/// Rows of 3 and rows of 5 that are padded to 6 are both in blocks of 3, which
/// kernels need not know.
TEST(LayoutAgreement, BlocksOfTheSpellingAreKnown) {
  Shape from = {4, 3}, to = {4, 5};
  LayoutRelation relation = relations::samePlaces({from}, to);
  auto agree = [&](int64_t known) {
    return layoutsAgree({relation.operands[0], from}, stored({0, 1}),
                        {relation.results[0], to}, stored({0, 1}, {{1, 2}}),
                        [known](int64_t size) { return size % known == 0; });
  };
  EXPECT_TRUE(agree(3));
  EXPECT_FALSE(agree(2));
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
    for (int round = 0; round < 16; ++round) {
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

/// Of an op that takes one value's dimensions for another's, one that adds
/// them, and one that splits one.
std::vector<std::tuple<Shape, Shape, LayoutRelation>> relatedShapes() {
  return {
      {{2, 2, 2}, {2, 2, 2}, relations::samePlaces({{2, 2, 2}}, {2, 2, 2})},
      {{2, 3, 1}, {2, 3, 1}, relations::samePlaces({{2, 3, 1}}, {2, 3, 1})},
      {{2, 3, 4}, {2, 5, 4}, relations::samePlaces({{2, 3, 4}}, {2, 5, 4})},
      {{4, 6}, {4, 8}, relations::samePlaces({{4, 6}}, {4, 8})},
      {{4, 6}, {4, 3, 2}, relations::reshape({4, 6}, {4, 3, 2})},
      {{4, 1, 6}, {4, 6}, relations::reshape({4, 1, 6}, {4, 6})},
  };
}

/// What a search asks once for all spellings of a trait.
TEST(LayoutAgreement, OfOneStorageAndTraitAllAgreeWithTheSame) {
  int alike = 0, fewer = 0;
  for (const auto &[from, to, relation] : relatedShapes()) {
    RelatedValue a{relation.operands[0], from}, b{relation.results[0], to};
    std::vector<StoredOrder> ofA = spellings(from.size(), 2, {2, 3}),
                             ofB = spellings(to.size(), 2, {2, 3});
    std::map<std::pair<std::vector<int64_t>, Memory>, std::vector<bool>> known;
    std::set<Memory> storages;
    for (const StoredOrder &layout : ofA) {
      auto trait = agreementTrait(a, layout, b);
      Memory memory = memoryOf(layout, from);
      std::vector<bool> agree;
      for (const StoredOrder &other : ofB) {
        agree.push_back(layoutsAgree(a, layout, b, other));
        agree.push_back(layoutsAgree(b, other, a, layout));
      }
      storages.insert(memory);
      auto [at, isNew] =
          known.try_emplace({{trait.begin(), trait.end()}, memory}, agree);
      EXPECT_EQ(at->second, agree) << text(from, layout);
      alike += !isNew;
    }
    fewer += known.size() < ofA.size();
  }
  EXPECT_GT(alike, 500);
  EXPECT_EQ(fewer, 6);
}

/// The blocks of the other dimensions.
std::vector<LayoutBlock> blocksBeside(const StoredOrder &layout, size_t dim) {
  std::vector<LayoutBlock> blocks;
  for (const LayoutBlock &block : layout.blocks)
    if (block.dim != static_cast<int64_t>(dim))
      blocks.push_back(block);
  return blocks;
}

/// What is padded means all for a value of another extent that a spelling of
/// the same memory means, with other dimensions in their blocks.
TEST(LayoutAgreement, RespellingsAreAllThatIsStoredAlike) {
  std::mt19937 random(5);
  std::map<size_t, std::vector<StoredOrder>> spelled;
  for (size_t rank = 1; rank <= 3; ++rank)
    spelled[rank] = spellings(rank, 2, {2, 3, 4, 6});
  int more = 0, wrong = 0;
  for (const Shape &shape : allShapes(36)) {
    if (shape.empty() || shape.size() > 3 || llvm::is_contained(shape, 1))
      continue;
    const std::vector<StoredOrder> &all = spelled[shape.size()];
    for (int round = 0; round < 8; ++round) {
      const StoredOrder &layout = all[random() % all.size()];
      size_t dim = random() % shape.size();
      Shape to = shape;
      to[dim] = 1 + random() % 12;
      Memory memory = memoryOf(layout, shape);
      std::set<Memory> found = {memoryOf(layout, to)};
      for (const StoredOrder &other :
           respellings(layout, shape, dim, {to[dim], {}},
                       [](int64_t) { return true; })) {
        EXPECT_EQ(memoryOf(other, shape), memory);
        more += found.insert(memoryOf(other, to)).second;
      }
      if (paddedOf(layout, shape)[dim] == shape[dim])
        continue;
      for (const StoredOrder &other : all)
        if (blocksBeside(other, dim) == blocksBeside(layout, dim) &&
            memoryOf(other, shape) == memory &&
            !found.count(memoryOf(other, to)) && ++wrong < 30)
          ADD_FAILURE() << text(shape, layout) << " is " << text(to, other);
    }
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(more, 500);
}

/// Two rows in a block of four, around two columns in one of two: what is
/// padded may be the columns.
TEST(LayoutAgreement, RespellingsTakePadding) {
  Shape shape = {2, 2};
  auto all =
      respellings(stored({0, 1}, {{0, 4}, {1, 2}}), shape, 1, {18, {2, 8, 18}},
                  [](int64_t size) { return size != 8; });
  EXPECT_TRUE(
      llvm::is_contained(all, stored({0, 1}, {{1, 2}, {0, 2}, {1, 2}})));
}

TEST(LayoutAgreement, BlocksOfEachExtentMayBeSpelledOtherwise) {
  // Seven in one block of eight, four in one of four: both are blocks of four.
  Shape seven = {7, 3}, four = {4, 3};
  Pair pair(seven, four);
  EXPECT_TRUE(pair.agree(stored({0, 1}, {{0, 4}}), stored({1, 0})));
  EXPECT_TRUE(pair.agree(stored({1, 0}, {{0, 8}}), stored({1, 0})));
  EXPECT_FALSE(pair.agree(stored({1, 0}), stored({1, 0}, {{0, 8}})));
}

/// Of a value in a layout, what lies in the box from `first` on, in the order
/// in which it lies: the number of each element within the box, 0 for padding.
Memory lanesOf(const StoredOrder &layout, const Shape &shape,
               const Shape &first, const Shape &box) {
  Shape padded = paddedOf(layout, shape), index(shape.size());
  Memory places = memoryOf(layout, padded);
  std::vector<std::pair<int64_t, int64_t>> found; // place, number
  for (int64_t lane = 0; lane < product(padded); ++lane) {
    bool isInBox = true, isElement = true;
    int64_t number = 0, rest = lane;
    for (size_t dim = shape.size(); dim-- > 0; rest /= padded[dim])
      index[dim] = rest % padded[dim];
    for (size_t dim = 0; dim < shape.size(); ++dim) {
      number = number * box[dim] + index[dim] - first[dim];
      isInBox &= index[dim] >= first[dim] && index[dim] < first[dim] + box[dim];
      isElement &= index[dim] < shape[dim];
    }
    if (isInBox)
      found.push_back({places[lane], isElement ? number + 1 : 0});
  }
  llvm::sort(found);
  Memory lanes;
  for (auto [place, number] : found)
    lanes.push_back(number);
  return lanes;
}

/// A box whose bounds are multiples of the blocks, or the source's end, takes
/// whole blocks, padding and all: a slice; and the other way round each part of
/// a concatenation, of which all but the last are unpadded.
TEST(LayoutAgreement, WholeBlocksKeepTheirLanes) {
  std::mt19937 random(29);
  std::map<size_t, std::vector<StoredOrder>> spelled;
  for (size_t rank = 1; rank <= 4; ++rank)
    spelled[rank] = spellings(rank, 2, {2, 3, 4});
  int whole = 0, shifted = 0;
  for (const Shape &from : allShapes(48)) {
    const std::vector<StoredOrder> &layouts = spelled[from.size()];
    for (int round = from.empty() ? 8 : 0; round < 8; ++round) {
      const StoredOrder &layout = layouts[random() % layouts.size()];
      auto elements = elementsInBlocks(layout, from.size());
      Shape first = from, to = from;
      bool isWhole = true;
      for (size_t dim = 0; dim < from.size(); ++dim) {
        // One element of many is not stored in blocks.
        int64_t least = std::min<int64_t>(from[dim], 2);
        first[dim] = random() % (from[dim] - least + 1);
        to[dim] = least + random() % (from[dim] - first[dim] - least + 1);
        int64_t end = first[dim] + to[dim];
        isWhole &= first[dim] % elements[dim] == 0 &&
                   (end % elements[dim] == 0 || end == from[dim]);
      }
      TransferResult carried = Pair(from, to).carry(layout);
      ASSERT_TRUE(carried.layout);
      EXPECT_EQ(memoryOf(*carried.layout, to), memoryOf(layout, to))
          << text(from, layout);
      Shape box = paddedOf(layout, to), start(from.size(), 0);
      bool isKept = lanesOf(layout, from, first, box) ==
                    lanesOf(*carried.layout, to, start, box);
      EXPECT_TRUE(isKept || !isWhole) << text(from, layout);
      whole += isWhole;
      shifted += !isKept;
    }
  }
  EXPECT_GT(whole, 1000);
  EXPECT_GT(shifted, 1000);
}

TEST(LayoutAgreement, IgnoresUnitDimensions) {
  Shape data = {2, 1, 8, 8}, weight = {64, 1, 3, 3}, result = {2, 64, 8, 8};
  LayoutRelation relation = relations::conv({data, weight}, result);
  RelatedValue from{relation.operands[0], data};
  RelatedValue to{relation.results[0], result};
  // One channel has no place in memory: both orders of the result fit.
  EXPECT_TRUE(layoutsAgree(from, nhwc, to, nhwc));
  EXPECT_TRUE(layoutsAgree(from, nhwc, to, StoredOrder::rowMajor(4)));
  EXPECT_FALSE(layoutsAgree(from, nhwc, to, stored({0, 3, 2, 1})));
}

TEST(LayoutAgreement, ComparesBlocks) {
  Shape shape = {2, 32, 8, 8};
  std::vector<llvm::ArrayRef<int64_t>> one = {shape};
  LayoutRelation relation = relations::samePlaces(one, shape);
  RelatedValue from{relation.operands[0], shape};
  RelatedValue to{relation.results[0], shape};
  StoredOrder blocked = stored({0, 1, 2, 3}, {{1, 16}});
  EXPECT_TRUE(layoutsAgree(from, blocked, to, blocked));
  EXPECT_FALSE(layoutsAgree(from, blocked, to, StoredOrder::rowMajor(4)));
}

TEST(LayoutAgreement, IgnoresThePlaceOfOneBlock) {
  Shape data = {2, 32, 8}, weight = {16, 32, 1}, result = {2, 16, 8};
  LayoutRelation relation = relations::conv({data, weight}, result);
  RelatedValue from{relation.operands[0], data};
  RelatedValue to{relation.results[0], result};
  StoredOrder first = stored({0, 1, 2}, {{1, 16}});
  StoredOrder last = stored({0, 2, 1}, {{1, 16}});
  EXPECT_TRUE(sameStorage(first, last, result));
  EXPECT_FALSE(sameStorage(first, last, data));
  EXPECT_TRUE(layoutsAgree(from, first, to, last));
  EXPECT_TRUE(layoutsAgree(to, last, from, first));
  // The batch has a place in both.
  EXPECT_FALSE(layoutsAgree(from, first, to, stored({2, 0, 1}, {{1, 16}})));
}

TEST(LayoutAgreement, IgnoresWhosePaddingItIs) {
  Shape shape = {2, 1};
  std::vector<llvm::ArrayRef<int64_t>> one = {shape};
  LayoutRelation relation = relations::samePlaces(one, shape);
  RelatedValue from{relation.operands[0], shape};
  RelatedValue to{relation.results[0], shape};
  // Two elements next to each other, and padding behind them.
  StoredOrder rows = stored({1, 0}, {{0, 16}, {0, 16}});
  StoredOrder columns = stored({1, 0}, {{1, 16}, {0, 16}});
  EXPECT_TRUE(sameStorage(rows, columns, shape));
  EXPECT_TRUE(layoutsAgree(from, rows, to, columns));
  EXPECT_FALSE(
      layoutsAgree(from, rows, to, stored({1, 0}, {{0, 16}, {1, 16}})));
}

TEST(LayoutAgreement, IgnoresPaddingAroundOneElement) {
  Shape row = {1, 64};
  std::vector<llvm::ArrayRef<int64_t>> shapes = {row};
  LayoutRelation relation = relations::samePlaces(shapes, row);
  auto agree = [&](const StoredOrder &a, const StoredOrder &b) {
    return layoutsAgree({relation.operands[0], row}, a,
                        {relation.results[0], row}, b);
  };
  // A row in a tile and a row by itself.
  EXPECT_TRUE(agree(stored({0, 1}), stored({0, 1}, {{0, 32}})));
  // Columns in twice as many are no row in two rows.
  EXPECT_FALSE(agree(stored({0, 1}), stored({0, 1}, {{1, 128}})));
}

} // namespace
