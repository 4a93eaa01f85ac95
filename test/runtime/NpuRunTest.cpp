// SPDX-License-Identifier: Apache-2.0
//
// npu-run as a user meets it: results, reports, and one clear message and exit
// code for everything that can be wrong.

#include "files/npy.h"
#include "test/runtime/DemoFile.h"
#include "test/runtime/Process.h"
#include "test/runtime/Reference.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>

namespace npu::test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

const std::vector<int64_t> inShape = {1, 3, 32, 32}, outShape = {1, 16, 32, 32};

/// An input file in the model's order and the expected output beside it.
class NpuRun : public testing::Test {
protected:
  static void SetUpTestSuite() {
    program = DemoFile("conv").seal("cli.npu");
    std::vector<float> rows(3 * 32 * 32), stored(rows.size());
    fillInput(rows.data(), rows.size(), 3);
    for (size_t c = 0; c < 3; ++c)
      for (size_t i = 0; i < 32 * 32; ++i)
        stored[i * 3 + c] = rows[c * 32 * 32 + i];
    std::vector<float> y = referenceConv(stored.data()), want(y.size());
    for (size_t c = 0; c < 16; ++c)
      for (size_t i = 0; i < 32 * 32; ++i)
        want[c * 32 * 32 + i] = y[i * 16 + c];
    save("x.npy", "<f4", inShape, rows);
    save("want.npy", "<f4", outShape, want);
    want[20] += 1;
    save("wrong.npy", "<f4", outShape, want);
  }

  template <class T>
  static void save(const char *name, const char *descr,
                   const std::vector<int64_t> &shape,
                   const std::vector<T> &values) {
    files::OutputFiles files;
    ASSERT_EQ(tools::writeNpy(files, file(name), descr, shape, values.data(),
                              values.size() * sizeof(T)),
              "");
    ASSERT_EQ(files.commit(), "");
  }
  static std::string file(const std::string &name) {
    return scratchFolder() + name;
  }
  static ProcessResult run(std::vector<std::string> arguments,
                           uint64_t fileLimit = 0) {
    arguments.insert(arguments.begin(), NPU_RUN);
    return runProcess(arguments, fileLimit);
  }
  /// Runs with a good input besides.
  static ProcessResult runGood(std::vector<std::string> arguments,
                               uint64_t fileLimit = 0) {
    arguments.insert(arguments.begin(),
                     {program, "--input", "x=" + file("x.npy")});
    return run(arguments, fileLimit);
  }
  static void expectError(const ProcessResult &result, int code,
                          const std::string &says) {
    EXPECT_EQ(result.exitCode, code) << result.err;
    EXPECT_NE(result.err.find(says), std::string::npos)
        << result.err << "\n  should say: " << says;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1)
        << "one message: " << result.err;
  }

  static std::string program;
};
std::string NpuRun::program;

TEST_F(NpuRun, WritesAndCompares) {
  ProcessResult result =
      runGood({"--output", "y=" + file("y.npy"), "--expect",
               "y=" + file("want.npy"), "--rtol=1e-4", "--atol=1e-5",
               "--repeat=3", "--warmup=1", "--threads=2"});
  EXPECT_EQ(result.exitCode, 0) << result.err;
  EXPECT_NE(result.err.find("output 'y' agrees"), std::string::npos);
  EXPECT_NE(result.out.find("3 runs, 2 threads"), std::string::npos)
      << result.out;
  std::vector<float> y(16 * 32 * 32), want(y.size());
  ASSERT_EQ(
      tools::readNpy(file("y.npy"), "<f4", outShape, y.data(), y.size() * 4),
      "");
  ASSERT_EQ(tools::readNpy(file("want.npy"), "<f4", outShape, want.data(),
                           want.size() * 4),
            "");
  for (size_t i = 0; i < y.size(); ++i)
    ASSERT_NEAR(y[i], want[i], 1e-5);
}

TEST_F(NpuRun, ComparisonThatFails) {
  ProcessResult result = runGood({"--expect", "y=" + file("wrong.npy")});
  EXPECT_EQ(result.exitCode, 1);
  EXPECT_NE(result.err.find("differs in 1 of 16384 elements, first in element "
                            "20: got"),
            std::string::npos)
      << result.err;
  EXPECT_NE(result.err.find(" of the largest value"), std::string::npos)
      << result.err;
  // Wide enough tolerances accept it.
  EXPECT_EQ(
      runGood({"--expect", "y=" + file("wrong.npy"), "--atol=1.1"}).exitCode,
      0);
}

