// SPDX-License-Identifier: Apache-2.0
//
// --input-shape, --batch and --bind-input: what they bind, what they refuse.
#include "test/compiler/Frontend/ONNX/ModelBuilder.h"

#include "compiler/Dialect/NPU/Constants.h"

#include <gtest/gtest.h>

using namespace npu;
using namespace npu::test;

namespace {

class Inputs : public testing::Test {
protected:
  ImportRunner runner;

  static ModelBuilder openModel() {
    ModelBuilder model;
    model.openInput("x", {"N", "3", "H", ""});
    model.openInput("z", {"N", "3", "1", "1"});
    model.output("y");
    model.node("Add", {"x", "z"}, {"y"});
    return model;
  }
  void expectError(const ModelBuilder &model, const std::string &part) {
    ImportResult result = runner.run(model);
    EXPECT_FALSE(result.succeeded);
    ASSERT_EQ(result.errors.size(), 1u);
    EXPECT_HAS(result.errors[0], part);
  }
  ElementsAttr floats(ArrayRef<int64_t> shape, ArrayRef<float> values) {
    return DenseElementsAttr::get(
        RankedTensorType::get(shape, mlir::Float32Type::get(&runner.context)),
        values);
  }
};

TEST_F(Inputs, ShapeBindsSymbolsEverywhere) {
  runner.options.inputShapes["x"] = {2, 3, 4, 5};
  ImportResult result = runner.run(openModel());
  ASSERT_TRUE(result.succeeded) << testing::PrintToString(result.errors);
  EXPECT_HAS(result.text, "tensor<2x3x4x5xf32> {npu.name = \"x\"}");
  EXPECT_HAS(result.text, "tensor<2x3x1x1xf32> {npu.name = \"z\"}");
  EXPECT_HAS(result.text, "-> (tensor<2x3x4x5xf32> {npu.name = \"y\"})");
}

TEST_F(Inputs, BatchBindsTheFirstDimension) {
  ModelBuilder model;
  model.openInput("x", {"", "8"}).output("y");
  model.node("Relu", {"x"}, {"y"});
  runner.options.batch = 3;
  EXPECT_HAS(runner.run(model).text, "tensor<3x8xf32>");
  runner.options.batch = 0;
  EXPECT_HAS(runner.run(model).text, "tensor<0x8xf32>");
}

TEST_F(Inputs, BatchThatBindsNothing) {
  ModelBuilder model;
  model.input("x", {1, 8}).output("y");
  model.node("Relu", {"x"}, {"y"});
  runner.options.batch = 3;
  expectError(model,
              "--batch=3 binds no input: the batch of 'x' is fixed to 1");
  runner.options.batch = 1;
  EXPECT_TRUE(runner.run(model).succeeded);
  runner.options.batch = -1;
  expectError(openModel(),
              "dimension 0 of input 'x' is set to -1, expected 0 or more");
}

TEST_F(Inputs, UnknownSizesNameTheInputAndTheOption) {
  expectError(openModel(), "found inputs of unknown size: 'x' (<N>,3,<H>,?), "
                           "'z' (<N>,3,1,1)");
  expectError(openModel(), "use --input-shape=x=<N>,3,<H>,?");
  ModelBuilder model;
  model.input("x", {}).output("y");
  model.graph()
      .mutable_input(0)
      ->mutable_type()
      ->mutable_tensor_type()
      ->clear_shape();
  model.node("Relu", {"x"}, {"y"});
  expectError(model, "'x' (any rank)");
  runner.options.inputShapes["x"] = {2, 2};
  EXPECT_TRUE(runner.run(model).succeeded);
}

TEST_F(Inputs, UnknownNames) {
  runner.options.inputShapes["nobody"] = {1};
  expectError(openModel(), "--input-shape names 'nobody', which is no input; "
                           "the inputs are 'x', 'z'");
  runner.options.inputShapes.clear();
  runner.options.boundInputs["nobody"] = floats({1}, {1.0f});
  expectError(openModel(), "--bind-input names 'nobody'");
}

TEST_F(Inputs, Contradictions) {
  runner.options.inputShapes["x"] = {1, 3, 4};
  expectError(openModel(), "input 'x' has 4 dimensions, found 3 (1x3x4)");
  runner.options.inputShapes["x"] = {1, 4, 4, 4};
  expectError(openModel(), "dimension 1 of input 'x' is 3 in the model, "
                           "found 4");
  runner.options.inputShapes["x"] = {1, 3, 4, -4};
  expectError(openModel(), "dimension 3 of input 'x' is set to -4");
  runner.options.inputShapes["x"] = {1, 3, 4, 4};
  runner.options.inputShapes["z"] = {2, 3, 1, 1};
  expectError(openModel(), "is 'N', which --input-shape=x sets to 1, found 2");
}

TEST_F(Inputs, MinusOneIsAnUnknownSize) {
  ModelBuilder model;
  model.input("x", {-1, 3, -1}).input("z", {-1, 3, 1}).output("y");
  model.node("Add", {"x", "z"}, {"y"});
  onnx::ValueInfoProto result = model.graph().input(0);
  result.set_name("y");
  *model.graph().mutable_output(0) = result;
  *model.graph().add_value_info() = result;
  expectError(model, "found inputs of unknown size: 'x' (?,3,?), 'z' (?,3,1)");
  runner.options.inputShapes["x"] = {2, 3, 4};
  expectError(model, "found inputs of unknown size: 'z' (?,3,1)");
  runner.options.inputShapes["z"] = {1, 3, 1};
  ImportResult bound = runner.run(model);
  ASSERT_TRUE(bound.succeeded) << testing::PrintToString(bound.errors);
  EXPECT_HAS(bound.text, "-> (tensor<2x3x4xf32> {npu.name = \"y\"})");
  runner.options.inputShapes["x"] = {2, 4, 4};
  expectError(model, "dimension 1 of input 'x' is 3 in the model, found 4");
  runner.options.inputShapes.clear();
  runner.options.inputShapes["x"] = {2, 3, 4};
  runner.options.batch = 2;
  EXPECT_HAS(runner.run(model).text, "tensor<2x3x1xf32> {npu.name = \"z\"}");
}

TEST_F(Inputs, DeclaredSizesAreNotNegative) {
  ModelBuilder model;
  model.input("x", {2, -2}).output("y");
  model.node("Relu", {"x"}, {"y"});
  expectError(model, "dimension 1 of input 'x' is -2, expected 0 or more, or "
                     "-1 for an unknown size");
  runner.options.inputShapes["x"] = {2, 3};
  expectError(model, "dimension 1 of input 'x' is -2");
}

TEST_F(Inputs, NotATensor) {
  ModelBuilder model;
  model.output("x").graph().add_input()->set_name("x");
  model.graph().mutable_input(0)->mutable_type()->mutable_sequence_type();
  expectError(model, "input 'x' is not a tensor");
}

TEST_F(Inputs, BoundInputsFold) {
  ModelBuilder model;
  model.openInput("x", {"N"}).output("y");
  model.node("Neg", {"x"}, {"y"});
  runner.options.boundInputs["x"] = floats({2}, {1.0f, -2.0f});
  ImportResult result = runner.run(model);
  EXPECT_HAS(result.text, "dense<[-1.000000e+00, 2.000000e+00]>");
  EXPECT_HAS(result.text, "@main() -> ");
  runner.options.boundInputs["x"] = DenseElementsAttr::get(
      RankedTensorType::get({1}, mlir::IntegerType::get(&runner.context, 64)),
      ArrayRef<int64_t>{1});
  expectError(model, "--bind-input=x: the file has elements of type 'i64', "
                     "expected 'f32'");
}

TEST_F(Inputs, InitializersAreNoInputs) {
  ModelBuilder model;
  model.input("x", {2}).input("w", {2}).weight("w", {2}).output("y");
  model.node("Add", {"x", "w"}, {"y"});
  ImportResult result = runner.run(model);
  EXPECT_HAS(result.text, "npu.constant");
  EXPECT_LACKS(result.text, "npu.name = \"w\"");
}

} // namespace
