// SPDX-License-Identifier: Apache-2.0
#include "compiler/Layout/Explain/LayoutFix.h"
#include "compiler/Layout/Explain/LayoutExplain.h"
#include "compiler/Layout/Problem/Names.h"
#include "test/compiler/Layout/LayoutFixture.h"

using namespace npu;

namespace {

// The reshape wants the order of the model, the convolution
// the one of the chip.
const char *const source = R"(
  func.func @f(%x: tensor<2x8x6x6xf32> {npu.name = "x"}) -> (tensor<2x288xf32> {npu.name = "y"}) {
    %w = npu.constant dense<1.0> : tensor<8x8x1x1xf32> -> tensor<8x8x1x1xf32>
    %0 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<2x8x6x6xf32>, tensor<8x8x1x1xf32>) -> tensor<2x8x6x6xf32> loc("Conv 'c'")
    %1 = npu.reshape(%0) : (tensor<2x8x6x6xf32>) -> tensor<2x288xf32> loc("Flatten 'f'")
    return %1 : tensor<2x288xf32>
  })";

class LayoutFixTest : public LayoutFixture {
protected:
  RelayoutReport solve(const TargetSpec &chip, StringRef strategy,
                       const FixLimits &limits = {}) {
    mlir::func::FuncOp before = parse(source), after = parse(source);
    LayoutOptions options;
    options.strategy = strategy.str();
    options.objective = Objective::Count;
    EXPECT_TRUE(succeeded(runLayoutStage(after, chip, options)));
    RelayoutReport report = reportLayouts(after, chip);
    findFixes(report, before, after, chip, options, limits);
    return report;
  }

  const TargetSpec target = load("npu-nhwc");
};

TEST_F(LayoutFixTest, TheSmallestChangeIsFound) {
  RelayoutReport report = solve(target, "auto-nhwc");
  ASSERT_EQ(report.count(), 2);
  const RelayoutItem &input = report.items[0], &inside = report.items[1];
  EXPECT_EQ(input.cause.kind, "demand");
  EXPECT_EQ(input.cause.name, "Conv 'c'");
  EXPECT_EQ(input.cause.operand, "data");
  ASSERT_TRUE(input.fix);
  EXPECT_NE(input.fix->change.find("declare input x as NHWC"),
            std::string::npos)
      << input.fix->change;
  EXPECT_EQ(input.fix->savesCount, 1);
  EXPECT_EQ(input.fix->savesBytes, input.bytes);
  EXPECT_EQ(inside.cause.kind, "view");
  EXPECT_EQ(inside.cause.name, "Flatten 'f'");
}

/// What a fix promises about the target is what the target then gives.
TEST_F(LayoutFixTest, ADroppedDemandIsWorthWhatItSays) {
  RelayoutReport report = solve(target, "optimal");
  ASSERT_EQ(report.count(), 2);
  const RelayoutItem &inside = report.items[1];
  ASSERT_TRUE(inside.fix);
  EXPECT_EQ(inside.fix->change, "drop the demand of npu-nhwc on conv2d");
  EXPECT_EQ(inside.fix->savesCount, 2);
  TargetSpec changed = target;
  changed.demands.erase("conv2d");
  RelayoutReport without = solve(changed, "optimal");
  EXPECT_EQ(report.count() - without.count(), inside.fix->savesCount);
  EXPECT_EQ(report.bytes() - without.bytes(), inside.fix->savesBytes);
}

TEST_F(LayoutFixTest, TheLimitIsSaid) {
  FixLimits limits;
  limits.stages = 0;
  RelayoutReport report = solve(target, "auto-nhwc", limits);
  EXPECT_EQ(report.untriedFixes, 2);
  EXPECT_FALSE(report.items[0].fixSearched);
  std::string text = explainText(report);
  EXPECT_NE(text.find("no change was tried for 2 relayouts"), std::string::npos)
      << text;
  EXPECT_EQ(text.find("smallest change"), std::string::npos) << text;
}

TEST(ExplainText, ManyOfOneRuleAreCounted) {
  RelayoutReport report;
  for (int index = 0; index < 20; ++index) {
    RelayoutItem item;
    item.kind = "relayout";
    item.value = "v" + std::to_string(index);
    item.bytes = 1000000;
    item.cause = {"demand", "c", "data", "the chip says so", "because"};
    report.items.push_back(item);
  }
  std::string text = explainText(report);
  EXPECT_NE(text.find("relayout of v15:"), std::string::npos) << text;
  EXPECT_EQ(text.find("relayout of v16:"), std::string::npos) << text;
  EXPECT_NE(text.find("and 4 more, 4.0 MB, of the same rule: the chip says so"),
            std::string::npos)
      << text;
}

} // namespace
