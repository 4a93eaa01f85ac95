// SPDX-License-Identifier: Apache-2.0
//
// What a program's makers do: kernels that the loader runs once, each of which
// makes a constant of smaller ones, and what is stored for them.
#ifndef NPU_COMPILER_CODEGEN_MAKERS_H
#define NPU_COMPILER_CODEGEN_MAKERS_H

#include "compiler/Dialect/NPU/NPUDialect.h"
#include "compiler/Dialect/NPU/ScaledNumbers.h"
#include "kernels/kernel.h"

#include <optional>
#include <vector>

namespace npu::makers {

/// Another type, an npu_dtype, for `count` elements one behind the other, and
/// all of them so many times.
kernels::Problem castProblem(int32_t from, int32_t to, int64_t count,
                             int64_t times = 1);

/// The types that may hold numbers of this one, the best first.
ArrayRef<int32_t> narrowerTypes(int32_t dtype);

/// The elements in a narrower type; nothing where some would not come back.
std::optional<std::vector<char>> narrowed(int32_t from, int32_t to,
                                          ArrayRef<char> bytes);

/// How often the bytes repeat the first of them: what is the same for all
/// indices of the outermost dimensions.
int64_t timesRepeated(const npu_tensor_desc &tensor, ArrayRef<char> bytes);

/// i8 of pairs of four bits; further inputs: the shifts 28 and 24, and 28.
kernels::Problem halvesProblem(int64_t count);

/// Two bytes of each, the first in its lower half; nothing where four bits do
/// not hold some.
std::optional<std::vector<char>> pairsOfHalves(ArrayRef<char> bytes);

/// Numbers, perhaps with offsets, times scales; these differ along `dim` only,
/// and are the further inputs, the scales first.
kernels::Problem scaleProblem(const npu_tensor_desc &numbers,
                              const npu_tensor_desc &target, int64_t dim,
                              bool hasOffsets);

/// What is stored of the numbers, in row-major order; takes the offsets from
/// them.
std::vector<char> storedNumbers(ScaledNumbers &found, ArrayRef<int64_t> shape);

} // namespace npu::makers

#endif // NPU_COMPILER_CODEGEN_MAKERS_H
