// SPDX-License-Identifier: Apache-2.0
//
// What generators of random graphs share: one source of numbers, and f32 values
// made from it.
#ifndef NPU_TEST_COMPILER_SUPPORT_RANDOMBUILDER_H
#define NPU_TEST_COMPILER_SUPPORT_RANDOMBUILDER_H

#include "compiler/Dialect/NPU/NPUDialect.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <random>

namespace npu::test {

class RandomBuilder {
public:
  RandomBuilder(MLIRContext &context, unsigned seed)
      : builder(&context), random(seed), location(builder.getUnknownLoc()) {}

protected:
  /// 0 .. count-1. No distribution: they differ between libraries.
  int64_t pick(int64_t count) {
    return static_cast<int64_t>(random() % static_cast<unsigned>(count));
  }
  bool coin() { return pick(2) == 0; }
  bool oneIn(int64_t count) { return pick(count) == 0; }
  template <class List>
  auto &anyOf(List &&list) {
    return list[static_cast<size_t>(pick(static_cast<int64_t>(list.size())))];
  }

  /// A value made so far, mostly the newest, so that chains are long.
  Value pickValue() { return coin() ? values.back() : anyOf(values); }

  RankedTensorType typeOf(ArrayRef<int64_t> shape) {
    return RankedTensorType::get(shape, builder.getF32Type());
  }
  ArrayAttr ints(ArrayRef<int64_t> list) {
    return builder.getI64ArrayAttr(list);
  }
  Value constant(ArrayRef<int64_t> shape);
  Value scalar(float value);
  Value eltwise(npu_instr_kind kind, ValueRange inputs, float alpha = 0,
                float beta = 0);
  /// Of this type, and an op also where all inputs are constant.
  Value unfolded(npu_instr_kind kind, ValueRange inputs, Type result);

  /// An empty module with a function @main of these arguments; the builder then
  /// stands in it.
  mlir::OwningOpRef<mlir::ModuleOp> startModule(ArrayRef<Type> arguments);
  /// Ends the function with these results.
  void finishModule(ArrayRef<Value> results);

  OpBuilder builder;
  std::mt19937 random;
  Location location;
  SmallVector<Value> values;
  mlir::func::FuncOp function;
};

} // namespace npu::test

#endif // NPU_TEST_COMPILER_SUPPORT_RANDOMBUILDER_H
