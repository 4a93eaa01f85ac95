// SPDX-License-Identifier: Apache-2.0
//
// Every registry entry against the reference, on generated problems. Inputs are
// small integers, so that sums and products are exact in every order.

#include "kernels/registry.h"
#include "test/kernels/conformance_attention.h"
#include "test/kernels/conformance_cases.h"
#include "test/kernels/conformance_chip.h"
#include "test/kernels/conformance_conv.h"
#include "test/kernels/conformance_index.h"
#include "test/kernels/conformance_integers.h"
#include "test/kernels/conformance_matmul.h"
#include "test/kernels/conformance_narrow.h"
#include "test/kernels/conformance_packed.h"
#include "test/kernels/conformance_panels.h"
#include "test/kernels/conformance_pool.h"
#include "test/kernels/conformance_quantized.h"
#include "test/kernels/conformance_ranged.h"
#include "test/kernels/conformance_reduce.h"
#include "test/kernels/conformance_rows.h"
#include "test/kernels/conformance_widened.h"

#include <algorithm>
#include <cstring>
#include <utility>

using namespace npu::kernels;
using namespace npu::kernels::testing;

TEST(Conformance, ConvOtherRanksAndTypes) {
  uint32_t seed = 2000;
  for (const char *layout : {"abc", "acb", "aBc16b"}) {
    Case one;
    one.problem = convProblem(tensor(NPU_F32, {2, 18, 13}, layout), 10, {4}, 2,
                              1, 1, layout);
    check(one, seed++);
  }
  for (const char *layout : {"abcde", "acdeb", "aBcde16b"}) {
    Case one;
    one.problem = convProblem(tensor(NPU_F32, {2, 6, 5, 4, 5}, layout), 20,
                              {3, 2, 3}, 1, 1, 1, layout);
    check(one, seed++);
  }
  for (const char *layout : layouts4) {
    Case one;
    one.problem = convProblem(image(1, 32, 6, 5, layout, NPU_U8), 16, {3, 3}, 1,
                              1, 1, layout);
    one.problem.inputs[1].dtype = NPU_I8;
    one.problem.inputs[2].dtype = NPU_I32;
    one.problem.outputs[0].dtype = NPU_I32;
    check(one, seed++);
    one.problem.attrs.conv.data_zero_point = 131;
    check(one, seed++);
    one.problem.inputs[0].dtype = NPU_I8;
    one.problem.attrs.conv.data_zero_point = 0;
    check(one, seed++);
    one.problem.attrs.conv.data_zero_point = -7;
    check(one, seed++);
    Case half;
    half.problem = convProblem(image(1, 32, 6, 5, layout, NPU_BF16), 16, {1, 1},
                               1, 0, 1, layout);
    half.tolerance = 0.01;
    check(half, seed++);
    half.problem.inputs[2].dtype = half.problem.outputs[0].dtype = NPU_F32;
    check(half, seed++);
    for (npu_tensor_desc *t :
         {&half.problem.inputs[0], &half.problem.inputs[1],
          &half.problem.inputs[2], &half.problem.outputs[0]})
      t->dtype = NPU_F16;
    check(half, seed++);
  }
}

