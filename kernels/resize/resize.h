// SPDX-License-Identifier: Apache-2.0
//
// The coordinates of RESIZE, as ONNX and its runtimes compute them: in single
// precision, because a coordinate that should be a whole number decides which
// of two elements is taken.
#ifndef NPU_KERNELS_RESIZE_RESIZE_H
#define NPU_KERNELS_RESIZE_RESIZE_H

#include "format/program_format.h"

#include <vector>

namespace npu::kernels {

/// Where output index `i` lies in the input along dimension `dim`.
float sourceCoordinate(const npu_resize_attrs &attrs, int dim, int64_t i,
                       int64_t inputExtent, int64_t outputExtent);

/// A coordinate rounded as npu_resize_nearest says.
float nearestOf(int64_t rounding, float x);

/// Input element of each output index along dimension `dim`, nearest mode.
std::vector<int64_t> nearestIndices(const npu_resize_attrs &attrs, int dim,
                                    int64_t inputExtent, int64_t outputExtent);

/// What one output element takes from the input along one dimension.
struct Tap {
  int64_t index;
  float weight;
};

/// The taps of each output index, `tapCount` for every one: 1 where the
/// dimension is not resized, else 2 for linear and 4 for cubic.
struct Taps {
  int tapCount;
  std::vector<Tap> taps; // outputExtent * tapCount
};
Taps interpolationTaps(const npu_resize_attrs &attrs, int dim,
                       int64_t inputExtent, int64_t outputExtent);

} // namespace npu::kernels

#endif // NPU_KERNELS_RESIZE_RESIZE_H
