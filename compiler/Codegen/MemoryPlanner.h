// SPDX-License-Identifier: Apache-2.0
//
// Offsets in one arena from lifetimes. Plain integers, no IR.
#ifndef NPU_COMPILER_CODEGEN_MEMORYPLANNER_H
#define NPU_COMPILER_CODEGEN_MEMORYPLANNER_H

#include <cstdint>
#include <vector>

namespace npu {

/// A value in memory from step `begin` to step `end`, both included.
struct BufferLifetime {
  int64_t begin;
  int64_t end;
  int64_t bytes;
};

struct ArenaPlan {
  std::vector<int64_t> offsets; // bytes, one for each buffer, aligned
  int64_t bytes = 0;
  /// Largest sum of aligned sizes alive at one step: no plan needs less.
  int64_t lowerBound = 0;
};

/// Places buffers so that no two that live at the same step overlap. Several
/// greedy orders are tried and the smallest arena is kept; the result depends
/// on the input alone.
ArenaPlan planArena(const std::vector<BufferLifetime> &buffers,
                    int64_t alignment);

} // namespace npu

#endif // NPU_COMPILER_CODEGEN_MEMORYPLANNER_H
