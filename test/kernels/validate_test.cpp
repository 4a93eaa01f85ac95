// SPDX-License-Identifier: Apache-2.0
//
// One negative case per rule of validate(): each breaks one thing in a problem
// that is valid without it.

#include "test/kernels/testing.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

using namespace npu::kernels;
using namespace npu::kernels::testing;

namespace {

using Break = std::function<void(Problem &)>;

struct Rule {
  const char *expected; // part of the sentence
  Break breakIt;
};

void expectRules(const Problem &valid, const std::vector<Rule> &rules) {
  ASSERT_EQ(validate(valid), "");
  for (const Rule &rule : rules) {
    Problem broken = valid;
    rule.breakIt(broken);
    std::string text = validate(broken);
    EXPECT_NE(text.find(rule.expected), std::string::npos)
        << "expected \"" << rule.expected << "\", found \"" << text << "\"";
  }
}

Problem simple(npu_op op, std::vector<int64_t> in, std::vector<int64_t> out,
               int32_t dtype = NPU_F32) {
  Problem p;
  p.op = op;
  p.inputs = {tensor(dtype, in)};
  p.outputs = {tensor(dtype, out)};
  return p;
}

Problem conv() {
  return convProblem(tensor(NPU_F32, {2, 4, 9, 9}), 6, {3, 3}, 2, 1, 2, "abcd");
}

} // namespace

TEST(Validate, Winograd) {
  Problem p =
      convProblem(tensor(NPU_F32, {2, 4, 9, 9}), 6, {3, 3}, 1, 1, 1, "abcd");
  p.op = NPU_OP_CONV_WINOGRAD;
  p.attrs = {};
  p.attrs.winograd = {4, {1, 1}, {1, 1}, 1};
  p.inputs[1] = tensor(NPU_F32, {6, 4, 6, 6});
  expectRules(
      p,
      {{"tile 3", [](Problem &p) { p.attrs.winograd.tile = 3; }},
       {"has_bias", [](Problem &p) { p.attrs.winograd.has_bias = 2; }},
       {"rank 3", [](Problem &p) { p.inputs[0] = tensor(NPU_F32, {2, 4, 9}); }},
       {"expected floats", [](Problem &p) { p.inputs[1].dtype = NPU_I8; }},
       {"output: dimension 0", [](Problem &p) { p.outputs[0].dims[0] = 3; }},
       {"weight: dimension 0", [](Problem &p) { p.inputs[1].dims[0] = 5; }},
       {"weight: dimension 1", [](Problem &p) { p.inputs[1].dims[1] = 5; }},
       {"weight: dimension 3", [](Problem &p) { p.inputs[1].dims[3] = 4; }},
       {"bias", [](Problem &p) { p.inputs[2].dims[0] = 4; }},
       {"padding of spatial dimension 1",
        [](Problem &p) { p.attrs.winograd.pads_end[1] = -1; }},
       {"larger than the padded input",
        [](Problem &p) { p.inputs[0].dims[2] = 0; }},
       {"output: dimension 2", [](Problem &p) { p.outputs[0].dims[2] = 8; }}});
}

TEST(Validate, WinogradWeight) {
  Problem p = simple(NPU_OP_WINOGRAD_WEIGHT, {5, 4, 3, 3}, {5, 4, 6, 6});
  p.attrs.winograd.tile = 4;
  expectRules(
      p,
      {{"tile 0", [](Problem &p) { p.attrs.winograd.tile = 0; }},
       {"rank 3", [](Problem &p) { p.inputs[0] = tensor(NPU_F32, {4, 3, 3}); }},
       {"expected floats", [](Problem &p) { p.inputs[0].dtype = NPU_I8; }},
       {"weight: dimension 1", [](Problem &p) { p.outputs[0].dims[1] = 5; }},
       {"weight: dimension 2", [](Problem &p) { p.inputs[0].dims[2] = 5; }},
       {"transformed weight: dimension 3",
        [](Problem &p) { p.outputs[0].dims[3] = 4; }}});
}

TEST(Validate, GradientByData) {
  Problem p = conv(); // data 2x4x9x9, weight 6x2x3x3, result 2x6x5x5
  p.op = NPU_OP_CONV_TRANSPOSE;
  p.attrs.conv.weight_of_conv = 1;
  p.attrs.conv.has_bias = 0;
  p.inputs.pop_back();
  std::swap(p.inputs[0], p.outputs[0]);
  expectRules(
      p,
      {{"weight_of_conv", [](Problem &p) { p.attrs.conv.weight_of_conv = 2; }},
       {"weight_of_conv", [](Problem &p) { p.op = NPU_OP_CONV; }},
       {"weight: dimension 0 has 3",
        [](Problem &p) { p.inputs[1].dims[0] = 3; }},
       {"weight: dimension 1 has 4",
        [](Problem &p) { p.inputs[1].dims[1] = 4; }},
       {"output: dimension 2", [](Problem &p) { p.outputs[0].dims[2] = 8; }}});
}

