// SPDX-License-Identifier: Apache-2.0
//
// The bytes of npu.constant: how the compiler makes and reads tensors without
// printing, hashing or copying 100 MB more than once.
#ifndef NPU_COMPILER_DIALECT_NPU_CONSTANTS_H
#define NPU_COMPILER_DIALECT_NPU_CONSTANTS_H

#include "compiler/Dialect/NPU/NPUDialect.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace npu {

/// npu_dtype of an element type (bool is i1, int8 is i8 or si8), -1 if none.
int dtypeOf(Type elementType);
/// Element type of an npu_dtype: u8 is ui8, bool is i1.
Type elementTypeOf(MLIRContext *context, int dtype);

/// The descriptor of a value's type, row-major where no layout is decided.
npu_tensor_desc describeTensor(RankedTensorType type);

/// Elements from bytes in row-major logical order, npu_dtype's sizes (bool is
/// one byte). Small ones print as dense<...>, large ones are resources.
ElementsAttr makeElements(RankedTensorType type, ArrayRef<char> bytes);
/// Takes the buffer over instead of copying it.
ElementsAttr makeElements(RankedTensorType type, std::vector<char> &&bytes);
ElementsAttr makeElements(RankedTensorType type,
                          std::unique_ptr<std::string> bytes);

/// The elements' bytes in row-major logical order. Points into the attribute
/// where it can; otherwise (splat, packed bool) fills `storage`.
ArrayRef<char> elementBytes(ElementsAttr elements, std::vector<char> &storage);

/// The elements of a constant integer tensor (ui64 with the same bits).
SmallVector<int64_t> elementInts(ElementsAttr elements);

/// The largest sum of magnitudes of integers whose indices are the same but in
/// the dimensions that `isSummed` says; there is one element or more.
double largestMagnitudeSum(ElementsAttr constant,
                           function_ref<bool(int64_t dim)> isSummed);

/// The constant that defines `value`, or null.
ElementsAttr constantOf(Value value);

/// The constant that a value is, perhaps stored in another order; null: none.
ConstantOp constantBehind(Value value);

/// The elements of an f32 constant; nothing of another type.
std::optional<std::vector<float>> floatsOf(ElementsAttr elements);
/// The same; nothing for values that are no constants.
std::optional<std::vector<float>> floatsOf(Value value);

/// Frees the bytes of those of `made` that no attribute of `used` shares.
/// Resources otherwise live as long as the context. No IR outside of `used` may
/// hold them.
void releaseUnused(MLIRContext *context, ArrayRef<ElementsAttr> made,
                   ArrayRef<ElementsAttr> used);

} // namespace npu

#endif // NPU_COMPILER_DIALECT_NPU_CONSTANTS_H
