// SPDX-License-Identifier: Apache-2.0
#include "compiler/Frontend/Support/IntegerScale.h"

using namespace npu;

Value npu::quantize(Emitter &emitter, Value value, Value scale, Value zeroPoint,
                    Type element, Rounding rounding) {
  FailureOr<Ints> shape =
      emitter.broadcastShape({value, scale, zeroPoint ? zeroPoint : scale});
  if (failed(shape))
    return Value();
  return emitter.create<QuantizeOp>(*shape, element, value, scale, zeroPoint,
                                    rounding);
}

Value npu::dequantize(Emitter &emitter, Value value, Value scale,
                      Value zeroPoint) {
  FailureOr<Ints> shape =
      emitter.broadcastShape({value, scale, zeroPoint ? zeroPoint : scale});
  if (failed(shape))
    return Value();
  return emitter.create<DequantizeOp>(*shape, emitter.getBuilder().getF32Type(),
                                      value, scale, zeroPoint);
}

bool npu::scalesNothing(ArrayRef<Value> scale) {
  return constantInt(scale[0]) == int64_t(1) << 30 &&
         constantInt(scale[1]) == 30;
}

Value npu::requantize(Emitter &emitter, Value value, const Requantization &how,
                      Type element) {
  SmallVector<Value, 3> operands{value};
  llvm::append_range(operands, how.scale);
  FailureOr<Ints> shape = emitter.broadcastShape(operands);
  if (failed(shape))
    return Value();
  if (operands.size() > 1 && scalesNothing(how.scale))
    operands.truncate(1);
  return emitter.create<RequantizeOp>(
      *shape, element, value, ValueRange(operands).drop_front(),
      how.inputZeroPoint, how.zeroPoint, how.low, how.high, how.rounding);
}

IntegerRange npu::rangeOfBits(unsigned bits, bool isUnsigned) {
  int64_t count = int64_t(1) << bits;
  int64_t low = isUnsigned ? 0 : -count / 2;
  return {low, low + count - 1};
}

Reciprocal npu::reciprocalOf(uint32_t count) {
  int32_t bits = 32; // that count - 1 takes
  while (bits > 0 && ((count - 1) >> (bits - 1) & 1) == 0)
    --bits;
  int64_t numerator = ((int64_t(1) << 30) + 1) << bits;
  return {static_cast<int32_t>(numerator / count), 30 + bits};
}

Value npu::lookUp(Emitter &emitter, Value table, Value index) {
  if (!table || !index)
    return Value();
  return emitter.create<GatherOp>(shapeOf(index), elementOf(table), table,
                                  index,
                                  emitter.getBuilder().getI64IntegerAttr(0));
}

Value npu::lookUpBytes(Emitter &emitter, Value table, Value bytes) {
  Type i32 = emitter.getBuilder().getI32Type();
  return lookUp(emitter, table,
                emitter.eltwise(NPU_INSTR_add, {emitter.cast(bytes, i32),
                                                emitter.scalar(128, i32)}));
}

Value npu::dividedByPower(Emitter &emitter, Value value, int shift) {
  if (shift == 0)
    return value;
  auto number = [&](int64_t number) {
    return emitter.scalar(double(number), emitter.getBuilder().getI32Type());
  };
  auto two = [&](npu_instr_kind kind, Value a, Value b) {
    return emitter.eltwise(kind, {a, b});
  };
  Value half = two(NPU_INSTR_add, value, number(int64_t(1) << (shift - 1)));
  Value sign = two(NPU_INSTR_shift_right, value, number(31)); // 0 or -1
  return two(NPU_INSTR_shift_right, two(NPU_INSTR_add, half, sign),
             number(shift));
}

Value npu::integerProduct(Emitter &emitter, Value a, int64_t aZero, Value b,
                          int64_t bZero) {
  Type i32 = emitter.getBuilder().getI32Type();
  auto two = [&](npu_instr_kind kind, Value x, Value y) {
    return emitter.eltwise(kind, {x, y});
  };
  auto number = [&](int64_t value) {
    return emitter.scalar(double(value), i32);
  };
  Value product = emitter.matmul(a, b);
  if (aZero != 0) {
    Value columns =
        emitter.reduce(emitter.cast(b, i32), ReduceKind::Sum, {1}, true);
    product =
        two(NPU_INSTR_sub, product, two(NPU_INSTR_mul, columns, number(aZero)));
  }
  if (bZero != 0) {
    Value rows =
        emitter.reduce(emitter.cast(a, i32), ReduceKind::Sum, {2}, true);
    product =
        two(NPU_INSTR_sub, product, two(NPU_INSTR_mul, rows, number(bZero)));
  }
  if (aZero != 0 && bZero != 0)
    product =
        two(NPU_INSTR_add, product, number(shapeOf(a)[2] * aZero * bZero));
  return product;
}