TEST(Validate, GradientByWeight) {
  Problem p = conv();
  p.op = NPU_OP_CONV_BPW;
  p.attrs.conv.has_bias = 0;
  p.inputs.pop_back();
  std::swap(p.inputs[1], p.outputs[0]);
  p.inputs[1].weights_offset = p.outputs[0].weights_offset = -1;
  expectRules(
      p,
      {{"with a bias", [](Problem &p) { p.attrs.conv.has_bias = 1; }},
       {"zero point", [](Problem &p) { p.attrs.conv.data_zero_point = 1; }},
       {"another order", [](Problem &p) { p.attrs.conv.weight_of_conv = 1; }},
       {"rank 2", [](Problem &p) { p.inputs[0] = tensor(NPU_F32, {2, 4}); }},
       {"different ranks",
        [](Problem &p) { p.outputs[0] = tensor(NPU_F32, {6, 2, 9}); }},
       {"gradient i8", [](Problem &p) { p.inputs[1].dtype = NPU_I8; }},
       {"groups", [](Problem &p) { p.attrs.conv.groups = 3; }},
       {"gradient: dimension 0", [](Problem &p) { p.inputs[1].dims[0] = 3; }},
       {"output: dimension 0", [](Problem &p) { p.outputs[0].dims[0] = 8; }},
       {"output: dimension 1", [](Problem &p) { p.outputs[0].dims[1] = 4; }},
       {"gradient: dimension 3", [](Problem &p) { p.inputs[1].dims[3] = 4; }},
       {"stride", [](Problem &p) { p.attrs.conv.strides[1] = 0; }}});
}

TEST(Validate, Img2col) {
  Problem p = simple(NPU_OP_IMG2COL, {2, 4, 9, 9}, {2, 36, 5, 5});
  p.attrs.pool = {{3, 3}, {2, 2}, {1, 1}, {1, 1}, {1, 1}, 0, 0, 0};
  expectRules(
      p, {{"rank 2", [](Problem &p) { p.inputs[0] = tensor(NPU_F32, {2, 4}); }},
          {"different ranks",
           [](Problem &p) { p.outputs[0] = tensor(NPU_F32, {2, 36, 25}); }},
          {"dimension 0", [](Problem &p) { p.outputs[0].dims[0] = 3; }},
          {"4 times 9", [](Problem &p) { p.outputs[0].dims[1] = 35; }},
          {"dimension 2", [](Problem &p) { p.outputs[0].dims[2] = 4; }},
          {"kernel extent 0", [](Problem &p) { p.attrs.pool.kernel[0] = 0; }},
          {"stride 0", [](Problem &p) { p.attrs.pool.strides[1] = 0; }},
          {"dilation -1", [](Problem &p) { p.attrs.pool.dilations[0] = -1; }},
          {"padding", [](Problem &p) { p.attrs.pool.pads_end[1] = -1; }},
          {"larger than the padded",
           [](Problem &p) { p.attrs.pool.kernel[0] = 12; }}});
}

TEST(Validate, Unpools) {
  Problem p = simple(NPU_OP_UNPOOL, {2, 4, 3}, {2, 4, 6});
  p.attrs.pool.kernel[0] = 2;
  expectRules(
      p, {{"rank 2", [](Problem &p) { p.inputs[0] = tensor(NPU_F32, {2, 4}); }},
          {"different ranks",
           [](Problem &p) { p.outputs[0] = tensor(NPU_F32, {2, 4, 6, 1}); }},
          {"dimension 1", [](Problem &p) { p.outputs[0].dims[1] = 3; }},
          {"dimension 2", [](Problem &p) { p.outputs[0].dims[2] = 5; }},
          {"kernel extent 0", [](Problem &p) { p.attrs.pool.kernel[0] = 0; }}});
  p = simple(NPU_OP_MASKUNPOOL, {2, 4, 3}, {2, 4, 7});
  p.inputs.push_back(tensor(NPU_I64, {2, 4, 3}));
  expectRules(
      p,
      {{"inputs", [](Problem &p) { p.inputs.pop_back(); }},
       {"dimension 0", [](Problem &p) { p.outputs[0].dims[0] = 3; }},
       {"indices are f32", [](Problem &p) { p.inputs[1].dtype = NPU_F32; }},
       {"indices of rank 1",
        [](Problem &p) { p.inputs[1] = tensor(NPU_I64, {24}); }},
       {"indices: dimension 2", [](Problem &p) { p.inputs[1].dims[2] = 2; }}});
}

TEST(Validate, Rotate) {
  Problem p = simple(NPU_OP_ROTATE, {2, 4, 3}, {2, 3, 4});
  p.attrs.rotate = {{1, 2}, 3};
  expectRules(p,
              {{"axis 3", [](Problem &p) { p.attrs.rotate.axes[0] = 3; }},
               {"axis -1", [](Problem &p) { p.attrs.rotate.axes[1] = -1; }},
               {"named twice", [](Problem &p) { p.attrs.rotate.axes[0] = 2; }},
               {"0 turns", [](Problem &p) { p.attrs.rotate.turns = 0; }},
               {"4 turns", [](Problem &p) { p.attrs.rotate.turns = 4; }},
               {"different ranks",
                [](Problem &p) { p.outputs[0] = tensor(NPU_F32, {2, 12}); }},
               {"dimension 1", [](Problem &p) { p.attrs.rotate.turns = 2; }}});
}

