// SPDX-License-Identifier: Apache-2.0

#include "kernels/validate.h"

#include "kernels/support/interpreter.h"
#include "kernels/tensor.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace npu::kernels {

constexpr int64_t maxStoredBytes = int64_t{1} << 40;
constexpr int maxThreads = 1024;
constexpr size_t maxOperands = 8192;
constexpr size_t maxInstrs = 1024;

const char *opName(int32_t op) {
  static const char *const names[] = {"eltwise",        "conv",
                                      "conv_transpose", "max_pool",
                                      "avg_pool",       "matmul",
                                      "concat",         "pad",
                                      "slice",          "reduce",
                                      "softmax",        "resize",
                                      "gather",         "relayout",
                                      "transpose",      "reshape",
                                      "broadcast",      "gather_elements",
                                      "gather_nd",      "scatter_elements",
                                      "scatter_nd",     "max_pool_indices",
                                      "top_k",          "cumulate",
                                      "conv_winograd",  "winograd_weight",
                                      "conv_bpw",       "img2col",
                                      "unpool",         "maskunpool",
                                      "rotate",         "tensornorm",
                                      "custom",         "attention"};
  static_assert(std::size(names) == NPU_OP_COUNT);
  return op >= 0 && op < NPU_OP_COUNT ? names[op] : "unknown op";
}

int properInputs(const Problem &problem) {
  switch (problem.op) {
  case NPU_OP_ELTWISE:
    return 0;
  case NPU_OP_CONV:
  case NPU_OP_CONV_TRANSPOSE:
    return problem.attrs.conv.has_bias ? 3 : 2;
  case NPU_OP_CONV_WINOGRAD:
    return problem.attrs.winograd.has_bias ? 3 : 2;
  case NPU_OP_TENSORNORM:
    return problem.attrs.norm.has_bias ? 3 : 2;
  case NPU_OP_MATMUL:
    return 2 + (problem.attrs.matmul.block != 0) +
           (problem.attrs.matmul.has_zero_points != 0);
  case NPU_OP_ATTENTION:
    return problem.attrs.attention.has_mask ? 4 : 3;
  case NPU_OP_CONV_BPW:
  case NPU_OP_MASKUNPOOL:
  case NPU_OP_GATHER:
  case NPU_OP_GATHER_ELEMENTS:
  case NPU_OP_GATHER_ND:
    return 2;
  case NPU_OP_SCATTER_ELEMENTS:
  case NPU_OP_SCATTER_ND:
    return 3;
  case NPU_OP_CONCAT:
  case NPU_OP_CUSTOM:
    return static_cast<int>(problem.inputs.size());
  default:
    return 1;
  }
}

bool isMovement(const Problem &problem) {
  switch (problem.op) {
  case NPU_OP_CONCAT:
  case NPU_OP_PAD:
  case NPU_OP_SLICE:
  case NPU_OP_GATHER:
  case NPU_OP_RELAYOUT:
  case NPU_OP_TRANSPOSE:
  case NPU_OP_RESHAPE:
  case NPU_OP_BROADCAST:
  case NPU_OP_IMG2COL:
  case NPU_OP_UNPOOL:
  case NPU_OP_MASKUNPOOL:
  case NPU_OP_ROTATE:
    return true;
  case NPU_OP_RESIZE:
    return problem.attrs.resize.mode == NPU_RESIZE_NEAREST;
  default:
    return false;
  }
}

bool givesPositions(const Problem &problem) {
  return problem.op == NPU_OP_MAX_POOL_INDICES || problem.op == NPU_OP_TOP_K;
}

bool givesFloats(const Problem &problem) {
  return isFloat(problem.inputs[0].dtype) || problem.op == NPU_OP_AVG_POOL;
}

int32_t arithmeticType(const Problem &problem) {
  if (givesFloats(problem))
    return NPU_F32;
  return isAboveInt64(problem.inputs[0].dtype) ? NPU_U64 : NPU_I64;
}

