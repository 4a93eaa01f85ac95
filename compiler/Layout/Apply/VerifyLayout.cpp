// SPDX-License-Identifier: Apache-2.0
#include "compiler/Layout/Apply/VerifyLayout.h"

#include "compiler/Dialect/NPU/Device.h"
#include "compiler/Layout/Passes/Passes.h"
#include "compiler/Layout/Problem/Cost.h"
#include "compiler/Layout/Problem/LayoutProblem.h"
#include "compiler/Layout/Problem/Names.h"
#include "compiler/Layout/Problem/Placement.h"
#include "compiler/Target/AcceptedLayouts.h"

using namespace npu;

static LogicalResult checkDemand(Operation *op, StringRef target,
                                 StringRef role, Value value,
                                 ArrayRef<LayoutAttr> accepted,
                                 const ImageAxes &axes) {
  LayoutAttr layout = getLayout(value);
  if (isAccepted(accepted, value, layout))
    return success();
  return op->emitOpError() << "infeasible: target '" << target << "' demands "
                           << layoutNames(accepted, axes) << " for its " << role
                           << ", found " << layout.getLetters();
}

/// Where nothing is demanded, a kernel takes any order in blocks that the
/// target has.
static LogicalResult checkBlocks(Operation *op, const LayoutProblem &problem) {
  auto check = [&](auto &&place, Value value) -> LogicalResult {
    LayoutAttr layout = getLayout(value);
    if (problem.knowsBlocks(layout, value) || !problem.demanded(place).empty())
      return success();
    return op->emitOpError() << "infeasible: target '" << problem.target.name
                             << "' has no blocks as in " << layout.getLetters();
  };
  for (OpOperand &operand : op->getOpOperands())
    if (failed(check(operand, operand.get())))
      return failure();
  for (OpResult result : op->getResults())
    if (failed(check(result, result)))
      return failure();
  return success();
}

/// The first operand that may not be in its order while the result is in its
/// own; null: there is none.
static OpOperand *firstApart(LayoutOpInterface op,
                             const LayoutProblem &problem) {
  LayoutRelation relation = op.getLayoutRelation();
  LayoutAttr result = getLayout(op->getResult(0));
  for (OpOperand &operand : op->getOpOperands())
    if (!relation.independent[operand.getOperandNumber()] &&
        !problem.goTogether(operand, getLayout(operand.get()), relation, result,
                            /*signature=*/0))
      return &operand;
  return nullptr;
}

static LogicalResult checkTogether(LayoutOpInterface op,
                                   const LayoutProblem &problem) {
  OpOperand *apart = firstApart(op, problem);
  if (!apart)
    return success();
  return op->emitOpError() << "infeasible: operand "
                           << apart->getOperandNumber() << " is stored "
                           << getLayout(apart->get()).getLetters()
                           << ", which does not go with the result's "
                           << getLayout(op->getResult(0)).getLetters()
                           << " on target '" << problem.target.name << "'";
}

/// Where the target lists several signatures for an op, one takes it whole:
/// what each of two has is not for any to mix.
static LogicalResult checkSignature(LayoutOpInterface op,
                                    const LayoutProblem &problem) {
  if (problem.signatureOf(op, layoutsOf(op)))
    return success();
  std::string found;
  for (OpOperand &operand : op->getOpOperands())
    found += op.getOperandRole(operand.getOperandNumber()).str() + " " +
             getLayout(operand.get()).getLetters() + ", ";
  return op->emitOpError()
         << "infeasible: of the demands of target '" << problem.target.name
         << "' on " << op.getDemandName()
         << " each accepts some of these layouts, none all of them: " << found
         << "result " << getLayout(op->getResult(0)).getLetters();
}

bool npu::takesLayouts(LayoutOpInterface op, const LayoutProblem &problem) {
  if (signaturesOf(problem.target, op).size() > 1)
    return problem.signatureOf(op, layoutsOf(op)).has_value();
  return op.getSensitivity() == Sensitivity::Data || !firstApart(op, problem);
}

