// SPDX-License-Identifier: Apache-2.0
#include "compiler/Dialect/NPU/LayoutUse.h"
#include "compiler/Layout/Explain/LayoutExplain.h"
#include "compiler/Layout/Explain/RelayoutReport.h"
#include "compiler/Layout/LayoutStage.h"
#include "compiler/Layout/PlanFile/PlanWriter.h"
#include "compiler/Layout/Problem/Boundary.h"
#include "compiler/Layout/Problem/Cost.h"
#include "test/compiler/Layout/LayoutFixture.h"
#include "test/compiler/Support/ReplaceLine.h"

using namespace npu;

namespace {

const std::string good = R"(version: 1
npuc: 0.1.0
model: "m.onnx"
target: npu-nhwc
strategy: auto-nhwc
layouts:
  - input: "x"
    stored: NCHW
  - op: "Conv 'c'"
    reads: [NHWC, HWOI]
    stored: NHWC
    pin: true
  - op: "Relu 'r'"
    reads: [NHWC]
    stored: NHWC
  - output: "y"
    stored: NCHW
pins:
  - {op: "Relu 'r'", stored: NCHW}
)";

void expectError(const std::string &text, const std::string &message) {
  std::string error;
  EXPECT_FALSE(parsePlanFile(text, "p.yaml", error)) << text;
  EXPECT_NE(error.find(message), std::string::npos) << error;
}

TEST(PlanFile, ReadsEverything) {
  std::string error;
  auto plan = parsePlanFile(good, "p.yaml", error);
  ASSERT_TRUE(plan) << error;
  EXPECT_EQ(plan->target, "npu-nhwc");
  EXPECT_EQ(plan->targetLine, 4);
  ASSERT_EQ(plan->entries.size(), 5u);
  EXPECT_EQ(plan->entries[0].kind, PlanEntry::Kind::Input);
  EXPECT_FALSE(plan->entries[0].pin);
  EXPECT_EQ(plan->entries[1].name, "Conv 'c'");
  EXPECT_EQ(plan->entries[1].line, 9);
  EXPECT_TRUE(plan->entries[1].pin);
  ASSERT_EQ(plan->entries[1].reads.size(), 2u);
  EXPECT_EQ(plan->entries[1].reads[1].pattern.text, "HWOI");
  EXPECT_EQ(plan->entries[1].reads[1].line, 10);
  EXPECT_EQ(plan->entries[4].name, "Relu 'r'");
  EXPECT_TRUE(plan->entries[4].pin);
}

TEST(PlanFile, Keys) {
  expectError(replaceLine(good, 1, "version: 2"), "p.yaml:1: version 2");
  expectError(replaceLine(good, 1, ""), "key 'version' is missing");
  expectError(replaceLine(good, 4, ""), "key 'target' is missing");
  expectError(replaceLine(good, 5, "colour: red"),
              "p.yaml:5: a layout plan: unknown");
  expectError(replaceLine(good, 5, "target: host"),
              "p.yaml:5: a layout plan: key "
              "'target' stands twice");
  expectError(replaceLine(good, 8, "    order: NCHW"),
              "p.yaml:8: layout: unknown key");
  expectError(replaceLine(good, 19, "  - {op: a, stored: NCHW, pin: true}"),
              "p.yaml:19: pin: unknown key 'pin'");
  expectError(replaceLine(good, 4, "target: [a]"),
              "p.yaml:4: target: expected a word");
}

