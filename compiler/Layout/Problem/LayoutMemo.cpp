// SPDX-License-Identifier: Apache-2.0
#include "compiler/Layout/Problem/LayoutMemo.h"

#include "compiler/Dialect/NPU/Device.h"
#include "compiler/Layout/Problem/Crossings.h"
#include "compiler/Layout/Problem/LayoutProblem.h"

#include "llvm/ADT/bit.h"

using namespace npu;

static Question surroundingsOf(LayoutMemo &memo, LayoutOpInterface op) {
  Question question;
  question.add(memo.alike.of(op));
  for (Value operand : op->getOperands())
    question.add(isConstant(operand));
  if (isOnProcessor(op)) {
    Crossings crossings = crossingsOf(op);
    for (bool crosses : crossings.operands)
      question.add(crosses);
    question.add(crossings.result);
  }
  return question;
}

Question npu::circumstancesOf(const ResidentProblem &problem, LayoutMemo &memo,
                              LayoutOpInterface op) {
  const OnChipValues &onChip = problem.onChip();
  Question question = surroundingsOf(memo, op);
  for (Value operand : op->getOperands())
    question.add(onChip.keyOf(operand));
  for (Value result : op->getResults())
    question.add(onChip.keyOf(result));
  return question.add(llvm::bit_cast<uint64_t>(onChip.reserved(op)));
}

Question npu::workQuestion(const ResidentProblem &problem, LayoutMemo &memo,
                           LayoutOpInterface op, ArrayRef<LayoutAttr> layouts,
                           const Alternative *algorithm,
                           ArrayRef<LayoutAttr> whole) {
  const OnChipValues &onChip = problem.onChip();
  Question question = surroundingsOf(memo, op).add(algorithm);
  for (auto [index, layout] : llvm::enumerate(layouts)) {
    Value value = index < op->getNumOperands()
                      ? op->getOperand(index)
                      : op->getResult(index - op->getNumOperands());
    question.add(layout).add(onChip.holds(value, layout));
  }
  for (LayoutAttr layout : whole)
    question.add(layout);
  return question;
}

bool npu::findsMemory(const LayoutProblem &problem, double needs,
                      double reserved) {
  cost::KernelWork beside;
  beside.reservedBytes = reserved;
  return needs <= cost::tileCapacity(beside, problem.target.machine);
}
