// SPDX-License-Identifier: Apache-2.0

#include "kernels/onednn/onednn.h"
#include "kernels/parallel.h"

namespace npu::kernels {

using namespace onednn;

std::unique_ptr<Kernel> createResizeOnednn(const Problem &problem,
                                           std::string &whyNot) {
  ThreadScope scope(problem.threads);
  const npu_resize_attrs &a = problem.attrs.resize;
  const npu_tensor_desc &x = problem.inputs[0], &y = problem.outputs[0];
  // oneDNN's linear rule is half-pixel; its nearest rule rounds ties otherwise.
  if (a.mode != NPU_RESIZE_LINEAR ||
      (a.coordinates != NPU_RESIZE_HALF_PIXEL &&
       a.coordinates != NPU_RESIZE_PYTORCH_HALF_PIXEL)) {
    whyNot = "only linear half-pixel interpolation";
    return nullptr;
  }
  if (x.rank < 3 || x.rank > 5 || x.dims[0] != y.dims[0] ||
      x.dims[1] != y.dims[1]) {
    whyNot = "only spatial dimensions can be resized";
    return nullptr;
  }
  std::vector<float> factors;
  for (int d = 2; d < x.rank; ++d) {
    bool isExact = a.scales[d] * static_cast<double>(x.dims[d]) ==
                   static_cast<double>(y.dims[d]);
    bool isPytorchUnit =
        a.coordinates == NPU_RESIZE_PYTORCH_HALF_PIXEL && y.dims[d] == 1;
    if (!isExact || isPytorchUnit) {
      whyNot = "scale that is not output over input";
      return nullptr;
    }
    factors.push_back(static_cast<float>(a.scales[d]));
  }
  Desc data, result;
  Fusion fusion;
  if (!translate(problem, fusion, whyNot) || !describeTensor(x, data, whyNot) ||
      !describeTensor(y, result, whyNot))
    return nullptr;
  dnnl::resampling_forward::primitive_desc found(
      engine(), dnnl::prop_kind::forward_inference,
      dnnl::algorithm::resampling_linear, factors, data, result,
      fusion.attributes, true);
  return makeUnaryKernel(problem, found, data, result, fusion, whyNot);
}

} // namespace npu::kernels