TEST(PlanFile, Entries) {
  expectError(replaceLine(good, 13, "  - pin: false"),
              "p.yaml:13: an entry needs one of");
  expectError(replaceLine(good, 14, "    output: \"z\""), "two of them");
  expectError(replaceLine(good, 7, "  - input: \"\""),
              "p.yaml:7: input: the name is "
              "empty");
  expectError(replaceLine(good, 8, "    reads: [NCHW]"), "reads nothing");
  expectError(replaceLine(good, 8, "    algorithm: direct"),
              "computes nothing");
  expectError(replaceLine(good, 12, "    algorithm: \"\""),
              "p.yaml:12: algorithm: the name is empty");
  expectError(replaceLine(good, 12, "    pin: yes"),
              "p.yaml:12: pin: 'yes', expected");
  expectError(replaceLine(good, 12, "    resident: on"),
              "p.yaml:12: resident: 'on', expected true or false");
  expectError(replaceLine(good, 8, "    resident: true"), "is in DRAM");
  expectError(replaceLine(good, 13, "  - op: \"Conv 'c'\""),
              "stands twice, first in line 9");
  expectError(replaceLine(good, 19, "  - {op: \"Relu 'r'\"}"),
              "p.yaml:19: the pin of 'Relu 'r'' names no layout");
  expectError(replaceLine(good, 19,
                          "  - {op: a, stored: abc}\n"
                          "  - {op: a, stored: abc}"),
              "p.yaml:20: 'a' stands twice, first in line 19");
}

TEST(PlanFile, Layouts) {
  expectError(replaceLine(good, 8, "    stored: NCHX"),
              "p.yaml:8: stored: 'NCHX' is "
              "not a layout");
  expectError(replaceLine(good, 10, "    reads: [NHWC, 7]"),
              "p.yaml:10: reads: '7' is not a layout");
  expectError(replaceLine(good, 10, "    reads: NHWC"),
              "p.yaml:10: reads: expected a "
              "list");
}

TEST(PlanFile, NotYaml) {
  expectError("", "p.yaml:1: ");
  expectError("just words", "p.yaml:1: a layout plan: expected `key: value`");
  expectError("version: 1\ntarget: \"open", "p.yaml:2: ");
  expectError(good + "---\nversion: 1\n", "more than one document");
  std::string error;
  EXPECT_FALSE(loadPlanFile("no/such/plan.yaml", error));
  EXPECT_NE(error.find("cannot be read"), std::string::npos) << error;
}

TEST(PlanFile, EveryTruncationIsAnErrorOrAPlan) {
  for (size_t size = 0; size < good.size(); ++size) {
    std::string error;
    bool read = bool(parsePlanFile(good.substr(0, size), "p.yaml", error));
    EXPECT_NE(read, !error.empty()) << size << ": " << error;
  }
}

const char *const source = R"(
  func.func @f(%x: tensor<2x8x6x6xf32> {npu.name = "x"}) -> (tensor<2x8x6x6xf32> {npu.name = "y"}, tensor<2x288xf32> {npu.name = "z"}) {
    %w = npu.constant dense<1.0> : tensor<8x8x3x3xf32> -> tensor<8x8x3x3xf32>
    %0 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [1, 1, 1, 1], strides = [1, 1]} : (tensor<2x8x6x6xf32>, tensor<8x8x3x3xf32>) -> tensor<2x8x6x6xf32> loc("Conv 'c'")
    %1 = npu.eltwise relu(%0) : (tensor<2x8x6x6xf32>) -> tensor<2x8x6x6xf32> loc("Relu 'r'")
    %2 = npu.eltwise add(%1, %0) : (tensor<2x8x6x6xf32>, tensor<2x8x6x6xf32>) -> tensor<2x8x6x6xf32> loc("Add 'a'")
    %3 = npu.transpose(%2) {permutation = [0, 2, 3, 1]} : (tensor<2x8x6x6xf32>) -> tensor<2x6x6x8xf32> loc("Transpose 't'")
    %4 = npu.eltwise relu(%3) : (tensor<2x6x6x8xf32>) -> tensor<2x6x6x8xf32> loc("Relu 'r'")
    %5 = npu.reshape(%4) : (tensor<2x6x6x8xf32>) -> tensor<2x288xf32>
    return %2, %5 : tensor<2x8x6x6xf32>, tensor<2x288xf32>
  })";

class PlanTest : public LayoutFixture {
protected:
  PlanTest() {
    context.getDiagEngine().registerHandler(
        [this](mlir::Diagnostic &diagnostic) {
          message = diagnostic.str();
          return success();
        });
  }

