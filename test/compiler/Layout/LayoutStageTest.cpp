// SPDX-License-Identifier: Apache-2.0
#include "compiler/Layout/LayoutStage.h"
#include "compiler/Layout/Apply/CheckElements.h"
#include "compiler/Layout/Explain/RelayoutReport.h"
#include "test/compiler/Layout/LayoutFixture.h"

using namespace npu;

namespace {

const char *const source = R"(
  func.func @f(%x: tensor<2x3x4x5xf32>) -> tensor<2x3x20xf32> {
    %0 = npu.transpose(%x) {permutation = [0, 2, 3, 1]} : (tensor<2x3x4x5xf32>) -> tensor<2x4x5x3xf32>
    %1 = npu.eltwise relu(%0) : (tensor<2x4x5x3xf32>) -> tensor<2x4x5x3xf32>
    %2 = npu.transpose(%1) {permutation = [0, 3, 1, 2]} : (tensor<2x4x5x3xf32>) -> tensor<2x3x4x5xf32>
    %3 = npu.reshape(%2) : (tensor<2x3x4x5xf32>) -> tensor<2x3x20xf32>
    %4 = npu.eltwise relu(%3) : (tensor<2x3x20xf32>) -> tensor<2x3x20xf32>
    return %4 : tensor<2x3x20xf32>
  })";

class LayoutStageTest : public LayoutFixture {
protected:
  const TargetSpec target = load("npu-nhwc");
};

TEST_F(LayoutStageTest, ViewsAreFreeAndExact) {
  mlir::func::FuncOp function = parse(source);
  LayoutOptions options;
  options.verifyExactly = true;
  ASSERT_TRUE(succeeded(runLayoutStage(function, target, options)));
  EXPECT_EQ(reportLayouts(function, target).count(), 0);
}

TEST_F(LayoutStageTest, TheModelsOwnTransposesAreOnTheBill) {
  mlir::func::FuncOp function = parse(source);
  LayoutOptions options;
  options.strategy = "none";
  options.verifyExactly = true;
  ASSERT_TRUE(succeeded(runLayoutStage(function, target, options)));
  RelayoutReport report = reportLayouts(function, target);
  ASSERT_EQ(report.count(), 2);
  EXPECT_EQ(report.items[0].kind, "transpose");
  EXPECT_EQ(report.items[0].bytes, 2 * 3 * 4 * 5 * 4);
}

TEST_F(LayoutStageTest, ExactCheckFindsASwappedOrder) {
  // The wrong permutation, at the same place: every op is there, no shape
  // differs in a way that a verifier could see.
  mlir::func::FuncOp before = parse(source), after = parse(source);
  auto reshape = *after.getOps<ReshapeOp>().begin();
  OpBuilder builder(reshape);
  auto flat = RankedTensorType::get({2, 3, 4, 5}, builder.getF32Type());
  Value moved = TransposeOp::create(
      builder, after.getLoc(),
      RankedTensorType::get({2, 3, 5, 4}, builder.getF32Type()),
      reshape.getInput(), builder.getI64ArrayAttr({0, 1, 3, 2}));
  Value back = ReshapeOp::create(builder, after.getLoc(), flat, moved);
  reshape.getInputMutable().set(back);
  context.getDiagEngine().registerHandler(
      [](mlir::Diagnostic &) { return success(); });
  EXPECT_TRUE(failed(checkExactly(before, after)));
  EXPECT_TRUE(succeeded(checkExactly(before, before)));
}

TEST_F(LayoutStageTest, EveryStrategyGivesTheSameTwice) {
  for (const Strategy &strategy : strategies()) {
    std::string texts[2];
    for (std::string &text : texts) {
      mlir::func::FuncOp function = parse(source);
      LayoutOptions options;
      options.strategy = strategy.name.str();
      ASSERT_TRUE(succeeded(runLayoutStage(function, target, options)));
      llvm::raw_string_ostream out(text);
      function.print(out);
    }
    EXPECT_EQ(texts[0], texts[1]) << strategy.name.str();
  }
}

} // namespace
