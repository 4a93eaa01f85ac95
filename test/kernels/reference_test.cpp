// SPDX-License-Identifier: Apache-2.0
//
// The references against values worked out by hand or taken from the examples
// of the ONNX operator pages: whatever else is tested against them.

#include "test/kernels/testing.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace npu::kernels;
using namespace npu::kernels::testing;
using Values = std::vector<double>;

namespace {

Problem make(npu_op op, std::vector<npu_tensor_desc> inputs,
             npu_tensor_desc output) {
  Problem p;
  p.op = op;
  p.inputs = std::move(inputs);
  p.outputs = {output};
  return p;
}

Values iota(int n, double first = 0) {
  Values values;
  for (int i = 0; i < n; ++i)
    values.push_back(first + i);
  return values;
}

void expectNear(const Values &found, const Values &expected,
                double tolerance = 1e-6) {
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i)
    EXPECT_NEAR(found[i], expected[i], tolerance) << "element " << i;
}

Problem resize(std::vector<int64_t> in, std::vector<int64_t> out, int64_t mode,
               int64_t coordinates, int64_t nearest = 0) {
  Problem p = make(NPU_OP_RESIZE, {tensor(NPU_F32, in)}, tensor(NPU_F32, out));
  npu_resize_attrs &a = p.attrs.resize;
  for (size_t d = 0; d < in.size(); ++d)
    a.scales[d] = static_cast<double>(out[d]) / static_cast<double>(in[d]);
  a.mode = mode;
  a.coordinates = coordinates;
  a.nearest = nearest;
  a.cubic_a = -0.75;
  return p;
}

} // namespace

/// Transforms the weight and convolves by the references of Winograd's ops.
Values byWinograd(const Problem &conv, std::vector<Values> inputs,
                  int64_t tile) {
  const npu_tensor_desc &w = conv.inputs[1];
  Problem p = conv;
  p.op = NPU_OP_CONV_WINOGRAD;
  p.attrs = {};
  p.attrs.winograd.tile = tile;
  for (int i = 0; i < 2; ++i) {
    p.attrs.winograd.pads_begin[i] = conv.attrs.conv.pads_begin[i];
    p.attrs.winograd.pads_end[i] = conv.attrs.conv.pads_end[i];
  }
  p.attrs.winograd.has_bias = conv.attrs.conv.has_bias;
  p.inputs[1] = tensor(NPU_F32, {w.dims[0], w.dims[1], tile + 2, tile + 2});
  makeConstant(p, 1);
  inputs[1] = atPoints(p, inputs[1]);
  return runReference(p, inputs);
}

TEST(ConvWinogradReference, IsTheConvolution) {
  for (int64_t tile : {2, 4})
    for (int64_t pad : {0, 1, 2})
      for (int64_t size : {3, 7, 8}) {
        Problem conv = convProblem(tensor(NPU_F32, {2, 5, size, size + 2}), 3,
                                   {3, 3}, 1, pad, 1, "abcd", pad > 0);
        auto inputs = inputsFor(conv, static_cast<uint32_t>(size));
        expectNear(byWinograd(conv, inputs, tile), runReference(conv, inputs),
                   1e-4);
      }
}

// The filter x -> x at the points 0, 1, -1 and infinity of both dimensions: 1
// at the centre is the product of (0, 1/2, -1/2, 0) with itself.
TEST(WinogradWeightReference, Centre) {
  Problem p = make(NPU_OP_WINOGRAD_WEIGHT, {tensor(NPU_F32, {1, 1, 3, 3})},
                   tensor(NPU_F32, {1, 1, 4, 4}));
  p.attrs.winograd.tile = 2;
  EXPECT_EQ(
      runReference(p, {{0, 0, 0, 0, 1, 0, 0, 0, 0}}),
      (Values{0, 0, 0, 0, 0, 0.25, -0.25, 0, 0, -0.25, 0.25, 0, 0, 0, 0, 0}));
}

// ONNX, Conv, first example: 5x5 of 0..24, 3x3 of ones, padding 1.
TEST(ConvReference, PaddedAndNot) {
  Problem p = convProblem(tensor(NPU_F32, {1, 1, 5, 5}), 1, {3, 3}, 1, 1, 1,
                          "abcd", false);
  Values ones(9, 1.0);
  EXPECT_EQ(runReference(p, {iota(25), ones}),
            (Values{12,  21, 27, 33,  24,  33,  54,  63, 72,  51,  63,  99, 108,
                    117, 81, 93, 144, 153, 162, 111, 72, 111, 117, 123, 84}));
  p = convProblem(tensor(NPU_F32, {1, 1, 5, 5}), 1, {3, 3}, 1, 0, 1, "abcd",
                  false);
  EXPECT_EQ(runReference(p, {iota(25), ones}),
            (Values{54, 63, 72, 99, 108, 117, 144, 153, 162}));
}