int32_t properType(const Problem &problem) {
  if (givesPositions(problem))
    return NPU_I64;
  if (isMovement(problem) || problem.inputs[0].dtype == NPU_F64)
    return problem.inputs[0].dtype;
  if (problem.op == NPU_OP_CUSTOM)
    return problem.outputs[0].dtype;
  return arithmeticType(problem);
}

std::string wrongExtent(const char *what, int dim, int64_t found,
                        int64_t expected) {
  return std::string(what) + ": dimension " + std::to_string(dim) + " has " +
         std::to_string(found) + " elements, expected " +
         std::to_string(expected);
}

std::string checkAxis(int64_t axis, int rank) {
  if (axis >= 0 && axis < rank)
    return "";
  return "axis " + std::to_string(axis) + " is not in 0.." +
         std::to_string(rank - 1);
}

std::string checkSameRank(const npu_tensor_desc &input,
                          const npu_tensor_desc &output) {
  return input.rank == output.rank ? ""
                                   : "input and output have different ranks";
}

std::string checkSameExtents(const char *what, const npu_tensor_desc &found,
                             const npu_tensor_desc &expected, int dims) {
  for (int d = 0; d < dims; ++d)
    if (found.dims[d] != expected.dims[d])
      return wrongExtent(what, d, found.dims[d], expected.dims[d]);
  return "";
}

std::string checkWindowSize(const char *what, int64_t size, int spatial) {
  if (size >= 1 && size <= maxWindowSize)
    return "";
  return std::string(what) + " " + std::to_string(size) +
         " of spatial dimension " + std::to_string(spatial) +
         " is not in 1..2^20";
}

std::string checkWindowSteps(int64_t stride, int64_t dilation, int spatial) {
  std::string text = checkWindowSize("stride", stride, spatial);
  return text.empty() ? checkWindowSize("dilation", dilation, spatial) : text;
}

std::string checkWindowPads(int64_t begin, int64_t end, int spatial) {
  auto fits = [](int64_t pad) { return pad >= 0 && pad <= maxWindowSize; };
  if (fits(begin) && fits(end))
    return "";
  return "padding of spatial dimension " + std::to_string(spatial) +
         " is not in 0..2^20";
}

std::string checkSameShape(const npu_tensor_desc &input,
                           const npu_tensor_desc &output) {
  std::string text = checkSameRank(input, output);
  return text.empty() ? checkSameExtents("output", output, input, input.rank)
                      : text;
}

static std::string checkOrder(const npu_tensor_desc &tensor) {
  unsigned seen = 0;
  for (int place = 0; place < tensor.rank; ++place) {
    int d = tensor.order[place];
    if (d < 0 || d >= tensor.rank || (seen >> d & 1))
      return "its order is no permutation of its dimensions";
    seen |= 1u << d;
  }
  return "";
}

