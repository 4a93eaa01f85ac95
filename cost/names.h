// SPDX-License-Identifier: Apache-2.0
//
// Enumerations whose values files call by name.
#ifndef NPU_COST_NAMES_H
#define NPU_COST_NAMES_H

#include <array>
#include <optional>
#include <string_view>

namespace npu::cost {

/// The value whose name it is, if `names` lists the values' names in order.
template <class Enum, size_t count>
std::optional<Enum> findByName(const std::array<std::string_view, count> &names,
                               std::string_view name) {
  for (size_t i = 0; i < count; ++i)
    if (names[i] == name)
      return static_cast<Enum>(i);
  return std::nullopt;
}

} // namespace npu::cost

#endif // NPU_COST_NAMES_H
