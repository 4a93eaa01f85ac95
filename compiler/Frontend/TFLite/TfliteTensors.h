// SPDX-License-Identifier: Apache-2.0
//
// Tensors of TFLite as values of the npu dialect: their element types, scales
// and constants.
#ifndef NPU_COMPILER_FRONTEND_TFLITE_TFLITETENSORS_H
#define NPU_COMPILER_FRONTEND_TFLITE_TFLITETENSORS_H

#include "compiler/Frontend/Support/Emitter.h"
#include "compiler/Frontend/TFLite/TfliteModel.h"

#include <optional>

namespace npu {

/// real = scale * (stored - zeroPoint). Scales of several channels lie along
/// `axis`. Zero points are those of the values in the dialect, see
/// tfliteElement().
struct TfliteScale {
  SmallVector<float, 1> scales;
  SmallVector<int64_t, 1> zeroPoints;
  int64_t axis = 0;

  bool isByChannel() const { return scales.size() > 1; }
  double scale() const { return scales.front(); }
  int64_t zeroPoint() const { return zeroPoints.front(); }
  bool operator==(const TfliteScale &other) const {
    return scales == other.scales && zeroPoints == other.zeroPoints;
  }
};

/// None where the tensor has no scale.
std::optional<TfliteScale> tfliteScale(const tflite::Tensor &tensor);

/// The dialect's element type; null if it has none. Quantized u8 is i8, less
/// 128, so that products are made of signed bytes; other u8 is ui8. Complex
/// numbers are two values, of which this is one's type.
Type tfliteElement(MLIRContext *context, const tflite::Tensor &tensor);

/// The extents as the file has them; none of a number.
Ints tfliteShape(const tflite::Tensor &tensor);

/// Whether the dialect's values are the stored ones less 128.
bool isShiftedByte(const tflite::Tensor &tensor);

/// As i32 the numbers that the file stores for these values.
Value storedNumbers(Emitter &emitter, Value value,
                    const tflite::Tensor &tensor);
/// As i32 the values for numbers that the file stores.
Value heldNumbers(Emitter &emitter, Value stored, const tflite::Tensor &tensor);

/// A constant's elements; errors where the bytes are not those of its shape.
FailureOr<ElementsAttr> tfliteConstant(Emitter &emitter, const TfliteFile &file,
                                       const tflite::Tensor &tensor);

} // namespace npu

#endif // NPU_COMPILER_FRONTEND_TFLITE_TFLITETENSORS_H
