// SPDX-License-Identifier: Apache-2.0
//
// Result shapes, as pure functions of integers: verifiers check with them,
// front ends build with them. Failure leaves a sentence in `error`.
#ifndef NPU_COMPILER_DIALECT_NPU_SHAPEINFERENCE_H
#define NPU_COMPILER_DIALECT_NPU_SHAPEINFERENCE_H

#include "compiler/Support/LLVM.h"

#include <string>

namespace npu::shapes {

using Shape = SmallVector<int64_t>;

struct Window { // one entry for each spatial dimension
  ArrayRef<int64_t> kernel, strides, dilations;
  ArrayRef<int64_t> pads; // beginnings, then ends
};

/// (in + pads - dilated kernel) / stride + 1, rounded down.
FailureOr<Shape> windowed(ArrayRef<int64_t> spatial, const Window &window,
                          std::string &error);
/// (N, C, spatial) x (O, C / groups, kernel) -> (N, O, spatial).
FailureOr<Shape> conv(ArrayRef<int64_t> data, ArrayRef<int64_t> weight,
                      ArrayRef<int64_t> strides, ArrayRef<int64_t> dilations,
                      ArrayRef<int64_t> pads, int64_t groups,
                      std::string &error);
/// (O, C, 3, 3) -> (O, C, tile + 2, tile + 2).
FailureOr<Shape> winogradWeight(ArrayRef<int64_t> weight, int64_t tile,
                                std::string &error);
/// (N, C, H, W) x (O, C, tile + 2, tile + 2) -> (N, O, H, W).
FailureOr<Shape> convWinograd(ArrayRef<int64_t> data, ArrayRef<int64_t> weight,
                              ArrayRef<int64_t> pads, int64_t tile,
                              std::string &error);
/// Smallest result of a transposed convolution (no output padding).
FailureOr<Shape> convTranspose(ArrayRef<int64_t> data, ArrayRef<int64_t> weight,
                               ArrayRef<int64_t> strides,
                               ArrayRef<int64_t> dilations,
                               ArrayRef<int64_t> pads, int64_t groups,
                               std::string &error);
/// (N, C, spatial) -> (N, C * window, spatial of the windows).
FailureOr<Shape> img2col(ArrayRef<int64_t> data, const Window &window,
                         std::string &error);
/// (N, C, spatial) -> (N, C, spatial * kernel).
FailureOr<Shape> unpool(ArrayRef<int64_t> data, ArrayRef<int64_t> kernel,
                        std::string &error);
/// The two axes' extents changed for each other at an odd number of turns.
Shape rotate(ArrayRef<int64_t> input, ArrayRef<int64_t> axes, int64_t turns);
/// Aligned at the right; extents agree or are 1.
FailureOr<Shape> broadcast(ArrayRef<Shape> inputs, std::string &error);
FailureOr<Shape> matmul(ArrayRef<int64_t> a, ArrayRef<int64_t> b,
                        std::string &error);
/// (..., H, M, D), (..., G, N, D), (..., G, N, V) -> (..., H, M, V); G | H.
FailureOr<Shape> attention(ArrayRef<int64_t> query, ArrayRef<int64_t> key,
                           ArrayRef<int64_t> value, std::string &error);
FailureOr<Shape> concat(ArrayRef<Shape> inputs, int64_t axis,
                        std::string &error);
FailureOr<Shape> pad(ArrayRef<int64_t> input, ArrayRef<int64_t> pads,
                     std::string &error);
FailureOr<Shape> reduce(ArrayRef<int64_t> input, ArrayRef<int64_t> axes,
                        bool keepDims, std::string &error);
FailureOr<Shape> transpose(ArrayRef<int64_t> input,
                           ArrayRef<int64_t> permutation, std::string &error);
FailureOr<Shape> gatherElements(ArrayRef<int64_t> data,
                                ArrayRef<int64_t> indices, int64_t axis,
                                std::string &error);
FailureOr<Shape> gatherNd(ArrayRef<int64_t> data, ArrayRef<int64_t> indices,
                          int64_t batchDims, std::string &error);
FailureOr<Shape> gather(ArrayRef<int64_t> data, ArrayRef<int64_t> indices,
                        int64_t axis, std::string &error);

/// Product of extents; failure if an extent is negative or the product does
/// not fit 2^40.
FailureOr<int64_t> elements(ArrayRef<int64_t> shape, std::string &error);

/// "1x3x224x224"; "scalar" at rank 0.
std::string text(ArrayRef<int64_t> shape);

} // namespace npu::shapes

#endif // NPU_COMPILER_DIALECT_NPU_SHAPEINFERENCE_H
