// SPDX-License-Identifier: Apache-2.0
//
// npuc: the compiler's command line.
#include "compiler/Frontend/Support/SourceLocation.h"
#include "compiler/Layout/Explain/LayoutExplain.h"
#include "compiler/Pipeline/Report.h"
#include "compiler/tools/npuc/Options.h"
#include "files/last_words.h"
#include "files/shown_text.h"
#include "files/standard_output.h"

#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

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
    std::string text = describePlace(one.getLocation());
    text += text.empty() ? "" : ": ";
    llvm::raw_string_ostream(text) << one;
    printMessage(words[static_cast<int>(one.getSeverity())], text);
  };
  print(diagnostic);
  for (mlir::Diagnostic &note : diagnostic.getNotes())
    print(note);
  return success();
}

/// False after a message.
static bool worked(const std::string &message) {
  if (!message.empty())
    printMessage("error", message);
  return message.empty();
}

static std::string reportText(const CompileReport &report) {
  return npu::files::shownJson(
      llvm::formatv("{0:2}\n", llvm::json::Value(reportJson(report))));
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
                   CompileReport &report, files::OutputFiles &files) {
  bool progress = llvm::errs().is_displayed() && !options.quiet;
  options.compile.onStage = [&](StringRef stage) {
    if (progress)
      llvm::errs() << "\r\033[Knpuc: " << stage << " ...";
  };
  CompileStatus status = compileModel(context, options.compile, report, files);
  if (progress)
    llvm::errs() << "\r\033[K";
  return exitCodeOf(status);
}

/// LLVM knows no exceptions and asks handlers of its own.
static void prepareForLackOfMemory() {
  files::prepareLastWords("npuc", exitMemory);
  llvm::install_bad_alloc_error_handler(
      [](void *, const char *, bool) { files::endWithoutMemory(); });
  llvm::install_fatal_error_handler([](void *, const char *reason, bool) {
    if (files::isMemoryGone())
      files::endWithoutMemory();
    printMessage("error", std::string("LLVM gave up: ") + reason);
  });
}

/// Every file of the call that the command line names; false after a message.
static bool declareFiles(const NpucOptions &options,
                         files::OutputFiles &files) {
  files.reads("the model", options.compile.model);
  if (!options.pinnedPlanPath.empty())
    files.reads("--layout-plan", options.pinnedPlanPath);
  if (!options.compile.tfliteConverter.empty())
    files.reads("--tflite-converter", options.compile.tfliteConverter);
  for (const auto &[name, path] : options.boundFiles)
    files.reads("--bind-input " + name, path);
  files.writes("standard output", files::standardOutput);
  files.writes("-o", options.compile.output);
  if (!options.reportPath.empty())
    files.writes("--report", options.reportPath);
  if (!options.planPath.empty())
    files.writes("--write-layout-plan", options.planPath);
  if (!options.certificatePath.empty())
    files.writes("--certificate", options.certificatePath);
  return worked(files.clash());
}

/// What is written beside the program and printed; then all of it gets its
/// names.
static std::string writeFiles(const NpucOptions &options,
                              const CompileReport &report,
                              files::OutputFiles &files) {
  std::string message;
  if (!options.reportPath.empty())
    message = files.write(options.reportPath, reportText(report));
  if (message.empty() && !options.planPath.empty())
    message = files.write(options.planPath, report.layoutPlan);
  if (message.empty() && !options.certificatePath.empty())
    message = files.write(options.certificatePath,
                          npu::files::shownJson(report.search->certificate));
  if (message.empty() && options.explainLayout)
    message = files.write(files::standardOutput,
                          searchText(report) + explainText(report.layout));
  if (message.empty() && options.explainPlacement)
    message = files.write(files::standardOutput,
                          placementText(report.placement, report.fallback));
  return message.empty() ? files.commit() : message;
}

/// Whether there is a certificate; false after a message.
static bool isCertified(const SearchOutcome &search) {
  if (search.proved && !search.certificate.empty())
    return true;
  std::string why = "--layout-seconds gives the search more time";
  if (search.capped > 0)
    why = std::to_string(search.capped) +
          " values or ops have more layouts than are looked at";
  else if (search.proved)
    why = "the search has proved them, but not in a way that a certificate "
          "can show";
  return worked("--certificate: nothing shows that no layouts are cheaper "
                "(cost " +
                std::to_string(search.cost) + ", bound " +
                std::to_string(search.lowerBound) + "); " + why);
}

static int run(NpucOptions &options) {
  files::OutputFiles files;
  if (!declareFiles(options, files))
    return exitUsage;
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  MLIRContext context(registry);
  context.loadAllAvailableDialects();
  context.printOpOnDiagnostic(false); // messages name the model's nodes
  context.getDiagEngine().registerHandler(printDiagnostic);
  if (!bindInputs(context, options))
    return exitModel;
  for (const std::string &path :
       {options.reportPath, options.planPath, options.certificatePath})
    if (!path.empty() && !worked(outputProblem(path)))
      return exitOutput;
  CompileReport report;
  options.compile.compareStrategies =
      !options.reportPath.empty() || options.explainLayout;
  options.compile.import.onRead = [&](StringRef path) {
    files.reads("the model's data", path.str());
  };
  if (int code = compile(context, options, report, files))
    return code;
  if (!options.certificatePath.empty() && !isCertified(*report.search))
    return exitUnproved;
  if (!worked(writeFiles(options, report, files)))
    return exitOutput;
  if (!options.quiet)
    printSummary(llvm::errs(), report);
  return 0;
}

int main(int argc, char **argv) {
  files::prepareProcess();
  prepareForLackOfMemory();
  NpucOptions options;
  int code = parseOptions(argc, argv, options);
  if (code < 0)
    code = run(options);
  llvm::errs().clear_error(); // or LLVM ends with an abort
  return files::finishOutput("npuc", code, exitOutput);
}
