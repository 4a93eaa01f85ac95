// SPDX-License-Identifier: Apache-2.0
//
// Which groups of ops a target's file lists as one kernel; what it takes of a
// graph is tested by fuse-for-a-chip.mlir.
#include "compiler/Target/TargetSpec.h"
#include "test/compiler/Target/ExpectError.h"

#include <gtest/gtest.h>

using namespace npu;
using test::expectError;
using test::good;

namespace {

std::string withFuses(const std::string &entry) {
  return good + "fuses:\n  - " + entry + "\n";
}

TEST(Fuses, AreRead) {
  std::string error;
  auto spec = parseTarget(
      withFuses("{ops: [conv2d, matmul], when: {constant: true}, then: "
                "[bias, relu, add], order: listed, operands: up to 1, types: "
                "[f32]}\n  - {ops: [eltwise], then: [eltwise]}"),
      "chip.yaml", error);
  ASSERT_TRUE(spec) << error;
  EXPECT_EQ(spec->fuses.source, Fuses::Source::Listed);
  ASSERT_EQ(spec->fuses.entries.size(), 3u);
  const FuseEntry &entry = spec->fuses.entries.at("matmul").front();
  EXPECT_EQ(entry.when.size(), 1u);
  EXPECT_TRUE(entry.isListed);
  EXPECT_EQ(entry.operands, 1);
  EXPECT_EQ(entry.types.size(), 1u);
  EXPECT_EQ(fusesText(*spec),
            "fuses:\n"
            "  conv2d, matmul (constant: true): then bias, relu, add, in this "
            "order, up to 1 further operand, stored as f32\n"
            "  eltwise: then any elementwise function\n");
}

TEST(Fuses, ThatAreNotSaid) {
  std::string error;
  auto spec = parseTarget(good, "chip.yaml", error);
  ASSERT_TRUE(spec) << error;
  EXPECT_EQ(spec->fuses.entries.count("conv2d"), 0u);
  EXPECT_EQ(spec->fuses.entries.count("eltwise"), 1u);
  EXPECT_NE(fusesText(*spec).find("nothing behind"), std::string::npos);
  spec = parseTarget(good + "output_stage: [bias]\n", "chip.yaml", error);
  ASSERT_TRUE(spec) << error;
  EXPECT_EQ(spec->fuses.entries.count("conv2d"), 1u);
  EXPECT_NE(fusesText(*spec).find("what `output_stage`"), std::string::npos);
  spec = parseTarget(good + "fuses: []\n", "chip.yaml", error);
  ASSERT_TRUE(spec) << error;
  EXPECT_TRUE(spec->fuses.entries.empty());
}

TEST(Fuses, WrongOnes) {
  expectError(good + "fuses: all\n",
              "chip.yaml:24: fuses: 'all', expected a list, or `library`");
  expectError(good + "fuses: library\n",
              "chip.yaml:24: fuses: `library` is what this machine runs");
  expectError(good + "fuses: {ops: [conv2d]}\n", "fuses: expected a list");
  expectError(withFuses("{ops: [conv2d]}"), "fuses: key 'then' is missing");
  expectError(withFuses("{then: [bias]}"), "fuses: key 'ops' is missing");
  expectError(withFuses("{ops: [conv2d], then: [bias], last: [add]}"),
              "chip.yaml:25: fuses: unknown key 'last', allowed are ops");
  expectError(withFuses("{ops: [conv4d], then: [bias]}"),
              "chip.yaml:25: unknown op 'conv4d'");
  expectError(withFuses("{ops: [softmax], then: [bias]}"),
              "chip.yaml:25: fuses: nothing is fused behind 'softmax', allowed "
              "are eltwise, conv1d");
  expectError(withFuses("{ops: [conv2d], then: []}"),
              "chip.yaml:25: fuses: `then` is empty");
  expectError(withFuses("{ops: [conv2d], then: [pool]}"),
              "chip.yaml:25: fuses: then: unknown word 'pool', allowed are "
              "bias, requantize, activation, add, eltwise");
  expectError(withFuses("{ops: [conv2d], then: bias}"),
              "fuses: then: expected a list");
  expectError(withFuses("{ops: [conv2d], then: [relu, relu]}"),
              "chip.yaml:25: fuses: then: 'relu' stands twice");
  expectError(withFuses("{ops: [conv2d], then: [bias], order: last}"),
              "fuses: order: 'last', expected one of: listed, any");
  for (const char *count : {"1", "up to", "up to x", "up to -1", "up to 1.5"})
    expectError(withFuses("{ops: [conv2d], then: [bias], operands: " +
                          std::string(count) + "}"),
                std::string("fuses: operands: '") + count +
                    "', expected `up to N`");
  expectError(withFuses("{ops: [conv2d], then: [bias], types: [f8]}"),
              "chip.yaml:25: unknown type 'f8'");
  expectError(withFuses("{ops: [conv2d], then: [bias], types: [i8]}"),
              "fuses: types: 'i8' is not one of the chip's `types`");
  expectError(withFuses("{ops: [conv2d], then: [bias], when: {stride: 0x}}"),
              "chip.yaml:25: when: stride: '0x', expected a whole number");
  expectError(withFuses("{ops: [conv2d], then: [bias]}\n"
                        "  - {ops: [conv2d], then: [bias]}"),
              "chip.yaml:26: fuses: op 'conv2d' stands twice with the same");
}

TEST(Fuses, ThisMachinesLibrary) {
  const std::string measured =
      "measured: {processor: A, library: B, threads: 2 threads}\n";
  std::string error;
  auto spec =
      parseTarget(good + "fuses: library\n" + measured, "chip.yaml", error);
  ASSERT_TRUE(spec) << error;
  EXPECT_EQ(spec->fuses.source, Fuses::Source::Library);
  EXPECT_NE(fusesText(*spec).find("library"), std::string::npos);
}

} // namespace
