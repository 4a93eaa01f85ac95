// SPDX-License-Identifier: Apache-2.0
//
// npu-run: loads a .npu file, feeds it, runs it, compares, reports.

#include "files/last_words.h"
#include "files/shown_text.h"
#include "files/standard_output.h"
#include "files/tool_main.h"
#include "npu/npu.hpp"
#include "runtime/tools/npu-run/Compare.h"
#include "runtime/tools/npu-run/Options.h"
#include "runtime/tools/npu-run/Report.h"
#include "runtime/tools/npu-run/Tensors.h"

#include <algorithm>
#include <chrono>
#include <iostream>
#include <system_error>

using namespace npu;
using namespace npu::tools;

namespace {

using Clock = std::chrono::steady_clock;

double millisecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start)
      .count();
}

/// Threads are memory, too. Without any, oneDNN only says that a primitive
/// cannot be created.
bool isOfMemory(const std::exception &error) {
  const auto *ours = dynamic_cast<const Error *>(&error);
  return (ours && ours->code() == NPU_OUT_OF_MEMORY) ||
         dynamic_cast<const std::system_error *>(&error) ||
         files::isMemoryGone();
}

Model loadModel(const Options &options) {
  npu_load_options load = {};
  std::vector<const char *> plugins;
  for (const std::string &path : options.plugins)
    plugins.push_back(path.c_str());
  load.plugins = plugins.data();
  load.plugin_count = static_cast<int32_t>(plugins.size());
  load.threads = options.threads;
  load.simulate_only = options.simulateOnly;
  try {
    return Model(options.program, load);
  } catch (const Error &error) {
    throw Exit(isOfMemory(error) ? files::exitMemory : files::exitInput,
               error.what());
  }
}

/// The files of the call by tensor.
struct TensorFiles {
  std::map<size_t, std::string> inputs, outputs, expects;
};

TensorFiles matchAll(const Options &options, const Model &model) {
  return {matchFiles(options.inputs, model.inputs(), "input"),
          matchFiles(options.outputs, model.outputs(), "output"),
          matchFiles(options.expects, model.outputs(), "output")};
}

/// Nothing that is written may be something else of the call.
void declareFiles(const Options &options, const TensorFiles &named,
                  files::OutputFiles &files) {
  files.reads("the program", options.program);
  for (const auto &[index, path] : named.inputs)
    files.reads("--input", path);
  for (const auto &[index, path] : named.expects)
    files.reads("--expect", path);
  files.writes("standard output", files::standardOutput);
  for (const auto &[index, path] : named.outputs)
    files.writes("--output", path);
  if (!options.profileFile.empty())
    files.writes("--profile", options.profileFile);
  if (!options.traceFile.empty())
    files.writes("--trace", options.traceFile);
  if (std::string clash = files.clash(); !clash.empty())
    throw Exit(files::exitUsage, clash);
  if (std::string problem = files.problem(); !problem.empty())
    throw Exit(files::exitOutput, problem);
}

/// A small file may ask for gigabytes: that is refused before it is tried.
void checkMemory(const Options &options, const Model &model,
                 const TensorFiles &named) {
  npu_load_stats stats = model.stats();
  uint64_t bytes = stats.arena_bytes + stats.scratch_bytes, converted = 0;
  for (const auto &signature : {model.inputs(), model.outputs()})
    for (const npu_tensor_info &info : signature) {
      bytes += info.bytes;
      // One after the other; bf16 lies there as float32 and as it is.
      bool isBf16 = info.type == NPU_TYPE_BF16;
      converted =
          std::max(converted, fileBytes(info) + (isBf16 ? info.row_bytes : 0));
    }
  bytes += converted;
  for (const auto &[index, file] : named.expects)
    bytes += fileBytes(model.outputs()[index]);
  if (bytes > options.memory)
    throw Exit(files::exitBudget,
               "'" + options.program + "' takes at least " +
                   std::to_string(bytes) +
                   " bytes of memory for its inputs, outputs and the values "
                   "between them, the budget is " +
                   std::to_string(options.memory) +
                   "; if that is meant, raise it with --budget=memory=N");
}

/// All of a trace lies in memory before it is written.
void checkTrace(const Options &options, const Session &session) {
  constexpr size_t most = 100000;
  size_t calls = static_cast<size_t>(options.repeat) * session.kernels.size();
  if (!options.traceFile.empty() && calls > most)
    throw Exit(files::exitUsage,
               "--trace of " + std::to_string(options.repeat) + " runs of " +
                   std::to_string(session.kernels.size()) +
                   " kernels is too long, at most " + std::to_string(most) +
                   " kernels are in one; give a smaller --repeat");
}

/// Reads or makes every input and brings it into stored order.
std::vector<Buffer> makeInputs(const Options &options, const Model &model,
                               const TensorFiles &named, Session &session) {
  auto signature = model.inputs();
  const auto &files = named.inputs;
  std::vector<Buffer> stored;
  for (size_t i = 0; i < signature.size(); ++i) {
    auto file = files.find(i);
    if (file == files.end() && !options.randomSeed)
      throw Exit(files::exitUsage,
                 "input '" + std::string(signature[i].name) +
                     "' has no file; give --input NAME=FILE.npy, or "
                     "--random-inputs");
    Buffer values = file == files.end()
                        ? randomTensor(signature[i], *options.randomSeed + i)
                        : readTensor(signature[i], file->second, "input");
    Clock::time_point start = Clock::now();
    Buffer rows = fileToRows(signature[i], std::move(values));
    stored.emplace_back(signature[i].bytes);
    model.storeInput(i, rows.as<void>(), rows.bytes(), stored.back());
    session.convertMs += millisecondsSince(start);
  }
  return stored;
}

