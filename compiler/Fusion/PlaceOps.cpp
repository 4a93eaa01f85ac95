// SPDX-License-Identifier: Apache-2.0
//
// npu-place-ops: what the chip lacks goes to the processor beside it. It ends:
// a walk, and a set that gets smaller.
#include "compiler/Dialect/NPU/Device.h"
#include "compiler/Dialect/NPU/OpNames.h"
#include "compiler/Fusion/Passes.h"
#include "compiler/Fusion/TargetOption.h"
#include "compiler/Target/Lacks.h"
#include "files/words.h"

#include "llvm/ADT/DenseSet.h"

using namespace npu;

namespace npu {
#define GEN_PASS_DEF_PLACEOPS
#include "compiler/Fusion/Passes.h.inc"
} // namespace npu

/// The first lack of an op, or of a fused kernel's ops.
static std::optional<Lack> lackOfKernel(const TargetSpec &target,
                                        LayoutOpInterface op) {
  std::optional<Lack> lack;
  op->walk([&](LayoutOpInterface inner) {
    lack = lackOf(target, inner);
    return lack ? mlir::WalkResult::interrupt() : mlir::WalkResult::advance();
  });
  return lack;
}

static bool isHeavy(Operation *op) {
  auto rule = dyn_cast<LayoutOpInterface>(op);
  return !rule || rule.getSensitivity() == Sensitivity::Heavy;
}

/// Ops that would be crossed into and out of again: light ones of which every
/// way in comes from the processor and every way out leads there. The rest of
/// them all, until nothing changes: an op leaves for each that has left.
static llvm::DenseSet<Operation *> between(mlir::func::FuncOp function) {
  llvm::DenseSet<Operation *> inside;
  for (Operation &op : function.getBody().front())
    if (!isHeavy(&op) && !isOnProcessor(&op))
      inside.insert(&op);
  SmallVector<Operation *> leaving;
  auto isNear = [&](Operation *op) {
    return op && (isOnProcessor(op) || inside.contains(op));
  };
  auto stays = [&](Operation *op) {
    return llvm::all_of(op->getOperands(),
                        [&](Value operand) {
                          Operation *producer = operand.getDefiningOp();
                          return llvm::isa_and_nonnull<ConstantOp>(producer) ||
                                 isNear(producer);
                        }) &&
           llvm::all_of(op->getUsers(), isNear);
  };
  for (Operation *op : inside)
    if (!stays(op))
      leaving.push_back(op);
  while (!leaving.empty()) {
    Operation *op = leaving.pop_back_val();
    if (!inside.erase(op))
      continue;
    for (Value operand : op->getOperands())
      if (Operation *producer = operand.getDefiningOp())
        leaving.push_back(producer);
    llvm::append_range(leaving, op->getUsers());
  }
  return inside;
}

static void placeBetween(mlir::func::FuncOp function) {
  for (Operation *op : between(function))
    if (cast<LayoutOpInterface>(op).getSensitivity() != Sensitivity::Data)
      op->walk([](LayoutOpInterface inner) {
        putOnProcessor(inner, "stands between ops that the processor runs",
                       "bring these on the chip");
      });
}

namespace {
struct Lacking {
  Operation *op;
  Lack lack;
};
} // namespace

/// The integer type that the op makes real, or real numbers to; null: none.
static Type convertedInteger(Operation *op) {
  auto cast = dyn_cast<EltwiseOp>(op);
  if (!cast || cast.getKind() != NPU_INSTR_cast)
    return {};
  Type from = tensorType(cast.getInputs()[0]).getElementType();
  Type to = tensorType(cast.getResult()).getElementType();
  if (isa<mlir::FloatType>(from))
    std::swap(from, to);
  bool isBoth = isa<mlir::IntegerType>(from) && isa<mlir::FloatType>(to);
  return isBoth && !from.isInteger(1) ? from : Type();
}

/// The nodes that make quantized numbers real, or real ones quantized; none
/// where no such number is of 16 bits or less.
static llvm::DenseSet<Location>
nodesOfQuantization(mlir::func::FuncOp function) {
  llvm::DenseSet<Location> nodes;
  bool isQuantized = false;
  for (Operation &op : function.getBody().front())
    if (Type integer = convertedInteger(&op)) {
      nodes.insert(op.getLoc());
      isQuantized |= integer.getIntOrFloatBitWidth() <= 16;
    }
  return isQuantized ? nodes : llvm::DenseSet<Location>();
}

static bool isReal(Value value) {
  return isa<mlir::FloatType>(tensorType(value).getElementType());
}

/// The ops that only real results are made of, among those that `isOne`.
static llvm::DenseSet<Operation *>
behindLastInteger(mlir::func::FuncOp function,
                  llvm::function_ref<bool(Operation *)> isOne) {
  mlir::Block &body = function.getBody().front();
  llvm::DenseSet<Operation *> behind;
  auto isLast = [&](mlir::OpOperand &use) {
    return use.getOwner() == body.getTerminator()
               ? isReal(use.get())
               : behind.contains(use.getOwner());
  };
  for (Operation &op : llvm::reverse(body))
    if (isOne(&op) && llvm::all_of(op.getUses(), isLast))
      behind.insert(&op);
  return behind;
}

