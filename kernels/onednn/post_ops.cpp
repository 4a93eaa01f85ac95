// SPDX-License-Identifier: Apache-2.0
//
// Fused instructions as oneDNN's post-ops: a chain on one accumulator.

#include "kernels/onednn/onednn.h"
#include "kernels/support/convert.h"
#include "kernels/support/interpreter.h"
#include "kernels/validate.h"

#include <cmath>
#include <optional>

namespace npu::kernels::onednn {

using dnnl::algorithm;

/// Unary kinds that are one post-op. Not among them, because oneDNN's are
/// wrong: log (of denormal numbers, and 50 units in the last place elsewhere),
/// softplus (below 0 for -20).
static bool appendUnary(const npu_instr &instr, dnnl::post_ops &ops) {
  auto append = [&](algorithm kind, float alpha, float beta) {
    ops.append_eltwise(kind, alpha, beta);
    return true;
  };
  switch (instr.kind) {
  case NPU_INSTR_abs:
    return append(algorithm::eltwise_abs, 0, 0);
  case NPU_INSTR_neg:
    return append(algorithm::eltwise_linear, -1, 0);
  case NPU_INSTR_relu:
    return append(algorithm::eltwise_relu, 0, 0);
  case NPU_INSTR_leaky_relu:
    return append(algorithm::eltwise_relu, instr.alpha, 0);
  case NPU_INSTR_elu:
    return append(algorithm::eltwise_elu, instr.alpha, 0);
  case NPU_INSTR_sigmoid:
    return append(algorithm::eltwise_logistic, 0, 0);
  case NPU_INSTR_tanh:
    return append(algorithm::eltwise_tanh, 0, 0);
  case NPU_INSTR_exp:
    return append(algorithm::eltwise_exp, 0, 0);
  case NPU_INSTR_sqrt:
    return append(algorithm::eltwise_sqrt, 0, 0);
  case NPU_INSTR_reciprocal:
    return append(algorithm::eltwise_pow, 1, -1);
  case NPU_INSTR_round:
    return append(algorithm::eltwise_round, 0, 0);
  case NPU_INSTR_clip:
    return append(algorithm::eltwise_clip, instr.alpha, instr.beta);
  case NPU_INSTR_hard_sigmoid:
    return append(algorithm::eltwise_hardsigmoid, instr.alpha, instr.beta);
  case NPU_INSTR_hard_swish:
    return append(algorithm::eltwise_hardswish, instr.alpha, instr.beta);
  case NPU_INSTR_swish:
    return append(algorithm::eltwise_swish, instr.alpha, 0);
  case NPU_INSTR_gelu_erf:
    return append(algorithm::eltwise_gelu_erf, 0, 0);
  case NPU_INSTR_gelu_tanh:
    return append(algorithm::eltwise_gelu_tanh, 0, 0);
  default:
    return false;
  }
}

static bool binaryAlgorithm(int kind, algorithm &found) {
  switch (kind) {
  case NPU_INSTR_add:
    found = algorithm::binary_add;
    return true;
  case NPU_INSTR_sub:
    found = algorithm::binary_sub;
    return true;
  case NPU_INSTR_mul:
    found = algorithm::binary_mul;
    return true;
  case NPU_INSTR_div:
    found = algorithm::binary_div;
    return true;
  case NPU_INSTR_min:
    found = algorithm::binary_min;
    return true;
  case NPU_INSTR_max:
    found = algorithm::binary_max;
    return true;
  default:
    return false;
  }
}

static bool isCommutative(int kind) {
  return kind == NPU_INSTR_add || kind == NPU_INSTR_mul ||
         kind == NPU_INSTR_min || kind == NPU_INSTR_max;
}

/// Dimension that a per-channel operand varies over.
static int channelOf(const Problem &problem) {
  return problem.op == NPU_OP_MATMUL ? problem.outputs[0].rank - 1 : 1;
}

/// The operand of a binary post-op, with the output's rank: one value, one per
/// channel, or the whole output in the output's order.
static bool describeOperand(const Problem &problem, int input, Desc &desc,
                            std::string &whyNot) {
  npu_tensor_desc operand = problem.inputs[static_cast<size_t>(input)];
  const npu_tensor_desc &output = problem.outputs[0];
  if (sameStorage(operand, output)) { // say it in the output's own order
    operand = output;
    operand.dtype = problem.inputs[static_cast<size_t>(input)].dtype;
    return describeTensor(operand, desc, whyNot);
  }
  int64_t dims[NPU_MAX_RANK];
  int channel = channelOf(problem), shift = output.rank - operand.rank;
  for (int d = 0; d < output.rank; ++d) {
    dims[d] = d < shift ? 1 : operand.dims[d - shift];
    if (dims[d] != 1 && d != channel) {
      whyNot = "fused operand " + describe(operand) +
               " is not one value, one per channel, or stored like the output";
      return false;
    }
  }
  if (operand.block_count) {
    whyNot = "blocked fused operand";
    return false;
  }
  return describeTensor(makeTensor(operand.dtype, dims, output.rank), desc,
                        whyNot);
}

static bool isWhole(float number) { return std::trunc(number) == number; }

static bool isByte(int32_t dtype) { return dtype == NPU_I8 || dtype == NPU_U8; }

/// Whether the function of a whole number is one.
static bool keepsWhole(const npu_instr &instr) {
  switch (instr.kind) {
  case NPU_INSTR_abs:
  case NPU_INSTR_neg:
  case NPU_INSTR_relu:
    return true;
  case NPU_INSTR_clip:
    return isWhole(instr.alpha) && isWhole(instr.beta);
  case NPU_INSTR_linear:
    return instr.alpha == 1 && isWhole(instr.beta);
  default:
    return false;
  }
}

static bool givesWhole(int kind) {
  return kind == NPU_INSTR_round || kind == NPU_INSTR_round_away ||
         kind == NPU_INSTR_floor || kind == NPU_INSTR_ceil;
}

namespace {
/// An input as floats: all that post-ops can read besides it is a factor.
struct ReadInput {
  int value; // the number of the value that it is
  int input;
  float scale;
};

/// State of a translation.
struct Translation {
  const Problem &problem;
  Fusion &fusion;
  std::string &whyNot;
  dnnl::post_ops ops;
  int accumulator; // the number of its value
  int next;        // that of the next instruction
  bool isInteger;  // what the accumulator holds by its type
  bool isRounded;  // and by its value
  std::vector<ReadInput> converted;
  /// A step of the accumulator that is not among the post-ops yet: a scaled
  /// operand behind it changes it.
  std::optional<std::pair<float, float>> linear;

