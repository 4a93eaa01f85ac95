// SPDX-License-Identifier: Apache-2.0
//
// The average over a whole image, as a reduction: where channels are the
// innermost, oneDNN's pooling divides them among threads and not the pixels;
// where they are not, it would take the image into another order first.

#include "kernels/registry.h"
#include "kernels/tensor.h"

namespace npu::kernels {

/// Whether each spatial dimension has one window, of all its elements.
static bool isWhole(const Problem &problem) {
  const npu_pool_attrs &a = problem.attrs.pool;
  const npu_tensor_desc &x = problem.inputs[0], &y = problem.outputs[0];
  for (int d = 2; d < x.rank; ++d)
    if (y.dims[d] != 1 || a.kernel[d - 2] != x.dims[d] ||
        a.dilations[d - 2] != 1 || a.pads_begin[d - 2] || a.pads_end[d - 2])
      return false;
  return true;
}

/// The same as a reduction; false where it is none.
static bool asMean(const Problem &problem, Problem &mean, std::string &whyNot) {
  if (problem.op != NPU_OP_AVG_POOL || !isWhole(problem)) {
    whyNot = "not the average of a whole image";
    return false;
  }
  mean = problem;
  mean.op = NPU_OP_REDUCE;
  mean.attrs = {};
  mean.attrs.reduce.kind = NPU_REDUCE_MEAN;
  mean.attrs.reduce.keep_dims = 1;
  for (int d = 2; d < problem.inputs[0].rank; ++d)
    mean.attrs.reduce.axes_mask |= int64_t{1} << d;
  return true;
}

std::unique_ptr<Kernel> createPoolRows(const Problem &problem,
                                       std::string &whyNot) {
  Problem mean;
  return asMean(problem, mean, whyNot) ? createReduceRows(mean, whyNot)
                                       : nullptr;
}

std::unique_ptr<Kernel> createPoolWhole(const Problem &problem,
                                        std::string &whyNot) {
  Problem mean;
  return asMean(problem, mean, whyNot) ? createReduceFast(mean, whyNot)
                                       : nullptr;
}

} // namespace npu::kernels