/// A quantized model need not be told to be so: what lacks floats is an op
/// between its integers that has no integer form, or one behind the last.
static void adviseQuantized(mlir::func::FuncOp function,
                            const llvm::DenseSet<Location> &quantization,
                            MutableArrayRef<Lacking> lacking) {
  llvm::DenseSet<Operation *> last =
      behindLastInteger(function, [](Operation *) { return true; });
  for (auto &[op, lack] : lacking)
    if (lack.isOfFloats && !quantization.empty())
      lack.change = quantization.contains(op->getLoc())
                        ? "let the model take and give quantized numbers: "
                          "--quantized-io"
                    : last.contains(op)
                        ? "its result is real: quantize that in the model, too"
                        : "it has no integer form here, so quantizing the "
                          "model does not change that: use another op";
}

/// One note for each node and reason. What makes quantized numbers real, and
/// back, stands around an op that lacks floats: it is named if nothing else is.
static void attachLacks(mlir::InFlightDiagnostic &error,
                        const llvm::DenseSet<Location> &quantization,
                        ArrayRef<Lacking> lacking) {
  auto isAround = [&](const Lacking &row) {
    return row.lack.isOfFloats && quantization.contains(row.op->getLoc());
  };
  bool isAlone = llvm::all_of(lacking, isAround);
  std::vector<std::pair<std::string, std::string>> reasons;
  for (const Lacking &row : lacking) {
    std::pair<std::string, std::string> reason(
        opText(row.op), row.lack.why + "; " + row.lack.change);
    if ((isAlone || !isAround(row)) && !llvm::is_contained(reasons, reason))
      reasons.push_back(std::move(reason));
  }
  for (const std::string &line : files::groupedByReason(reasons, "op"))
    error.attachNote() << line;
}

/// Whether the op is a part of quantizing or dequantizing: a step with
/// constants, or what only moves elements.
static bool isConverting(Operation *op) {
  if (auto rule = dyn_cast<LayoutOpInterface>(op);
      rule && rule.getSensitivity() == Sensitivity::Data)
    return true;
  auto step = dyn_cast<EltwiseOp>(op);
  constexpr int64_t kinds[] = {
      NPU_INSTR_cast,   NPU_INSTR_mul,   NPU_INSTR_div,        NPU_INSTR_add,
      NPU_INSTR_sub,    NPU_INSTR_round, NPU_INSTR_round_away, NPU_INSTR_clip,
      NPU_INSTR_linear, NPU_INSTR_max,   NPU_INSTR_min};
  return step && llvm::is_contained(kinds, step.getKind()) &&
         llvm::all_of(llvm::drop_begin(step.getInputs()), [](Value operand) {
           return llvm::isa_and_nonnull<ConstantOp>(operand.getDefiningOp());
         });
}

/// Of a quantized network, what makes its real inputs quantized numbers, and
/// its quantized results real ones.
static llvm::DenseSet<Operation *> conversions(mlir::func::FuncOp function) {
  llvm::DenseSet<Operation *> found;
  for (Operation &op : function.getBody().front()) {
    Value data = isConverting(&op) ? op.getOperand(0) : Value();
    if (data &&
        (isa<BlockArgument>(data) ? isReal(data)
                                  : found.contains(data.getDefiningOp())))
      found.insert(&op);
  }
  found.insert_range(behindLastInteger(function, isConverting));
  return found;
}

FailureOr<int64_t> npu::placeOps(mlir::func::FuncOp function,
                                 const TargetSpec &target) {
  // Of another compilation.
  function.walk([](Operation *op) { op->removeAttr(onProcessorAttr); });
  SmallVector<Lacking> lacking;
  int64_t ops = 0;
  for (Operation &op : function.getBody().front()) {
    auto rule = dyn_cast<LayoutOpInterface>(op);
    if (!rule)
      continue;
    ++ops;
    std::optional<Lack> lack = lackOfKernel(target, rule);
    if (!lack)
      continue;
    lacking.push_back({&op, *lack});
  }
  llvm::DenseSet<Location> quantization = nodesOfQuantization(function);
  adviseQuantized(function, quantization, lacking);
  if (target.fallback) {
    llvm::DenseSet<Operation *> around;
    if (!quantization.empty())
      around = conversions(function);
    llvm::erase_if(lacking, [&](const Lacking &row) {
      bool isPlaced = !target.fallback->onlyConverts ||
                      (row.lack.isOfFloats && around.contains(row.op));
      if (isPlaced)
        row.op->walk([&](LayoutOpInterface inner) {
          putOnProcessor(inner, row.lack.why, row.lack.change);
        });
      return isPlaced;
    });
    if (!target.fallback->onlyConverts)
      placeBetween(function);
  }
  if (lacking.empty())
    return llvm::count_if(function.getBody().front(),
                          [](Operation &op) { return isOnProcessor(&op); });
  auto error = function.emitError();
  error << "target '" << target.name << "' does not run " << lacking.size()
        << " of " << ops
        << " ops; a processor beside it would: --fallback=host, or `fallback` "
           "in the target's file";
  attachLacks(error, quantization, lacking);
  return failure();
}

namespace {

struct PlaceOpsPass : PassOfTarget<npu::impl::PlaceOpsBase<PlaceOpsPass>> {
  using PassOfTarget::PassOfTarget;

  LogicalResult initialize(MLIRContext *context) override {
    return spec.get() ? success() : spec.load(context, target);
  }

  void runOnOperation() override {
    FailureOr<int64_t> count = placeOps(getOperation(), *spec.get());
    if (failed(count))
      return signalPassFailure();
    placed += *count;
  }
};

} // namespace

std::unique_ptr<mlir::Pass> npu::createPlaceOps(const TargetSpec *target) {
  return std::make_unique<PlaceOpsPass>(target);
}
