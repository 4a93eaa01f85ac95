// SPDX-License-Identifier: Apache-2.0
//
// The mean over all spatial dimensions is an average pooling of the whole
// image, which oneDNN does well in the layouts where its reduction does not.

#include "kernels/registry.h"
#include "kernels/support/convert.h"
#include "kernels/tensor.h"

namespace npu::kernels {

/// [N, C] as [N, C, 1, ...].
static npu_tensor_desc withUnits(npu_tensor_desc tensor, int rank) {
  for (int d = tensor.rank; d < rank; ++d) {
    tensor.dims[d] = 1;
    tensor.order[d] = static_cast<int8_t>(d);
  }
  tensor.rank = rank;
  return tensor;
}

std::unique_ptr<Kernel> createReduceOnednn(const Problem &problem,
                                           std::string &whyNot) {
  const npu_tensor_desc &x = problem.inputs[0];
  const npu_reduce_attrs &a = problem.attrs.reduce;
  int64_t spatial = ((int64_t{1} << x.rank) - 1) & ~int64_t{3};
  if (x.rank < 3 || x.rank > 2 + NPU_MAX_SPATIAL || a.kind != NPU_REDUCE_MEAN ||
      a.axes_mask != spatial) {
    whyNot = "not a mean over the spatial dimensions";
    return nullptr;
  }
  // A pooling's result is floats or rounded, a mean of integers is cut off.
  if (!isFloat(x.dtype)) {
    whyNot = "mean of integers";
    return nullptr;
  }
  if (!a.keep_dims && problem.inputs.size() > 1) {
    whyNot = "fused operands of another rank";
    return nullptr;
  }
  Problem pool = problem;
  pool.op = NPU_OP_AVG_POOL;
  pool.outputs[0] = withUnits(problem.outputs[0], x.rank);
  pool.attrs = {};
  for (int i = 0; i < x.rank - 2; ++i) {
    pool.attrs.pool.kernel[i] = x.dims[i + 2];
    pool.attrs.pool.strides[i] = pool.attrs.pool.dilations[i] = 1;
  }
  return createPoolOnednn(pool, whyNot);
}

} // namespace npu::kernels
