// SPDX-License-Identifier: Apache-2.0
#include "compiler/Fusion/FusionGroup.h"

#include "compiler/Dialect/NPU/Device.h"
#include "compiler/Fusion/Rewrites.h"

#include "mlir/IR/IRMapping.h"

#include "llvm/ADT/MapVector.h"
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

/// Whether `op` only changes how numbers are written: a conversion, a rounding,
/// or a step with a constant, as around quantized numbers.
static bool isConversion(Operation *op) {
  auto step = dyn_cast<EltwiseOp>(op);
  if (!step)
    return false;
  switch (step.getKind()) {
  case NPU_INSTR_cast:
  case NPU_INSTR_round:
  case NPU_INSTR_linear:
  case NPU_INSTR_clip:
    return true;
  case NPU_INSTR_add:
  case NPU_INSTR_sub:
  case NPU_INSTR_mul:
  case NPU_INSTR_div:
    return llvm::any_of(step.getInputs(),
                        [](Value input) { return constantOf(input); });
  default:
    return false;
  }
}

/// The ops' location; that of the op which the kernel is built around comes
/// first, because the first name is the kernel's.
static Location locationOf(ArrayRef<Operation *> ops) {
  SmallVector<Operation *> ordered(ops);
  auto *main = llvm::find_if_not(ordered, isConversion);
  if (main != ordered.end())
    std::rotate(ordered.begin(), main, main + 1);
  return rewrites::fuseLocations(ordered);
}

FusedOp FusionGroup::create() const {
  Operation *first = ops.front(), *last = ops.back();
  bool hasRoot = !isa<EltwiseOp>(first);
  SmallVector<Value> operands;
  if (hasRoot)
    llvm::append_range(operands, first->getOperands());
  size_t rootOperands = operands.size();
  llvm::MapVector<Value, size_t> extras; // operand numbers
  llvm::SmallPtrSet<Operation *, 16> members(ops.begin(), ops.end());
  for (Operation *op : ArrayRef(ops).drop_front(hasRoot))
    for (Value operand : op->getOperands())
      if (!members.contains(operand.getDefiningOp()) &&
          extras.insert({operand, rootOperands + extras.size()}).second)
        operands.push_back(operand);

  OpBuilder builder(last);
  auto fused = FusedOp::create(builder, locationOf(ops),
                               last->getResult(0).getType(), operands);
  if (Attribute placed = first->getAttr(onProcessorAttr))
    fused->setAttr(onProcessorAttr, placed);
  Block &body = fused.getBody().emplaceBlock();
  for (Value operand : operands)
    body.addArgument(operand.getType(), operand.getLoc());
  builder.setInsertionPointToStart(&body);
  mlir::IRMapping mapping;
  if (hasRoot)
    for (size_t i = 0; i < rootOperands; ++i)
      mapping.map(operands[i], body.getArgument(i));
  if (hasRoot) {
    // The root may read one value twice; each has its own argument.
    Operation *root = builder.clone(*first, mapping);
    root->setOperands(ValueRange(body.getArguments()).take_front(rootOperands));
    mapping.map(first->getResult(0), root->getResult(0));
  }
  for (auto [value, number] : extras)
    mapping.map(value, body.getArgument(number));
  for (Operation *op : ArrayRef(ops).drop_front(hasRoot))
    builder.clone(*op, mapping);
  YieldOp::create(builder, last->getLoc(), mapping.lookup(last->getResult(0)));
  return fused;
}

void FusionGroup::replaceBy(FusedOp fused) {
  ops.back()->getResult(0).replaceAllUsesWith(fused.getResult());
  for (Operation *op : llvm::reverse(ops))
    op->erase();
}
