// SPDX-License-Identifier: Apache-2.0
#include "compiler/Layout/Strategies/CustomRules.h"
#include "compiler/Layout/LayoutStage.h"
#include "test/compiler/Layout/LayoutFixture.h"

using namespace npu;

namespace {

const char *const source = R"(
  func.func @f(%x: tensor<1x16x8x8xf32>, %w: tensor<16x16x1x1xf32>) -> tensor<1x16x8x8xf32> {
    %0 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x16x8x8xf32>, tensor<16x16x1x1xf32>) -> tensor<1x16x8x8xf32>
    return %0 : tensor<1x16x8x8xf32>
  })";

class CustomRulesTest : public LayoutFixture {
protected:
  ~CustomRulesTest() override { clearLayoutRules(); }

  /// The layout that the convolution's result has; empty if the stage fails.
  std::string run(StringRef strategy, const char *desired = "") {
    mlir::func::FuncOp function = parse(source);
    LayoutOptions options;
    options.strategy = strategy.str();
    options.verifyExactly = true;
    std::string error;
    options.decision.desired = *DesiredLayouts::parse(desired, error);
    options.decision.rule = callers;
    mlir::ScopedDiagnosticHandler handler(&context,
                                          [&](mlir::Diagnostic &diagnostic) {
                                            message = diagnostic.str();
                                            return success();
                                          });
    if (failed(runLayoutStage(function, target, options)))
      return "";
    return getLayout((*function.getOps<Conv2dOp>().begin()).getResult())
        .getLetters();
  }

  const TargetSpec target = load("host");
  std::string message;
  CallersRule callers;
};

SmallVector<std::string> channelsLast(Operation *, const TargetSpec &) {
  return {"NHWC", "default"};
}
SmallVector<std::string> blocks(Operation *, const TargetSpec &) {
  return {"NCHW16c", "OIHW16o"};
}
SmallVector<std::string> noOpinion(Operation *, const TargetSpec &) {
  return {};
}
SmallVector<std::string> nonsense(Operation *, const TargetSpec &) {
  return {"NHWC"};
}

TEST_F(CustomRulesTest, SpeakForAnOpOnATarget) {
  EXPECT_EQ(run("convert"), "abcd");
  registerLayoutRule({"convert", "conv2d", "host", channelsLast});
  EXPECT_EQ(run("convert"), "acdb");
  registerLayoutRule({"alter", "conv2d", "", blocks});
  EXPECT_EQ(run("alter"), "aBcd16b");
}

TEST_F(CustomRulesTest, OfOtherOpsAndTargetsAreNotAsked) {
  registerLayoutRule({"convert", "conv2d", "npu-nchw", channelsLast});
  registerLayoutRule({"convert", "conv3d", "", channelsLast});
  EXPECT_EQ(run("convert"), "abcd");
}

TEST_F(CustomRulesTest, TheLastWithAnOpinionWins) {
  registerLayoutRule({"convert", "conv2d", "", channelsLast});
  registerLayoutRule({"convert", "conv2d", "", blocks});
  registerLayoutRule({"convert", "conv2d", "", noOpinion});
  EXPECT_EQ(run("convert"), "aBcd16b");
}

TEST_F(CustomRulesTest, TheUsersOptionGoesFirst) {
  registerLayoutRule({"convert", "conv2d", "", blocks});
  EXPECT_EQ(run("convert", "conv2d:NHWC:default"), "acdb");
}

TEST_F(CustomRulesTest, TheCallersGoesBeforeOthers) {
  registerLayoutRule({"convert", "conv2d", "", blocks});
  registerLayoutRule({"alter", "conv2d", "", blocks});
  int asked = 0;
  callers = [&](const npuc_op &op, SmallVector<std::string> &layouts) {
    ++asked;
    EXPECT_STREQ(op.name, "conv2d");
    EXPECT_STREQ(op.target, "host");
    EXPECT_STREQ(op.operands[1].role, "weight");
    EXPECT_EQ(op.operands[1].shape[2], 1);
    layouts = {"NHWC", "default"};
  };
  EXPECT_EQ(run("convert"), "acdb");
  EXPECT_EQ(asked, 1);
  EXPECT_EQ(run("alter"), "acdb");
  EXPECT_EQ(run("convert", "conv2d:NCHW:default"), "abcd");
  callers = [](const npuc_op &, SmallVector<std::string> &) {};
  EXPECT_EQ(run("convert"), "aBcd16b");
  callers = [](const npuc_op &, SmallVector<std::string> &layouts) {
    layouts = {"NHWC"};
  };
  EXPECT_EQ(run("convert"), "");
  EXPECT_NE(message.find("the caller's layout rule's answer makes no sense"),
            std::string::npos)
      << message;
}

TEST_F(CustomRulesTest, NonsenseIsAnErrorAtTheOp) {
  registerLayoutRule({"convert", "conv2d", "", nonsense});
  EXPECT_EQ(run("convert"), "");
  EXPECT_NE(message.find("conv2d takes 2 layouts (data, weight), found 1"),
            std::string::npos)
      << message;
}

} // namespace