/// Chains that requantize a sum; scales are powers of two, so that every step
/// is exact.
std::vector<Chain> requantizations(const npu_tensor_desc &y) {
  npu_tensor_desc scales = tensor(NPU_F32, {1, y.dims[1], 1, 1}), residual = y;
  npu_instr real = unary(NPU_INSTR_cast, 200), bytes = unary(NPU_INSTR_cast, 0),
            number = unary(NPU_INSTR_cast, 100);
  real.dtype = number.dtype = NPU_F32;
  bytes.dtype = y.dtype;
  auto stored = [&](int16_t from) {
    npu_instr instr = bytes;
    instr.a = from;
    return instr;
  };
  npu_instr back = unary(NPU_INSTR_cast, 205);
  // (sum / 16 + 1.5) + residual / 4, with and without a step in front of it.
  std::vector<npu_instr> scaled = {real,
                                   unary(NPU_INSTR_linear, 201, 0.0625f, 1.5f),
                                   number,
                                   unary(NPU_INSTR_linear, 203, 0.25f, 0),
                                   binary(NPU_INSTR_add, 202, 204),
                                   unary(NPU_INSTR_relu, 205),
                                   unary(NPU_INSTR_round, 206),
                                   stored(207)};
  std::vector<npu_instr> alone = {real,
                                  number,
                                  unary(NPU_INSTR_linear, 202, 0.25f, 0),
                                  binary(NPU_INSTR_add, 203, 201),
                                  unary(NPU_INSTR_linear, 204, 0.5f, 2),
                                  unary(NPU_INSTR_round, 205),
                                  stored(206)};
  return {
      {"scaled residual", {residual}, scaled},
      {"scaled residual in place", {residual}, scaled, 0},
      {"scaled residual, no step in front", {residual}, alone},
      {"scaled residual, no step in front, in place", {residual}, alone, 0},
      {"one scale",
       {},
       {real, unary(NPU_INSTR_linear, 201, 0.0625f, 0),
        unary(NPU_INSTR_round, 202), stored(203)}},
      {"scales, zero point",
       {scales},
       {real, binary(NPU_INSTR_mul, 201, 100),
        unary(NPU_INSTR_linear, 202, 0.015625f, 0), unary(NPU_INSTR_relu, 203),
        unary(NPU_INSTR_round, 204), unary(NPU_INSTR_linear, 205, 1, 17),
        stored(206)}},
      {"scale, residual behind a stored number",
       {residual},
       {real, unary(NPU_INSTR_linear, 201, 0.03125f, 0),
        unary(NPU_INSTR_round, 202), unary(NPU_INSTR_linear, 203, 1, 3),
        stored(204), back, number, binary(NPU_INSTR_add, 206, 207),
        unary(NPU_INSTR_linear, 208, 0.5f, -4), unary(NPU_INSTR_round, 209),
        stored(210)}},
      {"residual in place",
       {residual},
       {real, unary(NPU_INSTR_linear, 201, 0.0625f, 1.5f), number,
        binary(NPU_INSTR_add, 202, 203), unary(NPU_INSTR_round, 204),
        stored(205)},
       0},
  };
}

TEST(Conformance, QuantizedConvChains) {
  uint32_t seed = 2300;
  for (const char *layout : layouts4)
    for (int64_t groups : {1, 4, 32})
      for (int32_t out : {NPU_U8, NPU_I8}) {
        Problem bare =
            convProblem(image(1 + seed % 2, 32, 6, 5, layout, NPU_U8), 32,
                        {3, 3}, 1, 1, groups, layout);
        bare.inputs[1].dtype = NPU_I8;
        bare.inputs[2].dtype = NPU_I32;
        bare.outputs[0].dtype = out;
        bare.attrs.conv.data_zero_point = seed % 3 ? 131 : 0;
        bare.threads = 2;
        makeConstant(bare, 1);
        for (const Chain &chain : requantizations(bare.outputs[0])) {
          SCOPED_TRACE(chain.name);
          Case one;
          one.problem = bare;
          addChain(one, chain);
          check(one, seed++);
        }
      }
}

