// SPDX-License-Identifier: Apache-2.0

#include "kernels/support/team.h"

#include "kernels/tensor.h"

#include <algorithm>

namespace npu::kernels {

/// Multiply-accumulates of one element of the result.
static double productsPerResult(const Problem &problem) {
  switch (problem.op) {
  case NPU_OP_CONV:
  case NPU_OP_CONV_TRANSPOSE:
  case NPU_OP_CONV_WINOGRAD: {
    const npu_tensor_desc &weight = problem.inputs[1];
    return static_cast<double>(elementCount(weight)) /
           static_cast<double>(std::max<int64_t>(weight.dims[0], 1));
  }
  case NPU_OP_MATMUL: {
    const npu_tensor_desc &a = problem.inputs[0];
    return static_cast<double>(a.dims[a.rank - 1]);
  }
  default:
    return 0;
  }
}

int teamFor(const Problem &problem) {
  // What an op of a plugin computes is not known here.
  if (problem.threads <= 1 || problem.op == NPU_OP_CUSTOM)
    return problem.threads;
  // One core of a server processor, floats in vectors of 16. Two threads of one
  // take about 1 us to meet, more where they share a core or caches are apart.
  constexpr double productsPerNs = 30, bytesPerNs = 10, nsPerThread = 4000;
  double bytes = 0;
  for (const auto *tensors : {&problem.inputs, &problem.outputs})
    for (const npu_tensor_desc &tensor : *tensors)
      bytes += static_cast<double>(storedBytes(tensor));
  double results = static_cast<double>(elementCount(problem.outputs[0]));
  double ns =
      bytes / bytesPerNs + results * productsPerResult(problem) / productsPerNs;
  return static_cast<int>(
      std::clamp(ns / nsPerThread, 1.0, static_cast<double>(problem.threads)));
}

} // namespace npu::kernels
