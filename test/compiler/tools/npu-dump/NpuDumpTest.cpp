// SPDX-License-Identifier: Apache-2.0
//
// npu-dump on programs written by hand, and on programs with one thing wrong:
// it shows them, or says in one sentence why not, and never crashes.
#include "test/runtime/DemoFile.h"
#include "test/runtime/Process.h"

#include <functional>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <random>

namespace npu::test {
namespace {

ProcessResult dump(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), NPU_DUMP);
  return runProcess(arguments);
}

void expectHolds(const std::string &text, const std::string &part) {
  EXPECT_NE(text.find(part), std::string::npos)
      << text << "\n  should hold: " << part;
}

void expectRefused(const ProcessResult &result, const std::string &path,
                   const std::string &says) {
  EXPECT_EQ(result.exitCode, 8) << result.err;
  EXPECT_EQ(result.out, "");
  expectHolds(result.err, "npu-dump: error: '" + path + "' ");
  expectHolds(result.err, says);
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1)
      << result.err;
}

struct Break {
  const char *name;
  std::function<void(DemoFile &)> apply;
  const char *says;
};

void PrintTo(const Break &b, std::ostream *out) { *out << b.name; }

class DumpRefuses : public testing::TestWithParam<Break> {};

} // namespace

TEST(NpuDump, ShowsAProgram) {
  std::string path = DemoFile("conv").seal("shown.npu");
  ProcessResult result = dump({path});
  EXPECT_EQ(result.exitCode, 0) << result.err;
  EXPECT_EQ(result.err, "");
  for (const char *part :
       {"inputs:\n", "outputs:\n", "kernels: 2 (1 generated", ": conv, ",
        "weight f32 ", "memory:\n", "arena ", "sections:\n", ".dynsym"})
    expectHolds(result.out, part);
  EXPECT_EQ(result.out.find("push"), std::string::npos);
}

TEST(NpuDump, ShowsWhatIsAskedFor) {
  std::string path = DemoFile("conv").seal("parts.npu");
  ProcessResult memory = dump({path, "--memory"});
  EXPECT_EQ(memory.out.rfind("memory:\n", 0), 0u) << memory.out;
  EXPECT_EQ(memory.out.find("kernels:"), std::string::npos);
  ProcessResult code = dump({path, "--disassemble"});
  EXPECT_EQ(code.exitCode, 0) << code.err;
  expectHolds(code.out, "\tret\n");
  EXPECT_EQ(code.out.find("not an instruction"), std::string::npos);
  ProcessResult manifest = dump({path, "--manifest"});
  EXPECT_EQ(nlohmann::json::parse(manifest.out)["format_version"],
            NPU_FORMAT_VERSION);
}

TEST(NpuDump, JsonAgreesWithTheTables) {
  DemoFile demo("conv");
  std::string path = demo.seal("json.npu");
  ProcessResult result =
      dump({path, "--json", "--kernels", "--signature", "--memory",
            "--sections", "--manifest", "--disassemble"});
  ASSERT_EQ(result.exitCode, 0) << result.err;
  nlohmann::json shown = nlohmann::json::parse(result.out);
  ASSERT_EQ(shown["kernels"].size(), demo.program().n_kernels);
  EXPECT_EQ(shown["kernels"][0]["kind"], "conv");
  EXPECT_EQ(shown["kernels"][0]["operands"].size(),
            static_cast<size_t>(demo.kernels()[0].n_inputs +
                                demo.kernels()[0].n_outputs));
  EXPECT_EQ(shown["kernels"][0]["operands"][0]["shape"][0],
            demo.tensors()[0].dims[0]);
  EXPECT_EQ(shown["memory"]["arena_bytes"], demo.program().arena_bytes);
  EXPECT_EQ(shown["signature"]["inputs"].size(), demo.program().n_inputs);
  EXPECT_EQ(shown["manifest"]["target"]["name"], shown["signature"]["target"]);
  EXPECT_FALSE(shown["disassembly"].empty());
  EXPECT_FALSE(shown["file"]["sections"].empty());
}

TEST(NpuDump, ShowsWhatIsMadeAtLoad) {
  std::string path = DemoFile("made").seal("made.npu");
  const std::string text = dump({path, "--memory"}).out;
  expectHolds(text, "made at load: f32 4096 a of f16 4096 a by cast\n");
  expectHolds(text,
              "made at load: f32 256 a of f32 256 a and f32 1 a by mul\n");
  auto shown = nlohmann::json::parse(dump({path, "--memory", "--json"}).out);
  const auto &made = shown["memory"]["made_at_load"];
  ASSERT_EQ(made.size(), 4u);
  EXPECT_EQ(made[1]["by"], "cast");
  EXPECT_EQ(made[1]["operands"][0]["dtype"], "bf16");
  EXPECT_EQ(made[1]["operands"][0]["weights_offset"], 8192);
  EXPECT_EQ(made[1]["operands"][1]["weights_offset"], 12288 + 16384);
}

