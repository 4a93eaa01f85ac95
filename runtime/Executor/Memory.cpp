// SPDX-License-Identifier: Apache-2.0

#include "runtime/Executor/Memory.h"

#include "format/program_format.h"
#include "runtime/Status.h"

#include <string>
#include <sys/mman.h>
#include <utility>

namespace npu::runtime {

Memory::Memory(uint64_t bytes, const char *purpose,
               const kernels::Allocator &from)
    : size(bytes), allocator(from) {
  if (bytes == 0)
    return;
  block = from.allocate ? from.allocate(from.user, bytes, NPU_VALUE_ALIGNMENT)
                        : kernels::mapPages(bytes);
  if (!block)
    throw Failure(NPU_OUT_OF_MEMORY,
                  "not enough memory for " + std::string(purpose) + ": " +
                      std::to_string(bytes) +
                      " bytes were asked for; close other programs or use a "
                      "smaller batch");
  if (reinterpret_cast<uintptr_t>(block) % NPU_VALUE_ALIGNMENT == 0)
    return;
  from.release(from.user, block, bytes);
  throw Failure(NPU_BAD_ARGUMENT,
                "npu_host.allocate gave memory for " + std::string(purpose) +
                    " that is not aligned to " +
                    std::to_string(NPU_VALUE_ALIGNMENT) + " bytes");
}

Memory Memory::borrowed(void *block, uint64_t bytes) {
  Memory memory;
  memory.block = block;
  memory.size = bytes;
  memory.isBorrowed = true;
  return memory;
}

Memory::~Memory() {
  if (!block || isBorrowed)
    return;
  if (allocator.allocate)
    allocator.release(allocator.user, block, size);
  else
    munmap(block, size);
}

Memory::Memory(Memory &&other) noexcept
    : block(std::exchange(other.block, nullptr)),
      size(std::exchange(other.size, 0)), allocator(other.allocator),
      isBorrowed(other.isBorrowed) {}

Memory &Memory::operator=(Memory &&other) noexcept {
  std::swap(block, other.block);
  std::swap(size, other.size);
  std::swap(allocator, other.allocator);
  std::swap(isBorrowed, other.isBorrowed);
  return *this;
}

} // namespace npu::runtime
