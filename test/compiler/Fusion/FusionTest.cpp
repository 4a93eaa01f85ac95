// SPDX-License-Identifier: Apache-2.0
//
// The fusion passes change no result: random graphs before and after each pass,
// and after all of them in the stage's order.
#include "compiler/Fusion/Passes.h"
#include "compiler/Target/TargetSpec.h"
#include "test/compiler/Fusion/RandomGraph.h"
#include "test/compiler/Support/Interpreter.h"
#include "test/every_case.h"

#include "mlir/IR/Verifier.h"

#include "gtest/gtest.h"

#include <cmath>
#include <functional>

using namespace npu;

namespace {

using Work = std::function<LogicalResult(mlir::func::FuncOp)>;

struct Case {
  std::string name;
  Work work;
};

Work onOperation(LogicalResult (*work)(Operation *)) {
  return [=](mlir::func::FuncOp function) { return work(function); };
}

/// For a shipped target; empty: for none.
Work fuseFor(std::string name) {
  return [=](mlir::func::FuncOp function) -> LogicalResult {
    std::string error;
    std::optional<TargetSpec> target = loadTarget(name, error);
    fuse(function, target ? &*target : nullptr, /*threads=*/1);
    return success(target || name.empty());
  };
}

/// The same for a pass that does nothing without one.
Work forTarget(LogicalResult (*work)(Operation *, const TargetSpec &),
               std::string name) {
  return [=](mlir::func::FuncOp function) -> LogicalResult {
    std::string error;
    std::optional<TargetSpec> target = loadTarget(name, error);
    return target ? work(function, *target) : failure();
  };
}

Work wholeStage() {
  return [](mlir::func::FuncOp function) {
    mlir::PassManager manager(function.getContext());
    buildFusionPipeline(manager);
    return manager.run(function->getParentOfType<mlir::ModuleOp>());
  };
}

size_t countOps(mlir::func::FuncOp function) {
  size_t count = 0;
  for (Operation &op : function.getBody().front())
    count += !isa<ConstantOp>(op);
  return count;
}

std::string textOf(Operation *op) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  op->print(stream);
  return text;
}

void expectClose(const std::vector<float> &have, const std::vector<float> &want,
                 const std::string &where) {
  ASSERT_EQ(have.size(), want.size()) << where;
  for (size_t i = 0; i < want.size(); ++i) {
    if (std::isnan(want[i]) && std::isnan(have[i]))
      continue;
    float tolerance = 1e-4f + 1e-3f * std::fabs(want[i]);
    ASSERT_NEAR(have[i], want[i], tolerance) << where << ", element " << i;
  }
}

class FusionTest : public testing::TestWithParam<Case> {};

} // namespace

TEST_P(FusionTest, KeepsResults) {
  size_t changed = 0;
  const unsigned seeds = test::caseCount(200, 400);
  for (unsigned seed = 0; seed < seeds; ++seed) {
    MLIRContext context;
    auto module = test::randomGraph(context, seed, 4 + seed % 24);
    ASSERT_TRUE(succeeded(mlir::verify(*module))) << "seed " << seed;
    auto function = *module->getOps<mlir::func::FuncOp>().begin();
    auto type = cast<RankedTensorType>(function.getArgumentTypes()[0]);
    ElementsAttr input = test::randomElements(type, seed + 1000);
    auto want = test::interpret(function, input);
    ASSERT_EQ(want.size(), 2u) << "seed " << seed;
    std::string before = textOf(function);

    ASSERT_TRUE(succeeded(GetParam().work(function))) << "seed " << seed;
    ASSERT_TRUE(succeeded(mlir::verify(*module))) << "seed " << seed;
    auto have = test::interpret(function, input);
    std::string after = textOf(function);
    changed += before != after;
    ASSERT_EQ(have.size(), want.size()) << "seed " << seed;
    for (size_t i = 0; i < want.size(); ++i)
      expectClose(have[i], want[i],
                  GetParam().name + ", seed " + std::to_string(seed) +
                      ", result " + std::to_string(i) + "\n" + before + after);
    if (HasFatalFailure())
      return;
  }
  // A pass that does nothing keeps results, too.
  EXPECT_GE(changed, seeds * 3 / 20);
}

INSTANTIATE_TEST_SUITE_P(
    Passes, FusionTest,
    testing::Values(Case{"simplify", onOperation(simplify)},
                    Case{"sink_transposes", onOperation(sinkTransposes)},
                    Case{"sink_reshapes", onOperation(sinkReshapes)},
                    Case{"match_columns", forTarget(matchColumns, "npu-nhwc")},
                    Case{"match_dilations", onOperation(matchDilations)},
                    Case{"route_channels", onOperation(routeChannels)},
                    Case{"split_products",
                         [](mlir::func::FuncOp function) {
                           return splitProducts(function, nullptr);
                         }},
                    Case{"match_activations", onOperation(matchActivations)},
                    Case{"match_norms", onOperation(matchNorms)},
                    Case{"fold_pad", onOperation(foldPad)},
                    Case{"fold_scale", onOperation(foldScale)},
                    Case{"merge_branches",
                         [](mlir::func::FuncOp function) {
                           return mergeBranches(function);
                         }},
                    Case{"sink_resizes", onOperation(sinkResizes)},
                    Case{"merge_products", onOperation(mergeProducts)},
                    Case{"fold_requantize", onOperation(foldRequantize)},
                    Case{"share_equal",
                         [](mlir::func::FuncOp function) {
                           shareEqual(function);
                           return success();
                         }},
                    Case{"fuse", fuseFor("")},
                    Case{"fuse_for_nchw", fuseFor("npu-nchw")},
                    Case{"fuse_for_nchw16c", fuseFor("npu-nchw16c")},
                    Case{"whole_stage", wholeStage()}),
    [](const auto &info) { return info.param.name; });

/// A second run may find what a late pass has left to an early one; but no pass
/// brings back what another one has removed.
TEST(FusionStage, FurtherRunsUndoNothing) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    MLIRContext context;
    auto module = test::randomGraph(context, seed, 20);
    auto function = *module->getOps<mlir::func::FuncOp>().begin();
    size_t atFirst = countOps(function);
    ASSERT_TRUE(succeeded(wholeStage()(function)));
    size_t once = countOps(function);
    EXPECT_LE(once, atFirst + 8) << "seed " << seed;
    ASSERT_TRUE(succeeded(wholeStage()(function)));
    size_t twice = countOps(function);
    EXPECT_LE(twice, once) << "seed " << seed;
    ASSERT_TRUE(succeeded(wholeStage()(function)));
    EXPECT_EQ(countOps(function), twice) << "seed " << seed;
  }
}