// Groups see only their own channels, a dilated tap skips, the bias is added
// once: group 0 reads 1,2,3,4 with (1,10) two apart, group 1 reads 5,6,7,8.
TEST(ConvReference, GroupsDilationBias) {
  Problem p =
      convProblem(tensor(NPU_F32, {1, 2, 4}), 2, {2}, 1, 0, 2, "abc", true, 2);
  EXPECT_EQ(
      runReference(p, {{1, 2, 3, 4, 5, 6, 7, 8}, {1, 10, 2, 1}, {0.5, 0}}),
      (Values{31.5, 42.5, 17, 20}));
}

TEST(ConvReference, AnyLayoutGivesTheSameNumbers) {
  Values weights = {1, -1, 2, 0.5}, data = iota(2 * 2 * 3);
  Problem p = convProblem(tensor(NPU_F32, {1, 2, 2, 3}), 2, {1, 1}, 1, 0, 1,
                          "abcd", false);
  // out0 = x0 - x1, out1 = 2 x0 + x1 / 2; x0 = 0..5, x1 = 6..11.
  Values expected = {-6, -6, -6, -6, -6, -6, 3, 5.5, 8, 10.5, 13, 15.5};
  for (const char *in : {"abcd", "acdb", "aBcd8b", "bdca"})
    for (const char *out : {"abcd", "acdb", "aBcd16b"}) {
      p.inputs[0] = tensor(NPU_F32, {1, 2, 2, 3}, in);
      p.outputs[0] = tensor(NPU_F32, {1, 2, 2, 3}, out);
      p.inputs[1] = tensor(NPU_F32, {2, 2, 1, 1}, "dcba");
      EXPECT_EQ(runReference(p, {data, weights}), expected) << in << " " << out;
    }
}

TEST(ConvReference, Int8SumsAreExact) {
  Problem p = convProblem(tensor(NPU_U8, {1, 3, 1, 1}), 1, {1, 1}, 1, 0, 1,
                          "abcd", false);
  p.inputs[1].dtype = NPU_I8;
  p.outputs[0].dtype = NPU_I32;
  EXPECT_EQ(runReference(p, {{255, 255, 200}, {127, -128, 127}}),
            (Values{255 * 127 - 255 * 128 + 200 * 127}));
}

// ONNX, ConvTranspose: 3x3 of 0..8, two 3x3 of ones.
TEST(ConvTransposeReference, OnnxExample) {
  Problem p =
      make(NPU_OP_CONV_TRANSPOSE,
           {tensor(NPU_F32, {1, 1, 3, 3}), tensor(NPU_F32, {2, 1, 3, 3})},
           tensor(NPU_F32, {1, 2, 5, 5}));
  for (int i = 0; i < 2; ++i)
    p.attrs.conv.strides[i] = p.attrs.conv.dilations[i] = 1;
  p.attrs.conv.groups = 1;
  Values plane = {0,  1,  3, 3,  2,  3,  8,  15, 12, 7,  9,  21, 36,
                  27, 15, 9, 20, 33, 24, 13, 6,  13, 21, 15, 8};
  Values both = plane;
  both.insert(both.end(), plane.begin(), plane.end());
  EXPECT_EQ(runReference(p, {iota(9), Values(18, 1.0)}), both);
}

// Stride 2, kernel 2 only spreads: out[2i+k] = x[i] * w[k], with padding cut
// off and one output-padding element behind.
TEST(ConvTransposeReference, StridePaddingSlackGroups) {
  Problem p = make(NPU_OP_CONV_TRANSPOSE,
                   {tensor(NPU_F32, {1, 2, 2}), tensor(NPU_F32, {2, 1, 3})},
                   tensor(NPU_F32, {1, 2, 4}));
  p.attrs.conv.strides[0] = 2;
  p.attrs.conv.dilations[0] = 1;
  p.attrs.conv.pads_begin[0] = p.attrs.conv.pads_end[0] = 1;
  p.attrs.conv.groups = 2;
  // Full result of group 0: x = 1,2 and w = 1,2,3 gives 1,2,5,4,6.
  EXPECT_EQ(runReference(p, {{1, 2, 1, 1}, {1, 2, 3, 1, 1, 1}}),
            (Values{2, 5, 4, 6, 1, 2, 1, 1}));
}

TEST(PoolReference, MaxAverageAndPadding) {
  Problem p = make(NPU_OP_MAX_POOL, {tensor(NPU_F32, {1, 1, 2, 3})},
                   tensor(NPU_F32, {1, 1, 2, 2}));
  npu_pool_attrs &a = p.attrs.pool;
  for (int i = 0; i < 2; ++i) {
    a.kernel[i] = 2;
    a.strides[i] = a.dilations[i] = 1;
  }
  a.pads_begin[0] = 1;
  Values data = {-1, -2, -3, -4, -5, -6};
  EXPECT_EQ(runReference(p, {data}), (Values{-1, -2, -1, -2}));
  p.op = NPU_OP_AVG_POOL;
  EXPECT_EQ(runReference(p, {data}), (Values{-1.5, -2.5, -3, -4}));
  a.count_include_pad = 1;
  EXPECT_EQ(runReference(p, {data}), (Values{-0.75, -1.25, -3, -4}));
  p.inputs[0].dtype = NPU_I8; // bytes average to floats, too
  EXPECT_EQ(runReference(p, {data}), (Values{-0.75, -1.25, -3, -4}));
}

