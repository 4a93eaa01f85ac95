// SPDX-License-Identifier: Apache-2.0
//
// Between ops and the pure layout functions: an op's values as related values,
// layouts as stored orders, and the check that layouts are of their values.
#ifndef NPU_COMPILER_DIALECT_NPU_LAYOUTUSE_H
#define NPU_COMPILER_DIALECT_NPU_LAYOUTUSE_H

#include "compiler/Dialect/NPU/LayoutTransfer.h"
#include "compiler/Dialect/NPU/NPUDialect.h"

namespace npu {

StoredOrder toStoredOrder(LayoutAttr layout);
LayoutAttr toLayout(MLIRContext *context, const StoredOrder &order);

/// Operand or result `index` of `op` within its relation.
RelatedValue relatedOperand(const LayoutRelation &relation, Operation *op,
                            unsigned index);
RelatedValue relatedResult(const LayoutRelation &relation, Operation *op,
                           unsigned index = 0);

/// Every layout fits its value's rank. Which layouts an op may have together is
/// what its target says (npu-verify-layout). Every op's verifier ends with
/// this.
LogicalResult verifyLayouts(Operation *op);

} // namespace npu

#endif // NPU_COMPILER_DIALECT_NPU_LAYOUTUSE_H
