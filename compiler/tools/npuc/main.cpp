// SPDX-License-Identifier: Apache-2.0
//
// npuc: the compiler's command line.
#include "compiler/Frontend/Support/SourceLocation.h"
#include "compiler/Layout/LayoutExplain.h"
#include "compiler/Pipeline/Report.h"
#include "compiler/tools/npuc/Options.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <csignal>

using namespace npu;

/// "model.onnx: Conv 'name'" or "model.mlir:12:8"; empty if nothing is known.
static std::string describePlace(mlir::Location location) {
  auto line = location->findInstanceOf<mlir::FileLineColLoc>();
  if (!line)
    return describeLocation(location);
  if (line.getLine() == 0) // the whole file
    return line.getFilename().str();
  return llvm::formatv("{0}:{1}:{2}", line.getFilename().getValue(),
                       line.getLine(), line.getColumn());
}

/// Prints diagnostics as "npuc: error: <where>: <what>", notes below.
static LogicalResult printDiagnostic(mlir::Diagnostic &diagnostic) {
  static const char *const words[] = {"note", "warning", "error", "remark"};
  auto print = [](mlir::Diagnostic &one) {
    llvm::errs() << "npuc: " << words[static_cast<int>(one.getSeverity())]
                 << ": ";
    std::string place = describePlace(one.getLocation());
    if (!place.empty())
      llvm::errs() << place << ": ";
    llvm::errs() << one << "\n";
  };
  print(diagnostic);
  for (mlir::Diagnostic &note : diagnostic.getNotes())
    print(note);
  return success();
}

/// False after a message.
static bool worked(const std::string &message) {
  if (!message.empty())
    llvm::errs() << "npuc: error: " << message << "\n";
  return message.empty();
}

static std::string reportText(const CompileReport &report) {
  return llvm::formatv("{0:2}\n", llvm::json::Value(reportJson(report)));
}

static int exitCodeOf(CompileStatus status) {
  switch (status) {
  case CompileStatus::Ok:
    return 0;
  case CompileStatus::BadModel:
    return exitModel;
  case CompileStatus::Unsupported:
    return exitUnsupported;
  case CompileStatus::BadOptions:
    return exitUsage;
  case CompileStatus::CannotWrite:
    return exitOutput;
  case CompileStatus::OverBudget:
    return exitBudget;
  }
  llvm_unreachable("no such status");
}

/// Compiles with progress on a terminal; the exit code.
static int compile(MLIRContext &context, NpucOptions &options,
                   CompileReport &report) {
  bool progress = llvm::errs().is_displayed() && !options.quiet;
  options.compile.onStage = [&](StringRef stage) {
    if (progress)
      llvm::errs() << "\r\033[Knpuc: " << stage << " ...";
  };
  CompileStatus status = compileModel(context, options.compile, report);
  if (progress)
    llvm::errs() << "\r\033[K";
  return exitCodeOf(status);
}

int main(int argc, char **argv) {
  // A file that grows past its limit is then an error like a full disk.
  std::signal(SIGXFSZ, SIG_IGN);
  NpucOptions options;
  if (int code = parseOptions(argc, argv, options); code >= 0)
    return code;
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  MLIRContext context(registry);
  context.loadAllAvailableDialects();
  context.printOpOnDiagnostic(false); // messages name the model's nodes
  context.getDiagEngine().registerHandler(printDiagnostic);
  if (!bindInputs(context, options))
    return exitModel;
  for (const std::string &path : {options.reportPath, options.planPath})
    if (!path.empty() && !worked(outputProblem(path)))
      return exitOutput;
  CompileReport report;
  options.compile.compareStrategies =
      !options.reportPath.empty() || options.explainLayout;
  if (int code = compile(context, options, report))
    return code;
  if (!options.reportPath.empty() &&
      !worked(writeTextFile(options.reportPath, reportText(report))))
    return exitOutput;
  if (!options.planPath.empty() &&
      !worked(writeTextFile(options.planPath, report.layoutPlan)))
    return exitOutput;
  if (!options.quiet)
    printSummary(llvm::errs(), report);
  if (options.explainLayout)
    llvm::outs() << searchText(report) << explainText(report.layout);
  return 0;
}
