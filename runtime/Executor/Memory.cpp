// SPDX-License-Identifier: Apache-2.0

#include "runtime/Executor/Memory.h"

#include "runtime/Status.h"

#include <string>
#include <sys/mman.h>
#include <utility>

namespace npu::runtime {

constexpr uint64_t hugePageBytes = uint64_t(2) << 20;

Memory::Memory(uint64_t bytes, const char *purpose) : size(bytes) {
  if (bytes == 0)
    return;
  block = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (block == MAP_FAILED) {
    block = nullptr;
    throw Failure(NPU_OUT_OF_MEMORY,
                  "not enough memory for " + std::string(purpose) + ": " +
                      std::to_string(bytes) +
                      " bytes were asked for; close other programs or use a "
                      "smaller batch");
  }
  // Only advice: where it is refused, small pages work as well.
  if (bytes >= hugePageBytes)
    madvise(block, bytes, MADV_HUGEPAGE);
}

Memory::~Memory() {
  if (block)
    munmap(block, size);
}

Memory::Memory(Memory &&other) noexcept
    : block(std::exchange(other.block, nullptr)),
      size(std::exchange(other.size, 0)) {}

Memory &Memory::operator=(Memory &&other) noexcept {
  std::swap(block, other.block);
  std::swap(size, other.size);
  return *this;
}

} // namespace npu::runtime
