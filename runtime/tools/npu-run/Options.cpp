// SPDX-License-Identifier: Apache-2.0

#include "runtime/tools/npu-run/Options.h"

#include "files/usage_error.h"

#include "npu/npu.h"

#include <CLI/CLI.hpp>
#include <charconv>

namespace npu::tools {

static const char *const footer = R"(
Tensors are .npy files in C order, in the model's own shape and order; bf16
tensors are float32 there. A program of npuc --quantized-io takes and gives
quantized numbers; npu-dump prints their scale and zero point. Conversion to and from the program's stored order is
timed apart.

Examples:
  npu-run model.npu --random-inputs --repeat=20 --warmup=3 --profile
  npu-run model.npu --input x=x.npy --output y=y.npy
  npu-run model.npu --input x=x.npy --expect y=want.npy --rtol=1e-3 --atol=1e-4
  npu-run model.npu --random-inputs --json --trace=trace.json
                    (open the trace in ui.perfetto.dev or chrome://tracing)
  npu-run model.npu --simulate-only --profile
                    (cycles of each kernel on the chip; nothing runs)

Exit codes:
  0  success
  1  an output differs from --expect
  2  wrong use of the command line; an output that would replace an input or
     another output
  3  the .npu file, or a plugin, cannot be loaded
  4  a tensor file, its name, type or shape is wrong
  5  the run failed, a result could not be written, or memory was used up
)";

/// strtoull would take "-1" and " 1".
static std::optional<uint64_t> wholeNumber(std::string_view text) {
  uint64_t number = 0;
  const char *end = text.data() + text.size();
  auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end ? std::optional(number)
                                             : std::nullopt;
}

static uint64_t parseSeed(const std::string &text) {
  std::optional<uint64_t> number = wholeNumber(text);
  if (!number)
    throw CLI::ValidationError("--random-inputs",
                               "'" + text +
                                   "' is not a seed; give an unsigned number");
  return *number;
}

/// As npuc's option of this name.
static uint64_t parseBudget(const std::string &text) {
  const std::string name = "memory=";
  if (text.compare(0, name.size(), name) != 0)
    throw CLI::ValidationError("--budget", "unknown '" +
                                               text.substr(0, text.find('=')) +
                                               "', expected: memory");
  std::optional<uint64_t> bytes = wholeNumber(text.substr(name.size()));
  if (bytes.value_or(0) < 1)
    throw CLI::ValidationError(
        "--budget", "'" + text + "' has no number of 1 or more; write " + name +
                        std::to_string(Options().memory));
  return *bytes;
}

std::optional<int> parseOptions(int argc, char **argv, Options &options) {
  CLI::App app("Runs an NPU binary on the simulator.", "npu-run");
  app.footer(footer);
  app.set_version_flag("--version", std::string("npu-run ") + npu_version() +
                                        " (" + npu_kernel_library() + ")");
  app.add_option("program", options.program, "The .npu file")->required();
  app.add_option("--input", options.inputs, "Reads an input (repeatable)")
      ->type_name("NAME=FILE.npy");
  app.add_option("--output", options.outputs, "Writes an output (repeatable)")
      ->type_name("NAME=FILE.npy");
  app.add_option("--expect", options.expects, "Compares an output (repeatable)")
      ->type_name("NAME=FILE.npy");
  app.add_option("--plugin", options.plugins,
                 "Loads a plugin that the program needs (repeatable)")
      ->type_name("FILE.so");
  app.add_option("--rtol", options.rtol, "Allowed relative error")
      ->check(files::numberFrom(0, 1e30))
      ->capture_default_str();
  app.add_option("--atol", options.atol, "Allowed absolute error")
      ->check(files::numberFrom(0, 1e30))
      ->capture_default_str();
  app.add_option("--repeat", options.repeat, "Timed runs")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  app.add_option("--warmup", options.warmup, "Untimed runs before them")
      ->check(CLI::Range(0, 1000000))
      ->capture_default_str();
  app.add_option("--threads", options.threads,
                 "Threads of a run (default: all processors)")
      ->check(CLI::Range(1, 1024));
  std::string seed, profile, budget;
  auto *memory =
      app.add_option("--budget", budget,
                     "Bytes that a run may take for inputs, outputs and what "
                     "lies between them (default: memory=" +
                         std::to_string(options.memory) + ")")
          ->type_name("memory=N");
  auto *random =
      app.add_flag("--random-inputs{0}", seed,
                   "Fills inputs that have no file; =SEED for other numbers");
  auto *profiling =
      app.add_flag("--profile{-}", profile,
                   "Prints time per kernel; =FILE.json writes it there");
  app.add_option("--trace", options.traceFile,
                 "Writes a trace that Perfetto opens")
      ->type_name("FILE.json");
  app.add_flag("--simulate-only", options.simulateOnly,
               "The chip's time without making or running any kernel; needs no "
               "inputs")
      ->excludes("--input")
      ->excludes("--output")
      ->excludes("--expect");
  app.add_flag("--json", options.json, "Prints one JSON object on stdout");
  // One value each, so that the program's name is never taken for a value.
  for (CLI::Option *option : app.get_options())
    if (option->get_name() == "--input" || option->get_name() == "--output" ||
        option->get_name() == "--expect" || option->get_name() == "--plugin")
      option->allow_extra_args(false);

  try {
    app.failure_message(files::usageError);
    app.parse(argc, argv);
    options.profile = profiling->count() > 0;
    if (options.profile && profile != "-")
      options.profileFile = profile;
    if (memory->count() > 0)
      options.memory = parseBudget(budget);
    if (random->count() > 0)
      options.randomSeed = parseSeed(seed);
  } catch (const CLI::ParseError &error) {
    return app.exit(error) == 0 ? Success : UsageError;
  }
  return std::nullopt;
}

} // namespace npu::tools
