// SPDX-License-Identifier: Apache-2.0
//
// Windows of models whose images are (N, spatial, C): TOSA's and TFLite's. The
// dialect's are (N, C, spatial). Transposes between them are logical: with
// channels last in memory they are free views.
#ifndef NPU_COMPILER_FRONTEND_SUPPORT_WINDOWS_H
#define NPU_COMPILER_FRONTEND_SUPPORT_WINDOWS_H

#include "compiler/Frontend/Support/Emitter.h"

#include <vector>

namespace npu {

/// (A, spatial, B) to (A, B, spatial).
Value channelsFirst(Emitter &emitter, Value value);
/// (A, B, spatial) to (A, spatial, B).
Value channelsLast(Emitter &emitter, Value value);

/// A convolution or transposed convolution.
struct Convolution {
  Value data;   // (N, C, spatial)
  Value weight; // (O, C / groups, spatial), also where it is transposed
  Value bias;   // (O), or none
  int64_t dataZeroPoint = 0;
  Ints strides, pads, dilations; // pads: beginnings, then ends
  int64_t groups = 1;
};

/// (N, O, spatial) in the sum's element type: i32 for bytes.
Value convolve(Emitter &emitter, const Convolution &conv);

/// A transposed convolution; null after an error. Only the bias reaches the
/// `added` rows and columns (beginnings, then ends).
Value convolveTransposed(Emitter &emitter, Convolution conv,
                         ArrayRef<int64_t> added);

/// Where pooling looks.
struct PoolWindow {
  Ints kernel, strides, pads, dilations;
  Ints extents; // of the result's image
};

/// Fills in the extents; an error where the window does not fit the image.
LogicalResult fitWindow(Emitter &emitter, PoolWindow &window,
                        ArrayRef<int64_t> image);

/// The largest or the mean of each window; data is (N, C, spatial).
Value maxPool(Emitter &emitter, Value data, const PoolWindow &window,
              bool keepsNan);
Value averagePool(Emitter &emitter, Value data, const PoolWindow &window,
                  bool countsPadding = false);
/// The sums of bytes without their zero point, as i32.
Value sumPool(Emitter &emitter, Value data, int64_t zeroPoint,
              const PoolWindow &window);

/// How many elements of the data lie in the window at each place, by row and
/// column of the result.
std::vector<int32_t> windowCounts(const PoolWindow &window,
                                  ArrayRef<int64_t> image);
/// Numbers for each place of the result's image, or one if all are the same.
Value byPlace(Emitter &emitter, ArrayRef<int32_t> numbers,
              const PoolWindow &window);

/// An image with channels last, of these rows and columns, each between two
/// neighbours; `scales`: of rows and columns.
Value resizeLinearly(Emitter &emitter, Value image, ArrayRef<int64_t> extents,
                     ArrayRef<double> scales, ResizeCoordinates coordinates);

} // namespace npu

#endif // NPU_COMPILER_FRONTEND_SUPPORT_WINDOWS_H