/// Everything about one descriptor by itself.
static std::string checkTensor(const npu_tensor_desc &tensor) {
  if (tensor.dtype < 0 || tensor.dtype >= NPU_DTYPE_COUNT)
    return "unknown element type " + std::to_string(tensor.dtype);
  if (tensor.rank < 0 || tensor.rank > NPU_MAX_RANK)
    return "rank " + std::to_string(tensor.rank) + " is not in 0.." +
           std::to_string(NPU_MAX_RANK);
  if (std::string text = checkOrder(tensor); !text.empty())
    return text;
  if (tensor.block_count < 0 || tensor.block_count > NPU_MAX_BLOCKS)
    return "block count " + std::to_string(tensor.block_count) +
           " is not in 0.." + std::to_string(NPU_MAX_BLOCKS);
  int64_t elements = 1; // of all blocks
  for (int k = 0; k < tensor.block_count; ++k) {
    if (tensor.block_dims[k] < 0 || tensor.block_dims[k] >= tensor.rank)
      return "a block lies over dimension " +
             std::to_string(tensor.block_dims[k]) + ", which it does not have";
    if (tensor.block_sizes[k] < 1)
      return "block size " + std::to_string(tensor.block_sizes[k]) +
             " is not positive";
    if (__builtin_mul_overflow(elements, tensor.block_sizes[k], &elements))
      return "it is too large (the limit is 2^40 bytes)";
  }
  if (std::any_of(std::begin(tensor.reserved), std::end(tensor.reserved),
                  [](int8_t byte) { return byte != 0; }))
    return "its reserved byte is not zero";
  if (tensor.weights_offset < -1)
    return "weights offset " + std::to_string(tensor.weights_offset) +
           " is negative";
  int64_t bytes = dtypeBytes(tensor.dtype);
  for (int d = 0; d < tensor.rank; ++d) {
    int64_t block = blockOf(tensor, d), extent = tensor.dims[d];
    if (extent < 0)
      return "dimension " + std::to_string(d) + " is negative";
    int64_t padded;
    if (__builtin_add_overflow(extent, block - 1, &padded) ||
        __builtin_mul_overflow(std::max<int64_t>(padded / block * block, 1),
                               bytes, &bytes) ||
        bytes >= maxStoredBytes)
      return "it is too large (the limit is 2^40 bytes)";
  }
  return "";
}

static std::string checkTensors(const Problem &problem) {
  if (problem.inputs.size() + problem.outputs.size() > maxOperands)
    return "too many operands (" +
           std::to_string(problem.inputs.size() + problem.outputs.size()) +
           "; the limit is " + std::to_string(maxOperands) + ")";
  for (size_t i = 0; i < problem.inputs.size(); ++i)
    if (std::string text = checkTensor(problem.inputs[i]); !text.empty())
      return "input " + std::to_string(i) + ": " + text;
  for (size_t i = 0; i < problem.outputs.size(); ++i)
    if (std::string text = checkTensor(problem.outputs[i]); !text.empty())
      return "output " + std::to_string(i) + ": " + text;
  if (problem.outputs.size() != 1)
    return "it has " + std::to_string(problem.outputs.size()) +
           " outputs, expected 1";
  if (problem.inputs.empty() ||
      static_cast<int>(problem.inputs.size()) < properInputs(problem))
    return "it has " + std::to_string(problem.inputs.size()) +
           " inputs, expected at least " +
           std::to_string(std::max(1, properInputs(problem)));
  return "";
}

static bool broadcastsTo(const npu_tensor_desc &from,
                         const npu_tensor_desc &to) {
  int shift = to.rank - from.rank;
  for (int d = 0; d < from.rank; ++d)
    if (shift < 0 || (from.dims[d] != 1 && from.dims[d] != to.dims[d + shift]))
      return false;
  return true;
}

static std::string checkInstrAt(const Problem &problem, size_t position,
                                std::vector<int32_t> &types) {
  const npu_instr &instr = problem.instrs[position];
  const InstrKind *kind = lookupInstr(instr.kind);
  if (!kind)
    return "unknown kind " + std::to_string(instr.kind);
  if (instr.dtype < 0 || instr.dtype >= NPU_DTYPE_COUNT)
    return "unknown element type " + std::to_string(instr.dtype);
  if (instr.reserved != 0)
    return "its reserved field is not zero";
  if (std::isnan(instr.alpha) || std::isnan(instr.beta))
    return "a parameter is not a number";
  const int16_t operands[3] = {instr.a, instr.b, instr.c};
  int32_t operandTypes[3] = {};
  for (int i = 0; i < 3; ++i) {
    int v = operands[i];
    if (i >= kind->arity) {
      if (v != -1)
        return std::string(kind->name) + " takes " +
               std::to_string(kind->arity) + " operands, but has more";
      continue;
    }
    if (v < 0 || static_cast<size_t>(v) >= types.size())
      return "it reads value " + std::to_string(v) +
             ", which does not exist before it";
    auto value = static_cast<size_t>(v);
    if (value < problem.inputs.size() &&
        !broadcastsTo(problem.inputs[value], problem.outputs[0]))
      return "input " + std::to_string(v) + " (" +
             describe(problem.inputs[value]) + ") does not broadcast to " +
             describe(problem.outputs[0]);
    operandTypes[i] = types[value];
  }
  types.push_back(instr.dtype);
  return checkInstr(instr, operandTypes);
}