TEST(PoolReference, NanIsDroppedOrKept) {
  Problem p = make(NPU_OP_MAX_POOL, {tensor(NPU_F32, {1, 1, 4})},
                   tensor(NPU_F32, {1, 1, 3}));
  p.attrs.pool.kernel[0] = 2;
  p.attrs.pool.strides[0] = p.attrs.pool.dilations[0] = 1;
  Values data = {NAN, 1, 2, 3};
  EXPECT_EQ(runReference(p, {data}), (Values{1, 2, 3}));
  p.attrs.pool.keep_nan = 1;
  Values kept = runReference(p, {data});
  EXPECT_TRUE(std::isnan(kept[0]));
  EXPECT_EQ((Values{kept[1], kept[2]}), (Values{2, 3}));
}

TEST(PoolReference, DilatedAndRoundedUp) {
  Problem p = make(NPU_OP_MAX_POOL, {tensor(NPU_I8, {1, 1, 5})},
                   tensor(NPU_I8, {1, 1, 3}));
  npu_pool_attrs &a = p.attrs.pool;
  a.kernel[0] = 2;
  a.strides[0] = 1;
  a.dilations[0] = 2;
  EXPECT_EQ(runReference(p, {{-5, 1, -7, 0, -128}}), (Values{-5, 1, -7}));
  a.dilations[0] = 1;
  a.strides[0] = 2; // rounded up: the third window sees the last element only
  EXPECT_EQ(runReference(p, {{-5, 1, -7, 0, -128}}), (Values{1, 0, -128}));
}

TEST(MatmulReference, BatchBroadcast) {
  Problem p =
      make(NPU_OP_MATMUL, {tensor(NPU_F32, {2, 1, 2}), tensor(NPU_F32, {2, 2})},
           tensor(NPU_F32, {2, 1, 2}));
  EXPECT_EQ(runReference(p, {{1, 2, 3, 4}, {1, 2, 3, 4}}),
            (Values{7, 10, 15, 22}));
  p = make(NPU_OP_MATMUL,
           {tensor(NPU_I64, {1, 2, 1, 1}), tensor(NPU_I64, {3, 1, 1, 1})},
           tensor(NPU_I64, {3, 2, 1, 1}));
  EXPECT_EQ(runReference(p, {{2, 3}, {5, 7, 11}}),
            (Values{10, 15, 14, 21, 22, 33}));
}

TEST(MatmulReference, PackedNumbersStandForOthers) {
  // Three numbers of 4 bits in each column, in blocks of two.
  Problem p = make(NPU_OP_MATMUL,
                   {tensor(NPU_F32, {1, 3}), tensor(NPU_U8, {2, 2}),
                    tensor(NPU_F32, {2, 2}), tensor(NPU_U8, {2, 1})},
                   tensor(NPU_F32, {1, 2}));
  p.attrs.matmul = {4, 2, 0, 1, 0};
  EXPECT_EQ(
      runReference(
          p, {{1, 10, 100}, {0x21, 0x43, 0x05, 0xf6}, {2, 3, 4, 5}, {1, 2}}),
      (Values{2 * 10 + 4 * 300, 3 * (2 + 30) + 5 * 400}));
  p.inputs.resize(2);
  p.attrs.matmul = {4, 0, 8, 0, 0};
  EXPECT_EQ(runReference(p, {{1, 10, 100}, {0x21, 0x43, 0x05, 0xf6}}),
            (Values{-7 - 60 - 300, -5 - 40 - 200}));
}

TEST(MatmulReference, QuantizedRowsAreRounded) {
  // Steps of 2 in the first row, of 1/2 in the second; halves go to even.
  Problem p = make(NPU_OP_MATMUL,
                   {tensor(NPU_F32, {2, 3}), tensor(NPU_I8, {3, 1}),
                    tensor(NPU_F32, {1, 1})},
                   tensor(NPU_F32, {2, 1}));
  p.attrs.matmul = {0, 3, 0, 0, 3};
  EXPECT_EQ(
      runReference(p, {{-254, 3.1, 5, 0.25, 63.5, 0.75}, {1, 10, 100}, {3}}),
      (Values{3.0 * (-254 + 40 + 400), 3.0 * (0 + 635 + 100)}));
}

