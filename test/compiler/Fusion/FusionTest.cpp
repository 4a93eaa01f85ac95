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
#include <random>

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
    fuse(function, target ? &*target : nullptr);
    return success(target || name.empty());
  };
}

std::string textOf(Operation *op) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  op->print(stream);
  return text;
}

/// Some groups: another chip for each graph.
std::string someFuses(unsigned seed) {
  std::mt19937 random(seed);
  auto pick = [&](unsigned most) { return random() % most; };
  static const char *const words[] = {"bias", "requantize", "activation", "add",
                                      "mul",  "relu",       "sigmoid"};
  std::string text = "fuses:\n";
  for (const char *ops : {"conv1d, conv2d, conv_transpose2d", "matmul",
                          "max_pool, avg_pool", "eltwise"}) {
    std::string then;
    for (const char *word : words)
      if (pick(2))
        then += std::string(then.empty() ? "" : ", ") + word;
    if (then.empty() || !pick(4))
      then = "eltwise";
    text += std::string("  - {ops: [") + ops + "], then: [" + then + "]" +
            (pick(2) ? ", order: listed" : "") +
            (pick(2) ? ", operands: up to " + std::to_string(pick(3)) : "") +
            "}\n";
  }
  return text;
}

/// What becomes one kernel is what the chip has one for.
LogicalResult fuseForSome(mlir::func::FuncOp function) {
  std::string text, error;
  for (Operation &op : function.getBody().front())
    text += op.getName().getStringRef();
  text = "name: some\nsummary: some groups\ntypes: [f32, i32, i64, i1]\n"
         "blocks: []\nmachine: {clock: 1 MHz, mac_rows: 1 MAC, mac_columns: 1 "
         "MAC, vector_lanes: 1 lanes, dram: 1 MiB, dram_bandwidth: 1 GB/s, "
         "dma_burst: 1 B, dma_start: 0 cycles, kernel_start: 0 cycles, "
         "strided_access: 1 times}\ndemands: []\n" +
         someFuses(static_cast<unsigned>(std::hash<std::string>()(text)));
  std::optional<TargetSpec> target = parseTarget(text, "some.yaml", error);
  EXPECT_TRUE(target) << error << text;
  if (!target)
    return failure();
  fuse(function, &*target);
  for (auto fused : function.getOps<FusedOp>()) {
    SmallVector<Operation *> ops;
    for (Operation &op : fused.getBody().front().without_terminator())
      ops.push_back(&op);
    EXPECT_TRUE(mayFuse(*target, ops)) << textOf(fused) << text;
  }
  return success();
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
                    Case{"fuse_for_host", fuseFor("host")},
                    Case{"fuse_for_some", fuseForSome},
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