TEST(Validate, Tensornorm) {
  Problem p = simple(NPU_OP_TENSORNORM, {2, 4, 3}, {2, 4, 3});
  p.inputs.push_back(tensor(NPU_F32, {4, 1}));
  p.inputs.push_back(tensor(NPU_F32, {4, 1}));
  p.attrs.norm = {6, 1, 2, 1, 1, 1e-5};
  expectRules(
      p,
      {{"inputs", [](Problem &p) { p.inputs.pop_back(); }},
       {"has_bias", [](Problem &p) { p.attrs.norm.has_bias = 2; }},
       {"centered", [](Problem &p) { p.attrs.norm.centered = -1; }},
       {"data is i32", [](Problem &p) { p.inputs[0].dtype = NPU_I32; }},
       {"the axes", [](Problem &p) { p.attrs.norm.axes_mask = 0; }},
       {"the axes", [](Problem &p) { p.attrs.norm.axes_mask = 8; }},
       {"axis 3", [](Problem &p) { p.attrs.norm.group_axis = 3; }},
       {"not normalised over", [](Problem &p) { p.attrs.norm.group_axis = 0; }},
       {"3 groups", [](Problem &p) { p.attrs.norm.groups = 3; }},
       {"0 groups", [](Problem &p) { p.attrs.norm.groups = 0; }},
       {"epsilon", [](Problem &p) { p.attrs.norm.epsilon = INFINITY; }},
       {"epsilon", [](Problem &p) { p.attrs.norm.epsilon = NAN; }},
       {"scale is i32", [](Problem &p) { p.inputs[1].dtype = NPU_I32; }},
       {"scale f32 2x1", [](Problem &p) { p.inputs[1].dims[0] = 2; }},
       {"bias f32 1x1x4x1",
        [](Problem &p) { p.inputs[2] = tensor(NPU_F32, {1, 1, 4, 1}); }},
       {"dimension 2", [](Problem &p) { p.outputs[0].dims[2] = 2; }}});
}

TEST(Validate, Attention) {
  Problem p = simple(NPU_OP_ATTENTION, {2, 4, 5, 3}, {2, 4, 5, 6});
  p.inputs = {p.inputs[0], tensor(NPU_F32, {2, 2, 7, 3}),
              tensor(NPU_F32, {2, 2, 7, 6}), tensor(NPU_F32, {5, 7})};
  p.attrs.attention = {0.5, 0, 1, 0};
  expectRules(
      p, {{"inputs", [](Problem &p) { p.inputs.pop_back(); }},
          {"has_mask", [](Problem &p) { p.attrs.attention.has_mask = 2; }},
          {"causal", [](Problem &p) { p.attrs.attention.causal = -1; }},
          {"scale", [](Problem &p) { p.attrs.attention.scale = INFINITY; }},
          {"fill", [](Problem &p) { p.attrs.attention.fill = NAN; }},
          {"operands are i32", [](Problem &p) { p.inputs[0].dtype = NPU_I32; }},
          {"f32, f16", [](Problem &p) { p.inputs[1].dtype = NPU_F16; }},
          {"ranks", [](Problem &p) { p.inputs[2] = tensor(NPU_F32, {7, 6}); }},
          {"ranks", [](Problem &p) { p.inputs[0] = tensor(NPU_F32, {3}); }},
          {"key: dimension 3", [](Problem &p) { p.inputs[1].dims[3] = 4; }},
          {"key: dimension 0", [](Problem &p) { p.inputs[1].dims[0] = 1; }},
          {"key: dimension 1", [](Problem &p) { p.inputs[1].dims[1] = 3; }},
          {"value: dimension 1", [](Problem &p) { p.inputs[2].dims[1] = 1; }},
          {"value: dimension 2", [](Problem &p) { p.inputs[2].dims[2] = 8; }},
          {"output: dimension 1", [](Problem &p) { p.outputs[0].dims[1] = 2; }},
          {"output: dimension 3", [](Problem &p) { p.outputs[0].dims[3] = 5; }},
          {"mask is i32", [](Problem &p) { p.inputs[3].dtype = NPU_I32; }},
          {"mask f32 4x7", [](Problem &p) { p.inputs[3].dims[0] = 4; }}});
}

TEST(Validate, Descriptors) {
  expectRules(
      simple(NPU_OP_RELAYOUT, {2, 3}, {2, 3}),
      {{"unknown op", [](Problem &p) { p.op = 99; }},
       {"unknown op", [](Problem &p) { p.op = -1; }},
       {"threads", [](Problem &p) { p.threads = 0; }},
       {"threads", [](Problem &p) { p.threads = 1 << 20; }},
       {"element type",
        [](Problem &p) { p.inputs[0].dtype = NPU_DTYPE_COUNT; }},
       {"element type", [](Problem &p) { p.outputs[0].dtype = -1; }},
       {"rank 9", [](Problem &p) { p.inputs[0].rank = 9; }},
       {"rank -1", [](Problem &p) { p.inputs[0].rank = -1; }},
       {"permutation", [](Problem &p) { p.inputs[0].order[0] = 1; }},
       {"permutation", [](Problem &p) { p.inputs[0].order[0] = -1; }},
       {"permutation", [](Problem &p) { p.inputs[0].order[1] = 2; }},
       {"block count", [](Problem &p) { p.inputs[0].block_count = 9; }},
       {"block count", [](Problem &p) { p.inputs[0].block_count = -1; }},
       {"does not have",
        [](Problem &p) {
          p.inputs[0].block_count = 1;
          p.inputs[0].block_sizes[0] = 8;
          p.inputs[0].block_dims[0] = 2;
        }},
       {"block size",
        [](Problem &p) {
          p.inputs[0].block_count = 1;
          p.inputs[0].block_sizes[0] = 0;
        }},
       {"reserved", [](Problem &p) { p.inputs[0].reserved[0] = 1; }},
       {"offset", [](Problem &p) { p.inputs[0].weights_offset = -2; }},
       {"negative", [](Problem &p) { p.inputs[0].dims[1] = -3; }},
       {"too large",
        [](Problem &p) { p.inputs[0].dims[0] = int64_t{1} << 60; }},
       {"too large",
        [](Problem &p) {
          p.inputs[0].dims[0] = p.inputs[0].dims[1] = INT64_MAX / 2;
        }},
       {"too large",
        [](Problem &p) {
          p.inputs[0].dims[0] = 0;
          p.inputs[0].dims[1] = INT64_MAX;
        }},
       {"too large",
        [](Problem &p) { // padding of the block is what overflows
          p.inputs[0].dims[0] = INT64_MAX;
          p.inputs[0].block_count = 1;
          p.inputs[0].block_sizes[0] = 16;
        }},
       {"too large",
        [](Problem &p) { // their product does
          p.inputs[0].block_count = 3;
          for (int k = 0; k < 3; ++k)
            p.inputs[0].block_sizes[k] = INT32_MAX;
        }},
       {"outputs", [](Problem &p) { p.outputs.clear(); }},
       {"outputs", [](Problem &p) { p.outputs.push_back(p.outputs[0]); }},
       {"inputs", [](Problem &p) { p.inputs.clear(); }},
       {"too many operands",
        [](Problem &p) { p.inputs.resize(9000, p.inputs[0]); }}});
}