TEST(MovementReference, ConcatSliceBroadcastTranspose) {
  Problem p = make(NPU_OP_CONCAT,
                   {tensor(NPU_I64, {2, 1}), tensor(NPU_I64, {2, 2}, "ba")},
                   tensor(NPU_I64, {2, 3}));
  p.attrs.axis.axis = 1;
  EXPECT_EQ(runReference(p, {{1, 2}, {3, 4, 5, 6}}),
            (Values{1, 3, 4, 2, 5, 6}));
  p = make(NPU_OP_SLICE, {tensor(NPU_I32, {5, 2})}, tensor(NPU_I32, {2, 1}));
  p.attrs.slice.starts[0] = 4;
  p.attrs.slice.steps[0] = -3;
  p.attrs.slice.starts[1] = p.attrs.slice.steps[1] = 1;
  EXPECT_EQ(runReference(p, {iota(10)}), (Values{9, 3}));
  p = make(NPU_OP_BROADCAST, {tensor(NPU_BOOL, {2, 1})},
           tensor(NPU_BOOL, {2, 2, 3}));
  EXPECT_EQ(runReference(p, {{1, 0}}),
            (Values{1, 1, 1, 0, 0, 0, 1, 1, 1, 0, 0, 0}));
  p = make(NPU_OP_TRANSPOSE, {tensor(NPU_F16, {2, 3})},
           tensor(NPU_F16, {3, 2}));
  p.attrs.transpose.permutation[0] = 1;
  EXPECT_EQ(runReference(p, {iota(6)}), (Values{0, 3, 1, 4, 2, 5}));
}

TEST(MovementReference, ReshapeKeepsRowMajorOrderWhateverTheLayout) {
  for (const char *from : {"abc", "cab", "aBc4b"})
    for (const char *to : {"ab", "ba", "Ab16a"}) {
      Problem p = make(NPU_OP_RESHAPE, {tensor(NPU_F32, {2, 3, 2}, from)},
                       tensor(NPU_F32, {4, 3}, to));
      EXPECT_EQ(runReference(p, {iota(12)}), iota(12)) << from << " " << to;
    }
}

TEST(MovementReference, EmptyAndScalarTensors) {
  Problem p = make(NPU_OP_CONCAT, {tensor(NPU_I64, {0}), tensor(NPU_I64, {2})},
                   tensor(NPU_I64, {2}));
  EXPECT_EQ(runReference(p, {{}, {7, 8}}), (Values{7, 8}));
  p = make(NPU_OP_SLICE, {tensor(NPU_I64, {3})}, tensor(NPU_I64, {0}));
  p.attrs.slice.steps[0] = 1;
  EXPECT_EQ(runReference(p, {{1, 2, 3}}), Values());
  p = make(NPU_OP_RESHAPE, {tensor(NPU_I64, {1})}, tensor(NPU_I64, {}));
  EXPECT_EQ(runReference(p, {{5}}), (Values{5}));
}

// ONNX, Pad: the pages' examples, and cropping.
TEST(PadReference, Modes) {
  Problem p =
      make(NPU_OP_PAD, {tensor(NPU_F32, {2, 3})}, tensor(NPU_F32, {2, 6}));
  p.attrs.pad.begin[1] = 2;
  p.attrs.pad.end[1] = 1;
  p.attrs.pad.value = 9;
  Values data = {1, 2, 3, 4, 5, 6};
  EXPECT_EQ(runReference(p, {data}),
            (Values{9, 9, 1, 2, 3, 9, 9, 9, 4, 5, 6, 9}));
  p.attrs.pad.mode = NPU_PAD_REFLECT;
  EXPECT_EQ(runReference(p, {data}),
            (Values{3, 2, 1, 2, 3, 2, 6, 5, 4, 5, 6, 5}));
  p.attrs.pad.mode = NPU_PAD_EDGE;
  EXPECT_EQ(runReference(p, {data}),
            (Values{1, 1, 1, 2, 3, 3, 4, 4, 4, 5, 6, 6}));
  p.attrs.pad.mode = NPU_PAD_WRAP;
  EXPECT_EQ(runReference(p, {data}),
            (Values{2, 3, 1, 2, 3, 1, 5, 6, 4, 5, 6, 4}));
}

TEST(PadReference, CropAndAllSides) {
  Problem p =
      make(NPU_OP_PAD, {tensor(NPU_I8, {2, 3})}, tensor(NPU_I8, {4, 3}));
  p.attrs.pad.begin[0] = p.attrs.pad.end[0] = 1;
  p.attrs.pad.begin[1] = -1;
  p.attrs.pad.end[1] = 1;
  p.attrs.pad.value = -7;
  EXPECT_EQ(runReference(p, {{1, 2, 3, 4, 5, 6}}),
            (Values{-7, -7, -7, 2, 3, -7, 5, 6, -7, -7, -7, -7}));
}

TEST(GatherReference, NegativeIndicesAndAxis) {
  Problem p =
      make(NPU_OP_GATHER, {tensor(NPU_F32, {3, 2}), tensor(NPU_I64, {1, 2})},
           tensor(NPU_F32, {1, 2, 2}));
  EXPECT_EQ(runReference(p, {{1, 2, 3, 4, 5, 6}, {0, -1}}),
            (Values{1, 2, 5, 6}));
  p = make(NPU_OP_GATHER, {tensor(NPU_I64, {4}), tensor(NPU_I64, {})},
           tensor(NPU_I64, {}));
  EXPECT_EQ(runReference(p, {{1, 3, 224, 225}, {-2}}), (Values{224}));
  p = make(NPU_OP_GATHER, {tensor(NPU_F32, {2, 3}, "ba"), tensor(NPU_I32, {2})},
           tensor(NPU_F32, {2, 2}));
  p.attrs.axis.axis = 1;
  EXPECT_EQ(runReference(p, {{1, 2, 3, 4, 5, 6}, {2, 0}}),
            (Values{3, 1, 6, 4}));
}

