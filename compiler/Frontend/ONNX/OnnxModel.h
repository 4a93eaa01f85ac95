// SPDX-License-Identifier: Apache-2.0
//
// Reading the file, and its parts that are not nodes: names and tensors.
#ifndef NPU_COMPILER_FRONTEND_ONNX_ONNXMODEL_H
#define NPU_COMPILER_FRONTEND_ONNX_ONNXMODEL_H

#include "compiler/Support/LLVM.h"

#include "compiler/Frontend/ONNX/onnx.pb.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace npu {

/// The newest opset of the domain ai.onnx that the op table knows.
constexpr int64_t newestOnnxOpset = 28;

struct OnnxModel {
  std::unique_ptr<onnx::ModelProto> proto;
  /// Version of the domain ai.onnx.
  int64_t opset = 0;
  /// Where external data lies.
  std::string folder;
  /// The file, for errors that belong to no node.
  Location location;
  /// ImportOptions::onRead
  std::function<void(StringRef path)> onRead = {};
};

/// Reads and checks the file as a whole: format, versions, a graph in it. With
/// `bytes`, which are the model then, `path` says where external data lies.
FailureOr<OnnxModel>
loadOnnxModel(MLIRContext &context, StringRef path,
              std::optional<StringRef> bytes = std::nullopt);

/// "Conv 'name'" in the file; an unnamed node is known by its first output.
Location locationOf(const OnnxModel &model, const onnx::NodeProto &node);

/// "float16" for a TensorProto.DataType.
std::string onnxTypeText(int onnxType);
/// The TensorProto.DataType of a type of the dialect.
int onnxTypeOf(Type element);

/// The dialect's type for an element type of ONNX, or an error at `location`
/// that says what (`what`) has it.
FailureOr<Type> elementTypeOf(Location location, int onnxType,
                              const Twine &what);

/// The elements of a tensor. Raw data is taken out of the proto, not copied.
FailureOr<ElementsAttr> takeElements(const OnnxModel &model, Location location,
                                     onnx::TensorProto &tensor);

} // namespace npu

#endif // NPU_COMPILER_FRONTEND_ONNX_ONNXMODEL_H
