// SPDX-License-Identifier: Apache-2.0
#include "compiler/Layout/Apply/FoldLayout.h"
#include "compiler/Layout/Explain/RelayoutReport.h"
#include "compiler/Layout/LayoutStage.h"
#include "compiler/Layout/Problem/Boundary.h"
#include "compiler/Layout/Problem/LayoutPlan.h"
#include "compiler/Layout/Problem/LayoutProblem.h"
#include "compiler/Layout/Strategies/SearchProblem.h"
#include "test/compiler/Layout/LayoutFixture.h"

using namespace npu;

namespace {

/// Numbers that make moving dearer than computing.
void sayEnergy(TargetSpec &spec) {
  spec.machine.dramEnergy = 40;
  spec.machine.sramEnergy = spec.machine.sramKiB > 0 ? 2 : 0;
  for (npu_dtype type : spec.types)
    spec.array.energies[type] = 3;
}

const char *const conv =
    "{dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : "
    "(tensor<2x8x6x6xf32>, tensor<8x8x1x1xf32>) -> tensor<2x8x6x6xf32>";

/// A convolution, a second one that both a Flatten and an addition read, and
/// an output channels last.
std::string branches() {
  return std::string(R"(
  func.func @f(%x: tensor<2x8x6x6xf32>, %y: tensor<2x8x6x6xf32>) -> (tensor<2x288xf32>, tensor<2x6x6x8xf32>) {
    %w = npu.constant dense<1.0> : tensor<8x8x1x1xf32> -> tensor<8x8x1x1xf32>
    %0 = npu.conv2d(%x, %w) )") +
         conv + "\n    %1 = npu.conv2d(%0, %w) " + conv + R"(
    %2 = npu.reshape(%1) : (tensor<2x8x6x6xf32>) -> tensor<2x288xf32>
    %3 = npu.eltwise add(%1, %y) : (tensor<2x8x6x6xf32>, tensor<2x8x6x6xf32>) -> tensor<2x8x6x6xf32>
    %4 = npu.transpose(%3) {permutation = [0, 2, 3, 1]} : (tensor<2x8x6x6xf32>) -> tensor<2x6x6x8xf32>
    return %2, %4 : tensor<2x288xf32>, tensor<2x6x6x8xf32>
  })";
}

