// SPDX-License-Identifier: Apache-2.0
#include "compiler/Codegen/LoopNest.h"

#include "kernels/tensor.h"

#include <gtest/gtest.h>

using namespace npu;

namespace {

npu_tensor_desc tensor(std::vector<int64_t> dims,
                       std::vector<int8_t> order = {}) {
  npu_tensor_desc result =
      kernels::makeTensor(NPU_F32, dims.data(), static_cast<int>(dims.size()));
  for (size_t i = 0; i < order.size(); ++i)
    result.order[i] = order[i];
  return result;
}

npu_tensor_desc blocked(std::vector<int64_t> dims, int32_t block) {
  npu_tensor_desc result = tensor(std::move(dims));
  result.block_count = 1;
  result.block_dims[0] = 1;
  result.block_sizes[0] = block;
  return result;
}

kernels::Problem eltwise(std::vector<npu_tensor_desc> inputs,
                         npu_tensor_desc output) {
  kernels::Problem problem;
  problem.inputs = std::move(inputs);
  problem.outputs = {output};
  return problem;
}

TEST(LoopNestTest, EqualTensorsAreOneLoop) {
  auto nest = makeLoopNest(eltwise({tensor({2, 8, 4, 4}, {0, 2, 3, 1})},
                                   tensor({2, 8, 4, 4}, {0, 2, 3, 1})));
  ASSERT_TRUE(nest);
  ASSERT_EQ(nest->loops.size(), 1u);
  EXPECT_EQ(nest->loops[0].extent, 2 * 8 * 4 * 4);
  EXPECT_EQ(nest->loops[0].strides, (std::vector<int64_t>{1, 1}));
}

TEST(LoopNestTest, ChannelOperandInChannelsLastIsTheInnerLoop) {
  auto nest = makeLoopNest(
      eltwise({tensor({2, 8, 4, 4}, {0, 2, 3, 1}), tensor({8, 1, 1})},
              tensor({2, 8, 4, 4}, {0, 2, 3, 1})));
  ASSERT_TRUE(nest);
  ASSERT_EQ(nest->loops.size(), 2u);
  EXPECT_EQ(nest->loops[0].extent, 2 * 4 * 4);
  EXPECT_EQ(nest->loops[0].strides, (std::vector<int64_t>{8, 0, 8}));
  EXPECT_EQ(nest->loops[1].strides, (std::vector<int64_t>{1, 1, 1}));
}

TEST(LoopNestTest, ChannelOperandInRowMajorIsInvariantInTheInnerLoop) {
  auto nest = makeLoopNest(
      eltwise({tensor({2, 8, 4, 4}), tensor({8, 1, 1})}, tensor({2, 8, 4, 4})));
  ASSERT_TRUE(nest);
  ASSERT_EQ(nest->loops.size(), 3u);
  EXPECT_EQ(nest->loops[2].extent, 16);
  EXPECT_EQ(nest->loops[2].strides, (std::vector<int64_t>{1, 0, 1}));
}

TEST(LoopNestTest, BlockedTensorKeepsItsPaddedDimensionApart) {
  auto nest = makeLoopNest(
      eltwise({blocked({1, 20, 4, 4}, 16)}, blocked({1, 20, 4, 4}, 16)));
  ASSERT_TRUE(nest);
  ASSERT_EQ(nest->padded.size(), 1u);
  EXPECT_EQ(nest->padded[0].dim, 1);
  EXPECT_EQ(nest->padded[0].extent, 20);
  EXPECT_EQ(nest->loops.back().extent, 16);
  EXPECT_EQ(nest->loops.front().extent, 2);
}

TEST(LoopNestTest, BlockedChannelsOfAVectorAreARun) {
  auto nest = makeLoopNest(
      eltwise({tensor({1, 20, 4, 4}, {0, 2, 3, 1}), blocked({1, 20, 1, 1}, 16)},
              tensor({1, 20, 4, 4}, {0, 2, 3, 1})));
  ASSERT_TRUE(nest);
  ASSERT_EQ(nest->loops.size(), 2u);
  EXPECT_EQ(nest->loops[0].strides, (std::vector<int64_t>{20, 0, 20}));
  EXPECT_EQ(nest->loops[1].strides, (std::vector<int64_t>{1, 1, 1}));
}

TEST(LoopNestTest, ScalarIsOneStep) {
  auto nest = makeLoopNest(eltwise({tensor({})}, tensor({})));
  ASSERT_TRUE(nest);
  EXPECT_EQ(nest->loops.size(), 1u);
  EXPECT_EQ(nest->loops[0].extent, 1);
  EXPECT_EQ(nest->rows(), 1);
}

TEST(LoopNestTest, BlockedOperandCutsTheResultsLoops) {
  auto nest = makeLoopNest(
      eltwise({blocked({1, 32, 4, 4}, 16)}, tensor({1, 32, 4, 4})));
  ASSERT_TRUE(nest);
  ASSERT_EQ(nest->loops.size(), 3u);
  EXPECT_EQ(nest->loops[0].extent, 2);
  EXPECT_EQ(nest->loops[0].multiplier, 16);
  EXPECT_EQ(nest->loops[0].strides, (std::vector<int64_t>{256, 256}));
  EXPECT_EQ(nest->loops[1].extent, 16);
  EXPECT_EQ(nest->loops[1].strides, (std::vector<int64_t>{1, 16}));
  EXPECT_EQ(nest->loops[2].strides, (std::vector<int64_t>{16, 1}));
}

TEST(LoopNestTest, BlocksOfOneSizeInOtherPlaces) {
  // The same elements in the same places, spelled with one block more.
  npu_tensor_desc twice = tensor({1, 32, 4, 4});
  twice.block_count = 2;
  twice.block_dims[0] = twice.block_dims[1] = 1;
  twice.block_sizes[0] = twice.block_sizes[1] = 4;
  auto nest = makeLoopNest(eltwise({blocked({1, 32, 4, 4}, 16)}, twice));
  ASSERT_TRUE(nest);
  EXPECT_EQ(nest->loops.size(), 1u);
}

TEST(LoopNestTest, AnOperandsBlockNeedNotDivideTheResult) {
  auto nest = makeLoopNest(
      eltwise({blocked({1, 40, 4, 4}, 16)}, tensor({1, 40, 4, 4})));
  ASSERT_TRUE(nest);
  ASSERT_EQ(nest->ragged.size(), 1u);
  EXPECT_EQ(nest->ragged[0].dim, 1);
  EXPECT_EQ(nest->ragged[0].extent, 40);
  EXPECT_TRUE(nest->padded.empty());
  ASSERT_EQ(nest->loops.size(), 3u);
  EXPECT_EQ(nest->loops[0].extent, 3);
  EXPECT_EQ(nest->loops[0].strides, (std::vector<int64_t>{256, 256}));
  EXPECT_EQ(nest->loops[1].extent, 16);
  EXPECT_EQ(nest->loops[1].strides, (std::vector<int64_t>{1, 16}));
}

TEST(LoopNestTest, ARaggedDimensionMayHavePaddingToo) {
  auto nest = makeLoopNest(
      eltwise({blocked({1, 44, 4, 4}, 32)}, blocked({1, 44, 4, 4}, 16)));
  ASSERT_TRUE(nest);
  ASSERT_EQ(nest->ragged.size(), 1u);
  EXPECT_EQ(nest->ragged[0].extent, 48);
  ASSERT_EQ(nest->padded.size(), 1u);
  EXPECT_EQ(nest->padded[0].extent, 44);
}

TEST(LoopNestTest, BlocksThatDoNotDivideHaveNoLoops) {
  EXPECT_FALSE(makeLoopNest(
      eltwise({blocked({1, 48, 4, 4}, 16)}, blocked({1, 48, 4, 4}, 24))));
}

} // namespace
