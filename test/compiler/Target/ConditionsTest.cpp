// SPDX-License-Identifier: Apache-2.0
#include "compiler/Target/Conditions.h"

#include "compiler/Target/AcceptedLayouts.h"
#include "compiler/Target/Coverage.h"
#include "compiler/Target/Lacks.h"
#include "test/compiler/Target/ExpectError.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"

#include <gtest/gtest.h>

#include <map>

using namespace npu;

namespace {

const std::string chip = R"(name: chip
summary: a chip
types: [f32, i8]
blocks: [16]
machine:
  clock: 1000 MHz
  mac_rows: 16 MAC
  mac_columns: 16 MAC
  vector_lanes: 16 lanes
  dram: 1024 MiB
  dram_bandwidth: 16 GB/s
  dma_burst: 64 B
  dma_start: 100 cycles
  kernel_start: 100 cycles
  strided_access: 4 times
demands:
)";

void expectError(const std::string &text, const std::string &message) {
  test::expectError(chip + text, message);
}

/// The chip with these demands, and what follows.
TargetSpec targetOf(const std::string &text) {
  std::string error;
  std::optional<TargetSpec> spec = parseTarget(chip + text, "chip.yaml", error);
  EXPECT_TRUE(spec) << error;
  return spec.value_or(TargetSpec());
}

std::optional<Condition> parse(StringRef fact, std::vector<std::string> texts,
                               StringRef op = "conv2d") {
  std::string error;
  return parseCondition(fact, texts, *lookupOpWords(op), error);
}

std::string whyNot(StringRef fact, std::vector<std::string> texts,
                   StringRef op = "conv2d") {
  std::string error;
  EXPECT_FALSE(parseCondition(fact, texts, *lookupOpWords(op), error));
  return error;
}

TEST(Conditions, Numbers) {
  auto takes = [](const std::string &text, int64_t number) {
    return parse("window", {text})->takes(number);
  };
  EXPECT_TRUE(takes("7", 7));
  EXPECT_FALSE(takes("7", 6));
  EXPECT_TRUE(takes("up to 7", 7));
  EXPECT_FALSE(takes("up to 7", 8));
  EXPECT_TRUE(takes("from 2", 2));
  EXPECT_FALSE(takes("from 2", 1));
  EXPECT_TRUE(takes("2 to 4", 4));
  EXPECT_FALSE(takes("2 to 4", 5));
  EXPECT_TRUE(takes("multiple of 16", 48));
  EXPECT_FALSE(takes("multiple of 16", 24));
  std::optional<Condition> some = parse("window", {"1", "from 5"});
  EXPECT_TRUE(some->takes(1));
  EXPECT_FALSE(some->takes(3));
  EXPECT_TRUE(some->takes(9));
  for (const char *text :
       {"", "-1", "x", "up to", "upto 3", "3 to 2", "3 to", "multiple of 0",
        "3 4", "1.5", "99999999999999999999", "from -2", "up to 7 cm"})
    EXPECT_NE(whyNot("window", {text}).find("expected a whole number"),
              std::string::npos)
        << text;
}

TEST(Conditions, AreOfTheirOps) {
  EXPECT_EQ(whyNot("window", {"3"}, "softmax"),
            "op 'softmax' has no 'window', it has length, rank, extent, "
            "elements, types");
  EXPECT_EQ(whyNot("windows", {"3"}, "relayout"),
            "op 'relayout' has no 'windows', it has rank, extent, elements, "
            "types");
  EXPECT_EQ(whyNot("depthwise", {"yes"}),
            "depthwise: 'yes', expected one of false, true");
  EXPECT_EQ(whyNot("kind", {"tanj"}, "reduce").substr(0, 45),
            "kind: 'tanj', expected one of sum, mean, max,");
  EXPECT_EQ(whyNot("window", {}), "window: is never true; name one or more");
  EXPECT_TRUE(parse("kind", {"hard_swish"}, "eltwise"));
  EXPECT_TRUE(parse("window", {"3"}, "avg_pool"));
  EXPECT_TRUE(parse("constant", {"true"}, "matmul"));
  EXPECT_TRUE(parse("length", {"3"}, "concat"));
}

