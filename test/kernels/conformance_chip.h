// SPDX-License-Identifier: Apache-2.0
//
// The chip's own ops in the conformance suite: gradients, patches, unpooling,
// mirroring and rotation, normalisation, under all layouts. Part of
// conformance_test.cpp.
#ifndef NPU_TEST_KERNELS_CONFORMANCE_CHIP_H
#define NPU_TEST_KERNELS_CONFORMANCE_CHIP_H

#include "test/kernels/conformance_cases.h"

namespace npu::kernels::testing {
namespace {

/// Strides, pads, dilations of a 3x3 convolution of a 9x8 image.
struct GradientCase {
  int64_t inputs, outputs, groups, stride, pad, dilation, kernel;
};
const GradientCase gradients[] = {
    {16, 32, 1, 1, 1, 1, 3}, {20, 12, 1, 2, 1, 1, 3}, {16, 16, 16, 1, 1, 1, 3},
    {16, 32, 4, 1, 0, 1, 3}, {3, 16, 1, 2, 1, 1, 3},  {16, 16, 1, 1, 2, 2, 3},
    {32, 16, 1, 1, 0, 1, 1}, {5, 7, 1, 3, 2, 1, 3}};

/// The convolution itself, with these layouts.
Problem gradientProblem(const GradientCase &g, const char *in, const char *out,
                        const char *weight) {
  npu_tensor_desc x = tensor(NPU_F32, {2, g.inputs, 9, 8}, in);
  Problem p = convProblem(x, g.outputs, {g.kernel, g.kernel}, g.stride, g.pad,
                          g.groups, out, false, g.dilation);
  p.inputs[1] = tensor(
      NPU_F32, {p.inputs[1].dims, p.inputs[1].dims + p.inputs[1].rank}, weight);
  p.threads = 2;
  return p;
}

TEST(Conformance, GradientsByData) {
  uint32_t seed = 20000;
  for (const GradientCase &g : gradients)
    for (const char *in : layouts4)
      for (const char *out : layouts4)
        for (bool isConstant : {true, false}) {
          const char *weights[] = {"abcd", "cdba", "Abcd16a"};
          Case one;
          Problem &p = one.problem;
          p = gradientProblem(g, in, out, weights[seed % 3]);
          p.op = NPU_OP_CONV_TRANSPOSE;
          p.attrs.conv.weight_of_conv = 1;
          std::swap(p.inputs[0], p.outputs[0]);
          if (isConstant)
            makeConstant(p, 1);
          check(one, seed++);
          p.instrs = {unary(NPU_INSTR_relu, 2)};
          check(one, seed++);
        }
}

TEST(Conformance, GradientsByWeight) {
  uint32_t seed = 21000;
  for (const GradientCase &g : gradients)
    for (const char *in : layouts4)
      for (const char *out : layouts4)
        for (const char *weight : {"abcd", "cdba", "Abcd16a", "dcab"}) {
          Case one;
          Problem &p = one.problem;
          p = gradientProblem(g, in, out, weight);
          p.op = NPU_OP_CONV_BPW;
          std::swap(p.inputs[1], p.outputs[0]);
          p.inputs[1].weights_offset = -1;
          check(one, seed++);
          p.instrs = {unary(NPU_INSTR_neg, 2)};
          check(one, seed++);
        }
}

/// Ranks 3 and 5.
TEST(Conformance, GradientsOfOtherRanks) {
  uint32_t seed = 22000;
  for (bool isLast : {false, true})
    for (size_t spatial : {size_t{1}, size_t{3}})
      for (int64_t groups : {1, 4}) {
        std::vector<int64_t> dims = {2, 8};
        dims.resize(spatial + 2, 6);
        std::string layout = spatial == 1 ? (isLast ? "acb" : "abc")
                             : isLast     ? "acdeb"
                                          : "abcde";
        Case one;
        Problem &p = one.problem;
        p = convProblem(tensor(NPU_F32, dims, layout), 16,
                        std::vector<int64_t>(spatial, 3), 2, 1, groups, layout,
                        false);
        p.inputs[1].weights_offset = -1;
        p.threads = 2;
        Problem conv = p;
        p.op = NPU_OP_CONV_BPW;
        std::swap(p.inputs[1], p.outputs[0]);
        check(one, seed++);
        p = conv;
        p.op = NPU_OP_CONV_TRANSPOSE;
        p.attrs.conv.weight_of_conv = 1;
        std::swap(p.inputs[0], p.outputs[0]);
        check(one, seed++);
      }
}

TEST(Conformance, ImageMovements) {
  uint32_t seed = 23000;
  const int32_t types[] = {NPU_F32, NPU_BF16, NPU_U8, NPU_I64, NPU_BOOL};
  for (const char *in : {"abcd", "acdb", "aBcd16b", "adcb"})
    for (const char *out : {"abcd", "acdb", "aBcd16b", "aBcd8b"})
      for (int64_t c : {20, 32}) {
        int32_t type = types[seed % 5];
        auto image = [&](int64_t n, int64_t channels, int64_t h, int64_t w,
                         const char *layout) {
          return tensor(type, {n, channels, h, w}, layout);
        };
        Case one;
        Problem &p = one.problem;
        p.threads = 1 + static_cast<int>(seed % 3);
        p.inputs = {image(2, c, 5, 7, in)};
        p.op = NPU_OP_ROTATE;
        for (int64_t turns : {1, 2, 3}) {
          bool isOdd = turns != 2;
          p.attrs.rotate = {{2, 3}, turns};
          p.outputs = {image(2, c, isOdd ? 7 : 5, isOdd ? 5 : 7, out)};
          check(one, seed++);
          checkWithCast(one, seed++);
        }
        p.attrs = {};
        p.op = NPU_OP_UNPOOL;
        p.attrs.pool.kernel[0] = 2;
        p.attrs.pool.kernel[1] = 3;
        p.outputs = {image(2, c, 10, 21, out)};
        check(one, seed++);
        checkWithCast(one, seed++);
        p.attrs = {};
        p.op = NPU_OP_IMG2COL;
        p.attrs.pool = {{3, 2}, {2, 1}, {1, 2}, {1, 0}, {1, 1}, 0, 0, 0};
        p.outputs = {image(2, c * 6, 3, 6, out)};
        check(one, seed++);
        checkWithCast(one, seed++);
      }
}

/// Places that a pooling could give, and any.
TEST(Conformance, MaskUnpool) {
  uint32_t seed = 24000;
  for (const char *in : layouts4)
    for (const char *places : layouts4)
      for (const char *out : {"abcd", "acdb", "aBcd16b", "aBcd8b", "abdc"}) {
        const int32_t types[] = {NPU_F32, NPU_BF16, NPU_U8, NPU_I64};
        int32_t type = types[seed % 4];
        Case one;
        Problem &p = one.problem;
        p.op = NPU_OP_MASKUNPOOL;
        p.inputs = {
            tensor(type, {2, 20, 3, 4}, in),
            tensor(seed % 3 ? NPU_I64 : NPU_I32, {2, 20, 3, 4}, places)};
        p.outputs = {tensor(type, {2, 20, 6, 9}, out)};
        p.threads = 2;
        check(one, seed++);
        checkWithCast(one, seed);
      }
}

TEST(Conformance, Tensornorm) {
  uint32_t seed = 25000;
  const struct {
    int64_t mask, axis, groups;
  } sets[] = {{12, 2, 1}, {14, 1, 1}, {14, 1, 4}, {2, 1, 1},
              {8, 3, 1},  {2, 1, 2},  {15, 0, 1}, {1, 0, 1}};
  const std::vector<int64_t> parameters[] = {
      {32, 1, 1}, {6}, {1}, {2, 32, 5, 6}, {32, 5, 6}, {1, 32, 1, 1}};
  for (const char *in : layouts4)
    for (const char *out : layouts4)
      for (const auto &set : sets)
        for (const auto &dims : parameters)
          for (int64_t channels : {32, 20}) {
            Case one;
            Problem &p = one.problem;
            p.op = NPU_OP_TENSORNORM;
            std::vector<int64_t> shape = dims;
            for (int64_t &extent : shape)
              extent = extent == 32 ? channels : extent;
            p.inputs = {tensor(NPU_F32, {2, channels, 5, 6}, in),
                        tensor(NPU_F32, shape), tensor(NPU_F32, shape)};
            // Parameters are stored like the data, or not.
            for (size_t i = 1; shape.size() == 4 && i < 3; ++i)
              p.inputs[i] = tensor(NPU_F32, shape, layouts4[(seed / i) % 4]);
            if (seed % 3 == 0)
              p.inputs.pop_back();
            p.outputs = {tensor(NPU_F32, {2, channels, 5, 6}, out)};
            p.attrs.norm = {set.mask,         set.axis,         set.groups,
                            seed % 3 ? 1 : 0, seed % 4 ? 1 : 0, 1e-5};
            p.threads = 1 + static_cast<int>(seed % 2);
            one.tolerance = 1e-5;
            check(one, seed++);
            if (seed % 5 == 0) {
              p.instrs = {
                  unary(NPU_INSTR_relu, static_cast<int>(p.inputs.size()))};
              check(one, seed++);
            }
          }
}

/// Few channels with one mean, of an image that threads share.
TEST(Conformance, TensornormOfGroups) {
  uint32_t seed = 25800;
  for (const char *in : layouts4)
    for (int64_t groups : {1, 4, 7, 14, 28})
      for (int64_t batch : {1, 3})
        for (int64_t parameters : {1, 28}) {
          Case one;
          Problem &p = one.problem;
          p.op = NPU_OP_TENSORNORM;
          p.inputs = {tensor(NPU_F32, {batch, 28, 29, 31}, in),
                      tensor(NPU_F32, {parameters, 1, 1}),
                      tensor(NPU_F32, {parameters, 1, 1})};
          p.outputs = {p.inputs[0]};
          p.attrs.norm = {14, 1, groups, 1, seed % 4 ? 1 : 0, 1e-5};
          p.threads = 1 + static_cast<int>(seed % 3);
          one.tolerance = 1e-5;
          check(one, seed++);
        }
}

/// Rows and tables in tiles, packs and sticks, whose other operands lie so too.
TEST(Conformance, TensornormAndGatherInTiles) {
  uint32_t seed = 26000;
  const struct {
    const char *rows, *places, *scale;
  } layouts[] = {{"aBC2b2c16b16c", "aB2b16b", "A2a16a"},
                 {"aCB2c2b16c16b", "aB32b", "A32a"},
                 {"aBC8b8c", "aB8b", "A8a"},
                 {"aCB32b64c", "ab", "a"}};
  for (const auto &in : layouts)
    for (const auto &out : layouts)
      for (int64_t width : {5, 40, 96}) {
        Case norm;
        Problem &p = norm.problem;
        p.op = NPU_OP_TENSORNORM;
        p.inputs = {tensor(NPU_F32, {2, 19, width}, in.rows),
                    tensor(NPU_F32, {width}, out.scale),
                    tensor(NPU_F32, {width}, in.scale)};
        p.outputs = {tensor(NPU_F32, {2, 19, width}, out.rows)};
        p.attrs.norm = {4, 2, 1, 1, seed % 2 ? 1 : 0, 1e-5};
        p.threads = 1 + static_cast<int>(seed % 2);
        norm.tolerance = 1e-5;
        check(norm, seed++);
        Case gather;
        gather.problem.op = NPU_OP_GATHER;
        gather.problem.inputs = {tensor(NPU_F32, {50, width}),
                                 tensor(NPU_I64, {2, 19}, in.places)};
        gather.problem.attrs.axis.axis = 0;
        gather.problem.outputs = {tensor(NPU_F32, {2, 19, width}, out.rows)};
        gather.problem.threads = 2;
        check(gather, seed++);
        gather.problem.instrs = {unary(NPU_INSTR_neg, 2)};
        check(gather, seed++);
      }
}

} // namespace
} // namespace npu::kernels::testing

#endif // NPU_TEST_KERNELS_CONFORMANCE_CHIP_H
