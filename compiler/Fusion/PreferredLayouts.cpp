// SPDX-License-Identifier: Apache-2.0
#include "compiler/Fusion/PreferredLayouts.h"

#include "compiler/Dialect/NPU/LayoutAgreement.h"
#include "compiler/Dialect/NPU/LayoutUse.h"
#include "compiler/Target/AcceptedLayouts.h"

using namespace npu;

/// The order that the target likes best for a value of the op; null where it
/// takes any.
static LayoutAttr preferred(const TargetSpec &target, LayoutOpInterface op,
                            StringRef role, Value value,
                            const ImageAxes &axes) {
  ArrayRef<Signature> all = signaturesOf(target, op);
  if (all.empty())
    return {};
  unsigned operands = op->getNumOperands();
  auto axesOf = [&](unsigned slot) -> KnownDims {
    return slot < operands ? op.getOperandAxes(slot)
                           : op.getResultAxes(slot - operands);
  };
  unsigned first = fittingSignatures(all, op, axesOf).front();
  SmallVector<LayoutAttr> accepted = acceptedLayouts(
      all[first], op, role, value, [&]() -> KnownDims { return axes; });
  return accepted.empty() ? LayoutAttr() : accepted.front();
}

LayoutAttr npu::preferredResult(const TargetSpec &target, LayoutOpInterface op,
                                const LayoutRelation &relation) {
  if (LayoutAttr own = preferred(target, op, "result", op->getResult(0),
                                 op.getResultAxes(0)))
    return own;
  for (auto [index, operand] : llvm::enumerate(op->getOperands())) {
    if (relation.independent[index])
      continue;
    LayoutAttr layout = preferred(target, op, op.getOperandRole(index), operand,
                                  op.getOperandAxes(index));
    if (!layout)
      continue;
    TransferResult carried =
        transferLayout(relatedOperand(relation, op, index),
                       toStoredOrder(layout), relatedResult(relation, op));
    if (carried.layout)
      return toLayout(op->getContext(), *carried.layout);
  }
  return {};
}
