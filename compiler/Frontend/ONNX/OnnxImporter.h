// SPDX-License-Identifier: Apache-2.0
//
// From an ONNX file to func.func @main in the npu dialect.
#ifndef NPU_COMPILER_FRONTEND_ONNX_ONNXIMPORTER_H
#define NPU_COMPILER_FRONTEND_ONNX_ONNXIMPORTER_H

#include "compiler/Support/LLVM.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace npu {

/// What the user says about the model's inputs, by name.
struct OnnxImportOptions {
  /// --input-shape=NAME=1,3,224,224
  std::map<std::string, std::vector<int64_t>> inputShapes;
  /// --batch=N: the first dimension of every input where the model leaves it
  /// open.
  std::optional<int64_t> batch;
  /// --bind-input=NAME=FILE.npy: the input becomes a constant.
  std::map<std::string, ElementsAttr> boundInputs;
  /// --taps: every value that a node of the main graph names becomes an output
  /// of that name, behind the model's own. Not those that are known at compile
  /// time, and of several names of one value the first.
  bool taps = false;
};

/// The model as a module with one function, @main. Arguments and results carry
/// the model's names as attribute `npu.name`; each op's location is a NameLoc
/// "Conv 'name'" around a NameLoc of the file. Constant subgraphs are computed,
/// nodes that no output needs are left out. Failure leaves one error at the
/// node, or at the file.
FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
importOnnx(MLIRContext &context, StringRef path,
           const OnnxImportOptions &options);

/// A location of this front end as text: "model.onnx: Conv 'name'"; empty for
/// one that names nothing.
std::string describeOnnxLocation(Location location);

/// The table of supported operators in Markdown.
std::string supportedOnnxOpsMarkdown();

} // namespace npu

#endif // NPU_COMPILER_FRONTEND_ONNX_ONNXIMPORTER_H
