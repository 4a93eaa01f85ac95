// SPDX-License-Identifier: Apache-2.0
//
// Layouts as digits, and their transfer through reshapes, against memory: the
// offset of every element is enumerated, and nothing is taken from the code
// that is tested but the layout itself.
#include "compiler/Dialect/NPU/Digits.h"
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

StoredOrder randomLayout(const Shape &shape, std::mt19937 &random) {
  StoredOrder layout = StoredOrder::rowMajor(shape.size());
  std::shuffle(layout.order.begin(), layout.order.end(), random);
  for (int count = shape.empty() ? 0 : random() % 4; count > 0; --count)
    layout.blocks.push_back({static_cast<int64_t>(random() % shape.size()),
                             Shape{2, 3, 4, 6, 8}[random() % 5]});
  return layout;
}

/// Whether some layout of `shape` has its elements at these places; written
/// down without the layout's help, from the places alone.
class Placeable {
public:
  Placeable(const Shape &shape, const std::vector<int64_t> &memory)
      : shape(shape), memory(memory) {}

  bool run() {
    for (size_t dim = 0; dim < shape.size(); ++dim)
      if (shape[dim] > 1 && !digitsOf(dim))
        return false;
    return isSum() && isDense();
  }

private:
  int64_t offsetAlong(size_t dim, int64_t index) const {
    int64_t element = index;
    for (size_t inner = dim + 1; inner < shape.size(); ++inner)
      element *= shape[inner];
    return memory[element];
  }

  /// A dimension's own offsets must be those of digits, inner ones inside.
  bool digitsOf(size_t dim) {
    int64_t place = 1, before = 0;
    while (place < shape[dim]) {
      int64_t stride = offsetAlong(dim, place);
      if (stride <= before)
        return false;
      int64_t size = 1;
      while (place * size < shape[dim] &&
             offsetAlong(dim, place * size) == stride * size)
        ++size;
      bool isOutermost = place * size >= shape[dim];
      strides[stride] = {size, isOutermost};
      for (int64_t i = 0; i < std::min(shape[dim], place * size); ++i)
        if (offsetAlong(dim, i) !=
            offsetAlong(dim, i % place) + i / place * stride)
          return false;
      for (int64_t i = place * size; i < shape[dim]; ++i)
        if (offsetAlong(dim, i) != offsetAlong(dim, i % (place * size)) +
                                       offsetAlong(dim, i - i % (place * size)))
          return false;
      place *= size;
      before = stride;
    }
    return true;
  }

  bool isSum() const {
    for (int64_t element = 0; element < product(shape); ++element) {
      int64_t rest = element, sum = 0;
      for (size_t dim = shape.size(); dim-- > 0; rest /= shape[dim])
        sum += offsetAlong(dim, rest % shape[dim]);
      if (sum != memory[element])
        return false;
    }
    return true;
  }

  /// Each digit's stride is what lies inside of it. Something may be left out
  /// around all digits of a dimension: that is its padding.
  bool isDense() const {
    int64_t inside = 1;
    bool isPadded = llvm::is_contained(shape, 1);
    if (isPadded && !strides.empty())
      inside = strides.begin()->first;
    for (auto it = strides.begin(); it != strides.end(); ++it) {
      auto [stride, digit] = *it;
      if (stride != inside)
        return false;
      auto next = std::next(it);
      int64_t end = next == strides.end() ? memory.back() : next->first;
      auto [size, isOutermost] = digit;
      isPadded |= isOutermost;
      if (end % stride != 0 || end / stride < size ||
          (end / stride > size && !isPadded))
        return false;
      // A part of the last step: what is left out is padding of its own.
      if (end / stride % size != 0 && !isOutermost)
        return false;
      inside = end;
    }
    return isPadded || inside == memory.back();
  }

  const Shape &shape;
  const std::vector<int64_t> &memory;
  std::map<int64_t, std::pair<int64_t, bool>> strides; // size, outermost
};

TEST(Digits, AreDroppedBySizeNotByExtent) {
  // One row that is padded to 32 is not one row.
  EXPECT_EQ(digitsOf(stored({0, 1}, {{0, 32}}), {1, 64}).size(), 2u);
  EXPECT_FALSE(sameStorage(stored({0, 1}, {{0, 32}}), stored({0, 1}), {1, 64}));
  EXPECT_EQ(digitsOf(stored({0, 1}), {1, 64}).size(), 1u);
}

TEST(Digits, NeighboursOfOneDimensionAreOneDigit) {
  Shape shape = {2, 32, 1, 1};
  StoredOrder blocked = stored({0, 1, 2, 3}, {{1, 16}});
  Digits digits = digitsOf(blocked, shape);
  ASSERT_EQ(digits.size(), 2u);
  EXPECT_EQ(digits[1], (Digit{1, 1, 32}));
  EXPECT_EQ(normalForm(blocked, shape), StoredOrder::rowMajor(4));
  // 20 of 32: a block, for its size does not follow from the extent.
  EXPECT_EQ(normalForm(blocked, {2, 20, 1, 1}),
            stored({0, 1, 2, 3}, {{1, 32}}));
}