static std::string checkInstrs(const Problem &problem) {
  if (problem.instrs.size() > maxInstrs)
    return "it has " + std::to_string(problem.instrs.size()) +
           " instructions; the limit is " + std::to_string(maxInstrs);
  std::vector<int32_t> types;
  for (const npu_tensor_desc &input : problem.inputs)
    types.push_back(input.dtype);
  int32_t proper = properType(problem);
  if (problem.op != NPU_OP_ELTWISE)
    types.push_back(proper);
  for (size_t k = 0; k < problem.instrs.size(); ++k)
    if (std::string text = checkInstrAt(problem, k, types); !text.empty())
      return "instruction " + std::to_string(k) + ": " + text;
  int32_t out = problem.outputs[0].dtype;
  if (!problem.instrs.empty()) {
    if (types.back() != out)
      return std::string("the last instruction gives ") +
             dtypeName(types.back()) + ", the output is " + dtypeName(out);
    return "";
  }
  if (problem.op == NPU_OP_ELTWISE)
    return "it has no instructions";
  bool isKept = isMovement(problem) || proper == NPU_F64 || out == NPU_F64;
  bool fits = isKept ? proper == out : isFloat(proper) == isFloat(out);
  if (!fits)
    return std::string("the output is ") + dtypeName(out) + ", the input " +
           dtypeName(problem.inputs[0].dtype) + "; a cast is missing";
  return "";
}

/// Whether the op proper only moves elements of its first input.
static bool onlyMoves(const Problem &problem) {
  switch (problem.op) {
  case NPU_OP_ELTWISE:
  case NPU_OP_CUSTOM:
  case NPU_OP_GATHER_ELEMENTS:
  case NPU_OP_GATHER_ND:
    return true;
  case NPU_OP_SCATTER_ELEMENTS:
  case NPU_OP_SCATTER_ND:
    return problem.attrs.index.reduction == NPU_SCATTER_NONE;
  default:
    return isMovement(problem);
  }
}

/// Whether the op proper asks which of two elements is larger, or divides.
static bool isOrdering(const Problem &problem) {
  switch (problem.op) {
  case NPU_OP_SCATTER_ELEMENTS:
  case NPU_OP_SCATTER_ND:
    return problem.attrs.index.reduction >= NPU_SCATTER_MAX;
  case NPU_OP_REDUCE:
    return problem.attrs.reduce.kind != NPU_REDUCE_SUM &&
           problem.attrs.reduce.kind != NPU_REDUCE_PROD;
  case NPU_OP_MAX_POOL:
  case NPU_OP_AVG_POOL:
  case NPU_OP_MAX_POOL_INDICES:
  case NPU_OP_TOP_K:
    return true;
  default:
    return false;
  }
}

/// f64 is moved, and read and given by instructions; u64 is in a register of
/// int64_t, whose order is another one but in instructions.
static std::string checkTypes(const Problem &problem) {
  if (onlyMoves(problem))
    return "";
  for (int i = 0; i < properInputs(problem); ++i)
    if (problem.inputs[static_cast<size_t>(i)].dtype == NPU_F64)
      return "it does not compute in f64";
  return isOrdering(problem) && isAboveInt64(problem.inputs[0].dtype)
             ? "it does not order u64"
             : "";
}

