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
};

/// Sums of products as the operator's result has them: `sum` makes them of
/// data, weight, bias and the data's zero point, with channels last. Floats are
/// summed as they are, bytes in 32 bits; numbers of 16 bits by their halves,
/// each as bytes, in 32 bits where they surely fit, else in 64. Null after an
/// error.
using TfliteSum = function_ref<Value(Value data, Value weight, Value bias,
                                     int64_t zeroPoint)>;
Value tfliteProduct(TfliteNode &node, const TfliteProduct &product,
                    tflite::Activation activation, TfliteSum sum);

/// Numbers of 16 bits as 256 * high + low, both bytes; the lower one has the
/// zero point -128.
struct TfliteHalves {
  Value high, low;
  static constexpr int64_t lowZero = -128;
};
TfliteHalves tfliteHalves(TfliteNode &node, Value value);

/// Sums times a factor of 15 bits, halves upwards, as LiteRT has it for sums of
/// 64 bits; as i32, what is out of 16 bits saturated beyond them.
Value tfliteScaledLong(TfliteNode &node, Value sum, ArrayRef<double> factors);

} // namespace npu

#endif // NPU_COMPILER_FRONTEND_TFLITE_TFLITEWINDOW_H