TEST(Conditions, ErrorsOfFiles) {
  expectError("  - ops: [conv2d]\n    when: {windows: 3}\n",
              "chip.yaml:18: when: unknown key 'windows'");
  expectError("  - ops: [conv2d]\n    when: {window: 3 4}\n",
              "chip.yaml:18: when: window: '3 4', expected a whole number");
  expectError("  - ops: [conv2d, softmax]\n    when: {window: 3}\n",
              "chip.yaml:18: when: op 'softmax' has no 'window'");
  expectError("  - ops: [conv2d]\n    when: {}\n", "when: is empty");
  expectError("  - ops: [conv2d]\n    when: {window: []}\n",
              "window: is never true");
  expectError("  - ops: [conv2d]\n    when: [window]\n",
              "when: expected `key: value`");
  expectError("  - ops: [conv2d]\n    when: {window: 3}\n    data: [NHWC]\n"
              "  - ops: [conv2d]\n    when: {window: 3}\n    data: [NHWC]\n",
              "stands in two demands with the same layouts");
  const std::string none = "  []\n";
  expectError(none + "unsupported: [softmax]\n", "unsupported: expected");
  expectError(none + "unsupported:\n  - when: {rank: 3}\n",
              "unsupported: key 'ops' is missing");
  expectError(none + "unsupported:\n  - ops: [softmax, relayout]\n",
              "unsupported: 'relayout' is what npuc itself puts between");
  expectError(none + "unsupported:\n  - ops: [softmax]\n  - ops: [softmax]\n",
              "unsupported: op 'softmax' stands twice with the same");
  const std::string fallback = none + "fallback: {target: host, link_start: 1 "
                                      "cycles, link_bandwidth: ";
  expectError(fallback + "0 GB/s}\n", "expected a positive number");
  expectError(fallback + "1 B/cycle}\n", "expected the unit GB/s");
  const std::string start = none + "fallback: {target: host, link_bandwidth: 1 "
                                   "GB/s, link_start: ";
  expectError(start + "-1 cycles}\n", "expected a number of cycles, 0 or more");
  expectError(start + "1 us}\n", "expected the unit cycles");
  expectError(none + "fallback: {target: host}\n",
              "fallback: key 'link_bandwidth' is missing");
}

