// SPDX-License-Identifier: Apache-2.0
#ifndef NPU_KERNELS_SUPPORT_SORT_H
#define NPU_KERNELS_SUPPORT_SORT_H

#include <algorithm>

namespace npu::kernels {

/// Stable sort of a handful of items. libstdc++'s std::stable_sort calls a
/// function that it deprecates itself, which clang reports.
template <typename Items, typename Less>
void sortFew(Items &items, Less less) {
  for (auto it = items.begin(); it != items.end(); ++it)
    std::rotate(std::upper_bound(items.begin(), it, *it, less), it,
                std::next(it));
}

} // namespace npu::kernels

#endif // NPU_KERNELS_SUPPORT_SORT_H
