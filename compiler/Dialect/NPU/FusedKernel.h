// SPDX-License-Identifier: Apache-2.0
//
// One kernel out of several ops, and two kernels out of one.
#ifndef NPU_COMPILER_DIALECT_NPU_FUSEDKERNEL_H
#define NPU_COMPILER_DIALECT_NPU_FUSEDKERNEL_H

#include "compiler/Dialect/NPU/NPUDialect.h"

#include "mlir/IR/IRMapping.h"

namespace npu {

/// The npu.fused of these ops, in this order: an op that is not elementwise
/// first, if there is one, then elementwise ones; the last gives the result.
/// `outside`: what the operands that they read are where the kernel is built,
/// if they are something else there. Its operands are the first op's in order,
/// where that is not elementwise, then what else the ops read.
FusedOp makeFused(OpBuilder &builder, ArrayRef<Operation *> ops,
                  const mlir::IRMapping &outside = {});

/// A fused kernel's body in two: what one of its values needs, and the rest.
struct CutBody {
  SmallVector<Operation *> first, rest;
};

/// `cut`: the value of the body's op of this number, from 1. Nothing where the
/// rest reads anything else of the first part, is empty, or would have the op
/// that is not elementwise.
std::optional<CutBody> cutBody(FusedOp op, unsigned cut);

/// Both parts as kernels by themselves, where the builder stands; an op alone
/// is no npu.fused. Layouts are left out. `outside`: of the body's arguments.
struct TwoKernels {
  Operation *first = nullptr, *rest = nullptr;
  /// What each operand of a kernel is: one of the op's, or the value between.
  static constexpr int between = -1;
  SmallVector<int> firstReads, restReads;
};
TwoKernels makeTwo(OpBuilder &builder, const CutBody &body,
                   const mlir::IRMapping &outside);

/// On the second of two such kernels, which stand one behind the other: a
/// dictionary that says what they were as one (Layout/Apply/SplitGroups.h). On
/// the first, a unit.
constexpr StringRef splitAttr = "npu.split";
/// On the first besides, where the value between stays on the chip: an array of
/// the bytes of its place there and of how many more such places it has.
constexpr StringRef splitPlaceAttr = "npu.split_place";
bool isFirstOfSplit(Operation *op);
bool isRestOfSplit(Operation &op);
/// Whether the first kernel has the operand of the second, too, and it was one
/// operand of the op that they were.
bool isSharedBySplit(OpOperand &operand);
/// The dictionary's entries of the operands that are shared, and of the layouts
/// that the target demanded of the op's result.
constexpr StringRef splitSharedName = "shared", splitDemandedName = "demanded";

} // namespace npu

#endif // NPU_COMPILER_DIALECT_NPU_FUSEDKERNEL_H
