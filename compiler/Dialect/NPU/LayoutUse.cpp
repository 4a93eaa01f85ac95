// SPDX-License-Identifier: Apache-2.0
#include "compiler/Dialect/NPU/LayoutUse.h"

using namespace npu;

StoredOrder npu::toStoredOrder(LayoutAttr layout) {
  StoredOrder stored;
  stored.order.append(layout.getOrder().begin(), layout.getOrder().end());
  stored.blocks.append(layout.getBlocks().begin(), layout.getBlocks().end());
  return stored;
}

LayoutAttr npu::toLayout(MLIRContext *context, const StoredOrder &order) {
  return LayoutAttr::get(context, order.order, order.blocks);
}

RelatedValue npu::relatedOperand(const LayoutRelation &relation, Operation *op,
                                 unsigned index) {
  return {relation.operands[index],
          tensorType(op->getOperand(index)).getShape()};
}

RelatedValue npu::relatedResult(const LayoutRelation &relation, Operation *op,
                                unsigned index) {
  return {relation.results[index], tensorType(op->getResult(index)).getShape()};
}

static LogicalResult verifyRank(Operation *op, Type type) {
  auto tensor = cast<RankedTensorType>(type);
  Attribute encoding = tensor.getEncoding();
  if (!encoding)
    return success();
  auto layout = dyn_cast<LayoutAttr>(encoding);
  if (!layout) // layout_c1
    return op->emitOpError()
           << "encoding " << encoding << " is not an #npu.layout";
  if (layout.getRank() != tensor.getRank()) // layout_c2
    return op->emitOpError()
           << "layout " << layout.getLetters() << " is of rank "
           << layout.getRank() << ", the tensor of rank " << tensor.getRank();
  return success();
}

LogicalResult npu::verifyLayouts(Operation *op) {
  bool decided = false;
  for (Type type : op->getOperandTypes()) {
    if (failed(verifyRank(op, type)))
      return failure();
    decided |= getLayout(type) != nullptr;
  }
  for (Type type : op->getResultTypes())
    if (failed(verifyRank(op, type)))
      return failure();
  auto rule = dyn_cast<LayoutOpInterface>(op);
  if (!decided || !rule || rule.getSensitivity() == Sensitivity::Data)
    return success();
  LayoutAttr result = getLayout(op->getResult(0));
  if (!result)
    return success();
  LayoutRelation relation = rule.getLayoutRelation();
  for (OpOperand &operand : op->getOpOperands()) {
    unsigned index = operand.getOperandNumber();
    LayoutAttr layout = getLayout(operand.get());
    if (!layout || relation.independent[index])
      continue;
    if (!layoutsAgree(relatedOperand(relation, op, index),
                      toStoredOrder(layout), relatedResult(relation, op),
                      toStoredOrder(result))) // layout_c3
      return op->emitOpError()
             << "operand " << index << " is stored " << layout.getLetters()
             << ", which does not go with the result's " << result.getLetters();
  }
  return success();
}
