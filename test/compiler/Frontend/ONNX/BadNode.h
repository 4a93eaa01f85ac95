// SPDX-License-Identifier: Apache-2.0
//
// A row of the tests of nodes that must be refused.
#ifndef NPU_TEST_COMPILER_FRONTEND_ONNX_BADNODE_H
#define NPU_TEST_COMPILER_FRONTEND_ONNX_BADNODE_H

#include "test/compiler/Frontend/ONNX/ModelBuilder.h"

#include <gtest/gtest.h>

namespace npu::test {

struct BadNode {
  const char *name;
  /// Adds a node whose first result is "y"; x is f32 1x4x6x6, v is i64 4, both
  /// known only when the model runs.
  void (*build)(ModelBuilder &model);
  /// What the error says; behind "unsupported: " if nothing is wrong with the
  /// model.
  const char *expected;
  int64_t opset = 17;
};

/// The import ends with one error that names the node.
inline void expectRefused(const BadNode &row) {
  ModelBuilder model(row.opset);
  model.input("x", {1, 4, 6, 6}).input("v", {4}, onnx::TensorProto::INT64);
  model.weight("w", {8, 4, 3, 3}).output("y");
  row.build(model);
  ImportRunner runner;
  ImportResult result = runner.run(model);
  EXPECT_FALSE(result.succeeded);
  ASSERT_EQ(result.errors.size(), 1u) << testing::PrintToString(result.errors);
  EXPECT_HAS(result.errors[0], " 'y': ");
  constexpr llvm::StringLiteral mark = "unsupported: ";
  llvm::StringRef expected = row.expected;
  bool isUnsupported = expected.consume_front(mark);
  EXPECT_HAS(result.errors[0], expected.str());
  EXPECT_EQ(llvm::StringRef(result.errors[0]).contains(mark), isUnsupported)
      << result.errors[0];
}

inline std::string rowName(const testing::TestParamInfo<BadNode> &info) {
  return info.param.name;
}

} // namespace npu::test

#endif // NPU_TEST_COMPILER_FRONTEND_ONNX_BADNODE_H
