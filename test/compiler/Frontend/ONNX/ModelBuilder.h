// SPDX-License-Identifier: Apache-2.0
//
// Small ONNX models written in C++, and what importing one gives.
#ifndef NPU_TEST_COMPILER_FRONTEND_ONNX_MODELBUILDER_H
#define NPU_TEST_COMPILER_FRONTEND_ONNX_MODELBUILDER_H

#include "compiler/Frontend/ONNX/OnnxImporter.h"

#include "compiler/Frontend/ONNX/onnx.pb.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <vector>

/// Whether a text holds a part.
#define EXPECT_HAS(text, part)                                                 \
  EXPECT_PRED_FORMAT2(testing::IsSubstring, std::string(part), text)
#define EXPECT_LACKS(text, part)                                               \
  EXPECT_PRED_FORMAT2(testing::IsNotSubstring, std::string(part), text)

namespace npu::test {

using Shape = std::vector<int64_t>;
using Names = std::vector<std::string>;

/// Attributes of one node, chained.
class NodeBuilder {
public:
  explicit NodeBuilder(onnx::NodeProto *node) : node(node) {}
  NodeBuilder &integer(const std::string &name, int64_t value);
  NodeBuilder &integers(const std::string &name, const Shape &values);
  NodeBuilder &number(const std::string &name, float value);
  NodeBuilder &numbers(const std::string &name,
                       const std::vector<float> &values);
  NodeBuilder &text(const std::string &name, const std::string &value);
  NodeBuilder &texts(const std::string &name,
                     const std::vector<std::string> &values);
  NodeBuilder &graph(const std::string &name, const onnx::GraphProto &value);
  onnx::NodeProto *operator->() { return node; }

private:
  onnx::AttributeProto *add(const std::string &name,
                            onnx::AttributeProto::AttributeType type);
  onnx::NodeProto *node;
};

class ModelBuilder {
public:
  explicit ModelBuilder(int64_t opset = 17);

  ModelBuilder &input(const std::string &name, const Shape &shape,
                      int type = onnx::TensorProto::FLOAT);
  /// An input with symbols or gaps: "N" is a symbol, "3" a size, "" unknown.
  ModelBuilder &openInput(const std::string &name, const Names &dims);
  ModelBuilder &output(const std::string &name,
                       int type = onnx::TensorProto::UNDEFINED);
  /// A float initializer, 0, 1, 2, ... unless values are given.
  ModelBuilder &weight(const std::string &name, const Shape &shape,
                       std::vector<float> values = {});
  ModelBuilder &ints(const std::string &name, const Shape &values);
  /// An int64 initializer of rank 0.
  ModelBuilder &number(const std::string &name, int64_t value);
  NodeBuilder node(const std::string &op, const Names &inputs,
                   const Names &outputs);

  onnx::GraphProto &graph() { return *proto.mutable_graph(); }
  onnx::ModelProto proto;
};

/// A folder of its own for each test, removed at the end.
class TemporaryFolder {
public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;
  std::string path(const std::string &name) const {
    return folder + "/" + name;
  }
  std::string write(const std::string &name, const std::string &bytes) const;

private:
  std::string folder;
};

/// The module as text, or every diagnostic as "file: node: message", with
/// "unsupported: " before the message if nothing is wrong with the model.
struct ImportResult {
  bool succeeded = false;
  std::string text;
  std::vector<std::string> errors;
};

class ImportRunner {
public:
  ImportOptions options;
  MLIRContext context;
  TemporaryFolder folder;

  ImportResult run(const ModelBuilder &model);
  ImportResult run(const onnx::ModelProto &proto);
  ImportResult runFile(const std::string &path);
};

} // namespace npu::test

#endif // NPU_TEST_COMPILER_FRONTEND_ONNX_MODELBUILDER_H
