// SPDX-License-Identifier: Apache-2.0
#include "compiler/Layout/Problem/LayoutMemo.h"

#include "compiler/Dialect/NPU/Device.h"
#include "compiler/Dialect/NPU/Work.h"
#include "compiler/Layout/Problem/Crossings.h"
#include "compiler/Layout/Problem/LayoutProblem.h"

#include "llvm/ADT/bit.h"

using namespace npu;

/// What surroundings are told apart by.
static Question surroundingsText(LayoutMemo &memo, LayoutOpInterface op) {
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

Question npu::surroundingsOf(LayoutMemo &memo, LayoutOpInterface op) {
  auto [number, isNew] = memo.surroundings.try_emplace(op);
  if (isNew) {
    llvm::StringMap<uint64_t> &known = memo.surroundingsKnown;
    Question text = surroundingsText(memo, op);
    number->second =
        known.try_emplace(text.bytes(), known.size()).first->second;
  }
  return Question().add(number->second);
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
  for (auto [index, layout] : llvm::enumerate(layouts))
    question.add(layout).add(onChip.holds(valueAt(op, index), layout));
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
