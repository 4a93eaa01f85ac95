// SPDX-License-Identifier: Apache-2.0
//
// Each kind of kernel, tile by tile and in one: integers to the bit, floats
// within 1e-5 of the largest.
#include "chip/table.h"
#include "kernels/validate.h"
#include "test/chip/ChipCase.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace npu::chip;
using namespace npu::chip::testing;
using namespace npu::kernels::testing;
using npu::kernels::Problem;

namespace {

double largestOf(const std::vector<double> &values) {
  double most = 0;
  for (double value : values)
    most = std::max(most, std::fabs(value));
  return most;
}

/// On chips from one that holds all of it to one that is too small. Returns how
/// many had to cut it.
int compareOnChips(const Problem &problem, uint32_t seed = 1) {
  EXPECT_EQ(npu::kernels::validate(problem), "");
  const Values inputs = inputsFor(problem, seed);
  const std::vector<double> expected = runReference(problem, inputs);
  const bool isFloat = problem.outputs[0].dtype == NPU_F32;
  const double allowed = isFloat ? 1e-5 * largestOf(expected) : 0;
  int cut = 0;
  std::string wrong;
  for (int64_t bytes = 1 << 20; bytes >= 256; bytes /= 2) {
    auto program = programOf(problem, bytes, wrong);
    if (!program) {
      EXPECT_NE(wrong.find("bytes of on-chip memory"), std::string::npos)
          << wrong;
      break;
    }
    std::vector<double> found = runOnChip(*program, problem, inputs, wrong);
    EXPECT_EQ(wrong, "") << bytes << " bytes";
    for (size_t i = 0; i < found.size(); ++i)
      if (!(std::fabs(found[i] - expected[i]) <= allowed)) {
        ADD_FAILURE() << "with " << bytes << " bytes, element " << i << ": "
                      << found[i] << ", expected " << expected[i];
        return cut;
      }
    cut += countOf(*program, Command::Compute) > 1 ||
           countOf(*program, Command::Loop) > 0;
  }
  return cut;
}

Problem movement(int32_t op, const npu_tensor_desc &from,
                 const npu_tensor_desc &to) {
  Problem problem;
  problem.op = op;
  problem.inputs = {from};
  problem.outputs = {to};
  return problem;
}

} // namespace

TEST(Tiled, ConvolutionsOfManyShapes) {
  struct Shape {
    std::vector<int64_t> data;
    int64_t outputs;
    std::vector<int64_t> kernel;
    int64_t stride, pad, groups, dilation;
  };
  const Shape shapes[] = {
      {{1, 8, 20, 20}, 16, {3, 3}, 1, 1, 1, 1},
      {{2, 4, 17, 13}, 6, {5, 3}, 2, 2, 1, 1},
      {{1, 16, 15, 15}, 16, {3, 3}, 1, 1, 16, 1},
      {{1, 12, 16, 16}, 24, {3, 3}, 2, 1, 12, 1},
      {{1, 8, 19, 19}, 8, {3, 3}, 1, 2, 4, 2},
      {{1, 32, 7, 7}, 40, {1, 1}, 1, 0, 1, 1},
      {{1, 3, 30, 30}, 8, {7, 7}, 2, 3, 1, 1},
      {{1, 4, 64}, 8, {9}, 1, 4, 1, 1},
  };
  for (const Shape &shape : shapes)
    for (const char *layout : {"row-major", "channels last"}) {
      const bool isSignal = shape.data.size() == 3;
      const std::string letters = *layout == 'r' ? (isSignal ? "abc" : "abcd")
                                                 : (isSignal ? "acb" : "acdb");
      SCOPED_TRACE(letters);
      Problem problem = convProblem(
          tensor(NPU_F32, shape.data, letters), shape.outputs, shape.kernel,
          shape.stride, shape.pad, shape.groups, letters, true, shape.dilation);
      EXPECT_GT(compareOnChips(problem), 1);
    }
}

