// SPDX-License-Identifier: Apache-2.0
//
// layout-fuzz: random problems for the layout stage. What fails is made smaller
// and written down with the command that shows it again.
#include "compiler/Dialect/NPU/NPUDialect.h"
#include "test/compiler/Layout/FuzzRunner.h"
#include "test/compiler/Layout/ProgramNumbers.h"
#include "test/compiler/Layout/ShrinkLayoutCase.h"

#include "mlir/Parser/Parser.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

#include <CLI/CLI.hpp>
#include <iostream>
#include <thread>
#include <unistd.h>

using namespace npu;
using test::Coverage;
using test::Finding;
using test::LayoutCase;

namespace {

struct Options {
  test::FuzzOptions fuzz;
  std::string replay, target = "npu-nhwc", io = "fixed";
  std::string folder = "layout-fuzz-findings";
  double shrinkSeconds = 30; // for all findings together
  int runOneIn = 50;         // 0: none
  bool permuted = false, tiled = false;
  bool cheaperFails = false, thorough = false;
  bool runs = false;
};

/// A context keeps every attribute that it has seen; so it is renewed.
class Contexts {
public:
  MLIRContext &get() {
    if (!context || uses++ % 64 == 0) {
      context = std::make_unique<MLIRContext>(MLIRContext::Threading::DISABLED);
      context->loadDialect<NPUDialect, mlir::func::FuncDialect>();
    }
    return *context;
  }

private:
  std::unique_ptr<MLIRContext> context;
  unsigned uses = 0;
};

Finding bad(const std::string &what) { return {"bad-options", what}; }

} // namespace

/// The case of a seed; some are of the kind that is also compiled and run.
static LayoutCase makeCase(MLIRContext &context, const Options &options,
                           uint64_t seed, bool &runs) {
  runs = options.runOneIn > 0 &&
         seed % static_cast<uint64_t>(options.runOneIn) == 0;
  bool permuted = options.permuted || seed % 3 == 0;
  bool tiled = options.tiled || seed % 3 == 1;
  return test::randomLayoutCase(context, seed, {runs, permuted, tiled});
}

static std::optional<Finding> check(MLIRContext &context,
                                    const LayoutCase &problem,
                                    const test::CheckOptions &options,
                                    bool runs, Coverage &coverage) {
  std::optional<Finding> finding =
      test::checkLayoutCase(context, problem, options, coverage);
  if (!finding && runs)
    finding = test::checkProgramNumbers(problem, options.seed, coverage);
  return finding;
}

static std::optional<Finding> checkAlone(const LayoutCase &problem,
                                         const test::CheckOptions &options,
                                         bool runs, double hangSeconds) {
  return test::checkIsolated(
      [&]() -> std::optional<Finding> {
        Contexts contexts;
        Coverage coverage;
        return check(contexts.get(), problem, options, runs, coverage);
      },
      hangSeconds);
}

static void writeFile(const std::string &path, const std::string &text) {
  std::error_code error;
  llvm::raw_fd_ostream stream(path, error);
  if (error)
    std::cerr << "layout-fuzz: cannot write '" << path
              << "': " << error.message() << "\n";
  else
    stream << text;
}

/// Writes the case; the command that shows it again.
static std::string writeCase(const Options &options,
                             const test::SeedFinding &found,
                             const LayoutCase &problem, bool runs) {
  std::string folder = options.folder + "/" + found.finding.property + "-" +
                       std::to_string(found.seed);
  llvm::sys::fs::create_directories(folder);
  std::string target = problem.target;
  if (target.find('\n') != std::string::npos) {
    target = folder + "/random.yaml";
    writeFile(target, problem.target);
  }
  std::string command =
      "layout-fuzz --replay=" + folder + "/graph.mlir --target=" + target +
      " --io-layout=" + problem.io + " --seed=" + std::to_string(found.seed) +
      (runs ? " --run" : "") + (options.cheaperFails ? " --cheaper-fails" : "");
  writeFile(folder + "/graph.mlir", "// " + found.finding.property +
                                        "\n// RUN: " + command + "\n" +
                                        problem.graph);
  return command;
}

static void pursue(const Options &options, const test::SeedFinding &found,
                   double hangSeconds, double shrinkSeconds) {
  std::cerr << "\nseed " << found.seed << ": " << found.finding.property
            << "\n";
  Contexts contexts;
  bool runs = false;
  LayoutCase problem = makeCase(contexts.get(), options, found.seed, runs);
  // Who gives up while it is made smaller has it as it is.
  writeCase(options, found, problem, runs);
  auto again = [&](const LayoutCase &smaller) {
    return checkAlone(smaller,
                      {found.seed, options.cheaperFails, options.thorough},
                      runs, hangSeconds);
  };
  std::string detail = found.finding.detail;
  problem = test::shrinkCase(
      problem,
      [&](const LayoutCase &smaller) {
        std::optional<Finding> finding = again(smaller);
        bool isSame = finding && finding->property == found.finding.property;
        if (isSame)
          detail = finding->detail;
        return isSame;
      },
      shrinkSeconds);
  std::cerr << detail << "\n"
            << problem.graph << "\nio-layout: " << problem.io
            << "\ntarget: " << problem.target << "\n  "
            << writeCase(options, found, problem, runs) << "\n";
}

