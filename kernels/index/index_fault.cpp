// SPDX-License-Identifier: Apache-2.0
//
// Which index lies outside, after a kernel has ended because of one. Found
// anew: kernels only note that there is one, so the usual run pays nothing, and
// of several the same is named whatever threads did.

#include "kernels/kernel.h"
#include "kernels/support/convert.h"

namespace npu::kernels {

namespace {
/// What the indices of an op point into.
struct Target {
  int firstDim = 0;         // of the data that the first index counts
  bool isVector = false;    // the last dimension lists one for each dimension
  bool fromEnd = true;      // negative ones count from the end
  int64_t wholeExtent = -1; // of all elements together, -1: of a dimension
};
} // namespace

static bool targetOf(const Problem &problem, Target &target) {
  switch (problem.op) {
  case NPU_OP_GATHER:
    target.firstDim = static_cast<int>(problem.attrs.axis.axis);
    return true;
  case NPU_OP_GATHER_ELEMENTS:
  case NPU_OP_SCATTER_ELEMENTS:
    target.firstDim = static_cast<int>(problem.attrs.index.axis);
    return true;
  case NPU_OP_GATHER_ND:
  case NPU_OP_SCATTER_ND:
    target.firstDim = static_cast<int>(problem.attrs.index.batch_dims);
    target.isVector = true;
    return true;
  case NPU_OP_MASKUNPOOL:
    target.fromEnd = false;
    target.wholeExtent = elementCount(problem.outputs[0]);
    return true;
  default:
    return false;
  }
}

/// "[2, 0]" of the element with this row-major number.
static std::string placeText(const npu_tensor_desc &tensor, int64_t number) {
  std::string text;
  for (int d = tensor.rank; d-- > 0; number /= tensor.dims[d])
    text = std::to_string(number % tensor.dims[d]) +
           (text.empty() ? "" : ", ") + text;
  return "[" + text + "]";
}

std::string describeFault(const Problem &problem, void *const *operands) {
  Target target;
  if (!targetOf(problem, target))
    return "";
  const npu_tensor_desc &data = problem.inputs[0], &indices = problem.inputs[1];
  std::vector<int64_t> list(static_cast<size_t>(elementCount(indices)));
  toDense(indices, operands[1], list.data());
  int64_t depth = target.isVector ? indices.dims[indices.rank - 1] : 1;
  for (size_t k = 0; k < list.size(); ++k) {
    int64_t dim = target.firstDim + static_cast<int64_t>(k) % depth;
    bool isWhole = target.wholeExtent >= 0;
    int64_t extent = isWhole ? target.wholeExtent : data.dims[dim];
    int64_t least = target.fromEnd ? -extent : 0;
    if (list[k] >= least && list[k] < extent)
      continue;
    std::string limit =
        isWhole ? "the result has "
                : "dimension " + std::to_string(dim) + " of the data has ";
    limit += std::to_string(extent) + " elements, expected ";
    limit += extent
                 ? std::to_string(least) + " to " + std::to_string(extent - 1)
                 : "no index at all";
    return "index " + std::to_string(list[k]) + " at " +
           placeText(indices, static_cast<int64_t>(k)) +
           " of its indices is outside: " + limit;
  }
  return "";
}

} // namespace npu::kernels
