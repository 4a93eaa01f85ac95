// SPDX-License-Identifier: Apache-2.0
#include "compiler/Frontend/Support/MainFunction.h"

#include "compiler/Dialect/NPU/Constants.h"
#include "compiler/Dialect/NPU/States.h"

#include "llvm/ADT/STLExtras.h"

using namespace npu;
using mlir::func::FuncOp;
using mlir::func::ReturnOp;

FuncOp npu::createMain(OpBuilder &builder, mlir::ModuleOp module,
                       ArrayRef<GraphInput> inputs) {
  SmallVector<Type> argumentTypes;
  for (const GraphInput &input : inputs)
    if (!input.bound)
      argumentTypes.push_back(input.type);
  builder.setInsertionPointToEnd(module.getBody());
  auto function =
      FuncOp::create(builder, module.getLoc(), "main",
                     builder.getFunctionType(argumentTypes, TypeRange()));
  builder.setInsertionPointToStart(function.addEntryBlock());
  return function;
}

SmallVector<Value> npu::inputValues(OpBuilder &builder, FuncOp function,
                                    ArrayRef<GraphInput> inputs) {
  SmallVector<Value> values;
  unsigned argument = 0;
  for (const GraphInput &input : inputs) {
    if (input.bound) {
      values.push_back(ConstantOp::create(builder, function.getLoc(),
                                          input.type, input.bound));
      continue;
    }
    function.setArgAttr(argument, "npu.name",
                        builder.getStringAttr(input.name));
    Value value = function.getArgument(argument++);
    // The value of a tensor without elements is known.
    if (input.type.getNumElements() == 0)
      value = ConstantOp::create(builder, function.getLoc(), input.type,
                                 makeElements(input.type, ArrayRef<char>()));
    values.push_back(value);
  }
  return values;
}

void npu::returnOutputs(OpBuilder &builder, FuncOp function,
                        ArrayRef<Value> outputs, ArrayRef<std::string> names) {
  ReturnOp::create(builder, function.getLoc(), outputs);
  function.setType(builder.getFunctionType(function.getArgumentTypes(),
                                           ValueRange(outputs).getTypes()));
  for (auto [i, name] : llvm::enumerate(names))
    function.setResultAttr(i, "npu.name", builder.getStringAttr(name));
}

void npu::dropDeadCode(FuncOp function, ArrayRef<GraphInput> inputs) {
  SmallVector<ElementsAttr> made, used;
  for (const GraphInput &input : inputs)
    used.push_back(input.bound);
  for (const State &state : statesOf(function))
    used.push_back(state.beginsAs);
  Block &body = function.getBody().front();
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body))) {
    bool isDead = op.use_empty() && !isa<ReturnOp>(op);
    if (auto constant = dyn_cast<ConstantOp>(op))
      (isDead ? made : used).push_back(constant.getValue());
    if (isDead)
      op.erase();
  }
  releaseUnused(function.getContext(), made, used);
}