TEST(Validate, Instructions) {
  Problem p;
  p.op = NPU_OP_ELTWISE;
  p.inputs = {tensor(NPU_F32, {2, 3}), tensor(NPU_I32, {3}),
              tensor(NPU_BOOL, {2, 3})};
  p.outputs = {tensor(NPU_F32, {2, 3})};
  npu_instr select = binary(NPU_INSTR_select, 2, 0);
  select.c = 3;
  p.instrs = {unary(NPU_INSTR_cast, 1), select};
  expectRules(
      p,
      {{"unknown kind", [](Problem &q) { q.instrs[0].kind = 63; }},
       {"unknown kind", [](Problem &q) { q.instrs[0].kind = -5; }},
       {"element type", [](Problem &q) { q.instrs[0].dtype = 17; }},
       {"reserved", [](Problem &q) { q.instrs[0].reserved = 1; }},
       {"not a number",
        [](Problem &q) {
          q.instrs[0].alpha = std::numeric_limits<float>::quiet_NaN();
        }},
       {"has more", [](Problem &q) { q.instrs[0].b = 0; }},
       {"does not exist", [](Problem &q) { q.instrs[0].a = 3; }},
       {"does not exist", [](Problem &q) { q.instrs[1].c = 4; }},
       {"does not exist", [](Problem &q) { q.instrs[1].c = -1; }},
       {"broadcast", [](Problem &q) { q.inputs[1].dims[0] = 2; }},
       {"broadcast",
        [](Problem &q) { q.inputs[1] = tensor(NPU_I32, {1, 1, 3}); }},
       {"mixes", [](Problem &q) { q.instrs[0].dtype = NPU_I32; }},
       {"bool first", [](Problem &q) { q.instrs[1].a = 1; }},
       {"gives f32, not i64", [](Problem &q) { q.instrs[1].dtype = NPU_I64; }},
       {"gives bool",
        [](Problem &q) { q.instrs[1] = binary(NPU_INSTR_less, 0, 3); }},
       {"has no meaning on f32",
        [](Problem &q) {
          q.instrs[1] = binary(NPU_INSTR_logical_and, 0, 3, NPU_BOOL);
        }},
       {"no meaning",
        [](Problem &q) {
          q.instrs[0] = unary(NPU_INSTR_exp, 1, 0, 0, NPU_I32);
        }},
       {"the output is", [](Problem &q) { q.outputs[0].dtype = NPU_F16; }},
       {"no instructions", [](Problem &q) { q.instrs.clear(); }},
       {"limit is",
        [](Problem &q) { q.instrs.assign(5000, unary(NPU_INSTR_relu, 0)); }}});
}

TEST(Validate, InPlace) {
  Problem p = conv();
  p.inputs.push_back(p.outputs[0]);
  p.instrs = {binary(NPU_INSTR_add, 3, 4)};
  p.inPlaceInput = 3;
  expectRules(
      p, {{"does not exist", [](Problem &q) { q.inPlaceInput = 4; }},
          {"does not exist", [](Problem &q) { q.inPlaceInput = -2; }},
          {"read by the kernel proper", [](Problem &q) { q.inPlaceInput = 0; }},
          {"constant", [](Problem &q) { q.inputs[3].weights_offset = 64; }},
          {"not stored like",
           [](Problem &q) {
             q.inputs[3] = tensor(NPU_F32, {2, 6, 5, 5}, "acdb");
           }},
          {"not stored like", [](Problem &q) {
             q.inputs[3].dtype = NPU_BF16;
             q.instrs = {unary(NPU_INSTR_cast, 3), binary(NPU_INSTR_add, 4, 5)};
           }}});
}

TEST(Validate, TypesWithoutInstructions) {
  expectRules(
      simple(NPU_OP_RELAYOUT, {2}, {2}),
      {{"cast is missing", [](Problem &p) { p.outputs[0].dtype = NPU_F16; }}});
  expectRules(conv(), {{"cast is missing",
                        [](Problem &p) { p.outputs[0].dtype = NPU_I32; }}});
}

