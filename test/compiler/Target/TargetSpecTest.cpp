// SPDX-License-Identifier: Apache-2.0
#include "compiler/Target/TargetSpec.h"

#include "compiler/Dialect/NPU/OpVocabulary.h"
#include "test/compiler/Support/ReplaceLine.h"
#include "test/compiler/Target/ExpectError.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"

#include <gtest/gtest.h>

#include <map>

using namespace npu;
using test::expectError;
using test::good;

namespace {

TEST(TargetSpec, ReadsEverything) {
  std::string error;
  auto spec = parseTarget(good, "chip.yaml", error);
  ASSERT_TRUE(spec) << error;
  EXPECT_EQ(spec->name, "chip");
  mlir::MLIRContext context;
  EXPECT_TRUE(spec->supports(mlir::BFloat16Type::get(&context)));
  EXPECT_FALSE(spec->supports(mlir::IntegerType::get(&context, 8)));
  EXPECT_EQ(spec->machine.clockMHz, 1000);
  EXPECT_EQ(spec->machine.stridedAccessFactor, 4);
  ASSERT_EQ(spec->signatures("conv2d").size(), 1u);
  const OperandDemands &conv = spec->signatures("conv2d").front().roles;
  EXPECT_EQ(conv.at("data").size(), 2u);
  EXPECT_EQ(conv.count("result"), 0u);
  EXPECT_TRUE(spec->signatures("pad").empty());
  EXPECT_TRUE(spec->isDemanding("matmul"));
  EXPECT_EQ(spec->algorithms, std::vector<std::string>{"winograd"});
}

TEST(TargetSpec, UnknownKeys) {
  expectError(replaceLine(good, 2, "sumary: a chip"),
              "chip.yaml:2: a target: unknown key 'sumary', allowed are name");
  expectError(replaceLine(good, 6, "  clok: 1000 MHz"),
              "chip.yaml:6: machine: unknown key 'clok'");
  expectError(replaceLine(good, 20, "    weigth: [HWOI]"),
              "chip.yaml:20: demand: unknown key 'weigth'");
}

TEST(TargetSpec, DuplicateAndMissingKeys) {
  expectError(replaceLine(good, 2, "name: chip"),
              "chip.yaml:2: a target: key 'name' stands twice");
  expectError(replaceLine(good, 6, ""), "machine: key 'clock' is missing");
  expectError(replaceLine(good, 2, ""), "a target: key 'summary' is missing");
}

TEST(TargetSpec, Numbers) {
  expectError(replaceLine(good, 6, "  clock: 1000"),
              "chip.yaml:6: clock: '1000', expected the unit MHz");
  expectError(replaceLine(good, 6, "  clock: 1000 kHz"),
              "expected the unit MHz");
  expectError(replaceLine(good, 6, "  clock: -5 MHz"),
              "clock: '-5 MHz', expected a number from 1e-06 to 1e+12");
  expectError(replaceLine(good, 6, "  clock: 0 MHz"), "expected a number from");
  expectError(replaceLine(good, 6, "  clock: nan MHz"),
              "expected a number and its unit, MHz");
  expectError(replaceLine(good, 6, "  clock: fast MHz"),
              "expected a number and its unit, MHz");
  expectError(replaceLine(good, 6, "  clock: [1, 2]"),
              "expected a word or number");
}

/// `good` with another value of a `machine` key, or with one more.
std::string withNumber(StringRef key, StringRef value) {
  std::string text = good, line = ("  " + key + ": " + value).str();
  size_t at = text.find(("\n  " + key + ":").str());
  if (at == std::string::npos)
    return text.insert(text.find("  clock:"), line + "\n");
  return text.replace(at + 1, text.find('\n', at + 1) - at - 1, line);
}

/// What is not whole, or out of its range.
TEST(TargetSpec, RangesOfMachineNumbers) {
  struct Case {
    const char *key, *value, *expected;
  };
  for (Case one :
       {Case{"mac_rows", "0.5 MAC", "a whole number from 1"},
        Case{"mac_rows", "0 MAC", "a whole number from 1"},
        Case{"mac_columns", "1.5 MAC", "a whole number from 1"},
        Case{"mac_columns", "2e6 MAC", "a whole number from 1 to 1e+06"},
        Case{"vector_lanes", "0.25 lanes", "a whole number from 1"},
        Case{"depthwise_rows", "0.5 MAC", "a whole number from 1"},
        Case{"output_lanes", "0 lanes", "a whole number from 1"},
        Case{"sram", "0 KiB", "a number from"},
        Case{"sram_banks", "1 banks", "a whole number from 2 to 65536"},
        Case{"sram_banks", "2.5 banks", "a whole number from 2"},
        Case{"dram", "0 MiB", "a number from"},
        Case{"dram_bandwidth", "0 GB/s", "a number from"},
        Case{"sram_bandwidth", "0 GB/s", "a number from"},
        Case{"dram_energy", "0 pJ/B", "a number from"},
        Case{"sram_energy", "-1 pJ/B", "a number from"},
        Case{"dma_burst", "1.5 B", "a whole number from 1"},
        Case{"dma_channels", "1.5 channels", "a whole number from 1 to 2"},
        Case{"dma_channels", "3 channels", "a whole number from 1 to 2"},
        Case{"dma_start", "-1 cycles", "a number from 0"},
        Case{"kernel_start", "-1 cycles", "a number from 0"},
        Case{"cache", "0 KiB", "a number from"},
        Case{"beyond_cache", "0.5 times", "a number from 1"},
        Case{"unpadded_channels", "0.5 channels", "a whole number from 0"},
        Case{"strided_access", "0.5 times", "a number from 1"},
        Case{"transpose_bandwidth", "0 B/cycle", "a number from"}})
    expectError(withNumber(one.key, one.value), std::string(one.key) + ": '" +
                                                    one.value + "', expected " +
                                                    one.expected);
  expectError(withNumber("dma_channels", "1.5 channels"), "chip.yaml:6: ");
}

/// A name of a file would end at a zero, and the rest be dropped.
TEST(TargetSpec, ZerosInWords) {
  for (const char *line : {"plugins: [\"a.so\\0b\"]", "costs: \"a.csv\\x00b\"",
                           "fallback: {target: \"host\\u0000b\"}"})
    expectError(good + line + "\n", "a word with a zero character");
}

/// A library that the file names is not opened: files of chips are data.
TEST(TargetSpec, LibrariesAreNotOpened) {
  expectError(good + "plugins: [libabsent.so]\n",
              "the library 'libabsent.so' is code that would run here; if you "
              "trust it, name it with --plugin=libabsent.so, or say "
              "--allow-target-plugins");
  std::string error;
  AllowedPlugins allowed;
  allowed.all = true;
  EXPECT_FALSE(parseTarget(good + "plugins: [libabsent.so]\n", "chip.yaml",
                           error, allowed));
  EXPECT_NE(error.find("plugin 'libabsent.so' cannot be read: No such file or "
                       "directory"),
            std::string::npos)
      << error;
}

/// A chip's file may name any file as its costs; what is in one that is none is
/// nobody's to see.
TEST(TargetSpec, CostsThatAreAnotherFileAreNotShown) {
  std::string error;
  EXPECT_FALSE(parseTarget(good + "costs: /etc/passwd\n", "chip.yaml", error));
  EXPECT_NE(error.find("/etc/passwd:1: is no table of costs"),
            std::string::npos)
      << error;
  EXPECT_EQ(error.find("root"), std::string::npos) << error;
}

/// On the average a processor uses a part of its lanes, or of one.
TEST(TargetSpec, MeasuredLanesAreAverages) {
  std::string text = withNumber("mac_columns", "0.25 MAC");
  expectError(text, "only what was measured (key `measured`) may be");
  text += "measured:\n  processor: one\n  library: oneDNN\n  threads: 2 "
          "threads\n";
  std::string error;
  std::optional<TargetSpec> spec = parseTarget(text, "chip.yaml", error);
  ASSERT_TRUE(spec) << error;
  EXPECT_EQ(spec->machine.macColumns, 0.25);
}

TEST(TargetSpec, MachineNumbersTogether) {
  std::string noMemory =
      replaceLine(withNumber("sram_banks", "4 banks"), 11, "");
  expectError(noMemory, "chip.yaml:6: sram_banks: there are banks of on-chip "
                        "memory, but no `sram`");
  expectError(withNumber("sram", "1e-3 KiB")
                  .insert(good.find("  clock:"), "  sram_banks: 2 banks\n"),
              "sram_banks: 2 banks have less than a byte each");
  expectError(withNumber("beyond_cache", "2 times"), "there is no `cache`");
  std::string noSram = replaceLine(good, 10, "");
  expectError(
      replaceLine(noSram, 6, "  clock: 1 MHz\n  sram_bandwidth: 1 GB/s"),
      "sram_bandwidth: there is no `sram` that has this bandwidth");
  expectError(replaceLine(noSram, 6, "  clock: 1 MHz\n  sram_energy: 1 pJ/B"),
              "sram_energy: there is no `sram` that takes this energy");
  expectError(withNumber("sram", "1e9 KiB"), "are less than what `sram` says");
  expectError(withNumber("array_use", "half"),
              "array_use: 'half', expected one of: parts, whole");
  expectError(withNumber("data_flow", "up"),
              "data_flow: 'up', expected one of: dot-product");
}

/// What a chip says by element type.
TEST(TargetSpec, NumbersByType) {
  std::string error;
  auto spec =
      parseTarget(withNumber("mac_rates", "{bf16: 4 times, f32: 0.25 times}")
                      .append("output_stage: [bias, activation]\n"),
                  "chip.yaml", error);
  ASSERT_TRUE(spec) << error;
  mlir::MLIRContext context;
  mlir::Type f32 = mlir::Float32Type::get(&context),
             bf16 = mlir::BFloat16Type::get(&context),
             i8 = mlir::IntegerType::get(&context, 8);
  EXPECT_EQ(spec->array.rateOf(bf16, bf16), 4);
  EXPECT_EQ(spec->array.rateOf(bf16, f32), 0.25);
  EXPECT_EQ(spec->array.rateOf(bf16, i8), 1);
  EXPECT_EQ(spec->array.outputStage, OutputStep::Bias | OutputStep::Activation);
  EXPECT_FALSE(spec->saysEnergy());
  auto wrong = [&](StringRef value, const std::string &expected) {
    expectError(withNumber("mac_rates", value), expected);
  };
  wrong("4 times", "mac_rates: expected TYPE: NUMBER times, in braces");
  wrong("{}", "mac_rates: is empty; leave it out");
  wrong("{f8: 4 times}", "mac_rates: unknown key 'f8', allowed are");
  wrong("{f64: 4 times}", "mac_rates: 'f64' is not one of the chip's `types`");
  wrong("{i8: 4 times}", "mac_rates: 'i8' is not one of the chip's `types`");
  wrong("{bf16: 4}", "mac_rates of bf16: '4', expected the unit times");
  wrong("{bf16: 0 times}", "mac_rates of bf16: '0 times', expected a number");
  wrong("{bf16: fast}", "expected a number and its unit, times");
  expectError(good + "output_stage: [bias, pool]\n",
              "output_stage: unknown step 'pool', allowed are bias, "
              "requantize, activation, add");
  expectError(good + "output_stage: [add, add]\n",
              "output_stage: 'add' stands twice");
  expectError(withNumber("depthwise_rows", "17 MAC"),
              "depthwise_rows: 17 MAC are more than what `mac_rows` says, 16");
  expectError(replaceLine(withNumber("depthwise_rows", "4 MAC"), 7,
                          "  clock: 9 MHz\n  data_flow: input-stationary"),
              "depthwise_rows: is of `data_flow: dot-product` alone");
  expectError(withNumber("window_reads", "twice"),
              "window_reads: 'twice', expected one of: each, once");
  expectError(withNumber("sum_reads", "twice"),
              "sum_reads: 'twice', expected one of: each, none");
  expectError(withNumber("weight_load", "late"),
              "weight_load: 'late', expected one of: in-turn, preload");
  expectError(withNumber("rows", "k"),
              "rows: 'k', expected one of: either, channels, window");
  expectError(withNumber("depthwise", "rows"),
              "depthwise: 'rows', expected one of: columns, channels, vector");
  expectError(replaceLine(withNumber("depthwise_rows", "4 MAC"), 7,
                          "  clock: 9 MHz\n  depthwise: vector"),
              "depthwise_rows: is of `depthwise: columns` alone");
  expectError(withNumber("overlap", "some"),
              "overlap: 'some', expected one of: tiles, all");
  expectError(withNumber("vector_unit", "below"),
              "vector_unit: 'below', expected one of: after, beside");
}

/// Energy is said whole, or not at all.
TEST(TargetSpec, EnergyIsSaidWhole) {
  const std::string mac = "  mac_energy: {f32: 4 pJ, bf16: 1.5 pJ}\n",
                    dram = "  dram_energy: 100 pJ/B\n",
                    sram = "  sram_energy: 1 pJ/B\n";
  auto with = [](const std::string &lines) {
    std::string text = good;
    return text.insert(text.find("  clock:"), lines);
  };
  std::string error;
  auto spec = parseTarget(with(mac + dram + sram), "chip.yaml", error);
  ASSERT_TRUE(spec) << error;
  EXPECT_TRUE(spec->saysEnergy());
  mlir::MLIRContext context;
  EXPECT_EQ(spec->array.energyOf(mlir::BFloat16Type::get(&context),
                                 mlir::Float32Type::get(&context)),
            4);
  expectError(with(dram + sram), "dram_energy: is a part of a chip's energy; "
                                 "`mac_energy`, which is another, is missing");
  expectError(with(mac + sram), "sram_energy: is a part of a chip's energy; "
                                "`dram_energy`, which is the other");
  expectError(with(mac + dram), "dram_energy: is a part of a chip's energy; "
                                "`sram_energy`, which is the other");
  expectError(with(mac), "mac_energy: is a part of a chip's energy; "
                         "`dram_energy`, which is another");
  expectError(with("  mac_energy: {f32: 4 pJ}\n" + dram + sram),
              "mac_energy: says nothing of 'bf16', which is one of `types`");
  expectError(with("  mac_energy: {f32: -4 pJ, bf16: 1 pJ}\n" + dram + sram),
              "mac_energy of f32: '-4 pJ', expected a number from 0 to 1e+06");
  const std::string fallback = "fallback: {target: host, link_bandwidth: 1 "
                               "GB/s, link_start: 1 cycles";
  expectError(with(mac + dram + sram) + fallback + "}\n",
              "`link_energy` of `fallback`, which is another, is missing");
  expectError(with(mac + dram + sram) + fallback + ", link_energy: 1 pJ}\n",
              "fallback: link_energy: '1 pJ', expected the unit pJ/B");
  spec = parseTarget(with(mac + dram + sram) + fallback +
                         ", link_energy: 30 pJ/B}\n",
                     "chip.yaml", error);
  ASSERT_TRUE(spec) << error;
  EXPECT_EQ(spec->fallback->linkEnergy, 30);
}

/// What is odd, but a chip all the same.
TEST(TargetSpec, ValidMachines) {
  std::string error;
  auto read = [&](StringRef key, StringRef value) {
    auto spec = parseTarget(withNumber(key, value), "chip.yaml", error);
    EXPECT_TRUE(spec) << error;
    return spec.value_or(TargetSpec()).machine;
  };
  EXPECT_EQ(read("dma_start", "0 cycles").dmaStartCycles, 0);
  EXPECT_EQ(read("kernel_start", "0 cycles").kernelStartCycles, 0);
  EXPECT_EQ(read("unpadded_channels", "0 channels").unpaddedChannels, 0);
  EXPECT_EQ(read("clock", "1.5 MHz").clockMHz, 1.5);
  EXPECT_EQ(read("sram", "0.5 KiB").sramKiB, 0.5);
  EXPECT_EQ(read("sram_banks", "3 banks").sramBanks, 3);
  EXPECT_EQ(read("array_use", "whole").arrayUse, cost::ArrayUse::Whole);
}

TEST(TargetSpec, Words) {
  expectError(replaceLine(good, 3, "types: [f32, f8]"),
              "chip.yaml:3: unknown type 'f8', allowed are f32");
  expectError(replaceLine(good, 3, "types: [f32, f16]\nstorage_types: [f17]"),
              "chip.yaml:4: unknown type 'f17', allowed are f32");
  expectError(replaceLine(good, 3, "types: [f32]\nstorage_types: [f32]"),
              "chip.yaml:4: storage_types: 'f32', allowed are f16 and bf16");
  expectError(replaceLine(good, 3, "storage_types: [f16]\ntypes: [f32, bf16]"),
              "storage_types: 'f16' is not one of the chip's `types`");
  expectError(replaceLine(good, 3, "types: [bf16]\nstorage_types: [bf16]"),
              "storage_types: 'bf16' is computed in f32, which is not one of "
              "the chip's `types`");
  expectError(replaceLine(good, 4, "blocks: [1]"),
              "chip.yaml:4: block size '1'");
  expectError(replaceLine(good, 3, "types: f32"), "expected a list");
  expectError(replaceLine(good, 3, "types: []"),
              "chip.yaml:3: types are none, expected one or more");
  expectError(replaceLine(good, 5, "machine: fast"), "machine: ");
  expectError(replaceLine(good, 1, "name: other"),
              "chip.yaml:1: name 'other' is not the file's, 'chip'");
}

/// Of the rows "| `op`, `op` | role, role |" of the README.
std::map<std::string, std::string> rolesInReadme() {
  auto file = llvm::MemoryBuffer::getFile(TARGETS_README);
  std::map<std::string, std::string> roles;
  if (!file)
    return roles;
  StringRef text = (*file)->getBuffer();
  text = text.split("| ops | roles |\n|---|---|\n").second;
  text = text.split("\n\n").first;
  SmallVector<StringRef> rows;
  text.split(rows, '\n');
  for (StringRef row : rows) {
    SmallVector<StringRef> cells, ops;
    row.split(cells, " | ");
    cells.front().drop_front(2).split(ops, ", ");
    for (StringRef op : ops)
      roles[op.trim('`').str()] = cells.back().drop_back(2).str();
  }
  return roles;
}

TEST(TargetSpec, ReadmeHasTheVocabulary) {
  std::map<std::string, std::string> roles;
  for (const OpWords &op : opVocabulary())
    roles[op.name.str()] = llvm::join(op.roles, ", ") + ", result";
  EXPECT_EQ(rolesInReadme(), roles);
}

TEST(TargetSpec, Demands) {
  expectError(replaceLine(good, 18, "  - ops: [conv4d]"),
              "chip.yaml:18: unknown op 'conv4d', allowed are relayout");
  expectError(replaceLine(good, 19, "    data: [NHXC]"),
              "chip.yaml:19: data: 'NHXC' is not a layout");
  expectError(replaceLine(good, 19, "    data: []"),
              "accepts no layout at all");
  expectError(replaceLine(good, 19, "    a: [any]"),
              "op 'conv2d' has no operand 'a', it has data, weight");
  expectError(replaceLine(good, 19, "    data: [NCHW8c]"),
              "layout NCHW8c has a block of 8, which `blocks` does not list");
  expectError(replaceLine(good, 18, "  - result: [NHWC]"),
              "key 'ops' is missing");
}

TEST(TargetSpec, Algorithms) {
  expectError(replaceLine(good, 23, "algorithms: [winogard]"),
              "chip.yaml:23: unknown algorithm 'winogard', allowed are "
              "winograd, attention, quantized_rows, and "
              "PLUGIN.NAME of a plugin's");
  expectError(replaceLine(good, 23, "algorithms: [winograd, winograd]"),
              "chip.yaml:23: algorithms: 'winograd' stands twice");
  expectError(replaceLine(good, 23, "algorithms: winograd"),
              "chip.yaml:23: algorithms: expected a list");
  std::string error;
  auto without = parseTarget(replaceLine(good, 23, ""), "chip.yaml", error);
  ASSERT_TRUE(without) << error;
  EXPECT_TRUE(without->algorithms.empty());
}

TEST(TargetSpec, Costs) {
  // Demands are the last key here, so that an entry can be appended.
  const std::string base =
      std::string(good).substr(0, std::string(good).find("algorithms:"));
  std::string error;
  std::string entry = "  - ops: [max_pool]\n    cost: {NCHW: 1.5 times}\n";
  auto spec = parseTarget(base + entry + "    result: [NHWC, NCHW]\n",
                          "chip.yaml", error);
  ASSERT_TRUE(spec) << error;
  auto factorsOf = [&](StringRef op) {
    return spec->signatures(op).front().factors;
  };
  ASSERT_EQ(factorsOf("max_pool").size(), 1u);
  EXPECT_EQ(factorsOf("max_pool")[0].layout.text, "NCHW");
  EXPECT_EQ(factorsOf("max_pool")[0].factor, 1.5);
  EXPECT_TRUE(factorsOf("conv2d").empty());

  expectError(base + entry + "    result: [NHWC]\n",
              "chip.yaml:24: cost: NCHW is not one of the layouts that "
              "`result` accepts here");
  // Without demands, what layouts cost may still differ.
  spec = parseTarget(base + entry, "chip.yaml", error);
  ASSERT_TRUE(spec) << error;
  EXPECT_EQ(factorsOf("max_pool").size(), 1u);
  EXPECT_FALSE(spec->isDemanding("max_pool"));
  expectError(base + "  - ops: [max_pool]\n    cost: {NCXW: 2 times}\n",
              "chip.yaml:24: cost: ");
  auto withCost = [&base](const std::string &cost) {
    return base +
           "  - ops: [max_pool]\n    result: [NHWC, NCHW]\n    cost: " + cost +
           "\n";
  };
  expectError(withCost("[NCHW]"), "chip.yaml:25: cost: expected LAYOUT");
  expectError(withCost("{NCHW: 1.5}"), "chip.yaml:25: cost of NCHW: '1.5', "
                                       "expected the unit times");
  expectError(withCost("{NCHW: -1 times}"), "expected a positive number");
  expectError(withCost("{NCHW: [1]}"), "expected a word or number");
  expectError(withCost("{[a]: 1 times}"), "cost: layout: expected a word");
  expectError(withCost("{NCHW: 1 times, NCHW: 2 times}"), "NCHW stands twice");
  for (const char *fact : {"depthwise", "pointwise"})
    expectError(base + "  - ops: [conv1d]\n    " + fact +
                    "_cost: {NWC: 3 times}\n",
                std::string("chip.yaml:24: ") + fact +
                    "_cost: is no key any more; give these ops a demand of "
                    "their own with `when: {" +
                    fact + ": true}`");
}

TEST(TargetSpec, Measured) {
  std::string error;
  const std::string base = good;
  auto spec = parseTarget(base, "chip.yaml", error);
  ASSERT_TRUE(spec) << error;
  EXPECT_FALSE(spec->measured);
  spec = parseTarget(base + "measured: {processor: \"A: B\", library: L 1, "
                            "threads: 4 threads}\n",
                     "chip.yaml", error);
  ASSERT_TRUE(spec) << error;
  ASSERT_TRUE(spec->measured);
  EXPECT_EQ(spec->measured->processor, "A: B");
  EXPECT_EQ(spec->measured->library, "L 1");
  EXPECT_EQ(spec->measured->threads, 4);
  expectError(base + "measured: {processor: A, library: L}\n",
              "measured: key 'threads' is missing");
  expectError(base + "measured: {processor: A, library: L, threads: 0 "
                     "threads}\n",
              "measured: threads: '0 threads', expected a positive number");
  expectError(base + "measured: [A]\n", "measured: expected `key: value`");
}

TEST(TargetSpec, NotYaml) {
  expectError("", "chip.yaml:1: a target: expected `key: value` lines");
  expectError("name: [", "chip.yaml:");
  expectError("just words", "expected `key: value` lines");
  expectError(good + "---\nname: chip\n", "more than one document");
}

TEST(TargetSpec, NotUtf8) {
  std::string wide;
  for (char letter : good)
    wide += {letter, '\0'};
  expectError("\xff\xfe" + wide, "chip.yaml:1: is not UTF-8 text, expected");
  expectError(wide, "chip.yaml:1: is not UTF-8 text, expected");
  expectError(replaceLine(good, 2, "summary: \xe9t\xe9"),
              "chip.yaml:2: is not UTF-8 text, expected");
  std::string error;
  EXPECT_TRUE(parseTarget("\xef\xbb\xbf" + good, "chip.yaml", error)) << error;
}

TEST(TargetSpec, EntriesOfListsStandOnce) {
  expectError(replaceLine(good, 3, "types: [f32, f16, f32]"),
              "chip.yaml:3: types: 'f32' stands twice");
  expectError(replaceLine(good, 4, "blocks: [16, 8, 016]"),
              "chip.yaml:4: blocks: '016' stands twice");
  expectError(replaceLine(good, 18, "  - ops: [conv2d, conv2d]"),
              "chip.yaml:18: ops: 'conv2d' stands twice");
  expectError(replaceLine(good, 20, "    weight: [HWOI, HWOI]"),
              "chip.yaml:20: weight: 'HWOI' stands twice");
}

TEST(TargetSpec, Signatures) {
  const std::string base =
      std::string(good).substr(0, std::string(good).find("algorithms:"));
  std::string error;
  auto spec = parseTarget(base + "  - ops: [softmax]\n    input: [row-major]\n"
                                 "  - ops: [softmax]\n    input: [NHWC]\n"
                                 "    result: [NHWC]\n    cost: 0.5 times\n",
                          "chip.yaml", error);
  ASSERT_TRUE(spec) << error;
  ArrayRef<Signature> both = spec->signatures("softmax");
  ASSERT_EQ(both.size(), 2u);
  EXPECT_EQ(both[0].cost, 1);
  EXPECT_EQ(both[0].roles.count("result"), 0u);
  EXPECT_EQ(both[1].cost, 0.5);
  EXPECT_EQ(both[1].roles.at("input").front().text, "NHWC");
  EXPECT_TRUE(spec->signatures("gather").empty());

  auto withCost = [&](const std::string &cost) {
    return base + "  - ops: [softmax]\n    input: [NHWC]\n    cost: " + cost +
           "\n";
  };
  expectError(withCost("0 times"), "chip.yaml:25: cost: '0 times', expected a "
                                   "positive number and its unit, times");
  expectError(withCost("-1 times"), "chip.yaml:25: cost: '-1 times', expected");
  expectError(withCost("inf times"), "chip.yaml:25: cost: 'inf times'");
  expectError(withCost("nan times"), "chip.yaml:25: cost: 'nan times'");
  expectError(withCost("1e300 times"), "chip.yaml:25: cost: '1e300 times'");
  expectError(withCost("2"), "chip.yaml:25: cost: '2', expected the unit");
  expectError(base + "  - ops: [transpose]\n    cost: 2 times\n",
              "chip.yaml:23: demand: `cost` of 'transpose', which only moves "
              "data");
}

TEST(TargetSpec, TheSameSignatureTwice) {
  const std::string base =
      std::string(good).substr(0, std::string(good).find("algorithms:"));
  expectError(base + "  - ops: [softmax]\n    input: [NHWC]\n"
                     "  - ops: [gather, softmax]\n    cost: 2 times\n"
                     "    input: [NHWC]\n",
              "chip.yaml:25: demand: op 'gather' has no operand 'input'");
  expectError(base + "  - ops: [softmax]\n    input: [NHWC]\n"
                     "  - ops: [softmax, pad]\n    cost: 2 times\n"
                     "    input: [NHWC]\n",
              "chip.yaml:25: demand: op 'softmax' stands in two demands with "
              "the same layouts");
  std::string many = base;
  for (int size = 2; size < 68; ++size)
    many +=
        "  - {ops: [softmax], input: [NCHW" + std::to_string(size) + "c]}\n";
  expectError(many, "op 'softmax' stands in more than 64 demands");
}

TEST(TargetSpec, EveryTruncationIsAnErrorOrATarget) {
  for (size_t length = 0; length < good.size(); ++length) {
    std::string error;
    bool read =
        parseTarget(good.substr(0, length), "chip.yaml", error).has_value();
    EXPECT_NE(read, !error.empty()) << good.substr(0, length);
  }
}

TEST(TargetSpec, ShippedTargets) {
  std::vector<std::string> names = targetNames();
  for (const char *name : {"host", "npu-nchw", "npu-nchw16c", "npu-nhwc"})
    EXPECT_NE(std::find(names.begin(), names.end(), name), names.end());
  for (const std::string &name : names) {
    std::string error;
    EXPECT_TRUE(loadTarget(name, error)) << error;
  }
  std::string error;
  EXPECT_FALSE(loadTarget("nothing", error));
  EXPECT_NE(error.find("npu-nhwc"), std::string::npos) << error;
  EXPECT_FALSE(loadTarget("nowhere/chip.yaml", error));
}

TEST(LayoutPattern, RolesMeetAxes) {
  std::string error;
  auto pattern = LayoutPattern::parse("NCHW16c", error);
  ASSERT_TRUE(pattern) << error;
  // A value whose logical order is N,H,W,C.
  ImageAxes keras = {AxisRole::Batch, AxisRole::Height, AxisRole::Width,
                     AxisRole::Channel};
  auto order = pattern->resolve(4, keras);
  ASSERT_TRUE(order);
  EXPECT_EQ(order->order, (llvm::SmallVector<int64_t, 6>{0, 3, 1, 2}));
  ASSERT_EQ(order->blocks.size(), 1u);
  EXPECT_EQ(order->blocks[0].dim, 3);
  EXPECT_FALSE(pattern->resolve(4, {}));
  EXPECT_FALSE(pattern->resolve(3, {}));
  auto weight = LayoutPattern::parse("HWOI", error);
  ASSERT_TRUE(weight);
  EXPECT_FALSE(weight->resolve(4, keras));
}

TEST(LayoutPattern, DimensionsInPieces) {
  std::string error;
  auto pattern = LayoutPattern::parse("ababc", error);
  ASSERT_TRUE(pattern) << error;
  auto order = pattern->resolve({64, 49, 96}, {{}, {8, 7, 0}});
  ASSERT_TRUE(order);
  StoredOrder image{{0, 1, 2}, {{0, 8}, {1, 7}, {2, 96}}};
  EXPECT_TRUE(sameStorage(*order, image, {64, 49, 96}));
  // Of a value that is not known to be cut, or of another rank.
  EXPECT_FALSE(pattern->resolve({64, 49, 96}, {{}, {8, 0, 0}}));
  EXPECT_FALSE(pattern->resolve({64, 49, 96}, {}));
  EXPECT_FALSE(pattern->resolve({64, 49, 96, 2}, {{}, {8, 7, 0, 0}}));
  EXPECT_FALSE(pattern->resolve(3, {}));
}

TEST(LayoutPattern, Texts) {
  std::string error;
  for (const char *text :
       {"any", "row-major", "NHWC", "NWC", "NLC", "NDHWC", "HWOI", "OIHW16i16o",
        "OIHW8i32o4i", "acdb", "aBcd16b", "ababc", "babac", "aab"})
    EXPECT_TRUE(LayoutPattern::parse(text, error)) << text;
  for (const char *text : {"",
                           "NHWCN",
                           "nhwc",
                           "acd",
                           "aacd",
                           "abcd16b",
                           "aBcd",
                           "NCHWc",
                           "NCHW1c",
                           "NCHW16",
                           "NCHW16x",
                           "NCHW2c2c2c2c2c2c2c2c2c",
                           "NCHW1024c1024h1024w1024n",
                           "16",
                           "NC HW",
                           "abaac",
                           "ababc16c",
                           "ABabc",
                           "babad",
                           "aabbccddeeffgghhi"})
    EXPECT_FALSE(LayoutPattern::parse(text, error)) << text;
}

} // namespace
