// SPDX-License-Identifier: Apache-2.0
#ifndef NPU_TEST_COMPILER_DIALECT_NPU_STOREDORDERS_H
#define NPU_TEST_COMPILER_DIALECT_NPU_STOREDORDERS_H

#include "compiler/Dialect/NPU/Digits.h"

#include <vector>

namespace npu::test {

using Shape = std::vector<int64_t>;

inline StoredOrder stored(std::vector<int64_t> order,
                          std::vector<LayoutBlock> blocks = {}) {
  StoredOrder result;
  result.order.append(order.begin(), order.end());
  result.blocks.append(blocks.begin(), blocks.end());
  return result;
}

} // namespace npu::test

#endif // NPU_TEST_COMPILER_DIALECT_NPU_STOREDORDERS_H
