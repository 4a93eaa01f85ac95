// SPDX-License-Identifier: Apache-2.0
#include "compiler/Layout/Passes/Passes.h"

#include "compiler/Target/Plugins.h"

using namespace npu;

namespace npu {
namespace {
#define GEN_PASS_REGISTRATION
#include "compiler/Layout/Passes/Passes.h.inc"
} // namespace
} // namespace npu

void npu::registerLayoutPasses() {
  registerAlterLayout();
  registerAssignLayout();
  registerFindBestLayout();
  registerFoldLayout();
  registerInferLayout();
  registerPeepholeLayout();
  registerPresetLayout();
  registerReportLayout();
  registerTransmitLayout();
  registerVerifyLayout();
}

std::optional<TargetSpec> npu::requireTarget(mlir::func::FuncOp function,
                                             StringRef nameOrPath) {
  std::string error;
  std::optional<TargetSpec> spec =
      loadTarget(nameOrPath, error, allowedPlugins(*function.getContext()));
  if (spec) {
    addPlugins(*function.getContext(), *spec);
    error = whyNotAlgorithms(*spec, *function.getContext());
  }
  if (error.empty())
    return spec;
  function.emitError() << error;
  return std::nullopt;
}

LogicalResult npu::requireOneBlock(mlir::func::FuncOp function) {
  if (function.getBody().hasOneBlock())
    return success();
  return function.emitError() << "has " << function.getBody().getBlocks().size()
                              << " blocks, the layout stage takes one";
}

static bool isUndecided(Type type) {
  return isa<RankedTensorType>(type) && !getLayout(type);
}

/// The first op with a result that has no layout; null if there is none.
static Operation *findUndecided(mlir::func::FuncOp function) {
  Operation *culprit = nullptr;
  function.walk([&](Operation *op) {
    if (llvm::none_of(op->getResultTypes(), isUndecided))
      return mlir::WalkResult::advance();
    culprit = op;
    return mlir::WalkResult::interrupt();
  });
  return culprit;
}

bool npu::isDecided(mlir::func::FuncOp function) {
  return llvm::none_of(function.getArgumentTypes(), isUndecided) &&
         !findUndecided(function);
}

LogicalResult npu::requireDecided(mlir::func::FuncOp function) {
  if (failed(requireOneBlock(function)))
    return failure();
  for (Type type : function.getArgumentTypes())
    if (isUndecided(type))
      return function.emitError()
             << "has an argument without a layout: " << type;
  Operation *culprit = findUndecided(function);
  if (!culprit)
    return success();
  return culprit->emitOpError() << "has a tensor without a layout: "
                                << culprit->getResult(0).getType();
}

LogicalResult npu::requireNpuOps(mlir::func::FuncOp function) {
  for (Type type : function.getArgumentTypes())
    if (!isNpuTensor(type))
      return function.emitError()
             << "has an argument of type " << type
             << ", expected a tensor with at most 8 dimensions, all known, and "
                "at most 2^40 elements of f32, f16, bf16, i8, ui8, i16, i32, "
                "i64 or i1";
  for (Operation &op : function.getBody().front())
    if (!isa<LayoutOpInterface, ConstantOp, mlir::func::ReturnOp>(op))
      return op.emitOpError() << "does not know layouts; only npu ops may "
                                 "reach the layout stage";
  return success();
}