TEST(GatherReference, AnIndexOutsideIsAnError) {
  for (int64_t index : {3, -4}) {
    Problem p =
        make(NPU_OP_GATHER, {tensor(NPU_F32, {3}), tensor(NPU_I64, {1})},
             tensor(NPU_F32, {1}));
    for (const Implementation &implementation : implementations(p.op)) {
      std::string whyNot;
      auto kernel = implementation.create(p, whyNot);
      if (!kernel)
        continue;
      float data[3] = {1, 2, 3}, result = 0;
      void *operands[3] = {data, &index, &result};
      Buffer scratch(kernel->scratchBytes());
      EXPECT_NE(kernel->run(operands, scratch.data()), 0);
    }
  }
}

// ONNX, GatherElements, GatherND, ScatterElements, ScatterND: their examples.
TEST(IndexReference, Gathers) {
  Problem p = make(NPU_OP_GATHER_ELEMENTS,
                   {tensor(NPU_F32, {3, 3}, "ba"), tensor(NPU_I64, {2, 3})},
                   tensor(NPU_F32, {2, 3}, "ba"));
  EXPECT_EQ(runReference(p, {iota(9, 1), {1, 2, 0, 2, 0, 0}}),
            (Values{4, 8, 3, 7, 2, 3}));
  p = make(NPU_OP_GATHER_ND,
           {tensor(NPU_I32, {2, 2, 2}), tensor(NPU_I64, {2, 1})},
           tensor(NPU_I32, {2, 2}));
  p.attrs.index.batch_dims = 1;
  EXPECT_EQ(runReference(p, {iota(8), {1, 0}}), (Values{2, 3, 4, 5}));
  p.attrs.index.batch_dims = 0;
  p.inputs[1] = tensor(NPU_I64, {2, 2});
  EXPECT_EQ(runReference(p, {iota(8), {0, 1, -1, 0}}), (Values{2, 3, 4, 5}));
}

TEST(IndexReference, Scatters) {
  Problem p = make(NPU_OP_SCATTER_ELEMENTS,
                   {tensor(NPU_F32, {1, 5}), tensor(NPU_I64, {1, 2}),
                    tensor(NPU_F32, {1, 2})},
                   tensor(NPU_F32, {1, 5}));
  p.attrs.index.axis = 1;
  const struct {
    int64_t reduction;
    Values expected;
  } cases[] = {{NPU_SCATTER_NONE, {1, 2.5, 3, 4, 5}},
               {NPU_SCATTER_ADD, {1, 5.5, 3, 4, 5}},
               {NPU_SCATTER_MUL, {1, 5, 3, 4, 5}},
               {NPU_SCATTER_MAX, {1, 2.5, 3, 4, 5}},
               {NPU_SCATTER_MIN, {1, 1, 3, 4, 5}}};
  for (const auto &one : cases) {
    p.attrs.index.reduction = one.reduction;
    EXPECT_EQ(runReference(p, {iota(5, 1), {1, -4}, {1, 2.5}}), one.expected);
  }
  p = make(NPU_OP_SCATTER_ND,
           {tensor(NPU_I64, {3, 2}, "ba"), tensor(NPU_I32, {2, 1}),
            tensor(NPU_I64, {2, 2})},
           tensor(NPU_I64, {3, 2}, "ba"));
  EXPECT_EQ(runReference(p, {iota(6), {2, 0}, {7, 8, 9, 10}}),
            (Values{9, 10, 2, 3, 7, 8}));
}

TEST(PositionReference, PoolIndicesAndTopK) {
  Problem p = make(NPU_OP_MAX_POOL_INDICES, {tensor(NPU_U8, {1, 2, 2, 3})},
                   tensor(NPU_I64, {1, 2, 1, 2}));
  p.attrs.pool = {{2, 2}, {1, 1}, {1, 1}, {}, {}, 0, 0, 0};
  Values data = {1, 5, 5, 4, 0, 2, 9, 8, 7, 6, 5, 4};
  EXPECT_EQ(runReference(p, {data}), (Values{1, 1, 6, 7}));
  p.attrs.pool.column_major = 1;
  EXPECT_EQ(runReference(p, {data}), (Values{2, 2, 6, 8}));
  p = make(NPU_OP_TOP_K, {tensor(NPU_F32, {2, 4}, "ba")},
           tensor(NPU_I64, {2, 3}));
  p.attrs.top_k = {1, 1};
  Values lines = {3, 7, 7, 1, -1, -2, -3, -4};
  EXPECT_EQ(runReference(p, {lines}), (Values{1, 2, 0, 0, 1, 2}));
  p.attrs.top_k.largest = 0;
  EXPECT_EQ(runReference(p, {lines}), (Values{3, 0, 1, 3, 2, 1}));
}