TEST(Conformance, ConvWinogradShapes) {
  // Few tiles, so that threads share them; many, in several blocks; a thread
  // more than there are tiles; channels beyond one chunk.
  const struct {
    int64_t n, c, o, h, w, pad;
  } shapes[] = {{1, 5, 7, 4, 9, 1},    {3, 20, 17, 40, 37, 1},
                {1, 130, 70, 7, 6, 1}, {1, 3, 2, 3, 3, 0},
                {2, 16, 32, 9, 8, 2},  {1, 300, 3, 23, 24, 0}};
  uint32_t seed = 2500;
  for (const auto &s : shapes)
    for (int64_t tile : {2, 4})
      for (const char *weight : {"cdab", "cdba", "abcd", "acdb"})
        for (int threads : {1, 2, 3}) {
          Case one;
          one.tolerance = 1e-3;
          one.problem = winogradProblem(image(s.n, s.c, s.h, s.w, "acdb"), s.o,
                                        tile, s.pad, "acdb", weight, seed % 2);
          one.problem.threads = threads;
          if (seed % 5 == 0)
            one.problem.inputs[1].weights_offset = -1;
          check(one, seed++);
        }
}

TEST(Conformance, ConvWinogradChains) {
  uint32_t seed = 2700;
  for (const char *layout : {"acdb", "abcd", "aBcd16b"})
    for (int64_t tile : {2, 4})
      for (int64_t size : {6, 29}) {
        Problem bare = winogradProblem(image(2, 20, size, size + 1, layout), 20,
                                       tile, 1, layout, "cdab", true);
        for (const Chain &chain : chainsFor(bare.outputs[0])) {
          SCOPED_TRACE(chain.name);
          Case one;
          one.problem = bare;
          one.problem.threads = 2;
          one.tolerance = 1e-3;
          addChain(one, chain);
          check(one, seed++);
          one.problem.keepsNan = true;
          check(one, seed++);
        }
      }
}

TEST(Conformance, WinogradWeight) {
  uint32_t seed = 2900;
  for (const char *taps : {"abcd", "cdab"})
    for (const char *points : {"abcd", "cdab"})
      for (int64_t tile : {2, 4}) {
        Case one;
        one.problem.op = NPU_OP_WINOGRAD_WEIGHT;
        one.problem.attrs.winograd.tile = tile;
        one.problem.inputs = {tensor(NPU_F32, {5, 4, 3, 3}, taps)};
        one.problem.outputs = {
            tensor(NPU_F32, {5, 4, tile + 2, tile + 2}, points)};
        check(one, seed++);
      }
}

/// As it is made at load: the bits that were there when the program was
/// compiled.
TEST(Conformance, WinogradWeightPointsByPoints) {
  for (int32_t dtype : {NPU_F32, NPU_F16, NPU_BF16})
    for (int64_t tile : {2, 4})
      for (int64_t channels : {1, 70}) {
        Problem p;
        p.op = NPU_OP_WINOGRAD_WEIGHT;
        p.threads = 3;
        p.attrs.winograd.tile = tile;
        p.inputs = {tensor(dtype, {11, channels, 3, 3})};
        p.outputs = {
            tensor(NPU_F32, {11, channels, tile + 2, tile + 2}, "cdab")};
        Buffer taps(static_cast<size_t>(storedBytes(p.inputs[0])));
        storeValues(p.inputs[0], randomValues(p.inputs[0], -1, 1, 77),
                    taps.data());
        std::vector<std::unique_ptr<Kernel>> kernels;
        kernels.push_back(create(p));
        kernels.push_back(createReference(p));
        EXPECT_EQ(kernels[0]->implementation(), "native:points");
        const auto bytes = static_cast<size_t>(storedBytes(p.outputs[0]));
        Buffer results[2] = {Buffer(bytes), Buffer(bytes)};
        for (size_t i = 0; i < 2; ++i) {
          Buffer scratch(kernels[i]->scratchBytes());
          void *operands[] = {taps.data(), results[i].data()};
          ASSERT_EQ(kernels[i]->run(operands, scratch.data()), 0);
        }
        EXPECT_EQ(std::memcmp(results[0].data(), results[1].data(), bytes), 0);
      }
}

