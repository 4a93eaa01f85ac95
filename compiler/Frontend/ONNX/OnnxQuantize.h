// SPDX-License-Identifier: Apache-2.0
//
// Steps that quantized operators share; defined in OnnxOpsQuantize.cpp and
// OnnxDequantized.cpp.
#ifndef NPU_COMPILER_FRONTEND_ONNX_ONNXQUANTIZE_H
#define NPU_COMPILER_FRONTEND_ONNX_ONNXQUANTIZE_H

#include "compiler/Frontend/ONNX/OnnxNode.h"

namespace npu {

struct ConvOperands;

/// On constants that the file stores in 4 bits, which are bytes here.
constexpr const char *fourBitsAttr = "npu.four_bits";

inline bool isFourBits(const onnx::TensorProto &tensor) {
  return tensor.data_type() == onnx::TensorProto::INT4 ||
         tensor.data_type() == onnx::TensorProto::UINT4;
}

/// An input that must be one number, as a scalar.
Value wholeParameter(OnnxNode &node, size_t index);

/// npu.quantize as ONNX rounds: halves to even. A null zero point is 0.
Value quantized(OnnxNode &node, Value real, Value scale, Value zeroPoint,
                Type element);
/// npu.quantize of a value that is divided by its scale already.
Value quantizedUnits(OnnxNode &node, Value units, Value zeroPoint,
                     Type element);

/// (a - aZero) times (b - bZero) in i32; zero points broadcast to the operands.
Value integerProduct(OnnxNode &node, Value a, Value aZero, Value b,
                     Value bZero);

/// Real numbers as uint8 with the scale and zero point of their own range, as
/// DynamicQuantizeLinear gives them.
Dequantized quantizedByRange(OnnxNode &node, Value x);
/// The product of such rows, quantized here, with a matrix of bytes.
Value multiplyByRange(OnnxNode &node, Value x, const Dequantized &weight);

/// The number that a zero point is for all elements; 0 where none is given,
/// nothing where it depends on data or on the element.
std::optional<int64_t> wholeZeroPoint(Value zeroPoint);

/// Operands of a convolution of bytes; null for no bias and zero points of 0.
/// The weight's zero point broadcasts to the weight.
struct IntegerConv {
  Value data, weight, bias, dataZero, weightZero;
};

/// conv(data - zero point, weight - zero point) + bias in i32.
Value integerConv(OnnxNode &node, const IntegerConv &operands);

/// (number - zero point) * scale of type `element`; noted as dequantized.
Value dequantized(OnnxNode &node, const Dequantized &parts, Type element);

/// Notes that a constant real number was made of these parts, though no
/// dequantizing operator made it.
void noteParts(OnnxNode &node, Value real, const Dequantized &parts);
/// The same of the node's result, where Cast makes it of a narrower constant.
void noteStored(OnnxNode &node, Value real);
/// The same, where a subtraction of zero points or a product with scales makes
/// it of what Cast made.
void noteStep(OnnxNode &node, Value real, Value a, Value b);

/// The product of real rows with a constant matrix that was made of bytes or
/// narrow floats: it stays so. Null where `b` is none, or no matrix.
Value multiplyPacked(OnnxNode &node, Value a, Value b);
/// The same with the parts of a matrix that nobody made real: bytes, scales
/// and zero points with one row for each `block` rows.
Value multiplyPacked(OnnxNode &node, Value a, const Dequantized &parts);

/// The number that `real` was made of, if quantizing it gives just that; null
/// if not.
Value numberFor(OnnxNode &node, Value real, Value scale, Value zeroPoint,
                Type element);

/// Calls the operator's builder. What only moves elements moves the numbers of
/// dequantized inputs.
LogicalResult buildNode(OnnxNode &node);

/// What the emitter and OnnxWindow make of real operands, on bytes where the
/// operands were dequantized.
Value padDequantized(OnnxNode &node, Value real, ArrayRef<int64_t> pads,
                     PadMode mode, double number);
Value convolveDequantized(OnnxNode &node, const ConvOperands &operands);
/// The same for a transposed convolution, whose weight is (C, M / groups,
/// kernel); `convolve` makes it, of floats or of bytes with an i32 result.
Value convolveTransposedDequantized(
    OnnxNode &node, const ConvOperands &operands, int64_t groups,
    function_ref<Value(const ConvOperands &)> convolve);
Value multiplyDequantized(OnnxNode &node, Value a, Value b);
Value transposeDequantized(OnnxNode &node, Value matrix);
/// Some columns of a matrix of two or more.
Value columnsOf(OnnxNode &node, Value matrix, int64_t first, int64_t count);

} // namespace npu

#endif // NPU_COMPILER_FRONTEND_ONNX_ONNXQUANTIZE_H
