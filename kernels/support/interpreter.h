// SPDX-License-Identifier: Apache-2.0
//
// The one interpreter of fused instructions. It works on rows of values, so
// that the switch over the instruction kinds is paid once per row.
#ifndef NPU_KERNELS_SUPPORT_INTERPRETER_H
#define NPU_KERNELS_SUPPORT_INTERPRETER_H

#include "format/instr_kinds.h"
#include "kernels/support/convert.h"

#include <vector>

namespace npu::kernels {

constexpr int rowLength = 256;

/// A row of one value: floats, integers or doubles, by its type.
union Row {
  float f[rowLength];
  int64_t i[rowLength];
  double d[rowLength];
};

/// Why this instruction, whose kind there is, is wrong for operands of these
/// types, or empty. The dialect's verifier and the runtime's ask here.
std::string checkInstr(const npu_instr &instr, const int32_t *operandTypes);

/// out = instr(a, b, c) on `n` elements. `typeA` is the type of operand a.
/// `out` is none of the operands.
void interpret(const npu_instr &instr, int32_t typeA, const Row *a,
               const Row *b, const Row *c, Row *out, int n);

/// Whether a chain behind `operands` values is what interpretChain runs on the
/// result proper.
bool isUnaryChain(const std::vector<npu_instr> &chain, size_t operands);

/// Each of `count` floats through a chain of unary instructions on floats.
void interpretChain(const std::vector<npu_instr> &chain, float *values,
                    int64_t count);

} // namespace npu::kernels

#endif // NPU_KERNELS_SUPPORT_INTERPRETER_H
