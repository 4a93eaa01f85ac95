// SPDX-License-Identifier: Apache-2.0
//
// Rows of integers of 32 bits, and single instructions on them.
#ifndef NPU_KERNELS_SUPPORT_INTEGER_ROWS_H
#define NPU_KERNELS_SUPPORT_INTEGER_ROWS_H

#include "format/program_format.h"

#include <cstdint>

namespace npu::kernels {

/// The whole numbers that a `clip` keeps.
int64_t lowOf(const npu_instr &clip);
int64_t highOf(const npu_instr &clip);

/// `n` numbers of a type, from element `first` on, as 32 bits.
void loadRow(int32_t dtype, const void *from, int64_t first, int32_t *out,
             int n);
/// The other way; what the type does not hold wraps.
void storeRow(int32_t dtype, const int32_t *row, void *to, int64_t first,
              int n);

/// One instruction of those that IntegerSteps takes. `b` and `c` are read where
/// it has so many operands.
void stepRow(const npu_instr &instr, const int32_t *a, const int32_t *b,
             const int32_t *c, int32_t *out, int n);

} // namespace npu::kernels

#endif // NPU_KERNELS_SUPPORT_INTEGER_ROWS_H
