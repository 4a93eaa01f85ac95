// SPDX-License-Identifier: Apache-2.0
//
// npu-lower-precision: products of f32 are made of bf16 and summed in f32.
// Attention, which rounds its result as it stores it, among them. What is
// converted alone is stored so by norms.
//
// It ends: it looks once at each op that there is, and makes conversions and
// products of bf16, which it leaves alone.
#include "compiler/Dialect/NPU/Constants.h"
#include "compiler/Dialect/NPU/LayoutUse.h"
#include "compiler/Dialect/NPU/Work.h"
#include "compiler/Fusion/FusionTraits.h"
#include "compiler/Fusion/Passes.h"
#include "compiler/Fusion/Rewrites.h"
#include "compiler/Fusion/TargetOption.h"
#include "kernels/support/convert.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

#include <cstring>

using namespace npu;
using namespace npu::rewrites;

namespace npu {
#define GEN_PASS_DEF_LOWERPRECISION
#include "compiler/Fusion/Passes.h.inc"
} // namespace npu

/// A number that is converted by itself is read and written once more, so that
/// many products have to be made of it: the matrices of a network, the
/// convolutions of all channels, not those of one.
static constexpr double leastProducts = 64;

/// What the op multiplies and may be bf16; none where it does not compute in
/// f32. A mask may say yes or no.
static MutableArrayRef<OpOperand> factorsOf(Operation *op) {
  auto kernel = dyn_cast<KernelOpInterface>(op);
  auto isTaken = [](Value value) {
    return isF32(value) || tensorType(value).getElementType().isInteger(1);
  };
  if (!kernel || !llvm::all_of(op->getOperands(), isTaken))
    return {};
  auto factors = op->getOpOperands().take_front(fusionTraitsOf(kernel).factors);
  auto isWide = [](OpOperand &factor) { return isF32(factor.get()); };
  return llvm::all_of(factors, isWide) ? factors : MutableArrayRef<OpOperand>();
}

/// The view that makes the value, for one reader.
static Operation *viewOf(Value value) {
  auto op = value.getDefiningOp<LayoutOpInterface>();
  bool isView = op && op->getNumOperands() == 1 && !isa<RelayoutOp>(*op) &&
                op.getSensitivity() == Sensitivity::Data;
  return isView && value.hasOneUse() ? op.getOperation() : nullptr;
}

/// The op whose kernel stores the value, what is fused into it behind it; views
/// are of what is stored.
static Operation *storedBy(Value value) {
  while (Operation *view = viewOf(value))
    value = view->getOperand(0);
  while (auto step = value.getDefiningOp<EltwiseOp>())
    value = step.getInputs()[0];
  return value.getDefiningOp();
}

/// The ops that sum enough products. What another of them stores is converted
/// as it is stored, which costs nothing.
static SmallVector<Operation *> worthwhileOps(mlir::func::FuncOp function) {
  llvm::SetVector<Operation *> ops;
  for (Operation &op : function.getBody().front()) {
    MutableArrayRef<OpOperand> factors = factorsOf(&op);
    double converted = 0;
    for (OpOperand &factor : factors)
      if (Value value = factor.get();
          !constantOf(value) && !ops.contains(storedBy(value)))
        converted += static_cast<double>(tensorType(value).getNumElements());
    if (!factors.empty() && workOf(&op).macs() >= leastProducts * converted)
      ops.insert(&op);
  }
  return ops.takeVector();
}

namespace {

class Lowering {
public:
  explicit Lowering(MLIRContext *context)
      : builder(context), narrow(builder.getBF16Type()) {}

  void run(Operation *op) {
    for (OpOperand &factor : factorsOf(op))
      factor.set(lowered(factor.get()));
    if (!fusionTraitsOf(cast<KernelOpInterface>(op)).sumsWider)
      roundResult(op->getResult(0));
  }

  /// Where products and elementwise functions alone read a value, these read
  /// what the products read, and the value itself is never stored.
  void shareConverted() {
    for (auto [wide, converted] : made)
      if (converted.getDefiningOp<EltwiseOp>() && wide.getDefiningOp())
        readConverted(wide, converted);
  }

  /// Of a value of which only the conversion is read, that is what its op
  /// stores, where it can.
  void storeConverted() {
    for (EltwiseOp cast : conversions) {
      Value wide = cast.getInputs()[0];
      auto op = wide.getDefiningOp<KernelOpInterface>();
      if (!op || !wide.hasOneUse() || !fusionTraitsOf(op).storesRounded)
        continue;
      cast.getResult().replaceAllUsesWith(wide);
      cast->erase();
      wide.setType(tensorType(wide).clone(narrow));
    }
  }

