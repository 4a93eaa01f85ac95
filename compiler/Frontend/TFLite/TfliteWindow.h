// SPDX-License-Identifier: Apache-2.0
//
// How TFLite pads windows, and what its convolutions and products sum.
#ifndef NPU_COMPILER_FRONTEND_TFLITE_TFLITEWINDOW_H
#define NPU_COMPILER_FRONTEND_TFLITE_TFLITEWINDOW_H

#include "compiler/Frontend/Support/Windows.h"
#include "compiler/Frontend/TFLite/TfliteNode.h"

namespace npu {

/// Beginnings, then ends. SAME gives ceil(extent / stride) results, what is odd
/// at the end; VALID pads nothing.
Ints tflitePads(ArrayRef<int64_t> image, ArrayRef<int64_t> kernel,
                ArrayRef<int64_t> strides, ArrayRef<int64_t> dilations,
                tflite::Padding padding);

/// Two operands that are multiplied and summed, with their scales.
struct TfliteProduct {
  Value data, weight; // as the dialect's products take them
  Value bias;         // one number for each channel, or none
  size_t dataIndex = 0, weightIndex = 1;
  Rounding rounding = Rounding::Twice;
  /// Whether LiteRT multiplies the scales of one channel in floats.
  bool isFactorFloat = false;
};

/// Sets the result of sums of products: `sum` makes them of data, weight, bias
/// and the data's zero point; `finish` moves them into the result's order.
/// Floats are summed as they are, bytes in 32 bits; numbers of 16 bits by their
/// halves, each as bytes, in 64 bits.
LogicalResult setProduct(
    TfliteNode &node, TfliteProduct product, tflite::Activation activation,
    function_ref<Value(Value data, Value weight, Value bias, int64_t zeroPoint)>
        sum,
    function_ref<Value(Value sum)> finish);

} // namespace npu

#endif // NPU_COMPILER_FRONTEND_TFLITE_TFLITEWINDOW_H
