// SPDX-License-Identifier: Apache-2.0
//
// Operators between DequantizeLinear and QuantizeLinear run on the bytes.
#include "test/compiler/Frontend/ONNX/ModelBuilder.h"

using namespace npu;
using namespace npu::test;

namespace {

/// A model whose u8 input "q" (1x4x6x6) is dequantized to "x" with the scalar
/// scale "s" and the zero point "z" of 3.
class Quantized : public testing::Test {
protected:
  Quantized() {
    model.input("q", {1, 4, 6, 6}, onnx::TensorProto::UINT8);
    model.weight("s", {}, {0.5}).weight("other", {}, {0.25});
    bytes("z", {}, onnx::TensorProto::UINT8, 3);
    model.node("DequantizeLinear", {"q", "s", "z"}, {"x"});
  }

  /// Integers, all the same.
  void bytes(const std::string &name, const Shape &shape, int type,
             int32_t number) {
    onnx::TensorProto &tensor = *model.graph().add_initializer();
    tensor.set_name(name);
    tensor.set_data_type(type);
    int64_t count = 1;
    for (int64_t extent : shape) {
      tensor.add_dims(extent);
      count *= extent;
    }
    for (int64_t i = 0; i < count; ++i)
      tensor.add_int32_data(number);
  }

  /// An int8 weight "w" with a scale for each index of `axis`, and an int32
  /// bias "b" in units of the products.
  void weight(const Shape &shape, int64_t axis) {
    int64_t channels = shape[static_cast<size_t>(axis)];
    bytes("wq", shape, onnx::TensorProto::INT8, 7);
    std::vector<float> scales, units;
    for (int64_t c = 0; c < channels; ++c) {
      scales.push_back(0.125f * static_cast<float>(c + 1));
      units.push_back(0.5f * scales.back());
    }
    model.weight("ws", {channels}, scales).weight("bs", {channels}, units);
    bytes("bq", {channels}, onnx::TensorProto::INT32, 9);
    model.node("DequantizeLinear", {"wq", "ws"}, {"w"}).integer("axis", axis);
    model.node("DequantizeLinear", {"bq", "bs"}, {"b"}).integer("axis", 0);
  }

  std::string import() {
    ImportRunner runner;
    ImportResult result = runner.run(model.output("y"));
    EXPECT_TRUE(result.succeeded) << testing::PrintToString(result.errors);
    return result.text;
  }

