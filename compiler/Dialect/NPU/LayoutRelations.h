// SPDX-License-Identifier: Apache-2.0
//
// Relations by family of op, as pure functions of shapes: what
// NPULayoutInterface.cpp builds each op's answer from.
#ifndef NPU_COMPILER_DIALECT_NPU_LAYOUTRELATIONS_H
#define NPU_COMPILER_DIALECT_NPU_LAYOUTRELATIONS_H

#include "compiler/Dialect/NPU/LayoutRelation.h"

namespace npu::relations {

using Shape = llvm::ArrayRef<int64_t>;

/// Operands of the result's rank whose dimensions are the result's, one by one,
/// whatever their extents: pooling, concat, pad, slice, softmax, resize.
LayoutRelation samePlaces(llvm::ArrayRef<Shape> operands, Shape result);

/// Operands aligned at the right of the result; one that is smaller than the
/// result is read through broadcasting and independent.
LayoutRelation broadcast(llvm::ArrayRef<Shape> operands, Shape result);
/// Adds one more operand like that to a relation with one result.
void addBroadcastOperand(LayoutRelation &relation, Shape operand, Shape result);

/// Adds one more operand whose order nothing depends on.
void addUnrelatedOperand(LayoutRelation &relation, Shape operand);

/// Data and result share batch, channel and spatial places; weight (and bias)
/// take any layout.
LayoutRelation conv(llvm::ArrayRef<Shape> operands, Shape result);

/// One matrix b keeps the order of a's rows in the result. Of several, all
/// operands take any layout: rows, columns and batch may lie in another order
/// in each. So may a matrix of another depth than a's, which is packed.
LayoutRelation matmul(Shape a, Shape b, Shape result);

/// Query (..., M, D), key (..., N, D), value (..., N, V), mask; as a product of
/// several matrices: each may lie in another order.
LayoutRelation attention(llvm::ArrayRef<Shape> operands, Shape result);

/// Result dimension i is operand dimension permutation[i].
LayoutRelation transpose(Shape operand, llvm::ArrayRef<int64_t> permutation);

/// The dimensions of the least parts of equal product are one flat index on
/// both sides.
LayoutRelation reshape(Shape operand, Shape result);

LayoutRelation reduce(Shape operand, llvm::ArrayRef<int64_t> axes,
                      bool keepDims);

/// Indices of rank 1 take the axis' place; others are dimensions of their own.
LayoutRelation gather(Shape data, Shape indices, int64_t axis);

/// Batch dimensions are the data's and the indices', then the indices' others,
/// then the dimensions of the data that no index picks from.
LayoutRelation gatherNd(Shape data, Shape indices, int64_t batchDims);

/// Operands and result in orders that do not depend on each other.
LayoutRelation unrelated(llvm::ArrayRef<Shape> operands, Shape result);

/// The same value in two orders that do not depend on each other.
LayoutRelation relayout(Shape shape);

} // namespace npu::relations

#endif // NPU_COMPILER_DIALECT_NPU_LAYOUTRELATIONS_H
