// SPDX-License-Identifier: Apache-2.0
#include "cost/kernel_work.h"

#include "cost/names.h"

#include <algorithm>

namespace npu::cost {

static constexpr std::array<std::string_view, 4> roles = {"result", "data",
                                                          "weight", "bias"};

std::string_view nameOf(Role role) { return roles[static_cast<size_t>(role)]; }

std::optional<Role> findRole(std::string_view name) {
  return findByName<Role>(roles, name);
}

std::string_view roleNames() { return "result, data, weight or bias"; }

double KernelWork::bytes() const {
  double sum = 0;
  for (const auto *transfers : {&reads, &writes})
    for (const Transfer &transfer : *transfers)
      sum += transfer.bytes;
  return sum;
}

double tileCapacity(const KernelWork &work, const Machine &machine) {
  return std::max(0.0, machine.sramKiB * 1024 - work.reservedBytes);
}

} // namespace npu::cost
