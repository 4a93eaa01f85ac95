// SPDX-License-Identifier: Apache-2.0
//
// npu-run: loads a .npu file, feeds it, runs it, compares, reports.

#include "runtime/format/atomic_file.h"
#include "runtime/include/npu/npu.hpp"
#include "runtime/tools/npu-run/Compare.h"
#include "runtime/tools/npu-run/Options.h"
#include "runtime/tools/npu-run/Report.h"
#include "runtime/tools/npu-run/Tensors.h"

#include <chrono>
#include <csignal>
#include <iostream>

using namespace npu;
using namespace npu::tools;

namespace {

using Clock = std::chrono::steady_clock;

double millisecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start)
      .count();
}

Model loadModel(const Options &options) {
  npu_load_options load = {};
  load.threads = options.threads;
  load.simulate_only = options.simulateOnly;
  try {
    return Model(options.program, load);
  } catch (const Error &error) {
    throw Exit(BadProgramFile, error.what());
  }
}

/// Reads or makes every input and brings it into stored order.
std::vector<Buffer> makeInputs(const Options &options, const Model &model,
                               Session &session) {
  auto signature = model.inputs();
  auto files = matchFiles(options.inputs, signature, "input");
  std::vector<Buffer> stored;
  for (size_t i = 0; i < signature.size(); ++i) {
    auto file = files.find(i);
    if (file == files.end() && !options.randomSeed)
      throw Exit(BadTensorFile, "input '" + std::string(signature[i].name) +
                                    "' has no file; give --input " +
                                    signature[i].name +
                                    "=FILE.npy, or --random-inputs");
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
                   const std::map<size_t, std::string> &files,
                   const std::map<size_t, Buffer> &expected,
                   const std::vector<Buffer> &stored, Session &session) {
  auto signature = model.outputs();
  bool agree = true;
  for (size_t i = 0; i < signature.size(); ++i) {
    auto file = files.find(i);
    auto want = expected.find(i);
    if (file == files.end() && want == expected.end())
      continue;
    Clock::time_point start = Clock::now();
    Buffer rows(signature[i].row_bytes);
    model.fetchOutput(i, stored[i], rows.as<void>(), rows.bytes());
    Buffer values = rowsToFile(signature[i], std::move(rows));
    session.convertMs += millisecondsSince(start);
    if (file != files.end())
      writeTensor(signature[i], file->second, values);
    if (want == expected.end())
      continue;
    Comparison result =
        compare(signature[i], values, want->second, options.rtol, options.atol);
    std::cerr << "npu-run: " << describe(signature[i], result) << "\n";
    agree &= result.passed();
  }
  return agree;
}

void writeText(const std::string &path, const std::string &text) {
  format::AtomicFile file;
  std::string failure = file.open(path);
  if (failure.empty())
    failure = file.write(text.data(), text.size());
  if (failure.empty())
    failure = file.commit();
  if (!failure.empty())
    throw Exit(RunFailed, failure);
}

void report(const Options &options, const Session &session) {
  if (!options.profileFile.empty())
    writeText(options.profileFile, jsonReport(session));
  if (!options.traceFile.empty())
    writeText(options.traceFile, traceJson(session));
  std::string text = options.json ? jsonReport(session) : summary(session);
  if (options.profile && options.profileFile.empty() && !options.json)
    text += "\n" + profileTable(session);
  std::cout << text << std::flush;
  if (!std::cout)
    throw Exit(RunFailed, "cannot write to stdout; free some space or write "
                          "elsewhere");
}

ExitCode run(const Options &options) {
  Model model = loadModel(options);
  for (const std::string &warning : model.warnings())
    std::cerr << "npu-run: warning: " << warning << "\n";
  Session session;
  session.load = model.stats();
  session.kernels = model.kernels();
  session.chip = model.chip();
  if (options.simulateOnly) {
    report(options, session);
    return Success;
  }
  // All names and files are checked before the first run.
  auto outputSignature = model.outputs();
  auto outputFiles = matchFiles(options.outputs, outputSignature, "output");
  std::map<size_t, Buffer> expected;
  for (const auto &[index, file] :
       matchFiles(options.expects, outputSignature, "output"))
    expected.emplace(
        index, readTensor(outputSignature[index], file, "expected output"));
  std::vector<Buffer> inputs = makeInputs(options, model, session);
  std::vector<Buffer> outputs;
  for (const npu_tensor_info &info : outputSignature)
    outputs.emplace_back(info.bytes);
  runAll(options, model, inputs, outputs, session);
  bool agree =
      handleOutputs(options, model, outputFiles, expected, outputs, session);
  report(options, session);
  return agree ? Success : ComparisonFailed;
}

} // namespace

int main(int argc, char **argv) {
  // A file-size limit then ends in an error message like a full disk does.
  std::signal(SIGXFSZ, SIG_IGN);
  Options options;
  try {
    if (auto code = parseOptions(argc, argv, options))
      return *code;
    return run(options);
  } catch (const Exit &exit) {
    std::cerr << "npu-run: error: " << exit.what() << "\n";
    return exit.code;
  } catch (const std::exception &error) {
    std::cerr << "npu-run: error: " << error.what() << "\n";
    return RunFailed;
  }
}