TEST(Digits, SpellingNeedsOuterDigitsOutside) {
  std::string whyNot;
  EXPECT_FALSE(storedOrder({{0, 1, 3}, {1, 1, 4}, {0, 3, 2}}, {6, 4}, whyNot));
  EXPECT_NE(whyNot.find("the digit of 3 at place 1 of dimension 0"),
            std::string::npos);
  Digits many;
  for (int64_t place = 1 << 9; place > 0; place /= 2) {
    many.push_back({0, place, 2});
    many.push_back({1, place, 2});
  }
  EXPECT_FALSE(storedOrder(many, {1024, 1024}, whyNot));
  EXPECT_NE(whyNot.find("blocks to say so"), std::string::npos);
}

TEST(Digits, SameStorageIsSamePlaces) {
  std::mt19937 random(5);
  for (const Shape &shape : allShapes(48))
    for (int round = 0; round < 24; ++round) {
      StoredOrder a = randomLayout(shape, random);
      StoredOrder b =
          round % 2 ? normalForm(a, shape) : randomLayout(shape, random);
      ASSERT_EQ(sameStorage(a, b, shape),
                memoryOf(a, shape) == memoryOf(b, shape))
          << testing::PrintToString(shape) << " "
          << testing::PrintToString(a.order) << testing::PrintToString(b.order);
      ASSERT_EQ(normalForm(normalForm(a, shape), shape), normalForm(a, shape));
      ASSERT_EQ(sameStorage(a, b, shape),
                normalForm(a, shape) == normalForm(b, shape));
      ASSERT_TRUE(sameStorage(a, normalForm(a, shape), shape));
    }
}

/// One reshape of one layout: what the transfer says is so in memory, and what
/// memory allows the transfer says. Returns whether it passes.
bool checkReshape(const Shape &from, const Shape &to,
                  const StoredOrder &layout) {
  LayoutRelation relation = relations::reshape(from, to);
  TransferResult result = transferLayout({relation.operands[0], from}, layout,
                                         {relation.results[0], to});
  std::vector<int64_t> memory = memoryOf(layout, from);
  std::string what = testing::PrintToString(from) + " to " +
                     testing::PrintToString(to) + " in " +
                     testing::PrintToString(layout.order);
  for (const LayoutBlock &block : layout.blocks)
    what += " " + std::to_string(block.size) + "*" + std::to_string(block.dim);
  if (result.layout) {
    EXPECT_EQ(memoryOf(*result.layout, to), memory) << what;
    EXPECT_TRUE(result.complete) << what;
  } else {
    EXPECT_FALSE(result.whyNot.empty()) << what;
    EXPECT_FALSE(Placeable(to, memory).run()) << what << ": " << result.whyNot;
  }
  return result.layout.has_value();
}

TEST(Digits, ReshapesAreWhatMemorySays) {
  std::mt19937 random(11);
  std::map<int64_t, std::vector<Shape>> byProduct;
  for (const Shape &shape : allShapes(48))
    byProduct[product(shape)].push_back(shape);
  int passed = 0;
  for (const auto &[elements, shapes] : byProduct)
    for (const Shape &from : shapes)
      for (const Shape &to : shapes) {
        passed += checkReshape(from, to, randomLayout(from, random));
        if (elements % 8 == 0 && random() % 2)
          continue;
        StoredOrder plain = StoredOrder::rowMajor(from.size());
        std::shuffle(plain.order.begin(), plain.order.end(), random);
        passed += checkReshape(from, to, plain);
        if (testing::Test::HasFailure())
          return;
      }
  EXPECT_GT(passed, 1000);
}

TEST(Digits, ReshapesOfEveryOrderOfSixByFour) {
  for (const Shape &to : std::vector<Shape>{{4, 6}, {24}, {2, 12}, {3, 8}})
    for (const StoredOrder &layout :
         {stored({0, 1}), stored({1, 0}), stored({0, 1}, {{0, 2}}),
          stored({1, 0}, {{1, 2}, {0, 3}})})
      checkReshape({6, 4}, to, layout);
}

TEST(Digits, TilesPassThroughHeads) {
  // 128 rows of 12 heads of 32, in tiles: split and moved, nothing lies
  // elsewhere.
  Shape rows = {1, 128, 384}, heads = {1, 128, 12, 32};
  LayoutRelation split = relations::reshape(rows, heads);
  TransferResult apart = transferLayout({split.operands[0], rows},
                                        stored({0, 1, 2}, {{1, 32}, {2, 32}}),
                                        {split.results[0], heads});
  ASSERT_TRUE(apart.layout);
  EXPECT_TRUE(sameStorage(*apart.layout,
                          stored({0, 1, 2, 3}, {{1, 32}, {3, 32}}), heads));
}

TEST(Digits, ReasonsNameTheDigit) {
  LayoutRelation relation = relations::reshape({24}, {2, 12});
  Shape from = {24}, to = {2, 12};
  TransferResult result =
      transferLayout({relation.operands[0], from}, stored({0}, {{0, 16}}),
                     {relation.results[0], to});
  EXPECT_EQ(result.whyNot, "a digit of 32 at place 1 of what is reshaped does "
                           "not divide at 12, where dimension 0 begins");
  Shape unit = {1, 64}, without = {64};
  LayoutRelation dropped = relations::reshape(unit, without);
  result =
      transferLayout({dropped.operands[0], unit}, stored({0, 1}, {{0, 32}}),
                     {dropped.results[0], without});
  EXPECT_EQ(result.whyNot, "dimension 0, which the other side does not have, "
                           "is padded to 32");
}

} // namespace
