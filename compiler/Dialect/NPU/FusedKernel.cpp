// SPDX-License-Identifier: Apache-2.0
#include "compiler/Dialect/NPU/FusedKernel.h"

#include "compiler/Dialect/NPU/Constants.h"

#include "llvm/ADT/SetVector.h"

#include <algorithm>

using namespace npu;

/// Whether `op` only changes how numbers are written: a conversion, a rounding,
/// or a step with a constant, as around quantized numbers.
static bool isConversion(Operation *op, const mlir::IRMapping &outside) {
  auto step = dyn_cast<EltwiseOp>(op);
  if (!step)
    return false;
  switch (step.getKind()) {
  case NPU_INSTR_cast:
  case NPU_INSTR_round:
  case NPU_INSTR_round_away:
  case NPU_INSTR_linear:
  case NPU_INSTR_clip:
    return true;
  case NPU_INSTR_add:
  case NPU_INSTR_sub:
  case NPU_INSTR_mul:
  case NPU_INSTR_div:
    return llvm::any_of(step.getInputs(), [&](Value input) {
      return constantOf(outside.lookupOrDefault(input));
    });
  default:
    return false;
  }
}

/// The ops' location; that of the op which the kernel is built around comes
/// first, because the first name is the kernel's.
static Location locationOf(ArrayRef<Operation *> ops,
                           const mlir::IRMapping &outside) {
  SmallVector<Operation *> ordered(ops);
  auto *main = llvm::find_if_not(
      ordered, [&](Operation *op) { return isConversion(op, outside); });
  if (main != ordered.end())
    std::rotate(ordered.begin(), main, main + 1);
  SmallVector<Location> locations;
  for (Operation *op : ordered)
    locations.push_back(op->getLoc());
  return mlir::FusedLoc::get(locations, Attribute(),
                             ordered.front()->getContext());
}

/// What the kernel of these ops reads: the first op's operands, where that is
/// not elementwise, then each other value once.
static SmallVector<Value> readsOf(ArrayRef<Operation *> ops) {
  SmallVector<Value> reads;
  const bool hasRoot = !isa<EltwiseOp>(ops.front());
  if (hasRoot)
    llvm::append_range(reads, ops.front()->getOperands());
  llvm::SmallPtrSet<Operation *, 16> members(ops.begin(), ops.end());
  llvm::SmallDenseSet<Value> seen;
  for (Operation *op : ops.drop_front(hasRoot))
    for (Value operand : op->getOperands())
      if (!members.contains(operand.getDefiningOp()) &&
          seen.insert(operand).second)
        reads.push_back(operand);
  return reads;
}

FusedOp npu::makeFused(OpBuilder &builder, ArrayRef<Operation *> ops,
                       const mlir::IRMapping &outside) {
  Operation *first = ops.front(), *last = ops.back();
  const bool hasRoot = !isa<EltwiseOp>(first);
  const size_t rootOperands = hasRoot ? first->getNumOperands() : 0;
  const SmallVector<Value> reads = readsOf(ops);
  SmallVector<Value> operands;
  for (Value value : reads)
    operands.push_back(outside.lookupOrDefault(value));

  auto fused = FusedOp::create(builder, locationOf(ops, outside),
                               last->getResult(0).getType(), operands);
  OpBuilder::InsertionGuard guard(builder);
  Block &body = fused.getBody().emplaceBlock();
  for (Value operand : operands)
    body.addArgument(operand.getType(), operand.getLoc());
  builder.setInsertionPointToStart(&body);
  mlir::IRMapping mapping;
  if (hasRoot) {
    for (size_t i = 0; i < rootOperands; ++i)
      mapping.map(first->getOperand(i), body.getArgument(i));
    // The root may read one value twice; each has its own argument.
    Operation *root = builder.clone(*first, mapping);
    root->setOperands(ValueRange(body.getArguments()).take_front(rootOperands));
    mapping.map(first->getResult(0), root->getResult(0));
  }
  for (size_t i = rootOperands; i < reads.size(); ++i)
    mapping.map(reads[i], body.getArgument(i));
  for (Operation *op : ops.drop_front(hasRoot))
    builder.clone(*op, mapping);
  YieldOp::create(builder, last->getLoc(), mapping.lookup(last->getResult(0)));
  return fused;
}

std::optional<CutBody> npu::cutBody(FusedOp op, unsigned cut) {
  Block &body = op.getBody().front();
  SmallVector<Operation *> ops;
  for (Operation &one : body.without_terminator())
    ops.push_back(&one);
  if (cut == 0 || cut >= ops.size())
    return std::nullopt;
  Operation *between = ops[cut - 1];
  llvm::SetVector<Operation *> needed;
  needed.insert(between);
  for (size_t i = 0; i < needed.size(); ++i)
    for (Value operand : needed[i]->getOperands())
      if (Operation *producer = operand.getDefiningOp())
        needed.insert(producer);
  CutBody parts;
  for (Operation *one : ops)
    (needed.contains(one) ? parts.first : parts.rest).push_back(one);
  Operation *root = op.getRoot();
  if (op.getYielded() == between->getResult(0) ||
      (root && !needed.contains(root)))
    return std::nullopt;
  for (Operation *one : parts.first)
    if (one != between && llvm::any_of(one->getUsers(), [&](Operation *user) {
          return !needed.contains(user);
        }))
      return std::nullopt;
  return parts;
}

static void leaveLayoutsOut(Operation *op) {
  auto leave = [](Value value) {
    value.setType(withLayout(tensorType(value), {}));
  };
  llvm::for_each(op->getResults(), leave);
  for (Region &region : op->getRegions())
    for (Block &block : region) {
      llvm::for_each(block.getArguments(), leave);
      for (Operation &inner : block)
        llvm::for_each(inner.getResults(), leave);
    }
}

TwoKernels npu::makeTwo(OpBuilder &builder, const CutBody &body,
                        const mlir::IRMapping &outside) {
  mlir::IRMapping values = outside;
  auto make = [&](ArrayRef<Operation *> ops, SmallVector<int> &reads) {
    SmallVector<Value> read = readsOf(ops);
    Operation *made = nullptr;
    if (ops.size() == 1) {
      read.assign(ops.front()->operand_begin(), ops.front()->operand_end());
      made = builder.clone(*ops.front(), values);
    } else {
      made = makeFused(builder, ops, values);
    }
    for (Value value : read) {
      auto argument = dyn_cast<BlockArgument>(value);
      reads.push_back(argument ? static_cast<int>(argument.getArgNumber())
                               : TwoKernels::between);
    }
    leaveLayoutsOut(made);
    values.map(ops.back()->getResult(0), made->getResult(0));
    return made;
  };
  TwoKernels two;
  two.first = make(body.first, two.firstReads);
  two.rest = make(body.rest, two.restReads);
  return two;
}

bool npu::isFirstOfSplit(Operation *op) {
  return op && op->hasAttrOfType<mlir::UnitAttr>(splitAttr);
}

bool npu::isRestOfSplit(Operation &op) {
  return op.hasAttrOfType<mlir::DictionaryAttr>(splitAttr);
}

bool npu::isSharedBySplit(OpOperand &operand) {
  auto mark =
      operand.getOwner()->getAttrOfType<mlir::DictionaryAttr>(splitAttr);
  auto shared = mark ? mark.getAs<mlir::DenseI64ArrayAttr>(splitSharedName)
                     : mlir::DenseI64ArrayAttr();
  return shared && llvm::is_contained(shared.asArrayRef(),
                                      int64_t(operand.getOperandNumber()));
}
