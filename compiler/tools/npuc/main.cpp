// SPDX-License-Identifier: Apache-2.0
//
// npuc: the compiler's command line.
#include "compiler/Driver/Session.h"
#include "compiler/Pipeline/Report.h"
#include "compiler/tools/npuc/CommandLine.h"
#include "compiler/tools/npuc/MlirOptions.h"
#include "files/crash_report.h"
#include "files/installation.h"
#include "files/last_words.h"
#include "files/progress_line.h"
#include "files/standard_output.h"
#include "files/tool_main.h"
#include "kernels/kernel.h"
#include "plugin/Plugin.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <cstring>
#include <unistd.h>

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
    return files::exitModel;
  case CompileStatus::Unsupported:
    return files::exitUnsupported;
  case CompileStatus::BadOptions:
    return files::exitUsage;
  case CompileStatus::BadInput:
    return files::exitInput;
  case CompileStatus::CannotWrite:
    return files::exitOutput;
  case CompileStatus::OverBudget:
    return files::exitBudget;
  }
  llvm_unreachable("no such status");
}

/// LLVM knows no exceptions and asks handlers of its own.
static void prepareForLackOfMemory() {
  files::prepareLastWords("npuc");
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
  if (!options.reducedPath.empty())
    files.writes("--reduce", options.reducedPath);
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

/// After which stage the module is that a step begins with; npuc's names of
/// steps are those of the report.
static std::optional<Stage> stageBefore(StringRef step) {
  return llvm::StringSwitch<std::optional<Stage>>(step)
      .Case("import", std::nullopt)
      .Case("fuse", Stage::Imported)
      .Cases({"layout", "compare", "explain"}, Stage::Fused)
      .Case("plan", Stage::Layout)
      .Default(Stage::Planned);
}

/// What a crash in this step is to leave: the module before it, from another
/// npuc, so that a run that does not crash pays nothing for it.
static void prepareForCrash(const NpucOptions &options, StringRef step) {
  files::setCrashStage(step);
  std::vector<std::string> words;
  if (std::optional<Stage> before = stageBefore(step)) {
    words = options.words;
    words.insert(words.begin(), "npuc");
    StringRef name = stageNames()[static_cast<int>(*before)];
    for (const std::string &word :
         {std::string("--emit=mlir"), ("--stage=" + name).str(),
          std::string("--output=-"), std::string("--quiet")})
      words.push_back(word);
  }
  files::setCrashCommand(std::move(words));
}

/// Shows each stage on a terminal; the last is wiped off in the end. What MLIR
/// prints itself would stand behind it.
static void watchStages(NpucOptions &options, bool showsProgress) {
  options.driver.compile.onStage = [&options, showsProgress](StringRef stage) {
    prepareForCrash(options, stage);
    if (showsProgress)
      files::showProgress(("npuc: " + stage + " ...").str());
  };
}

static void endStages() {
  files::setCrashStage("end");
  files::clearProgress();
}

/// npu-reduce, beside npuc, gets the same words and calls npuc with those that
/// are not its own. It takes this process over, so that a signal ends it too.
static int runReducer(std::vector<std::string> given) {
  std::string path = files::ownFolder() + "/npu-reduce";
  std::vector<char *> words = {path.data()};
  for (std::string &word : given)
    words.push_back(word.data());
  words.push_back(nullptr);
  llvm::errs().flush();
  execv(words[0], words.data());
  printMessage("error", "cannot run '" + path + "': " + std::strerror(errno) +
                            "; it lies beside npuc in a build folder");
  return files::exitUsage;
}

static int run(NpucOptions &options, MlirOptions &mlirOptions) {
  watchStages(options, !options.quiet && !mlirOptions.isGiven());
  mlirOptions.prepare(options.driver.compile);
  BudgetScope budgets(options.driver.budgets); // of names in messages
  Session session(options.driver, [](const Message &message) {
    printMessage(severityName(message.severity), message.withPlace());
  });
  if (!declareFiles(options, session))
    return files::exitUsage;
  // What is wrong with the command line is no failure of the model.
  if (!options.reducedPath.empty()) {
    CompileStatus checked = session.check();
    return checked == CompileStatus::Ok ? runReducer(options.reduceWords)
                                        : exitCodeOf(checked);
  }
  CompileStatus status = session.run(Stage::Program);
  endStages();
  if (status != CompileStatus::Ok)
    return exitCodeOf(status);
  std::string certificate;
  if (!options.certificatePath.empty()) {
    certificate = session.certificate();
    if (certificate.empty())
      return files::exitUnproved;
  }
  if (!worked(writeFiles(options, session, certificate)))
    return files::exitOutput;
  const CompileOptions &compile = options.driver.compile;
  const bool isEarly =
      compile.emit == EmitKind::Mlir && compile.emitAfter < Stage::Layout;
  if (!options.quiet && !isEarly)
    printSummary(llvm::errs(), session.report());
  return 0;
}

int toolMain(int argc, char **argv) {
  files::prepareProcess();
  prepareForLackOfMemory();
  files::setCulprit(plugin::running);
  files::prepareCrashReport("npuc " NPU_VERSION ", LLVM " LLVM_VERSION_STRING
                            ", " +
                                kernels::libraryVersion(),
                            argc, argv);
  NpucOptions options;
  std::optional<MlirOptions> mlirOptions(std::in_place);
  int code = mlirOptions->take(argc, argv);
  if (code < 0)
    code = parseCommandLine(argc, argv, options);
  if (code < 0)
    code = run(options, *mlirOptions);
  mlirOptions.reset();        // prints what was timed
  llvm::errs().clear_error(); // or LLVM ends with an abort
  return files::finishOutput("npuc", code);
}