void runAll(const Options &options, const Model &model,
            const std::vector<Buffer> &inputs,
            const std::vector<Buffer> &outputs, Session &session) {
  Context context(model);
  for (int i = 0; i < options.warmup; ++i)
    context.run(inputs, outputs);
  Clock::time_point begin = Clock::now();
  for (int i = 0; i < options.repeat; ++i) {
    RunTime run;
    context.setProfiling(options.needsKernelTimes());
    Clock::time_point start = Clock::now();
    context.run(inputs, outputs);
    run.ms = millisecondsSince(start);
    run.startMs =
        std::chrono::duration<double, std::milli>(start - begin).count();
    for (size_t k = 0; options.needsKernelTimes() && k < session.kernels.size();
         ++k)
      run.kernels.push_back(context.kernelTime(k));
    session.runs.push_back(std::move(run));
  }
}

/// Writes and compares what was asked for. Returns whether all agree.
bool handleOutputs(const Options &options, const Model &model,
                   const TensorFiles &named,
                   const std::map<size_t, Buffer> &expected,
                   const std::vector<Buffer> &stored, Session &session,
                   files::OutputFiles &files) {
  auto signature = model.outputs();
  bool agree = true;
  for (size_t i = 0; i < signature.size(); ++i) {
    auto file = named.outputs.find(i);
    auto want = expected.find(i);
    if (file == named.outputs.end() && want == expected.end())
      continue;
    Clock::time_point start = Clock::now();
    Buffer rows(signature[i].row_bytes);
    model.fetchOutput(i, stored[i], rows.as<void>(), rows.bytes());
    Buffer values = rowsToFile(signature[i], std::move(rows));
    session.convertMs += millisecondsSince(start);
    if (file != named.outputs.end())
      writeTensor(files, signature[i], file->second, values);
    if (want == expected.end())
      continue;
    Comparison result =
        compare(signature[i], values, want->second, options.rtol, options.atol);
    std::cerr << "npu-run: " << describe(signature[i], result) << "\n";
    agree &= result.passed();
  }
  return agree;
}

/// Ends the program if there is a failure.
void check(const std::string &failure) {
  if (!failure.empty())
    throw Exit(files::exitOutput, failure);
}

/// The last files and what is printed; then all of them get their names.
void report(const Options &options, const Session &session,
            files::OutputFiles &files) {
  if (!options.profileFile.empty())
    check(files.write(options.profileFile, jsonReport(session)));
  if (!options.traceFile.empty())
    check(files.write(options.traceFile, traceJson(session)));
  std::string text = options.json ? jsonReport(session) : summary(session);
  if (options.profile && options.profileFile.empty() && !options.json)
    text += "\n" + profileTable(session);
  check(files.write(files::standardOutput, text));
  check(files.commit());
}

files::ExitCode run(const Options &options) {
  Model model = loadModel(options);
  for (const std::string &warning : model.warnings())
    std::cerr << "npu-run: warning: " << files::shownMessage(warning) << "\n";
  Session session;
  session.load = model.stats();
  session.kernels = model.kernels();
  session.chip = model.chip();
  // All names and files are checked before the first run.
  files::OutputFiles files;
  TensorFiles named = matchAll(options, model);
  declareFiles(options, named, files);
  checkTrace(options, session);
  if (options.simulateOnly) {
    report(options, session, files);
    return files::exitSuccess;
  }
  checkMemory(options, model, named);
  auto outputSignature = model.outputs();
  std::map<size_t, Buffer> expected;
  for (const auto &[index, file] : named.expects)
    expected.emplace(
        index, readTensor(outputSignature[index], file, "expected output"));
  std::vector<Buffer> inputs = makeInputs(options, model, named, session);
  std::vector<Buffer> outputs;
  for (const npu_tensor_info &info : outputSignature)
    outputs.emplace_back(info.bytes);
  runAll(options, model, inputs, outputs, session);
  bool agree =
      handleOutputs(options, model, named, expected, outputs, session, files);
  report(options, session, files);
  return agree ? files::exitSuccess : files::exitModel;
}

void printError(const std::string &message) {
  std::cerr << "npu-run: error: " << files::shownMessage(message) << "\n";
}

int guarded(int argc, char **argv) {
  Options options;
  try {
    if (auto code = parseOptions(argc, argv, options))
      return *code;
    return run(options);
  } catch (const Exit &exit) {
    printError(exit.what());
    return exit.code;
  } catch (const std::exception &error) {
    printError(error.what());
    return isOfMemory(error) ? files::exitMemory : files::exitModel;
  }
}

} // namespace

int toolMain(int argc, char **argv) {
  files::prepareProcess();
  files::prepareLastWords("npu-run");
  files::setCulprit(npu_running_plugin);
  return files::finishOutput("npu-run", guarded(argc, argv));
}
