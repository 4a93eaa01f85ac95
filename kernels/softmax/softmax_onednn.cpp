// SPDX-License-Identifier: Apache-2.0

#include "kernels/onednn/onednn.h"
#include "kernels/parallel.h"

namespace npu::kernels {

using namespace onednn;

std::unique_ptr<Kernel> createSoftmaxOnednn(const Problem &problem,
                                            std::string &whyNot) {
  ThreadScope scope(problem.threads);
  Desc data, result;
  Fusion fusion;
  if (!translate(problem, fusion, whyNot) ||
      !describeTensor(problem.inputs[0], data, whyNot) ||
      !describeTensor(problem.outputs[0], result, whyNot))
    return nullptr;
  const npu_axis_attrs &a = problem.attrs.axis;
  const npu_tensor_desc x = preferChannelsLast(problem.inputs[0]);
  if (x.block_count || x.order[x.rank - 1] != a.axis) {
    whyNot = "softmax over an axis that is not the innermost";
    return nullptr;
  }
  dnnl::softmax_forward::primitive_desc found(
      engine(), dnnl::prop_kind::forward_inference,
      a.is_log ? dnnl::algorithm::softmax_log
               : dnnl::algorithm::softmax_accurate,
      data, result, static_cast<int>(a.axis), fusion.attributes, true);
  return makeUnaryKernel(problem, found, data, result, fusion, whyNot);
}

} // namespace npu::kernels
