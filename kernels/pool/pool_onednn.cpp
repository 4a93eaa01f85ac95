// SPDX-License-Identifier: Apache-2.0

#include "kernels/onednn/onednn.h"
#include "kernels/parallel.h"
#include "kernels/support/convert.h"

#include <algorithm>

namespace npu::kernels {

using namespace onednn;
using dnnl::memory;

/// With channels outermost oneDNN (3.2.0) pools in blocks of channels of its
/// own, and reads an operand that is as large as the result as if that had such
/// blocks, too: wrong elements, also beyond its end.
static bool readsWrongElements(const Problem &problem, const Fusion &fusion) {
  const npu_tensor_desc &y = problem.outputs[0];
  if (y.block_count || sameStorage(y, channelsLast(y)))
    return false;
  for (const Argument &argument : fusion.arguments) {
    const npu_tensor_desc &operand = problem.inputs[argument.operand];
    // Aligned at the end, as broadcasting aligns.
    for (int d = std::max(0, operand.rank - (y.rank - 2)); d < operand.rank;
         ++d)
      if (operand.dims[d] > 1)
        return true;
  }
  return false;
}

std::unique_ptr<Kernel> createPoolOnednn(const Problem &problem,
                                         std::string &whyNot) {
  ThreadScope scope(problem.threads);
  const npu_pool_attrs &a = problem.attrs.pool;
  const npu_tensor_desc &x = problem.inputs[0], &y = problem.outputs[0];
  if (a.keep_nan && isFloat(x.dtype)) {
    whyNot = "maximum that keeps NaN";
    return nullptr;
  }
  Desc data, result;
  Fusion fusion;
  if (!translate(problem, fusion, whyNot) || !describeTensor(x, data, whyNot) ||
      !describeTensor(y, result, whyNot))
    return nullptr;
  if (readsWrongElements(problem, fusion)) {
    whyNot = "an operand as large as the result, channels outermost";
    return nullptr;
  }
  memory::dims strides, kernel, dilations, padsBegin, padsEnd;
  for (int i = 0; i < x.rank - 2; ++i) {
    int64_t window = (a.kernel[i] - 1) * a.dilations[i] + 1;
    int64_t end = (y.dims[i + 2] - 1) * a.strides[i] + window - x.dims[i + 2] -
                  a.pads_begin[i];
    if (problem.op == NPU_OP_AVG_POOL && a.count_include_pad &&
        end > a.pads_end[i]) {
      whyNot = "average over windows that reach beyond the padding";
      return nullptr;
    }
    // Code for each tap is written when a kernel is made.
    constexpr int64_t widest = 4096;
    if (a.kernel[i] > widest) {
      whyNot = "windows of more than " + std::to_string(widest) + " taps";
      return nullptr;
    }
    if (a.dilations[i] != 1) {
      whyNot = "dilated pooling";
      return nullptr;
    }
    strides.push_back(a.strides[i]);
    kernel.push_back(a.kernel[i]);
    dilations.push_back(0);
    padsBegin.push_back(a.pads_begin[i]);
    padsEnd.push_back(end);
  }
  dnnl::algorithm kind =
      problem.op == NPU_OP_MAX_POOL ? dnnl::algorithm::pooling_max
      : a.count_include_pad ? dnnl::algorithm::pooling_avg_include_padding
                            : dnnl::algorithm::pooling_avg_exclude_padding;
  dnnl::pooling_forward::primitive_desc found(
      engine(), dnnl::prop_kind::forward_inference, kind, data, result, strides,
      kernel, dilations, padsBegin, padsEnd, fusion.attributes, true);
  return makeUnaryKernel(problem, found, data, result, fusion, whyNot);
}

} // namespace npu::kernels
