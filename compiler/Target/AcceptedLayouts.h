// SPDX-License-Identifier: Apache-2.0
//
// What a chip accepts, on a value.
#ifndef NPU_COMPILER_TARGET_ACCEPTEDLAYOUTS_H
#define NPU_COMPILER_TARGET_ACCEPTEDLAYOUTS_H

#include "compiler/Target/TargetSpec.h"

#include "compiler/Dialect/NPU/LayoutUse.h"
#include "compiler/Dialect/NPU/NPUDialect.h"

namespace npu {

/// The entries of `demands` for the op; none where the processor beside the
/// chip runs it, which takes any layouts.
ArrayRef<Signature> signaturesOf(const TargetSpec &target,
                                 LayoutOpInterface op);

/// The layouts that the chip accepts for a value that has this role at the op,
/// preferred first; empty: any. A demand speaks of image axes; nothing is
/// demanded where nothing tells. `dims` is asked only where the chip lists
/// some, and so are the pieces of its dimensions.
SmallVector<LayoutAttr> acceptedLayouts(const Signature &signature,
                                        LayoutOpInterface op, StringRef role,
                                        Value value,
                                        llvm::function_ref<KnownDims()> dims);

/// Which of the op's signatures speak of it. First by their conditions: where
/// some hold, entries without conditions are none. Then by its values: one that
/// has layouts of other ranks and axes only for some value is none, where
/// another has one that fits. At least one. `dims`: of an operand, or of the
/// result behind them.
SmallVector<unsigned>
fittingSignatures(ArrayRef<Signature> signatures, LayoutOpInterface op,
                  llvm::function_ref<KnownDims(unsigned)> dims);

/// A value of an op in some layout, with what its chip lists for it (nothing:
/// any).
struct ListedValue {
  RelatedValue value;
  LayoutAttr layout;
  ArrayRef<LayoutAttr> listed;
};

/// Whether an op may have two of its values in these layouts at once. They
/// agree, or the chip says so: an order of one side that agrees with none that
/// is listed for the other goes with each of them. A convolution of which NHWC
/// and NCHW32c are listed for the data and NCHW32c for the result reads blocks
/// and writes blocks, or reads NHWC and writes blocks. `knowsBlock`: whether
/// the chip's kernels know blocks of so many elements.
bool goTogether(const ListedValue &a, const ListedValue &b,
                llvm::function_ref<bool(int64_t)> knowsBlock);

} // namespace npu

#endif // NPU_COMPILER_TARGET_ACCEPTEDLAYOUTS_H