std::string oneConvolution() {
  return std::string(R"(
  func.func @f(%x: tensor<2x8x6x6xf32>) -> tensor<2x8x6x6xf32> {
    %w = npu.constant dense<1.0> : tensor<8x8x1x1xf32> -> tensor<8x8x1x1xf32>
    %0 = npu.conv2d(%x, %w) )") +
         conv + "\n    return %0 : tensor<2x8x6x6xf32>\n  }";
}

using OptimalTest = LayoutFixture;

TEST_F(OptimalTest, NoStrategyIsCheaper) {
  for (StringRef name : {"npu-nhwc", "npu-nchw", "npu-nchw16c", "host"})
    for (Objective objective : {Objective::Count, Objective::Bytes,
                                Objective::Time, Objective::Energy})
      for (bool fixed : {true, false}) {
        TargetSpec spec = load(name);
        sayEnergy(spec);
        LayoutOptions options;
        options.strategy = "optimal";
        options.objective = objective;
        options.io.fixed = fixed;
        options.verifyExactly = true;
        mlir::func::FuncOp function = parse(branches());
        auto results = compareStrategies(function, spec, options);
        ASSERT_TRUE(succeeded(results));
        std::optional<SearchOutcome> search;
        ASSERT_TRUE(
            succeeded(runLayoutStage(function, spec, options, &search)));
        ASSERT_TRUE(search);
        EXPECT_TRUE(search->proved);
        EXPECT_EQ(search->lowerBound, search->cost);
        EXPECT_EQ(search->capped, 0);
        // What was searched for is what the finished function costs.
        EXPECT_EQ(reportLayouts(function, spec, nullptr, objective)
                      .cost.of(objective),
                  search->cost);
        for (const StrategyResult &result : *results)
          EXPECT_TRUE(!result.feasible ||
                      result.cost.of(objective) >= search->cost)
              << name.str() << " " << objectiveName(objective).str() << " "
              << result.name.str();
      }
}

/// The bound is no formality: with two relayouts taken away nothing is left.
TEST_F(OptimalTest, CountsByHand) {
  TargetSpec spec = load("npu-nhwc");
  LayoutOptions options;
  options.strategy = "optimal";
  options.objective = Objective::Count;
  std::optional<SearchOutcome> search;
  // x to NHWC, y to NHWC, and the Flatten's operand back to NCHW.
  ASSERT_TRUE(
      succeeded(runLayoutStage(parse(branches()), spec, options, &search)));
  EXPECT_EQ(search->cost, 3);
  options.io.fixed = false;
  ASSERT_TRUE(
      succeeded(runLayoutStage(parse(branches()), spec, options, &search)));
  EXPECT_EQ(search->cost, 1);
}

/// A convolution whose channels join what it reads, twice, and a product of
/// their averages: the row of these fills one of a tile's 32 rows, and had
/// dozens of spellings for each part of the image, of which some were left out.
TEST_F(OptimalTest, JoinedChannelsBeforeATileAreProved) {
  const char *const joined = R"(
  func.func @f(%x: tensor<1x64x2x2xf32>) -> tensor<1x100xf32> {
    %v = npu.constant dense<0.5> : tensor<32x64x1x1xf32> -> tensor<32x64x1x1xf32>
    %w = npu.constant dense<0.5> : tensor<32x96x1x1xf32> -> tensor<32x96x1x1xf32>
    %m = npu.constant dense<0.5> : tensor<128x100xf32> -> tensor<128x100xf32>
    %0 = npu.conv2d(%x, %v) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x64x2x2xf32>, tensor<32x64x1x1xf32>) -> tensor<1x32x2x2xf32>
    %1 = npu.concat(%x, %0) {axis = 1 : i64} : (tensor<1x64x2x2xf32>, tensor<1x32x2x2xf32>) -> tensor<1x96x2x2xf32>
    %2 = npu.conv2d(%1, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x96x2x2xf32>, tensor<32x96x1x1xf32>) -> tensor<1x32x2x2xf32>
    %3 = npu.concat(%1, %2) {axis = 1 : i64} : (tensor<1x96x2x2xf32>, tensor<1x32x2x2xf32>) -> tensor<1x128x2x2xf32>
    %4 = npu.reduce(%3) {axes = [2, 3], keep_dims = true, kind = #npu.reduce_kind<mean>} : (tensor<1x128x2x2xf32>) -> tensor<1x128x1x1xf32>
    %5 = npu.reshape(%4) : (tensor<1x128x1x1xf32>) -> tensor<1x128xf32>
    %6 = npu.matmul(%5, %m) : (tensor<1x128xf32>, tensor<128x100xf32>) -> tensor<1x100xf32>
    return %6 : tensor<1x100xf32>
  })";
  TargetSpec spec = load("npu-tiles");
  LayoutOptions options;
  options.strategy = "optimal";
  std::optional<SearchOutcome> search;
  ASSERT_TRUE(succeeded(runLayoutStage(parse(joined), spec, options, &search)));
  EXPECT_TRUE(search->proved);
  EXPECT_EQ(search->capped, 0);
}

TEST_F(OptimalTest, FoldingChangesNothing) {
  for (StringRef name : {"npu-nhwc", "npu-nchw16c", "host"}) {
    TargetSpec spec = load(name);
    LayoutOptions options;
    options.strategy = "optimal";
    options.objective = Objective::Bytes;
    mlir::func::FuncOp function = parse(branches());
    ASSERT_TRUE(succeeded(runLayoutStage(function, spec, options)));
    int64_t before = reportLayouts(function, spec).bytes();
    foldLayouts(function, spec);
    EXPECT_EQ(reportLayouts(function, spec).bytes(), before) << name.str();
  }
}

/// A plan of another strategy is one of the choices, at the cost that the
/// search says.
TEST_F(OptimalTest, OtherPlansAreChoices) {
  TargetSpec spec = load("npu-nhwc");
  mlir::func::FuncOp function = parse(branches());
  ImageAxesAnalysis axes(function);
  LayoutProblem problem(function, spec, axes);
  problem.objective = Objective::Count;
  ASSERT_TRUE(succeeded(bindBoundary(problem, IoLayouts())));
  std::vector<LayoutPlan> plans;
  for (const Strategy &strategy : strategies()) {
    StrategyResult result = tryStrategy(problem, strategy);
    if (result.feasible && strategy.folds)
      plans.push_back(result.plan);
  }
  ASSERT_FALSE(plans.empty());
  Candidates candidates(problem, plans);
  OpWays ways(problem, candidates);
  SearchPrices prices;
  SearchProblem searched(ResidentProblem::withMost(problem), ways, prices);
  EXPECT_EQ(search::check(searched.numbers()), "");
  for (const LayoutPlan &plan : plans) {
    std::vector<int> ways = searched.waysOf(plan);
    ASSERT_EQ(ways.size(), searched.numbers().ops.size());
    LayoutPlan again = searched.planOf(ways);
    EXPECT_EQ(searched.waysOf(again), ways);
  }
}

