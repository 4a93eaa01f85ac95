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
  double scale = 1;
  int64_t zero = 0;
};
} // namespace

static bool isMove(Operation *op) {
  return llvm::isa_and_nonnull<TransposeOp, ReshapeOp>(op);
}

/// One scale and one zero point, if bytes in and out can stand for numbers of
/// that scale.
static std::optional<Quantized> quantizedBy(Value scale, Value zeroPoint) {
  constexpr float most = 1e12F; // of the program's file
  std::optional<float> number = scalarOf(scale);
  if (!number || !(*number > 0) || *number > most)
    return std::nullopt;
  std::optional<int64_t> zero = zeroPointOf(zeroPoint);
  if (!zero)
    return std::nullopt;
  return Quantized{static_cast<double>(*number), *zero};
}

/// The op that makes bytes of an input, which goes nowhere else, past what
/// moves it.
static QuantizeOp quantizerOf(Value value, SmallVector<Operation *> &moves) {
  while (value.hasOneUse()) {
    Operation *user = *value.user_begin();
    if (!isMove(user)) {
      auto quantizer = dyn_cast<QuantizeOp>(user);
      return quantizer && isByte(quantizer.getResult()) ? quantizer
                                                        : QuantizeOp();
    }
    moves.push_back(user);
    value = user->getResult(0);
  }
  return QuantizeOp();
}

/// What makes the output of bytes, before what moves it.
static DequantizeOp dequantizerOf(Value value,
                                  SmallVector<Operation *> &moves) {
  while (isMove(value.getDefiningOp())) {
    moves.push_back(value.getDefiningOp());
    value = value.getDefiningOp()->getOperand(0);
  }
  auto dequantizer = value.getDefiningOp<DequantizeOp>();
  return dequantizer && isByte(dequantizer.getInput()) ? dequantizer
                                                       : DequantizeOp();
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
       builder.getNamedAttr("zero_point",
                            builder.getI64IntegerAttr(quantized.zero))});
}

static void takeBytes(mlir::func::FuncOp function, unsigned index) {
  BlockArgument argument = function.getArgument(index);
  SmallVector<Operation *> moves;
  QuantizeOp quantizer = quantizerOf(argument, moves);
  std::optional<Quantized> quantized;
  if (quantizer)
    quantized = quantizedBy(quantizer.getScale(), quantizer.getZeroPoint());
  if (!quantized ||
      shapeOf(quantizer.getInput()) != shapeOf(quantizer.getResult()))
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
                      attributeOf(function.getContext(), *quantized));
}

static void giveBytes(mlir::func::FuncOp function, unsigned index) {
  Operation *end = function.front().getTerminator();
  SmallVector<Operation *> moves;
  DequantizeOp dequantizer = dequantizerOf(end->getOperand(index), moves);
  std::optional<Quantized> quantized;
  if (dequantizer)
    quantized = quantizedBy(dequantizer.getScale(), dequantizer.getZeroPoint());
  if (!quantized ||
      shapeOf(dequantizer.getInput()) != shapeOf(dequantizer.getResult()))
    return;
  std::reverse(moves.begin(), moves.end());
  OpBuilder builder(end);
  end->setOperand(index, moved(builder, dequantizer.getInput(), moves));
  function.setResultAttr(index, quantizedAttr,
                         attributeOf(function.getContext(), *quantized));
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
