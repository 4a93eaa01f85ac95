// SPDX-License-Identifier: Apache-2.0

#include "kernels/support/convert.h"
#include "kernels/validate.h"

#include <algorithm>

namespace npu::kernels {

bool hasPackedWeights(const Problem &problem) {
  const npu_matmul_attrs &attrs = problem.attrs.matmul;
  int32_t a = problem.inputs[0].dtype, b = problem.inputs[1].dtype;
  return problem.op == NPU_OP_MATMUL &&
         (attrs.bits != 0 || attrs.block != 0 || attrs.zero_point != 0 ||
          attrs.has_zero_points != 0 || (isFloat(a) && a != b));
}

/// One of the tensors behind packed numbers.
static std::string checkParameter(const char *what, const Problem &problem,
                                  const npu_tensor_desc &tensor) {
  const int64_t depth = problem.inputs[0].dims[problem.inputs[0].rank - 1];
  const int64_t columns = problem.inputs[1].dims[1];
  const int64_t block = problem.attrs.matmul.block;
  if (tensor.rank != 2)
    return std::string(what) + " of rank " + std::to_string(tensor.rank) +
           ", expected 2";
  if (int64_t rows = (depth + block - 1) / block; tensor.dims[0] != rows)
    return wrongExtent(what, 0, tensor.dims[0], rows);
  if (tensor.dims[1] != 1 && tensor.dims[1] != columns)
    return wrongExtent(what, 1, tensor.dims[1], columns);
  return "";
}

static std::string checkPacked(const Problem &problem) {
  const npu_matmul_attrs &attrs = problem.attrs.matmul;
  const npu_tensor_desc &a = problem.inputs[0], &b = problem.inputs[1];
  bool isInteger = b.dtype == NPU_I8 || b.dtype == NPU_U8;
  if (a.dtype != NPU_F32 || (!isInteger && !isFloat(b.dtype)))
    return std::string("operands are ") + dtypeName(a.dtype) + " and " +
           dtypeName(b.dtype);
  if (b.rank != 2)
    return "packed operand of rank " + std::to_string(b.rank) + ", expected 2";
  if (attrs.bits != 0 && attrs.bits != 2 && attrs.bits != 4)
    return "numbers of " + std::to_string(attrs.bits) +
           " bits, expected 0, 2 or 4";
  if (attrs.bits != 0 && b.dtype != NPU_U8)
    return std::string("numbers of few bits lie in ") + dtypeName(b.dtype) +
           ", expected u8";
  const int64_t depth = a.dims[a.rank - 1];
  const int64_t perByte = attrs.bits == 0 ? 1 : 8 / attrs.bits;
  if (int64_t rows = (depth + perByte - 1) / perByte; b.dims[0] != rows)
    return wrongExtent("second operand", 0, b.dims[0], rows);
  if (attrs.block < 0 || attrs.block > attributeLimit)
    return "a block of " + std::to_string(attrs.block) + " rows";
  if (attrs.zero_point < -255 || attrs.zero_point > 255)
    return "zero point " + std::to_string(attrs.zero_point) +
           " is not in -255..255";
  if (attrs.has_zero_points != 0 &&
      (attrs.has_zero_points != 1 || attrs.block == 0 || attrs.zero_point))
    return "zero points without scales, or of two kinds";
  if (!isInteger && (attrs.zero_point || attrs.has_zero_points))
    return "zero points of floats";
  const bool isByRange = attrs.quantize == NPU_QUANTIZE_BY_RANGE;
  if (isByRange && (b.dtype != NPU_I8 || attrs.block < depth ||
                    attrs.zero_point || attrs.has_zero_points))
    return std::string("data that is quantized by its range for ") +
           dtypeName(b.dtype) + " in blocks of " + std::to_string(attrs.block) +
           ", expected i8 with one row of scales and without zero points";
  if ((attrs.quantize < 0 && !isByRange) || attrs.quantize > attributeLimit)
    return "data in groups of " + std::to_string(attrs.quantize);
  if (attrs.quantize != 0 && !isInteger)
    return std::string("data that is quantized for ") + dtypeName(b.dtype) +
           ", expected i8 or u8";
  const bool isWhole =
      attrs.block == 0 || attrs.block >= depth || attrs.quantize >= depth;
  if (attrs.quantize > 0 && !isWhole && attrs.quantize % attrs.block != 0 &&
      attrs.block % attrs.quantize != 0)
    return "data in groups of " + std::to_string(attrs.quantize) +
           " for blocks of " + std::to_string(attrs.block);
  if (attrs.block == 0)
    return "";
  if (!isFloat(problem.inputs[2].dtype))
    return std::string("scales are ") + dtypeName(problem.inputs[2].dtype);
  std::string text = checkParameter("scales", problem, problem.inputs[2]);
  if (!text.empty() || !attrs.has_zero_points)
    return text;
  const int32_t zeros = problem.inputs[3].dtype;
  if (zeros != NPU_I8 && zeros != NPU_U8 && zeros != NPU_F32)
    return std::string("zero points are ") + dtypeName(zeros);
  return checkParameter("zero points", problem, problem.inputs[3]);
}

std::string validateMatmul(const Problem &problem) {
  const npu_tensor_desc &a = problem.inputs[0], &b = problem.inputs[1],
                        &y = problem.outputs[0];
  if (a.rank < 2 || b.rank < 2)
    return "operands of rank " + std::to_string(a.rank) + " and " +
           std::to_string(b.rank) + ", expected at least 2";
  if (y.rank != std::max(a.rank, b.rank))
    return "output of rank " + std::to_string(y.rank) + ", expected " +
           std::to_string(std::max(a.rank, b.rank));
  const bool packed = hasPackedWeights(problem);
  if (packed)
    if (std::string text = checkPacked(problem); !text.empty())
      return text;
  if (!packed && (isFloat(a.dtype) != isFloat(b.dtype) || a.dtype == NPU_BOOL ||
                  b.dtype == NPU_BOOL))
    return std::string("operands are ") + dtypeName(a.dtype) + " and " +
           dtypeName(b.dtype);
  if (!packed && problem.attrs.matmul.quantize)
    return "data that is quantized for an operand that is not packed";
  if (!packed && b.dims[b.rank - 2] != a.dims[a.rank - 1])
    return wrongExtent("second operand", b.rank - 2, b.dims[b.rank - 2],
                       a.dims[a.rank - 1]);
  if (y.dims[y.rank - 2] != a.dims[a.rank - 2])
    return wrongExtent("output", y.rank - 2, y.dims[y.rank - 2],
                       a.dims[a.rank - 2]);
  if (y.dims[y.rank - 1] != b.dims[b.rank - 1])
    return wrongExtent("output", y.rank - 1, y.dims[y.rank - 1],
                       b.dims[b.rank - 1]);
  for (int d = 0; d < y.rank - 2; ++d) {
    int inA = d - (y.rank - a.rank), inB = d - (y.rank - b.rank);
    int64_t first = inA < 0 ? 1 : a.dims[inA];
    int64_t second = inB < 0 ? 1 : b.dims[inB];
    if (first != second && first != 1 && second != 1)
      return "batch dimension " + std::to_string(d) + " is " +
             std::to_string(first) + " and " + std::to_string(second) +
             ", which do not broadcast";
    int64_t expected = first == 1 ? second : first;
    if (y.dims[d] != expected)
      return wrongExtent("output", d, y.dims[d], expected);
  }
  return "";
}

} // namespace npu::kernels
