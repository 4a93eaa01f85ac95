// SPDX-License-Identifier: Apache-2.0

#include "kernels/memory.h"

#include "kernels/support/reference.h"

#include <cstdlib>

namespace npu::kernels {

static thread_local const Allocator *current = nullptr;

AllocatorScope::AllocatorScope(const Allocator &allocator) : old(current) {
  current = &allocator;
}

AllocatorScope::~AllocatorScope() { current = old; }

std::shared_ptr<void> allocate(size_t bytes) {
  bytes = aligned(bytes);
  if (!current || !current->allocate)
    return {std::aligned_alloc(NPU_VALUE_ALIGNMENT, bytes), std::free};
  void *block = current->allocate(current->user, bytes, NPU_VALUE_ALIGNMENT);
  if (!block)
    return nullptr;
  return {block, [from = *current, bytes](void *taken) {
            from.release(from.user, taken, bytes);
          }};
}

} // namespace npu::kernels
