// SPDX-License-Identifier: Apache-2.0
#ifndef NPU_RUNTIME_EXECUTOR_MEMORY_H
#define NPU_RUNTIME_EXECUTOR_MEMORY_H

#include "kernels/memory.h"

#include <cstddef>
#include <cstdint>

namespace npu::runtime {

/// Memory of any content, aligned for values: an allocator's, or the system's,
/// large blocks on huge pages where it has them. Empty if `bytes` is 0.
class Memory {
public:
  Memory() = default;
  /// `purpose` ("the arena") is for the message when there is not enough.
  Memory(uint64_t bytes, const char *purpose,
         const kernels::Allocator &from = {});
  /// Somebody else's, who frees it.
  static Memory borrowed(void *block, uint64_t bytes);
  ~Memory();
  Memory(Memory &&other) noexcept;
  Memory &operator=(Memory &&other) noexcept;

  uint8_t *data() const { return static_cast<uint8_t *>(block); }
  uint64_t bytes() const { return size; }

private:
  void *block = nullptr;
  uint64_t size = 0;
  kernels::Allocator allocator; ///< that frees it
  bool isBorrowed = false;
};

} // namespace npu::runtime

#endif // NPU_RUNTIME_EXECUTOR_MEMORY_H
