// SPDX-License-Identifier: Apache-2.0
#include "compiler/Frontend/Support/IntegerScale.h"

#include <cmath>

using namespace npu;

Value npu::applyScale(Emitter &emitter, Value value, Value multiplier,
                      Value shift, bool roundsTwice) {
  // 2^30 / 2^30: only the type changes.
  if (constantInt(multiplier) == int64_t(1) << 30 && constantInt(shift) == 30)
    return value;
  return emitter.eltwise(NPU_INSTR_mul_shift, {value, multiplier, shift},
                         roundsTwice ? 1 : 0);
}

Value npu::addAndSaturate(Emitter &emitter, Value value, Value zeroPoint,
                          unsigned bits, bool isUnsigned) {
  if (zeroPoint && constantInt(zeroPoint) != 0)
    value = emitter.eltwise(NPU_INSTR_add, {value, zeroPoint});
  if (bits >= 32)
    return value;
  double count = std::ldexp(1.0, int(bits));
  double least = isUnsigned ? 0 : -count / 2;
  return emitter.eltwise(NPU_INSTR_clip, {value}, least, least + count - 1);
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