TEST(CumulateReference, ExclusiveAndReverse) {
  Problem p =
      make(NPU_OP_CUMULATE, {tensor(NPU_F32, {2, 3})}, tensor(NPU_F32, {2, 3}));
  p.attrs.cumulate.axis = 1;
  EXPECT_EQ(runReference(p, {iota(6, 1)}), (Values{1, 3, 6, 4, 9, 15}));
  p.attrs.cumulate.exclusive = 1;
  EXPECT_EQ(runReference(p, {iota(6, 1)}), (Values{0, 1, 3, 0, 4, 9}));
  p.attrs.cumulate.reverse = 1;
  EXPECT_EQ(runReference(p, {iota(6, 1)}), (Values{5, 3, 0, 11, 6, 0}));
  p.attrs.cumulate.kind = NPU_CUMULATE_PROD;
  EXPECT_EQ(runReference(p, {iota(6, 1)}), (Values{6, 3, 1, 30, 6, 1}));
  p.attrs.cumulate = {0, NPU_CUMULATE_SUM, 0, 0};
  EXPECT_EQ(runReference(p, {iota(6, 1)}), (Values{1, 2, 3, 5, 7, 9}));
}

TEST(CumulateReference, SumOfNegativeZeros) {
  Problem p =
      make(NPU_OP_CUMULATE, {tensor(NPU_F32, {2})}, tensor(NPU_F32, {2}));
  p.attrs.cumulate = {0, NPU_CUMULATE_SUM, 0, 0};
  EXPECT_TRUE(std::signbit(runReference(p, {{-0.0, -0.0}})[1]));
  EXPECT_FALSE(std::signbit(runReference(p, {{-0.0, 0.0}})[1]));
  p.attrs.cumulate.exclusive = 1;
  EXPECT_FALSE(std::signbit(runReference(p, {{-0.0, -0.0}})[0]));
}

// Padding is zero after the zero point is subtracted: it adds nothing.
TEST(ConvReference, ZeroPoint) {
  Problem p =
      convProblem(tensor(NPU_U8, {1, 1, 3}), 1, {3}, 1, 1, 1, "abc", false);
  p.inputs[1].dtype = NPU_I8;
  p.outputs[0].dtype = NPU_I32;
  p.attrs.conv.data_zero_point = 10;
  EXPECT_EQ(runReference(p, {{11, 12, 13}, {1, -1, 2}}), (Values{3, 5, -1}));
}

TEST(ReduceReference, Kinds) {
  Problem p =
      make(NPU_OP_REDUCE, {tensor(NPU_F32, {2, 3})}, tensor(NPU_F32, {2, 1}));
  p.attrs.reduce.axes_mask = 2;
  p.attrs.reduce.keep_dims = 1;
  Values data = {1, -2, 4, 3, 0, -1};
  const struct {
    int64_t kind;
    Values expected;
  } cases[] = {{NPU_REDUCE_SUM, {3, 2}},
               {NPU_REDUCE_MEAN, {1, 2.0 / 3}},
               {NPU_REDUCE_MAX, {4, 3}},
               {NPU_REDUCE_MIN, {-2, -1}},
               {NPU_REDUCE_PROD, {-8, 0}},
               {NPU_REDUCE_L1, {7, 4}},
               {NPU_REDUCE_L2, {4.58257569, 3.16227766}},
               {NPU_REDUCE_LOG_SUM, {1.09861229, 0.69314718}},
               {NPU_REDUCE_LOG_SUM_EXP, {4.0509458, 3.0658839}},
               {NPU_REDUCE_SUM_SQUARE, {21, 10}}};
  for (const auto &one : cases) {
    p.attrs.reduce.kind = one.kind;
    expectNear(runReference(p, {data}), one.expected, 1e-5);
  }
}

TEST(ReduceReference, SeveralAxesDropTheirDimensions) {
  Problem p =
      make(NPU_OP_REDUCE, {tensor(NPU_I64, {2, 2, 2})}, tensor(NPU_I64, {2}));
  p.attrs.reduce.axes_mask = 5;
  EXPECT_EQ(runReference(p, {iota(8)}), (Values{0 + 1 + 4 + 5, 2 + 3 + 6 + 7}));
  p.outputs[0] = tensor(NPU_I64, {});
  p.attrs.reduce.axes_mask = 7;
  p.attrs.reduce.kind = NPU_REDUCE_PROD;
  EXPECT_EQ(runReference(p, {iota(8, 1)}), (Values{40320}));
}

