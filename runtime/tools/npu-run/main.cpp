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
#include <cstring>
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
  load.execute = static_cast<int32_t>(
      std::find(executeNames.begin(), executeNames.end(), options.execute) -
      executeNames.begin());
  try {
    return Model(options.program, load);
  } catch (const Error &error) {
    throw Exit(isOfMemory(error) ? files::exitMemory : files::exitInput,
               error.what());
  }
}

/// The files of the call by tensor.
struct TensorFiles {
  std::map<size_t, std::string> inputs, outputs, expects, statesIn, statesOut;
};

/// Of each run in a row its tensors, in stored order.
using Series = std::vector<std::vector<Buffer>>;

TensorFiles matchAll(const Options &options, const Model &model) {
  return {matchFiles(options.inputs, model.inputs(), "input"),
          matchFiles(options.outputs, model.outputs(), "output"),
          matchFiles(options.expects, model.outputs(), "output"),
          matchFiles(options.statesIn, model.states(), "state"),
          matchFiles(options.statesOut, model.states(), "state")};
}

/// Nothing that is written may be something else of the call.
void declareFiles(const Options &options, const TensorFiles &named,
                  files::OutputFiles &files) {
  files.reads("the program", options.program);
  for (const auto &[index, path] : named.inputs)
    files.reads("--input", path);
  for (const auto &[index, path] : named.expects)
    files.reads("--expect", path);
  for (const auto &[index, path] : named.statesIn)
    files.reads("--state-in", path);
  files.writes("standard output", files::standardOutput);
  for (const auto &[index, path] : named.outputs)
    files.writes("--output", path);
  for (const auto &[index, path] : named.statesOut)
    files.writes("--state-out", path);
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
  uint64_t bytes = stats.arena_bytes + stats.scratch_bytes + stats.state_bytes,
           converted = 0;
  for (const auto &signature : {seriesOf(model.inputs(), options.steps),
                                seriesOf(model.outputs(), options.steps)})
    for (const npu_tensor_info &info : signature) {
      bytes += info.bytes;
      // One after the other; bf16 lies there as float32 and as it is.
      bool isBf16 = info.type == NPU_TYPE_BF16;
      converted =
          std::max(converted, fileBytes(info) + (isBf16 ? info.row_bytes : 0));
    }
  bytes += converted;
  for (const auto &[index, file] : named.expects)
    bytes += fileBytes(model.outputs()[index]) *
             static_cast<uint64_t>(options.series());
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
  const size_t runs = static_cast<size_t>(options.repeat) *
                      static_cast<size_t>(options.series());
  if (!options.traceFile.empty() && runs * session.kernels.size() > most)
    throw Exit(files::exitUsage,
               "--trace of " + std::to_string(runs) + " runs of " +
                   std::to_string(session.kernels.size()) +
                   " kernels is too long, at most " + std::to_string(most) +
                   " kernels are in one; give a smaller --repeat" +
                   (options.steps > 0 ? " or --steps" : ""));
}

/// Reads or makes every input of every run and brings it into stored order.
Series makeInputs(const Options &options, const Model &model,
                  const TensorFiles &named, Session &session) {
  auto signature = model.inputs();
  auto inFiles = seriesOf(signature, options.steps);
  const auto &files = named.inputs;
  Series stored(static_cast<size_t>(options.series()));
  for (size_t i = 0; i < signature.size(); ++i) {
    auto file = files.find(i);
    if (file == files.end() && !options.randomSeed)
      throw Exit(files::exitUsage,
                 "input '" + std::string(signature[i].name) +
                     "' has no file; give --input NAME=FILE.npy, or "
                     "--random-inputs");
    Buffer values = file == files.end()
                        ? randomTensor(inFiles[i], *options.randomSeed + i)
                        : readTensor(inFiles[i], file->second, "input");
    for (size_t step = 0; step < stored.size(); ++step) {
      Clock::time_point start = Clock::now();
      Buffer rows =
          fileToRows(signature[i], valuesOfStep(signature[i], values, step));
      stored[step].emplace_back(signature[i].bytes);
      model.storeInput(i, rows.as<void>(), rows.bytes(), stored[step].back());
      session.convertMs += millisecondsSince(start);
    }
  }
  return stored;
}

/// In rows, by index.
std::map<size_t, Buffer> readStates(const Model &model,
                                    const TensorFiles &named) {
  auto signature = model.states();
  std::map<size_t, Buffer> states;
  for (const auto &[index, file] : named.statesIn)
    states.emplace(index,
                   fileToRows(signature[index],
                              readTensor(signature[index], file, "state")));
  return states;
}