  /// Constants and views of which only products were made.
  void dropUnused() {
    for (Value wide : llvm::reverse(replaced)) // the views' own operands last
      if (Operation *op = wide.getDefiningOp(); op && op->use_empty())
        op->erase();
  }

private:
  /// Its readers read a cast to f32, products in place of that what is stored.
  void roundResult(Value result) {
    Type wide = tensorType(result).getElementType();
    result.setType(tensorType(result).clone(narrow));
    builder.setInsertionPointAfterValue(result);
    Value back = makeCast(builder, result.getLoc(), result, wide);
    result.replaceAllUsesExcept(back, back.getDefiningOp());
    made[back] = result;
    replaced.insert(back);
  }

  void readConverted(Value wide, Value converted) {
    SmallVector<OpOperand *> others;
    for (OpOperand &use : wide.getUses()) {
      if (use.getOwner() == converted.getDefiningOp())
        continue;
      if (!isa<EltwiseOp>(use.getOwner()))
        return;
      others.push_back(&use);
    }
    for (OpOperand *use : others) {
      builder.setInsertionPoint(use->getOwner());
      use->set(makeCast(builder, converted.getLoc(), converted,
                        tensorType(wide).getElementType()));
    }
  }

  /// The value's numbers in bf16; behind views that nobody else reads they are
  /// converted in front, where the kernel that makes them can do it.
  Value lowered(Value value) {
    if (Value known = made.lookup(value))
      return known;
    Value narrowed = convert(value);
    replaced.insert(value);
    return made[value] = narrowed;
  }

  Value convert(Value value) {
    builder.setInsertionPointAfterValue(value);
    Location location = value.getLoc();
    auto type = cast<RankedTensorType>(tensorType(value).clone(narrow));
    if (ElementsAttr elements = constantOf(value))
      return ConstantOp::create(builder, location, type,
                                rounded(elements, type));
    if (Operation *view = viewOf(value)) {
      Value source = lowered(view->getOperand(0));
      builder.setInsertionPointAfter(view);
      return cloneWith(builder, location, view, source, type)->getResult(0);
    }
    Value cast = makeCast(builder, location, value, narrow);
    conversions.push_back(cast.getDefiningOp<EltwiseOp>());
    return cast;
  }

  /// To the nearest, halves to even.
  static ElementsAttr rounded(ElementsAttr elements, RankedTensorType type) {
    std::vector<char> storage;
    ArrayRef<char> bytes = elementBytes(elements, storage);
    const char *wide = bytes.data();
    std::vector<uint16_t> numbers(bytes.size() / sizeof(float));
    for (uint16_t &number : numbers) {
      float value;
      std::memcpy(&value, wide, sizeof(value));
      number = kernels::floatToBfloat(value);
      wide += sizeof(value);
    }
    const char *narrow = reinterpret_cast<const char *>(numbers.data());
    size_t size = elements.isSplat() ? 1 : numbers.size();
    ArrayRef<char> made(narrow, size * sizeof(uint16_t));
    return elements.isSplat()
               ? mlir::DenseElementsAttr::getFromRawBuffer(type, made)
               : makeElements(type, made);
  }

  OpBuilder builder;
  Type narrow;
  llvm::MapVector<Value, Value> made;
  SmallVector<EltwiseOp> conversions; // to bf16, of what is no constant
  llvm::SetVector<Value> replaced;    // those that others are read in place of
};

struct LowerPrecisionPass
    : PassOfTarget<npu::impl::LowerPrecisionBase<LowerPrecisionPass>> {
  using PassOfTarget::PassOfTarget;

  void runOnOperation() override {
    Type narrow = mlir::BFloat16Type::get(&getContext());
    const TargetSpec *chip = spec.get();
    if (!chip || chip->supports(narrow))
      return lowerPrecision(getOperation());
    getOperation().emitError()
        << "--precision=bf16: target '" << chip->name
        << "' has no bf16 in its `types`; add it there, or leave the option "
           "out";
    signalPassFailure();
  }
};

} // namespace

void npu::lowerPrecision(mlir::func::FuncOp function) {
  Lowering lowering(function.getContext());
  llvm::for_each(worthwhileOps(function),
                 [&](Operation *op) { lowering.run(op); });
  lowering.shareConverted();
  lowering.dropUnused();
  lowering.storeConverted();
}

std::unique_ptr<mlir::Pass>
npu::createLowerPrecision(const TargetSpec *target) {
  return std::make_unique<LowerPrecisionPass>(target);
}
