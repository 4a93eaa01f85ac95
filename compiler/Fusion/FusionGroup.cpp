// SPDX-License-Identifier: Apache-2.0
#include "compiler/Fusion/FusionGroup.h"

#include "compiler/Dialect/NPU/Device.h"
#include "compiler/Dialect/NPU/FusedKernel.h"
#include "compiler/Fusion/Rewrites.h"

#include "llvm/ADT/SetVector.h"

#include <algorithm>

using namespace npu;

/// The kernel library's instructions are numbered in 16 bits and a kernel with
/// hundreds of operands helps nobody.
static constexpr size_t largestGroup = 48;

/// Steps that requantize a number are fewer.
static constexpr size_t longestLine = 8;

static bool isInteger(Value value) {
  return isa<mlir::IntegerType>(tensorType(value).getElementType());
}

static unsigned bitsOf(Value value) {
  return tensorType(value).getElementType().getIntOrFloatBitWidth();
}

/// Whether kernels make floats of it as they read it.
static bool isReadWider(Value value) {
  return bitsOf(value) == 8 || tensorType(value).getElementType().isBF16();
}

/// Whether `op` can be one of the elementwise ops of a group over `shape`.
/// It has the shape and the place of `first`.
static bool canJoin(Operation *op, Operation *first, ArrayRef<int64_t> shape) {
  return isa<EltwiseOp>(op) && isOnProcessor(op) == isOnProcessor(first) &&
         tensorType(op->getResult(0)).getShape() == shape;
}

/// The conversion of bytes or bf16 to floats that defines an operand of `op`
/// and that nothing else reads, and a factor behind it: a kernel does both as
/// it reads the operand.
static SmallVector<Operation *> conversionsFor(Operation *op) {
  SmallVector<Operation *> conversions;
  for (Value operand : op->getOperands()) {
    EltwiseOp scale = rewrites::definedBy(operand, NPU_INSTR_linear);
    bool isScaled =
        scale && scale->hasOneUse() && scale.getBeta().convertToFloat() == 0;
    auto cast = rewrites::definedBy(isScaled ? scale.getInputs()[0] : operand,
                                    NPU_INSTR_cast);
    if (!cast || !cast->hasOneUse() ||
        !isa<mlir::FloatType>(tensorType(cast.getResult()).getElementType()) ||
        !isReadWider(cast.getInputs()[0]))
      continue;
    conversions.push_back(cast);
    if (isScaled)
      conversions.push_back(scale);
  }
  return conversions;
}

/// The steps on integers from bytes to an operand of `op`, one behind the
/// other, that nothing else reads: a kernel does them as it reads the bytes.
static SmallVector<Operation *> integerStepsTo(Value operand) {
  SmallVector<Operation *> steps;
  for (size_t length = 0; length < longestLine; ++length) {
    auto step = operand.getDefiningOp<EltwiseOp>();
    if (!step || !step->hasOneUse() || !isInteger(step.getResult()))
      return {};
    steps.push_back(step);
    SmallVector<Value> variable;
    for (Value input : step.getInputs())
      if (!constantOf(input))
        variable.push_back(input);
    if (variable.size() != 1 || !isInteger(variable.front()))
      return {};
    operand = variable.front();
    if (bitsOf(operand) == 8) {
      std::reverse(steps.begin(), steps.end());
      return steps;
    }
  }
  return {};
}

/// What a kernel does with the operands of `op` as it reads them.
static SmallVector<Operation *> stepsBefore(Operation *op) {
  if (!isInteger(op->getResult(0)))
    return conversionsFor(op);
  SmallVector<Operation *> all;
  for (Value operand : op->getOperands())
    llvm::append_range(all, integerStepsTo(operand));
  return all;
}

FusionGroup FusionGroup::growDown(Operation *root) {
  FusionGroup group;
  ArrayRef<int64_t> shape = tensorType(root->getResult(0)).getShape();
  llvm::SmallPtrSet<Operation *, 16> members;
  llvm::SmallPtrSet<Operation *, 16> readers; // outside of the group
  auto add = [&](Operation *op) {
    group.ops.push_back(op);
    members.insert(op);
    readers.erase(op);
    for (Operation *user : op->getResult(0).getUsers())
      if (!members.contains(user))
        readers.insert(user);
    bool isClosed = llvm::all_of(group.ops, [&](Operation *member) {
      return member == op ||
             llvm::all_of(member->getUsers(), [&](Operation *user) {
               return members.contains(user);
             });
    });
    if (isClosed)
      group.closedSizes.push_back(group.ops.size());
  };
  add(root);
  // The earliest reader in the block cannot depend on a later one.
  while (!readers.empty() && group.ops.size() < largestGroup) {
    Operation *next = *readers.begin();
    for (Operation *reader : readers)
      if (reader->isBeforeInBlock(next))
        next = reader;
    if (!canJoin(next, root, shape))
      break;
    for (Operation *step : stepsBefore(next))
      if (canJoin(step, root, shape) && members.insert(step).second)
        group.ops.push_back(step);
    add(next);
  }
  group.ops.truncate(group.closedSizes.back());
  return group;
}

FusionGroup FusionGroup::growUp(EltwiseOp last) {
  ArrayRef<int64_t> shape = tensorType(last.getResult()).getShape();
  llvm::SetVector<Operation *> members;
  members.insert(last);
  for (size_t i = 0; i < members.size(); ++i)
    for (Value operand : members[i]->getOperands()) {
      Operation *producer = operand.getDefiningOp();
      if (!producer || members.size() == largestGroup ||
          members.contains(producer) || !canJoin(producer, last, shape))
        continue;
      if (llvm::all_of(producer->getUsers(),
                       [&](Operation *user) { return members.contains(user); }))
        members.insert(producer);
    }
  FusionGroup group;
  group.joined = members.takeVector();
  group.takeJoined();
  return group;
}

void FusionGroup::takeJoined() {
  ops = joined;
  llvm::sort(ops,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
}

void FusionGroup::shrink() {
  if (!joined.empty()) {
    joined.pop_back(); // what joined later feeds what joined before
    return takeJoined();
  }
  closedSizes.pop_back();
  ops.truncate(closedSizes.empty() ? 0 : closedSizes.back());
}

FusedOp FusionGroup::create() const {
  Operation *first = ops.front();
  OpBuilder builder(ops.back());
  FusedOp fused = makeFused(builder, ops);
  if (Attribute placed = first->getAttr(onProcessorAttr))
    fused->setAttr(onProcessorAttr, placed);
  return fused;
}

void FusionGroup::replaceBy(FusedOp fused) {
  ops.back()->getResult(0).replaceAllUsesWith(fused.getResult());
  for (Operation *op : llvm::reverse(ops))
    op->erase();
}