static std::optional<Finding> replay(const Options &options) {
  auto text = llvm::MemoryBuffer::getFile(options.replay);
  if (!text)
    return bad("cannot read '" + options.replay +
               "': " + text.getError().message());
  Contexts contexts;
  auto module = mlir::parseSourceString<mlir::ModuleOp>((*text)->getBuffer(),
                                                        &contexts.get());
  if (!module)
    return bad("'" + options.replay + "' is no module");
  LayoutCase problem{"", options.target, options.io};
  llvm::raw_string_ostream(problem.graph) << *module;
  if (StringRef(options.target).ends_with(".yaml")) {
    auto target = llvm::MemoryBuffer::getFile(options.target);
    if (!target)
      return bad("cannot read '" + options.target +
                 "': " + target.getError().message());
    problem.target = (*target)->getBuffer().str();
  }
  return checkAlone(problem,
                    {options.fuzz.seed, options.cheaperFails,
                     /*thorough=*/true},
                    options.runs, options.fuzz.hangSeconds);
}

static void print(const test::FuzzResult &result) {
  const Coverage &c = result.coverage;
  std::cout << "\n"
            << c.cases << " graphs of " << c.ops << " ops in "
            << static_cast<int64_t>(result.seconds) << " s ("
            << static_cast<int64_t>(static_cast<double>(c.cases) /
                                    std::max(result.seconds, 1e-3))
            << " a second)\n"
            << c.plans << " finished plans, " << c.infeasible << " refused; "
            << c.searches << " searches, " << c.proved << " proved; "
            << c.bruteForced << " against brute force; " << c.randomPlans
            << " random plans (" << c.cheaperRandomPlans
            << " cheaper than a proved one); " << c.runs << " programs run; "
            << c.onProcessor << " ops beside the chip\n"
            << "next seed " << result.nextSeed << ", " << result.findings.size()
            << " findings\n";
  for (uint64_t seed : result.givenUp)
    std::cout << "given up when the time was over: seed " << seed << "\n";
}

int main(int argc, char **argv) {
  Options options;
  options.fuzz.jobs =
      static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  options.fuzz.progress = isatty(STDERR_FILENO);
  CLI::App app{"Random graphs, chips and boundaries for the layout stage; "
               "checks every strategy on each. A failure is made smaller and "
               "written with the command that shows it again; exit code 1.",
               "layout-fuzz"};
  app.add_option("--seed", options.fuzz.seed, "of the first graph");
  app.add_option("--graphs", options.fuzz.graphs, "how many; 0: no limit");
  app.add_option("--seconds", options.fuzz.seconds,
                 "how long graphs are drawn; 0: no limit");
  app.add_option("--jobs", options.fuzz.jobs, "processes side by side")
      ->check(CLI::Range(1, 64));
  app.add_option("--findings", options.fuzz.mostFindings,
                 "stop after this many different failures");
  app.add_option("--folder", options.folder, "where failures are written");
  app.add_option("--shrink-seconds", options.shrinkSeconds,
                 "time to make failures smaller in, after --seconds; 0: leave "
                 "them as they are")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--hang-seconds", options.fuzz.hangSeconds,
                 "of the processor's time; a graph that takes longer hangs")
      ->check(CLI::PositiveNumber);
  app.add_option("--run-one-in", options.runOneIn,
                 "compile and run one graph of so many; 0: none")
      ->check(CLI::NonNegativeNumber);
  app.add_flag("--permuted", options.permuted,
               "transpose images between the ops of every graph, not of every "
               "third");
  app.add_flag("--tiled", options.tiled,
               "tiles, sticks and double blocks on the chip of every graph, "
               "not of every third");
  app.add_flag("--cheaper-fails", options.cheaperFails,
               "a random plan that is cheaper than a proved one is a failure");
  app.add_flag("--thorough", options.thorough,
               "every graph under every objective and each strategy twice, as "
               "--replay does; else one objective, drawn for each graph");
  app.add_option("--replay", options.replay, "check this graph (.mlir)");
  app.add_option("--target", options.target,
                 "name or file (.yaml) of the target, for --replay");
  app.add_option("--io-layout", options.io, "boundary, for --replay");
  app.add_flag("--run", options.runs, "compile and run as well, for --replay");
  CLI11_PARSE(app, argc, argv);

  if (!options.replay.empty()) {
    std::optional<Finding> finding = replay(options);
    if (finding)
      std::cerr << finding->property << ": " << finding->detail << "\n";
    else
      std::cout << "every property holds\n";
    return finding ? 1 : 0;
  }
  Contexts contexts;
  test::FuzzResult result =
      test::fuzz(options.fuzz, [&](uint64_t seed, Coverage &coverage) {
        MLIRContext &context = contexts.get();
        bool runs = false;
        LayoutCase problem = makeCase(context, options, seed, runs);
        return check(context, problem,
                     {seed, options.cheaperFails, options.thorough}, runs,
                     coverage);
      });
  print(result);
  // Each smaller case is no slower than those that were tried, unless it hangs.
  double hangSeconds = test::trialSeconds(options.fuzz, result);
  for (const test::SeedFinding &found : result.findings)
    pursue(options, found, hangSeconds,
           options.shrinkSeconds / static_cast<double>(result.findings.size()));
  return result.findings.empty() ? 0 : 1;
}