TEST(Conformance, ConvTranspose) {
  uint32_t seed = 3000;
  const struct {
    int64_t c, o, kernel, stride, pad, slack, groups;
  } shapes[] = {{24, 24, 2, 2, 0, 0, 1},
                {16, 20, 3, 2, 1, 1, 1},
                {8, 8, 4, 2, 1, 0, 8},
                {6, 4, 3, 1, 0, 0, 2},
                {24, 1, 2, 2, 0, 0, 1}};
  for (const auto &s : shapes)
    for (const char *layout : layouts4)
      for (int64_t batch : {1, 3}) {
        auto extent = [&](int64_t in) {
          return (in - 1) * s.stride + s.kernel - 2 * s.pad + s.slack;
        };
        Case one;
        Problem &p = one.problem;
        p.op = NPU_OP_CONV_TRANSPOSE;
        p.inputs = {
            image(batch, s.c, 5, 6, layout),
            tensor(NPU_F32, {s.o, s.c / s.groups, s.kernel, s.kernel}, "cdba"),
            tensor(NPU_F32, {s.o})};
        p.outputs = {image(batch, s.o, extent(5), extent(6), layout)};
        for (int i = 0; i < 2; ++i) {
          p.attrs.conv.strides[i] = s.stride;
          p.attrs.conv.dilations[i] = 1;
          p.attrs.conv.pads_begin[i] = p.attrs.conv.pads_end[i] = s.pad;
        }
        p.attrs.conv.groups = s.groups;
        p.attrs.conv.has_bias = 1;
        p.threads = 2;
        makeConstant(p, 1);
        for (const Chain &chain : chainsFor(p.outputs[0])) {
          Case fused = one;
          addChain(fused, chain);
          if (++seed % 4 == 0)
            check(fused, seed);
        }
      }
}

/// Found by random TOSA ops: oneDNN corrects for the zero point in places that
/// no window reaches.
TEST(Conformance, ConvTransposeOfBytes) {
  uint32_t seed = 3500;
  for (const char *layout : {"abcd", "acdb"})
    for (int64_t height : {1, 2, 3})
      for (int64_t width : {1, 2, 3})
        for (int64_t stride : {1, 2, 3, 5})
          for (int64_t pad = 0; pad < std::min(height, width); ++pad) {
            auto extent = [&](int64_t in, int64_t kernel) {
              return (in - 1) * stride + kernel - 2 * pad +
                     (stride > 1 ? seed % 2 : 0);
            };
            Case one;
            Problem &p = one.problem;
            p.op = NPU_OP_CONV_TRANSPOSE;
            p.inputs = {image(1 + seed % 2, 6, 4, 5, layout, NPU_I8),
                        tensor(NPU_I8, {4, 6, height, width}, "cdba")};
            p.outputs = {image(1 + seed % 2, 4, extent(4, height),
                               extent(5, width), layout, NPU_I32)};
            for (int i = 0; i < 2; ++i) {
              p.attrs.conv.strides[i] = stride;
              p.attrs.conv.dilations[i] = 1;
              p.attrs.conv.pads_begin[i] = p.attrs.conv.pads_end[i] = pad;
            }
            p.attrs.conv.groups = 1;
            p.attrs.conv.data_zero_point = -13;
            p.threads = 2;
            makeConstant(p, 1);
            SCOPED_TRACE(std::to_string(height) + "x" + std::to_string(width) +
                         ", stride " + std::to_string(stride) + ", pad " +
                         std::to_string(pad));
            check(one, seed++);
          }
}

TEST(Conformance, Softmax) {
  uint32_t seed = 7000;
  for (const char *in : layouts4)
    for (int64_t axis = 0; axis < 4; ++axis)
      for (int64_t isLog : {0, 1}) {
        Case one;
        one.problem.op = NPU_OP_SOFTMAX;
        one.problem.inputs = {image(3, 20, 5, 6, in)};
        one.problem.outputs = {image(3, 20, 5, 6, in)};
        one.problem.attrs.axis = {axis, isLog};
        one.problem.threads = 2;
        one.tolerance = 1e-5;
        check(one, seed++);
        one.problem.instrs = {unary(NPU_INSTR_abs, 1)};
        check(one, seed++);
      }
}

