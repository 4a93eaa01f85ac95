// SPDX-License-Identifier: Apache-2.0
//
// What the table of schemas refuses: numbers of inputs and results, those that
// are left out, attributes, element types, graphs of a node. What it takes
// though it looks odd.
#include "test/compiler/Frontend/ONNX/BadNode.h"

using namespace npu::test;
using onnx::AttributeProto;
using onnx::TensorProto;

namespace {

class SchemaErrors : public testing::TestWithParam<BadNode> {};

TEST_P(SchemaErrors, IsOneErrorThatNamesTheNode) { expectRefused(GetParam()); }

AttributeProto *lastAttribute(NodeBuilder &node) {
  return node->mutable_attribute(node->attribute_size() - 1);
}

/// A branch with the result `name`, declared to have a type.
onnx::GraphProto branch(const std::string &name, int type) {
  ModelBuilder model;
  model.output(name, type).node("Relu", {"x"}, {name});
  return model.graph();
}

/// An If whose condition holds.
NodeBuilder addIf(ModelBuilder &m, const Names &results) {
  m.number("n", 1);
  m.node("Cast", {"n"}, {"c"}).integer("to", TensorProto::BOOL);
  return m.node("If", {"c"}, results);
}

const BadNode counts[] = {
    {"TooFewInputs", [](ModelBuilder &m) { m.node("TopK", {"x"}, {"y", "i"}); },
     "has 1 input, expected 2: X, K"},
    {"TooFewOfMany", [](ModelBuilder &m) { m.node("GRU", {"x"}, {"y"}); },
     "has 1 input, expected 3 to 6: X, W, R, [B], [sequence_lens], "
     "[initial_h]"},
    {"TooFewOfAny",
     [](ModelBuilder &m) { m.node("Concat", {}, {"y"}).integer("axis", 0); },
     "has 0 inputs, expected 1 or more: inputs, ..."},
    {"TooManyInputs",
     [](ModelBuilder &m) { m.node("Clip", {"x", "", "", ""}, {"y"}); },
     "has 4 inputs, expected 1 to 3: input, [min], [max]"},
    {"InputOfNone", [](ModelBuilder &m) { m.node("Constant", {"x"}, {"y"}); },
     "has 1 input, expected 0"},
    {"InputsOfOldOpset",
     [](ModelBuilder &m) { m.node("Upsample", {"x"}, {"y"}); },
     "has 1 input, expected 2: X, scales", 9},
    {"TooFewResults",
     [](ModelBuilder &m) { m.number("k", 1).node("TopK", {"x", "k"}, {"y"}); },
     "has 1 result, expected 2: Values, Indices"},
    {"TooManyResults",
     [](ModelBuilder &m) { m.node("GRU", {"x", "w", "w"}, {"y", "h", "c"}); },
     "has 3 results, expected 0 to 2: [Y], [Y_h]"},
    {"BlankInput", [](ModelBuilder &m) { m.node("Add", {"x", ""}, {"y"}); },
     "leaves out input 1 'B', expected it to be given"},
    {"BlankOfAny", [](ModelBuilder &m) { m.node("Sum", {"x", ""}, {"y"}); },
     "leaves out input 1 'data_0', expected it to be given"},
    {"BlankState",
     [](ModelBuilder &m) {
       m.number("n", 1).node("Loop", {"n", "", ""}, {"y"}).graph("body", {});
     },
     "leaves out input 2 'v_initial', expected it to be given"},
    {"BlankResult",
     [](ModelBuilder &m) {
       m.number("k", 1).node("TopK", {"x", "k"}, {"y", ""});
     },
     "leaves out result 1 'Indices', expected it to be given"},
};

const BadNode attributes[] = {
    {"Required", [](ModelBuilder &m) { m.node("Cast", {"x"}, {"y"}); },
     "lacks the attribute 'to', expected one of type INT"},
    {"Unknown",
     [](ModelBuilder &m) { m.node("Relu", {"x"}, {"y"}).integer("axis", 1); },
     "has the attribute 'axis', which Relu does not have at this opset; "
     "expected none"},
    {"OfNewerOpset",
     [](ModelBuilder &m) {
       m.node("Softmax", {"x"}, {"y"}).integer("stash_type", 1);
     },
     "which Softmax does not have at this opset; expected only axis"},
    {"Type",
     [](ModelBuilder &m) { m.node("Softmax", {"x"}, {"y"}).number("axis", 1); },
     "attribute 'axis' is of type FLOAT, expected INT"},
    {"Twice",
     [](ModelBuilder &m) {
       m.node("Softmax", {"x"}, {"y"}).integer("axis", 1).integer("axis", 2);
     },
     "has the attribute 'axis' twice, expected it once"},
    {"ValueOfAnotherType",
     [](ModelBuilder &m) {
       NodeBuilder node = m.node("Softmax", {"x"}, {"y"}).number("axis", 1);
       lastAttribute(node)->set_type(AttributeProto::INT);
     },
     "attribute 'axis' has no value of type INT, or one of another type "
     "beside it"},
    {"NoGraph",
     [](ModelBuilder &m) {
       NodeBuilder node = addIf(m, {"y"})
                              .graph("else_branch", branch("b", 0))
                              .graph("then_branch", {});
       lastAttribute(node)->clear_g();
     },
     "attribute 'then_branch' has no value of type GRAPH"},
};

const BadNode types[] = {
    {"NotTaken",
     [](ModelBuilder &m) { m.node("GatherElements", {"x", "x"}, {"y"}); },
     "input 1 'indices' has the element type float, expected one of int32, "
     "int64"},
    {"One", [](ModelBuilder &m) { m.node("Where", {"v", "x", "x"}, {"y"}); },
     "input 0 'condition' has the element type int64, expected bool"},
    {"NewerOpsetTakesIt", [](ModelBuilder &m) { m.node("Relu", {"v"}, {"y"}); },
     "input 0 'X' has the element type int64, expected one of float, float16, "
     "double, bfloat16 (opset 14 takes it, too: convert the model with "
     "onnx.version_converter)",
     13},
    {"Differ", [](ModelBuilder &m) { m.node("Add", {"x", "v"}, {"y"}); },
     "input 1 'B' has the element type int64, expected float as input 0 'A' "
     "has"},
    {"DifferAmongAny",
     [](ModelBuilder &m) { m.node("Max", {"x", "x", "v"}, {"y"}); },
     "input 2 'data_0' has the element type int64, expected float as input 0 "
     "'data_0' has"},
    {"DifferBehindGap",
     [](ModelBuilder &m) { m.node("Clip", {"x", "", "v"}, {"y"}); },
     "input 2 'max' has the element type int64, expected float as input 0 "
     "'input' has"},
    {"Result",
     [](ModelBuilder &m) {
       m.node("Cast", {"x"}, {"y"}).integer("to", TensorProto::BFLOAT16);
     },
     "result 0 'output' has the element type bfloat16, expected one of", 9},
    {"QuantizedZeroPoint",
     [](ModelBuilder &m) {
       m.input("q", {4}, TensorProto::UINT8).input("z", {}, TensorProto::INT8);
       m.weight("s", {}, {1}).node("DequantizeLinear", {"q", "s", "z"}, {"y"});
     },
     "input 2 'x_zero_point' has the element type int8, expected uint8 as "
     "input 0 'x' has"},
    {"Microsoft",
     [](ModelBuilder &m) {
       m.node("Gelu", {"v"}, {"y"})->set_domain("com.microsoft");
     },
     "input 0 'X' has the element type int64, expected one of float, float16, "
     "double, bfloat16"},
};

const BadNode graphs[] = {
    {"BranchInputs",
     [](ModelBuilder &m) {
       onnx::GraphProto graph = branch("a", 0);
       graph.add_input()->set_name("p");
       addIf(m, {"y"})
           .graph("then_branch", graph)
           .graph("else_branch", branch("b", 0));
     },
     "has a graph with 1 inputs and 1 outputs, expected 0 and 1"},
    {"BranchOutputs",
     [](ModelBuilder &m) {
       addIf(m, {"y", "z"})
           .graph("then_branch", branch("a", 0))
           .graph("else_branch", branch("b", 0));
     },
     "has a graph with 0 inputs and 1 outputs, expected 0 and 2"},
    {"BranchType",
     [](ModelBuilder &m) {
       addIf(m, {"y"})
           .graph("then_branch", branch("a", TensorProto::INT64))
           .graph("else_branch", branch("b", TensorProto::INT64));
     },
     "has a graph whose output 'a' is declared as int64, but is float"},
    {"BodyType",
     [](ModelBuilder &m) {
       ModelBuilder body;
       body.input("i", {}, TensorProto::FLOAT);
       body.input("c", {}, TensorProto::BOOL).input("s", {1, 4, 6, 6});
       body.output("c").output("s");
       m.number("n", 1);
       m.node("Loop", {"n", "", "x"}, {"y"}).graph("body", body.graph());
     },
     "has a graph whose input 'i' is declared as float, but is int64"},
};

INSTANTIATE_TEST_SUITE_P(Counts, SchemaErrors, testing::ValuesIn(counts),
                         rowName);
INSTANTIATE_TEST_SUITE_P(Attributes, SchemaErrors,
                         testing::ValuesIn(attributes), rowName);
INSTANTIATE_TEST_SUITE_P(Types, SchemaErrors, testing::ValuesIn(types),
                         rowName);
INSTANTIATE_TEST_SUITE_P(Graphs, SchemaErrors, testing::ValuesIn(graphs),
                         rowName);

/// A call of a function with a node, in an opset of its own.
ModelBuilder callOf(const std::string &op, int64_t opset) {
  ModelBuilder model;
  model.input("x", {4}).output("y");
  model.node("F", {"x"}, {"y"})->set_domain("test");
  onnx::FunctionProto *function = model.proto.add_functions();
  function->set_name("F");
  function->set_domain("test");
  function->add_input("a");
  function->add_output("b");
  function->add_opset_import()->set_version(opset);
  onnx::NodeProto *node = function->add_node();
  node->set_op_type(op);
  node->add_input("a");
  node->add_output("b");
  return model;
}

TEST(Schema, HoldsInFunctions) {
  ImportRunner runner;
  EXPECT_TRUE(runner.run(callOf("Softmax", 13)).succeeded);
  ImportResult result = runner.run(callOf("TopK", 17));
  ASSERT_EQ(result.errors.size(), 1u);
  EXPECT_HAS(result.errors[0], "TopK 'b': has 1 input, expected 2: X, K");
  for (int64_t opset : {0, 99}) {
    result = runner.run(callOf("Relu", opset));
    ASSERT_EQ(result.errors.size(), 1u);
    EXPECT_HAS(result.errors[0], "calls a function of ai.onnx opset " +
                                     std::to_string(opset) +
                                     ", expected 1 to 28");
  }
}

/// What onnxruntime takes, too.
TEST(Schema, OddButValid) {
  ModelBuilder model;
  model.input("x", {1, 4, 6, 6}).number("n", 0).output("y").output("t");
  model.node("Clip", {"x", "", ""}, {"a"});
  // A name that is left to programs that read the file.
  model.node("Relu", {"a"}, {"b"}).integer("__hint", 3);
  // An integer that is 0 may be absent.
  NodeBuilder noValue = model.node("Softmax", {"b"}, {"c"}).integer("axis", 0);
  lastAttribute(noValue)->clear_i();
  // The first files had no types of attributes.
  NodeBuilder noType = model.node("Softmax", {"c"}, {"y"}).integer("axis", 1);
  lastAttribute(noType)->clear_type();
  // A part that nobody reads.
  model.node("Split", {"b"}, {"t", ""}).integer("axis", 1);
  ImportRunner runner;
  ImportResult result = runner.run(model);
  EXPECT_TRUE(result.succeeded) << testing::PrintToString(result.errors);
}

/// Before opset 10 the mask of Dropout was a number.
TEST(Schema, OldMask) {
  ModelBuilder model(7);
  model.input("x", {4}).output("y").output("m");
  model.node("Dropout", {"x"}, {"y", "m"});
  ImportRunner runner;
  ImportResult result = runner.run(model);
  EXPECT_HAS(result.text, "tensor<4xf32>")
      << testing::PrintToString(result.errors);
  EXPECT_LACKS(result.text, "xi1>");
}

TEST(Schema, RegionLeftOutIsAll) {
  ModelBuilder model;
  model.input("x", {1, 1, 4, 4}).output("y");
  model.weight("s", {4}, {1, 1, 2, 2});
  model.node("Resize", {"x", "", "s"}, {"y"})
      .text("coordinate_transformation_mode", "tf_crop_and_resize");
  ImportRunner runner;
  ImportResult result = runner.run(model);
  EXPECT_TRUE(result.succeeded) << testing::PrintToString(result.errors);
}

/// The first opsets had floats for numbers of elements.
TEST(Schema, FloatsThatCount) {
  ModelBuilder model(1);
  model.input("x", {2, 4}).weight("sizes", {2}, {1, 3});
  model.output("a").output("b");
  model.node("Split", {"x", "sizes"}, {"a", "b"}).integer("axis", 1);
  ImportRunner runner;
  ImportResult result = runner.run(model);
  EXPECT_TRUE(result.succeeded) << testing::PrintToString(result.errors);
  model.graph().mutable_initializer(0)->Clear();
  *model.graph().mutable_initializer(0) =
      ModelBuilder().weight("sizes", {2}, {1.5, 2.5}).graph().initializer(0);
  result = runner.run(model);
  ASSERT_EQ(result.errors.size(), 1u);
  EXPECT_HAS(result.errors[0],
             "split has the entry 1.500000, expected whole numbers");
}

} // namespace