/// The target's factor decides between layouts that are otherwise alike.
TEST_F(OptimalTest, ACostInTheTargetDecides) {
  TargetSpec spec = load("host");
  LayoutOptions options;
  options.strategy = "optimal";
  options.io.fixed = false;
  auto layoutOfConv = [&]() {
    mlir::func::FuncOp function = parse(oneConvolution());
    EXPECT_TRUE(succeeded(runLayoutStage(function, spec, options)));
    auto op = *function.getBody().getOps<Conv2dOp>().begin();
    return getLayout(op.getResult()).getLetters();
  };
  EXPECT_EQ(layoutOfConv(), "acdb");
  for (LayoutFactor &factor : spec.demands["conv2d"].front().factors)
    factor.factor = factor.layout.text == "NCHW" ? 0.01 : 1;
  EXPECT_EQ(layoutOfConv(), "abcd");
}

/// Where a target tells depthwise convolutions, and those of one element, from
/// others, each has its own entry, and its costs.
TEST_F(OptimalTest, SomeConvolutionsCostTheirOwn) {
  TargetSpec spec = load("host");
  std::string error;
  LayoutPattern source = *LayoutPattern::parse("NCHW", error);
  const OpWords &words = *lookupOpWords("conv2d");
  std::vector<Signature> &entries = spec.demands["conv2d"];
  Signature entry = entries.front();
  entries.clear();
  auto add = [&](double factor, StringRef fact) {
    entry.when.clear();
    entry.factors = {{source, factor}};
    if (!fact.empty())
      entry.when = {*parseCondition(fact, {"true"}, words, error)};
    entries.push_back(entry);
  };
  add(3, "depthwise");
  add(5, "pointwise");
  add(2, "");
  auto factorOf = [&](const std::string &weight, const std::string &groups) {
    mlir::func::FuncOp function = parse(
        "func.func @f(%x: tensor<1x8x6x6xf32>) -> tensor<1x8x6x6xf32> {\n"
        "%w = npu.constant dense<1.0> : tensor<" +
        weight + "> -> tensor<" + weight +
        ">\n%0 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = " + groups +
        ", pads = [0, 0, 0, 0], strides = [1, 1]} : "
        "(tensor<1x8x6x6xf32>, tensor<" +
        weight +
        ">) -> "
        "tensor<1x8x6x6xf32>\nreturn %0 : tensor<1x8x6x6xf32>\n}");
    ImageAxesAnalysis axes(function);
    auto op = *function.getBody().getOps<Conv2dOp>().begin();
    LayoutAttr rowMajor = LayoutAttr::get(&context, {0, 1, 2, 3}, {});
    return LayoutProblem(function, spec, axes)
        .costFactor(op, {rowMajor, rowMajor, rowMajor});
  };
  EXPECT_EQ(factorOf("8x1x1x1xf32", "8"), 3);
  EXPECT_EQ(factorOf("8x8x1x1xf32", "1"), 5);
  EXPECT_EQ(factorOf("8x4x1x1xf32", "2"), 2);
  entries.back().factors.clear();
  EXPECT_EQ(factorOf("8x4x1x1xf32", "2"), 1);
}