  Translation(const Problem &p, Fusion &f, std::string &w)
      : problem(p), fusion(f), whyNot(w),
        accumulator(static_cast<int>(p.inputs.size())), next(accumulator + 1),
        isInteger(!givesFloats(p)), isRounded(isInteger) {}

  bool refuse(const std::string &text) {
    whyNot = text;
    return false;
  }

  bool isInput(int value) const {
    return value < static_cast<int>(problem.inputs.size());
  }

  /// The input that a value is, perhaps scaled; input -1 for none.
  ReadInput inputOf(int value) const {
    for (const ReadInput &read : converted)
      if (read.value == value)
        return read;
    return {value, isInput(value) ? value : -1, 1};
  }

  void flush() {
    if (linear)
      ops.append_eltwise(algorithm::eltwise_linear, linear->first,
                         linear->second);
    linear.reset();
  }

  bool binary(const npu_instr &instr) {
    bool isFirst = instr.a == accumulator, isSecond = instr.b == accumulator;
    auto [value, other, scale] = inputOf(isFirst ? instr.b : instr.a);
    if (isFirst == isSecond || other < 0)
      return refuse("fused chain that is not a line");
    if (scale != 1 && instr.kind != NPU_INSTR_add)
      return refuse("scaled operand that is not just added");
    algorithm kind;
    if (!binaryAlgorithm(instr.kind, kind))
      return refuse("fused " + std::string(lookupInstr(instr.kind)->name));
    bool isInPlace = other == problem.inPlaceInput;
    if (scale == 1 || isInPlace)
      flush();
    if (isSecond && instr.kind == NPU_INSTR_sub) { // x - acc = -acc + x
      ops.append_eltwise(algorithm::eltwise_linear, -1, 0);
      kind = algorithm::binary_add;
    } else if (isSecond && !isCommutative(instr.kind)) {
      return refuse("fused " + std::string(lookupInstr(instr.kind)->name) +
                    " by the result");
    }
    isRounded = false;
    if (isInPlace)
      return sum(instr, other, scale);
    if (scale != 1 && !divideBy(scale))
      return false;
    if (ops.len() >= 30)
      return refuse("too many fused instructions");
    Desc desc;
    if (!describeOperand(problem, other, desc, whyNot))
      return false;
    fusion.arguments.push_back(
        {DNNL_ARG_ATTR_MULTIPLE_POST_OP(ops.len()) | DNNL_ARG_SRC_1, other,
         desc});
    ops.append_binary(kind, desc);
    return true;
  }