TEST(Conformance, Resize) {
  uint32_t seed = 8000;
  for (const char *in : layouts4)
    for (const char *out : {"abcd", "acdb", "aBcd16b"})
      for (int64_t mode = 0; mode <= NPU_RESIZE_CUBIC; ++mode)
        for (int64_t coordinates = 0;
             coordinates <= NPU_RESIZE_HALF_PIXEL_SYMMETRIC; ++coordinates)
          for (int64_t factor : {2, 3}) {
            Case one;
            Problem &p = one.problem;
            p.op = NPU_OP_RESIZE;
            p.inputs = {image(2, 20, 4, 5, in)};
            p.outputs = {image(2, 20, 4 * factor, 5 * factor, out)};
            npu_resize_attrs &a = p.attrs.resize;
            a = {};
            a.scales[0] = a.scales[1] = 1;
            a.scales[2] = a.scales[3] = static_cast<double>(factor);
            a.mode = mode;
            a.coordinates = coordinates;
            a.nearest = seed % 4;
            a.cubic_a = -0.75;
            a.exclude_outside = seed % 2;
            p.threads = 2;
            one.tolerance = mode == NPU_RESIZE_NEAREST ? 0 : 1e-5;
            check(one, seed++);
            p.instrs = {unary(NPU_INSTR_relu, 1)};
            check(one, seed++);
          }
}

TEST(Conformance, Movements) {
  uint32_t seed = 9000;
  const int32_t types[] = {NPU_F32, NPU_BF16, NPU_U8,
                           NPU_I64, NPU_BOOL, NPU_I16};
  for (const char *in : {"abcd", "acdb", "aBcd16b", "dbca", "ABcd8b2a"})
    for (const char *out : {"abcd", "acdb", "aBcd16b", "aBcd8b", "cdba"})
      for (int64_t c : {20, 32}) {
        int32_t type = types[seed % 6];
        Case one;
        Problem &p = one.problem;
        p.threads = 1 + static_cast<int>(seed % 3);
        p.op = NPU_OP_RELAYOUT;
        p.inputs = {image(3, c, 5, 70, in, type)};
        p.outputs = {image(3, c, 5, 70, out, type)};
        check(one, seed++);
        checkWithCast(one, seed++);
        p.op = NPU_OP_TRANSPOSE;
        p.outputs = {image(c, 3, 70, 5, out, type)};
        const int64_t permutation[] = {1, 0, 3, 2};
        std::copy(permutation, permutation + 4, p.attrs.transpose.permutation);
        check(one, seed++);
        checkWithCast(one, seed++);
        p.attrs = {};
        p.op = NPU_OP_SLICE;
        p.outputs = {image(2, c - 3, 2, 35, out, type)};
        const int64_t starts[] = {2, 1, 4, 1}, steps[] = {-1, 1, -3, 2};
        std::copy(starts, starts + 4, p.attrs.slice.starts);
        std::copy(steps, steps + 4, p.attrs.slice.steps);
        check(one, seed++);
        checkWithCast(one, seed++);
        p.op = NPU_OP_BROADCAST;
        p.inputs = {image(1, c, 1, 70, in, type)};
        p.outputs = {image(3, c, 5, 70, out, type)};
        p.attrs = {};
        check(one, seed++);
        checkWithCast(one, seed++);
      }
}

