// SPDX-License-Identifier: Apache-2.0
//
// The checks of validate(), one function per family of ops. Each returns the
// first broken rule as a sentence, or empty. All sizes were checked before, so
// products of extents do not overflow.
#ifndef NPU_KERNELS_VALIDATE_H
#define NPU_KERNELS_VALIDATE_H

#include "kernels/kernel.h"
#include "kernels/tensor.h"

namespace npu::kernels {

std::string validateConv(const Problem &problem);
std::string validateConvWinograd(const Problem &problem);
std::string validateWinogradWeight(const Problem &problem);
std::string validatePool(const Problem &problem);
std::string validateMatmul(const Problem &problem);
std::string validateReduce(const Problem &problem);
std::string validateSoftmax(const Problem &problem);
std::string validateResize(const Problem &problem);
/// GATHER_ELEMENTS, GATHER_ND, SCATTER_ELEMENTS, SCATTER_ND.
std::string validateIndex(const Problem &problem);
std::string validateTopK(const Problem &problem);
std::string validateCumulate(const Problem &problem);
std::string validateGather(const Problem &problem);
std::string validateConcat(const Problem &problem);
std::string validatePad(const Problem &problem);
std::string validateSlice(const Problem &problem);
/// RELAYOUT, TRANSPOSE, RESHAPE, BROADCAST.
std::string validateRelayout(const Problem &problem);

std::string validateConvBpw(const Problem &problem);
std::string validateImg2col(const Problem &problem);
std::string validateUnpool(const Problem &problem);
std::string validateMaskunpool(const Problem &problem);
std::string validateRotate(const Problem &problem);
std::string validateTensornorm(const Problem &problem);
std::string validateAttention(const Problem &problem);
std::string validateCustom(const Problem &problem);

/// Whether the kernel proper may write over this input: a plugin says so.
bool canBeInPlace(const Problem &problem, int input);

/// "conv", "max_pool", ...
const char *opName(int32_t op);

/// Inputs that the kernel proper reads; later ones are extras.
int properInputs(const Problem &problem);

/// Whether it is a matrix product whose second operand is packed.
bool hasPackedWeights(const Problem &problem);

/// Whether the kernel proper only moves elements, whatever their type.
bool isMovement(const Problem &problem);

/// Whether the result proper is i64 whatever the input is.
bool givesPositions(const Problem &problem);

/// Whether the result proper of arithmetic is f32: of floats, and averages.
bool givesFloats(const Problem &problem);

/// The type in which the op proper computes, unless it is f64.
int32_t arithmeticType(const Problem &problem);

/// The type of the result proper, as instructions see it.
int32_t properType(const Problem &problem);

/// No attribute may be larger than this in magnitude.
constexpr int64_t attributeLimit = int64_t{1} << 40;

inline bool isSmall(int64_t value) {
  return value >= -attributeLimit && value <= attributeLimit;
}

/// "dimension 2 has 7 elements, expected 8"
std::string wrongExtent(const char *what, int dim, int64_t found,
                        int64_t expected);

// Rules that ops share; empty or the broken one.

/// Kernel extents, strides and dilations of windows, and pads of those that
/// may be larger than the window.
constexpr int64_t maxWindowSize = int64_t{1} << 20;
/// `what` of spatial dimension `spatial` is in 1..maxWindowSize.
std::string checkWindowSize(const char *what, int64_t size, int spatial);
/// Steps of a window along one spatial dimension.
std::string checkWindowSteps(int64_t stride, int64_t dilation, int spatial);
/// Padding that may be larger than the window: 0..maxWindowSize.
std::string checkWindowPads(int64_t begin, int64_t end, int spatial);

std::string checkAxis(int64_t axis, int rank);
std::string checkSameRank(const npu_tensor_desc &input,
                          const npu_tensor_desc &output);
/// The first `dims` extents.
std::string checkSameExtents(const char *what, const npu_tensor_desc &found,
                             const npu_tensor_desc &expected, int dims);
/// The output has the input's rank and extents.
std::string checkSameShape(const npu_tensor_desc &input,
                           const npu_tensor_desc &output);

} // namespace npu::kernels

#endif // NPU_KERNELS_VALIDATE_H
