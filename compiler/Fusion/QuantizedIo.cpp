// SPDX-License-Identifier: Apache-2.0
//
// npu-quantized-io: inputs that are quantized at once, and outputs that come of
// quantized numbers, are these numbers.
//
// It ends: a walk over the boundary.
#include "compiler/Dialect/NPU/States.h"
#include "compiler/Fusion/Integers.h"
#include "compiler/Fusion/Passes.h"

using namespace npu;
using namespace npu::integers;
using namespace npu::rewrites;

namespace npu {
#define GEN_PASS_DEF_QUANTIZEDIO
#include "compiler/Fusion/Passes.h.inc"
} // namespace npu

namespace {
/// (bytes - zero) * scale is the real number.
struct Quantized {
  double scale = 1, zero = 0;
};
} // namespace

static bool isMove(Operation *op) {
  return llvm::isa_and_nonnull<TransposeOp, ReshapeOp>(op);
}

/// Whether bytes in and out can stand for numbers of this scale.
static bool isScale(double scale) {
  constexpr double most = 1e12; // of the program's file
  return scale > 0 && scale <= most;
}

/// The scalar operand of a step of this kind with `value` first.
static std::optional<double> scalarOfStep(EltwiseOp op, npu_instr_kind kind,
                                          Value value) {
  if (!isKind(op, kind) || op.getInputs()[0] != value ||
      shapeOf(op.getResult()) != shapeOf(value))
    return std::nullopt;
  std::optional<float> number = scalarOf(op.getInputs()[1]);
  return number ? std::optional<double>(*number) : std::nullopt;
}

/// The conversion to bytes that the input alone goes into, past what moves it.
static EltwiseOp quantizerOf(Value value, Quantized &found,
                             SmallVector<Operation *> &moves) {
  bool isScaled = false, isRounded = false;
  for (int i = 0; i < longestChain && value.hasOneUse(); ++i) {
    Operation *user = *value.user_begin();
    auto step = dyn_cast<EltwiseOp>(user);
    if (isMove(user) && !isScaled) {
      moves.push_back(user);
    } else if (auto by = scalarOfStep(step, NPU_INSTR_div, value);
               by && isScale(*by) && !isScaled) {
      found.scale = *by;
      isScaled = true;
    } else if ((isKind(step, NPU_INSTR_round) ||
                isKind(step, NPU_INSTR_round_away)) &&
               isScaled && !isRounded) {
      isRounded = true;
    } else if (auto zero = scalarOfStep(step, NPU_INSTR_add, value);
               zero && isRounded) {
      found.zero += *zero;
    } else {
      bool isCast = isKind(step, NPU_INSTR_cast) && isByte(step.getResult());
      return isCast && isRounded ? step : EltwiseOp();
    }
    value = user->getResult(0);
  }
  return EltwiseOp();
}

/// The bytes that the output is made of, before what moves it.
static Value dequantizedOf(Value value, Quantized &found,
                           SmallVector<Operation *> &moves) {
  while (isMove(value.getDefiningOp())) {
    moves.push_back(value.getDefiningOp());
    value = value.getDefiningOp()->getOperand(0);
  }
  auto scale = value.getDefiningOp<EltwiseOp>();
  if (!scale)
    return Value();
  std::optional<double> by =
      scalarOfStep(scale, NPU_INSTR_mul, scale.getInputs()[0]);
  auto step = scale.getInputs()[0].getDefiningOp<EltwiseOp>();
  if (!by || !isScale(*by) || !step)
    return Value();
  found.scale = *by;
  if (auto zero = scalarOfStep(step, NPU_INSTR_sub, step.getInputs()[0])) {
    found.zero = *zero;
    step = step.getInputs()[0].getDefiningOp<EltwiseOp>();
  }
  bool isCast = isKind(step, NPU_INSTR_cast) && isByte(step.getInputs()[0]);
  return isCast ? step.getInputs()[0] : Value();
}

/// The same moves of bytes.
static Value moved(OpBuilder &builder, Value bytes,
                   ArrayRef<Operation *> moves) {
  for (Operation *move : moves)
    bytes = cloneWith(builder, move->getLoc(), move, bytes,
                      tensorType(move->getResult(0)).clone(elementOf(bytes)))
                ->getResult(0);
  return bytes;
}

static mlir::DictionaryAttr attributeOf(MLIRContext *context,
                                        const Quantized &quantized) {
  mlir::Builder builder(context);
  return builder.getDictionaryAttr(
      {builder.getNamedAttr("scale", builder.getF64FloatAttr(quantized.scale)),
       builder.getNamedAttr(
           "zero_point",
           builder.getI64IntegerAttr(static_cast<int64_t>(quantized.zero)))});
}

static void takeBytes(mlir::func::FuncOp function, unsigned index) {
  BlockArgument argument = function.getArgument(index);
  Quantized quantized;
  SmallVector<Operation *> moves;
  if (!elementOf(argument).isF32())
    return;
  EltwiseOp quantizer = quantizerOf(argument, quantized, moves);
  if (!quantizer)
    return;
  Operation *first = *argument.user_begin();
  argument.setType(
      tensorType(argument).clone(elementOf(quantizer.getResult())));
  OpBuilder builder(first);
  quantizer.replaceAllUsesWith(moved(builder, argument, moves));
  // The real numbers in between: each read the one before.
  for (Operation *op = quantizer, *next = nullptr; op; op = next) {
    next = op == first ? nullptr : op->getOperand(0).getDefiningOp();
    op->erase();
  }
  function.setArgAttr(index, quantizedAttr,
                      attributeOf(function.getContext(), quantized));
}

static void giveBytes(mlir::func::FuncOp function, unsigned index) {
  Operation *end = function.front().getTerminator();
  Quantized quantized;
  SmallVector<Operation *> moves;
  Value bytes = dequantizedOf(end->getOperand(index), quantized, moves);
  if (!bytes)
    return;
  std::reverse(moves.begin(), moves.end());
  OpBuilder builder(end);
  end->setOperand(index, moved(builder, bytes, moves));
  function.setResultAttr(index, quantizedAttr,
                         attributeOf(function.getContext(), quantized));
}

void npu::quantizedIo(mlir::func::FuncOp function) {
  // A state keeps what the next run reads, whatever stands for it outside.
  const unsigned states = numStates(function);
  for (unsigned i = 0; i + states < function.getNumArguments(); ++i)
    takeBytes(function, i);
  for (unsigned i = 0; i + states < function.getNumResults(); ++i)
    giveBytes(function, i);
  Operation *end = function.front().getTerminator();
  function.setType(mlir::FunctionType::get(function.getContext(),
                                           function.front().getArgumentTypes(),
                                           end->getOperandTypes()));
}

namespace {

struct QuantizedIoPass : npu::impl::QuantizedIoBase<QuantizedIoPass> {
  void runOnOperation() override { quantizedIo(getOperation()); }
};

} // namespace
