// SPDX-License-Identifier: Apache-2.0
#include "test/compiler/Support/RandomBuilder.h"

#include "compiler/Fusion/Rewrites.h"
#include "test/compiler/Support/Interpreter.h"

using namespace npu;
using test::RandomBuilder;

Value RandomBuilder::constant(ArrayRef<int64_t> shape) {
  ElementsAttr elements = test::randomElements(typeOf(shape), random());
  return ConstantOp::create(builder, location, typeOf(shape), elements);
}

Value RandomBuilder::scalar(float value) {
  return rewrites::makeFloats(builder, location, {}, value);
}

Value RandomBuilder::eltwise(npu_instr_kind kind, ValueRange inputs,
                             float alpha, float beta) {
  return *rewrites::makeEltwise(builder, location, kind, inputs, alpha, beta);
}

Value RandomBuilder::unfolded(npu_instr_kind kind, ValueRange inputs,
                              Type result) {
  return EltwiseOp::create(
      builder, location, result, builder.getI32IntegerAttr(kind), inputs,
      builder.getF32FloatAttr(0), builder.getF32FloatAttr(0));
}

mlir::OwningOpRef<mlir::ModuleOp>
RandomBuilder::startModule(ArrayRef<Type> arguments) {
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::ModuleOp::create(builder, location);
  builder.setInsertionPointToEnd(module->getBody());
  function = mlir::func::FuncOp::create(builder, location, "main",
                                        builder.getFunctionType(arguments, {}));
  builder.setInsertionPointToStart(function.addEntryBlock());
  values.assign(function.args_begin(), function.args_end());
  return module;
}

void RandomBuilder::finishModule(ArrayRef<Value> results) {
  mlir::func::ReturnOp::create(builder, location, results);
  function.setFunctionType(builder.getFunctionType(
      function.getArgumentTypes(), TypeRange(ValueRange(results))));
}
