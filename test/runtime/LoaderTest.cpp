// SPDX-License-Identifier: Apache-2.0
//
// One test per check of the loader: a good file with one thing wrong, sealed
// with a right checksum, must be refused with a code and a sentence that says
// what is wrong.

#include "npu/npu.h"
#include "test/runtime/DemoFile.h"

#include <functional>
#include <gtest/gtest.h>
#include <sys/stat.h>

namespace npu::test {
namespace {

struct Result {
  npu_code code;
  std::string message;
};

Result load(const std::string &path,
            npu_load_options options = {1, 0, 0, nullptr, nullptr, 0, 0}) {
  npu_status status;
  npu_model *model = nullptr;
  npu_model_load(path.c_str(), &options, &model, &status);
  EXPECT_EQ(model == nullptr, status.code != NPU_OK);
  npu_model_free(model);
  return {status.code, status.message};
}

void expectRefused(const Result &result, npu_code code,
                   const std::string &says) {
  EXPECT_EQ(result.code, code) << result.message;
  EXPECT_NE(result.message.find(says), std::string::npos)
      << result.message << "\n  should say: " << says;
}

struct Break {
  const char *name;
  std::function<void(DemoFile &)> apply;
  const char *says;
};

void PrintTo(const Break &b, std::ostream *out) { *out << b.name; }

class Refused : public testing::TestWithParam<Break> {};

TEST_P(Refused, WithASentence) {
  DemoFile demo("conv");
  GetParam().apply(demo);
  std::string path = demo.seal("refused.npu");
  Result result = load(path);
  expectRefused(result, NPU_BAD_FILE, GetParam().says);
  EXPECT_NE(result.message.find(path), std::string::npos) << result.message;
  EXPECT_NE(result.message.find("compile it again"), std::string::npos)
      << result.message;
}

#define BREAK(name, says, ...)                                                 \
  Break {                                                                      \
    #name, [](DemoFile &d) { __VA_ARGS__; }, says                              \
  }

const Break rootBreaks[] = {
    BREAK(Magic, "magic", d.program().magic[7] = 'X'),
    BREAK(Version, "version is 99", d.program().version = 99),
    BREAK(Size, "size is 1, expected 136", d.program().size = 1),
    BREAK(States, "number of states is 1, expected the manifest's 0",
          d.program().n_states = 1),
    BREAK(StatesWithoutInputs, "number of states is 2, expected at most that",
          d.program().n_states = 2),
    BREAK(KernelTable, "kernel table lies outside",
          d.program().n_kernels = 1u << 30),
    BREAK(MakerTable, "table of makers lies outside",
          d.program().n_makers = 1u << 30),
    BREAK(AttrTable, "table of attributes lies outside",
          d.program().n_attrs = 1u << 30),
    BREAK(TensorTable, "tensor table lies outside",
          d.program().n_tensors = UINT32_MAX),
    BREAK(InstrTable, "instruction table lies outside",
          d.program().n_instrs = 1u << 30),
    BREAK(InputTable, "input table lies outside",
          d.program().n_inputs = 1u << 30),
    BREAK(OutputTable, "output table lies outside",
          d.program().n_outputs = 1u << 30),
    BREAK(KernelPointer, "kernel table lies outside",
          d.movePointer(offsetof(npu_program, kernels), 1 << 30)),
    BREAK(TensorPointer, "tensor table lies outside",
          d.movePointer(offsetof(npu_program, tensors), -(1 << 30))),
    BREAK(MisalignedTable, "tensor table lies outside",
          d.movePointer(offsetof(npu_program, tensors), 4)),
    BREAK(WeightsSize, "weights lie outside",
          d.program().weight_bytes = UINT64_MAX),
    BREAK(WeightsAlignment, "not aligned to 4096",
          d.program().weight_bytes -= 64;
          d.movePointer(offsetof(npu_program, weights), 64)),
    BREAK(WeightsPointer, "weights lie outside",
          d.movePointer(offsetof(npu_program, weights), int64_t(1) << 40)),
    BREAK(ArenaHuge, "arena's size", d.program().arena_bytes = UINT64_MAX),
    BREAK(EntryPointer, "entry lies outside",
          d.movePointer(offsetof(npu_program, run), 1 << 30)),
    BREAK(EntryInData, "entry lies outside",
          d.setPointer(offsetof(npu_program, run), 64)),
};

const Break manifestBreaks[] = {
    BREAK(ZeroInName, "expected a name without a zero character",
          d.manifest.inputs[0].name = std::string("x\0y", 3)),
    BREAK(KernelLayouts, "disagrees on the layouts of its operands",
          d.manifest.kernels[0].layouts[0] += "2a"),
    BREAK(KernelResults, "disagrees on the layouts of its operands",
          d.manifest.kernels[0].results = 2),
    BREAK(NoInputsLeft, "expected layouts of one result or more",
          d.manifest.kernels[0].results = 9),
    BREAK(Arena, "arena's size is", d.manifest.arenaBytes += 1),
    BREAK(Weights, "weights' size is", d.manifest.weightBytes += 1),
    BREAK(KernelCount, "number of kernels is 2, expected the manifest's 3",
          d.manifest.kernels.push_back(d.manifest.kernels[0])),
    BREAK(InputCount, "number of inputs is 1, expected the manifest's 0",
          d.manifest.inputs.clear()),
    BREAK(OutputCount, "number of outputs is 1, expected the manifest's 0",
          d.manifest.outputs.clear()),
    BREAK(InputShape, "input 0 ('x'): the manifest describes another",
          d.manifest.inputs[0].shape[1] = 4),
    BREAK(InputType, "the manifest describes another",
          d.manifest.inputs[0].dtype = "i8"),
    BREAK(OutputLayout, "output 0 ('y'): the manifest describes another",
          d.manifest.outputs[0].layout = "abcd"),
    BREAK(Generated, "kernel 1 ('kernel1'): the manifest disagrees",
          d.manifest.kernels[1].generated = false),
};

const Break tensorBreaks[] = {
    BREAK(Dtype, "tensor 0: its type is 13, expected less than 13",
          d.tensors()[0].dtype = NPU_DTYPE_COUNT),
    BREAK(DtypeNegative, "its type is", d.tensors()[0].dtype = -1),
    BREAK(Rank, "its rank is 9", d.tensors()[1].rank = 9),
    BREAK(RankNegative, "its rank is", d.tensors()[1].rank = -1),
    BREAK(Reserved, "reserved field is not 0", d.tensors()[1].reserved[6] = 1),
    BREAK(BlockCount, "number of blocks", d.tensors()[1].block_count = 9),
    BREAK(OrderTwice, "no permutation", d.tensors()[1].order[0] = 0),
    BREAK(OrderOutside, "no permutation", d.tensors()[1].order[0] = 4),
    BREAK(OrderNegative, "no permutation", d.tensors()[1].order[0] = -1),
    BREAK(BlockDim, "blocks a dimension", d.tensors()[1].block_count = 1;
          d.tensors()[1].block_dims[0] = 4; d.tensors()[1].block_sizes[0] = 2),
    BREAK(BlockSize, "less than two", d.tensors()[1].block_count = 1;
          d.tensors()[1].block_sizes[0] = 0),
    BREAK(DimZero, "kernel extent 0", d.tensors()[1].dims[2] = 0),
    BREAK(DimNegative, "its dimension 2 is -3", d.tensors()[1].dims[2] = -3),
    BREAK(DimOverflow, "overflows", d.tensors()[1].dims[2] = INT64_MAX),
    BREAK(SizeOverflow, "overflows", d.tensors()[1].dims[2] = 1l << 32;
          d.tensors()[1].dims[3] = 1l << 32),
    BREAK(BlockOverflow, "overflows", d.tensors()[1].block_count = 1;
          d.tensors()[1].block_dims[0] = 2; d.tensors()[1].block_sizes[0] = 16;
          d.tensors()[1].dims[2] = INT64_MAX - 3),
    BREAK(
        BlocksOverflow, "overflows", d.tensors()[1].block_count = 3;
        for (int i = 0; i < 3; ++i) {
          d.tensors()[1].block_dims[i] = 2;
          d.tensors()[1].block_sizes[i] = INT32_MAX;
        }),
    BREAK(WeightsOffsetNegative, "weights offset is negative",
          d.tensors()[1].weights_offset = -2),
    BREAK(WeightsOffsetEnd, "end behind the weights'",
          d.tensors()[1].weights_offset = 64),
    BREAK(WeightsOffsetOverflow, "end behind the weights'",
          d.tensors()[1].weights_offset = INT64_MAX),
    BREAK(WeightsOffsetAlignment, "a multiple of 64",
          d.tensors()[1].dims[0] = 8;
          d.tensors()[1].weights_offset = 4),
};

const Break kernelBreaks[] = {
    BREAK(Op, "kernel 0 ('kernel0'): its op is 1000", d.kernels()[0].op = 1000),
    BREAK(OpNegative, "its op is", d.kernels()[0].op = -1),
    BREAK(Flags, "its flags is 2", d.kernels()[0].flags = 2),
    BREAK(InputsNegative, "tensor rows lie outside",
          d.kernels()[0].n_inputs = -1),
    BREAK(InputsMany, "tensor rows lie outside",
          d.kernels()[0].n_inputs = INT32_MAX),
    BREAK(NoOutput, "tensor rows lie outside", d.kernels()[0].n_outputs = 0),
    BREAK(FirstTensor, "tensor rows lie outside",
          d.kernels()[0].first_tensor = UINT32_MAX),
    BREAK(FirstInstr, "instruction rows lie outside",
          d.kernels()[1].first_instr = UINT32_MAX),
    BREAK(InstrsNegative, "instruction rows lie outside",
          d.kernels()[1].n_instrs = -1),
    BREAK(InstrsMany, "instruction rows lie outside",
          d.kernels()[1].n_instrs = 2),
    BREAK(Attrs, "row of attributes is 2, expected less than 2",
          d.kernels()[0].attrs = 2),
    BREAK(InPlace, "in-place input", d.kernels()[1].in_place_input = 1),
    BREAK(InPlaceNegative, "in-place input",
          d.kernels()[1].in_place_input = -2),
    BREAK(WritesWeight, "writes to a weight", d.kernels()[0].n_inputs = 1),
    BREAK(Validate, "kernel 0 ('kernel0'): ", d.attrs()[1].conv.strides[0] = 0),
};

const Break ioBreaks[] = {
    BREAK(Tensor, "input 0 ('x'): its rank is", d.inputs()[0].tensor.rank = 9),
    BREAK(Weight, "input 0 ('x'): its weights offset",
          d.inputs()[0].tensor.weights_offset = 0),
    BREAK(InputBytes, "input 0 ('x'): its size is 1", d.inputs()[0].bytes = 1),
    BREAK(OutputBytes, "output 0 ('y'): its size is 1",
          d.outputs()[0].bytes = 1),
};

/// What its code does with the tables.
const Break codeBreaks[] = {
    BREAK(ArenaSmall,
          "kernel 0: its operand 2 has 65536 bytes at offset 0 of the arena, "
          "which has 65472",
          d.program().arena_bytes = d.manifest.arenaBytes -= 64),
    BREAK(ArenaLarge, "the arena's size is 65600, expected 65536",
          d.program().arena_bytes = d.manifest.arenaBytes += 64),
    BREAK(WeightsOfNobody, "the weights' size is 1728, expected 0",
          d.tensors()[1].weights_offset = -1),
    BREAK(NoKernels, "its code calls kernel 0, but there are 0",
          d.program().n_kernels = 0;
          d.manifest.kernels.clear()),
    BREAK(GeneratedInTheTable,
          "kernel 0: its code and the kernel table disagree",
          d.kernels()[0].flags = NPU_KERNEL_GENERATED;
          d.manifest.kernels[0].generated = true),
    BREAK(NotInPlace, "kernel 1: its result does not lie where",
          d.kernels()[1].in_place_input = 0),
    BREAK(WrittenSmaller, "reads 65536 bytes where no kernel wrote",
          d.tensors()[2].dtype = NPU_F16),
};

class RefusedMakers : public testing::TestWithParam<Break> {};

TEST_P(RefusedMakers, WithASentence) {
  DemoFile demo("made");
  GetParam().apply(demo);
  expectRefused(load(demo.seal("refused.npu")), NPU_BAD_FILE, GetParam().says);
}

const Break makerBreaks[] = {
    BREAK(Rows, "maker 0: its tensor rows lie outside",
          d.makers()[0].first_tensor = UINT32_MAX),
    BREAK(Attrs, "maker 1: its row of attributes is 7",
          d.makers()[1].attrs = 7),
    BREAK(Generated, "maker 0: it does not make one constant of others",
          d.makers()[0].flags = NPU_KERNEL_GENERATED),
    BREAK(NoInputs, "does not make one constant", d.makers()[0].n_inputs = 0),
    BREAK(Outputs, "does not make one constant", d.makers()[0].n_outputs = 2),
    BREAK(InPlace, "does not make one constant",
          d.makers()[0].in_place_input = 0),
    BREAK(Op, "maker 0: it is neither elementwise nor transforms",
          d.makers()[0].op = NPU_OP_RELAYOUT),
    BREAK(Chain, "maker 0: eltwise: it has no instructions",
          d.makers()[0].n_instrs = 0),
    BREAK(Function, "maker 0: eltwise: instruction 0",
          d.instrs()[0].kind = NPU_INSTR_neg),
    BREAK(Result, "the last instruction gives f32, the output is f16",
          d.tensors()[1].dtype = NPU_F16),
    BREAK(SourceIsLarger, "tensor 0: its 16384 bytes at offset 0 end behind",
          d.tensors()[0].dtype = NPU_I32),
    BREAK(SourceIsAValue, "maker 0: its source is neither among the weights",
          d.tensors()[0].weights_offset = -1),
    BREAK(SourceIsMadeLater, "maker 0: its source is neither among the weights",
          d.tensors()[0].weights_offset = d.tensors()[3].weights_offset),
    BREAK(SourceIsItself, "maker 0: its source is neither among the weights",
          d.tensors()[0].weights_offset = d.tensors()[1].weights_offset),
    BREAK(SourceBetween, "maker 0: its source is neither among the weights",
          d.tensors()[0].weights_offset = 8768),
    BREAK(SourceOfAnotherSize,
          "tensor 2: its size is 512, expected those 16384",
          d.tensors()[2].weights_offset = d.tensors()[1].weights_offset;
          d.tensors()[4].weights_offset = 0),
    BREAK(TooManySteps,
          "maker 3: the number of makers that lead to it is 4, expected 3",
          d.tensors()[2].weights_offset = d.tensors()[1].weights_offset),
    BREAK(Place, "maker 0: its result's offset is 12352, expected 12288",
          d.tensors()[1].weights_offset += 64),
    BREAK(Gap, "maker 1: its result's offset is 28736, expected 28672",
          d.tensors()[3].weights_offset += 64),
    BREAK(Overlap, "maker 1: its result's offset is 28608, expected 28672",
          d.tensors()[3].weights_offset -= 64),
    BREAK(Invalid, "maker 0: ", d.tensors()[0].dims[0] = 7),
    BREAK(Empty, "maker 0: its result's size is 0",
          d.tensors()[0].dims[0] = d.tensors()[1].dims[0] = 0),
    BREAK(ReadWhereNothingIsMade, "end behind the weights'",
          d.tensors()[11].weights_offset += 64),
    BREAK(ReadInAnotherSize,
          "tensor 11: its size is 16128, expected those 16384",
          d.tensors()[11].dims[0] = 63),
    BREAK(NoMakers, "end behind the weights'", d.program().n_makers = 0),
    BREAK(Another, "kernel 1: its operand 1 is not the weight at offset 12288",
          d.tensors()[14].weights_offset = d.tensors()[1].weights_offset;
          d.tensors()[14].dims[0] = 64),
};

auto nameOf = [](const testing::TestParamInfo<Break> &info) {
  return std::string(info.param.name);
};
INSTANTIATE_TEST_SUITE_P(Root, Refused, testing::ValuesIn(rootBreaks), nameOf);
INSTANTIATE_TEST_SUITE_P(Manifest, Refused, testing::ValuesIn(manifestBreaks),
                         nameOf);
INSTANTIATE_TEST_SUITE_P(Tensor, Refused, testing::ValuesIn(tensorBreaks),
                         nameOf);
INSTANTIATE_TEST_SUITE_P(Kernel, Refused, testing::ValuesIn(kernelBreaks),
                         nameOf);
INSTANTIATE_TEST_SUITE_P(Makers, RefusedMakers, testing::ValuesIn(makerBreaks),
                         nameOf);
INSTANTIATE_TEST_SUITE_P(Code, Refused, testing::ValuesIn(codeBreaks), nameOf);
INSTANTIATE_TEST_SUITE_P(Io, Refused, testing::ValuesIn(ioBreaks), nameOf);

TEST(Loader, GoodFileLoads) {
  Result result = load(DemoFile("conv").seal("good.npu"));
  EXPECT_EQ(result.code, NPU_OK) << result.message;
}

TEST(Loader, MissingFile) {
  expectRefused(load(scratchFolder() + "none.npu"), NPU_CANNOT_READ,
                "No such file or directory");
}

TEST(Loader, FolderAndPipe) {
  expectRefused(load(scratchFolder()), NPU_CANNOT_READ, "it is a folder");
  std::string pipe = scratchFolder() + "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  expectRefused(load(pipe), NPU_CANNOT_READ, "not a regular file");
}

TEST(Loader, AnotherFormat) {
  writeFile(scratchFolder() + "text.npu", std::string(1000, 'x'));
  expectRefused(load(scratchFolder() + "text.npu"), NPU_BAD_FILE,
                "does not end in an NPU footer");
  writeFile(scratchFolder() + "empty.npu", "");
  expectRefused(load(scratchFolder() + "empty.npu"), NPU_BAD_FILE,
                "has 0 bytes");
}

/// A good file with one footer field changed (the checksum does not matter: the
/// fields are checked first).
Result loadWithFooter(const std::function<void(npu_footer &)> &change) {
  std::string bytes = readFile(DemoFile("conv").seal("footer.npu"));
  npu_footer footer;
  size_t at = bytes.size() - sizeof(footer);
  memcpy(&footer, &bytes[at], sizeof(footer));
  change(footer);
  memcpy(&bytes[at], &footer, sizeof(footer));
  writeFile(scratchFolder() + "footer.npu", bytes);
  return load(scratchFolder() + "footer.npu");
}

TEST(Footer, EveryFieldIsChecked) {
  expectRefused(loadWithFooter([](auto &f) { f.magic[0] = 'x'; }), NPU_BAD_FILE,
                "does not end in an NPU footer");
  expectRefused(loadWithFooter([](auto &f) { f.version = 99; }),
                NPU_WRONG_VERSION, "has format version 99, but this runtime");
  expectRefused(loadWithFooter([](auto &f) { f.size = 63; }), NPU_BAD_FILE,
                "footer of 63 bytes, expected 64");
  expectRefused(loadWithFooter([](auto &f) { ++f.file_size; }), NPU_BAD_FILE,
                "was written with");
  expectRefused(loadWithFooter([](auto &f) { ++f.manifest_offset; }),
                NPU_BAD_FILE, "does not end at the footer");
  expectRefused(loadWithFooter([](auto &f) { f.manifest_offset = -1; }),
                NPU_BAD_FILE, "does not end at the footer");
  expectRefused(loadWithFooter([](auto &f) { --f.manifest_size; }),
                NPU_BAD_FILE, "does not end at the footer");
  expectRefused(loadWithFooter([](auto &f) {
                  // Overflows to the right sum.
                  f.manifest_offset += uint64_t(1) << 63;
                  f.manifest_size += uint64_t(1) << 63;
                }),
                NPU_BAD_FILE, "does not end at the footer");
  expectRefused(loadWithFooter([](auto &f) { f.chip_size = 1; }), NPU_BAD_FILE,
                "does not end at the footer");
  expectRefused(loadWithFooter([](auto &f) { f.checksum[15] ^= 1; }),
                NPU_BAD_FILE, "checksum");
}

TEST(Loader, ManifestThatIsNoManifest) {
  DemoFile demo("conv");
  expectRefused(load(demo.seal("no-json.npu", "{")), NPU_BAD_FILE,
                "not valid JSON");
  expectRefused(load(demo.seal("no-keys.npu", "{}")), NPU_BAD_FILE,
                "'format_version' is missing");
}

TEST(Loader, CpuFeaturesThatAreNotThere) {
  DemoFile demo("conv");
  // AMD's XOP and a name of no processor: no machine has both.
  demo.manifest.cpuFeatures = {"sse2", "xop", "warp-drive"};
  Result result = load(demo.seal("cpu.npu"));
  expectRefused(result, NPU_WRONG_MACHINE, "warp-drive");
  EXPECT_EQ(result.message.find("sse2"), std::string::npos) << result.message;
}

/// What /proc/cpuinfo calls like LLVM does.
TEST(Loader, CpuFeaturesOfThisMachine) {
  std::string cpuinfo = readFile("/proc/cpuinfo");
  std::string flags = cpuinfo.substr(cpuinfo.find("\nflags"));
  flags = flags.substr(0, flags.find('\n', 1)) + " ";
  for (const char *name :
       {"sse2", "fma", "avx", "avx2", "f16c", "bmi2", "movbe", "avx512f",
        "avx512bw", "avx512vl", "avx512dq", "avx512vbmi", "gfni", "vaes",
        "popcnt", "adx", "fma4", "xop"}) {
    DemoFile demo("conv");
    demo.manifest.cpuFeatures = {name};
    bool listed =
        flags.find(std::string(" ") + name + " ") != std::string::npos;
    EXPECT_EQ(load(demo.seal("cpu.npu")).code,
              listed ? NPU_OK : NPU_WRONG_MACHINE)
        << name;
  }
}

TEST(Loader, KernelLibraryOfAnotherVersion) {
  DemoFile demo("conv");
  demo.manifest.onednnVersion = "oneDNN 2.6.3";
  expectRefused(load(demo.seal("library.npu")), NPU_WRONG_VERSION,
                "was compiled for 'oneDNN 2.6.3'");
  demo.manifest.onednnVersion = "";
  expectRefused(load(demo.seal("library.npu")), NPU_WRONG_VERSION,
                "was compiled for ''");
}

class OtherLibrary : public testing::TestWithParam<const char *> {};

TEST_P(OtherLibrary, IsAWarning) {
  DemoFile demo("conv");
  demo.manifest.onednnVersion = GetParam();
  npu_model *model = nullptr;
  npu_status status;
  npu_model_load(demo.seal("minor.npu").c_str(), nullptr, &model, &status);
  ASSERT_EQ(status.code, NPU_OK) << status.message;
  ASSERT_GE(npu_model_warning_count(model), 1u);
  EXPECT_NE(std::string(npu_model_warning(model, 0)).find("compiled for"),
            std::string::npos);
  EXPECT_STREQ(npu_model_warning(model, 1000), "");
  npu_model_free(model);
}

INSTANTIATE_TEST_SUITE_P(Loader, OtherLibrary,
                         testing::Values("oneDNN 3.99.0", "own kernels 0.0.1"));

/// Whether loading with so many threads warns of a measurement with others.
bool warnsOfThreads(const std::string &path, int threads) {
  npu_load_options options = {};
  options.threads = threads;
  npu_model *model = nullptr;
  npu_status status;
  npu_model_load(path.c_str(), &options, &model, &status);
  EXPECT_EQ(status.code, NPU_OK) << status.message;
  bool warns = false;
  for (size_t i = 0; i < npu_model_warning_count(model); ++i)
    warns |= std::string(npu_model_warning(model, i))
                 .find("measurements with 2 threads, this run has 1") !=
             std::string::npos;
  npu_model_free(model);
  return warns;
}

TEST(Loader, OtherThreadsThanWereMeasured) {
  DemoFile demo("conv");
  EXPECT_FALSE(warnsOfThreads(demo.seal("threads.npu"), 1));
  demo.manifest.measuredThreads = 2;
  EXPECT_TRUE(warnsOfThreads(demo.seal("threads.npu"), 1));
  EXPECT_FALSE(warnsOfThreads(demo.seal("threads.npu"), 2));
}

TEST(Loader, NoElf) {
  DemoFile demo("conv");
  demo.elf[4] = 1; // ELFCLASS32
  expectRefused(load(demo.seal("elf32.npu")), NPU_BAD_FILE,
                "an ELF part with no header of a shared object for x86-64");
  demo.elf = "no ELF";
  expectRefused(load(demo.seal("no-elf.npu")), NPU_BAD_FILE,
                "an ELF part with headers beyond its end");
}

TEST(Loader, ElfWithoutAProgram) {
  DemoFile demo("conv");
  size_t name = demo.elf.find(std::string("\0npu_program\0", 13));
  ASSERT_NE(name, std::string::npos);
  demo.elf[name + 1] = 'X';
  expectRefused(load(demo.seal("no-symbol.npu")), NPU_BAD_FILE,
                "exports no usable symbol 'npu_program'");
}

TEST(Loader, Options) {
  std::string path = DemoFile("conv").seal("options.npu");
  expectRefused(load(path, {1, 0, 0, nullptr, nullptr, 0, 9}), NPU_BAD_ARGUMENT,
                "npu_load_options.execute is 9");
  expectRefused(load(path, {1, 0, 0, nullptr, nullptr, 0, NPU_EXECUTE_CHIP}),
                NPU_BAD_ARGUMENT, "the program has no chip's program");
  expectRefused(load(path, {-1, 0, 0, nullptr, nullptr, 0, 0}),
                NPU_BAD_ARGUMENT, "-1 threads");
  expectRefused(load(path, {5000, 0, 0, nullptr, nullptr, 0, 0}),
                NPU_BAD_ARGUMENT, "5000 threads");
  expectRefused(load(path, {2, 1, 0, nullptr, nullptr, 0, 0}), NPU_BAD_ARGUMENT,
                "inline");
  EXPECT_EQ(load(path, {0, 1, 0, nullptr, nullptr, 0, 0}).code, NPU_OK);
  EXPECT_EQ(load(path, {0, 0, 0, nullptr, nullptr, 0, 0}).code, NPU_OK);
}

/// The chip's time needs no kernel and no processor of a kind, and is the same.
TEST(Loader, SimulateOnly) {
  DemoFile demo("conv");
  npu_status status;
  npu_model *whole = nullptr, *model = nullptr;
  ASSERT_EQ(
      npu_model_load(demo.seal("whole.npu").c_str(), nullptr, &whole, &status),
      NPU_OK);
  demo.manifest.cpuFeatures = {"warp-drive"};
  npu_load_options options = {1, 0, 1, nullptr, nullptr, 0, 0};
  npu_model_load(demo.seal("simulate.npu").c_str(), &options, &model, &status);
  ASSERT_EQ(status.code, NPU_OK) << status.message;
  EXPECT_GT(npu_model_stats(whole).packed_bytes, 0u);
  EXPECT_EQ(npu_model_stats(model).packed_bytes, 0u);
  EXPECT_EQ(npu_model_stats(model).scratch_bytes, 0u);
  ASSERT_EQ(npu_model_kernel_count(model), npu_model_kernel_count(whole));
  for (size_t i = 0; i < npu_model_kernel_count(model); ++i) {
    npu_kernel_info info, wanted;
    npu_model_kernel(model, i, &info, nullptr);
    npu_model_kernel(whole, i, &wanted, nullptr);
    EXPECT_GT(info.cycles, 0u);
    EXPECT_EQ(info.cycles, wanted.cycles);
    EXPECT_STREQ(info.layouts, wanted.layouts);
    EXPECT_STREQ(info.implementation,
                 info.generated ? "generated" : "not made");
  }
  npu_context *context = nullptr;
  EXPECT_EQ(npu_context_create(model, &context, &status), NPU_BAD_ARGUMENT);
  EXPECT_NE(std::string(status.message).find("simulate_only"),
            std::string::npos);
  EXPECT_EQ(context, nullptr);
  npu_tensor_info input, wantedInput;
  npu_model_input(model, 0, &input, nullptr);
  npu_model_input(whole, 0, &wantedInput, nullptr);
  EXPECT_EQ(input.bytes, wantedInput.bytes);
  EXPECT_EQ(input.row_bytes, wantedInput.row_bytes);
  npu_buffer stored = npu_buffer_create(input.bytes),
             rows = npu_buffer_create(input.row_bytes);
  EXPECT_EQ(
      npu_model_store_input(model, 0, rows.data, rows.bytes, stored, nullptr),
      NPU_BAD_ARGUMENT);
  npu_buffer_free(stored);
  npu_buffer_free(rows);
  npu_model_free(model);
  npu_model_free(whole);
  // Nothing of the ELF part is opened: it may hold anything.
  demo.elf = "no ELF";
  EXPECT_EQ(load(demo.seal("simulate.npu"), options).code, NPU_OK);
  demo.manifest.inputs[0].layout = "aBcd";
  expectRefused(load(demo.seal("simulate.npu"), options), NPU_BAD_FILE,
                "'x': its layout is no layout of its shape");
}

/// The dynamic loader must not answer a reused descriptor number with the
/// library that it stood for before.
TEST(Loader, DescriptorNumbersAreReused) {
  std::string conv = DemoFile("conv").seal("first.npu");
  std::string matmul = DemoFile("matmul-4mb").seal("second.npu");
  npu_load_options options = {1, 0, 0, nullptr, nullptr, 0, 0};
  npu_model *first = nullptr, *again = nullptr, *other = nullptr;
  ASSERT_EQ(npu_model_load(conv.c_str(), &options, &first, nullptr), NPU_OK);
  ASSERT_EQ(npu_model_load(conv.c_str(), &options, &again, nullptr), NPU_OK);
  npu_model_free(again); // its number is free, its image still mapped
  npu_status status;
  npu_model_load(matmul.c_str(), &options, &other, &status);
  EXPECT_EQ(status.code, NPU_OK) << status.message;
  npu_model_free(other);
  npu_model_free(first);
}

} // namespace
} // namespace npu::test
