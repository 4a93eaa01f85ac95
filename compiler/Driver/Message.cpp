// SPDX-License-Identifier: Apache-2.0
#include "compiler/Driver/Message.h"

#include "mlir/IR/Location.h"

#include "llvm/Support/raw_ostream.h"

using namespace npu;

const char *npu::severityName(Severity severity) {
  static const char *const names[] = {"note", "warning", "error", "remark"};
  return names[static_cast<int>(severity)];
}

static Severity severityOf(mlir::DiagnosticSeverity severity) {
  switch (severity) {
  case mlir::DiagnosticSeverity::Note:
    return Severity::Note;
  case mlir::DiagnosticSeverity::Warning:
    return Severity::Warning;
  case mlir::DiagnosticSeverity::Error:
    return Severity::Error;
  case mlir::DiagnosticSeverity::Remark:
    return Severity::Remark;
  }
  llvm_unreachable("no such severity");
}

/// Names stand around the file's name (SourceLocation.h).
static void readNames(mlir::Location location, Message &message) {
  // A fused kernel is named after its first op.
  if (auto fused = dyn_cast<mlir::FusedLoc>(location))
    return fused.getLocations().empty()
               ? void()
               : readNames(fused.getLocations().front(), message);
  auto named = dyn_cast<mlir::NameLoc>(location);
  if (!named)
    return;
  readNames(named.getChildLoc(), message);
  std::string &part = message.file.empty() ? message.file : message.node;
  part += (part.empty() ? "" : ": ") + named.getName().str();
}

static void readPlace(mlir::Location location, Message &message) {
  auto line = location->findInstanceOf<mlir::FileLineColLoc>();
  if (!line)
    return readNames(location, message);
  message.file = line.getFilename().str();
  message.line = line.getLine(); // 0: the whole file
  message.column = line.getLine() ? line.getColumn() : 0;
}

std::string Message::withPlace() const {
  std::string place = file;
  if (line != 0)
    place += ":" + std::to_string(line) + ":" + std::to_string(column);
  if (!node.empty())
    place += ": " + node;
  return place + (place.empty() ? "" : ": ") + text;
}

void npu::forward(mlir::Diagnostic &diagnostic, const MessageHandler &handler) {
  Message message;
  message.severity = severityOf(diagnostic.getSeverity());
  readPlace(diagnostic.getLocation(), message);
  llvm::raw_string_ostream(message.text) << diagnostic;
  handler(message);
  for (mlir::Diagnostic &note : diagnostic.getNotes())
    forward(note, handler);
}