TEST(NpuDump, RefusesMakersWithoutSourcesOrOfSeveral) {
  for (auto [inputs, outputs] : {std::pair(0, 1), {1, 2}}) {
    DemoFile demo("made");
    demo.makers()[0].n_inputs = inputs;
    demo.makers()[0].n_outputs = outputs;
    std::string path = demo.seal("refused.npu");
    expectRefused(dump({path}), path, "row in its table of makers");
  }
}

TEST_P(DumpRefuses, WithASentence) {
  DemoFile demo("conv");
  GetParam().apply(demo);
  std::string path = demo.seal("refused.npu");
  expectRefused(dump({path}), path, GetParam().says);
}

#define BREAK(name, says, ...)                                                 \
  Break {                                                                      \
    #name, [](DemoFile &d) { __VA_ARGS__; }, says                              \
  }

INSTANTIATE_TEST_SUITE_P(
    Checks, DumpRefuses,
    testing::Values(
        BREAK(Magic, "does not begin with NPUPROG", d.program().magic[0] = 'X'),
        BREAK(Version, "program table of version 99", d.program().version = 99),
        BREAK(Size, "and 8 bytes", d.program().size = 8),
        BREAK(KernelTable, "kernel table outside",
              d.movePointer(offsetof(npu_program, kernels), int64_t(1) << 40)),
        BREAK(TensorTable, "tensor table outside",
              d.program().n_tensors = 1u << 30),
        BREAK(InstrTable, "instruction table outside",
              d.program().n_instrs = 1u << 30),
        BREAK(TensorRank, "row in its tensor table", d.tensors()[0].rank = 9),
        BREAK(TensorType, "row in its tensor table", d.tensors()[0].dtype = 99),
        BREAK(TensorOrder, "row in its tensor table",
              d.tensors()[0].order[0] = 100),
        BREAK(TensorBlocks, "row in its tensor table",
              d.tensors()[0].block_count = 9),
        BREAK(TensorBlockDim, "row in its tensor table",
              d.tensors()[0].block_count = 1;
              d.tensors()[0].block_dims[0] = 7),
        BREAK(MakerTable, "table of makers outside",
              d.program().n_makers = 1u << 30),
        BREAK(AttrTable, "table of attributes outside",
              d.program().n_attrs = 1u << 30),
        BREAK(KernelOp, "row in its kernel table", d.kernels()[0].op = 99),
        BREAK(KernelAttrs, "row in its kernel table", d.kernels()[0].attrs = 9),
        BREAK(KernelTensors, "row in its kernel table",
              d.kernels()[0].first_tensor = 1000),
        BREAK(KernelInstrs, "row in its kernel table",
              d.kernels()[0].n_instrs = 1000),
        BREAK(KernelInputs, "row in its kernel table",
              d.kernels()[0].n_inputs = -1),
        BREAK(ManifestKernels, "kernels in its manifest",
              d.manifest.kernels.pop_back()),
        BREAK(NoElf, "64-bit little-endian ELF", d.elf[0] = 'X'),
        BREAK(SectionTable, "damaged ELF part", d.elf[0x28] ^= 0x40)),
    [](const auto &info) { return info.param.name; });
#undef BREAK

TEST(NpuDump, RefusesDamage) {
  std::string path = DemoFile("conv").seal("damaged.npu");
  std::string bytes = readFile(path);
  std::string flipped = bytes;
  flipped[flipped.size() / 2] ^= 1;
  writeFile(path, flipped);
  expectRefused(dump({path}), path, "checksum");
  writeFile(path, bytes.substr(0, bytes.size() - 1));
  expectRefused(dump({path}), path, "cut short");
  writeFile(path, "");
  EXPECT_EQ(dump({path}).exitCode, 8);
  std::string missing = scratchFolder() + "missing.npu";
  expectRefused(dump({missing}), missing, "cannot be read");
  DemoFile demo("conv");
  std::string bad = demo.seal("manifest.npu", "{}");
  expectRefused(dump({bad}), bad, "is missing");
}

TEST(NpuDump, RefusesWrongUsage) {
  EXPECT_EQ(dump({}).exitCode, 2);
  EXPECT_EQ(dump({"a.npu", "--nonsense"}).exitCode, 2);
  EXPECT_EQ(dump({"--help"}).exitCode, 0);
}

// The checksum guards against accidents, not against a file made to crash
// readers: every byte of the ELF's own tables may hold anything.
TEST(NpuDump, SurvivesAnyElf) {
  std::mt19937 random(1);
  for (int i = 0; i < 80; ++i) {
    DemoFile demo("conv");
    bool isHeader = i % 2 == 0;
    size_t range =
        isHeader ? std::min<size_t>(1024, demo.elf.size()) : demo.elf.size();
    for (int flips = 0; flips < 3; ++flips)
      demo.elf[random() % range] ^= static_cast<char>(1 + random() % 255);
    std::string path = demo.seal("any.npu");
    ProcessResult result = dump({path, "--json", "--sections", "--kernels",
                                 "--disassemble", "--signature"});
    EXPECT_TRUE(result.exitCode == 0 || result.exitCode == 8)
        << "case " << i << ": " << result.exitCode << result.err;
  }
}

} // namespace npu::test
