// SPDX-License-Identifier: Apache-2.0
//
// Files, tensors and graphs that must be refused, each with one clear error.
#include "test/compiler/Frontend/ONNX/ModelBuilder.h"

#include <gtest/gtest.h>

#include <filesystem>

using namespace npu::test;
using onnx::TensorProto;

namespace {

/// Exactly one error, which names the file and holds all of `parts`.
void expectError(const ImportResult &result,
                 std::initializer_list<const char *> parts) {
  EXPECT_FALSE(result.succeeded);
  ASSERT_EQ(result.errors.size(), 1u)
      << testing::PrintToString(result.errors) << result.text;
  EXPECT_HAS(result.errors[0], ".onnx: ");
  for (const char *part : parts)
    EXPECT_HAS(result.errors[0], part);
}

ModelBuilder reluModel(int64_t opset = 17) {
  ModelBuilder model(opset);
  model.input("x", {1, 4}).output("y");
  model.node("Relu", {"x"}, {"y"});
  return model;
}

/// y = x + w, with the initializer w for the test to damage.
ModelBuilder addModel() {
  ModelBuilder model;
  model.input("x", {2, 3}).weight("w", {2, 3}).output("y");
  model.node("Add", {"x", "w"}, {"y"});
  return model;
}

class FileErrors : public testing::Test {
protected:
  ImportRunner runner;
  TensorProto &weightOf(ModelBuilder &model) {
    return *model.graph().mutable_initializer(0);
  }
  void
  makeExternal(ModelBuilder &model,
               const std::vector<std::pair<std::string, std::string>> &keys) {
    TensorProto &tensor = weightOf(model);
    tensor.clear_raw_data();
    tensor.set_data_location(TensorProto::EXTERNAL);
    for (const auto &[key, value] : keys) {
      auto *entry = tensor.add_external_data();
      entry->set_key(key);
      entry->set_value(value);
    }
  }
};

TEST_F(FileErrors, GoodModelsImport) {
  EXPECT_TRUE(runner.run(reluModel()).succeeded);
  EXPECT_TRUE(runner.run(addModel()).succeeded);
}

TEST_F(FileErrors, MissingFile) {
  expectError(runner.runFile(runner.folder.path("no.onnx")),
              {"no.onnx: cannot be read: No such file"});
}

TEST_F(FileErrors, Folder) {
  std::filesystem::create_directory(runner.folder.path("folder.onnx"));
  expectError(runner.runFile(runner.folder.path("folder.onnx")),
              {"cannot be read"});
}

TEST_F(FileErrors, NoModel) {
  expectError(runner.runFile(runner.folder.write("a.onnx", "")),
              {"is not an ONNX model, or is cut short (0 bytes)"});
  expectError(runner.runFile(runner.folder.write("a.onnx", "<html>no</html>")),
              {"is not an ONNX model, or is cut short (15 bytes)"});
}

TEST_F(FileErrors, CutShortAnywhere) {
  std::string bytes = addModel().proto.SerializeAsString();
  for (size_t size = 0; size < bytes.size(); ++size) {
    ImportResult result =
        runner.runFile(runner.folder.write("a.onnx", bytes.substr(0, size)));
    EXPECT_FALSE(result.succeeded) << size;
    EXPECT_EQ(result.errors.size(), 1u) << size;
  }
}

/// A few nodes whose builders read attributes, shapes and constants.
ModelBuilder mixedModel() {
  ModelBuilder model;
  model.input("x", {1, 2, 4, 4}).weight("w", {2, 1, 3, 3}).output("y");
  model.ints("pads", {0, 0, 1, 1, 0, 0, 1, 1}).ints("shape", {1, -1, 2});
  model.ints("from", {0}).ints("to", {9}).ints("axis", {1});
  model.node("Pad", {"x", "pads"}, {"a"});
  model.node("Conv", {"a", "w"}, {"b"}).integer("group", 2);
  model.node("MaxPool", {"b"}, {"c"}).integers("kernel_shape", {2, 2});
  model.node("Reshape", {"c", "shape"}, {"d"});
  model.node("Slice", {"d", "from", "to", "axis"}, {"e"});
  model.node("Softmax", {"e"}, {"y"}).integer("axis", -1);
  return model;
}

TEST_F(FileErrors, AnyFlippedByteIsSurvived) {
  std::string bytes = mixedModel().proto.SerializeAsString();
  ASSERT_TRUE(runner.run(mixedModel()).succeeded);
  for (size_t at = 0; at < bytes.size(); ++at)
    for (size_t bit : {at % 8, (at + 4) % 8}) {
      std::string damaged = bytes;
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << bit));
      ImportResult result =
          runner.runFile(runner.folder.write("a.onnx", damaged));
      EXPECT_EQ(result.succeeded, result.errors.empty()) << at << " " << bit;
    }
}