static std::string checkInPlace(const Problem &problem) {
  int i = problem.inPlaceInput;
  if (i == -1)
    return "";
  if (i < -1 || i >= static_cast<int>(problem.inputs.size()))
    return "in-place input " + std::to_string(i) + " does not exist";
  const npu_tensor_desc &input = problem.inputs[static_cast<size_t>(i)];
  const npu_tensor_desc &output = problem.outputs[0];
  if (i < properInputs(problem) && !canBeInPlace(problem, i))
    return "input " + std::to_string(i) +
           " is read by the kernel proper and cannot share the output's memory";
  if (input.weights_offset >= 0)
    return "in-place input " + std::to_string(i) + " is a constant";
  if (!sameStorage(input, output) ||
      dtypeBytes(input.dtype) != dtypeBytes(output.dtype))
    return "in-place input " + describe(input) +
           " is not stored like the output " + describe(output);
  return "";
}

/// Each op is named, so that the compiler finds one that is forgotten.
static std::string checkOp(const Problem &problem) {
  switch (static_cast<npu_op>(problem.op)) {
  case NPU_OP_ELTWISE:
    return "";
  case NPU_OP_CONV:
  case NPU_OP_CONV_TRANSPOSE:
    return validateConv(problem);
  case NPU_OP_CONV_WINOGRAD:
    return validateConvWinograd(problem);
  case NPU_OP_WINOGRAD_WEIGHT:
    return validateWinogradWeight(problem);
  case NPU_OP_MAX_POOL:
  case NPU_OP_AVG_POOL:
  case NPU_OP_MAX_POOL_INDICES:
    return validatePool(problem);
  case NPU_OP_MATMUL:
    return validateMatmul(problem);
  case NPU_OP_CONCAT:
    return validateConcat(problem);
  case NPU_OP_PAD:
    return validatePad(problem);
  case NPU_OP_SLICE:
    return validateSlice(problem);
  case NPU_OP_REDUCE:
    return validateReduce(problem);
  case NPU_OP_SOFTMAX:
    return validateSoftmax(problem);
  case NPU_OP_RESIZE:
    return validateResize(problem);
  case NPU_OP_GATHER:
    return validateGather(problem);
  case NPU_OP_GATHER_ELEMENTS:
  case NPU_OP_GATHER_ND:
  case NPU_OP_SCATTER_ELEMENTS:
  case NPU_OP_SCATTER_ND:
    return validateIndex(problem);
  case NPU_OP_TOP_K:
    return validateTopK(problem);
  case NPU_OP_CUMULATE:
    return validateCumulate(problem);
  case NPU_OP_CONV_BPW:
    return validateConvBpw(problem);
  case NPU_OP_IMG2COL:
    return validateImg2col(problem);
  case NPU_OP_UNPOOL:
    return validateUnpool(problem);
  case NPU_OP_MASKUNPOOL:
    return validateMaskunpool(problem);
  case NPU_OP_ROTATE:
    return validateRotate(problem);
  case NPU_OP_TENSORNORM:
    return validateTensornorm(problem);
  case NPU_OP_ATTENTION:
    return validateAttention(problem);
  case NPU_OP_CUSTOM:
    return validateCustom(problem);
  case NPU_OP_RELAYOUT:
  case NPU_OP_TRANSPOSE:
  case NPU_OP_RESHAPE:
  case NPU_OP_BROADCAST:
    return validateRelayout(problem);
  case NPU_OP_COUNT:
    break;
  }
  return "no op";
}

std::string validate(const Problem &problem) {
  if (problem.op < 0 || problem.op >= NPU_OP_COUNT)
    return "unknown op " + std::to_string(problem.op);
  std::string text;
  if (problem.threads < 1 || problem.threads > maxThreads)
    text = std::to_string(problem.threads) + " threads is not in 1.." +
           std::to_string(maxThreads);
  for (auto check :
       {checkTensors, checkTypes, checkOp, checkInstrs, checkInPlace})
    if (text.empty())
      text = check(problem);
  return text.empty() ? text : std::string(opName(problem.op)) + ": " + text;
}

} // namespace npu::kernels