/// Every state as the model begins, but those of files.
void begin(Context &context, const Model &model,
           const std::map<size_t, Buffer> &states) {
  context.reset();
  auto signature = model.states();
  for (const auto &[index, rows] : states)
    context.writeState(signature[index].name, rows.as<void>(), rows.bytes());
}

RunTime timedRun(const Options &options, Context &context,
                 const std::vector<Buffer> &inputs,
                 const std::vector<Buffer> &outputs, size_t kernels,
                 Clock::time_point begin) {
  RunTime run;
  context.setProfiling(options.needsKernelTimes());
  Clock::time_point start = Clock::now();
  context.run(inputs, outputs);
  run.ms = millisecondsSince(start);
  run.startMs =
      std::chrono::duration<double, std::milli>(start - begin).count();
  for (size_t k = 0; options.needsKernelTimes() && k < kernels; ++k)
    run.kernels.push_back(context.kernelTime(k));
  return run;
}

void runAll(const Options &options, const Model &model, Context &context,
            const std::map<size_t, Buffer> &states, const Series &inputs,
            const Series &outputs, Session &session) {
  for (int i = 0; i < options.warmup; ++i) {
    begin(context, model, states);
    for (size_t step = 0; step < inputs.size(); ++step)
      context.run(inputs[step], outputs[step]);
  }
  Clock::time_point start = Clock::now();
  for (int i = 0; i < options.repeat; ++i) {
    begin(context, model, states);
    for (size_t step = 0; step < inputs.size(); ++step)
      session.runs.push_back(timedRun(options, context, inputs[step],
                                      outputs[step], session.kernels.size(),
                                      start));
  }
}

/// What a file of all runs has.
Buffer fileOf(const Model &model, const npu_tensor_info &info, size_t index,
              const Series &stored) {
  Buffer series(fileBytes(info) * stored.size());
  for (size_t step = 0; step < stored.size(); ++step) {
    Buffer rows(info.row_bytes);
    model.fetchOutput(index, stored[step][index], rows.as<void>(),
                      rows.bytes());
    Buffer values = rowsToFile(info, std::move(rows));
    if (values.bytes() > 0)
      std::memcpy(series.as<uint8_t>() + step * values.bytes(),
                  values.as<void>(), values.bytes());
  }
  return series;
}

/// Writes and compares what was asked for. Returns whether all agree.
bool handleOutputs(const Options &options, const Model &model,
                   const TensorFiles &named,
                   const std::map<size_t, Buffer> &expected,
                   const Series &stored, Session &session,
                   files::OutputFiles &files) {
  auto signature = model.outputs();
  auto inFiles = seriesOf(signature, options.steps);
  bool agree = true;
  for (size_t i = 0; i < signature.size(); ++i) {
    auto file = named.outputs.find(i);
    auto want = expected.find(i);
    if (file == named.outputs.end() && want == expected.end())
      continue;
    Clock::time_point start = Clock::now();
    Buffer values = fileOf(model, signature[i], i, stored);
    session.convertMs += millisecondsSince(start);
    if (file != named.outputs.end())
      writeTensor(files, inFiles[i], file->second, values);
    if (want == expected.end())
      continue;
    Comparison result =
        compare(inFiles[i], values, want->second, options.rtol, options.atol);
    std::cerr << "npu-run: " << describe(inFiles[i], result) << "\n";
    agree &= result.passed();
  }
  return agree;
}

void writeStates(const Model &model, Context &context, const TensorFiles &named,
                 files::OutputFiles &files) {
  auto signature = model.states();
  for (const auto &[index, file] : named.statesOut) {
    Buffer rows(signature[index].row_bytes);
    context.readState(signature[index].name, rows.as<void>(), rows.bytes());
    writeTensor(files, signature[index], file,
                rowsToFile(signature[index], std::move(rows)));
  }
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
  auto inFiles = seriesOf(outputSignature, options.steps);
  std::map<size_t, Buffer> expected;
  for (const auto &[index, file] : named.expects)
    expected.emplace(index,
                     readTensor(inFiles[index], file, "expected output"));
  const std::map<size_t, Buffer> states = readStates(model, named);
  Series inputs = makeInputs(options, model, named, session);
  Series outputs(inputs.size());
  for (std::vector<Buffer> &step : outputs)
    for (const npu_tensor_info &info : outputSignature)
      step.emplace_back(info.bytes);
  Context context(model);
  runAll(options, model, context, states, inputs, outputs, session);
  bool agree =
      handleOutputs(options, model, named, expected, outputs, session, files);
  writeStates(model, context, named, files);
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