static LogicalResult checkDecided(Operation *op, Type type) {
  if (!isa<RankedTensorType>(type) || getLayout(type))
    return success();
  return op->emitOpError() << "has a tensor without a layout: " << type;
}

static LogicalResult checkTypes(Operation *op, const TargetSpec &target) {
  if (isOnProcessor(op))
    return success();
  for (Type type : op->getResultTypes()) {
    Type element = cast<RankedTensorType>(type).getElementType();
    if (target.supports(element))
      continue;
    auto error = op->emitOpError() << "target '" << target.name
                                   << "' has no element type " << element;
    if (!target.isMovedBeside(element))
      error << "; a processor beside it moves such values: --fallback=host";
    return error;
  }
  return success();
}

static LogicalResult checkOp(Operation *op, const LayoutProblem &problem) {
  const TargetSpec &target = problem.target;
  for (Type type : op->getOperandTypes())
    if (failed(checkDecided(op, type)))
      return failure();
  for (Type type : op->getResultTypes())
    if (failed(checkDecided(op, type)))
      return failure();
  auto rule = dyn_cast<LayoutOpInterface>(op);
  if (!rule) {
    if (!isa<ConstantOp, YieldOp, mlir::func::ReturnOp>(op))
      return op->emitOpError()
             << "does not know layouts; only npu ops may stand behind the "
                "layout stage";
    return success();
  }
  if (failed(checkTypes(op, target)))
    return failure();
  for (OpOperand &operand : op->getOpOperands())
    if (failed(checkDemand(op, target.name,
                           rule.getOperandRole(operand.getOperandNumber()),
                           operand.get(), problem.demanded(operand),
                           problem.axes.atOp(operand))))
      return failure();
  for (OpResult result : op->getResults())
    if (failed(checkDemand(op, target.name, "result", result,
                           problem.demanded(result),
                           problem.axes.atOp(result))))
      return failure();
  if (signaturesOf(target, rule).size() > 1)
    return checkSignature(rule, problem);
  if (rule.getSensitivity() == Sensitivity::Data)
    return success();
  return failed(checkTogether(rule, problem)) ? failure()
                                              : checkBlocks(op, problem);
}

LogicalResult npu::checkLayouts(mlir::func::FuncOp function,
                                const TargetSpec &target) {
  return checkLayouts(function, target, ImageAxesAnalysis(function));
}

LogicalResult npu::checkLayouts(mlir::func::FuncOp function,
                                const TargetSpec &target,
                                const ImageAxesAnalysis &axes) {
  LayoutProblem problem(function, target, axes);
  // Who held an output is not known any more.
  for (Value output : function.getBody().front().getTerminator()->getOperands())
    problem.outputs.push_back(getLayout(output));
  for (Operation &op : function.getBody().front()) {
    if (failed(checkOp(&op, problem)))
      return failure();
    auto inner = op.walk([&](Operation *nested) {
      for (Type type : nested->getResultTypes())
        if (failed(checkDecided(nested, type)))
          return mlir::WalkResult::interrupt();
      return mlir::WalkResult::advance();
    });
    if (inner.wasInterrupted())
      return failure();
  }
  return success();
}

namespace npu {
#define GEN_PASS_DEF_VERIFYLAYOUT
#include "compiler/Layout/Passes/Passes.h.inc"
} // namespace npu

namespace {
struct VerifyLayout : npu::impl::VerifyLayoutBase<VerifyLayout> {
  using VerifyLayoutBase::VerifyLayoutBase;

  void runOnOperation() override {
    mlir::func::FuncOp function = getOperation();
    std::optional<TargetSpec> spec = requireTarget(function, target);
    if (!spec || failed(requireDecided(function)) ||
        failed(checkLayouts(function, *spec)))
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace
