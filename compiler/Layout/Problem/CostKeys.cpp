// SPDX-License-Identifier: Apache-2.0
#include "compiler/Layout/Problem/CostKeys.h"

#include "compiler/Dialect/NPU/Constants.h"
#include "compiler/Dialect/NPU/Device.h"
#include "compiler/Dialect/NPU/LayoutUse.h"
#include "compiler/Dialect/NPU/Letters.h"
#include "compiler/Dialect/NPU/OpVocabulary.h"
#include "compiler/Layout/Problem/Alternatives.h"
#include "compiler/Layout/Problem/Cost.h"
#include "compiler/Layout/Problem/Placement.h"
#include "compiler/Target/CostTableReader.h"

using namespace npu;

static std::string typeName(mlir::Type element) {
  auto type = static_cast<npu_dtype>(dtypeOf(element));
  for (const TypeWord &word : typeVocabulary())
    if (word.type == type)
      return word.name.str();
  return "other";
}

/// In the one spelling of all that lie alike; of a null layout none.
static cost::TableValue valueOf(RankedTensorType type, LayoutAttr layout) {
  cost::TableValue value;
  value.layout = cost::anyLayout;
  if (layout)
    value.layout =
        lettersOf(normalForm(toStoredOrder(layout), type.getShape()));
  value.sizes.assign(type.getShape().begin(), type.getShape().end());
  value.type = typeName(type.getElementType());
  return value;
}

cost::TableKey npu::costKeyOf(const LayoutProblem &problem,
                              LayoutOpInterface op,
                              ArrayRef<LayoutAttr> layouts) {
  cost::TableKey key;
  key.op = op.getDemandName().str();
  SmallVector<bool, 4> independent = problem.independentOperands(op);
  for (auto [index, operand] : llvm::enumerate(op->getOperands())) {
    bool isAny = independent[index] || isConstant(operand);
    key.operands.push_back(
        valueOf(tensorType(operand), isAny ? LayoutAttr() : layouts[index]));
  }
  for (auto [index, result] : llvm::enumerate(op->getResults()))
    key.results.push_back(
        valueOf(tensorType(result), layouts[op->getNumOperands() + index]));
  return key;
}

cost::TableKey npu::costKeyOf(RankedTensorType type, LayoutAttr from,
                              LayoutAttr to) {
  return {relayoutCostName.str(), {valueOf(type, from)}, {valueOf(type, to)}};
}

std::optional<cost::TableKey> npu::costKeyOf(const LayoutProblem &problem,
                                             Operation *op) {
  auto rule = dyn_cast<LayoutOpInterface>(op);
  if (!rule || isOnProcessor(op) || replacementOf(op))
    return std::nullopt;
  if (isa<RelayoutOp>(op))
    return costKeyOf(tensorType(op->getResult(0)), getLayout(op->getOperand(0)),
                     getLayout(op->getResult(0)));
  if (rule.getSensitivity() == Sensitivity::Data)
    return std::nullopt;
  return costKeyOf(problem, rule, layoutsOf(op));
}

std::optional<cost::Measurement>
npu::measurementOf(const LayoutProblem &problem,
                   llvm::function_ref<cost::TableKey()> key) {
  if (!problem.target.costs)
    return std::nullopt;
  return problem.target.costs->table.find(key());
}
