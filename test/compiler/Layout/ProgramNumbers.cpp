// SPDX-License-Identifier: Apache-2.0
#include "test/compiler/Layout/ProgramNumbers.h"

#include "compiler/Dialect/NPU/Constants.h"
#include "compiler/Layout/Problem/Boundary.h"
#include "compiler/Pipeline/Compiler.h"
#include "npu/npu.hpp"
#include "test/compiler/Support/Interpreter.h"

#include "mlir/Parser/Parser.h"
#include "llvm/Support/FileSystem.h"

#include <cmath>

using namespace npu;
using test::Finding;

namespace {

using Floats = std::vector<std::vector<float>>;

/// A file that is gone when its name is.
class TemporaryFile {
public:
  explicit TemporaryFile(StringRef suffix) {
    llvm::sys::fs::createTemporaryFile("layout-fuzz", suffix, path);
  }
  ~TemporaryFile() { llvm::sys::fs::remove(path); }
  std::string name() const { return path.str().str(); }

private:
  llvm::SmallString<128> path;
};

/// A target's text as a file, which is called as the target is; gone when its
/// name is.
class TemporaryTarget {
public:
  TemporaryTarget() {
    llvm::sys::fs::createUniqueDirectory("layout-fuzz", folder);
  }
  ~TemporaryTarget() { llvm::sys::fs::remove_directories(folder); }
  std::string name() const { return (folder + "/random.yaml").str(); }

private:
  llvm::SmallString<128> folder;
};

/// Empty, or what went wrong.
std::string writeText(const std::string &path, const std::string &text) {
  files::OutputFiles files;
  std::string error = files.write(path, text);
  return error.empty() ? files.commit() : error;
}

class NumbersChecker {
public:
  NumbersChecker(const test::LayoutCase &problem, uint64_t seed,
                 test::Coverage &coverage)
      : problem(problem), seed(static_cast<unsigned>(seed)),
        coverage(coverage) {
    mlir::DialectRegistry registry;
    registerAllDialects(registry);
    context.disableMultithreading();
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  std::optional<Finding> run() {
    auto module =
        mlir::parseSourceString<mlir::ModuleOp>(problem.graph, &context);
    if (!module)
      return Finding{"bad-graph", problem.graph};
    auto function = *module->getOps<mlir::func::FuncOp>().begin();
    SmallVector<ElementsAttr> arguments;
    for (Type type : function.getArgumentTypes()) {
      arguments.push_back(test::randomElements(cast<RankedTensorType>(type),
                                               seed + arguments.size()));
      std::vector<char> storage;
      ArrayRef<char> bytes = elementBytes(arguments.back(), storage);
      inputs.emplace_back(bytes.begin(), bytes.end());
    }
    want = test::interpret(function, arguments);
    if (want.empty())
      return Finding{"interpreter", "an op cannot be evaluated"};
    std::string error = writeText(source.name(), problem.graph);
    if (error.empty() && isRandomTarget())
      error = writeText(target.name(), problem.target);
    if (!error.empty())
      return Finding{"bad-options", error};
    for (const Strategy &strategy : strategies())
      if (std::optional<Finding> finding = runStrategy(strategy.name))
        return finding;
    return std::nullopt;
  }

private:
  bool isRandomTarget() const {
    return problem.target.find('\n') != std::string::npos;
  }

  std::optional<Finding> runStrategy(StringRef strategy) {
    TemporaryFile program(".npu");
    CompileOptions options;
    options.model = source.name();
    options.output = program.name();
    options.target = isRandomTarget() ? target.name() : problem.target;
    options.layout.strategy = strategy.str();
    options.layout.verifyExactly = true;
    options.layout.searchSeconds = 1; // as in LayoutProperties
    std::string error;
    std::optional<IoLayouts> io = IoLayouts::parse(problem.io, error);
    if (!io)
      return Finding{"bad-options", error};
    options.layout.io = *io;
    CompileReport report;
    files::OutputFiles files;
    QuietDiagnostics quiet(&context);
    if (compileModel(context, options, report, files) != CompileStatus::Ok) {
      if (mayRefuse(strategy, quiet.first()))
        return std::nullopt;
      return Finding{"does-not-compile",
                     (strategy + ": " + quiet.first()).str()};
    }
    ++coverage.runs;
    if (std::string message = files.commit(); !message.empty())
      return Finding{"does-not-compile", message};
    try {
      return compare(strategy, runProgram(program.name()));
    } catch (const Error &failed) {
      return Finding{"does-not-run", (strategy + ": " + failed.what()).str()};
    }
  }

  /// Whether plans have to succeed, LayoutProperties has looked at. A random
  /// chip may have too little memory for anything.
  bool mayRefuse(StringRef strategy, StringRef why) const {
    if (why.contains("infeasible:"))
      return strategy == "none" || strategy == "auto-nhwc" || isRandomTarget();
    return isRandomTarget() && why.contains("bytes of on-chip memory");
  }

  Floats runProgram(const std::string &path) const {
    Model model(path);
    Context running(model);
    std::vector<Buffer> in, out;
    auto infos = model.inputs();
    for (size_t i = 0; i < infos.size(); ++i) {
      in.emplace_back(infos[i].bytes);
      model.storeInput(i, inputs[i].data(), inputs[i].size(), in.back());
    }
    for (const npu_tensor_info &info : model.outputs())
      out.emplace_back(info.bytes);
    running.run(in, out);
    Floats results;
    for (size_t i = 0; i < out.size(); ++i) {
      results.emplace_back(model.outputs()[i].row_bytes / sizeof(float));
      model.fetchOutput(i, out[i], results.back().data(),
                        model.outputs()[i].row_bytes);
    }
    return results;
  }

  std::optional<Finding> compare(StringRef strategy, const Floats &have) const {
    for (size_t i = 0; i < want.size(); ++i) {
      if (have[i].size() != want[i].size())
        return Finding{"numbers", (strategy + ": output " + Twine(i) + " has " +
                                   Twine(have[i].size()) + " elements")
                                      .str()};
      for (size_t j = 0; j < want[i].size(); ++j) {
        float a = have[i][j], b = want[i][j];
        if ((std::isnan(a) && std::isnan(b)) || a == b ||
            std::fabs(a - b) <= 1e-3f + 1e-3f * std::fabs(b))
          continue;
        return Finding{"numbers",
                       (strategy + ": output " + Twine(i) + ", element " +
                        Twine(j) + " is " + std::to_string(a) + ", expected " +
                        std::to_string(b))
                           .str()};
      }
    }
    return std::nullopt;
  }

  const test::LayoutCase &problem;
  unsigned seed;
  test::Coverage &coverage;
  MLIRContext context;
  TemporaryFile source{".mlir"};
  TemporaryTarget target;
  std::vector<std::vector<char>> inputs;
  Floats want;
};

} // namespace

std::optional<Finding> test::checkProgramNumbers(const LayoutCase &problem,
                                                 uint64_t seed,
                                                 Coverage &coverage) {
  return NumbersChecker(problem, seed, coverage).run();
}
