// SPDX-License-Identifier: Apache-2.0
#include "compiler/Layout/Problem/LayoutMemo.h"

#include "compiler/Dialect/NPU/Device.h"
#include "compiler/Layout/Problem/Crossings.h"
#include "compiler/Layout/Problem/LayoutProblem.h"

#include "llvm/ADT/bit.h"

using namespace npu;

Question npu::surroundingsOf(const LayoutProblem &problem, LayoutMemo &memo,
                             LayoutOpInterface op) {
  const OnChipValues &onChip = problem.onChip();
  Question question;
  question.add(memo.alike.of(op));
  for (Value operand : op->getOperands())
    question.add(isConstant(operand) ? 2 : onChip.contains(operand));
  for (Value result : op->getResults())
    question.add(onChip.contains(result));
  if (isOnProcessor(op)) {
    Crossings crossings = crossingsOf(op);
    for (bool crosses : crossings.operands)
      question.add(crosses);
    question.add(crossings.result);
  }
  return question;
}

Question npu::circumstancesOf(const LayoutProblem &problem, LayoutMemo &memo,
                              LayoutOpInterface op) {
  return surroundingsOf(problem, memo, op)
      .add(llvm::bit_cast<uint64_t>(problem.onChip().reserved(op)));
}
