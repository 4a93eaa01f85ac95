// SPDX-License-Identifier: Apache-2.0
#include "test/compiler/Frontend/ONNX/ModelBuilder.h"

#include "compiler/Frontend/Support/Unsupported.h"

#include "mlir/IR/Diagnostics.h"

#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

using namespace npu;
using namespace npu::test;
using onnx::AttributeProto;
using onnx::TensorProto;

AttributeProto *NodeBuilder::add(const std::string &name,
                                 AttributeProto::AttributeType type) {
  AttributeProto *attribute = node->add_attribute();
  attribute->set_name(name);
  attribute->set_type(type);
  return attribute;
}

NodeBuilder &NodeBuilder::integer(const std::string &name, int64_t value) {
  add(name, AttributeProto::INT)->set_i(value);
  return *this;
}

NodeBuilder &NodeBuilder::integers(const std::string &name,
                                   const Shape &values) {
  AttributeProto *attribute = add(name, AttributeProto::INTS);
  for (int64_t value : values)
    attribute->add_ints(value);
  return *this;
}

NodeBuilder &NodeBuilder::number(const std::string &name, float value) {
  add(name, AttributeProto::FLOAT)->set_f(value);
  return *this;
}

NodeBuilder &NodeBuilder::numbers(const std::string &name,
                                  const std::vector<float> &values) {
  AttributeProto *attribute = add(name, AttributeProto::FLOATS);
  for (float value : values)
    attribute->add_floats(value);
  return *this;
}

NodeBuilder &NodeBuilder::text(const std::string &name,
                               const std::string &value) {
  add(name, AttributeProto::STRING)->set_s(value);
  return *this;
}

NodeBuilder &NodeBuilder::texts(const std::string &name,
                                const std::vector<std::string> &values) {
  onnx::AttributeProto *attribute = add(name, AttributeProto::STRINGS);
  for (const std::string &value : values)
    attribute->add_strings(value);
  return *this;
}

NodeBuilder &NodeBuilder::graph(const std::string &name,
                                const onnx::GraphProto &value) {
  *add(name, AttributeProto::GRAPH)->mutable_g() = value;
  return *this;
}

ModelBuilder::ModelBuilder(int64_t opset) {
  proto.set_ir_version(8);
  proto.add_opset_import()->set_version(opset);
  proto.mutable_graph()->set_name("test");
}

ModelBuilder &ModelBuilder::input(const std::string &name, const Shape &shape,
                                  int type) {
  onnx::ValueInfoProto *info = graph().add_input();
  info->set_name(name);
  auto *tensor = info->mutable_type()->mutable_tensor_type();
  tensor->set_elem_type(type);
  tensor->mutable_shape();
  for (int64_t extent : shape)
    tensor->mutable_shape()->add_dim()->set_dim_value(extent);
  return *this;
}

ModelBuilder &ModelBuilder::openInput(const std::string &name,
                                      const Names &dims) {
  input(name, {});
  auto *shape = graph()
                    .mutable_input(graph().input_size() - 1)
                    ->mutable_type()
                    ->mutable_tensor_type()
                    ->mutable_shape();
  for (const std::string &text : dims) {
    auto *dim = shape->add_dim();
    if (!text.empty() && std::isdigit(text.front()))
      dim->set_dim_value(std::stoll(text));
    else if (!text.empty())
      dim->set_dim_param(text);
  }
  return *this;
}

ModelBuilder &ModelBuilder::output(const std::string &name, int type) {
  onnx::ValueInfoProto *info = graph().add_output();
  info->set_name(name);
  if (type != TensorProto::UNDEFINED)
    info->mutable_type()->mutable_tensor_type()->set_elem_type(type);
  return *this;
}

ModelBuilder &ModelBuilder::weight(const std::string &name, const Shape &shape,
                                   std::vector<float> values) {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  for (auto i = static_cast<int64_t>(values.size()); i < count; ++i)
    values.push_back(static_cast<float>(i));
  TensorProto *tensor = graph().add_initializer();
  tensor->set_name(name);
  tensor->set_data_type(TensorProto::FLOAT);
  for (int64_t extent : shape)
    tensor->add_dims(extent);
  tensor->set_raw_data(values.data(), values.size() * sizeof(float));
  return *this;
}

ModelBuilder &ModelBuilder::ints(const std::string &name, const Shape &values) {
  TensorProto *tensor = graph().add_initializer();
  tensor->set_name(name);
  tensor->set_data_type(TensorProto::INT64);
  tensor->add_dims(static_cast<int64_t>(values.size()));
  for (int64_t value : values)
    tensor->add_int64_data(value);
  return *this;
}

ModelBuilder &ModelBuilder::number(const std::string &name, int64_t value) {
  ints(name, {value});
  graph().mutable_initializer(graph().initializer_size() - 1)->clear_dims();
  return *this;
}

NodeBuilder ModelBuilder::node(const std::string &op, const Names &inputs,
                               const Names &outputs) {
  onnx::NodeProto *node = graph().add_node();
  node->set_op_type(op);
  for (const std::string &name : inputs)
    node->add_input(name);
  for (const std::string &name : outputs)
    node->add_output(name);
  return NodeBuilder(node);
}

TemporaryFolder::TemporaryFolder() {
  std::string pattern =
      (std::filesystem::temp_directory_path() / "npu-onnx-XXXXXX").string();
  folder = mkdtemp(pattern.data()) ? pattern : std::string();
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
}

std::string TemporaryFolder::write(const std::string &name,
                                   const std::string &bytes) const {
  std::filesystem::create_directories(
      std::filesystem::path(path(name)).parent_path());
  std::ofstream(path(name), std::ios::binary) << bytes;
  return path(name);
}

ImportResult ImportRunner::run(const ModelBuilder &model) {
  return run(model.proto);
}

ImportResult ImportRunner::run(const onnx::ModelProto &proto) {
  return runFile(folder.write("model.onnx", proto.SerializeAsString()));
}

ImportResult ImportRunner::runFile(const std::string &path) {
  ImportResult result;
  mlir::ScopedDiagnosticHandler handler(
      &context, [&](mlir::Diagnostic &diagnostic) {
        result.errors.push_back(
            describeLocation(diagnostic.getLocation()) + ": " +
            (isUnsupported(diagnostic) ? "unsupported: " : "") +
            diagnostic.str());
        return success();
      });
  auto module = importOnnx(context, path, options);
  result.succeeded = succeeded(module);
  if (result.succeeded) {
    llvm::raw_string_ostream stream(result.text);
    (*module)->print(stream);
  }
  return result;
}