TEST(Validate, Conv) {
  expectRules(
      conv(),
      {{"has_bias", [](Problem &p) { p.attrs.conv.has_bias = 2; }},
       {"inputs", [](Problem &p) { p.inputs.pop_back(); }},
       {"rank 2", [](Problem &p) { p.inputs[0] = tensor(NPU_F32, {2, 4}); }},
       {"different ranks",
        [](Problem &p) { p.inputs[1] = tensor(NPU_F32, {6, 2, 3}); }},
       {"weight i8", [](Problem &p) { p.inputs[1].dtype = NPU_I8; }},
       {"data is bool",
        [](Problem &p) { p.inputs[0].dtype = p.inputs[1].dtype = NPU_BOOL; }},
       {"groups", [](Problem &p) { p.attrs.conv.groups = 0; }},
       {"groups", [](Problem &p) { p.attrs.conv.groups = 4; }},
       {"output: dimension 0", [](Problem &p) { p.outputs[0].dims[0] = 1; }},
       {"weight: dimension 0", [](Problem &p) { p.inputs[1].dims[0] = 8; }},
       {"weight: dimension 1", [](Problem &p) { p.inputs[1].dims[1] = 4; }},
       {"bias", [](Problem &p) { p.inputs[2].dims[0] = 1; }},
       {"bias i32", [](Problem &p) { p.inputs[2].dtype = NPU_I32; }},
       {"stride", [](Problem &p) { p.attrs.conv.strides[1] = 0; }},
       {"stride", [](Problem &p) { p.attrs.conv.strides[1] = INT64_MAX; }},
       {"dilation", [](Problem &p) { p.attrs.conv.dilations[0] = 0; }},
       {"dilation", [](Problem &p) { p.attrs.conv.dilations[0] = INT64_MAX; }},
       {"padding", [](Problem &p) { p.attrs.conv.pads_begin[0] = -1; }},
       {"padding", [](Problem &p) { p.attrs.conv.pads_end[0] = INT64_MAX; }},
       {"kernel extent", [](Problem &p) { p.inputs[1].dims[2] = 0; }},
       {"larger than", [](Problem &p) { p.attrs.conv.dilations[0] = 9; }},
       {"output: dimension 3", [](Problem &p) { p.outputs[0].dims[3] = 6; }},
       {"zero point 1 is not 0",
        [](Problem &p) { p.attrs.conv.data_zero_point = 1; }},
       {"in the range of u8", [](Problem &p) {
          p.inputs[0].dtype = NPU_U8;
          p.inputs[1].dtype = NPU_I8;
          p.inputs[2].dtype = p.outputs[0].dtype = NPU_I32;
          p.attrs.conv.data_zero_point = -1;
        }}});
  Problem transposed = conv();
  transposed.op = NPU_OP_CONV_TRANSPOSE;
  transposed.outputs = {tensor(NPU_F32, {2, 6, 17, 18})};
  expectRules(
      transposed,
      {{"expected 17 to 18", [](Problem &p) { p.outputs[0].dims[2] = 16; }},
       {"expected 17 to 18", [](Problem &p) { p.outputs[0].dims[3] = 19; }}});
}

TEST(Validate, Pool) {
  Problem p = simple(NPU_OP_AVG_POOL, {1, 2, 8}, {1, 2, 4});
  p.attrs.pool.kernel[0] = 3;
  p.attrs.pool.strides[0] = 2;
  p.attrs.pool.dilations[0] = 1;
  p.attrs.pool.pads_begin[0] = 1;
  expectRules(
      p, {{"rank 2", [](Problem &q) { q.inputs[0] = tensor(NPU_F32, {1, 2}); }},
          {"bool", [](Problem &q) { q.inputs[0].dtype = NPU_BOOL; }},
          {"different ranks",
           [](Problem &q) { q.outputs[0] = tensor(NPU_F32, {1, 2}); }},
          {"dimension 1", [](Problem &q) { q.outputs[0].dims[1] = 3; }},
          {"count_include_pad",
           [](Problem &q) { q.attrs.pool.count_include_pad = 2; }},
          {"keep_nan", [](Problem &q) { q.attrs.pool.keep_nan = 2; }},
          {"kernel", [](Problem &q) { q.attrs.pool.kernel[0] = 0; }},
          {"stride", [](Problem &q) { q.attrs.pool.strides[0] = 0; }},
          {"dilation", [](Problem &q) { q.attrs.pool.dilations[0] = 0; }},
          {"not smaller", [](Problem &q) { q.attrs.pool.pads_begin[0] = 3; }},
          {"not smaller", [](Problem &q) { q.attrs.pool.pads_end[0] = -1; }},
          {"empty", [](Problem &q) { q.inputs[0].dims[2] = 0; }},
          {"dimension 2", [](Problem &q) { q.outputs[0].dims[2] = 6; }},
          {"dimension 2", [](Problem &q) { q.outputs[0].dims[2] = 3; }}});
}

TEST(Validate, Matmul) {
  Problem p = simple(NPU_OP_MATMUL, {2, 3, 4}, {2, 3, 5});
  p.inputs.push_back(tensor(NPU_F32, {1, 4, 5}));
  expectRules(
      p,
      {{"rank 3 and 1", [](Problem &q) { q.inputs[1] = tensor(NPU_F32, {4}); }},
       {"output of rank", [](Problem &q) { q.outputs[0].rank = 2; }},
       {"operands are", [](Problem &q) { q.inputs[0].dtype = NPU_I8; }},
       {"second operand", [](Problem &q) { q.inputs[1].dims[1] = 5; }},
       {"dimension 1", [](Problem &q) { q.outputs[0].dims[1] = 4; }},
       {"dimension 2", [](Problem &q) { q.outputs[0].dims[2] = 4; }},
       {"do not broadcast", [](Problem &q) { q.inputs[1].dims[0] = 3; }},
       {"is not packed", [](Problem &q) { q.attrs.matmul.quantize = 32; }},
       {"dimension 0", [](Problem &q) { q.outputs[0].dims[0] = 1; }}});
}

