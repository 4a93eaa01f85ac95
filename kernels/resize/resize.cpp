// SPDX-License-Identifier: Apache-2.0

#include "kernels/resize/resize.h"

#include <algorithm>
#include <cmath>

namespace npu::kernels {

float sourceCoordinate(const npu_resize_attrs &attrs, int dim, int64_t i,
                       int64_t inputExtent, int64_t outputExtent) {
  auto x = static_cast<float>(i);
  auto scale = static_cast<float>(attrs.scales[dim]);
  auto in = static_cast<float>(inputExtent);
  auto out = static_cast<float>(outputExtent);
  switch (attrs.coordinates) {
  case NPU_RESIZE_PYTORCH_HALF_PIXEL:
    return outputExtent > 1 ? (x + 0.5f) / scale - 0.5f : 0.0f;
  case NPU_RESIZE_ALIGN_CORNERS:
    return outputExtent > 1 ? x * (in - 1) / (out - 1) : 0.0f;
  case NPU_RESIZE_ASYMMETRIC:
    return x / scale;
  case NPU_RESIZE_HALF_PIXEL_SYMMETRIC: {
    float adjustment = out / (scale * in);
    float offset = in / 2 * (1 - adjustment);
    return offset + (x + 0.5f) / scale - 0.5f;
  }
  default:
    return (x + 0.5f) / scale - 0.5f;
  }
}

float nearestOf(int64_t rounding, float x) {
  switch (rounding) {
  case NPU_NEAREST_FLOOR:
    return std::floor(x);
  case NPU_NEAREST_CEIL:
    return std::ceil(x);
  case NPU_NEAREST_ROUND_PREFER_CEIL:
    return std::floor(x + 0.5f);
  default:
    return std::ceil(x - 0.5f);
  }
}

std::vector<int64_t> nearestIndices(const npu_resize_attrs &attrs, int dim,
                                    int64_t inputExtent, int64_t outputExtent) {
  std::vector<int64_t> indices;
  for (int64_t i = 0; i < outputExtent; ++i) {
    float x = sourceCoordinate(attrs, dim, i, inputExtent, outputExtent);
    float rounded = nearestOf(attrs.nearest, x);
    auto last = static_cast<float>(inputExtent - 1);
    indices.push_back(static_cast<int64_t>(std::clamp(rounded, 0.0f, last)));
  }
  return indices;
}

/// Weights of the four neighbours of a point at `t` in [0, 1) behind the
/// second.
static void cubicWeights(float a, float t, float *weights) {
  auto near = [a](float d) { return ((a + 2) * d - (a + 3)) * d * d + 1; };
  auto far = [a](float d) { return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a; };
  weights[0] = far(t + 1);
  weights[1] = near(t);
  weights[2] = near(1 - t);
  weights[3] = far(2 - t);
}

Taps interpolationTaps(const npu_resize_attrs &attrs, int dim,
                       int64_t inputExtent, int64_t outputExtent) {
  Taps taps;
  if (inputExtent == outputExtent && attrs.scales[dim] == 1.0) {
    taps.tapCount = 1;
    for (int64_t i = 0; i < outputExtent; ++i)
      taps.taps.push_back({i, 1.0f});
    return taps;
  }
  bool isCubic = attrs.mode == NPU_RESIZE_CUBIC;
  taps.tapCount = isCubic ? 4 : 2;
  for (int64_t i = 0; i < outputExtent; ++i) {
    float x = sourceCoordinate(attrs, dim, i, inputExtent, outputExtent);
    if (!isCubic)
      x = std::clamp(x, 0.0f, static_cast<float>(inputExtent - 1));
    float below = std::floor(x);
    float weights[4] = {1 - (x - below), x - below, 0, 0};
    int64_t first = static_cast<int64_t>(below);
    if (!isCubic && first == inputExtent - 1) // no infinity times 0
      weights[0] = weights[1] = 0.5f;
    if (isCubic) {
      cubicWeights(static_cast<float>(attrs.cubic_a), x - below, weights);
      --first;
    }
    float sum = 0;
    for (int k = 0; k < taps.tapCount; ++k) {
      bool isOutside = first + k < 0 || first + k >= inputExtent;
      if (isCubic && attrs.exclude_outside && isOutside)
        weights[k] = 0;
      sum += weights[k];
    }
    for (int k = 0; k < taps.tapCount; ++k) {
      int64_t index = std::clamp<int64_t>(first + k, 0, inputExtent - 1);
      bool renormalise = isCubic && attrs.exclude_outside;
      taps.taps.push_back({index, renormalise ? weights[k] / sum : weights[k]});
    }
  }
  return taps;
}

} // namespace npu::kernels