/// A large convolution, a relu and a small one: the first is cheaper by another
/// algorithm, and that is a part of the optimum.
TEST_F(OptimalTest, OtherAlgorithmsAreWays) {
  const std::string source = R"(
  func.func @f(%x: tensor<1x128x28x28xf32>) -> tensor<1x8x26x26xf32> {
    %w = npu.constant dense<0.1> : tensor<128x128x3x3xf32> -> tensor<128x128x3x3xf32>
    %v = npu.constant dense<0.1> : tensor<8x128x3x3xf32> -> tensor<8x128x3x3xf32>
    %0 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [1, 1, 1, 1], strides = [1, 1]} : (tensor<1x128x28x28xf32>, tensor<128x128x3x3xf32>) -> tensor<1x128x28x28xf32>
    %1 = npu.eltwise relu(%0) : (tensor<1x128x28x28xf32>) -> tensor<1x128x28x28xf32>
    %2 = npu.conv2d(%1, %v) {dilations = [2, 2], groups = 1, pads = [1, 1, 1, 1], strides = [1, 1]} : (tensor<1x128x28x28xf32>, tensor<8x128x3x3xf32>) -> tensor<1x8x26x26xf32>
    return %2 : tensor<1x8x26x26xf32>
  })";
  TargetSpec spec = load("host");
  LayoutOptions options;
  options.strategy = "optimal";
  options.verifyExactly = true;
  mlir::func::FuncOp function = parse(source);
  auto results = compareStrategies(function, spec, options);
  ASSERT_TRUE(succeeded(results));
  std::optional<SearchOutcome> search;
  ASSERT_TRUE(succeeded(runLayoutStage(function, spec, options, &search)));
  EXPECT_TRUE(search->proved);
  RelayoutReport report = reportLayouts(function, spec);
  EXPECT_EQ(report.algorithms.size(), 1u);
  EXPECT_EQ(report.cost.kernels.cycles, search->cost);
  for (const StrategyResult &result : *results)
    EXPECT_GE(result.cost.kernels.cycles, search->cost) << result.name.str();
  spec.algorithms.clear();
  function = parse(source);
  std::optional<SearchOutcome> direct;
  ASSERT_TRUE(succeeded(runLayoutStage(function, spec, options, &direct)));
  EXPECT_GT(direct->cost, search->cost);
}

TEST_F(OptimalTest, EnergyThatNobodySays) {
  LayoutOptions options;
  options.strategy = "optimal";
  options.objective = Objective::Energy;
  mlir::func::FuncOp function = parse(branches());
  QuietDiagnostics quiet(function->getContext());
  EXPECT_TRUE(failed(runLayoutStage(function, load("npu-nhwc"), options)));
  EXPECT_NE(quiet.first().find("target 'npu-nhwc' says nothing of energy"),
            std::string::npos)
      << quiet.first();
}

/// Of one pixel NCHW and NHWC are one order, which costs what the cheaper does.
TEST_F(OptimalTest, OneOrderHasOneCost) {
  TargetSpec spec = load("host");
  mlir::func::FuncOp function = parse(R"(
  func.func @f(%x: tensor<1x8x1x1xf32>) -> tensor<1x8x1x1xf32> {
    %w = npu.constant dense<1.0> : tensor<8x8x1x1xf32> -> tensor<8x8x1x1xf32>
    %0 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x8x1x1xf32>, tensor<8x8x1x1xf32>) -> tensor<1x8x1x1xf32>
    return %0 : tensor<1x8x1x1xf32>
  })");
  ImageAxesAnalysis axes(function);
  LayoutProblem problem(function, spec, axes);
  auto op = *function.getBody().getOps<Conv2dOp>().begin();
  auto costOf = [&](ArrayRef<int64_t> order, ArrayRef<LayoutBlock> blocks) {
    return problem.costFactor(
        op, SmallVector<LayoutAttr>(op->getNumOperands() + 1,
                                    LayoutAttr::get(&context, order, blocks)));
  };
  EXPECT_EQ(costOf({0, 1, 2, 3}, {}), 1);
  EXPECT_EQ(costOf({0, 2, 3, 1}, {}), 1);
  EXPECT_EQ(costOf({0, 1, 2, 3}, {{1, 16}}), 1.1);
}

TEST_F(OptimalTest, OtherOrdersInThanOut) {
  TargetSpec spec = load("npu-nhwc");
  std::string error;
  OperandDemands &roles = spec.demands["max_pool"].front().roles;
  roles["data"] = {*LayoutPattern::parse("NCHW", error)};
  roles["result"] = {*LayoutPattern::parse("NHWC", error)};
  LayoutOptions options;
  options.strategy = "optimal";
  mlir::func::FuncOp function = parse(R"(
  func.func @f(%x: tensor<2x8x6x6xf32>) -> tensor<2x8x3x3xf32> {
    %0 = npu.max_pool(%x) {dilations = [1, 1], kernel = [2, 2], pads = [0, 0, 0, 0], strides = [2, 2]} : (tensor<2x8x6x6xf32>) -> tensor<2x8x3x3xf32>
    return %0 : tensor<2x8x3x3xf32>
  })");
  ASSERT_TRUE(succeeded(runLayoutStage(function, spec, options)));
  auto relayouts = function.getBody().front().getOps<RelayoutOp>();
  EXPECT_EQ(std::distance(relayouts.begin(), relayouts.end()), 1);
}

} // namespace
