// SPDX-License-Identifier: Apache-2.0
#ifndef NPU_RUNTIME_EXECUTOR_MEMORY_H
#define NPU_RUNTIME_EXECUTOR_MEMORY_H

#include <cstddef>
#include <cstdint>

namespace npu::runtime {

/// Zeroed memory, aligned for values; large blocks on huge pages where the
/// system has them. Empty if `bytes` is 0.
class Memory {
public:
  Memory() = default;
  /// `purpose` ("the arena") is for the message when there is not enough.
  Memory(uint64_t bytes, const char *purpose);
  ~Memory();
  Memory(Memory &&other) noexcept;
  Memory &operator=(Memory &&other) noexcept;

  uint8_t *data() const { return static_cast<uint8_t *>(block); }
  uint64_t bytes() const { return size; }

private:
  void *block = nullptr;
  uint64_t size = 0;
};

} // namespace npu::runtime

#endif // NPU_RUNTIME_EXECUTOR_MEMORY_H
