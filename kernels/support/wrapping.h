// SPDX-License-Identifier: Apache-2.0
//
// Sums and products in an element's own type. Integers wrap around.
#ifndef NPU_KERNELS_SUPPORT_WRAPPING_H
#define NPU_KERNELS_SUPPORT_WRAPPING_H

#include <type_traits>

namespace npu::kernels {

/// In which integers of type T are added and multiplied: unsigned, and not
/// promoted to a signed int.
template <typename T>
using Unsigned = std::common_type_t<std::make_unsigned_t<T>, unsigned>;

template <typename T>
T plus(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<Unsigned<T>>(a) +
                          static_cast<Unsigned<T>>(b));
  else
    return a + b;
}

template <typename T>
T times(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<Unsigned<T>>(a) *
                          static_cast<Unsigned<T>>(b));
  else
    return a * b;
}

} // namespace npu::kernels

#endif // NPU_KERNELS_SUPPORT_WRAPPING_H
