// SPDX-License-Identifier: Apache-2.0
//
// One compilation with all that belongs to it: its context, options, files,
// report. Several of them may run side by side, each in a thread.
#ifndef NPU_COMPILER_DRIVER_SESSION_H
#define NPU_COMPILER_DRIVER_SESSION_H

#include "compiler/Driver/Message.h"
#include "compiler/Driver/Options.h"

#include "mlir/IR/MLIRContext.h"

namespace npu {

class Session {
public:
  /// `handler` gets every message, in the thread that compiles.
  Session(DriverOptions options, MessageHandler handler);

  /// Declares the options' files in `files`; false after a message about one
  /// that is written and read.
  bool declareFiles();
  /// As StagedCompilation::check().
  CompileStatus check();
  /// As StagedCompilation::run(). The caller commits `files`.
  CompileStatus run(Stage last);

  mlir::ModuleOp module() const { return compilation.module(); }
  const DriverOptions &options() const { return given; }
  const CompileReport &report() const { return result; }

  /// docs/report.schema.json
  std::string reportText() const;
  /// What --explain-layout and --explain-placement print.
  std::string layoutText() const;
  std::string placementText() const;
  /// The IR after the last stage that ran; empty before. Without weights that
  /// are large, if they are left out.
  std::string irText(bool withoutWeights) const;
  /// Empty after a message, if nothing proves the layouts.
  std::string certificate() const;

  files::OutputFiles files;

private:
  bool start();
  bool tell(const std::string &wrong) const; // true if nothing is

  DriverOptions given;
  MessageHandler handler;
  mlir::MLIRContext context;
  CompileReport result;
  StagedCompilation compilation;
  bool isStarted = false;
};

} // namespace npu

#endif // NPU_COMPILER_DRIVER_SESSION_H