TEST(Conformance, PadModes) {
  uint32_t seed = 10000;
  for (const char *in : {"abcd", "acdb", "aBcd16b"})
    for (const char *out : {"abcd", "acdb", "aBcd16b"})
      for (int64_t mode = 0; mode <= NPU_PAD_WRAP; ++mode)
        for (int variant = 0; variant < 3; ++variant) {
          const int64_t begin[3][4] = {{0, 0, 1, 2},
                                       {1, 3, 0, 0},
                                       {0, -2, 2, -1}},
                        end[3][4] = {
                            {0, 0, 1, 1}, {0, 16, 0, 1}, {0, 1, -1, 3}};
          Case one;
          Problem &p = one.problem;
          p.op = NPU_OP_PAD;
          std::vector<int64_t> dims = {2, 20, 5, 6};
          p.inputs = {tensor(NPU_F32, dims, in)};
          for (int d = 0; d < 4; ++d) {
            p.attrs.pad.begin[d] = begin[variant][d];
            p.attrs.pad.end[d] = end[variant][d];
            dims[static_cast<size_t>(d)] += begin[variant][d] + end[variant][d];
          }
          p.outputs = {tensor(NPU_F32, dims, out)};
          p.attrs.pad.mode = mode;
          p.attrs.pad.value = 5;
          p.threads = 2;
          check(one, seed++);
          checkWithCast(one, seed++);
        }
}

TEST(Conformance, ConcatAndGather) {
  uint32_t seed = 11000;
  for (const char *in : {"abcd", "acdb", "aBcd16b"})
    for (const char *out : {"abcd", "acdb", "aBcd16b"})
      for (int64_t axis : {1, 3})
        for (int64_t first : {16, 7}) {
          Case one;
          Problem &p = one.problem;
          p.op = NPU_OP_CONCAT;
          int64_t sum = 0;
          for (int64_t extent : {first, int64_t{32}, int64_t{5}}) {
            sum += extent;
            p.inputs.push_back(axis == 1 ? image(2, extent, 4, 6, in)
                                         : image(2, 18, 4, extent, out));
          }
          p.outputs = {axis == 1 ? image(2, sum, 4, 6, out)
                                 : image(2, 18, 4, sum, out)};
          p.attrs.axis.axis = axis;
          p.threads = 2;
          check(one, seed++);
          p.instrs = {unary(NPU_INSTR_exp, 3)};
          one.tolerance = 1e-6;
          check(one, seed++);
          Case gather;
          gather.problem.op = NPU_OP_GATHER;
          gather.problem.inputs = {image(2, 9, 4, 6, in),
                                   tensor(NPU_I64, {3, 2})};
          gather.problem.attrs.axis.axis = axis;
          gather.problem.outputs = {axis == 1
                                        ? tensor(NPU_F32, {2, 3, 2, 4, 6})
                                        : tensor(NPU_F32, {2, 9, 4, 3, 2})};
          gather.problem.threads = 2;
          check(gather, seed++);
          checkWithCast(gather, seed++);
          gather.problem.instrs = {unary(NPU_INSTR_neg, 2)};
          check(gather, seed++);
          gather.problem.inputs[0] = image(2, 9, 4, 6, in, NPU_BF16);
          gather.problem.instrs = {unary(NPU_INSTR_cast, 2)};
          check(gather, seed++);
        }
}

/// Single elements by indices that are stored in any order; more than are
/// looked at in one go.
TEST(Conformance, GatherSingleElements) {
  uint32_t seed = 11400;
  for (int32_t type : {NPU_F32, NPU_U8, NPU_F16, NPU_I64})
    for (int32_t index : {NPU_I64, NPU_I32})
      for (const char *in : {"abc", "acb", "aBc16b"})
        for (const char *out : {"abc", "acb", "cab"})
          for (int64_t rows : {1, 40}) {
            Case one;
            Problem &p = one.problem;
            p.op = NPU_OP_GATHER;
            p.inputs = {tensor(type, {77}), tensor(index, {rows, 18, 3}, in)};
            p.outputs = {tensor(type, {rows, 18, 3}, out)};
            p.threads = 1 + static_cast<int>(seed % 2);
            check(one, seed++);
          }
}