  static std::string textOf(mlir::func::FuncOp function) {
    std::string text;
    llvm::raw_string_ostream out(text);
    function.print(out);
    return text;
  }

  /// The stage with a plan's text; false with `message` where it fails.
  bool solve(mlir::func::FuncOp function, StringRef strategy,
             const std::string &text, StringRef io = "fixed") {
    std::string error;
    LayoutOptions options;
    options.strategy = strategy.str();
    options.verifyExactly = true;
    options.io = *IoLayouts::parse(io, error);
    auto plan = parsePlanFile(text, "p.yaml", error);
    EXPECT_TRUE(plan) << error << "\n" << text;
    if (!plan)
      return false;
    options.plan = std::make_shared<PlanFile>(*plan);
    return succeeded(runLayoutStage(function, target, options));
  }

  static std::string pins(const std::string &lines) {
    return "version: 1\ntarget: npu-nhwc\npins:\n" + lines;
  }

  void expectRefused(const std::string &lines, const std::string &expected,
                     StringRef io = "fixed") {
    message.clear();
    EXPECT_FALSE(solve(parse(source), "auto-nhwc", pins(lines), io)) << lines;
    EXPECT_NE(message.find(expected), std::string::npos) << message;
  }

  static Operation *opNamed(mlir::func::FuncOp function, StringRef name) {
    for (auto &[op, its] : planNames(function))
      if (its == name)
        return op;
    return nullptr;
  }

  std::string written(mlir::func::FuncOp function, StringRef strategy) {
    PlanWriter writer(function);
    LayoutOptions options;
    options.strategy = strategy.str();
    EXPECT_TRUE(succeeded(runLayoutStage(function, target, options)))
        << message;
    return writer.print(function, "m.onnx", target, strategy, nullptr);
  }

  TargetSpec target = load("npu-nhwc");
  std::string message;
};

TEST_F(PlanTest, NamesAreTheModels) {
  std::vector<std::string> names;
  for (auto &[op, name] : planNames(parse(source)))
    names.push_back(name);
  EXPECT_EQ(names, (std::vector<std::string>{"Conv 'c'", "Relu 'r'", "Add 'a'",
                                             "Transpose 't'", "Relu 'r'#2",
                                             "reshape"}));
}

TEST_F(PlanTest, APlanWithoutPinsChangesNothing) {
  for (const Strategy &strategy : strategies()) {
    if (strategy.name == "none")
      continue; // the chip demands more
    mlir::func::FuncOp first = parse(source), second = parse(source);
    std::string plan = written(first, strategy.name);
    EXPECT_EQ(textOf(first).find("plan_name"), std::string::npos);
    ASSERT_TRUE(solve(second, strategy.name, plan)) << message << plan;
    EXPECT_EQ(textOf(first), textOf(second)) << strategy.name.str();
  }
}

/// With everything pinned the plan is the program, whoever decides.
TEST_F(PlanTest, AFullyPinnedPlanDecidesAlone) {
  mlir::func::FuncOp first = parse(source);
  std::string plan = written(first, "auto-nhwc");
  size_t at = 0;
  while ((at = plan.find("    stored:", at)) != std::string::npos) {
    plan.insert(at, "    pin: true\n");
    at += 20;
  }
  for (const Strategy &strategy : strategies()) {
    if (strategy.name == "naive")
      continue; // brings each value home
    mlir::func::FuncOp second = parse(source);
    ASSERT_TRUE(solve(second, strategy.name, plan)) << message << plan;
    EXPECT_EQ(reportLayouts(second, target).count(),
              reportLayouts(first, target).count());
    for (auto &[op, name] : planNames(first))
      EXPECT_EQ(op->getResult(0).getType(),
                opNamed(second, name)->getResult(0).getType())
          << strategy.name.str() << " " << name;
  }
}