TEST(Validate, PackedMatmul) {
  Problem p = simple(NPU_OP_MATMUL, {2, 3, 9}, {2, 3, 5});
  p.inputs.push_back(tensor(NPU_U8, {5, 5}));
  p.inputs.push_back(tensor(NPU_F32, {3, 5}));
  p.inputs.push_back(tensor(NPU_U8, {3, 5}));
  p.attrs.matmul = {4, 4, 0, 1, 0};
  expectRules(
      p,
      {{"operands are", [](Problem &q) { q.inputs[0].dtype = NPU_F16; }},
       {"operands are", [](Problem &q) { q.inputs[1].dtype = NPU_I32; }},
       {"rank 3, expected 2",
        [](Problem &q) { q.inputs[1] = tensor(NPU_U8, {1, 5, 5}); }},
       {"numbers of 3 bits", [](Problem &q) { q.attrs.matmul.bits = 3; }},
       {"few bits lie in i8", [](Problem &q) { q.inputs[1].dtype = NPU_I8; }},
       {"second operand: dimension 0 has 5 elements, expected 3",
        [](Problem &q) { q.attrs.matmul.bits = 2; }},
       {"a block of -4", [](Problem &q) { q.attrs.matmul.block = -4; }},
       {"zero point 256", [](Problem &q) { q.attrs.matmul.zero_point = 256; }},
       {"of two kinds", [](Problem &q) { q.attrs.matmul.zero_point = 1; }},
       {"of two kinds", [](Problem &q) { q.attrs.matmul.has_zero_points = 2; }},
       {"without scales", [](Problem &q) { q.attrs.matmul.block = 0; }},
       {"zero points of floats",
        [](Problem &q) {
          q.attrs.matmul.bits = 0;
          q.inputs[1] = tensor(NPU_F16, {9, 5});
        }},
       {"in groups of -2", [](Problem &q) { q.attrs.matmul.quantize = -2; }},
       {"range for u8", [](Problem &q) { q.attrs.matmul.quantize = -1; }},
       {"groups of 6 for blocks of 4",
        [](Problem &q) { q.attrs.matmul.quantize = 6; }},
       {"quantized for f16, expected i8 or u8",
        [](Problem &q) {
          q.attrs.matmul = {0, 4, 0, 0, 8};
          q.inputs.pop_back();
          q.inputs[1] = tensor(NPU_F16, {9, 5});
        }},
       {"scales are", [](Problem &q) { q.inputs[2].dtype = NPU_U8; }},
       {"scales of rank 1",
        [](Problem &q) { q.inputs[2] = tensor(NPU_F32, {5}); }},
       {"scales: dimension 0", [](Problem &q) { q.inputs[2].dims[0] = 2; }},
       {"scales: dimension 1", [](Problem &q) { q.inputs[2].dims[1] = 2; }},
       {"zero points are", [](Problem &q) { q.inputs[3].dtype = NPU_I32; }},
       {"zero points: dimension 1",
        [](Problem &q) { q.inputs[3].dims[1] = 2; }},
       {"expected at least 4", [](Problem &q) { q.inputs.pop_back(); }}});
}

TEST(Validate, ReduceAndSoftmax) {
  Problem p = simple(NPU_OP_REDUCE, {2, 3, 4}, {2, 1, 4});
  p.attrs.reduce = {NPU_REDUCE_SUM, 2, 1};
  expectRules(
      p,
      {{"unknown kind", [](Problem &q) { q.attrs.reduce.kind = 10; }},
       {"keep_dims", [](Problem &q) { q.attrs.reduce.keep_dims = 2; }},
       {"axis", [](Problem &q) { q.attrs.reduce.axes_mask = 8; }},
       {"axis", [](Problem &q) { q.attrs.reduce.axes_mask = -1; }},
       {"no meaning",
        [](Problem &q) {
          q.inputs[0].dtype = NPU_I32;
          q.attrs.reduce.kind = NPU_REDUCE_LOG_SUM;
        }},
       {"too few", [](Problem &q) { q.outputs[0] = tensor(NPU_F32, {2, 1}); }},
       {"dimension 1", [](Problem &q) { q.outputs[0].dims[1] = 3; }},
       {"too many",
        [](Problem &q) { q.outputs[0] = tensor(NPU_F32, {2, 1, 4, 1}); }}});
  p = simple(NPU_OP_SOFTMAX, {2, 3}, {2, 3});
  expectRules(
      p, {{"softmax of i8", [](Problem &q) { q.inputs[0].dtype = NPU_I8; }},
          {"axis 2", [](Problem &q) { q.attrs.axis.axis = 2; }},
          {"axis -1", [](Problem &q) { q.attrs.axis.axis = -1; }},
          {"is_log", [](Problem &q) { q.attrs.axis.is_log = 5; }},
          {"different ranks",
           [](Problem &q) { q.outputs[0] = tensor(NPU_F32, {6}); }},
          {"dimension 1", [](Problem &q) { q.outputs[0].dims[1] = 2; }}});
}

