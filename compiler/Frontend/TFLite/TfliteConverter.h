// SPDX-License-Identifier: Apache-2.0
//
// From a TFLite file to a TOSA file, by Arm's program tosa-converter-for-tflite
// (a Python package).
#ifndef NPU_COMPILER_FRONTEND_TFLITE_TFLITECONVERTER_H
#define NPU_COMPILER_FRONTEND_TFLITE_TFLITECONVERTER_H

#include "compiler/Support/LLVM.h"
#include "files/temporaries.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringSet.h"

#include <optional>
#include <string>

namespace npu {

/// What the converter wrote; removed in the end.
struct ConvertedModel {
  files::TemporaryName folder;
  std::string file;    // in it
  std::string program; // that wrote it
  /// Results that LiteRT's kernels round once, though the converter asks for
  /// two roundings, which its convolutions do have. No other operator's result
  /// has such a name.
  llvm::StringSet<> roundedOnce;
};

/// Writes TOSA bytecode to `converted`. `converter` names the program; if it is
/// empty, the one that was there when npuc was built, or the one in PATH.
/// Errors at the file: no such program, or what it complains about.
/// With `bytes`, these are the model, which is in no file.
LogicalResult convertTflite(MLIRContext &context, StringRef model,
                            std::optional<StringRef> bytes, StringRef converter,
                            ConvertedModel &converted);

/// The module that the converter wrote; what it could not convert is in it as
/// it was.
mlir::OwningOpRef<mlir::ModuleOp>
readConverted(MLIRContext &context, StringRef model,
              const ConvertedModel &converted);

/// Makes the rescalings of these results round once, halves upwards.
void roundOnce(mlir::ModuleOp module, const llvm::StringSet<> &names);

} // namespace npu

#endif // NPU_COMPILER_FRONTEND_TFLITE_TFLITECONVERTER_H
