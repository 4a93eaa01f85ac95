// SPDX-License-Identifier: Apache-2.0
#include "compiler/Dialect/NPU/ElementTypes.h"

#include "compiler/Dialect/NPU/NPUDialect.h"

using namespace npu;

/// Operands and results that are tensors with elements of the type.
static bool hasElements(Operation *op, function_ref<bool(Type)> isWanted) {
  auto isOf = [&](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && isWanted(tensor.getElementType());
  };
  return llvm::any_of(op->getOperandTypes(), isOf) ||
         llvm::any_of(op->getResultTypes(), isOf);
}

static bool isF64(Type type) { return type.isF64(); }
static bool isU64(Type type) { return type.isUnsignedInteger(64); }

static bool onlyCompares(EltwiseOp op) {
  const InstrKind *row = lookupInstr(static_cast<int64_t>(op.getKind()));
  return !row || row->types == NPU_TYPES_COMPARE ||
         row->types == NPU_TYPES_CAST || row->types == NPU_TYPES_BITCAST ||
         row->types == NPU_TYPES_SELECT || row->kind == NPU_INSTR_min ||
         row->kind == NPU_INSTR_max;
}

static std::optional<ScatterReduction> reductionOf(Operation *op) {
  if (auto scatter = dyn_cast<ScatterElementsOp>(op))
    return scatter.getReduction();
  if (auto scatter = dyn_cast<ScatterNdOp>(op))
    return scatter.getReduction();
  return std::nullopt;
}

bool npu::computesInF64(Operation *op) {
  if (!hasElements(op, isF64))
    return false;
  if (auto eltwise = dyn_cast<EltwiseOp>(op))
    return !onlyCompares(eltwise);
  if (std::optional<ScatterReduction> reduction = reductionOf(op))
    return *reduction != ScatterReduction::None;
  if (auto resize = dyn_cast<ResizeOp>(op))
    return resize.getMode() != ResizeMode::Nearest;
  return !isa<ConstantOp, RelayoutOp, TransposeOp, ReshapeOp, BroadcastOp,
              FusedOp, YieldOp, ConcatOp, PadOp, SliceOp, GatherOp,
              GatherElementsOp, GatherNdOp, Img2colOp, UnpoolOp, MaskunpoolOp,
              MirrorOp, RotateOp, CustomOp>(op);
}

bool npu::ordersU64(Operation *op) {
  if (!hasElements(op, isU64))
    return false;
  if (std::optional<ScatterReduction> reduction = reductionOf(op))
    return *reduction == ScatterReduction::Max ||
           *reduction == ScatterReduction::Min;
  if (auto reduce = dyn_cast<ReduceOp>(op))
    return reduce.getKind() != ReduceKind::Sum &&
           reduce.getKind() != ReduceKind::Prod;
  return isa<MaxPoolOp, AvgPoolOp, MaxPoolIndicesOp, TopKOp>(op);
}

LogicalResult npu::verifyElementTypes(Operation *op) {
  // element_types_c1: functions of constants are computed; checkInstr has them.
  if (!isa<EltwiseOp>(op) && computesInF64(op))
    return op->emitOpError() << "computes in f64, which is only moved, "
                                "compared and converted; cast to f32";
  if (ordersU64(op)) // element_types_c2
    return op->emitOpError() << "orders ui64, which only elementwise functions "
                                "do; cast to i64";
  return success();
}