TEST(Validate, Resize) {
  Problem p = simple(NPU_OP_RESIZE, {1, 2, 4}, {1, 2, 8});
  p.attrs.resize.scales[0] = p.attrs.resize.scales[1] = 1;
  p.attrs.resize.scales[2] = 2;
  p.attrs.resize.mode = NPU_RESIZE_LINEAR;
  expectRules(
      p, {{"mode", [](Problem &q) { q.attrs.resize.mode = 3; }},
          {"coordinates", [](Problem &q) { q.attrs.resize.coordinates = 9; }},
          {"rounding", [](Problem &q) { q.attrs.resize.nearest = 4; }},
          {"exclude_outside",
           [](Problem &q) { q.attrs.resize.exclude_outside = 2; }},
          {"cubic", [](Problem &q) { q.attrs.resize.cubic_a = INFINITY; }},
          {"interpolation of i8",
           [](Problem &q) { q.inputs[0].dtype = q.outputs[0].dtype = NPU_I8; }},
          {"different ranks",
           [](Problem &q) { q.outputs[0] = tensor(NPU_F32, {1, 16}); }},
          {"2^24", [](Problem &q) { q.inputs[0].dims[2] = 0; }},
          {"2^24",
           [](Problem &q) {
             q.inputs[0].dims[2] = 1 << 25;
             q.outputs[0].dims[2] = 1 << 26;
           }},
          {"positive", [](Problem &q) { q.attrs.resize.scales[2] = -1; }},
          {"positive", [](Problem &q) { q.attrs.resize.scales[2] = NAN; }},
          {"scale gives", [](Problem &q) { q.outputs[0].dims[2] = 12; }}});
}

TEST(Validate, MovementShapes) {
  Problem p = simple(NPU_OP_RELAYOUT, {2, 3}, {2, 3});
  expectRules(p,
              {{"different ranks",
                [](Problem &q) { q.outputs[0] = tensor(NPU_F32, {6}); }},
               {"dimension 1", [](Problem &q) { q.outputs[0].dims[1] = 4; }}});
  p = simple(NPU_OP_TRANSPOSE, {2, 3}, {3, 2});
  p.attrs.transpose.permutation[0] = 1;
  expectRules(p,
              {{"permutation",
                [](Problem &q) { q.attrs.transpose.permutation[1] = 1; }},
               {"permutation",
                [](Problem &q) { q.attrs.transpose.permutation[0] = 2; }},
               {"permutation",
                [](Problem &q) { q.attrs.transpose.permutation[0] = -1; }},
               {"dimension 0", [](Problem &q) { q.outputs[0].dims[0] = 2; }}});
  expectRules(simple(NPU_OP_RESHAPE, {2, 3}, {6}),
              {{"elements", [](Problem &q) { q.outputs[0].dims[0] = 5; }}});
  expectRules(simple(NPU_OP_BROADCAST, {2, 1}, {4, 2, 3}),
              {{"fewer dimensions",
                [](Problem &q) { q.outputs[0] = tensor(NPU_F32, {2}); }},
               {"dimension 0", [](Problem &q) { q.inputs[0].dims[0] = 3; }}});
}

TEST(Validate, GatherAndScatterByIndex) {
  Problem p = simple(NPU_OP_GATHER_ELEMENTS, {4, 3}, {2, 5});
  p.inputs.push_back(tensor(NPU_I64, {2, 5}));
  p.attrs.index.axis = 1;
  expectRules(
      p,
      {{"axis 2", [](Problem &q) { q.attrs.index.axis = 2; }},
       {"inputs", [](Problem &q) { q.inputs.pop_back(); }},
       {"indices are f32", [](Problem &q) { q.inputs[1].dtype = NPU_F32; }},
       {"indices of rank 1",
        [](Problem &q) { q.inputs[1] = tensor(NPU_I64, {2}); }},
       {"or fewer", [](Problem &q) { q.inputs[1].dims[0] = 5; }},
       {"output: dimension 1", [](Problem &q) { q.outputs[0].dims[1] = 4; }},
       {"output of rank 1",
        [](Problem &q) { q.outputs[0] = tensor(NPU_F32, {2}); }},
       {"unknown reduction", [](Problem &q) { q.attrs.index.reduction = 5; }}});
  p = simple(NPU_OP_GATHER_ND, {4, 3, 2}, {4, 5, 2});
  p.inputs.push_back(tensor(NPU_I32, {4, 5, 1}));
  p.attrs.index.batch_dims = 1;
  expectRules(
      p,
      {{"batch dimensions", [](Problem &q) { q.attrs.index.batch_dims = 3; }},
       {"batch dimensions", [](Problem &q) { q.attrs.index.batch_dims = -1; }},
       {"indices: dimension 0", [](Problem &q) { q.inputs[1].dims[0] = 3; }},
       {"indices of 3 numbers", [](Problem &q) { q.inputs[1].dims[2] = 3; }},
       {"indices of rank 0",
        [](Problem &q) { q.inputs[1] = tensor(NPU_I32, {}); }},
       {"output: dimension 2", [](Problem &q) { q.outputs[0].dims[2] = 3; }}});
  p = simple(NPU_OP_SCATTER_ND, {4, 3}, {4, 3});
  p.inputs.push_back(tensor(NPU_I32, {2, 1}));
  p.inputs.push_back(tensor(NPU_F32, {2, 3}));
  expectRules(
      p,
      {{"updates are f16", [](Problem &q) { q.inputs[2].dtype = NPU_F16; }},
       {"inputs", [](Problem &q) { q.inputs.pop_back(); }},
       {"updates: dimension 1", [](Problem &q) { q.inputs[2].dims[1] = 2; }},
       {"output: dimension 0", [](Problem &q) { q.outputs[0].dims[0] = 5; }}});
}

