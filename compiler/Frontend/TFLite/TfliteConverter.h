// SPDX-License-Identifier: Apache-2.0
//
// From a TFLite file to a TOSA file, by Arm's program tosa-converter-for-tflite
// (a Python package).
#ifndef NPU_COMPILER_FRONTEND_TFLITE_TFLITECONVERTER_H
#define NPU_COMPILER_FRONTEND_TFLITE_TFLITECONVERTER_H

#include "compiler/Support/LLVM.h"

#include <string>

namespace npu {

/// A file that is removed in the end.
struct TemporaryFile {
  TemporaryFile() = default;
  TemporaryFile(const TemporaryFile &) = delete;
  TemporaryFile &operator=(const TemporaryFile &) = delete;
  ~TemporaryFile();

  std::string path; // empty: none was made
};

/// Writes TOSA bytecode to `converted`. `converter` names the program; if it is
/// empty, the one that was there when npuc was built, or the one in PATH.
/// Errors at the file: no such program, or what it complains about.
LogicalResult convertTflite(MLIRContext &context, StringRef model,
                            StringRef converter, TemporaryFile &converted);

} // namespace npu

#endif // NPU_COMPILER_FRONTEND_TFLITE_TFLITECONVERTER_H