TEST(Tiled, ConvolutionsInBlocks) {
  for (int64_t outputs : {32, 40}) {
    Problem problem = convProblem(tensor(NPU_F32, {1, 24, 14, 14}, "aBcd16b"),
                                  outputs, {3, 3}, 1, 1, 1, "aBcd16b");
    EXPECT_GT(compareOnChips(problem), 1);
  }
  Problem depthwise = convProblem(tensor(NPU_F32, {1, 40, 14, 14}, "aBcd16b"),
                                  40, {3, 3}, 1, 1, 40, "aBcd16b");
  EXPECT_GT(compareOnChips(depthwise), 1);
}

TEST(Tiled, ConvolutionWithOutputStage) {
  Problem problem = smallConv();
  const auto result = static_cast<int>(problem.inputs.size()) + 1;
  problem.inputs.push_back(problem.outputs[0]);
  problem.inputs.push_back(tensor(NPU_F32, {16, 1, 1}));
  problem.instrs = {binary(NPU_INSTR_add, result + 1, result - 1),
                    binary(NPU_INSTR_mul, result + 2, result),
                    unary(NPU_INSTR_relu, result + 3)};
  EXPECT_GT(compareOnChips(problem), 1);
}

TEST(Tiled, WinogradsAlgorithm) {
  for (int64_t tile : {2, 4})
    EXPECT_GT(
        compareOnChips(winogradProblem(tensor(NPU_F32, {1, 8, 19, 22}, "acdb"),
                                       12, tile, 1, "acdb", "abcd", true)),
        1);
}

TEST(Tiled, Elementwise) {
  Problem problem;
  problem.inputs = {tensor(NPU_F32, {2, 9, 30}), tensor(NPU_F32, {9, 1}),
                    tensor(NPU_F32, {})};
  problem.outputs = {tensor(NPU_F32, {2, 9, 30})};
  problem.instrs = {binary(NPU_INSTR_add, 0, 1), binary(NPU_INSTR_mul, 3, 2),
                    unary(NPU_INSTR_tanh, 4)};
  EXPECT_GT(compareOnChips(problem), 1);
  problem.inputs = {tensor(NPU_I8, {1, 40, 6, 6}, "aBcd16b"),
                    tensor(NPU_I8, {1, 40, 6, 6}, "aBcd16b")};
  problem.outputs = {tensor(NPU_I8, {1, 40, 6, 6}, "aBcd16b")};
  problem.instrs = {binary(NPU_INSTR_add, 0, 1, NPU_I8)};
  EXPECT_GT(compareOnChips(problem), 1);
}

TEST(Tiled, Products) {
  Problem problem;
  problem.op = NPU_OP_MATMUL;
  problem.inputs = {tensor(NPU_F32, {3, 40, 24}), tensor(NPU_F32, {24, 36})};
  problem.outputs = {tensor(NPU_F32, {3, 40, 36})};
  EXPECT_GT(compareOnChips(problem), 1);
  problem.inputs = {tensor(NPU_I8, {40, 24}), tensor(NPU_I8, {24, 36}, "ba")};
  problem.outputs = {tensor(NPU_I32, {40, 36})};
  EXPECT_GT(compareOnChips(problem), 1);
}

TEST(Tiled, Pools) {
  for (int32_t op : {NPU_OP_MAX_POOL, NPU_OP_AVG_POOL})
    for (int64_t counts : {0, 1}) {
      Problem problem = movement(op, tensor(NPU_F32, {1, 24, 21, 18}, "acdb"),
                                 tensor(NPU_F32, {1, 24, 11, 9}, "acdb"));
      npu_pool_attrs &pool = problem.attrs.pool;
      for (int d = 0; d < 2; ++d) {
        pool.kernel[d] = 3;
        pool.strides[d] = 2;
        pool.dilations[d] = pool.pads_begin[d] = pool.pads_end[d] = 1;
      }
      pool.count_include_pad = op == NPU_OP_AVG_POOL ? counts : 0;
      EXPECT_GT(compareOnChips(problem), 1);
    }
}

TEST(Tiled, Rows) {
  Problem softmax = movement(NPU_OP_SOFTMAX, tensor(NPU_F32, {30, 20}),
                             tensor(NPU_F32, {30, 20}));
  softmax.attrs.axis.axis = 1;
  EXPECT_GT(compareOnChips(softmax), 1);
  for (int64_t keeps : {0, 1}) {
    Problem reduce = movement(NPU_OP_REDUCE, tensor(NPU_F32, {6, 20, 10}),
                              keeps ? tensor(NPU_F32, {6, 1, 10})
                                    : tensor(NPU_F32, {6, 10}));
    reduce.attrs.reduce.kind = NPU_REDUCE_MEAN;
    reduce.attrs.reduce.axes_mask = 2;
    reduce.attrs.reduce.keep_dims = keeps;
    EXPECT_GT(compareOnChips(reduce), 1);
  }
}

