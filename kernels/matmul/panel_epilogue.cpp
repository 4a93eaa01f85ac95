// SPDX-License-Identifier: Apache-2.0

#include "kernels/matmul/panel_epilogue.h"

#include "format/instr_kinds.h"
#include "kernels/tensor.h"

#include <algorithm>
#include <utility>

namespace npu::kernels {

namespace {
enum Stage { Sums, Bounds, Function, Factors, Summands };

/// What the first `taken` instructions come to.
struct Folded {
  PanelEpilogue epilogue;
  Stage stage = Sums;
  size_t taken = 0;
};
} // namespace

static Activation activationOf(int32_t kind) {
  switch (kind) {
  case NPU_INSTR_hard_sigmoid:
    return Activation::HardSigmoid;
  case NPU_INSTR_hard_swish:
    return Activation::HardSwish;
  case NPU_INSTR_leaky_relu:
    return Activation::LeakyRelu;
  default:
    return Activation::None;
  }
}

static bool foldFunction(const npu_instr &instr, Folded &folded) {
  PanelEpilogue &epilogue = folded.epilogue;
  const Activation activation = activationOf(instr.kind);
  if (instr.kind == NPU_INSTR_relu || instr.kind == NPU_INSTR_clip) {
    if (folded.stage >= Bounds)
      return false;
    const bool isRelu = instr.kind == NPU_INSTR_relu;
    epilogue.least = isRelu ? 0.0f : instr.alpha;
    epilogue.most = isRelu ? epilogue.most : instr.beta;
    folded.stage = Bounds;
    return true;
  }
  if (activation == Activation::None || folded.stage >= Function)
    return false;
  epilogue.activation = activation;
  epilogue.alpha = instr.alpha;
  epilogue.beta = instr.beta;
  folded.stage = Function;
  return true;
}

/// Whether a sum with this operand, or a product (`isFactor`), is next.
static bool foldOperand(const Product &product, int operand, bool isFactor,
                        Folded &folded) {
  PanelEpilogue &epilogue = folded.epilogue;
  const Problem &p = product.problem;
  const npu_tensor_desc &tensor = p.inputs[static_cast<size_t>(operand)];
  const bool isShared = isOfColumns(tensor, product.columns);
  if (isFactor) {
    if (!isShared || folded.stage >= Factors)
      return false;
    epilogue.factors = operand;
    folded.stage = Factors;
    return true;
  }
  if (folded.stage == Sums && epilogue.bias < 0 && isShared) {
    epilogue.bias = operand;
    return true;
  }
  if (folded.stage == Sums && epilogue.added < 0 && tensor.dtype == NPU_F32 &&
      mapRows(tensor, p.outputs[0], epilogue.addedRows) &&
      (epilogue.addedRows.step == 1 || product.columns == 1)) {
    epilogue.added = operand;
    return true;
  }
  if (!isShared || folded.stage >= Summands)
    return false;
  epilogue.summands = operand;
  folded.stage = Summands;
  return true;
}

/// Whether the instruction on `value`, the sums so far, is for registers.
static bool fold(const Product &product, const npu_instr &instr, int value,
                 Folded &folded) {
  if (instr.dtype != NPU_F32)
    return false;
  if (lookupInstr(instr.kind)->arity == 1)
    return instr.a == value && foldFunction(instr, folded);
  const bool isFactor = instr.kind == NPU_INSTR_mul;
  const int other = instr.a == value ? instr.b : instr.a;
  return (isFactor || instr.kind == NPU_INSTR_add) &&
         (instr.a == value) != (instr.b == value) &&
         other < static_cast<int>(product.problem.inputs.size()) &&
         foldOperand(product, other, isFactor, folded);
}

/// Puts the first instructions, at most `most`, into an epilogue.
static Folded foldSome(const Product &product, size_t most) {
  Folded folded;
  folded.epilogue.bias = product.bias;
  const std::vector<npu_instr> &instrs = product.problem.instrs;
  const auto first = static_cast<int>(product.problem.inputs.size());
  while (folded.taken < std::min(most, instrs.size())) {
    Folded next = folded;
    if (!fold(product, instrs[folded.taken],
              first + static_cast<int>(folded.taken), next))
      break;
    ++next.taken;
    folded = std::move(next);
  }
  return folded;
}

/// The instructions behind the first `taken`; false where one of them reads
/// what those give in between.
static bool restOf(const Problem &problem, size_t taken,
                   std::vector<npu_instr> &rest) {
  const auto first = static_cast<int>(problem.inputs.size()),
             gone = static_cast<int>(taken);
  rest.assign(problem.instrs.begin() + gone, problem.instrs.end());
  for (npu_instr &instr : rest)
    for (int16_t *value : {&instr.a, &instr.b, &instr.c}) {
      if (*value < first)
        continue;
      if (*value < first + gone)
        return false;
      *value = static_cast<int16_t>(*value - gone);
    }
  return true;
}

PanelEpilogue epilogueOf(const Product &product) {
  Folded folded = foldSome(product, product.problem.instrs.size());
  while (!restOf(product.problem, folded.taken, folded.epilogue.rest))
    folded = foldSome(product, folded.taken - 1);
  return std::move(folded.epilogue);
}

TileEnd endOf(const Product &product, const PanelEpilogue &epilogue,
              void *const *operands, Range columns, int64_t width,
              float *numbers) {
  const auto loaded = [&](int operand, float otherwise) {
    float *to = std::exchange(numbers, numbers + width);
    std::fill_n(to, width, otherwise);
    if (operand >= 0)
      loadColumns(product.problem.inputs[static_cast<size_t>(operand)],
                  operands[operand], columns, to);
    return to;
  };
  TileEnd end = {};
  end.bias = loaded(epilogue.bias, 0);
  end.least = epilogue.least;
  end.most = epilogue.most;
  end.activation = epilogue.activation;
  end.alpha = epilogue.alpha;
  end.beta = epilogue.beta;
  if (epilogue.factors >= 0 || epilogue.summands >= 0) {
    end.factors = loaded(epilogue.factors, 1);
    end.summands = loaded(epilogue.summands, 0);
  }
  return end;
}

} // namespace npu::kernels
