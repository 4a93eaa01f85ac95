// SPDX-License-Identifier: Apache-2.0

#include "kernels/narrow.h"

#include "kernels/kernel.h"
#include "kernels/tensor.h"

#include <algorithm>

namespace npu::kernels {

bool Narrow::isUniform() const {
  const int64_t count = numbers.dims[dim];
  const auto areSame = [&](const float *each) {
    return !each || count == 0 ||
           std::all_of(each, each + count,
                       [&](float one) { return one == each[0]; });
  };
  return areSame(scales) && areSame(offsets);
}

/// Whether it is `kind` of what is before it and of the input `other`.
static bool isStep(const npu_instr &instr, int32_t kind, int before,
                   int other) {
  return instr.kind == kind && instr.a == before && instr.b == other &&
         instr.dtype == NPU_F32;
}

/// Whether the inputs behind the numbers have a number for each index of one
/// dimension of the result, f32 in row-major order; which is that?
static bool findDim(const Problem &maker, int &dim) {
  const npu_tensor_desc &y = maker.outputs[0];
  dim = 0;
  for (int d = 0; d < y.rank && maker.inputs.size() > 1; ++d)
    if (maker.inputs[1].dims[d] != 1)
      dim = d;
  for (size_t i = 1; i < maker.inputs.size(); ++i) {
    const npu_tensor_desc &each = maker.inputs[i];
    if (each.rank != y.rank || each.dtype != NPU_F32 || each.block_count)
      return false;
    for (int d = 0; d < y.rank; ++d)
      if (each.dims[d] != (d == dim ? y.dims[d] : 1))
        return false;
  }
  return true;
}

/// Whether the instructions are a cast, a sum with input 2 if there is one, and
/// a product with input 1 if there is one.
static bool areSteps(const Problem &maker) {
  const auto inputs = static_cast<int>(maker.inputs.size());
  const auto count = static_cast<int>(maker.instrs.size());
  const npu_instr *instrs = maker.instrs.data();
  if (inputs > 3 || count != inputs ||
      !isStep(instrs[0], NPU_INSTR_cast, 0, -1))
    return false;
  if (inputs == 3 && !isStep(instrs[1], NPU_INSTR_add, inputs, 2))
    return false;
  return inputs == 1 ||
         isStep(instrs[count - 1], NPU_INSTR_mul, inputs + count - 2, 1);
}

std::optional<Narrow> narrowOf(const Problem &maker,
                               const npu_tensor_desc &constant) {
  Narrow narrow;
  const npu_tensor_desc &from = maker.inputs[0], &made = maker.outputs[0];
  if (maker.op != NPU_OP_ELTWISE || constant.dtype != NPU_F32 ||
      made.dtype != NPU_F32 ||
      (from.dtype != NPU_I8 && from.dtype != NPU_F16 &&
       from.dtype != NPU_BF16) ||
      !areSteps(maker) || !findDim(maker, narrow.dim))
    return std::nullopt;
  // Without scales all elements are alike, one behind the other.
  npu_tensor_desc same = made;
  same.dtype = from.dtype;
  const bool isRow = maker.inputs.size() == 1 && from.rank == 1 &&
                     from.dims[0] * 4 == storedBytes(constant) &&
                     from.dims[0] == elementCount(made) && !made.block_count;
  if (!isRow && !(sameStorage(from, same) && sameStorage(made, constant)))
    return std::nullopt;
  narrow.numbers = constant;
  narrow.numbers.dtype = from.dtype;
  return narrow;
}

} // namespace npu::kernels
