// SPDX-License-Identifier: Apache-2.0
//
// compile-bench: how long the layout stage takes on chains of any length under
// each strategy, with and without what a report asks for, how long each stage
// of a compilation does, a whole one, and the search on graphs of many shapes.
#include "bench/compile/Chain.h"
#include "bench/search/Families.h"
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

/// A folder with a chain as a model in it, and what compiles that.
class ChainFile {
public:
  ChainFile(const char *suffix, const std::string &content) {
    if (llvm::sys::fs::createUniqueDirectory("compile-bench", folder))
      stop("no folder for temporary files");
    options.model = (folder + "/chain" + suffix).str();
    options.output = (folder + "/chain.npu").str();
    options.target = targetName;
    std::error_code error;
    llvm::raw_fd_ostream file(options.model, error);
    file << content;
  }
  ~ChainFile() { llvm::sys::fs::remove_directories(folder); }
  ChainFile(const ChainFile &) = delete;
  ChainFile &operator=(const ChainFile &) = delete;

  CompileOptions options;

private:
  llvm::SmallString<128> folder;
};

/// From the file to the .npu file.
static void wholeCompilation(benchmark::State &state,
                             std::string (*chain)(int)) {
  ChainFile file(".mlir", chain(static_cast<int>(state.range(0))));
  for (auto _ : state) {
    MLIRContext context(registry());
    context.loadAllAvailableDialects();
    CompileReport report;
    files::OutputFiles files;
    if (compileModel(context, file.options, report, files) !=
            CompileStatus::Ok ||
        !files.commit().empty())
      stop("a chain does not compile");
  }
  state.SetComplexityN(state.range(0));
}

/// One stage of the compilation of an ONNX model, those before it not counted.
static void oneStage(benchmark::State &state, Stage stage) {
  ChainFile file(".onnx", bench::onnxChain(static_cast<int>(state.range(0))));
  for (auto _ : state) {
    state.PauseTiming();
    MLIRContext context(registry());
    context.loadAllAvailableDialects();
    CompileReport report;
    files::OutputFiles files;
    StagedCompilation compilation(context, file.options, report, files);
    if (stage != Stage::Imported &&
        compilation.run(static_cast<Stage>(static_cast<int>(stage) - 1)) !=
            CompileStatus::Ok)
      stop("a chain does not compile");
    state.ResumeTiming();
    if (compilation.run(stage) != CompileStatus::Ok)
      stop("a chain does not compile");
  }
  state.SetComplexityN(state.range(0));
}

/// The exact search alone, costs by bytes.
static void exactSearch(benchmark::State &state,
                        const search::bench::Family *family) {
  const search::Problem problem =
      family->make(static_cast<int>(state.range(0)),
                   search::bench::Costs::Bytes, /*seed=*/0);
  bool isProved = true;
  for (auto _ : state)
    isProved &= search::solve(problem, search::Options()).proved;
  state.SetLabel(isProved ? "proved" : "not proved");
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
  for (auto [number, name] : llvm::enumerate(stageNames()))
    add(("stage/" + name).str(), oneStage, static_cast<Stage>(number));
  for (const search::bench::Family &family : search::bench::families())
    benchmark::RegisterBenchmark((std::string("search/") + family.name).c_str(),
                                 exactSearch, &family)
        ->RangeMultiplier(10)
        ->Range(1000, 10000)
        ->Unit(benchmark::kMillisecond);
  add("compile/residual", wholeCompilation, bench::residualChain);
  add("compile/eltwise", wholeCompilation, bench::eltwiseChain);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv))
    return 2;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
