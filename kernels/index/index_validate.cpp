// SPDX-License-Identifier: Apache-2.0

#include "kernels/tensor.h"
#include "kernels/validate.h"

namespace npu::kernels {

/// `found` has the extents of `first` up to `split`, then those of `second`
/// from `from` on.
static std::string checkJoined(const char *what, const npu_tensor_desc &found,
                               const npu_tensor_desc &first, int split,
                               const npu_tensor_desc &second, int from) {
  int rank = split + second.rank - from;
  if (found.rank != rank)
    return std::string(what) + " of rank " + std::to_string(found.rank) +
           ", expected " + std::to_string(rank);
  for (int d = 0; d < rank; ++d) {
    int64_t expected =
        d < split ? first.dims[d] : second.dims[d - split + from];
    if (found.dims[d] != expected)
      return wrongExtent(what, d, found.dims[d], expected);
  }
  return "";
}

static std::string checkElements(const Problem &problem,
                                 const npu_tensor_desc &other,
                                 const char *what) {
  const npu_tensor_desc &x = problem.inputs[0], &indices = problem.inputs[1];
  int64_t axis = problem.attrs.index.axis;
  if (std::string text = checkAxis(axis, x.rank); !text.empty())
    return text;
  if (indices.rank != x.rank)
    return "indices of rank " + std::to_string(indices.rank) + ", expected " +
           std::to_string(x.rank);
  for (int d = 0; d < x.rank; ++d)
    if (d != axis && indices.dims[d] > x.dims[d])
      return wrongExtent("indices", d, indices.dims[d], x.dims[d]) +
             " or fewer";
  return checkJoined(what, other, indices, indices.rank, indices, indices.rank);
}

static std::string checkSlices(const Problem &problem,
                               const npu_tensor_desc &other, const char *what) {
  const npu_tensor_desc &x = problem.inputs[0], &indices = problem.inputs[1];
  int64_t batch = problem.attrs.index.batch_dims;
  if (indices.rank < 1)
    return "indices of rank 0, expected at least 1";
  if (batch < 0 || batch >= x.rank || batch >= indices.rank)
    return std::to_string(batch) +
           " batch dimensions are not fewer than those of data and indices";
  for (int d = 0; d < batch; ++d)
    if (indices.dims[d] != x.dims[d])
      return wrongExtent("indices", d, indices.dims[d], x.dims[d]);
  int64_t depth = indices.dims[indices.rank - 1];
  if (depth < 1 || batch + depth > x.rank)
    return "indices of " + std::to_string(depth) + " numbers, expected 1 to " +
           std::to_string(x.rank - batch);
  return checkJoined(what, other, indices, indices.rank - 1, x,
                     static_cast<int>(batch + depth));
}

std::string validateIndex(const Problem &problem) {
  const npu_tensor_desc &x = problem.inputs[0], &indices = problem.inputs[1],
                        &y = problem.outputs[0];
  bool isNd = problem.op == NPU_OP_GATHER_ND || problem.op == NPU_OP_SCATTER_ND;
  bool scatters =
      problem.op == NPU_OP_SCATTER_ELEMENTS || problem.op == NPU_OP_SCATTER_ND;
  int64_t reduction = problem.attrs.index.reduction;
  if (indices.dtype != NPU_I64 && indices.dtype != NPU_I32)
    return std::string("indices are ") + dtypeName(indices.dtype) +
           ", expected i64 or i32";
  if (reduction < 0 || reduction > NPU_SCATTER_MIN)
    return "unknown reduction " + std::to_string(reduction);
  if (!scatters)
    return isNd ? checkSlices(problem, y, "output")
                : checkElements(problem, y, "output");
  const npu_tensor_desc &updates = problem.inputs[2];
  if (updates.dtype != x.dtype)
    return std::string("updates are ") + dtypeName(updates.dtype) +
           ", expected " + dtypeName(x.dtype);
  if (std::string text = checkJoined("output", y, x, x.rank, x, x.rank);
      !text.empty())
    return text;
  return isNd ? checkSlices(problem, updates, "updates")
              : checkElements(problem, updates, "updates");
}

} // namespace npu::kernels
