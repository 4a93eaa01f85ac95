// SPDX-License-Identifier: Apache-2.0
#include "compiler/Frontend/Support/Branches.h"

#include "compiler/Dialect/NPU/Constants.h"
#include "compiler/Dialect/NPU/ShapeInference.h"
#include "compiler/Frontend/Support/DataBehind.h"

using namespace npu;

/// Why two branches with these results cannot both be computed; empty if they
/// can. `ops`: those of both.
static std::string needsOneBranch(ArrayRef<Value> a, ArrayRef<Value> b,
                                  llvm::iterator_range<Block::iterator> ops) {
  // A model has an If to save one of its branches.
  constexpr int64_t mostOps = 1000;
  int64_t count = 0;
  for (mlir::Operation &op : ops) {
    count += !isa<ConstantOp>(op);
    if (isa<GatherOp, GatherElementsOp, GatherNdOp, ScatterElementsOp,
            ScatterNdOp, MaskunpoolOp>(op) &&
        !constantOf(op.getOperand(1)))
      return "a branch reads by index, which may be out of range where the "
             "other is taken";
    if (isa<CustomOp>(op))
      return "a branch has an op of a plugin, which may fail where the other "
             "is taken";
  }
  if (count > mostOps)
    return "the branches have " + std::to_string(count) +
           " ops, expected at most " + std::to_string(mostOps);
  auto text = [](Value value) {
    return shapes::text(shapeOf(value)) + " of " + typeText(elementOf(value));
  };
  for (auto [one, other] : llvm::zip(a, b))
    if (one.getType() != other.getType())
      return "the branches give " + text(one) + " and " + text(other);
  return "";
}

FailureOr<SmallVector<Value>> npu::selectBranch(Emitter &emitter,
                                                Value condition, Branch ifTrue,
                                                Branch ifFalse) {
  if (cast<RankedTensorType>(condition.getType()).getNumElements() != 1)
    return emitter.error("found a condition of shape " +
                         shapes::text(shapeOf(condition)) +
                         ", expected 1 element");
  // Behind the condition's own op, at the end of the block.
  OpBuilder &builder = emitter.getBuilder();
  Block::iterator last = std::prev(builder.getInsertionPoint());
  FailureOr<SmallVector<Value>> one = ifTrue();
  if (failed(one))
    return failure();
  FailureOr<SmallVector<Value>> other = ifFalse();
  if (failed(other))
    return failure();
  std::string reason = needsOneBranch(
      *one, *other, {std::next(last), builder.getInsertionPoint()});
  if (!reason.empty())
    return emitter.unsupported(
        "has a condition that depends on the model's data, and cannot compute "
        "both branches: " +
        reason + "; " + adviceAbout(dataBehind(condition)));
  condition = emitter.reshape(condition, {});
  SmallVector<Value> chosen;
  for (auto [a, b] : llvm::zip(*one, *other))
    chosen.push_back(emitter.eltwise(NPU_INSTR_select, {condition, a, b}));
  return chosen;
}