/// One pin each, of every kind of op, under every strategy.
TEST_F(PlanTest, EveryStrategyHoldsAPin) {
  const std::pair<const char *, const char *> cases[] = {
      {"Relu 'r'", "NCHW"},   {"Add 'a'", "abcd"},    {"Add 'a'", "badc"},
      {"Relu 'r'#2", "abcd"}, {"Relu 'r'#2", "dcba"}, {"Transpose 't'", "cabd"},
      {"reshape", "ba"},      {"Conv 'c'", "NHWC"}};
  std::string error;
  for (const Strategy &strategy : strategies())
    for (auto [name, layout] : cases) {
      if (strategy.name == "none")
        continue; // the convolution's demand is not met
      std::string text = pins(std::string("  - {op: \"") + name +
                              "\", stored: " + layout + "}\n");
      mlir::func::FuncOp function = parse(source);
      ASSERT_TRUE(solve(function, strategy.name, text))
          << strategy.name.str() << ": " << message << "\n"
          << text;
      LayoutPattern pattern = *LayoutPattern::parse(layout, error);
      ImageAxesAnalysis axes(function);
      Value result = opNamed(function, name)->getResult(0);
      EXPECT_EQ(
          toLayout(&context, *pattern.resolve(tensorType(result).getRank(),
                                              axes.of(result))),
          getLayout(result))
          << strategy.name.str() << " " << text;
    }
}

/// What stays on the chip is chosen around a pin, whoever chooses layouts.
TEST_F(PlanTest, APinnedResidentStays) {
  for (const char *strategy : {"auto-nhwc", "optimal"})
    for (bool stays : {true, false}) {
      mlir::func::FuncOp function = parse(source);
      ASSERT_TRUE(solve(function, strategy,
                        pins(std::string("  - {op: \"Conv 'c'\", resident: ") +
                             (stays ? "true" : "false") + "}\n")))
          << message;
      ImageAxesAnalysis axes(function);
      LayoutProblem problem(function, target, axes);
      const OnChipValues *onChip = costOf(problem).onChip;
      ASSERT_TRUE(onChip);
      EXPECT_EQ(onChip->contains(opNamed(function, "Conv 'c'")->getResult(0)),
                stays);
      PlanWriter writer(function);
      std::string plan = writer.print(function, "m", target, strategy, onChip);
      EXPECT_NE(plan.find(stays ? "resident: true" : "resident: false"),
                std::string::npos)
          << plan;
    }
}

TEST_F(PlanTest, ResidentsThatCannotBe) {
  expectRefused("  - {op: \"Add 'a'\", resident: true}\n",
                "p.yaml:4: the result of 'Add 'a'' cannot stay on the chip: it "
                "is an output of the network");
  expectRefused("  - {op: \"Transpose 't'\", resident: true}\n",
                "it only shows or moves data");
  target.machine.sramKiB = 2;
  expectRefused("  - {op: \"Conv 'c'\", resident: true}\n",
                "p.yaml:4: what is pinned to stay on the chip takes 2304 bytes "
                "of on-chip memory at a time, target 'npu-nhwc' has 2048");
  target.machine.sramKiB = 0;
  expectRefused("  - {op: \"Conv 'c'\", resident: true}\n",
                "target 'npu-nhwc' has no `sram`");
}

TEST_F(PlanTest, APinnedReadIsReadSo) {
  for (const char *name : {"Add 'a'", "Relu 'r'#2", "Transpose 't'"}) {
    mlir::func::FuncOp function = parse(source);
    bool two = StringRef(name) == "Add 'a'";
    ASSERT_TRUE(solve(function, "auto-nhwc",
                      pins(std::string("  - {op: \"") + name +
                           "\", reads: [dcba" + (two ? ", any" : "") + "]}\n")))
        << message;
    Operation *op = opNamed(function, name);
    EXPECT_EQ(getLayout(op->getOperand(0)).getLetters(), "dcba") << name;
  }
}

/// Both ways, whatever the strategy would choose, and through a written plan.
TEST_F(PlanTest, APinnedAlgorithmIsUsed) {
  for (StringRef strategy : {"auto-nhwc", "alter", "optimal"})
    for (StringRef algorithm : {"direct", "winograd2x2", "winograd4x4"}) {
      mlir::func::FuncOp function = parse(source);
      PlanWriter writer(function);
      ASSERT_TRUE(solve(
          function, strategy,
          pins("  - {op: \"Conv 'c'\", algorithm: " + algorithm.str() + "}\n")))
          << message;
      bool isDirect = algorithm == "direct";
      EXPECT_EQ(function.getBody().getOps<Conv2dOp>().empty(), !isDirect);
      EXPECT_EQ(reportLayouts(function, target).algorithms.empty(), isDirect);
      std::string plan =
          writer.print(function, "m.onnx", target, strategy, nullptr);
      EXPECT_NE(plan.find("    algorithm: " + algorithm.str() + "\n"),
                std::string::npos)
          << plan;
      size_t at = plan.find("    stored:", plan.find("Conv 'c'"));
      plan.insert(at, "    pin: true\n");
      mlir::func::FuncOp again = parse(source);
      ASSERT_TRUE(solve(again, "auto-nhwc", plan)) << message << plan;
      EXPECT_EQ(again.getBody().getOps<Conv2dOp>().empty(), !isDirect) << plan;
    }
}

/// A group that is split is one entry, with the orders of what it reads and
/// stores as a whole; pinned, it is split whatever else would be cheaper.
TEST_F(PlanTest, ASplitGroupIsAnEntry) {
  const std::string group = R"(
    func.func @main(%x: tensor<1x3x56x56xf32> {npu.name = "x"}, %y: tensor<1x64x56x56xf32> {npu.name = "y"}) -> (tensor<1x64x56x56xf32> {npu.name = "z"}) {
      %w = npu.constant dense<1.0> : tensor<64x3x3x3xf32> -> tensor<64x3x3x3xf32>
      %0 = npu.fused(%x, %w, %y) : (tensor<1x3x56x56xf32>, tensor<64x3x3x3xf32>, tensor<1x64x56x56xf32>) -> tensor<1x64x56x56xf32> {
      ^bb0(%a: tensor<1x3x56x56xf32>, %b: tensor<64x3x3x3xf32>, %c: tensor<1x64x56x56xf32>):
        %1 = npu.conv2d(%a, %b) {dilations = [1, 1], groups = 1, pads = [1, 1, 1, 1], strides = [1, 1]} : (tensor<1x3x56x56xf32>, tensor<64x3x3x3xf32>) -> tensor<1x64x56x56xf32> loc("Conv 'c'")
        %2 = npu.eltwise add(%1, %c) : (tensor<1x64x56x56xf32>, tensor<1x64x56x56xf32>) -> tensor<1x64x56x56xf32> loc("Add 'a'")
        npu.yield %2 : tensor<1x64x56x56xf32>
      } loc("Conv 'c'")
      return %0 : tensor<1x64x56x56xf32>
    })";
  mlir::func::FuncOp function = parse(group);
  std::string plan = written(function, "optimal");
  EXPECT_NE(plan.find("  - op: \"Conv 'c'\"\n    reads: [acdb, cdab, abcd]\n"
                      "    stored: NCHW\n    algorithm: split1\n"),
            std::string::npos)
      << plan;
  size_t at = plan.find("    stored:", plan.find("Conv 'c'"));
  plan.insert(at, "    pin: true\n");
  mlir::func::FuncOp again = parse(group);
  ASSERT_TRUE(solve(again, "optimal", plan)) << message << plan;
  EXPECT_EQ(textOf(again), textOf(function));
  RelayoutReport report = reportLayouts(again, target);
  ASSERT_EQ(report.splits.size(), 1u);
  EXPECT_EQ(report.splits[0].op, "Conv 'c'");
  EXPECT_EQ(report.splits[0].before, "Add 'a'");
  EXPECT_EQ(report.splits[0].from, "NHWC");
  EXPECT_EQ(report.splits[0].to, "NCHW");
  EXPECT_NE(explainText(report).find(
                "Conv 'c' and Add 'a', one kernel else, are two: the order "
                "changes between them, NHWC to NCHW"),
            std::string::npos)
      << explainText(report);

  mlir::func::FuncOp whole = parse(group);
  ASSERT_TRUE(solve(whole, "optimal",
                    pins("  - {op: \"Conv 'c'\", algorithm: direct}\n")));
  EXPECT_TRUE(reportLayouts(whole, target).splits.empty());
  // Only a search takes an op as two.
  EXPECT_FALSE(solve(parse(group), "auto-nhwc", plan));
  EXPECT_FALSE(solve(parse(group), "optimal",
                     pins("  - {op: \"Conv 'c'\", algorithm: split2}\n")));
  EXPECT_NE(message.find("expected one of: direct, winograd2x2, winograd4x4, "
                         "split1"),
            std::string::npos)
      << message;
}

// The transform of a weight that is computed would be an op at run time.
TEST_F(PlanTest, WinogradNeedsAConstantWeight) {
  const std::string computed = R"(
    func.func @main(%x: tensor<2x4x6x6xf32> {npu.name = "x"}, %w: tensor<4x4x3x3xf32> {npu.name = "w"}) -> (tensor<2x4x6x6xf32> {npu.name = "y"}) {
      %0 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [1, 1, 1, 1], strides = [1, 1]} : (tensor<2x4x6x6xf32>, tensor<4x4x3x3xf32>) -> tensor<2x4x6x6xf32> loc("Conv 'c'")
      return %0 : tensor<2x4x6x6xf32>
    })";
  EXPECT_FALSE(solve(parse(computed), "auto-nhwc",
                     pins("  - {op: \"Conv 'c'\", algorithm: winograd4x4}\n")));
  EXPECT_NE(message.find("its weight is no constant: Winograd without weight "
                         "transform reads a weight that was transformed at "
                         "compile time, expected one of: direct"),
            std::string::npos)
      << message;
}

TEST_F(PlanTest, AlgorithmsThatCannotBe) {
  expectRefused("  - {op: \"Conv 'c'\", algorithm: winogard}\n",
                "p.yaml:4: 'Conv 'c'' cannot be computed by algorithm "
                "'winogard' on target 'npu-nhwc': there is none of this name, "
                "expected one of: direct, winograd2x2, winograd4x4");
  expectRefused("  - {op: \"Relu 'r'\", algorithm: winograd4x4}\n",
                "it is no 2-D convolution of stride 1 without groups and "
                "dilations, expected one of: direct");
  target.algorithms.clear();
  expectRefused("  - {op: \"Conv 'c'\", algorithm: winograd4x4}\n",
                "the target does not list it, expected one of: direct");
  target.algorithms = {"winograd"};
  target.demands.erase("conv2d");
  message.clear();
  EXPECT_FALSE(solve(parse(source), "none",
                     pins("  - {op: \"Conv 'c'\", algorithm: winograd4x4}\n")));
  EXPECT_NE(message.find("is pinned to algorithm 'winograd4x4', which does not "
                         "compute it in the layouts"),
            std::string::npos)
      << message;
  message.clear();
  EXPECT_FALSE(solve(parse(source), "optimal",
                     "version: 1\ntarget: npu-nhwc\nlayouts:\n"
                     "  - {op: \"Conv 'c'\", algorithm: direct, pin: true}\n"
                     "pins:\n"
                     "  - {op: \"Conv 'c'\", algorithm: winograd4x4}\n"));
  EXPECT_NE(message.find("p.yaml:6: the algorithm of 'Conv 'c'' is pinned "
                         "twice"),
            std::string::npos)
      << message;
}

