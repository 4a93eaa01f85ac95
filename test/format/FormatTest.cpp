// SPDX-License-Identifier: Apache-2.0
//
// Writing .npu files: whole or not at all; and the manifest's round trip.

#include "format/footer.h"
#include "format/manifest.h"
#include "test/runtime/DemoFile.h"
#include "test/runtime/FullDisk.h"

#include <fcntl.h>
#include <filesystem>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

namespace npu::test {
namespace {

namespace fs = std::filesystem;

TEST(Seal, FullDiskLeavesTheOldFileAndNothingElse) {
  DemoFile demo("conv");
  std::string folder = emptyFolder("full");
  writeFile(folder + "demo.so", demo.elf);
  writeFile(folder + "demo.npu", "old");
  std::string manifest = format::printManifest(demo.manifest);
  // Full inside the ELF, inside the manifest, inside the footer.
  size_t whole = demo.elf.size() + manifest.size() + sizeof(npu_footer);
  for (size_t room : {size_t(100), demo.elf.size() + 10, whole - 1}) {
    std::string failure;
    {
      FullDisk disk(room);
      failure =
          format::seal(folder + "demo.so", {manifest, ""}, folder + "demo.npu");
    }
    EXPECT_NE(failure.find("free some space"), std::string::npos) << failure;
    EXPECT_EQ(readFile(folder + "demo.npu"), "old");
    EXPECT_EQ(filesIn(folder), 2u);
  }
}

std::string sealInPlace(const std::string &elf, const std::string &manifest,
                        const std::string &path) {
  files::OutputFiles files;
  std::string failure = format::sealInPlace(files::TemporaryName(elf),
                                            {manifest, ""}, path, files.add());
  return failure.empty() ? files.commit() : failure;
}

TEST(Seal, InPlaceGivesTheSameFile) {
  DemoFile demo("conv");
  std::string folder = emptyFolder("in-place");
  std::string manifest = format::printManifest(demo.manifest);
  writeFile(folder + "demo.so", demo.elf);
  ASSERT_EQ(
      format::seal(folder + "demo.so", {manifest, ""}, folder + "copy.npu"),
      "");
  ASSERT_EQ(sealInPlace(folder + "demo.so", manifest, folder + "moved.npu"),
            "");
  EXPECT_EQ(readFile(folder + "copy.npu"), readFile(folder + "moved.npu"));
  EXPECT_EQ(filesIn(folder), 2u);
}

TEST(Seal, InPlaceOnAFullDiskLeavesTheOldFileAndNothingElse) {
  DemoFile demo("conv");
  std::string folder = emptyFolder("in-place-full");
  writeFile(folder + "demo.npu", "old");
  std::string manifest = format::printManifest(demo.manifest);
  size_t whole = demo.elf.size() + manifest.size() + sizeof(npu_footer);
  for (size_t room : {demo.elf.size() + 10, whole - 1}) {
    writeFile(folder + "demo.so", demo.elf);
    std::string failure;
    {
      FullDisk disk(room);
      failure = sealInPlace(folder + "demo.so", manifest, folder + "demo.npu");
    }
    EXPECT_NE(failure.find("free some space"), std::string::npos) << failure;
    EXPECT_EQ(readFile(folder + "demo.npu"), "old");
    EXPECT_EQ(filesIn(folder), 1u);
  }
}

TEST(Seal, InPlaceNeverReplacesAPipe) {
  DemoFile demo("conv");
  std::string folder = emptyFolder("in-place-pipe");
  writeFile(folder + "demo.so", demo.elf);
  ASSERT_EQ(mkfifo((folder + "pipe").c_str(), 0600), 0);
  std::string failure = sealInPlace(folder + "demo.so", "{}", folder + "pipe");
  EXPECT_NE(failure.find("not a regular file"), std::string::npos) << failure;
  EXPECT_TRUE(fs::is_fifo(folder + "pipe"));
  EXPECT_EQ(filesIn(folder), 1u);
}

TEST(Seal, MissingElf) {
  std::string failure = format::seal(scratchFolder() + "none.so", {"{}", ""},
                                     scratchFolder() + "n.npu");
  EXPECT_NE(failure.find("cannot be read: No such file or directory"),
            std::string::npos)
      << failure;
  EXPECT_FALSE(fs::exists(scratchFolder() + "n.npu"));
}

TEST(Seal, ChipsProgramStandsBehindTheManifest) {
  DemoFile demo("conv");
  std::string folder = emptyFolder("chip");
  writeFile(folder + "demo.so", demo.elf);
  ASSERT_EQ(
      format::seal(folder + "demo.so", {"{}", "program"}, folder + "demo.npu"),
      "");
  int fd = open((folder + "demo.npu").c_str(), O_RDONLY);
  format::Sealed sealed = format::readSealed(fd, "demo.npu");
  close(fd);
  EXPECT_EQ(sealed.message, "");
  EXPECT_EQ(sealed.manifest, "{}");
  EXPECT_EQ(sealed.chip, "program");
}

TEST(Seal, RoundTrip) {
  DemoFile demo("conv");
  std::string text = format::printManifest(demo.manifest);
  std::string path = demo.seal("round-trip.npu");
  int fd = open(path.c_str(), O_RDONLY);
  format::Sealed sealed = format::readSealed(fd, path);
  close(fd);
  EXPECT_EQ(sealed.message, "");
  EXPECT_EQ(sealed.manifest, text);
  EXPECT_EQ(sealed.chip, "");
  EXPECT_EQ(sealed.elfBytes, demo.elf.size());
  EXPECT_EQ(readFile(path).substr(0, demo.elf.size()), demo.elf);
}

TEST(Manifest, RoundTrip) {
  format::Manifest manifest = DemoFile("conv").manifest;
  manifest.inputs[0].name = "name with \"quotes\" and \u00fcmlaut";
  manifest.machine.dataFlow = cost::DataFlow::OutputStationary;
  manifest.machine.clockMHz = 1234.5;
  manifest.measuredThreads = 3;
  manifest.kernels[0].work.products = {{2, 3, 4, 5, true}};
  manifest.kernels[0].work.writes = {{64, 16, true}};
  format::Manifest read;
  ASSERT_EQ(format::parseManifest(format::printManifest(manifest), read), "");
  EXPECT_EQ(format::printManifest(read), format::printManifest(manifest));
  EXPECT_EQ(read.inputs[0].name, manifest.inputs[0].name);
}

TEST(Manifest, QuantizedNumbersSayWhatTheyMean) {
  format::Manifest manifest = DemoFile("conv").manifest;
  manifest.inputs[0].scale = 0.1;
  manifest.inputs[0].zeroPoint = -7;
  format::Manifest read;
  ASSERT_EQ(format::parseManifest(format::printManifest(manifest), read), "");
  EXPECT_EQ(read.inputs[0].scale, 0.1);
  EXPECT_EQ(read.inputs[0].zeroPoint, -7);
  EXPECT_EQ(read.outputs[0].scale, 0); // its key may be missing
  const auto whole = nlohmann::json::parse(format::printManifest(manifest));
  const struct {
    const char *key;
    nlohmann::json value;
    const char *expected;
  } cases[] = {{"scale", 0, "expected a positive number"},
               {"scale", -0.5, "expected a positive number"},
               {"scale", nullptr, "expected a positive number"},
               {"zero_point", 0.5, "expected an integer"},
               {"zero_point", UINT64_MAX, "expected an integer"}};
  for (const auto &c : cases) {
    nlohmann::json broken = whole;
    broken["inputs"][0]["quantized"][c.key] = c.value;
    EXPECT_NE(format::parseManifest(broken.dump(), read).find(c.expected),
              std::string::npos);
    broken["inputs"][0]["quantized"].erase(c.key);
    EXPECT_NE(format::parseManifest(broken.dump(), read).find("is missing"),
              std::string::npos);
  }
}

/// Every key at `pointer` in turn is removed, then given another kind of value.
void breakEveryKey(const nlohmann::json &whole, const std::string &pointer) {
  nlohmann::json::json_pointer at(pointer);
  for (const auto &[key, value] : whole[at].items()) {
    if (key == "on_chip" && pointer.empty())
      continue; // programs of older compilers have none
    nlohmann::json broken = whole;
    broken[at].erase(key);
    format::Manifest read;
    std::string wrong = format::parseManifest(broken.dump(), read);
    EXPECT_NE(wrong.find(key + "' is missing"), std::string::npos)
        << pointer << "/" << key << ": " << wrong;
    broken[at][key] = -1.5; // fits no key
    wrong = format::parseManifest(broken.dump(), read);
    EXPECT_NE(wrong.find("is -1.5, expected"), std::string::npos)
        << pointer << "/" << key << ": " << wrong;
  }
}

/// A kernel of which nothing else is to be said than of one before it.
TEST(Manifest, KernelsThatAreAlikeAreSaidOnce) {
  format::Manifest manifest = DemoFile("conv").manifest;
  auto &kernels = manifest.kernels;
  const format::ManifestKernel given = kernels[1];
  auto add = [&](const char *name) -> format::ManifestKernel & {
    kernels.push_back(given);
    kernels.back().name = name;
    return kernels.back();
  };
  const std::string op = given.op.substr(given.op.rfind('.') + 1);
  add(("k2_" + op).c_str());
  add(("k3_" + op).c_str()).bytes += 1;
  format::ManifestKernel &elsewhere = add(("k4_" + op).c_str());
  elsewhere.node = "elsewhere";
  elsewhere.residentBytes = 77;
  elsewhere.work.reservedBytes = 88;
  add("with a name of its own");
  const std::string text = format::printManifest(manifest);
  const auto json = nlohmann::json::parse(text)["kernels"];
  EXPECT_EQ(json[2],
            nlohmann::json({1, given.residentBytes, given.work.reservedBytes}));
  EXPECT_EQ(json[3]["bytes"], given.bytes + 1);
  EXPECT_EQ(json[4], nlohmann::json({1, 77, 88.0, "elsewhere"}));
  EXPECT_EQ(json[5]["name"], "with a name of its own");
  format::Manifest read;
  ASSERT_EQ(format::parseManifest(text, read), "");
  EXPECT_EQ(format::printManifest(read), text);
  EXPECT_EQ(read.kernels[2].name, "k2_" + op);
  EXPECT_EQ(read.kernels[2].op, given.op);
  EXPECT_EQ(read.kernels[2].bytes, given.bytes);
  EXPECT_EQ(read.kernels[2].node, given.node);
  EXPECT_EQ(read.kernels[4].node, "elsewhere");
  EXPECT_EQ(read.kernels[4].residentBytes, 77u);
  EXPECT_EQ(read.kernels[4].work.reservedBytes, 88);
}

TEST(Manifest, EveryEntryOfAKernelThatIsAlikeIsChecked) {
  auto json =
      nlohmann::json::parse(format::printManifest(DemoFile("conv").manifest));
  using List = nlohmann::json;
  const struct {
    List kernel;
    const char *expected;
  } cases[] = {
      {List{2, 0, 0}, "[2][0]' is 2, expected the number of a kernel before"},
      {List{UINT64_MAX, 0, 0}, "expected the number of a kernel before it"},
      {List{-1, 0, 0}, "[2][0]' is -1, expected an unsigned integer"},
      {List{1, 0.5, 0}, "[2][1]' is 0.5, expected an unsigned integer"},
      {List{1, 0, -1}, "[2][2]' is -1, expected a number from 0 to 1e15"},
      {List{1, 0, 0, 7}, "[2][3]' is 7, expected a string"},
      {List{1, 0}, "[2]' is [1,0], expected a kernel before it, resident and"},
      {List{1, 0, 0, "n", 0}, "expected a kernel before it, resident and"},
      {List::array(), "[2]' is [], expected a kernel before it, resident and"},
      {7, "[2]' is 7, expected an object"}};
  for (const auto &c : cases) {
    json["kernels"][2] = c.kernel;
    format::Manifest read;
    const std::string wrong = format::parseManifest(json.dump(), read);
    EXPECT_NE(wrong.find(c.expected), std::string::npos) << wrong;
  }
}

TEST(Manifest, WhatStaysOnTheChipIsChecked) {
  format::Manifest manifest = DemoFile("conv").manifest;
  manifest.machine.sramKiB = 1;
  manifest.onChip = {{0, 16, 1008, 1}};
  const std::string text = format::printManifest(manifest);
  format::Manifest read;
  ASSERT_EQ(format::parseManifest(text, read), "");
  EXPECT_EQ(format::printManifest(read), text);
  ASSERT_EQ(read.onChip.size(), 1u);
  EXPECT_EQ(read.onChip[0].bytes, 1008u);
  auto json = nlohmann::json::parse(text);
  EXPECT_EQ(json["on_chip"], nlohmann::json::parse("[[0, 16, 1008, 1]]"));
  for (const auto &[row, expected] :
       {std::pair("[0, 16, 1008]", "expected a kernel, an offset, bytes"),
        std::pair("[1, 16, 1008, 0]", "the same or one behind it"),
        std::pair("[0, 16, 1008, 99]", "the same or one behind it"),
        std::pair("[0, 16, 1009, 1]", "bytes within the chip's memory"),
        std::pair("[0, 1025, 0, 1]", "bytes within the chip's memory"),
        std::pair("[0, -1, 0, 1]", "expected an unsigned integer"),
        std::pair("7", "expected a kernel, an offset, bytes")}) {
    json["on_chip"][0] = nlohmann::json::parse(row);
    format::Manifest other;
    const std::string wrong = format::parseManifest(json.dump(), other);
    EXPECT_NE(wrong.find(expected), std::string::npos) << row << ": " << wrong;
  }
  json.erase("on_chip"); // of older compilers
  EXPECT_EQ(format::parseManifest(json.dump(), read), "");
}

TEST(Manifest, UnknownKeysAreAllowed) {
  auto json =
      nlohmann::json::parse(format::printManifest(DemoFile("conv").manifest));
  json["later"] = {{"version", 2}};
  json["kernels"][0]["tile"] = 3;
  format::Manifest read;
  EXPECT_EQ(format::parseManifest(json.dump(), read), "");
}

TEST(Manifest, EveryKeyIsRequiredAndChecked) {
  auto whole =
      nlohmann::json::parse(format::printManifest(DemoFile("conv").manifest));
  for (const char *pointer :
       {"", "/model", "/target", "/target/machine", "/inputs/0", "/outputs/0",
        "/kernels/0", "/kernels/0/work", "/kernels/0/work/products/0",
        "/kernels/0/tiling", "/kernels/0/work/reads/0",
        "/kernels/0/work/writes/0"})
    breakEveryKey(whole, pointer);
}

TEST(Manifest, OtherWrongValues) {
  auto whole =
      nlohmann::json::parse(format::printManifest(DemoFile("conv").manifest));
  struct Case {
    const char *pointer;
    nlohmann::json value;
    const char *expected;
  };
  const std::string version =
      "is 1, expected version " + std::to_string(NPU_FORMAT_VERSION);
  const Case cases[] = {
      {"/format_version", 1, version.c_str()},
      {"/inputs/0/shape/0", -1, "'inputs[0].shape[0]' is -1"},
      {"/inputs/0/shape/0", UINT64_MAX, "expected an extent"},
      {"/cpu_features/0", 7, "'cpu_features[0]' is 7, expected a string"},
      {"/plugins", {{{"name", "acme"}}}, "'plugins[0].version' is missing"},
      {"/plugins", {{{"name", 1}}}, "'plugins[0].name' is 1, expected a str"},
      {"/arena_bytes", -4, "'arena_bytes' is -4"},
      {"/target/machine/clock", 0, "expected a number from 1e-06 to 1e+12"},
      {"/target/machine/clock", 1e13, "expected a number from 1e-06 to 1e+12"},
      {"/target/machine/mac_rows", 0.5,
       "'0.5 MAC', expected a whole number from 1"},
      {"/target/machine/sram_banks", 1, "expected a whole number from 2"},
      {"/target/machine/sram_banks", 1e4, "banks of on-chip memory, but no"},
      {"/target/machine/array_use", "half", "expected parts, whole"},
      {"/target/machine/window_reads", "two", "expected each, once"},
      {"/target/machine/sum_reads", "two", "expected each, none"},
      {"/target/machine/weight_load", "late", "expected in-turn, preload"},
      {"/target/machine/rows", "k", "expected either, channels, window"},
      {"/target/machine/depthwise", "k", "expected columns, channels, vector"},
      {"/target/machine/overlap", "some", "expected tiles, all"},
      {"/target/machine/depthwise_rows", 1e4, "are more than what `mac_rows`"},
      {"/target/machine/output_lanes", 0.5, "expected a whole number from 1"},
      {"/target/machine/vector_unit", "above", "expected after, beside"},
      {"/target/machine/sram_bandwidth", 8, "no `sram` that has this"},
      {"/target/machine/sram_energy", 8, "no `sram` that takes this"},
      {"/target/machine/dram_energy", 1e7, "expected a number from 1e-06"},
      {"/kernels/0/work/products/0/rate", 0, "expected a positive number"},
      {"/kernels/0/work/products/0/energy", -1, "expected a number from 0"},
      {"/target/measured_threads", 0, "expected a positive number"},
      {"/target/measured_threads", "two", "is \"two\", expected a positive"},
      {"/target/machine/data_flow", "random", "is \"random\", expected dot-"},
      {"/kernels/0/work/macs", 1e16, "expected a number from 0 to 1e15"},
      {"/kernels/0/work/reads/0/role", "sum", "is \"sum\", expected result"},
      {"/kernels/0/work/reads/0/rows/k", -1, "expected a number from 0"},
      {"/kernels/0/tiling/stays", "none", "expected weights, data or sums"},
      {"/kernels/0/tiling/buffers", 3, "one buffer or two"},
      {"/kernels/0/work/least_macs", -1, "expected a number from 0"},
      {"/kernels/0/work/streamed", 7, "'kernels[0].work.streamed' is 7"},
      {"/kernels/0/work/reads/0/passes", 0, "expected a positive number"},
      {"/kernels/0/work/reads/0/touched", -1, "expected a number from 0"},
      {"/kernels/0/work/reads/0/touched", 1, "touched_run' is missing"},
      {"/kernels/0/work/reads/0/boundary", 1, "expected true or false"},
      {"/kernels/0/tiling/m", 2, "expected tiles that are not larger"},
      {"/kernels/0/tiling/n", 0, "expected tiles that are not larger"},
      {"/kernels/1/layouts/0", nullptr, "'kernels[1].layouts[0]' is null"},
  };
  for (const Case &c : cases) {
    nlohmann::json broken = whole;
    broken[nlohmann::json::json_pointer(c.pointer)] = c.value;
    format::Manifest read;
    std::string wrong = format::parseManifest(broken.dump(), read);
    EXPECT_NE(wrong.find(c.expected), std::string::npos)
        << c.pointer << ": " << wrong;
  }
}

TEST(Manifest, NotJson) {
  format::Manifest read;
  for (const std::string &text :
       {std::string(), std::string("{"), std::string("[]"), std::string("\xff"),
        std::string(100000, '['), std::string("{\"format_version\": 1e999}")})
    EXPECT_NE(format::parseManifest(text, read), "") << text.substr(0, 20);
}

} // namespace
} // namespace npu::test