TEST_F(FileErrors, TwoGigabyteFile) {
  std::string path = runner.folder.write("a.onnx", "");
  std::filesystem::resize_file(path, (int64_t(1) << 31) + 5);
  expectError(runner.runFile(path),
              {"has 2147483653 bytes", "smaller than 2 GB", "external data"});
}

TEST_F(FileErrors, Opset) {
  expectError(runner.run(reluModel(29)),
              {"unsupported: found ai.onnx opset 29, expected 1 to 28"});
  expectError(runner.run(reluModel(0)), {"onnx: found ai.onnx opset 0"});
  ModelBuilder model = reluModel();
  model.proto.clear_opset_import();
  expectError(runner.run(model), {"onnx: found no opset_import"});
  model.proto.add_opset_import()->set_domain("ai.onnx.preview.training");
  expectError(runner.run(model), {"unsupported: found no opset_import"});
  model.proto.clear_opset_import();
  model.proto.set_ir_version(2);
  EXPECT_TRUE(runner.run(model).succeeded);
}

TEST_F(FileErrors, UnknownOperatorsAreListedTogether) {
  ModelBuilder model = reluModel();
  model.node("NoSuchOp", {"y"}, {"a"})->set_name("first");
  model.node("NoSuchOp", {"a"}, {"b"});
  model.node("NhwcConv", {"b"}, {"c"})->set_domain("com.microsoft");
  model.node("Swish", {"c"}, {"d"});
  model.output("d");
  expectError(runner.run(model),
              {"NoSuchOp at 'first', 'b'", "com.microsoft.NhwcConv at 'c'",
               "Swish (since opset 24) at 'd'"});
}

TEST_F(FileErrors, UnsupportedTypes) {
  ModelBuilder model;
  model.input("x", {2}, TensorProto::COMPLEX64).output("y");
  model.node("Identity", {"x"}, {"y"});
  expectError(runner.run(model), {"input 'x' has the element type complex64"});
  ModelBuilder strings = addModel();
  weightOf(strings).set_data_type(TensorProto::STRING);
  expectError(runner.run(strings), {"tensor 'w' has the element type string"});
  weightOf(strings).set_data_type(77);
  expectError(runner.run(strings), {"the element type number 77"});
}

TEST_F(FileErrors, TensorShapes) {
  ModelBuilder model = addModel();
  weightOf(model).set_dims(0, -2);
  expectError(runner.run(model), {"tensor 'w': negative extent -2"});
  weightOf(model).set_dims(0, int64_t(1) << 62);
  expectError(runner.run(model), {"tensor 'w'", "more than 2^40 elements"});
  weightOf(model).set_dims(0, int64_t(1) << 29);
  expectError(runner.run(model),
              {"tensor 'w'", "6442450944 bytes", "smaller than 2 GB"});
  weightOf(model).clear_dims();
  for (int i = 0; i < 9; ++i)
    weightOf(model).add_dims(1);
  expectError(runner.run(model), {"has 9 dimensions, expected at most 8"});
}

TEST_F(FileErrors, TensorData) {
  ModelBuilder model = addModel();
  weightOf(model).mutable_raw_data()->pop_back();
  expectError(runner.run(model),
              {"tensor 'w' has 23 bytes of data, expected 24"});
  weightOf(model).clear_raw_data();
  weightOf(model).add_float_data(1);
  expectError(runner.run(model),
              {"tensor 'w' has 4 bytes of data, expected 24"});
  weightOf(model).mutable_segment();
  expectError(runner.run(model), {"stored in segments"});
  ModelBuilder sparse = addModel();
  sparse.graph().add_sparse_initializer();
  expectError(runner.run(sparse), {"has sparse initializers"});
}

