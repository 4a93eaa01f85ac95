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
  for (Type type : op->getOperandTypes())
    if (failed(verifyRank(op, type)))
      return failure();
  for (Type type : op->getResultTypes())
    if (failed(verifyRank(op, type)))
      return failure();
  return success();
}
