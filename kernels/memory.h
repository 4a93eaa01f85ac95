// SPDX-License-Identifier: Apache-2.0
//
// Where kernels and the runtime take large blocks of memory from: the system,
// or whoever loaded the program.
#ifndef NPU_KERNELS_MEMORY_H
#define NPU_KERNELS_MEMORY_H

#include <cstddef>
#include <cstdint>
#include <memory>

namespace npu::kernels {

/// Functions of somebody else, as npu_host in npu.h has them; without
/// `allocate` the system's.
struct Allocator {
  void *user = nullptr;
  void *(*allocate)(void *user, uint64_t bytes, uint64_t alignment) = nullptr;
  void (*release)(void *user, void *block, uint64_t bytes) = nullptr;
};

/// Sets the calling thread's allocator for a scope, and puts the old one back.
class AllocatorScope {
public:
  explicit AllocatorScope(const Allocator &allocator);
  ~AllocatorScope();
  AllocatorScope(const AllocatorScope &) = delete;
  AllocatorScope &operator=(const AllocatorScope &) = delete;

private:
  const Allocator *old;
};

/// Pages of the system, huge ones where it has them and there is enough for
/// one; null if there is not enough memory. munmap() gives them back.
void *mapPages(size_t bytes);

/// Memory of any content from the calling thread's allocator, aligned to
/// NPU_VALUE_ALIGNMENT; null if there is not enough.
std::shared_ptr<void> allocate(size_t bytes);

} // namespace npu::kernels

#endif // NPU_KERNELS_MEMORY_H
