// SPDX-License-Identifier: Apache-2.0
#include "compiler/Layout/Problem/LayoutPins.h"

using namespace npu;

bool LayoutPins::touches(Operation *op) const {
  return llvm::any_of(op->getResults(),
                      [&](Value result) { return values.contains(result); }) ||
         llvm::any_of(
             op->getOpOperands(),
             [&](OpOperand &operand) { return reads.contains(&operand); }) ||
         algorithms.contains(op);
}

LayoutPins LayoutPins::carriedTo(mlir::func::FuncOp source,
                                 mlir::func::FuncOp copy) const {
  LayoutPins pins;
  if (empty())
    return pins;
  for (auto [from, to] :
       llvm::zip_equal(source.getBody().front(), copy.getBody().front())) {
    for (auto [before, after] : llvm::zip(from.getResults(), to.getResults()))
      if (LayoutAttr pin = values.lookup(before))
        pins.values[after] = pin;
    for (OpOperand &operand : from.getOpOperands())
      if (LayoutAttr pin = reads.lookup(&operand))
        pins.reads[&to.getOpOperand(operand.getOperandNumber())] = pin;
    if (auto pin = algorithms.find(&from); pin != algorithms.end())
      pins.algorithms[&to] = pin->second;
  }
  return pins;
}
