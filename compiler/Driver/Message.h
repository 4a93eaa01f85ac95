// SPDX-License-Identifier: Apache-2.0
//
// What a compilation tells its user, in parts.
#ifndef NPU_COMPILER_DRIVER_MESSAGE_H
#define NPU_COMPILER_DRIVER_MESSAGE_H

#include "compiler/Support/LLVM.h"

#include "mlir/IR/Diagnostics.h"

#include <functional>
#include <string>

namespace npu {

enum class Severity { Note, Warning, Error, Remark };
/// "note", "warning", ...
const char *severityName(Severity severity);

struct Message {
  Severity severity = Severity::Error;
  std::string file;              // empty: it is about none
  std::string node;              // "Conv 'name'"; empty: the whole file
  unsigned line = 0, column = 0; // from 1; 0: not known
  std::string text;

  /// "model.onnx: Conv 'name': what", "model.mlir:12:8: what", "what".
  std::string withPlace() const;
};

using MessageHandler = std::function<void(const Message &message)>;

/// Calls the handler with the diagnostic, then with its notes.
void forward(mlir::Diagnostic &diagnostic, const MessageHandler &handler);

} // namespace npu

#endif // NPU_COMPILER_DRIVER_MESSAGE_H
