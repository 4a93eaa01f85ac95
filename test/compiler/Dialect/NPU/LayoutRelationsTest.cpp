// SPDX-License-Identifier: Apache-2.0
#include "compiler/Dialect/NPU/LayoutRelations.h"

#include <gtest/gtest.h>

#include <random>

using namespace npu;

namespace {

using Shape = std::vector<int64_t>;
using Dims = LayoutRelation::Dims;

int64_t product(const LayoutRelation &relation,
                const LayoutRelation::Factors &factors) {
  int64_t result = 1;
  for (int factor : factors)
    result *= relation.sizes[factor];
  return result;
}

/// Every dimension is the product of its factors.
void expectExtents(const LayoutRelation &relation, const Dims &dims,
                   const Shape &shape) {
  ASSERT_EQ(dims.size(), shape.size());
  for (size_t i = 0; i < shape.size(); ++i)
    EXPECT_EQ(product(relation, dims[i]), shape[i]) << "dimension " << i;
}

TEST(LayoutRelations, ReshapeFactors) {
  LayoutRelation relation = relations::reshape({2, 12}, {6, 4});
  EXPECT_TRUE(relation.regroups.empty());
  // 2x12 and 6x4 are both 2x3x4.
  EXPECT_EQ(relation.operands[0][1].size(), 2u);
  EXPECT_EQ(relation.results[0][0].size(), 2u);
  EXPECT_EQ(relation.operands[0][1][1], relation.results[0][1][0]);
}

TEST(LayoutRelations, ReshapeWithoutCommonFactors) {
  LayoutRelation relation = relations::reshape({5, 6, 4}, {5, 4, 6});
  ASSERT_EQ(relation.regroups.size(), 1u);
  EXPECT_EQ(relation.operands[0][0], relation.results[0][0]);
}

TEST(LayoutRelations, ReshapeOfRandomShapes) {
  // Whatever the shapes, extents are kept and all factors are shared, unless
  // they belong to a regroup.
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
    expectExtents(relation, relation.operands[0], from);
    expectExtents(relation, relation.results[0], to);
    std::vector<int> seen(relation.sizes.size(), 0);
    for (const Dims &dims : {relation.operands[0], relation.results[0]})
      for (const auto &factors : dims)
        for (int factor : factors)
          ++seen[factor];
    for (const auto &group : relation.regroups)
      for (const auto &side : {group.operand, group.result})
        for (int factor : side)
          ++seen[factor];
    for (int count : seen)
      EXPECT_EQ(count, 2);
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