TEST_F(FileErrors, ExternalData) {
  runner.folder.write("data.bin", std::string(32, '\0'));
  ModelBuilder good = addModel();
  makeExternal(good, {{"location", "data.bin"}, {"offset", "8"}});
  EXPECT_TRUE(runner.run(good).succeeded);

  ModelBuilder missing = addModel();
  makeExternal(missing, {{"location", "no.bin"}});
  expectError(runner.run(missing),
              {"external data of tensor 'w' is missing", "no.bin"});
  ModelBuilder zero = addModel();
  makeExternal(zero, {{"location", std::string("data.bin\0x", 10)}});
  expectError(runner.run(zero), {"a name with a zero byte"});
  ModelBuilder beyond = addModel();
  makeExternal(beyond, {{"location", "data.bin"}, {"offset", "9"}});
  expectError(runner.run(beyond),
              {"out of range: bytes 9 to 33", "which has 32"});
  ModelBuilder huge = addModel();
  makeExternal(huge,
               {{"location", "data.bin"}, {"offset", "18446744073709551615"}});
  expectError(runner.run(huge), {"out of range"});
  ModelBuilder wrong = addModel();
  makeExternal(wrong, {{"location", "data.bin"}, {"length", "23"}});
  expectError(runner.run(wrong), {"has 23 bytes, expected 24"});
  ModelBuilder text = addModel();
  makeExternal(text, {{"location", "data.bin"}, {"offset", "-1"}});
  expectError(runner.run(text), {"offset is '-1', expected a number"});
}

TEST_F(FileErrors, ExternalDataOutsideOfTheFolder) {
  std::string outside = runner.folder.write("secret.bin", std::string(24, 'x'));
  auto runIn = [&](const std::string &location) {
    ModelBuilder model = addModel();
    makeExternal(model, {{"location", location}});
    return runner.runFile(
        runner.folder.write("sub/model.onnx", model.proto.SerializeAsString()));
  };
  expectError(runIn("../secret.bin"), {"outside of the model's folder"});
  expectError(runIn(outside), {"expected a path relative to the model"});
  expectError(runIn(""), {"expected a path relative to the model"});
  std::filesystem::create_symlink(outside, runner.folder.path("sub/link.bin"));
  expectError(runIn("link.bin"), {"outside of the model's folder"});
}

TEST_F(FileErrors, Cycle) {
  ModelBuilder model;
  model.input("x", {4}).output("c");
  model.node("Add", {"x", "b"}, {"a"});
  model.node("Relu", {"a"}, {"b"});
  model.node("Relu", {"b"}, {"c"});
  expectError(runner.run(model), {"is part of a cycle", "'a'", "'b'"});
}

TEST_F(FileErrors, SelfLoop) {
  ModelBuilder model;
  model.output("a");
  model.node("Relu", {"a"}, {"a"});
  expectError(runner.run(model), {"cycle", "'a' needs 'a'"});
}

TEST_F(FileErrors, DanglingNames) {
  ModelBuilder model = reluModel();
  model.node("Add", {"y", "nothing"}, {"z"});
  expectError(runner.run(model), {"Add 'z': reads 'nothing'"});
  ModelBuilder output = reluModel();
  output.output("other");
  expectError(runner.run(output), {"output 'other' is defined by no"});
}

TEST_F(FileErrors, DuplicatedNames) {
  ModelBuilder nodes = reluModel();
  nodes.node("Abs", {"x"}, {"y"});
  expectError(runner.run(nodes), {"Abs 'y': the name 'y' is defined twice"});
  ModelBuilder inputs = reluModel();
  inputs.input("x", {1});
  expectError(runner.run(inputs), {"the name 'x' is defined twice"});
  ModelBuilder weights = addModel();
  weights.weight("w", {1});
  expectError(runner.run(weights), {"the name 'w' is defined twice"});
}