  /// a x + b + s y = s (a / s x + y) + b: what is left for the operand is to be
  /// added, and the factor follows.
  bool divideBy(float scale) {
    auto [alpha, beta] = linear.value_or(std::pair(1.0f, 0.0f));
    auto ratio = static_cast<float>(static_cast<double>(alpha) / scale);
    if (!std::isnormal(ratio) || !std::isnormal(scale))
      return refuse("scale of an operand that is no ordinary number");
    ops.append_eltwise(algorithm::eltwise_linear, ratio, 0);
    linear = {scale, beta};
    return true;
  }

  /// The operand lies in the output's memory: oneDNN reads it there.
  bool sum(const npu_instr &instr, int other, float scale) {
    const npu_tensor_desc &operand = problem.inputs[static_cast<size_t>(other)];
    bool isAddition = instr.kind == NPU_INSTR_add ||
                      (instr.kind == NPU_INSTR_sub && instr.b == accumulator);
    if (!isAddition || operand.dtype != problem.outputs[0].dtype)
      return refuse("in-place operand that is not just added");
    for (int i = 0; i < ops.len(); ++i)
      if (ops.kind(i) == dnnl::primitive::kind::sum)
        return refuse("in-place operand that is added twice");
    ops.append_sum(scale);
    return true;
  }

  bool unary(const npu_instr &instr) {
    if (lookupInstr(instr.kind)->arity != 1 || instr.a != accumulator)
      return refuse("fused chain that is not a line");
    isRounded = givesWhole(instr.kind) || (isRounded && keepsWhole(instr));
    flush();
    if (instr.kind == NPU_INSTR_linear) {
      linear = {instr.alpha, instr.beta};
      return true;
    }
    return appendUnary(instr, ops) ||
           refuse("fused " + std::string(lookupInstr(instr.kind)->name));
  }

  /// An operand converted to f32: a post-op does that as it reads.
  bool convertInput(const npu_instr &instr) {
    int32_t from = problem.inputs[static_cast<size_t>(instr.a)].dtype;
    if (instr.dtype != NPU_F32 || (!isByte(from) && from != NPU_BF16))
      return refuse(std::string("fused cast of a ") + dtypeName(from) +
                    " operand");
    converted.push_back({next, instr.a, 1});
    return true;
  }

  /// Whether the instruction multiplies an operand, not the accumulator.
  bool scalesInput(const npu_instr &instr) {
    if (instr.kind != NPU_INSTR_linear || instr.beta != 0 ||
        instr.dtype != NPU_F32)
      return false;
    for (const ReadInput &read : converted)
      if (read.value == instr.a) {
        converted.push_back({next, read.input, read.scale * instr.alpha});
        return true;
      }
    return false;
  }