// ONNX, Softmax and LogSoftmax examples; large numbers do not overflow.
TEST(SoftmaxReference, OnnxExamples) {
  Problem p =
      make(NPU_OP_SOFTMAX, {tensor(NPU_F32, {1, 3})}, tensor(NPU_F32, {1, 3}));
  p.attrs.axis.axis = 1;
  Values expected = {0.09003058, 0.24472848, 0.66524094};
  expectNear(runReference(p, {{-1, 0, 1}}), expected);
  expectNear(runReference(p, {{9999, 10000, 10001}}), expected);
  p.attrs.axis.is_log = 1;
  expectNear(runReference(p, {{-1, 0, 1}}), {-2.4076061, -1.407606, -0.407606});
  p.attrs.axis = {0, 0};
  EXPECT_EQ(runReference(p, {{-1, 0, 1}}), (Values{1, 1, 1}));
}

// ONNX, Resize: upsample_scales_nearest, downsample_scales_linear,
// upsample_scales_linear, its align_corners and the cubic one's first row.
TEST(ResizeReference, OnnxExamples) {
  Problem p = resize({1, 1, 2, 2}, {1, 1, 4, 6}, NPU_RESIZE_NEAREST,
                     NPU_RESIZE_HALF_PIXEL);
  EXPECT_EQ(runReference(p, {{1, 2, 3, 4}}),
            (Values{1, 1, 1, 2, 2, 2, 1, 1, 1, 2, 2, 2,
                    3, 3, 3, 4, 4, 4, 3, 3, 3, 4, 4, 4}));
  p = resize({1, 1, 2, 4}, {1, 1, 1, 2}, NPU_RESIZE_LINEAR,
             NPU_RESIZE_HALF_PIXEL);
  p.attrs.resize.scales[2] = p.attrs.resize.scales[3] = 0.6;
  expectNear(runReference(p, {iota(8, 1)}), {2.6666665, 4.3333331}, 1e-5);
  Values linear = {1,   1.25, 1.75, 2,   1.5, 1.75, 2.25, 2.5,
                   2.5, 2.75, 3.25, 3.5, 3,   3.25, 3.75, 4};
  p = resize({1, 1, 2, 2}, {1, 1, 4, 4}, NPU_RESIZE_LINEAR,
             NPU_RESIZE_HALF_PIXEL);
  expectNear(runReference(p, {{1, 2, 3, 4}}), linear);
  p.attrs.resize.coordinates = NPU_RESIZE_ALIGN_CORNERS;
  Values row = runReference(p, {{1, 2, 3, 4}});
  row.resize(4);
  expectNear(row, {1, 1.33333333, 1.66666667, 2});
  p = resize({1, 1, 4, 4}, {1, 1, 8, 8}, NPU_RESIZE_CUBIC,
             NPU_RESIZE_HALF_PIXEL);
  row = runReference(p, {iota(16, 1)});
  row.resize(8);
  expectNear(row,
             {0.47265625, 0.76953125, 1.24609375, 1.875, 2.28125, 2.91015625,
              3.38671875, 3.68359375},
             1e-5);
}

TEST(ChipReference, Img2col) {
  Problem p = make(NPU_OP_IMG2COL, {tensor(NPU_I32, {1, 2, 3})},
                   tensor(NPU_I32, {1, 4, 3}));
  p.attrs.pool = {{2}, {1}, {2}, {1},
                  {1}, 0,   0,   0}; // taps two apart, both padded
  EXPECT_EQ(runReference(p, {{1, 2, 3, 4, 5, 6}}),
            (Values{0, 1, 2, 2, 3, 0, 0, 4, 5, 5, 6, 0}));
}

TEST(ChipReference, Unpool) {
  Problem p = make(NPU_OP_UNPOOL, {tensor(NPU_F16, {1, 1, 2, 2})},
                   tensor(NPU_F16, {1, 1, 2, 6}));
  p.attrs.pool.kernel[0] = 1;
  p.attrs.pool.kernel[1] = 3;
  EXPECT_EQ(runReference(p, {{1, 2, 3, 4}}),
            (Values{1, 0, 0, 2, 0, 0, 3, 0, 0, 4, 0, 0}));
}

// ONNX, MaxUnpool: the page's first example; and a place that is named twice.
TEST(ChipReference, Maskunpool) {
  Problem p =
      make(NPU_OP_MASKUNPOOL,
           {tensor(NPU_F32, {1, 1, 2, 2}), tensor(NPU_I64, {1, 1, 2, 2})},
           tensor(NPU_F32, {1, 1, 4, 4}));
  EXPECT_EQ(runReference(p, {{1, 2, 3, 4}, {5, 7, 13, 15}}),
            (Values{0, 0, 0, 0, 0, 1, 0, 2, 0, 0, 0, 0, 0, 3, 0, 4}));
  EXPECT_EQ(runReference(p, {{1, 2, 3, 4}, {5, 7, 5, 0}}),
            (Values{4, 0, 0, 0, 0, 3, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0}));
}

TEST(ChipReference, MaskunpoolRefusesPlacesOutside) {
  Problem p = make(NPU_OP_MASKUNPOOL,
                   {tensor(NPU_F32, {1, 1, 1}), tensor(NPU_I64, {1, 1, 1})},
                   tensor(NPU_F32, {1, 1, 4}));
  auto kernel = createReference(p);
  Buffer scratch(kernel->scratchBytes());
  for (int64_t place : {-1, 4}) {
    float value = 1, result[4];
    void *operands[] = {&value, &place, result};
    EXPECT_NE(kernel->run(operands, scratch.data()), 0) << place;
  }
}