TEST_F(FileErrors, InputCounts) {
  ModelBuilder model = reluModel();
  model.node("Relu", {"x", "y"}, {"z"});
  model.output("z");
  expectError(runner.run(model), {"Relu 'z': has 2 inputs, expected 1: X"});
  ModelBuilder gap = reluModel();
  gap.node("Add", {"x", ""}, {"z"});
  gap.output("z");
  expectError(runner.run(gap), {"Add 'z': leaves out input 1"});
}

TEST_F(FileErrors, Outputs) {
  ModelBuilder model = reluModel();
  model.node("Abs", {"x"}, {"z"});
  model.output("z", TensorProto::INT64);
  expectError(runner.run(model),
              {"output 'z' is declared as 'i64', but its node gives 'f32'"});
  ModelBuilder many = reluModel();
  many.node("Abs", {"x"}, {"a", "b"});
  many.output("a");
  expectError(runner.run(many), {"Abs 'a': has 2 results, expected 1: Y"});
}

TEST_F(FileErrors, NoOutputs) {
  ModelBuilder model;
  model.input("x", {1});
  expectError(runner.run(model), {"has no outputs"});
}

TEST_F(FileErrors, OutputListedAgainAsAnother) {
  expectError(runner.run(reluModel().output("y", TensorProto::INT64)),
              {"output 'y' is declared as 'i64', but its node gives 'f32'"});
}

TEST_F(FileErrors, NamesThatAreNotUtf8) {
  ModelBuilder model;
  model.input("\xff", {1}).output("y");
  model.node("Relu", {"\xff"}, {"y"});
  expectError(runner.run(model), {"an input's name is not UTF-8"});
  ModelBuilder output;
  output.input("x", {1}).output("\xff");
  output.node("Relu", {"x"}, {"\xff"});
  expectError(runner.run(output), {"an output's name is not UTF-8"});
}

/// A model that calls its function test.Twice once; the function has one node.
static ModelBuilder callingModel(const char *inner, const Names &inputs) {
  ModelBuilder model;
  model.input("x", {4}).output("y");
  model.node("Twice", inputs, {"y"})->set_domain("test");
  onnx::FunctionProto *function = model.proto.add_functions();
  function->set_name("Twice");
  function->set_domain("test");
  function->add_input("a");
  function->add_output("b");
  onnx::NodeProto *node = function->add_node();
  node->set_op_type(inner);
  node->set_domain(inner == std::string("Twice") ? "test" : "");
  node->add_input("a");
  node->add_output("b");
  return model;
}

TEST_F(FileErrors, Functions) {
  EXPECT_TRUE(runner.run(callingModel("Relu", {"x"})).succeeded);
  expectError(runner.run(callingModel("Relu", {"x", "x"})),
              {"Twice 'y'", "has 2 inputs and 1 results, expected at most 1"});
  expectError(runner.run(callingModel("Twice", {"x"})),
              {"Twice 'b'",
               "takes at least 257 brackets, graphs or calls inside each other",
               "does a function call itself?"});
  expectError(runner.run(callingModel("Relu", {""})),
              {"Relu 'b'", "leaves out input 0"});
  expectError(runner.run(callingModel("Nothing", {"x"})),
              {"found operators that are not supported", "Nothing at 'b'"});
  expectError(runner.run(callingModel("SequenceEmpty", {"x"})),
              {"SequenceEmpty (out of scope: sequences) at 'b'"});
}

TEST_F(FileErrors, FunctionsThatAreWrong) {
  ModelBuilder model = callingModel("Relu", {"x"});
  *model.proto.add_functions() = model.proto.functions(0);
  expectError(runner.run(model),
              {"the function 'Twice' is defined twice, expected each function "
               "once"});
  model = callingModel("Relu", {"x"});
  model.proto.mutable_functions(0)->set_output(0, "c");
  expectError(runner.run(model),
              {"Twice 'y'",
               "calls a function whose output 'c' is defined by no "
               "node, and by no input that is given"});
}

TEST_F(FileErrors, ActivationOfTwoGigabytes) {
  ModelBuilder model;
  model.input("x", {30000, 1}).input("z", {1, 30000}).output("y");
  model.node("Add", {"x", "z"}, {"y"});
  expectError(runner.run(model), {"Add 'y'", "smaller than 2 GB"});
}

} // namespace