TEST_F(NpuRun, NotANumber) {
  std::vector<float> want(16 * 32 * 32);
  ASSERT_EQ(tools::readNpy(file("want.npy"), "<f4", outShape, want.data(),
                           want.size() * 4),
            "");
  want[7] = want[9] = NAN;
  save("nan.npy", "<f4", outShape, want);
  ProcessResult result = runGood({"--expect", "y=" + file("nan.npy")});
  EXPECT_EQ(result.exitCode, 1);
  for (const char *text :
       {"differs in 2 of 16384 elements, first in element 7: got ",
        "expected nan; 2 of a number where NaN is expected; largest error of "
        "the numbers "})
    EXPECT_NE(result.err.find(text), std::string::npos) << result.err;
  want[7] = INFINITY;
  want[9] = 1e30f;
  save("inf.npy", "<f4", outShape, want);
  result = runGood({"--expect", "y=" + file("inf.npy")});
  EXPECT_NE(result.err.find("largest error inf absolute"), std::string::npos)
      << result.err;
}

TEST_F(NpuRun, ProfileWithoutName) {
  ProcessResult result = runGood({"--profile="});
  EXPECT_EQ(result.exitCode, 2);
  EXPECT_NE(result.err.find("--profile: '' is no value"), std::string::npos)
      << result.err;
}

TEST_F(NpuRun, JsonReport) {
  ProcessResult result =
      runGood({"--json", "--repeat=5", "--profile=" + file("profile.json")});
  ASSERT_EQ(result.exitCode, 0) << result.err;
  for (const std::string &text : {result.out, readFile(file("profile.json"))}) {
    Json json = Json::parse(text);
    EXPECT_EQ(json["latency_ms"]["runs"].size(), 5u);
    EXPECT_GT(json["latency_ms"]["min"], 0);
    EXPECT_GE(json["latency_ms"]["median"], json["latency_ms"]["min"]);
    for (const char *key : {"load_ms", "pack_ms", "convert_ms"})
      EXPECT_GE(json[key], 0) << key;
    EXPECT_GT(json["peak_rss_bytes"], 1000000);
    EXPECT_EQ(json["arena_bytes"], 16 * 32 * 32 * 4);
    ASSERT_EQ(json["kernels"].size(), 2u);
    const Json &relu = json["kernels"][1];
    EXPECT_EQ(relu["name"], "kernel1");
    EXPECT_EQ(relu["implementation"], "generated");
    EXPECT_EQ(relu["node"], "node1");
    EXPECT_EQ(relu["slow"], false);
    EXPECT_EQ(relu["adapter_bytes"], 0);
    EXPECT_GT(relu["host_ms"], 0);
  }
}

TEST_F(NpuRun, SimulateOnly) {
  ProcessResult result = run({program, "--simulate-only", "--json"});
  ASSERT_EQ(result.exitCode, 0) << result.err;
  Json json = Json::parse(result.out);
  EXPECT_GT(json["simulated"]["cycles"], 0);
  // The same as of a run, but for what only a run knows.
  Json whole = Json::parse(runGood({"--json"}).out);
  for (const char *host : {"latency_ms", "threads", "load_ms", "pack_ms",
                           "convert_ms", "peak_rss_bytes", "packed_bytes",
                           "released_bytes", "scratch_bytes", "state_bytes"})
    EXPECT_EQ(whole.erase(host), 1u) << host;
  for (Json &kernel : whole["kernels"])
    for (const char *host :
         {"implementation", "host_ms", "slow", "adapter_bytes"})
      EXPECT_EQ(kernel.erase(host), 1u) << host;
  EXPECT_EQ(json, whole);
}

TEST_F(NpuRun, SimulateOnlyProfile) {
  ProcessResult result = run({program, "--simulate-only", "--profile"});
  ASSERT_EQ(result.exitCode, 0) << result.err;
  for (const char *host : {"host ms", " by ", "not made", "0.0000"})
    EXPECT_EQ(result.out.find(host), std::string::npos) << result.out;
  for (const char *chip : {"DRAM MB", "bound by", "kernel0: node0",
                           "in 2 kernels", "in relayouts"})
    EXPECT_NE(result.out.find(chip), std::string::npos) << result.out;
  EXPECT_NE(runGood({"--profile"}).out.find(" by "), std::string::npos);
}

