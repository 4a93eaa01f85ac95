// SPDX-License-Identifier: Apache-2.0
//
// npuc: the compiler's command line.
#include "compiler/Driver/Session.h"
#include "compiler/Pipeline/Report.h"
#include "compiler/tools/npuc/CommandLine.h"
#include "files/last_words.h"
#include "files/standard_output.h"

#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/raw_ostream.h"

using namespace npu;

/// False after a message.
static bool worked(const std::string &message) {
  if (!message.empty())
    printMessage("error", message);
  return message.empty();
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

/// Every file that the command line names; false after a message.
static bool declareFiles(const NpucOptions &options, Session &session) {
  if (!session.declareFiles())
    return false;
  files::OutputFiles &files = session.files;
  if (!options.reportPath.empty())
    files.writes("--report", options.reportPath);
  if (!options.planPath.empty())
    files.writes("--write-layout-plan", options.planPath);
  if (!options.costsPath.empty())
    files.writes("--write-costs", options.costsPath);
  if (!options.certificatePath.empty())
    files.writes("--certificate", options.certificatePath);
  return worked(files.clash());
}

/// What is written beside the program and printed; then all of it gets its
/// names.
static std::string writeFiles(const NpucOptions &options, Session &session,
                              const std::string &certificate) {
  files::OutputFiles &files = session.files;
  std::string message;
  if (!options.reportPath.empty())
    message = files.write(options.reportPath, session.reportText());
  if (message.empty() && !options.planPath.empty())
    message = files.write(options.planPath, session.report().layoutPlan);
  if (message.empty() && !options.costsPath.empty())
    message = files.write(options.costsPath, session.report().costTable);
  if (message.empty() && !options.certificatePath.empty())
    message = files.write(options.certificatePath, certificate);
  if (message.empty() && options.driver.wantsExplanation)
    message = files.write(files::standardOutput, session.layoutText());
  if (message.empty() && options.explainPlacement)
    message = files.write(files::standardOutput, session.placementText());
  return message.empty() ? files.commit() : message;
}

/// Shows each stage on a terminal; the last is wiped off in the end.
static void addProgress(NpucOptions &options) {
  if (!llvm::errs().is_displayed() || options.quiet)
    return;
  options.driver.compile.onStage = [](StringRef stage) {
    llvm::errs() << "\r\033[Knpuc: " << stage << " ...";
  };
}

static void endProgress(const NpucOptions &options) {
  if (options.driver.compile.onStage)
    llvm::errs() << "\r\033[K";
}

static int run(NpucOptions &options) {
  addProgress(options);
  BudgetScope budgets(options.driver.budgets); // of names in messages
  Session session(options.driver, [](const Message &message) {
    printMessage(severityName(message.severity), message.withPlace());
  });
  if (!declareFiles(options, session))
    return exitUsage;
  for (const std::string &path : {options.reportPath, options.planPath,
                                  options.costsPath, options.certificatePath})
    if (!path.empty() && !worked(outputProblem(path)))
      return exitOutput;
  CompileStatus status = session.run(Stage::Program);
  endProgress(options);
  if (status != CompileStatus::Ok)
    return exitCodeOf(status);
  std::string certificate;
  if (!options.certificatePath.empty()) {
    certificate = session.certificate();
    if (certificate.empty())
      return exitUnproved;
  }
  if (!worked(writeFiles(options, session, certificate)))
    return exitOutput;
  if (!options.quiet)
    printSummary(llvm::errs(), session.report());
  return 0;
}

int main(int argc, char **argv) {
  files::prepareProcess();
  prepareForLackOfMemory();
  NpucOptions options;
  int code = parseCommandLine(argc, argv, options);
  if (code < 0)
    code = run(options);
  llvm::errs().clear_error(); // or LLVM ends with an abort
  return files::finishOutput("npuc", code, exitOutput);
}
