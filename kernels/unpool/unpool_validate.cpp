// SPDX-License-Identifier: Apache-2.0

#include "kernels/validate.h"

namespace npu::kernels {

static std::string checkImages(const npu_tensor_desc &x,
                               const npu_tensor_desc &y) {
  if (x.rank < 3 || x.rank > 2 + NPU_MAX_SPATIAL)
    return "data of rank " + std::to_string(x.rank) + ", expected 3 to 5";
  std::string text = checkSameRank(x, y);
  return text.empty() ? checkSameExtents("output", y, x, 2) : text;
}

std::string validateUnpool(const Problem &problem) {
  const npu_tensor_desc &x = problem.inputs[0], &y = problem.outputs[0];
  if (std::string text = checkImages(x, y); !text.empty())
    return text;
  for (int i = 0; i < x.rank - 2; ++i) {
    int64_t kernel = problem.attrs.pool.kernel[i];
    constexpr int64_t limit = int64_t{1} << 20;
    if (kernel < 1 || kernel > limit)
      return "kernel extent " + std::to_string(kernel) +
             " of spatial dimension " + std::to_string(i) +
             " is not in 1..2^20";
    if (y.dims[i + 2] != x.dims[i + 2] * kernel)
      return wrongExtent("output", i + 2, y.dims[i + 2],
                         x.dims[i + 2] * kernel);
  }
  return "";
}

std::string validateMaskunpool(const Problem &problem) {
  const npu_tensor_desc &x = problem.inputs[0], &indices = problem.inputs[1];
  if (std::string text = checkImages(x, problem.outputs[0]); !text.empty())
    return text;
  if (indices.dtype != NPU_I64 && indices.dtype != NPU_I32)
    return std::string("indices are ") + dtypeName(indices.dtype) +
           ", expected i64 or i32";
  if (indices.rank != x.rank)
    return "indices of rank " + std::to_string(indices.rank) + ", expected " +
           std::to_string(x.rank);
  return checkSameExtents("indices", indices, x, x.rank);
}

} // namespace npu::kernels