/// No tile is made, however small the chip: transfers do it.
static void checkIsMoved(const Problem &problem) {
  compareOnChips(problem);
  std::string whyNot;
  auto program = programOf(problem, 0, whyNot);
  ASSERT_TRUE(program) << whyNot;
  EXPECT_EQ(countOf(*program, Command::Compute), 0u);
  const Values inputs = inputsFor(problem, 2);
  EXPECT_EQ(runOnChip(*program, problem, inputs, whyNot),
            runReference(problem, inputs));
  EXPECT_EQ(whyNot, "");
}

TEST(Tiled, Movements) {
  checkIsMoved(movement(NPU_OP_RELAYOUT, tensor(NPU_F32, {2, 7, 5, 9}),
                        tensor(NPU_F32, {2, 7, 5, 9}, "acdb")));
  checkIsMoved(movement(NPU_OP_BROADCAST, tensor(NPU_F32, {7, 1}, "ba"),
                        tensor(NPU_F32, {3, 7, 5}, "cab")));
  EXPECT_GT(
      compareOnChips(movement(NPU_OP_RELAYOUT, tensor(NPU_F32, {1, 40, 9, 9}),
                              tensor(NPU_F32, {1, 40, 9, 9}, "aBcd16b"))),
      1);
  Problem transpose = movement(NPU_OP_TRANSPOSE, tensor(NPU_F32, {20, 6, 11}),
                               tensor(NPU_F32, {11, 20, 6}));
  transpose.attrs.transpose.permutation[0] = 2;
  transpose.attrs.transpose.permutation[1] = 0;
  transpose.attrs.transpose.permutation[2] = 1;
  checkIsMoved(transpose);
  Problem slice = movement(NPU_OP_SLICE, tensor(NPU_I8, {50, 40}),
                           tensor(NPU_I8, {24, 20}));
  slice.attrs.slice.starts[0] = 48;
  slice.attrs.slice.steps[0] = -2;
  slice.attrs.slice.starts[1] = 3;
  slice.attrs.slice.steps[1] = 1;
  checkIsMoved(slice);
  Problem concat = movement(NPU_OP_CONCAT, tensor(NPU_F32, {10, 8, 5}),
                            tensor(NPU_F32, {10, 20, 5}));
  concat.inputs.push_back(tensor(NPU_F32, {10, 12, 5}));
  concat.attrs.axis.axis = 1;
  checkIsMoved(concat);
  Problem blocks =
      movement(NPU_OP_CONCAT, tensor(NPU_F32, {1, 32, 9, 8}, "aBcd16b"),
               tensor(NPU_F32, {1, 64, 9, 8}, "aBcd16b"));
  blocks.inputs.push_back(blocks.inputs[0]);
  blocks.attrs.axis.axis = 1;
  EXPECT_GT(compareOnChips(blocks), 1);
  Problem pad = movement(NPU_OP_PAD, tensor(NPU_F32, {10, 8, 5}),
                         tensor(NPU_F32, {10, 11, 5}));
  pad.attrs.pad.begin[1] = 2;
  pad.attrs.pad.end[1] = 1;
  pad.attrs.pad.value = 3;
  EXPECT_GT(compareOnChips(pad), 1);
}

TEST(Tiled, WhatHasNoTilesIsRefusedWithItsBytes) {
  Problem problem = movement(NPU_OP_RESHAPE, tensor(NPU_F32, {20, 20}, "ba"),
                             tensor(NPU_F32, {400}));
  std::string whyNot;
  EXPECT_TRUE(programOf(problem, 4096, whyNot));
  EXPECT_FALSE(programOf(problem, 3000, whyNot));
  EXPECT_EQ(whyNot, "its smallest tile needs 3200 bytes of on-chip memory, "
                    "3000 are free");
}