TEST(Conformance, GatherElements) {
  uint32_t seed = 11500;
  for (const char *in : {"abcd", "acdb", "aBcd16b"})
    for (const char *out : {"abcd", "acdb", "aBcd16b"})
      for (int32_t type : {NPU_F32, NPU_BF16, NPU_U8, NPU_I64})
        for (int64_t axis : {1, 3}) {
          Case one;
          Problem &p = one.problem;
          p.op = NPU_OP_GATHER_ELEMENTS;
          p.inputs = {tensor(type, {2, 20, 9, 40}, in),
                      tensor(NPU_I64, {2, 17, 8, 31}, out)};
          p.outputs = {tensor(type, {2, 17, 8, 31}, out)};
          p.attrs.index.axis = axis;
          p.threads = 2;
          check(one, seed++);
          checkWithCast(one, seed++);
        }
}

TEST(Conformance, Reshape) {
  uint32_t seed = 12000;
  const std::vector<int64_t> shapes[] = {
      {3, 20, 5, 6}, {3, 600, 1, 1}, {60, 5, 3, 2}, {1, 3, 25, 24}};
  for (const auto &from : shapes)
    for (const auto &to : shapes)
      for (const char *in : {"abcd", "acdb", "aBcd16b"})
        for (const char *out : {"abcd", "acdb", "aBcd16b"}) {
          Case one;
          one.problem.op = NPU_OP_RESHAPE;
          one.problem.inputs = {tensor(NPU_F32, from, in)};
          one.problem.outputs = {tensor(NPU_F32, to, out)};
          check(one, seed++);
          checkWithCast(one, seed++);
        }
}

TEST(Conformance, Eltwise) {
  uint32_t seed = 13000;
  for (const char *in : layouts4)
    for (const char *out : layouts4) {
      Case one;
      Problem &p = one.problem;
      p.op = NPU_OP_ELTWISE;
      p.inputs = {image(3, 20, 5, 6, in), image(1, 20, 1, 1, "abcd"),
                  tensor(NPU_F32, {})};
      p.outputs = {image(3, 20, 5, 6, out)};
      p.instrs = {binary(NPU_INSTR_mul, 0, 1), binary(NPU_INSTR_add, 3, 2),
                  unary(NPU_INSTR_exp, 4)};
      p.threads = 3;
      check(one, seed++);
    }
}

