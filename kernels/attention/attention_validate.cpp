// SPDX-License-Identifier: Apache-2.0

#include "kernels/support/convert.h"
#include "kernels/validate.h"

#include <cmath>

namespace npu::kernels {

/// Batch dimensions, the last of which counts heads.
static std::string checkBatch(const npu_tensor_desc &query,
                              const npu_tensor_desc &other, const char *what) {
  for (int d = 0; d < query.rank - 2; ++d) {
    bool isHeads = d == query.rank - 3 && other.dims[d] > 0;
    if (isHeads ? query.dims[d] % other.dims[d] : query.dims[d] - other.dims[d])
      return wrongExtent(what, d, other.dims[d], query.dims[d]);
  }
  return "";
}

static std::string checkMask(const Problem &problem) {
  const npu_tensor_desc &q = problem.inputs[0], &k = problem.inputs[1],
                        &mask = problem.inputs[3];
  if (mask.dtype != q.dtype && mask.dtype != NPU_BOOL &&
      (mask.dtype != NPU_F32 || q.dtype != NPU_BF16))
    return std::string("mask is ") + dtypeName(mask.dtype);
  int shift = q.rank - mask.rank;
  for (int d = 0; d < mask.rank; ++d) {
    int at = d + shift;
    int64_t wide = at < 0             ? 0
                   : at == q.rank - 1 ? k.dims[k.rank - 2]
                                      : q.dims[at];
    if (at < 0 || (mask.dims[d] != 1 && mask.dims[d] != wide))
      return "mask " + describe(mask) +
             " does not broadcast to the scores of queries " + describe(q) +
             " by keys " + describe(k);
  }
  return "";
}

std::string validateAttention(const Problem &problem) {
  const npu_attention_attrs &a = problem.attrs.attention;
  const npu_tensor_desc &q = problem.inputs[0], &k = problem.inputs[1],
                        &v = problem.inputs[2], &y = problem.outputs[0];
  for (int64_t flag : {a.has_mask, a.causal})
    if (flag != 0 && flag != 1)
      return "has_mask or causal is not 0 or 1";
  if (!std::isfinite(a.scale) || std::isnan(a.fill))
    return "scale is not finite, or fill no number";
  if (!isFloat(q.dtype) || k.dtype != q.dtype || v.dtype != q.dtype)
    return std::string("operands are ") + dtypeName(q.dtype) + ", " +
           dtypeName(k.dtype) + " and " + dtypeName(v.dtype);
  if (q.rank < 2 || k.rank != q.rank || v.rank != q.rank || y.rank != q.rank)
    return "operands of ranks " + std::to_string(q.rank) + ", " +
           std::to_string(k.rank) + ", " + std::to_string(v.rank) +
           " and output of rank " + std::to_string(y.rank) +
           ", expected one of 2 or more for all";
  const int last = q.rank - 1;
  if (k.dims[last] != q.dims[last])
    return wrongExtent("key", last, k.dims[last], q.dims[last]);
  for (auto [tensor, what] : {std::pair(&k, "key"), std::pair(&v, "value")})
    if (std::string text = checkBatch(q, *tensor, what); !text.empty())
      return text;
  if (std::string text = checkSameExtents("value", v, k, last); !text.empty())
    return text;
  if (std::string text = checkSameExtents("output", y, q, last); !text.empty())
    return text;
  if (y.dims[last] != v.dims[last])
    return wrongExtent("output", last, y.dims[last], v.dims[last]);
  return a.has_mask ? checkMask(problem) : "";
}

} // namespace npu::kernels
