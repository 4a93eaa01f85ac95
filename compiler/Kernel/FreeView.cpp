// SPDX-License-Identifier: Apache-2.0
//
// Whether a view op moves no byte: the layout that its operand's makes of its
// result stores the same as the result's own.
#include "compiler/Dialect/NPU/LayoutUse.h"
#include "compiler/Dialect/NPU/OutputCopy.h"
#include "compiler/Kernel/KernelProblem.h"

using namespace npu;

/// Undecided is row-major.
static StoredOrder storedOrderOf(Value value) {
  LayoutAttr layout = getLayout(value);
  return layout ? toStoredOrder(layout)
                : StoredOrder::rowMajor(tensorType(value).getRank());
}

bool npu::isFreeView(Operation *op) {
  if (!isa<RelayoutOp, TransposeOp, ReshapeOp>(op))
    return false;
  Value from = op->getOperand(0), to = op->getResult(0);
  StoredOrder source = storedOrderOf(from), result = storedOrderOf(to);
  ArrayRef<int64_t> shape = tensorType(to).getShape();
  bool isSame = isa<ReshapeOp>(op) && from.getType() == to.getType();
  if (isa<RelayoutOp>(op) || isSame)
    return sameStorage(source, result, shape);
  LayoutRelation relation = cast<LayoutOpInterface>(op).getLayoutRelation();
  TransferResult carried = transferLayout(relatedOperand(relation, op, 0),
                                          source, relatedResult(relation, op));
  return carried.layout && carried.complete &&
         sameStorage(*carried.layout, result, shape);
}

Value npu::viewedValue(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isFreeView(op) || isCopy(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}