TEST_F(NpuRun, ProfileTable) {
  ProcessResult result = runGood({"--profile", "--repeat=3"});
  ASSERT_EQ(result.exitCode, 0) << result.err;
  EXPECT_NE(result.out.find("kernel0: node0"), std::string::npos);
  EXPECT_NE(result.out.find("in 2 kernels"), std::string::npos);
  EXPECT_NE(result.out.find("in relayouts"), std::string::npos);
  std::istringstream lines(result.out);
  for (std::string line; std::getline(lines, line);)
    EXPECT_LE(line.size(), 100U) << line;
}

TEST_F(NpuRun, Trace) {
  ProcessResult result = runGood({"--trace", file("trace.json"), "--repeat=2"});
  ASSERT_EQ(result.exitCode, 0) << result.err;
  Json events = Json::parse(readFile(file("trace.json")))["traceEvents"];
  size_t kernels = 0, onChip = 0, memory = 0;
  double runEnd = 0;
  for (const Json &event : events) {
    memory += event["ph"] == "C";
    if (event["ph"] != "X")
      continue;
    double end = event["ts"].get<double>() + event["dur"].get<double>();
    if (event["pid"] == 2)
      onChip += event["tid"] == 1;
    else if (event["cat"] == "run")
      runEnd = end;
    else if (++kernels)
      EXPECT_LE(end, runEnd); // inside its run, which comes first
  }
  EXPECT_EQ(kernels, 4u);
  EXPECT_EQ(onChip, 2u); // one run of the chip
  EXPECT_EQ(memory, 3u); // at each kernel and at the end
}

TEST_F(NpuRun, RandomInputsDependOnTheSeedOnly) {
  auto output = [&](const std::string &flag, const std::string &name) {
    ProcessResult result = run({program, flag, "--output", "y=" + file(name)});
    EXPECT_EQ(result.exitCode, 0) << result.err;
    return readFile(file(name));
  };
  EXPECT_EQ(output("--random-inputs", "r0.npy"),
            output("--random-inputs=0", "r1.npy"));
  EXPECT_NE(output("--random-inputs=1", "r2.npy"),
            output("--random-inputs=2", "r3.npy"));
  EXPECT_EQ(run({program, "--random-inputs=abc"}).exitCode, 2);
  EXPECT_EQ(run({program, "--random-inputs=-1"}).exitCode, 2);
}

TEST_F(NpuRun, OptionsMayComeFirst) {
  ProcessResult result =
      run({"--profile", "--input", "x=" + file("x.npy"), program});
  EXPECT_EQ(result.exitCode, 0) << result.err;
  EXPECT_EQ(run({"--random-inputs", program}).exitCode, 0);
}

/// bf16 tensors are float32 in files, both ways. The demo's weights are exact
/// in bf16; read as such, each float is a zero and itself.
TEST_F(NpuRun, Bf16IsFloat32InFiles) {
  constexpr size_t size = 1024;
  DemoFile demo("matmul-4mb");
  for (int i = 0; i < 3; ++i)
    demo.tensors()[i].dtype = NPU_BF16;
  for (npu_io_desc *io : {demo.inputs(), demo.outputs()}) {
    io->tensor.dtype = NPU_BF16;
    io->bytes /= 2;
  }
  demo.manifest.inputs[0].dtype = demo.manifest.outputs[0].dtype = "bf16";
  demo.manifest.weightBytes = demo.program().weight_bytes /= 2;
  std::string path = demo.seal("bf16.npu");

  std::vector<float> x(matmulRows * size), want(x.size()), y(x.size());
  fillInput(x.data(), x.size(), 9);
  for (size_t row = 0; row < matmulRows; ++row)
    for (size_t n = 1; n < size; n += 2) {
      double sum = 0;
      for (size_t k = 0; k < size; ++k)
        sum += double(x[row * size + k]) * demo_weight((k * size + n) / 2);
      want[row * size + n] = static_cast<float>(sum);
    }
  const std::vector<int64_t> shape = {matmulRows, size};
  save("bf16-x.npy", "<f4", shape, x);
  save("bf16-want.npy", "<f4", shape, want);
  ProcessResult result =
      run({path, "--input", "x=" + file("bf16-x.npy"), "--expect",
           "y=" + file("bf16-want.npy"), "--rtol=0.01", "--atol=0.05",
           "--output", "y=" + file("bf16-y.npy")});
  EXPECT_EQ(result.exitCode, 0) << result.err;
  ASSERT_EQ(tools::readNpy(file("bf16-y.npy"), "<f4", shape, y.data(),
                           y.size() * sizeof(float)),
            "");
  for (float value : y) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    ASSERT_EQ(bits & 0xffff, 0u) << value << " is no bf16 number";
  }
}

