// SPDX-License-Identifier: Apache-2.0
//
// What nodes become, over the opsets that changed them.
#include "compiler/Support/Budget.h"
#include "test/compiler/Frontend/ONNX/ModelBuilder.h"

#include <gtest/gtest.h>

#include <fstream>
#include <numeric>
#include <sstream>

using namespace npu;
using namespace npu::test;

namespace {

class Import : public testing::Test {
protected:
  /// The text of a model that must import.
  std::string import(const ModelBuilder &model) {
    ImportRunner runner;
    ImportResult result = runner.run(model);
    EXPECT_TRUE(result.succeeded) << testing::PrintToString(result.errors);
    return result.text;
  }
};

TEST_F(Import, ConvolutionKeepsTheCanonicalWeight) {
  ModelBuilder model;
  model.input("x", {1, 3, 8, 8}).weight("w", {4, 3, 3, 3}).output("y");
  model.node("Conv", {"x", "w"}, {"y"})
      .integers("strides", {2, 2})
      .text("auto_pad", "SAME_UPPER");
  EXPECT_HAS(import(model),
             "npu.conv2d(%arg0, %0) {dilations = [1, 1], groups = 1 "
             ": i64, pads = [0, 0, 1, 1], strides = [2, 2]} : "
             "(tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> "
             "tensor<1x4x4x4xf32>");
}

TEST_F(Import, TransposedConvolutionTurnsItsWeight) {
  ModelBuilder model;
  model.input("x", {1, 4, 5, 5}).weight("w", {4, 3, 2, 2}).output("y");
  model.node("ConvTranspose", {"x", "w"}, {"y"})
      .integer("group", 2)
      .integers("strides", {2, 2})
      .integers("output_padding", {1, 1});
  std::string text = import(model);
  EXPECT_HAS(text, "(tensor<1x4x5x5xf32>, tensor<6x2x2x2xf32>) -> "
                   "tensor<1x6x11x11xf32>");
  EXPECT_LACKS(text, "npu.transpose");
}

/// onnxruntime takes such a model; a program's outputs are known by name.
TEST_F(Import, OutputThatIsListedTwiceIsOne) {
  ModelBuilder model;
  model.input("x", {1, 3}).output("y").output("z").output("y");
  model.node("Relu", {"x"}, {"y"});
  model.node("Abs", {"x"}, {"z"});
  EXPECT_HAS(import(model), "-> (tensor<1x3xf32> {npu.name = \"y\"}, "
                            "tensor<1x3xf32> {npu.name = \"z\"})");
}

/// There is no such function of integers.
TEST_F(Import, PReluOfIntegersIsASelection) {
  ModelBuilder model;
  model.input("x", {1, 3}, onnx::TensorProto::INT32).output("y");
  model.input("s", {3}, onnx::TensorProto::INT32);
  model.node("PRelu", {"x", "s"}, {"y"});
  std::string text = import(model);
  EXPECT_HAS(text, "npu.eltwise less(%arg0");
  EXPECT_HAS(text, "npu.eltwise select(");
}

TEST_F(Import, CeilModeIsInTheResultsShape) {
  ModelBuilder model;
  model.input("x", {1, 1, 6, 5}).output("y");
  model.node("MaxPool", {"x"}, {"y"})
      .integers("kernel_shape", {2, 2})
      .integers("strides", {2, 2})
      .integer("ceil_mode", 1);
  EXPECT_HAS(import(model), "-> tensor<1x1x3x3xf32>");
}

/// ceil((4 - 5) / 2) + 1 = 1: the only window reaches over the data.
TEST_F(Import, CeilModeOfAWindowLargerThanTheData) {
  ModelBuilder model;
  model.input("x", {1, 1, 4, 9}).output("y");
  model.node("MaxPool", {"x"}, {"y"})
      .integers("kernel_shape", {5, 5})
      .integers("strides", {2, 2})
      .integer("ceil_mode", 1);
  EXPECT_HAS(import(model), "-> tensor<1x1x1x3xf32>");
}

TEST_F(Import, ShapeArithmeticDisappears) {
  ModelBuilder model;
  model.input("x", {2, 3, 4}).number("zero", 0).ints("rest", {-1}).output("y");
  model.ints("axis", {0});
  model.node("Shape", {"x"}, {"shape"});
  model.node("Gather", {"shape", "zero"}, {"batch"});
  model.node("Unsqueeze", {"batch", "axis"}, {"first"});
  model.node("Concat", {"first", "rest"}, {"wanted"}).integer("axis", 0);
  model.node("Reshape", {"x", "wanted"}, {"y"});
  std::string text = import(model);
  EXPECT_HAS(text, "npu.reshape(%arg0) : (tensor<2x3x4xf32>) -> "
                   "tensor<2x12xf32>");
  EXPECT_LACKS(text, "npu.constant");
}

TEST_F(Import, FoldingDoesNotBlowUpConstants) {
  ModelBuilder model;
  model.ints("large", {1 << 28}).ints("small", {1 << 10}).weight("w", {1});
  model.output("y").output("z");
  model.node("Expand", {"w", "large"}, {"y"});
  model.node("Expand", {"w", "small"}, {"z"});
  std::string text = import(model);
  EXPECT_HAS(text,
             "npu.broadcast(%0) : (tensor<1xf32>) -> tensor<268435456xf32>");
  EXPECT_LACKS(text, "(tensor<1xf32>) -> tensor<1024xf32>");
}

TEST_F(Import, DoubleConstantsAreConverted) {
  for (bool isRaw : {false, true}) {
    ModelBuilder model;
    model.input("x", {1, 3}).output("y");
    onnx::TensorProto *tensor = model.graph().add_initializer();
    tensor->set_name("d");
    tensor->set_data_type(onnx::TensorProto::DOUBLE);
    tensor->add_dims(3);
    const double numbers[] = {0.5, -2, 1e300};
    if (isRaw)
      tensor->set_raw_data(numbers, sizeof(numbers));
    else
      for (double number : numbers)
        tensor->add_double_data(number);
    model.node("Cast", {"d"}, {"f"}).integer("to", onnx::TensorProto::FLOAT);
    model.node("Mul", {"x", "f"}, {"y"});
    std::string text = import(model);
    EXPECT_HAS(text, "dense<[5.000000e-01, -2.000000e+00, 0x7F800000]>");
    EXPECT_LACKS(text, "f64>");
  }
}

TEST_F(Import, DoublesStayConstants) {
  ModelBuilder model;
  model.input("x", {1, 3}).ints("n", {3}).output("y");
  model.node("Cast", {"n"}, {"wide"}).integer("to", onnx::TensorProto::DOUBLE);
  model.node("Cast", {"wide"}, {"f"}).integer("to", onnx::TensorProto::FLOAT);
  model.node("Mul", {"x", "f"}, {"y"});
  EXPECT_HAS(import(model), "dense<3.000000e+00>");
}

/// 16777217 is no float, and the quotient's floor would be another one.
TEST_F(Import, ConstantsComputeInF64) {
  ModelBuilder model;
  model.input("x", {1}).ints("n", {16777217}).ints("d", {3}).output("y");
  model.node("Cast", {"n"}, {"a"}).integer("to", onnx::TensorProto::DOUBLE);
  model.node("Cast", {"d"}, {"b"}).integer("to", onnx::TensorProto::DOUBLE);
  model.node("Mul", {"a", "b"}, {"product"});
  model.node("Cast", {"product"}, {"i"})
      .integer("to", onnx::TensorProto::INT64);
  model.node("Expand", {"x", "i"}, {"y"});
  EXPECT_HAS(import(model), "-> tensor<50331651xf32>");
}

TEST_F(Import, F64IsMovedAndCompared) {
  ModelBuilder model;
  model.input("x", {2, 3}, onnx::TensorProto::DOUBLE).output("y");
  model.input("z", {3, 2}, onnx::TensorProto::DOUBLE).output("w");
  model.node("Transpose", {"x"}, {"t"});
  model.node("Less", {"t", "z"}, {"less"});
  model.node("Where", {"less", "t", "z"}, {"y"});
  model.node("Cast", {"y"}, {"w"}).integer("to", onnx::TensorProto::FLOAT);
  std::string text = import(model);
  EXPECT_HAS(text, "npu.transpose(%arg0)");
  EXPECT_HAS(text, "npu.eltwise cast(%2) : (tensor<3x2xf64>)");
}

/// Between the two nodes nothing is converted to f64 and back.
TEST_F(Import, F64IsComputedInF32IfAsked) {
  ModelBuilder model;
  model.input("x", {2, 3}, onnx::TensorProto::DOUBLE).output("y");
  model.node("Add", {"x", "x"}, {"sum"});
  model.node("Exp", {"sum"}, {"y"});
  ImportRunner refusing;
  ImportResult refused = refusing.run(model);
  ASSERT_EQ(refused.errors.size(), 1u);
  EXPECT_HAS(refused.errors[0], "unsupported: computes in f64");
  EXPECT_HAS(refused.errors[0], "--f64=f32");
  runner.options.f64AsF32 = true;
  ImportResult result = runner.run(model);
  EXPECT_TRUE(result.succeeded);
  ASSERT_EQ(result.errors.size(), 1u);
  EXPECT_HAS(result.errors[0], "2 nodes compute in f32");
  EXPECT_HAS(result.text, "npu.eltwise exp(%");
  EXPECT_EQ(result.text.find("xf64>) -> tensor<2x3xf32>"),
            result.text.rfind("xf64>) -> tensor<2x3xf32>"));
}

TEST_F(Import, ABoolInputMayChooseABranch) {
  ModelBuilder model;
  model.input("c", {}, onnx::TensorProto::BOOL).input("x", {2}).output("y");
  ModelBuilder one, other;
  one.node("Relu", {"x"}, {"a"});
  one.output("a");
  other.node("Neg", {"x"}, {"b"});
  other.output("b");
  model.node("If", {"c"}, {"y"})
      .graph("then_branch", one.graph())
      .graph("else_branch", other.graph());
  EXPECT_HAS(import(model), "npu.eltwise select(%arg0");
}

/// What a model's own constants are converted to is no reason to refuse it.
TEST_F(Import, ConstantsAreConvertedBesideTheBudget) {
  BudgetLimits limits = usualLimits();
  limits[static_cast<size_t>(Budget::Constants)] = 1;
  BudgetScope scope(limits);
  ModelBuilder model;
  model.input("x", {1000}).output("y");
  onnx::TensorProto *tensor = model.graph().add_initializer();
  tensor->set_name("w");
  tensor->set_data_type(onnx::TensorProto::UINT8);
  tensor->add_dims(1000);
  tensor->set_raw_data(std::string(1000, '\7'));
  model.weight("s", {}, {0.5});
  model.node("DequantizeLinear", {"w", "s"}, {"real"});
  model.node("Cast", {"real"}, {"half"})
      .integer("to", onnx::TensorProto::FLOAT16);
  model.node("Cast", {"half"}, {"wide"})
      .integer("to", onnx::TensorProto::FLOAT);
  model.node("Mul", {"x", "wide"}, {"y"});
  EXPECT_HAS(import(model), "npu.eltwise mul");
  model.ints("n", {100000});
  model.node("ConstantOfShape", {"n"}, {"many"});
  model.node("Concat", {"many", "x"}, {"z"}).integer("axis", 0);
  model.output("z");
  ImportResult refused = runner.run(model);
  ASSERT_EQ(refused.errors.size(), 1u);
  EXPECT_HAS(refused.errors[0], "bytes of constants that are made of smaller");
}

TEST_F(Import, NodesThatNoOutputNeedsAreLeftOut) {
  ModelBuilder model;
  model.input("x", {2}).output("y");
  model.node("Relu", {"x"}, {"y"});
  model.node("NoSuchOp", {"x"}, {"unused"});
  EXPECT_HAS(import(model), "npu.eltwise relu");
}

TEST_F(Import, NodesInAnyOrder) {
  ModelBuilder model;
  model.input("x", {2}).output("y");
  model.node("Relu", {"a"}, {"y"});
  model.node("Abs", {"x"}, {"a"});
  EXPECT_HAS(import(model), "npu.eltwise abs(%arg0)");
}

TEST_F(Import, BatchNormalizationIsTwoFactors) {
  ModelBuilder model;
  model.input("x", {1, 1, 2, 2}).output("y");
  model.weight("scale", {1}, {6}).weight("bias", {1}, {1});
  model.weight("mean", {1}, {2}).weight("var", {1}, {9});
  model.node("BatchNormalization", {"x", "scale", "bias", "mean", "var"}, {"y"})
      .number("epsilon", 0);
  std::string text = import(model);
  EXPECT_HAS(text, "dense<2.000000e+00> : tensor<1x1x1xf32>");
  EXPECT_HAS(text, "dense<-3.000000e+00> : tensor<1x1x1xf32>");
  EXPECT_HAS(text, "npu.eltwise mul(%arg0");
}

TEST_F(Import, GemmIsAProductAndSteps) {
  ModelBuilder model;
  model.input("x", {1, 2}).weight("w", {1, 2}, {3, 5}).output("y");
  model.weight("c", {1}, {4});
  model.node("Gemm", {"x", "w", "c"}, {"y"})
      .number("alpha", 2)
      .number("beta", 0.5)
      .integer("transB", 1);
  std::string text = import(model);
  EXPECT_HAS(text, "tensor<2x1xf32>");
  EXPECT_HAS(text, "3.000000e+00], [5.000000e+00]");
  EXPECT_HAS(text, "npu.eltwise mul(");
  EXPECT_HAS(text, "dense<2.000000e+00> : tensor<1xf32>");
  EXPECT_LACKS(text, "npu.transpose");
}

TEST_F(Import, SoftmaxBefore13IsFlat) {
  ModelBuilder model(12);
  model.input("x", {2, 3, 4}).output("y");
  model.node("Softmax", {"x"}, {"y"});
  std::string text = import(model);
  EXPECT_HAS(text, "tensor<2x12xf32>");
  model.proto.mutable_opset_import(0)->set_version(13);
  text = import(model);
  EXPECT_LACKS(text, "tensor<2x12xf32>");
  EXPECT_HAS(text, "axis = 2");
}

TEST_F(Import, ClipTakesAttributesThenInputs) {
  ModelBuilder old(6);
  old.input("x", {2}).output("y");
  old.node("Clip", {"x"}, {"y"}).number("min", -1).number("max", 6);
  ModelBuilder recent(13);
  recent.input("x", {2}).weight("a", {}, {-1}).weight("b", {}, {6}).output("y");
  recent.node("Clip", {"x", "a", "b"}, {"y"});
  for (const ModelBuilder &model : {old, recent})
    EXPECT_HAS(import(model), "npu.eltwise clip(%arg0) {alpha = "
                              "-1.000000e+00 : f32, beta = "
                              "6.000000e+00 : f32}");
}

TEST_F(Import, OldBroadcastIsAlignedAtItsAxis) {
  ModelBuilder model(6);
  model.input("x", {2, 3, 4}).weight("w", {3}).output("y");
  model.node("Add", {"x", "w"}, {"y"})
      .integer("broadcast", 1)
      .integer("axis", 1);
  EXPECT_HAS(import(model), "tensor<3x1xf32>");
}

TEST_F(Import, SliceOverOpsets) {
  ModelBuilder old(9);
  old.input("x", {8}).output("y");
  old.node("Slice", {"x"}, {"y"})
      .integers("starts", {-3})
      .integers("ends", {100});
  EXPECT_HAS(import(old), "{starts = [5], steps = [1]} : (tensor<8xf32>) -> "
                          "tensor<3xf32>");
  ModelBuilder recent(13);
  recent.input("x", {8}).ints("s", {6}).ints("e", {INT64_MIN}).output("y");
  recent.ints("a", {0}).ints("t", {-2});
  recent.node("Slice", {"x", "s", "e", "a", "t"}, {"y"});
  EXPECT_HAS(import(recent),
             "{starts = [6], steps = [-2]} : (tensor<8xf32>) -> "
             "tensor<4xf32>");
}

TEST_F(Import, ConstantIfIsItsBranch) {
  ModelBuilder thenBranch, elseBranch, model;
  thenBranch.output("a").node("Relu", {"x"}, {"a"});
  elseBranch.output("b").node("Abs", {"x"}, {"b"});
  model.input("x", {2}).number("n", 0).output("y");
  model.node("Cast", {"n"}, {"c"}).integer("to", onnx::TensorProto::BOOL);
  model.node("If", {"c"}, {"y"})
      .graph("then_branch", thenBranch.graph())
      .graph("else_branch", elseBranch.graph());
  std::string text = import(model);
  EXPECT_HAS(text, "npu.eltwise abs");
  EXPECT_LACKS(text, "relu");
}

/// x decides: Abs of it, or what `other` adds.
static ModelBuilder ifOfData(ModelBuilder &other) {
  ModelBuilder thenBranch, model;
  thenBranch.output("a").node("Abs", {"x"}, {"a"});
  model.input("x", {2, 16}).output("y");
  model.node("Flatten", {"x"}, {"flat"}).integer("axis", 0);
  model.node("ReduceMax", {"flat"}, {"most"}).integer("keepdims", 1);
  model.node("Cast", {"most"}, {"c"}).integer("to", onnx::TensorProto::BOOL);
  model.node("If", {"c"}, {"y"})
      .graph("then_branch", thenBranch.graph())
      .graph("else_branch", other.graph());
  return model;
}

TEST_F(Import, IfOfDataSelectsOfBothBranches) {
  ModelBuilder other;
  other.output("b").node("Relu", {"x"}, {"b"});
  std::string text = import(ifOfData(other));
  EXPECT_HAS(text, "npu.eltwise abs");
  EXPECT_HAS(text, "npu.eltwise relu");
  EXPECT_HAS(text, "npu.eltwise select");
}

TEST_F(Import, IfOfDataThatNeedsOneBranch) {
  auto expect = [&](ModelBuilder &other, const std::string &part) {
    ImportResult result = ImportRunner().run(ifOfData(other));
    ASSERT_EQ(result.errors.size(), 1u)
        << testing::PrintToString(result.errors);
    EXPECT_HAS(result.errors[0], "If 'y': unsupported: has a condition that "
                                 "depends on the model's data, and cannot "
                                 "compute both branches: ");
    EXPECT_HAS(result.errors[0], part);
  };
  ModelBuilder shorter, whole, gather, large;
  shorter.output("b").node("ReduceMax", {"x"}, {"b"});
  expect(shorter, "the branches give 2x16 of f32 and 1x1 of f32");
  whole.output("b")
      .node("Cast", {"x"}, {"b"})
      .integer("to", onnx::TensorProto::INT64);
  expect(whole, "the branches give 2x16 of f32 and 2x16 of i64");
  // An index that is out of range where the other branch is taken.
  gather.output("b")
      .node("Cast", {"x"}, {"i"})
      .integer("to", onnx::TensorProto::INT64);
  gather.node("GatherElements", {"x", "i"}, {"b"}).integer("axis", 1);
  expect(gather, "a branch reads by index");
  std::string last = "x";
  for (int i = 0; i <= 1000; ++i) {
    std::string next = "n" + std::to_string(i);
    large.node(i % 2 ? "Neg" : "Relu", {last}, {next});
    last = next;
  }
  large.output(last);
  expect(large, "the branches have 1002 ops, expected at most 1000");
}

TEST_F(Import, LargeWeightsAreResources) {
  ModelBuilder model;
  model.input("x", {1, 64}).weight("w", {64, 64}).output("y");
  model.node("MatMul", {"x", "w"}, {"y"});
  EXPECT_HAS(import(model), "dense_resource<weight>");
}

TEST_F(Import, UnreadWeightsAreFreed) {
  ModelBuilder model;
  model.input("x", {1, 64}).weight("w", {64, 64}).output("y");
  model.node("Neg", {"w"}, {"negative"});
  model.node("MatMul", {"x", "negative"}, {"y"});
  std::string text = import(model);
  EXPECT_HAS(text, "dense_resource<weight_1>");
  EXPECT_LACKS(text, "dense_resource<weight>");
}

TEST_F(Import, ErrorsOfLaterStagesNameTheNode) {
  ModelBuilder model;
  model.input("x", {2}).output("y");
  model.node("Relu", {"x"}, {"y"})->set_name("block/relu");
  ImportRunner runner;
  std::string path =
      runner.folder.write("model.onnx", model.proto.SerializeAsString());
  auto module = importOnnx(runner.context, path, runner.options);
  ASSERT_TRUE(succeeded(module));
  std::string described;
  (*module)->walk([&](Operation *op) {
    if (op->getName().getStringRef() == "npu.eltwise")
      described = describeLocation(op->getLoc());
  });
  EXPECT_EQ(described, path + ": Relu 'block/relu'");
  MLIRContext *context = &runner.context;
  Location unknown = mlir::UnknownLoc::get(context);
  Location named = mlir::NameLoc::get(StringAttr::get(context, "first"));
  EXPECT_EQ(describeLocation(mlir::FusedLoc::get(context, {named, unknown})),
            "first");
  EXPECT_EQ(describeLocation(unknown), "");
}

TEST(Functions, TakeAttributesFromTheirCall) {
  ModelBuilder model;
  model.input("x", {4}).output("y");
  NodeBuilder call = model.node("Leak", {"x"}, {"y"}).number("slope", 0.25f);
  call->set_domain("test");
  onnx::FunctionProto *function = model.proto.add_functions();
  function->set_name("Leak");
  function->set_domain("test");
  function->add_input("a");
  function->add_output("b");
  function->add_attribute("slope");
  onnx::NodeProto *node = function->add_node();
  node->set_op_type("LeakyRelu");
  node->add_input("a");
  node->add_output("b");
  onnx::AttributeProto *alpha = node->add_attribute();
  alpha->set_name("alpha");
  alpha->set_type(onnx::AttributeProto::FLOAT);
  alpha->set_ref_attr_name("slope");
  ImportRunner runner;
  EXPECT_HAS(runner.run(model).text, "alpha = 2.500000e-01");
}

TEST(EmptyTensors, AreConstants) {
  ModelBuilder model;
  model.input("x", {0, 4}).output("y").output("z");
  model.ints("axes", {0});
  model.node("Relu", {"x"}, {"y"});
  model.node("ReduceSum", {"x", "axes"}, {"z"});
  ImportRunner runner;
  ImportResult result = runner.run(model);
  EXPECT_TRUE(result.succeeded);
  EXPECT_LACKS(result.text, "npu.eltwise");
  EXPECT_LACKS(result.text, "npu.reduce");
}

TEST(Recurrent, WithoutStepsTheLastStateIsTheFirst) {
  ImportRunner runner;
  ModelBuilder model;
  model.input("x", {0, 3, 4}).input("h", {1, 3, 5});
  model.weight("w", {1, 15, 4}).weight("r", {1, 15, 5});
  model.node("GRU", {"x", "w", "r", "", "", "h"}, {"y", "last"})
      .integer("hidden_size", 5);
  model.output("y").output("last");
  ImportResult result = runner.run(model);
  EXPECT_TRUE(result.succeeded);
  EXPECT_HAS(result.text, "tensor<0x1x3x5xf32>");
  EXPECT_HAS(result.text, "reshape(%arg1)");
  EXPECT_LACKS(result.text, "npu.matmul");
}

TEST(Errors, OneForANodeWhoseResultIsTooLarge) {
  ImportRunner runner;
  ModelBuilder model;
  model.input("x", {1, 3, 8, 8}).weight("r", {4, 4}).ints("b", {0, 0, 0, 0});
  model.node("RoiAlign", {"x", "r", "b"}, {"y"})
      .integer("output_height", 1 << 14)
      .integer("output_width", 1 << 14);
  model.output("y");
  ImportResult result = runner.run(model);
  EXPECT_FALSE(result.succeeded);
  ASSERT_EQ(result.errors.size(), 1u);
  EXPECT_HAS(result.errors.front(), "a tensor must be smaller than 2 GB");
}

TEST(Scan, WithoutStepsHasTheShapeOfNoParts) {
  ImportRunner runner;
  ModelBuilder model, body;
  body.input("s", {4}).input("p", {2, 4});
  body.node("Identity", {"s"}, {"t"});
  body.node("Transpose", {"p"}, {"q"});
  body.output("t").output("q");
  model.input("x", {4}).input("e", {2, 0, 4});
  model.node("Scan", {"x", "e"}, {"y", "z"})
      .integer("num_scan_inputs", 1)
      .integers("scan_input_axes", {1})
      .integers("scan_output_axes", {-1})
      .graph("body", body.graph());
  model.output("y").output("z");
  ImportResult result = runner.run(model);
  EXPECT_TRUE(result.succeeded);
  EXPECT_HAS(result.text, "-> tensor<4x2x0xf32>");
  EXPECT_HAS(result.text, "return %arg0");
}

TEST(Scan, WithoutStepsWhosePartsAreTooLargeIsOneError) {
  ImportRunner runner;
  ModelBuilder model, body;
  body.input("p", {1 << 16, 1 << 16}).output("q");
  body.node("Relu", {"p"}, {"q"});
  model.input("x", {0, 1 << 16, 1 << 16}).output("y");
  model.node("Scan", {"x"}, {"y"})
      .integer("num_scan_inputs", 1)
      .graph("body", body.graph());
  ImportResult result = runner.run(model);
  EXPECT_FALSE(result.succeeded);
  ASSERT_EQ(result.errors.size(), 1u);
  EXPECT_HAS(result.errors.front(), "a tensor must be smaller than 2 GB");
}

TEST(SupportedOps, DocumentIsUpToDate) {
  std::ifstream file(NPU_SOURCE_DIR "/docs/onnx-ops.md");
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_EQ(text.str(), supportedOnnxOpsMarkdown());
}

} // namespace
