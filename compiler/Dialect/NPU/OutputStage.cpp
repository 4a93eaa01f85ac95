// SPDX-License-Identifier: Apache-2.0
#include "compiler/Dialect/NPU/OutputStage.h"

#include "compiler/Dialect/NPU/Constants.h"

#include "llvm/ADT/STLExtras.h"

using namespace npu;

namespace {
struct StepWord {
  StringRef name;
  OutputStep step;
};
} // namespace

static constexpr StepWord words[] = {{"bias", Bias},
                                     {"requantize", Requantize},
                                     {"activation", Activation},
                                     {"add", Addition}};

std::optional<OutputStep> npu::findOutputStep(StringRef name) {
  const auto *found = llvm::find_if(
      words, [&](const StepWord &word) { return word.name == name; });
  if (found == std::end(words))
    return std::nullopt;
  return found->step;
}

std::string npu::outputStepNames() {
  std::string names;
  for (const StepWord &word : words)
    names += (names.empty() ? "" : ", ") + word.name.str();
  return names;
}

bool npu::isChannelConstant(Value value, Value result) {
  Value outside = value;
  if (auto argument = dyn_cast<BlockArgument>(value))
    if (auto fused =
            dyn_cast_or_null<FusedOp>(argument.getOwner()->getParentOp()))
      outside = fused->getOperand(argument.getArgNumber());
  if (!constantBehind(outside))
    return false;
  // Of a result of one row, one pixel, nothing but channels is left.
  const auto type = tensorType(result);
  return tensorType(value).getNumElements() < type.getNumElements() ||
         llvm::count_if(
             type.getShape(), [](int64_t extent) { return extent != 1; }) <= 1;
}

/// Of two operands, the one or the other is such a constant.
static bool takesConstant(EltwiseOp op) {
  return llvm::any_of(op.getInputs(), [&](Value input) {
    return isChannelConstant(input, op.getResult());
  });
}

/// Each kind is named, so that the compiler finds one that is forgotten.
OutputSteps npu::outputStepsOf(EltwiseOp op) {
  switch (static_cast<npu_instr_kind>(op.getKind())) {
  case NPU_INSTR_relu:
  case NPU_INSTR_leaky_relu:
  case NPU_INSTR_elu:
  case NPU_INSTR_sigmoid:
  case NPU_INSTR_tanh:
  case NPU_INSTR_hard_sigmoid:
  case NPU_INSTR_hard_swish:
  case NPU_INSTR_swish:
  case NPU_INSTR_softplus:
  case NPU_INSTR_gelu_erf:
  case NPU_INSTR_gelu_tanh:
    return Activation;
  case NPU_INSTR_prelu:
    return takesConstant(op) ? Activation : 0;
  // The range of an activation, or of a type.
  case NPU_INSTR_clip:
  case NPU_INSTR_min:
  case NPU_INSTR_max:
    return op.getInputs().size() == 1 || takesConstant(op)
               ? Activation | Requantize
               : 0;
  case NPU_INSTR_round:
  case NPU_INSTR_round_away:
  case NPU_INSTR_cast:
  case NPU_INSTR_linear:
    return Requantize;
  case NPU_INSTR_mul:
  case NPU_INSTR_div:
  case NPU_INSTR_mul_shift:
    return takesConstant(op) ? Requantize : 0;
  // What is added to each channel is a bias, or where a type's zero lies.
  case NPU_INSTR_add:
  case NPU_INSTR_sub:
    return takesConstant(op) ? Bias | Requantize : Addition;
  case NPU_INSTR_abs:
  case NPU_INSTR_neg:
  case NPU_INSTR_exp:
  case NPU_INSTR_log:
  case NPU_INSTR_sqrt:
  case NPU_INSTR_rsqrt:
  case NPU_INSTR_reciprocal:
  case NPU_INSTR_erf:
  case NPU_INSTR_floor:
  case NPU_INSTR_ceil:
  case NPU_INSTR_logical_not:
  case NPU_INSTR_sign:
  case NPU_INSTR_sin:
  case NPU_INSTR_cos:
  case NPU_INSTR_tan:
  case NPU_INSTR_asin:
  case NPU_INSTR_acos:
  case NPU_INSTR_atan:
  case NPU_INSTR_pow:
  case NPU_INSTR_equal:
  case NPU_INSTR_less:
  case NPU_INSTR_less_equal:
  case NPU_INSTR_greater:
  case NPU_INSTR_greater_equal:
  case NPU_INSTR_logical_and:
  case NPU_INSTR_logical_or:
  case NPU_INSTR_logical_xor:
  case NPU_INSTR_mod:
  case NPU_INSTR_bit_and:
  case NPU_INSTR_bit_or:
  case NPU_INSTR_bit_xor:
  case NPU_INSTR_bit_not:
  case NPU_INSTR_shift_left:
  case NPU_INSTR_shift_right:
  case NPU_INSTR_clz:
  case NPU_INSTR_bitcast:
  case NPU_INSTR_select:
    return 0;
  }
  llvm_unreachable("an elementwise function of no kind");
}

llvm::SmallPtrSet<Operation *, 8> npu::opsInOutputStage(FusedOp fused,
                                                        OutputSteps stage) {
  llvm::SmallPtrSet<Operation *, 8> done;
  Operation *root = fused.getRoot();
  for (Operation &op : fused.getBody().front().without_terminator()) {
    auto eltwise = dyn_cast<EltwiseOp>(op);
    bool isIn = eltwise && (outputStepsOf(eltwise) & stage) &&
                llvm::all_of(eltwise.getInputs(), [&](Value input) {
                  Operation *before = input.getDefiningOp();
                  return !before || before == root || done.contains(before);
                });
    if (isIn)
      done.insert(&op);
  }
  return done;
}