  /// The store rounds and clips by itself, in the middle a post-op clips. A
  /// cast truncates, which is the same for whole numbers only.
  bool toBytes(const npu_instr &instr, bool isLast) {
    if (!isRounded || isInteger)
      return refuse("fused cast to bytes of what is not a rounded float");
    isInteger = true;
    bool isSigned = instr.dtype == NPU_I8;
    flush();
    if (!isLast)
      ops.append_eltwise(algorithm::eltwise_clip, isSigned ? -128 : 0,
                         isSigned ? 127 : 255);
    return true;
  }

  /// Whether a conversion to bytes follows and ends the chain: storing rounds
  /// to the nearest, halves to even.
  bool storeRounds(const npu_instr &instr) const {
    const npu_instr &last = problem.instrs.back();
    return instr.kind == NPU_INSTR_round && instr.a == accumulator &&
           &instr + 1 == &last && last.kind == NPU_INSTR_cast &&
           last.a == next && isByte(last.dtype);
  }

  bool cast(const npu_instr &instr) {
    if (instr.a != accumulator)
      return refuse("fused chain that is not a line");
    bool isLast = &instr == &problem.instrs.back();
    if (isByte(instr.dtype))
      return toBytes(instr, isLast);
    isInteger = false;
    return instr.dtype == NPU_F32 || // the store converts
           (isLast && isFloat(instr.dtype)) ||
           refuse(std::string("fused cast to ") + dtypeName(instr.dtype));
  }

  bool one(const npu_instr &instr) {
    bool isCast = instr.kind == NPU_INSTR_cast;
    if (isCast && isInput(instr.a))
      return convertInput(instr);
    if (scalesInput(instr))
      return true;
    if (!isCast && (!isFloat(instr.dtype) || isInteger))
      return refuse(std::string("fused result of type ") +
                    dtypeName(instr.dtype));
    bool isDone = isCast                                ? cast(instr)
                  : lookupInstr(instr.kind)->arity == 2 ? binary(instr)
                  : storeRounds(instr)                  ? isRounded = true
                                                        : unary(instr);
    accumulator = next;
    return isDone;
  }
};
} // namespace

bool losesNan(const dnnl::post_ops &ops) {
  for (int i = 0; i < ops.len(); ++i) {
    algorithm kind = algorithm::undef;
    float alpha, beta;
    Desc operand;
    if (ops.kind(i) == dnnl::primitive::kind::eltwise)
      ops.get_params_eltwise(i, kind, alpha, beta);
    else if (ops.kind(i) == dnnl::primitive::kind::binary)
      ops.get_params_binary(i, kind, operand);
    switch (kind) {
    case algorithm::undef: // the output's old elements, added
    case algorithm::eltwise_linear:
    case algorithm::eltwise_abs:
    case algorithm::binary_add:
    case algorithm::binary_sub:
    case algorithm::binary_mul:
    case algorithm::binary_div:
      break;
    default:
      return true;
    }
  }
  return false;
}

bool translate(const Problem &problem, Fusion &fusion, std::string &whyNot) {
  fusion.attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  Translation translation(problem, fusion, whyNot);
  for (const npu_instr &instr : problem.instrs) {
    if (!translation.one(instr))
      return false;
    ++translation.next;
  }
  translation.flush();
  if (problem.inPlaceInput >= 0) {
    bool isSummed = false;
    for (int i = 0; i < translation.ops.len(); ++i)
      isSummed |= translation.ops.kind(i) == dnnl::primitive::kind::sum;
    if (!isSummed) {
      whyNot = "in-place operand that is not added";
      return false;
    }
  }
  fusion.attributes.set_post_ops(translation.ops);
  return true;
}

} // namespace npu::kernels::onednn
