// SPDX-License-Identifier: Apache-2.0
#include "compiler/Driver/Session.h"

#include "compiler/Layout/Explain/LayoutExplain.h"
#include "compiler/Pipeline/Report.h"
#include "files/shown_text.h"
#include "files/words.h"
#include "plugin/Plugin.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace npu;

static mlir::DialectRegistry ownDialects() {
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  return registry;
}

Session::Session(DriverOptions options, MessageHandler told)
    : given(std::move(options)), handler(std::move(told)),
      context(ownDialects()),
      compilation(context, given.compile, result, files) {
  context.loadAllAvailableDialects();
  context.printOpOnDiagnostic(false); // messages name the model's nodes
  context.getDiagEngine().registerHandler([this](mlir::Diagnostic &one) {
    forward(one, handler);
    return success();
  });
  given.compile.import.onRead = [this](StringRef path) {
    files.reads("the model's data", path.str());
  };
}

bool Session::tell(const std::string &wrong) const {
  if (wrong.empty())
    return true;
  Message message;
  message.text = wrong;
  handler(message);
  return false;
}

bool Session::declareFiles() {
  const CompileOptions &compile = given.compile;
  if (!compile.import.bytes)
    files.reads("the model", compile.model);
  if (!given.pinnedPlanPath.empty())
    files.reads("--layout-plan", given.pinnedPlanPath);
  for (const auto &[name, path] : given.boundFiles)
    files.reads("--bind-input " + name, path);
  files.writes("standard output", files::standardOutput);
  files.writes("-o", compile.output);
  return tell(files.clash());
}

bool Session::start() {
  isStarted = true;
  return tell(bindInputs(context, given));
}

CompileStatus Session::check() {
  BudgetScope budgets(given.budgets);
  return start() ? compilation.check() : CompileStatus::BadInput;
}

CompileStatus Session::run(Stage last) {
  BudgetScope budgets(given.budgets);
  plugin::MessageScope plugins(
      [this](int32_t severity, const std::string &text) {
        Message message;
        message.severity = severity > 0 ? Severity::Warning : Severity::Note;
        message.text = text;
        handler(message);
      });
  if (!isStarted && !start())
    return CompileStatus::BadInput;
  return compilation.run(last);
}

std::string Session::reportText() const {
  return files::shownJson(
      llvm::formatv("{0:2}\n", llvm::json::Value(reportJson(result))));
}

std::string Session::layoutText() const {
  return files::withinColumns(searchText(result) + explainText(result.layout) +
                              onChipText(result));
}

std::string Session::placementText() const {
  return files::withinColumns(
      npu::placementText(result.placement, result.fallback));
}

std::string Session::irText(bool withoutWeights) const {
  std::string text;
  if (!module())
    return text;
  llvm::raw_string_ostream stream(text);
  mlir::OpPrintingFlags flags;
  constexpr int64_t largest = 64; // bytes, written in hexadecimal
  if (withoutWeights)
    flags.elideLargeResourceString(largest).elideLargeElementsAttrs(largest);
  module()->print(stream, flags);
  return text;
}

std::string Session::certificate() const {
  const SearchOutcome &search = *result.search;
  if (search.proved && !search.certificate.empty())
    return files::shownJson(search.certificate);
  std::string why = "--layout-seconds gives the search more time";
  if (search.capped > 0)
    why = files::countText(search.capped, "value or op has",
                           "values or ops have") +
          " more layouts than are looked at";
  else if (search.proved)
    why = "the search has proved them, but not in a way that a certificate "
          "can show";
  tell("--certificate: nothing shows that no layouts are cheaper (cost " +
       std::to_string(search.cost) + ", bound " +
       std::to_string(search.lowerBound) + "); " + why);
  return "";
}
