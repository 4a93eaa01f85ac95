// SPDX-License-Identifier: Apache-2.0
//
// npuc: the compiler's command line.
#include "compiler/Pipeline/Report.h"
#include "compiler/tools/npuc/Options.h"
#include "runtime/format/atomic_file.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace npu;

/// Prints diagnostics as "npuc: error: <where>: <what>", notes below.
static LogicalResult printDiagnostic(mlir::Diagnostic &diagnostic) {
  static const char *const words[] = {"note", "warning", "error", "remark"};
  auto print = [](mlir::Diagnostic &one) {
    llvm::errs() << "npuc: " << words[static_cast<int>(one.getSeverity())]
                 << ": ";
    std::string place = describeOnnxLocation(one.getLocation());
    if (!place.empty())
      llvm::errs() << place << ": ";
    llvm::errs() << one << "\n";
  };
  print(diagnostic);
  for (mlir::Diagnostic &note : diagnostic.getNotes())
    print(note);
  return success();
}

static bool writeReport(const std::string &path, const CompileReport &report) {
  std::string text;
  llvm::raw_string_ostream(text)
      << llvm::formatv("{0:2}\n", llvm::json::Value(reportJson(report)));
  format::AtomicFile file;
  std::string message = file.open(path);
  if (message.empty())
    message = file.write(text.data(), text.size());
  if (message.empty())
    message = file.commit();
  if (message.empty())
    return true;
  llvm::errs() << "npuc: error: " << message << "\n";
  return false;
}

int main(int argc, char **argv) {
  NpucOptions options;
  if (int code = parseOptions(argc, argv, options); code >= 0)
    return code;
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  MLIRContext context(registry);
  context.loadAllAvailableDialects();
  context.getDiagEngine().registerHandler(printDiagnostic);
  if (!bindInputs(context, options))
    return exitModel;
  bool progress = llvm::errs().is_displayed() && !options.quiet;
  options.compile.onStage = [&](StringRef stage) {
    if (progress)
      llvm::errs() << "\r\033[Knpuc: " << stage << " ...";
  };
  FailureOr<CompileReport> report = compileModel(context, options.compile);
  if (progress)
    llvm::errs() << "\r\033[K";
  if (failed(report))
    return exitModel;
  if (!options.reportPath.empty() && !writeReport(options.reportPath, *report))
    return exitOutput;
  if (!options.quiet)
    printSummary(llvm::errs(), *report);
  if (options.explainLayout)
    llvm::outs() << explainText(report->layout);
  return 0;
}