TEST_F(NpuRun, HelpAndVersion) {
  ProcessResult help = run({"--help"});
  EXPECT_EQ(help.exitCode, 0);
  for (const char *text :
       {"Examples:", "Exit codes (docs/exit-codes.md):", "--random-inputs",
        "--profile", "--trace", "--expect", "--json", "--budget"})
    EXPECT_NE(help.out.find(text), std::string::npos) << text;
  ProcessResult version = run({"--version"});
  EXPECT_EQ(version.exitCode, 0);
  EXPECT_NE(version.out.find("npu-run " NPU_VERSION " (oneDNN "),
            std::string::npos)
      << version.out;
}

TEST_F(NpuRun, WrongUsage) {
  EXPECT_EQ(run({}).exitCode, 2);
  EXPECT_EQ(run({program, "--no-such-option"}).exitCode, 2);
  EXPECT_EQ(run({program, "--repeat=0"}).exitCode, 2);
  EXPECT_EQ(run({program, "--threads=0"}).exitCode, 2);
  EXPECT_EQ(run({program, "--rtol=-1"}).exitCode, 2);
  EXPECT_EQ(run({program, "--repeat=many"}).exitCode, 2);
  EXPECT_EQ(run({program, "another.npu"}).exitCode, 2);
}

TEST_F(NpuRun, Budget) {
  // 12 KiB in, 64 KiB out, twice as much again: arena and conversion.
  expectError(runGood({"--budget=memory=100000"}), 4,
              "takes at least 208896 bytes of memory for its inputs, outputs "
              "and the values between them, the budget is 100000; if that is "
              "meant, raise it with --budget=memory=N");
  EXPECT_EQ(runGood({"--budget=memory=208896"}).exitCode, 0);
  EXPECT_EQ(run({program, "--budget=memory=1", "--simulate-only"}).exitCode, 0);
  // What --expect reads is as large as the output.
  expectError(
      runGood({"--budget=memory=208896", "--expect", "y=" + file("want.npy")}),
      4, "takes at least 274432 bytes");
  expectError(runGood({"--budget=nodes=5"}), 2,
              "unknown 'nodes', expected one of: memory");
  for (const char *number : {"", "0", "-1", "1GB", " 1"})
    expectError(runGood({std::string("--budget=memory=") + number}), 2,
                "has no number of 1 or more; write memory=1073741824");
}

TEST_F(NpuRun, BadProgram) {
  expectError(run({file("none.npu"), "--random-inputs"}), 8,
              "No such file or directory");
  expectError(run({file("x.npy"), "--random-inputs"}), 8,
              "does not end in an NPU footer");
}

TEST_F(NpuRun, WrongNames) {
  expectError(run({program, "--input", "z=" + file("x.npy")}), 2,
              "names no input of the program; write NAME=FILE.npy with one of "
              "these names: x");
  expectError(run({program, "--input", file("x.npy")}), 2,
              "names no input of the program");
  expectError(runGood({"--output", "x=" + file("y.npy")}), 2,
              "names no output of the program; write NAME=FILE.npy with one of "
              "these names: y");
  expectError(runGood({"--expect", "=" + file("y.npy")}), 2, "names no output");
  expectError(runGood({"--input", "x=" + file("x.npy")}), 2,
              "input 'x' is given twice");
  expectError(run({program}), 2,
              "input 'x' has no file; give --input NAME=FILE.npy");
}

TEST_F(NpuRun, NameWithEqualsSign) {
  DemoFile demo("conv");
  demo.manifest.inputs[0].name = "x=1";
  std::string path = demo.seal("equals.npu");
  EXPECT_EQ(run({path, "--input", "x=1=" + file("x.npy")}).exitCode, 0);
}

TEST_F(NpuRun, LongTrace) {
  expectError(
      runGood({"--repeat=200000", "--trace", file("long.json")}), 2,
      "--trace of 200000 runs of 2 kernels is too long, at most 100000 kernels "
      "are in one; give a smaller --repeat");
}

