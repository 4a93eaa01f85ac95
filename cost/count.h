// SPDX-License-Identifier: Apache-2.0
//
// Whole cycles, bytes and tiles of what is computed in floating point.
#ifndef NPU_COST_COUNT_H
#define NPU_COST_COUNT_H

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace npu::cost {

/// More is not counted: so large a number that nothing which runs takes as
/// much, so small that sums over a program's kernels do not overflow. A damaged
/// file's extents, cuts and rates together may give any number.
inline constexpr double mostCounted = 1e15;

/// The nearest whole number from 0 to `mostCounted`; of what is not a number,
/// `mostCounted`.
inline int64_t counted(double number) {
  return number <= mostCounted ? std::llround(std::max(number, 0.0))
                               : static_cast<int64_t>(mostCounted);
}

} // namespace npu::cost

#endif // NPU_COST_COUNT_H