// numpy.rot90 of [[0, 1, 2], [3, 4, 5]].
TEST(ChipReference, Rotate) {
  const Values turned[] = {
      {2, 5, 1, 4, 0, 3}, {5, 4, 3, 2, 1, 0}, {3, 0, 4, 1, 5, 2}};
  for (int64_t turns : {1, 2, 3}) {
    npu_tensor_desc wide = tensor(NPU_I8, {2, 3}),
                    high = tensor(NPU_I8, {3, 2});
    Problem p = make(NPU_OP_ROTATE, {wide}, turns == 2 ? wide : high);
    p.attrs.rotate = {{0, 1}, turns};
    EXPECT_EQ(runReference(p, {iota(6)}), turned[turns - 1]) << turns;
    p.attrs.rotate = {{1, 0}, turns}; // the other way round
    EXPECT_EQ(runReference(p, {iota(6)}), turned[3 - turns]) << turns;
  }
}

TEST(ChipReference, Tensornorm) {
  // Sets 1, 3 and 5, 9 in groups; mean 2 and 7, deviation 1 and 2.
  Problem p = make(
      NPU_OP_TENSORNORM,
      {tensor(NPU_F32, {1, 4}), tensor(NPU_F32, {4}), tensor(NPU_F32, {1})},
      tensor(NPU_F32, {1, 4}));
  p.attrs.norm = {2, 1, 2, 1, 1, 0};
  expectNear(runReference(p, {{1, 3, 5, 9}, {1, 2, 3, 4}, {10}}),
             {9, 12, 7, 14});
  // All in one: mean 4.5, squares of differences 12.25 2.25 0.25 20.25.
  p.attrs.norm = {2, 1, 1, 0, 1, 0.25};
  p.inputs.pop_back();
  expectNear(runReference(p, {{1, 3, 5, 9}, {3, 3, 3, 3}}),
             {-3.5, -1.5, 0.5, 4.5});
  // No mean: 1, 9, 25, 81 have the mean 29; 29 - 4 would be another result.
  p.attrs.norm = {2, 1, 1, 0, 0, 0.75};
  expectNear(runReference(p, {{1, 3, 5, 9}, {1, 1, 1, 1}}),
             {0.18333969940, 0.55001909820, 0.91669849700, 1.65005729461});
}

TEST(AttentionReference, GroupsMasksAndOrder) {
  // Two queries of each of two heads on one head of two keys; equal scores.
  Problem p = make(NPU_OP_ATTENTION,
                   {tensor(NPU_F32, {2, 2, 1}), tensor(NPU_F32, {1, 2, 1}),
                    tensor(NPU_F32, {1, 2, 1})},
                   tensor(NPU_F32, {2, 2, 1}));
  p.attrs.attention = {0.5, 0, 0, 0};
  const Values q = {0, 2, 4, 6}, k = {0, 1}, v = {1, 3};
  // Weights of the second key: 1 / (1 + exp(-q / 2)).
  expectNear(runReference(p, {q, k, v}),
             {2, 2.46211715726, 2.76159415595, 2.90514825364});
  p.attrs.attention.causal = 1;
  expectNear(runReference(p, {q, k, v}), {1, 2.46211715726, 1, 2.90514825364});
  p.attrs.attention = {0.5, 0, 1, 0};
  p.inputs.push_back(tensor(NPU_F32, {1, 2}));
  expectNear(runReference(p, {q, k, v, {1, 0}}),
             {1.53788284274, 2, 2.46211715726, 2.76159415595});
  // Where it is false the score is 1.
  p.inputs[3].dtype = NPU_BOOL;
  p.attrs.attention.fill = 1;
  expectNear(runReference(p, {q, k, v, {1, 0}}),
             {2.46211715726, 2.46211715726, 2.46211715726, 2.46211715726});
}

TEST(ResizeReference, NearestRulesDifferAtTies) {
  // Asymmetric, factor 2: coordinates 0, 0.5, 1, 1.5.
  const struct {
    int64_t rule;
    Values expected;
  } cases[] = {{NPU_NEAREST_FLOOR, {1, 1, 2, 2}},
               {NPU_NEAREST_CEIL, {1, 2, 2, 2}},
               {NPU_NEAREST_ROUND_PREFER_FLOOR, {1, 1, 2, 2}},
               {NPU_NEAREST_ROUND_PREFER_CEIL, {1, 2, 2, 2}}};
  for (const auto &one : cases) {
    Problem p = resize({1, 2}, {1, 4}, NPU_RESIZE_NEAREST,
                       NPU_RESIZE_ASYMMETRIC, one.rule);
    EXPECT_EQ(runReference(p, {{1, 2}}), one.expected) << one.rule;
  }
}