/// The op named in `text`, the last of a function.
class Conv : public ::testing::Test {
protected:
  LayoutOpInterface op(const std::string &body) {
    context.loadDialect<NPUDialect, mlir::func::FuncDialect>();
    module = mlir::parseSourceString<mlir::ModuleOp>(
        "func.func @f(%x: tensor<1x32x9x9xf32>) {\n"
        "%c = npu.constant dense<1.0> : tensor<32x1x5x3xf32> -> "
        "tensor<32x1x5x3xf32>\n" +
            body + "\nreturn\n}",
        &context);
    Operation *last = nullptr;
    module->walk([&](LayoutOpInterface one) { last = one; });
    return cast<LayoutOpInterface>(last);
  }
  std::string fact(StringRef name, LayoutOpInterface of) {
    return factText(*lookupOpFact(name), of);
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

const char *const depthwise =
    "%y = npu.conv2d(%x, %c) {dilations = [1, 2], groups = 32, pads = [0, 0, "
    "0, 0], strides = [2, 1]} : (tensor<1x32x9x9xf32>, tensor<32x1x5x3xf32>) "
    "-> tensor<1x32x3x5xf32>";

TEST_F(Conv, Facts) {
  LayoutOpInterface conv = op(depthwise);
  EXPECT_EQ(fact("depthwise", conv), "depthwise is true");
  EXPECT_EQ(fact("pointwise", conv), "pointwise is false");
  EXPECT_EQ(fact("groups", conv), "groups is 32");
  EXPECT_EQ(fact("window", conv), "window is 5x3");
  EXPECT_EQ(fact("stride", conv), "stride is 2x1");
  EXPECT_EQ(fact("dilation", conv), "dilation is 1x2");
  EXPECT_EQ(fact("channels", conv), "channels is 32");
  EXPECT_EQ(fact("result_channels", conv), "result_channels is 32");
  EXPECT_EQ(fact("rank", conv), "rank is 4");
  EXPECT_EQ(fact("types", conv), "types is f32");
  EXPECT_EQ(fact("constant", conv), "constant is true");
  EXPECT_EQ(fact("length", conv), "has no length");
  EXPECT_FALSE(parse("length", {"1"}, "softmax")->holds(conv));
  LayoutOpInterface reduce =
      op("%y = npu.reduce(%x) {axes = [1, 3], keep_dims = true, kind = "
         "#npu.reduce_kind<mean>} : (tensor<1x32x9x9xf32>) -> "
         "tensor<1x1x9x1xf32>");
  EXPECT_EQ(fact("length", reduce), "length is 288");
  EXPECT_EQ(fact("kind", reduce), "kind is mean");
  EXPECT_EQ(fact("constant", op("%y = npu.eltwise add(%x, %x) : "
                                "(tensor<1x32x9x9xf32>, tensor<1x32x9x9xf32>) "
                                "-> tensor<1x32x9x9xf32>")),
            "has no constant");
}

TEST_F(Conv, WhichEntryHolds) {
  TargetSpec spec =
      targetOf("  - {ops: [conv2d], data: [NCHW16c]}\n"
               "  - {ops: [conv2d], when: {window: up to 7}, data: [NHWC]}\n"
               "  - {ops: [conv2d], when: {depthwise: true}, data: [NCHW]}\n"
               "  - {ops: [conv2d], when: {depthwise: false}, data: [any]}\n");
  LayoutOpInterface conv = op(depthwise);
  auto axes = [&](unsigned slot) -> KnownDims {
    return slot < 2 ? conv.getOperandAxes(slot) : conv.getResultAxes(0);
  };
  auto holding = [&](const TargetSpec &target) {
    auto all = fittingSignatures(signaturesOf(target, conv), conv, axes);
    return std::vector<unsigned>(all.begin(), all.end());
  };
  EXPECT_EQ(holding(spec), (std::vector<unsigned>{1, 2}));
  EXPECT_FALSE(lackOf(spec, conv));
  // Where nothing holds, those without conditions.
  spec =
      targetOf("  - {ops: [conv2d], data: [NCHW16c]}\n"
               "  - {ops: [conv2d], when: {window: up to 4}, data: [NHWC]}\n");
  EXPECT_EQ(holding(spec), (std::vector<unsigned>{0}));
  EXPECT_FALSE(lackOf(spec, conv));
  // Without these, it is not the chip's.
  spec = targetOf("  - {ops: [conv2d], when: {window: up to 4}, data: [NHWC]}\n"
                  "  - {ops: [conv2d], when: {window: up to 4, stride: 1}}\n");
  std::optional<Lack> lack = lackOf(spec, conv);
  ASSERT_TRUE(lack);
  EXPECT_EQ(lack->why, "window is 5x3 (`demands` takes up to 4)");
  // Of `unsupported`, one number is enough.
  spec = targetOf("  []\nunsupported:\n"
                  "  - {ops: [conv2d], when: {window: from 4}}\n");
  lack = lackOf(spec, conv);
  ASSERT_TRUE(lack);
  EXPECT_EQ(lack->why, "window is 5x3; `unsupported` lists window: from 4");
}

TEST(Coverage, NamesWhatNobodyTakes) {
  auto textOf = [](const std::string &text) {
    return coverageText(targetOf(text));
  };
  EXPECT_EQ(textOf("  - {ops: [conv2d], data: [NHWC]}\n"),
            "no entry has conditions: every op is the chip's\n");
  EXPECT_EQ(textOf("  - {ops: [conv2d], when: {depthwise: true}}\n"
                   "  - {ops: [conv2d], when: {depthwise: false}}\n"),
            "conv2d:\n  one entry in each of 2 cases\n");
  // Each number alone has its entry, both at once do not.
  EXPECT_EQ(textOf("  - {ops: [conv2d], when: {window: up to 3}}\n"
                   "  - {ops: [conv2d], when: {window: from 4}}\n"),
            "conv2d:\n  not the chip's in 2 of 6 cases: window 1x4; window "
            "3x4\n");
  EXPECT_EQ(textOf("  - {ops: [softmax], when: {length: up to 8}}\n"
                   "  - {ops: [softmax], when: {length: multiple of 4}}\n"
                   "  - {ops: [softmax], when: {rank: 3, length: 0}}\n"
                   "  - {ops: [softmax]}\n"),
            "softmax:\n"
            "  several entries hold in 8 of 20 cases: length 4, rank 1; length "
            "8, rank 1; length 4, rank 2; ...\n"
            "  an entry of `demands` never holds: rank: 3, length: 0\n");
  EXPECT_EQ(textOf("  []\nunsupported:\n  - {ops: [pad]}\n"
                   "  - {ops: [softmax], when: {length: from 9}}\n"),
            "pad:\n  not the chip's in 1 of 1 case\n"
            "softmax:\n  not the chip's in 1 of 3 cases: length 9\n");
  EXPECT_EQ(textOf("  []\nunsupported:\n"
                   "  - {ops: [conv2d], when: {window: from 3}}\n"),
            "conv2d:\n  not the chip's in 3 of 6 cases: window 3; window 1x3; "
            "window 2x3\n");
}

/// Of the rows "| `fact` | of what | meaning |" of the README, the meanings.
TEST(Conditions, ReadmeHasTheFacts) {
  auto file = llvm::MemoryBuffer::getFile(TARGETS_README);
  ASSERT_TRUE(file);
  StringRef text = (*file)->getBuffer();
  text = text.split("| fact | of what | meaning |\n|---|---|---|\n").second;
  SmallVector<StringRef> rows;
  text.split("\n\n").first.split(rows, '\n');
  std::vector<std::string> told, known;
  for (StringRef row : rows)
    told.push_back(row.drop_front(3).split('`').first.str());
  for (const OpFact &fact : opFacts())
    known.push_back(fact.name.str());
  EXPECT_EQ(told, known);
}

} // namespace