TEST(Validate, TopKAndCumulate) {
  Problem p = simple(NPU_OP_TOP_K, {4, 3}, {4, 2});
  p.outputs[0].dtype = NPU_I64;
  p.attrs.top_k = {1, 1};
  expectRules(p, {{"axis 2", [](Problem &q) { q.attrs.top_k.axis = 2; }},
                  {"largest", [](Problem &q) { q.attrs.top_k.largest = 2; }},
                  {"different ranks",
                   [](Problem &q) { q.outputs[0] = tensor(NPU_I64, {4}); }},
                  {"dimension 0", [](Problem &q) { q.outputs[0].dims[0] = 3; }},
                  {"or fewer", [](Problem &q) { q.outputs[0].dims[1] = 4; }},
                  {"a cast is missing",
                   [](Problem &q) { q.outputs[0].dtype = NPU_F32; }}});
  p = simple(NPU_OP_CUMULATE, {4, 3}, {4, 3});
  expectRules(
      p, {{"axis -1", [](Problem &q) { q.attrs.cumulate.axis = -1; }},
          {"unknown kind", [](Problem &q) { q.attrs.cumulate.kind = 2; }},
          {"exclusive", [](Problem &q) { q.attrs.cumulate.exclusive = 2; }},
          {"reverse", [](Problem &q) { q.attrs.cumulate.reverse = -1; }},
          {"different ranks",
           [](Problem &q) { q.outputs[0] = tensor(NPU_F32, {4}); }},
          {"dimension 0", [](Problem &q) { q.outputs[0].dims[0] = 3; }},
          {"data is bool", [](Problem &q) {
             q.inputs[0].dtype = q.outputs[0].dtype = NPU_BOOL;
           }}});
}

TEST(Validate, SlicePadConcatGather) {
  Problem p = simple(NPU_OP_SLICE, {9}, {3});
  p.attrs.slice = {{8}, {-4}};
  expectRules(
      p, {{"different ranks",
           [](Problem &q) { q.outputs[0] = tensor(NPU_F32, {1, 3}); }},
          {"step", [](Problem &q) { q.attrs.slice.steps[0] = 0; }},
          {"step", [](Problem &q) { q.attrs.slice.steps[0] = INT64_MIN; }},
          {"outside", [](Problem &q) { q.attrs.slice.starts[0] = 9; }},
          {"outside", [](Problem &q) { q.attrs.slice.starts[0] = -1; }},
          {"outside", [](Problem &q) { q.attrs.slice.starts[0] = 7; }},
          {"outside", [](Problem &q) { q.attrs.slice.starts[0] = INT64_MAX; }},
          {"outside",
           [](Problem &q) { q.attrs.slice.steps[0] = int64_t{1} << 40; }}});
  p = simple(NPU_OP_PAD, {3}, {5});
  p.attrs.pad.end[0] = 2;
  expectRules(
      p, {{"mode", [](Problem &q) { q.attrs.pad.mode = 4; }},
          {"different ranks",
           [](Problem &q) { q.outputs[0] = tensor(NPU_F32, {1, 5}); }},
          {"too large", [](Problem &q) { q.attrs.pad.begin[0] = INT64_MIN; }},
          {"too large", [](Problem &q) { q.attrs.pad.end[0] = INT64_MAX; }},
          {"dimension 0", [](Problem &q) { q.attrs.pad.begin[0] = 1; }},
          {"nothing to repeat", [](Problem &q) {
             q.attrs.pad.mode = NPU_PAD_EDGE;
             q.inputs[0].dims[0] = 0;
             q.outputs[0].dims[0] = 2;
           }}});
  p = simple(NPU_OP_CONCAT, {2, 3}, {2, 5});
  p.inputs.push_back(tensor(NPU_F32, {2, 2}));
  p.attrs.axis.axis = 1;
  expectRules(
      p,
      {{"axis 2", [](Problem &q) { q.attrs.axis.axis = 2; }},
       {"axis -1", [](Problem &q) { q.attrs.axis.axis = -1; }},
       {"has rank 1", [](Problem &q) { q.inputs[1] = tensor(NPU_F32, {4}); }},
       {"input 1 is i32", [](Problem &q) { q.inputs[1].dtype = NPU_I32; }},
       {"dimension 0", [](Problem &q) { q.inputs[1].dims[0] = 3; }},
       {"dimension 1", [](Problem &q) { q.outputs[0].dims[1] = 6; }}});
  p = simple(NPU_OP_GATHER, {4, 3}, {4, 2, 2});
  p.inputs.push_back(tensor(NPU_I64, {2, 2}));
  p.attrs.axis.axis = 1;
  expectRules(
      p, {{"axis 2", [](Problem &q) { q.attrs.axis.axis = 2; }},
          {"axis -1", [](Problem &q) { q.attrs.axis.axis = -1; }},
          {"inputs", [](Problem &q) { q.inputs.pop_back(); }},
          {"indices are f32", [](Problem &q) { q.inputs[1].dtype = NPU_F32; }},
          {"output of rank",
           [](Problem &q) { q.outputs[0] = tensor(NPU_F32, {4, 4}); }},
          {"dimension 1", [](Problem &q) { q.outputs[0].dims[1] = 3; }}});
}