/// The oracle of ops that move elements by index or window, which is all that
/// some of them have, must not see the layouts.
TEST(Conformance, ReferencesSeeNoLayouts) {
  std::vector<Problem> problems;
  auto add = [&](npu_op op, std::vector<npu_tensor_desc> inputs,
                 npu_tensor_desc output) -> npu_attrs & {
    problems.emplace_back();
    problems.back().op = op;
    problems.back().inputs = std::move(inputs);
    problems.back().outputs = {output};
    return problems.back().attrs;
  };
  npu_tensor_desc data = tensor(NPU_F32, {3, 20, 5, 6}),
                  few = tensor(NPU_I64, {2, 7, 5, 3}),
                  bytes = tensor(NPU_U8, {3, 20, 5, 6}),
                  picks = tensor(NPU_I32, {3, 4, 2, 1});
  add(NPU_OP_GATHER_ELEMENTS, {data, few}, tensor(NPU_F32, {2, 7, 5, 3}))
      .index.axis = 1;
  add(NPU_OP_GATHER_ND, {bytes, picks}, tensor(NPU_U8, {3, 4, 2, 5, 6}))
      .index.batch_dims = 1;
  npu_index_attrs &scatter =
      add(NPU_OP_SCATTER_ELEMENTS, {data, few, tensor(NPU_F32, {2, 7, 5, 3})},
          data)
          .index;
  scatter.axis = 3;
  scatter.reduction = NPU_SCATTER_ADD;
  add(NPU_OP_SCATTER_ND,
      {bytes, tensor(NPU_I64, {2, 2, 1, 2}), tensor(NPU_U8, {2, 2, 1, 5, 6})},
      bytes)
      .index.reduction = NPU_SCATTER_MAX;
  add(NPU_OP_MAX_POOL_INDICES, {data}, tensor(NPU_I64, {3, 20, 4, 5})).pool = {
      {2, 2}, {1, 1}, {1, 1}, {}, {}, 0, 0, 0};
  add(NPU_OP_TOP_K, {bytes}, tensor(NPU_I64, {3, 9, 5, 6})).top_k = {1, 1};
  add(NPU_OP_CUMULATE, {data}, data).cumulate = {1, NPU_CUMULATE_SUM, 0, 1};
  add(NPU_OP_MASKUNPOOL, {bytes, tensor(NPU_I32, {3, 20, 5, 6})},
      tensor(NPU_U8, {3, 20, 9, 7}));
  add(NPU_OP_UNPOOL, {data}, tensor(NPU_F32, {3, 20, 10, 18})).pool.kernel[0] =
      2;
  problems.back().attrs.pool.kernel[1] = 3;
  add(NPU_OP_IMG2COL, {data}, tensor(NPU_F32, {3, 120, 3, 5})).pool = {
      {3, 2}, {2, 1}, {1, 2}, {1, 0}, {1, 1}, 0, 0, 0};
  add(NPU_OP_ROTATE, {bytes}, tensor(NPU_U8, {3, 20, 6, 5})).rotate = {{2, 3},
                                                                       3};
  uint32_t seed = 14000;
  for (const Problem &plain : problems)
    for (const char *layout : layouts4) {
      Problem stored = plain;
      for (auto *tensors : {&stored.inputs, &stored.outputs})
        for (npu_tensor_desc &one : *tensors)
          if (one.rank == 4)
            one = tensor(one.dtype, {one.dims, one.dims + 4}, layout);
      auto inputs = inputsFor(plain, ++seed);
      ASSERT_EQ(validate(plain), "");
      EXPECT_EQ(runReference(stored, inputs), runReference(plain, inputs))
          << "op " << plain.op << " in " << layout;
      ++tried[{plain.op, implementations(plain.op).back().name}];
    }
}

/// An entry counts as tried where its kernel ran and was right, not where it
/// was only made; and beside the sample an entry runs that was not tried yet.
TEST(Conformance, OnlyWhatRanWasTried) {
  Case one;
  one.problem.op = NPU_OP_CUMULATE;
  one.problem.inputs = {tensor(NPU_F32, {5, 4})};
  one.problem.outputs = one.problem.inputs;
  const auto before = std::exchange(tried, {});
  auto entries = entriesFor(one.problem, false);
  ASSERT_FALSE(entries.empty());
  EXPECT_TRUE(std::all_of(tried.begin(), tried.end(),
                          [](const auto &entry) { return entry.second == 0; }));
  compare(one, entries, inputsFor(one.problem, 1));
  for (const Entry &entry : entries)
    EXPECT_EQ((tried[{NPU_OP_CUMULATE, entry.name}]), 1) << entry.name;
  EXPECT_TRUE(entriesFor(one.problem, false).empty());
  EXPECT_EQ(entriesFor(one.problem, true).size(), entries.size());
  tried = before;
}

/// Runs last (tests of a suite run in order of definition).
TEST(Conformance, EveryEntryWasTried) {
  if (::testing::UnitTest::GetInstance()->test_to_run_count() < 15)
    GTEST_SKIP() << "only a part of the suite runs";
  for (int op = 0; op < NPU_OP_COUNT; ++op) {
    if (op == NPU_OP_CUSTOM) // those of plugins: test/plugin
      continue;
    for (const Implementation &one : implementations(op))
      if (hasTiles() || std::string(one.name) != "tiles")
        EXPECT_GT((tried[{op, one.name}]), 0) << "op " << op << " " << one.name;
  }
}