TEST_F(PlanTest, PinnedBoundary) {
  mlir::func::FuncOp function = parse(source);
  ASSERT_TRUE(solve(function, "auto-nhwc",
                    pins("  - {input: x, stored: NHWC}\n"
                         "  - {output: y, stored: NHWC}\n"),
                    "free"))
      << message;
  EXPECT_EQ(getLayout(function.getArgument(0)).getLetters(), "acdb");
  RelayoutReport report = reportLayouts(function, target);
  EXPECT_EQ(report.count(), 0);
}

TEST_F(PlanTest, PlansOfOthers) {
  message.clear();
  EXPECT_FALSE(solve(parse(source), "auto-nhwc", "version: 1\ntarget: host\n"));
  EXPECT_NE(message.find("p.yaml:2: the plan is for target 'host', this is "
                         "'npu-nhwc'"),
            std::string::npos)
      << message;
  EXPECT_FALSE(solve(parse(source), "auto-nhwc",
                     "version: 1\ntarget: npu-nhwc\ngraph: 0123\n"));
  EXPECT_NE(message.find("p.yaml:3: the plan is for another graph"),
            std::string::npos)
      << message;
}

TEST_F(PlanTest, Fingerprints) {
  mlir::func::FuncOp a = parse(source), b = parse(source);
  EXPECT_EQ(graphFingerprint(a), graphFingerprint(b));
  opNamed(b, "Transpose 't'")
      ->setAttr("permutation",
                OpBuilder(&context).getI64ArrayAttr({0, 3, 2, 1}));
  EXPECT_NE(graphFingerprint(a), graphFingerprint(b));
}

TEST_F(PlanTest, NamesThatAreNotThere) {
  expectRefused("  - {op: \"Conv 'd'\", stored: NHWC}\n",
                "p.yaml:4: the graph has no op 'Conv 'd''; the nearest name "
                "is 'Conv 'c''");
  expectRefused("  - {input: y, stored: NHWC}\n", "has no input 'y'");
  expectRefused("  - {output: x, stored: NHWC}\n", "has no output 'x'");
}

TEST_F(PlanTest, LayoutsThatDoNotFit) {
  expectRefused("  - {op: reshape, stored: NHWC}\n",
                "p.yaml:4: NHWC does not fit the result of 'reshape', which "
                "has rank 2");
  expectRefused("  - {op: \"Relu 'r'\", stored: abc}\n", "which has rank 4");
  expectRefused("  - {op: \"Relu 'r'\", stored: NCHW48c}\n",
                "target 'npu-nhwc' has no blocks of 48");
  expectRefused("  - {op: \"Conv 'c'\", reads: [NHWC]}\n",
                "has 2 operands, `reads` lists 1");
}

TEST_F(PlanTest, ImpossiblePins) {
  expectRefused("  - op: \"Conv 'c'\"\n    stored: NCHW\n",
                "p.yaml:5: the result of 'Conv 'c'' cannot be pinned to abcd: "
                "target 'npu-nhwc' accepts NHWC (acdb)");
  expectRefused("  - {op: \"Conv 'c'\", reads: [NHWC, OIHW]}\n",
                "the weight of 'Conv 'c'' cannot be pinned to abcd");
  expectRefused("  - {op: \"Add 'a'\", reads: [abcd, acdb]}\n",
                "cannot be held together");
  expectRefused("  - {op: \"Relu 'r'\", reads: [abcd], stored: acdb}\n",
                "cannot be held together");
  expectRefused("  - {input: x, stored: NHWC}\n",
                "p.yaml:4: 'x' is pinned to acdb, and held to abcd by "
                "--io-layout");
  message.clear();
  EXPECT_FALSE(solve(parse(source), "auto-nhwc",
                     "version: 1\ntarget: npu-nhwc\nlayouts:\n"
                     "  - {op: \"Relu 'r'\", stored: NHWC, pin: true}\n"
                     "pins:\n"
                     "  - {op: \"Relu 'r'\", stored: NCHW}\n"));
  EXPECT_NE(message.find("p.yaml:6: the result of 'Relu 'r'' is pinned twice"),
            std::string::npos)
      << message;
}

} // namespace
