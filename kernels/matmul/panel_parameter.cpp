// SPDX-License-Identifier: Apache-2.0

#include "kernels/matmul/panel_parameter.h"

#include "kernels/packed.h"
#include "kernels/support/access.h"
#include "kernels/support/convert.h"
#include "kernels/validate.h"

#include <algorithm>
#include <cstring>

namespace npu::kernels {

size_t PanelParameter::pack(const npu_tensor_desc &tensor,
                            const void *operand) {
  dtype = tensor.dtype;
  blocks = tensor.dims[0];
  across = tensor.dims[1];
  const int64_t width = across == 1 ? 1 : panelColumns;
  const int64_t panels = (across + width - 1) / width;
  const auto size = static_cast<size_t>(dtypeBytes(tensor.dtype));
  const size_t bytes = static_cast<size_t>(panels * blocks * width) * size;
  const DimMap down = dimMap(tensor, 0, blocks);
  const DimMap along = dimMap(tensor, 1, across);
  const auto *from = static_cast<const char *>(operand);
  size_t made = 0;
  stored = packOnce(
      operand, "parameter, " + describe(tensor), bytes,
      [&](void *block) {
        std::memset(block, 0, bytes);
        auto *to = static_cast<char *>(block);
        for (int64_t b = 0; b < blocks; ++b)
          for (int64_t n = 0; n < across; ++n) {
            int64_t place = (n / width * blocks + b) * width + n % width;
            std::memcpy(to + static_cast<size_t>(place) * size,
                        from + static_cast<size_t>(down.at(b) + along.at(n)) *
                                   size,
                        size);
          }
        return true;
      },
      made);
  return made;
}

void PanelParameter::load(int64_t panel, int64_t block, float *out) const {
  if (across == 0) {
    std::fill(out, out + panelColumns, otherwise);
    return;
  }
  const bool isOne = across == 1;
  const int64_t place = isOne ? block : (panel * blocks + block) * panelColumns;
  kernels::load(dtype, stored.get(),
                isOne ? Walk::Run::Constant : Walk::Run::Contiguous, &place,
                panelColumns, out);
}

size_t packParameters(const Problem &problem, const void *const *operands,
                      PanelParameter &scales, PanelParameter &zeros) {
  size_t all = 0;
  if (problem.attrs.matmul.block)
    all += scales.pack(problem.inputs[2], operands[2]);
  if (problem.attrs.matmul.has_zero_points)
    all += zeros.pack(problem.inputs[3], operands[3]);
  return all;
}

std::string whyNotInPanels(const Problem &problem) {
  for (int i = 1; i < properInputs(problem); ++i)
    if (!problem.isConstant(static_cast<size_t>(i)))
      return "packed numbers that are no constants";
  const npu_tensor_desc &a = problem.inputs[0];
  bool isEmpty =
      elementCount(problem.outputs[0]) == 0 || a.dims[a.rank - 1] == 0;
  return isEmpty ? "nothing to multiply" : "";
}

} // namespace npu::kernels
