// SPDX-License-Identifier: Apache-2.0
//
// compile-bench: how long the layout stage takes on chains of any length under
// each strategy, with and without what a report asks for, and how long a whole
// compilation does.
#include "bench/compile/Chain.h"
#include "compiler/Layout/Explain/RelayoutReport.h"
#include "compiler/Layout/Strategies/Strategies.h"
#include "compiler/Pipeline/Compiler.h"

#include "mlir/Parser/Parser.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include <benchmark/benchmark.h>

using namespace npu;

static constexpr const char *targetName = "npu-nhwc";
/// `none` leaves what the target demands unmet: it has no plan here.
static constexpr const char *without = "none";

static mlir::DialectRegistry registry() {
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  return registry;
}

static void stop(const std::string &reason) {
  llvm::errs() << "compile-bench: " << reason << '\n';
  std::exit(1);
}

static TargetSpec target() {
  std::string error;
  std::optional<TargetSpec> spec = loadTarget(targetName, error);
  if (!spec)
    stop(error);
  return *spec;
}

/// The stage as npuc calls it; `reports`: with --report.
static void layoutStage(benchmark::State &state, const char *strategy,
                        bool reports) {
  MLIRContext context(registry());
  context.loadAllAvailableDialects();
  auto source = mlir::parseSourceString<mlir::ModuleOp>(
      bench::residualChain(static_cast<int>(state.range(0))), &context);
  TargetSpec spec = target();
  LayoutOptions options;
  options.strategy = strategy;
  for (auto _ : state) {
    state.PauseTiming();
    mlir::OwningOpRef<mlir::ModuleOp> module = source->clone();
    auto function = *module->getBody()->getOps<mlir::func::FuncOp>().begin();
    state.ResumeTiming();
    mlir::OwningOpRef<mlir::func::FuncOp> before;
    if (reports)
      before = function.clone();
    if (failed(runLayoutStage(function, spec, options)))
      stop(std::string("the stage fails with ") + strategy);
    if (reports) {
      StrategyResult decided;
      decided.name = strategy;
      decided.cost = reportLayouts(function, spec).cost;
      if (failed(compareStrategies(*before, spec, options, &decided)))
        stop("strategies cannot be compared");
    }
    state.PauseTiming();
    module = {};
    state.ResumeTiming();
  }
  state.SetComplexityN(state.range(0));
}

/// From the file to the .npu file.
static void wholeCompilation(benchmark::State &state,
                             std::string (*chain)(int)) {
  llvm::SmallString<128> folder;
  if (llvm::sys::fs::createUniqueDirectory("compile-bench", folder))
    stop("no folder for temporary files");
  CompileOptions options;
  options.model = (folder + "/chain.mlir").str();
  options.output = (folder + "/chain.npu").str();
  options.target = targetName;
  {
    std::error_code error;
    llvm::raw_fd_ostream file(options.model, error);
    file << chain(static_cast<int>(state.range(0)));
  }
  for (auto _ : state) {
    MLIRContext context(registry());
    context.loadAllAvailableDialects();
    CompileReport report;
    files::OutputFiles files;
    if (compileModel(context, options, report, files) != CompileStatus::Ok ||
        !files.commit().empty())
      stop("a chain does not compile");
  }
  llvm::sys::fs::remove_directories(folder);
  state.SetComplexityN(state.range(0));
}

template <typename... Arguments>
static void add(const std::string &name, Arguments... arguments) {
  benchmark::RegisterBenchmark(name.c_str(), arguments...)
      ->RangeMultiplier(10)
      ->Range(1000, 100000)
      ->Unit(benchmark::kMillisecond)
      ->Complexity();
}

int main(int argc, char **argv) {
  for (const Strategy &strategy : strategies()) {
    const char *name = strategy.name.data();
    if (strategy.name == without)
      continue;
    add(std::string("layout/") + name, layoutStage, name, false);
    add(std::string("layout+report/") + name, layoutStage, name, true);
  }
  add("compile/residual", wholeCompilation, bench::residualChain);
  add("compile/eltwise", wholeCompilation, bench::eltwiseChain);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv))
    return 2;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
