// SPDX-License-Identifier: Apache-2.0
#include "compiler/Dialect/NPU/LayoutRelations.h"

#include <gtest/gtest.h>

#include <random>

using namespace npu;

namespace {

using Shape = std::vector<int64_t>;
using Dims = LayoutRelation::Dims;

/// The flat index of the element at row-major place `element` of a shape, in
/// each group; what no group has is 0.
std::vector<int64_t> flatIndices(const LayoutRelation &relation,
                                 const Dims &dims, const Shape &shape,
                                 int64_t element) {
  std::vector<int64_t> flat(relation.groups, 0);
  for (size_t dim = shape.size(); dim-- > 0; element /= shape[dim])
    if (dims[dim].group != RelatedDim::nowhere)
      flat[dims[dim].group] += element % shape[dim] * dims[dim].place;
  return flat;
}

TEST(LayoutRelations, ReshapeGroups) {
  // 2x12 and 6x4 are both 24; 5 stands for itself.
  LayoutRelation relation = relations::reshape({5, 2, 12}, {5, 6, 4});
  EXPECT_EQ(relation.groups, 2);
  EXPECT_EQ(relation.operands[0][0], relation.results[0][0]);
  EXPECT_TRUE(relation.operands[0][0].isWhole);
  EXPECT_EQ(relation.operands[0][1].place, 12);
  EXPECT_EQ(relation.results[0][1].place, 4);
  EXPECT_FALSE(relation.results[0][1].isWhole);
  EXPECT_EQ(relation.operands[0][1].group, relation.results[0][2].group);
}

TEST(LayoutRelations, ReshapeKnowsAWholeAndAnAddedUnit) {
  LayoutRelation relation = relations::reshape({12, 5}, {3, 4, 5, 1});
  EXPECT_TRUE(relation.operands[0][0].isWhole);
  EXPECT_FALSE(relation.results[0][0].isWhole);
  EXPECT_EQ(relation.results[0][3].group, RelatedDim::nowhere);
}

TEST(LayoutRelations, ReshapeOfRandomShapes) {
  // Whatever the shapes, an element has the same flat indices on both sides.
  std::mt19937 random(7);
  for (int round = 0; round < 2000; ++round) {
    std::vector<int64_t> primes;
    for (int i = random() % 6; i >= 0; --i)
      primes.push_back(Shape{1, 2, 2, 3, 5}[random() % 5]);
    auto cut = [&] {
      Shape shape = {1};
      for (int64_t prime : primes)
        if (random() % 2)
          shape.push_back(prime);
        else
          shape.back() *= prime;
      return shape;
    };
    Shape from = cut();
    std::shuffle(primes.begin(), primes.end(), random);
    Shape to = cut();
    LayoutRelation relation = relations::reshape(from, to);
    int64_t elements = 1;
    for (int64_t prime : primes)
      elements *= prime;
    for (int64_t element = 0; element < elements; ++element)
      ASSERT_EQ(flatIndices(relation, relation.operands[0], from, element),
                flatIndices(relation, relation.results[0], to, element));
  }
}

TEST(LayoutRelations, EmptyTensorsRelateToNothing) {
  LayoutRelation relation = relations::reshape({0, 4}, {2, 0, 7});
  EXPECT_TRUE(relation.independent[0]);
}

TEST(LayoutRelations, MatmulSharesOuterDimensions) {
  LayoutRelation relation = relations::matmul({3, 2, 5}, {5, 7}, {3, 2, 7});
  EXPECT_EQ(relation.operands[0][0], relation.results[0][0]);
  EXPECT_EQ(relation.operands[0][1], relation.results[0][1]);
  EXPECT_EQ(relation.operands[0][2], relation.operands[1][0]);
  EXPECT_EQ(relation.operands[1][1], relation.results[0][2]);
}

TEST(LayoutRelations, MatmulOfManyMatricesBindsNoOrder) {
  LayoutRelation one = relations::matmul({3, 2, 5}, {1, 5, 7}, {3, 2, 7});
  EXPECT_FALSE(one.independent[0] || one.independent[1]);
  LayoutRelation many = relations::matmul({3, 2, 5}, {3, 5, 7}, {3, 2, 7});
  EXPECT_TRUE(many.independent[0] && many.independent[1]);
}

TEST(LayoutRelations, MatmulWithSharedBytesBindsNoOrderOfThem) {
  LayoutRelation relation = relations::matmul({3, 2, 8}, {4, 7}, {3, 2, 7});
  EXPECT_FALSE(relation.operands[0][2] == relation.operands[1][0]);
  EXPECT_TRUE(relation.independent[1]);
  relations::addUnrelatedOperand(relation, {2, 7});
  ASSERT_EQ(relation.operands.size(), 3u);
  EXPECT_TRUE(relation.independent[2]);
  EXPECT_FALSE(relation.operands[2][1] == relation.results[0][2]);
}

TEST(LayoutRelations, GatherPutsIndicesInThePlaceOfTheAxis) {
  LayoutRelation one = relations::gather({4, 8, 3}, {2}, 1);
  EXPECT_EQ(one.results[0][1], one.operands[0][1]);
  LayoutRelation two = relations::gather({4, 8, 3}, {2, 5}, 1);
  ASSERT_EQ(two.results[0].size(), 4u);
  EXPECT_EQ(two.results[0][1], two.operands[1][0]);
  EXPECT_EQ(two.results[0][3], two.operands[0][2]);
  LayoutRelation none = relations::gather({4, 8, 3}, {}, 1);
  ASSERT_EQ(none.results[0].size(), 2u);
}

} // namespace