  ModelBuilder model;
};

TEST_F(Quantized, ConvolutionSumsBytes) {
  weight({8, 4, 3, 3}, 0);
  model.node("Conv", {"x", "w", "b"}, {"c"}).integers("pads", {1, 1, 1, 1});
  model.node("QuantizeLinear", {"c", "other", "z"}, {"y"});
  std::string text = import();
  EXPECT_HAS(text, "data_zero_point = 3");
  EXPECT_HAS(text, "(tensor<1x4x6x6xui8>, tensor<8x4x3x3xi8>, tensor<8xi32>) "
                   "-> tensor<1x8x6x6xi32>");
  EXPECT_HAS(text, "tensor<8x1x1xf32>"); // the scales follow the channels
  EXPECT_LACKS(text, "tensor<8x4x3x3xf32>");
}

TEST_F(Quantized, ABiasInOtherUnitsIsReal) {
  weight({8, 4, 3, 3}, 0);
  model.weight("real", {8});
  model.node("Conv", {"x", "w", "real"}, {"c"});
  model.node("QuantizeLinear", {"c", "other", "z"}, {"y"});
  std::string text = import();
  EXPECT_HAS(text, "(tensor<1x4x6x6xui8>, tensor<8x4x3x3xi8>) -> "
                   "tensor<1x8x4x4xi32>");
  EXPECT_HAS(text, "npu.eltwise add");
}

TEST_F(Quantized, AScaleAlongInputsStaysReal) {
  weight({8, 4, 3, 3}, 1);
  model.node("Conv", {"x", "w"}, {"y"});
  EXPECT_HAS(import(), "(tensor<1x4x6x6xf32>, tensor<8x4x3x3xf32>)");
}

TEST_F(Quantized, TransposedConvolutionSumsBytes) {
  weight({4, 8, 3, 3}, 1);
  model.node("ConvTranspose", {"x", "w", "b"}, {"c"});
  model.node("QuantizeLinear", {"c", "other", "z"}, {"y"});
  std::string text = import();
  EXPECT_HAS(text, "data_zero_point = 3");
  EXPECT_HAS(text, "(tensor<1x4x6x6xui8>, tensor<8x4x3x3xi8>, tensor<8xi32>) "
                   "-> tensor<1x8x8x8xi32>");
  EXPECT_HAS(text, "tensor<8x1x1xf32>");
}

TEST_F(Quantized, TransposedGroupsHaveOneScaleOrStayReal) {
  weight({4, 8, 3, 3}, 1);
  model.node("ConvTranspose", {"x", "w"}, {"y"}).integer("group", 2);
  EXPECT_HAS(import(), "(tensor<1x4x6x6xf32>, tensor<16x2x3x3xf32>)");
}

TEST_F(Quantized, TransposedInputsScalesStayReal) {
  weight({4, 8, 3, 3}, 0);
  model.node("ConvTranspose", {"x", "w"}, {"y"});
  EXPECT_HAS(import(), "(tensor<1x4x6x6xf32>, tensor<8x4x3x3xf32>)");
}

TEST_F(Quantized, AScaleThatDependsOnDataStaysReal) {
  weight({8, 4, 3, 3}, 0);
  model.input("free", {});
  model.node("DequantizeLinear", {"q", "free", "z"}, {"later"});
  model.node("Conv", {"later", "w"}, {"y"});
  EXPECT_HAS(import(), "(tensor<1x4x6x6xf32>, tensor<8x4x3x3xf32>)");
}

TEST_F(Quantized, ProductsSumBytes) {
  weight({5, 144}, 0);
  model.ints("flat", {1, 144});
  model.node("Reshape", {"x", "flat"}, {"row"});
  model.node("Gemm", {"row", "w", "b"}, {"g"}).integer("transB", 1);
  model.node("QuantizeLinear", {"g", "other", "z"}, {"y"});
  std::string text = import();
  EXPECT_HAS(text, "(tensor<1x4x6x6xui8>) -> tensor<1x144xui8>");
  EXPECT_HAS(text, "(tensor<1x144xui8>, tensor<144x5xi8>) -> tensor<1x5xi32>");
}

TEST_F(Quantized, WeightsOfRealDataStayPacked) {
  weight({40, 32}, 1);
  model.input("r", {4, 40});
  model.node("MatMul", {"r", "w"}, {"y"});
  std::string text = import();
  // All numbers are one: two bits hold what they differ by.
  EXPECT_HAS(text, "bits = 2 : i64, block = 40 : i64");
  EXPECT_HAS(text, "(tensor<4x40xf32>, tensor<10x32xui8>, tensor<1x32xf32>)");
  EXPECT_LACKS(text, "tensor<40x32xf32>");
}

TEST_F(Quantized, RowsOfATableAreBytesUntilTheyArePicked) {
  weight({40, 32}, 0);
  model.input("i", {3}, onnx::TensorProto::INT64);
  model.node("Gather", {"w", "i"}, {"y"}).integer("axis", 0);
  std::string text = import();
  EXPECT_HAS(text, "(tensor<40x32xi8>, tensor<3xi64>) -> tensor<3x32xi8>");
  EXPECT_HAS(text, "(tensor<40x1xf32>, tensor<3xi64>) -> tensor<3x1xf32>");
}

TEST_F(Quantized, MovementsMoveBytes) {
  model.node("MaxPool", {"x"}, {"p"}).integers("kernel_shape", {2, 2});
  model.node("Transpose", {"p"}, {"t"}).integers("perm", {0, 2, 3, 1});
  model.node("Concat", {"t", "t"}, {"c"}).integer("axis", 3);
  model.node("QuantizeLinear", {"c", "s", "z"}, {"y"});
  std::string text = import();
  EXPECT_HAS(text, "npu.max_pool");
  EXPECT_HAS(text, "npu.transpose");
  EXPECT_HAS(text, "npu.concat");
  EXPECT_LACKS(text, "f32");
}

TEST_F(Quantized, OtherParametersAreAnotherNumber) {
  model.node("Transpose", {"x"}, {"t"}).integers("perm", {0, 2, 3, 1});
  model.node("QuantizeLinear", {"t", "other", "z"}, {"y"});
  std::string text = import();
  EXPECT_HAS(text, "(tensor<1x4x6x6xui8>) -> tensor<1x6x6x4xui8>");
  EXPECT_HAS(text, "npu.quantize");
}

TEST_F(Quantized, AConcatOfOtherScalesIsReal) {
  model.node("DequantizeLinear", {"q", "other", "z"}, {"wide"});
  model.node("Concat", {"x", "wide"}, {"y"}).integer("axis", 1);
  EXPECT_HAS(import(), "(tensor<1x4x6x6xf32>, tensor<1x4x6x6xf32>)");
}

TEST_F(Quantized, PaddingIsTheZeroPoint) {
  model.ints("pads", {0, 0, 1, 1, 0, 0, 1, 1});
  model.node("Pad", {"x", "pads"}, {"p"});
  model.node("QuantizeLinear", {"p", "s", "z"}, {"y"});
  std::string text = import();
  EXPECT_HAS(text, "value = 3.0");
  EXPECT_LACKS(text, "f32");
}

TEST_F(Quantized, PaddingWithAnotherNumberIsReal) {
  model.ints("pads", {0, 0, 1, 1, 0, 0, 1, 1}).weight("one", {}, {1});
  model.node("Pad", {"x", "pads", "one"}, {"y"});
  EXPECT_HAS(import(), "(tensor<1x4x6x6xf32>) -> tensor<1x4x8x8xf32>");
}

} // namespace
