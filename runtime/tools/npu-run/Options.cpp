// SPDX-License-Identifier: Apache-2.0

#include "runtime/tools/npu-run/Options.h"

#include "files/command_line.h"
#include "files/words.h"

#include "npu/npu.h"

#include <charconv>

namespace npu::tools {

static const char *const about =
    R"(Tensors are .npy files in C order, in the model's own shape and order; bf16
tensors are float32 there. A program of npuc --quantized-io takes and gives
quantized numbers; npu-dump prints their scale and zero point. Conversion to
and from the program's stored order is timed apart. States (npu-dump lists them)
are what a run of a streaming network leaves for the next one.
)";

static const char *const examples =
    R"(  npu-run model.npu --random-inputs --repeat=20 --warmup=3 --profile
  npu-run model.npu --input x=x.npy --output y=y.npy
  npu-run model.npu --input x=x.npy --expect y=want.npy --rtol=1e-3 --atol=1e-4
  npu-run wake.npu --steps=50 --input audio=frames.npy --output p=p.npy
                    (frames.npy: the inputs of 50 runs, one after the other)
  npu-run model.npu --random-inputs --json --trace=trace.json
                    (open the trace in ui.perfetto.dev or chrome://tracing)
  npu-run model.npu --random-inputs --execute=chip --output y=y.npy
                    (tile by tile on the chip's memories)
  npu-run model.npu --simulate-only --profile
                    (cycles of each kernel on the chip; nothing runs)
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
  const std::string name = "memory";
  const size_t equal = std::min(text.find('='), text.size());
  if (text.substr(0, equal) != name)
    throw CLI::ValidationError(
        "--budget", files::unknownName(text.substr(0, equal), {name}));
  std::optional<uint64_t> bytes =
      equal < text.size() ? wholeNumber(text.substr(equal + 1)) : std::nullopt;
  if (bytes.value_or(0) < 1)
    throw CLI::ValidationError(
        "--budget", "'" + text + "' has no number of 1 or more; write " + name +
                        "=" + std::to_string(Options().memory));
  return *bytes;
}

namespace {
/// What flags and options were given as, read after all words are known.
struct Words {
  std::string seed, profile, budget;
  CLI::Option *random = nullptr, *profiling = nullptr, *memory = nullptr;
};
} // namespace

static void addFiles(CLI::App &app, Options &options) {
  app.option_defaults()->group("Files");
  app.add_option("program", options.program, "the .npu file")->required();
  app.add_option("--input", options.inputs, "reads an input; may be repeated")
      ->type_name("NAME=FILE.npy");
  app.add_option("--output", options.outputs,
                 "writes an output; may be repeated")
      ->type_name("NAME=FILE.npy");
  app.add_option("--state-in", options.statesIn,
                 "reads a state, else it is as the model begins; may be "
                 "repeated")
      ->type_name("NAME=FILE.npy");
  app.add_option("--state-out", options.statesOut,
                 "writes what the last run left as a state; may be repeated")
      ->type_name("NAME=FILE.npy");
  app.add_option("--plugin", options.plugins,
                 "loads a plugin that the program needs; may be repeated")
      ->type_name("FILE.so");
}

static void addRun(CLI::App &app, Options &options, Words &words) {
  app.option_defaults()->group("Run");
  words.random =
      app.add_flag("--random-inputs{0}", words.seed,
                   "fills inputs that have no file; =SEED for other numbers");
  app.add_option(
         "--steps", options.steps,
         "runs in a row, each with the states that the one before left; "
         "files of inputs and outputs have their values along a first "
         "dimension of N")
      ->check(files::wholeFrom(1, 1000000))
      ->type_name("N");
  app.add_option("--repeat", options.repeat,
                 "timed runs, or such series, each from the same states")
      ->check(files::wholeFrom(1, 1000000))
      ->capture_default_str();
  app.add_option("--warmup", options.warmup, "untimed runs before them")
      ->check(files::wholeFrom(0, 1000000))
      ->capture_default_str();
  app.add_option("--threads", options.threads,
                 "threads of a run [all processors]")
      ->check(files::wholeFrom(1, 1024));
  app.add_option(
         "--execute", options.execute,
         "kernels: those of the processor; chip: the chip's program (npuc "
         "--chip-program), tile by tile in memories of the chip's sizes, "
         "where reading what was not written is an error; chip-unchecked: "
         "without looking for that")
      ->check(files::oneOf(executeNames))
      ->type_name("WHAT")
      ->capture_default_str();
  words.memory =
      app.add_option(
             "--budget", words.budget,
             "bytes that a run may take for inputs, outputs and the "
             "values between them; exit code 4 if it takes more [memory=" +
                 std::to_string(options.memory) + "]")
          ->type_name("memory=N");
  app.add_flag("--simulate-only", options.simulateOnly,
               "the chip's time without making or running any kernel; needs no "
               "inputs")
      ->excludes("--execute")
      ->excludes("--input")
      ->excludes("--output")
      ->excludes("--state-in")
      ->excludes("--state-out");
}

static void addResults(CLI::App &app, Options &options, Words &words) {
  app.option_defaults()->group("Results");
  app.add_option("--expect", options.expects,
                 "compares an output; may be repeated")
      ->type_name("NAME=FILE.npy")
      ->excludes("--simulate-only");
  app.add_option("--rtol", options.rtol, "allowed relative error")
      ->check(files::numberFrom(0, 1e30))
      ->capture_default_str();
  app.add_option("--atol", options.atol, "allowed absolute error")
      ->check(files::numberFrom(0, 1e30))
      ->capture_default_str();
  words.profiling =
      app.add_flag("--profile{-}", words.profile,
                   "prints time per kernel; =FILE.json writes it there");
  app.add_option("--trace", options.traceFile,
                 "writes a trace that Perfetto opens")
      ->type_name("FILE.json");
  app.add_flag("--json", options.json,
               "prints one JSON object (docs/run.schema.json)");
}

static void finish(Options &options, const Words &words) {
  options.profile = words.profiling->count() > 0;
  if (options.profile && words.profile != "-")
    options.profileFile = words.profile;
  if (words.memory->count() > 0)
    options.memory = parseBudget(words.budget);
  const bool needsTimes = options.profile || !options.traceFile.empty();
  if (options.execute != executeNames.front() && needsTimes)
    throw CLI::ValidationError(
        "--execute=" + options.execute +
        " does not time kernels; leave out --profile and --trace");
  if (words.random->count() > 0)
    options.randomSeed = parseSeed(words.seed);
}

std::optional<int> parseOptions(int argc, char **argv, Options &options) {
  CLI::App app("npu-run runs an NPU binary on the simulator.", "npu-run");
  Words words;
  addFiles(app, options);
  addRun(app, options, words);
  addResults(app, options, words);
  files::prepareCommandLine(
      app, {std::string(npu_version()) + " (" + npu_kernel_library() + ")",
            about,
            examples,
            {files::exitSuccess, files::exitModel, files::exitUsage,
             files::exitOutput, files::exitBudget, files::exitMemory,
             files::exitInput}});
  return files::readCommandLine(app, argc, argv,
                                [&] { finish(options, words); });
}

} // namespace npu::tools
