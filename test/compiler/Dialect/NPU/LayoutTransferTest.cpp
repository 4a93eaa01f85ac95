// SPDX-License-Identifier: Apache-2.0
#include "compiler/Dialect/NPU/LayoutTransfer.h"
#include "compiler/Dialect/NPU/LayoutRelations.h"
#include "test/compiler/Dialect/NPU/StoredOrders.h"

#include <gtest/gtest.h>

using namespace npu;
using test::Shape;
using test::stored;

namespace {

/// Forward through the only operand of a view.
TransferResult forward(const LayoutRelation &relation, const Shape &from,
                       const StoredOrder &layout, const Shape &to) {
  return transferLayout({relation.operands[0], from}, layout,
                        {relation.results[0], to});
}

TransferResult backward(const LayoutRelation &relation, const Shape &from,
                        const StoredOrder &layout, const Shape &to) {
  return transferLayout({relation.results[0], from}, layout,
                        {relation.operands[0], to});
}

const StoredOrder nhwc = stored({0, 2, 3, 1});

TEST(LayoutTransfer, TransposePermutesTheOrder) {
  Shape from = {2, 3, 4, 5}, to = {2, 4, 5, 3};
  LayoutRelation relation = relations::transpose(from, {0, 2, 3, 1});
  // NCHW data stored channels last, seen as NHWC, is row-major.
  TransferResult there = forward(relation, from, nhwc, to);
  ASSERT_TRUE(there.layout);
  EXPECT_TRUE(there.complete);
  EXPECT_EQ(*there.layout, StoredOrder::rowMajor(4));
  TransferResult back = backward(relation, to, *there.layout, from);
  ASSERT_TRUE(back.layout);
  EXPECT_EQ(*back.layout, nhwc);
}

TEST(LayoutTransfer, TransposeCarriesBlocks) {
  Shape from = {2, 32, 4, 5}, to = {2, 4, 5, 32};
  LayoutRelation relation = relations::transpose(from, {0, 2, 3, 1});
  TransferResult result =
      forward(relation, from, stored({0, 1, 2, 3}, {{1, 16}}), to);
  ASSERT_TRUE(result.layout);
  EXPECT_EQ(*result.layout, stored({0, 3, 1, 2}, {{3, 16}}));
}

TEST(LayoutTransfer, ReshapeSplitsAndMerges) {
  Shape from = {2, 6, 4}, to = {2, 2, 3, 4};
  LayoutRelation relation = relations::reshape(from, to);
  // The split parts stay together where the whole was.
  TransferResult split = forward(relation, from, stored({0, 2, 1}), to);
  ASSERT_TRUE(split.layout);
  EXPECT_EQ(*split.layout, stored({0, 3, 1, 2}));
  TransferResult merged = backward(relation, to, stored({3, 0, 1, 2}), from);
  ASSERT_TRUE(merged.layout);
  EXPECT_EQ(*merged.layout, stored({2, 0, 1}));
}

TEST(LayoutTransfer, ReshapeMergesWhatIsApartIntoBlocks) {
  Shape from = {2, 2, 3, 4}, to = {2, 6, 4};
  LayoutRelation relation = relations::reshape(from, to);
  // 3 stands outside of 2: no layout of one dimension of 6 does that.
  TransferResult wrong = forward(relation, from, stored({0, 2, 1, 3}), to);
  EXPECT_FALSE(wrong.layout);
  EXPECT_NE(wrong.whyNot.find("would lie outside of"), std::string::npos);
  // Something stands between them: blocks of 3.
  TransferResult apart = forward(relation, from, stored({0, 1, 3, 2}), to);
  ASSERT_TRUE(apart.layout);
  EXPECT_EQ(*apart.layout, stored({0, 1, 2}, {{1, 3}}));
}

TEST(LayoutTransfer, ReshapeWithoutCommonFactorsNeedsOneRun) {
  Shape from = {5, 6, 4}, to = {5, 4, 6};
  LayoutRelation relation = relations::reshape(from, to);
  TransferResult good = forward(relation, from, stored({1, 2, 0}), to);
  ASSERT_TRUE(good.layout);
  EXPECT_EQ(*good.layout, stored({1, 2, 0}));
  TransferResult back = backward(relation, to, stored({0, 1, 2}), from);
  ASSERT_TRUE(back.layout);
  EXPECT_EQ(*back.layout, stored({0, 1, 2}));
  EXPECT_FALSE(forward(relation, from, stored({2, 1, 0}), to).layout);
  EXPECT_FALSE(forward(relation, from, stored({1, 0, 2}), to).layout);
}

TEST(LayoutTransfer, ReshapeCutsBlocksWhereTheyDivide) {
  Shape from = {2, 32, 4}, to = {2, 2, 16, 4};
  LayoutRelation relation = relations::reshape(from, to);
  TransferResult whole =
      forward(relation, from, stored({0, 1, 2}, {{1, 16}}), to);
  ASSERT_TRUE(whole.layout);
  EXPECT_TRUE(sameStorage(*whole.layout, stored({0, 1, 3, 2}), to));
  TransferResult across =
      forward(relation, from, stored({0, 1, 2}, {{1, 12}}), to);
  EXPECT_FALSE(across.layout);
  EXPECT_NE(across.whyNot.find("does not divide"), std::string::npos);
}

TEST(LayoutTransfer, UnitDimensionsAreFree) {
  Shape from = {1, 64, 1, 1}, to = {1, 64};
  LayoutRelation relation = relations::reshape(from, to);
  TransferResult result = forward(relation, from, nhwc, to);
  ASSERT_TRUE(result.layout);
  EXPECT_TRUE(sameStorage(*result.layout, StoredOrder::rowMajor(2), to));
  EXPECT_TRUE(sameStorage(nhwc, StoredOrder::rowMajor(4), from));
  EXPECT_FALSE(sameStorage(nhwc, StoredOrder::rowMajor(4), {1, 64, 2, 1}));
}

TEST(LayoutTransfer, BroadcastCannotTell) {
  Shape small = {8, 1, 1}, large = {2, 8, 4, 4};
  LayoutRelation relation = relations::broadcast({small, large}, large);
  EXPECT_TRUE(relation.independent[0]);
  EXPECT_FALSE(relation.independent[1]);
  TransferResult up =
      transferLayout({relation.operands[0], small}, stored({0, 1, 2}),
                     {relation.results[0], large});
  ASSERT_TRUE(up.layout);
  EXPECT_FALSE(up.complete);
  TransferResult down = transferLayout({relation.results[0], large}, nhwc,
                                       {relation.operands[0], small});
  ASSERT_TRUE(down.layout);
  EXPECT_TRUE(down.complete);
}

TEST(LayoutTransfer, MixedRanksAlignAtTheRight) {
  Shape small = {8, 5, 4}, large = {2, 8, 5, 4};
  LayoutRelation relation = relations::broadcast({small, large}, large);
  TransferResult result = transferLayout({relation.results[0], large}, nhwc,
                                         {relation.operands[0], small});
  ASSERT_TRUE(result.layout);
  EXPECT_EQ(*result.layout, stored({1, 2, 0}));
}

TEST(LayoutTransfer, GatherNdKeepsWhatNoIndexPicksFrom) {
  Shape data = {2, 8, 5, 4}, indices = {2, 3, 1}, result = {2, 3, 5, 4};
  LayoutRelation relation = relations::gatherNd(data, indices, 1);
  EXPECT_FALSE(relation.independent[0]);
  EXPECT_TRUE(relation.independent[1]);
  TransferResult down =
      transferLayout({relation.operands[0], data}, stored({3, 0, 1, 2}),
                     {relation.results[0], result});
  ASSERT_TRUE(down.layout);
  EXPECT_FALSE(down.complete); // where the indices' dimension goes is open
  EXPECT_EQ(relation.results[0][0], relation.operands[0][0]);
  EXPECT_EQ(relation.results[0][1], relation.operands[1][1]);
  EXPECT_EQ(relation.results[0][3], relation.operands[0][3]);
}

TEST(LayoutTransfer, UnrelatedValuesShareNothing) {
  Shape shape = {2, 8, 5, 4};
  LayoutRelation relation = relations::unrelated({shape}, shape);
  EXPECT_TRUE(relation.independent[0]);
  for (const auto &dim : relation.results[0])
    EXPECT_FALSE(llvm::is_contained(relation.operands[0], dim));
}

TEST(LayoutTransfer, ReduceDropsDimensions) {
  Shape from = {2, 8, 5, 4}, to = {2, 8, 4};
  LayoutRelation relation = relations::reduce(from, {2}, /*keepDims=*/false);
  TransferResult result = forward(relation, from, nhwc, to);
  ASSERT_TRUE(result.layout);
  EXPECT_EQ(*result.layout, stored({0, 2, 1}));
}

TEST(LayoutTransfer, ConvolutionCarriesTheOrderThroughOtherExtents) {
  Shape data = {2, 32, 8, 8}, weight = {64, 32, 3, 3}, result = {2, 64, 4, 4};
  LayoutRelation relation = relations::conv({data, weight}, result);
  EXPECT_TRUE(relation.independent[1]);
  TransferResult plain = forward(relation, data, nhwc, result);
  ASSERT_TRUE(plain.layout);
  EXPECT_EQ(*plain.layout, nhwc);
  StoredOrder blocked = stored({0, 1, 2, 3}, {{1, 16}});
  TransferResult block = forward(relation, data, blocked, result);
  ASSERT_TRUE(block.layout);
  EXPECT_EQ(*block.layout, blocked);
}

} // namespace
