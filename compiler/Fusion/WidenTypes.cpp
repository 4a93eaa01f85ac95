// SPDX-License-Identifier: Apache-2.0
//
// npu-widen-types: what is computed in a type that the target only stores is
// computed in f32.
//
// It ends: it looks once at each op that there is.
#include "compiler/Dialect/NPU/Constants.h"
#include "compiler/Fusion/FusionTraits.h"
#include "compiler/Fusion/Passes.h"
#include "compiler/Fusion/Rewrites.h"
#include "compiler/Fusion/TargetOption.h"
#include "kernels/support/convert.h"

using namespace npu;
using namespace npu::rewrites;

namespace npu {
#define GEN_PASS_DEF_WIDENTYPES
#include "compiler/Fusion/Passes.h.inc"
} // namespace npu

namespace {

class Widening {
public:
  Widening(MLIRContext *context, ArrayRef<npu_dtype> types)
      : builder(context), wide(builder.getF32Type()), types(types) {}

  void run(mlir::func::FuncOp function) {
    Block &block = function.getBody().front();
    // What these ask for, before anything has changed.
    llvm::DenseMap<Operation *, SmallVector<Type>> kept;
    for (Operation &op : block)
      if (isKept(&op))
        kept[&op] = SmallVector<Type>(op.getOperandTypes());
    for (Operation &op : llvm::make_early_inc_range(block)) {
      auto kernel = dyn_cast<KernelOpInterface>(&op);
      if (kept.contains(&op))
        keep(&op, kept[&op]);
      else if (kernel && !isTable(kernel) && !isRounding(kernel))
        widen(kernel);
    }
    for (Operation *op : llvm::reverse(casts))
      if (op->use_empty())
        op->erase();
  }

private:
  bool isStored(Value value) const {
    return llvm::is_contained(types,
                              dtypeOf(tensorType(value).getElementType()));
  }

  /// Whether the op's types are the function's, a plugin's, or ask for bits.
  static bool isKept(Operation *op) {
    npu_attrs ignored = {};
    auto kernel = dyn_cast<KernelOpInterface>(op);
    return isa<mlir::func::ReturnOp>(op) ||
           isKind(dyn_cast<EltwiseOp>(op), NPU_INSTR_bitcast) ||
           (kernel && kernel.getKernel(ignored) == NPU_OP_CUSTOM);
  }

  /// Whether it picks numbers of a constant alone: they are made f32 behind it.
  bool isTable(KernelOpInterface op) const {
    return fusionTraitsOf(op).movesElements && constantOf(op->getOperand(0)) &&
           llvm::none_of(op->getOperands().drop_front(), [&](Value other) {
             return isStored(other) || wasStored.contains(other);
           });
  }

  /// Whether a model asks for numbers of 32 bits to be rounded.
  bool isRounding(KernelOpInterface op) const {
    auto step = dyn_cast<EltwiseOp>(*op);
    if (!isKind(step, NPU_INSTR_cast))
      return false;
    Value from = step.getInputs()[0];
    return isStored(step.getResult()) && !isStored(from) &&
           !wasStored.contains(from);
  }

  /// Whether a product's kernel reads the operand as it is stored: a matrix,
  /// scales.
  bool isPacked(OpOperand &operand) const {
    auto product = dyn_cast<MatmulOp>(operand.getOwner());
    return product && operand.getOperandNumber() > 0 &&
           constantOf(operand.get()) && shapeOf(operand.get()).size() == 2;
  }

  /// What has been made f32 becomes what the op asked for.
  void keep(Operation *op, ArrayRef<Type> asked) {
    builder.setInsertionPoint(op);
    for (auto [operand, type] : llvm::zip(op->getOpOperands(), asked))
      if (operand.get().getType() != type)
        operand.set(makeCast(builder, op->getLoc(), operand.get(),
                             cast<RankedTensorType>(type).getElementType()));
  }

  void widen(KernelOpInterface op) {
    for (OpOperand &operand : op->getOpOperands())
      if (isStored(operand.get()) && !isPacked(operand))
        operand.set(widened(operand.get()));
    for (Value result : op->getResults())
      if (isStored(result)) {
        result.setType(tensorType(result).clone(wide));
        wasStored.insert(result);
      }
    auto step = dyn_cast<EltwiseOp>(*op);
    if (!isKind(step, NPU_INSTR_cast) ||
        step.getInputs()[0].getType() != step.getResult().getType())
      return;
    step.getResult().replaceAllUsesWith(step.getInputs()[0]);
    step.erase();
  }

  Value widened(Value value) {
    if (Value known = made.lookup(value))
      return known;
    builder.setInsertionPointAfterValue(value);
    ElementsAttr elements = constantOf(value);
    if (elements)
      return made[value] = makeFloats(builder, value.getLoc(), shapeOf(value),
                                      floatsIn(elements));
    Value cast = makeCast(builder, value.getLoc(), value, wide);
    casts.push_back(cast.getDefiningOp());
    return made[value] = cast;
  }

  static std::vector<float> floatsIn(ElementsAttr elements) {
    const int dtype = dtypeOf(elements.getElementType());
    std::vector<char> storage;
    ArrayRef<char> bytes = elementBytes(elements, storage);
    std::vector<float> numbers(bytes.size() / sizeof(uint16_t));
    kernels::widen(dtype, reinterpret_cast<const uint16_t *>(bytes.data()),
                   numbers.data(), static_cast<int64_t>(numbers.size()));
    return numbers;
  }

  OpBuilder builder;
  Type wide;
  ArrayRef<npu_dtype> types;
  llvm::DenseMap<Value, Value> made; // of what the target stores
  llvm::DenseSet<Value> wasStored;   // what is f32 in place of it
  SmallVector<Operation *> casts;
};

struct WidenTypesPass
    : PassOfTarget<npu::impl::WidenTypesBase<WidenTypesPass>> {
  using PassOfTarget::PassOfTarget;

  void runOnOperation() override {
    const TargetSpec *chip = spec.get();
    widenTypes(getOperation(), chip ? ArrayRef(chip->storageTypes) : NPU_F16);
  }
};

} // namespace

void npu::widenTypes(mlir::func::FuncOp function, ArrayRef<npu_dtype> types) {
  if (!types.empty())
    Widening(function.getContext(), types).run(function);
}

std::unique_ptr<mlir::Pass> npu::createWidenTypes(const TargetSpec *target) {
  return std::make_unique<WidenTypesPass>(target);
}
