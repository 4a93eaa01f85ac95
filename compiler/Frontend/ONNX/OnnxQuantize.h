// SPDX-License-Identifier: Apache-2.0
//
// Steps that quantized operators share; defined in OnnxOpsQuantize.cpp.
#ifndef NPU_COMPILER_FRONTEND_ONNX_ONNXQUANTIZE_H
#define NPU_COMPILER_FRONTEND_ONNX_ONNXQUANTIZE_H

#include "compiler/Frontend/ONNX/OnnxNode.h"

namespace npu {

/// Errors unless the value has 8-bit elements, or a float type.
LogicalResult checkBytes(OnnxNode &node, Value value, StringRef what);
LogicalResult checkFloat(OnnxNode &node, Value value, StringRef what);
/// Errors unless a zero point has the element type of its data.
LogicalResult checkZeroPoint(OnnxNode &node, Value zeroPoint, Value value);

/// An input that must be one number, as a scalar.
Value wholeParameter(OnnxNode &node, size_t index);

/// round(real) + zero point (or none), at the nearest end of `element` where
/// that is out of range.
Value quantized(OnnxNode &node, Value real, Value zeroPoint, Type element);

/// (a - aZero) times (b - bZero) in i32; zero points broadcast to the operands.
Value integerProduct(OnnxNode &node, Value a, Value aZero, Value b,
                     Value bZero);

} // namespace npu

#endif // NPU_COMPILER_FRONTEND_ONNX_ONNXQUANTIZE_H