TEST_F(NpuRun, ChipNamesAreShownWithoutControlCharacters) {
  DemoFile demo("conv");
  demo.manifest.targetName = "a\x1b[2Jb";
  ProcessResult result = run({demo.seal("chip.npu"), "--simulate-only"});
  EXPECT_EQ(result.exitCode, 0) << result.err;
  EXPECT_NE(result.out.find("cycles of a\\x1b[2Jb at"), std::string::npos)
      << result.out;
}

TEST_F(NpuRun, WrongTensorFiles) {
  auto input = [&](const std::string &name) {
    return run({program, "--input", "x=" + file(name)});
  };
  save("double.npy", "<f8", inShape, std::vector<double>(3 * 32 * 32));
  expectError(input("double.npy"), 8,
              "has elements of type '<f8', expected '<f4'");
  save("shape.npy", "<f4", {1, 32, 32, 3}, std::vector<float>(3 * 32 * 32));
  expectError(input("shape.npy"), 8, "has shape 1x32x32x3, expected 1x3x32x32");
  std::string bytes = readFile(file("x.npy"));
  writeFile(file("short.npy"), bytes.substr(0, bytes.size() - 1));
  expectError(input("short.npy"), 8, "has 12287 bytes of data, expected 12288");
  std::string fortran = bytes;
  fortran.replace(fortran.find("False"), 5, "True ");
  writeFile(file("fortran.npy"), fortran);
  expectError(input("fortran.npy"), 8, "Fortran order");
  expectError(input("missing.npy"), 8, "input 'x': '");
  expectError(input("missing.npy"), 8, "No such file or directory");
  expectError(runGood({"--expect", "y=" + file("x.npy")}), 8,
              "expected output 'y': '");
}

TEST_F(NpuRun, FullDisk) {
  fs::create_directory(file("full"));
  // 8 KB: less than the output (64 KB) and the trace of 500 runs.
  expectError(runGood({"--output", "y=" + file("full/y.npy")}, 8192), 3,
              "output 'y': cannot write");
  expectError(runGood({"--trace", file("full/t.json"), "--repeat=500"}, 8192),
              3, "cannot write");
  expectError(runGood({"--output", "y=/dev/full"}), 3,
              "No space left on device");
  EXPECT_TRUE(fs::is_empty(file("full")));
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
  expectError(runGood({"--output", "y=" + file("no/folder/y.npy")}), 3,
              "there is no folder '" + file("no/folder'"));
}

TEST_F(NpuRun, OutputsReplaceNothingOfTheCall) {
  std::string folder = emptyFolder("clash-run");
  fs::copy_file(program, folder + "p.npu");
  fs::copy_file(file("x.npy"), folder + "x.npy");
  fs::create_hard_link(folder + "x.npy", folder + "hard.npy");
  fs::create_symlink("p.npu", folder + "link");
  std::string before = readFile(folder + "x.npy");
  auto refuse = [&](const std::vector<std::string> &words,
                    const std::string &says) {
    std::vector<std::string> all = {folder + "p.npu", "--input",
                                    "x=" + folder + "x.npy"};
    all.insert(all.end(), words.begin(), words.end());
    expectError(run(all), 2, says);
    EXPECT_EQ(filesIn(folder), 4u);
    EXPECT_EQ(readFile(folder + "x.npy"), before);
    EXPECT_EQ(readFile(folder + "p.npu"), readFile(program));
  };
  refuse({"--output", "y=" + folder + "hard.npy"}, "would replace --input");
  refuse({"--output", "y=" + folder + "link"}, "would replace the program");
  refuse({"--trace", folder + "p.npu"}, "would replace the program");
  refuse({"--trace", folder + "new", "--profile=" + folder + "./new"},
         "would replace --profile");
  refuse({"--expect", "y=" + folder + "hard.npy", "--output",
          "y=" + folder + "x.npy"},
         "would replace --input");
  expectError(
      run({folder + "p.npu", "--simulate-only", "--trace", folder + "p.npu"}),
      2, "would replace the program");
}

/// The last of three files fails, so there is none.
TEST_F(NpuRun, AllFilesOrNone) {
  std::string folder = emptyFolder("all-run");
  writeFile(folder + "y.npy", "old");
  expectError(runGood({"--output", "y=" + folder + "y.npy",
                       "--profile=" + folder + "p.json", "--trace",
                       folder + "none/t.json"}),
              3, "there is no folder '");
  EXPECT_EQ(readFile(folder + "y.npy"), "old");
  EXPECT_EQ(filesIn(folder), 1u);
}

} // namespace
} // namespace npu::test
