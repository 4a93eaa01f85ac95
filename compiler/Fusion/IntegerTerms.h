// SPDX-License-Identifier: Apache-2.0
//
// What the files share that find sums of bytes in ops on real numbers.
#ifndef NPU_COMPILER_FUSION_INTEGERTERMS_H
#define NPU_COMPILER_FUSION_INTEGERTERMS_H

#include "compiler/Fusion/Integers.h"

namespace npu::integers {

/// Real numbers as (bytes - zero) * scale.
struct QuantizedBytes {
  Value bytes;
  double scale = 1;
  int64_t zero = 0;
};

/// Nothing where the value is no such number, or not with one scale and one of
/// the bytes for 0. Bytes are themselves.
std::optional<QuantizedBytes> quantizedBytesOf(Value value, int depth);

/// One term of the sum, which `make` makes in integers for `value`.
Affine madeTerm(Value value, Numbers scale,
                std::function<Value(Emitter &)> make);

/// Bytes less their zero point in i32.
Value centred(Emitter &emit, const QuantizedBytes &data);

/// Two of bytes multiplied, or one divided by the other.
std::optional<Affine> ofFactors(EltwiseOp op, int depth);

/// Bytes normalised along dimensions: how far each is from the mean, by the
/// root of the sum of their squares.
std::optional<Affine> ofNorm(TensornormOp op, int depth);

/// Interpolated bytes: sums of neighbours by whole weights, along each
/// dimension that changes.
std::optional<Affine> ofResize(ResizeOp op, int depth);

} // namespace npu::integers

#endif // NPU_COMPILER_FUSION_INTEGERTERMS_H
