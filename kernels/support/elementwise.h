// SPDX-License-Identifier: Apache-2.0
//
// A chain of instructions over whole tensors: the ELTWISE kernel, and the end
// of every kernel that computes its result first and the fused chain after.
#ifndef NPU_KERNELS_SUPPORT_ELEMENTWISE_H
#define NPU_KERNELS_SUPPORT_ELEMENTWISE_H

#include "kernels/support/interpreter.h"

namespace npu::kernels {

class Elementwise {
public:
  /// `values` are numbered as the instructions number them. An empty chain
  /// copies the last value, converted to the output's type.
  Elementwise(std::vector<npu_tensor_desc> allValues,
              std::vector<npu_instr> chain, const npu_tensor_desc &result);

  size_t scratchBytes(int threads) const;

  /// A value may share the output's memory if it has the output's storage.
  void run(const void *const *data, void *to, void *scratch, int threads) const;

private:
  void runRange(const void *const *data, void *to, Row *rows, int64_t begin,
                int64_t end) const;

  std::vector<npu_tensor_desc> values;
  std::vector<npu_instr> instrs;
  npu_tensor_desc output;
  std::vector<int> operandOf; // value number to operand of the walk, or -1
  Walk walk;
  int outputOperand;
};

} // namespace npu::kernels

#endif // NPU_KERNELS_SUPPORT_ELEMENTWISE_H
