// SPDX-License-Identifier: Apache-2.0

#include "kernels/memory.h"

#include "kernels/support/reference.h"

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <sys/mman.h>

namespace npu::kernels {

constexpr size_t hugePage = size_t{2} << 20;

void *mapPages(size_t bytes) {
  void *block = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (block == MAP_FAILED)
    return nullptr;
  // Only advice: where it is refused, small pages work as well.
  if (bytes >= hugePage)
    madvise(block, bytes, MADV_HUGEPAGE);
  return block;
}

namespace {
/// What many blocks lie in one behind the other, on huge pages where the system
/// has them: weights are read from end to end in every run, and a product on
/// small pages waits for 3 % of its time for their addresses. Given back as a
/// whole, when the last block is.
class Chunk {
public:
  explicit Chunk(size_t wanted)
      : bytes((wanted + hugePage - 1) / hugePage * hugePage),
        whole(mapPages(bytes + hugePage)) {
    auto address = reinterpret_cast<uintptr_t>(whole);
    first = static_cast<char *>(whole) +
            ((address + hugePage - 1) / hugePage * hugePage - address);
  }
  ~Chunk() {
    if (whole)
      munmap(whole, bytes + hugePage);
  }
  Chunk(const Chunk &) = delete;
  Chunk &operator=(const Chunk &) = delete;

  /// The next bytes; null if they are not there.
  void *take(size_t wanted) {
    if (!whole || wanted > bytes - used)
      return nullptr;
    used += wanted;
    return first + (used - wanted);
  }

private:
  size_t bytes, used = 0;
  void *whole; // null: there is not enough
  char *first = nullptr;
};
} // namespace

constexpr size_t chunkBytes = size_t{16} << 20;

/// A sanitizer sees where a block ends only if it is one of the system's.
#if __has_feature(address_sanitizer)
constexpr bool hasChunks = false;
#else
constexpr bool hasChunks = true;
#endif

static std::shared_ptr<void> takeOfChunk(size_t bytes) {
  static std::mutex mutex;
  static std::weak_ptr<Chunk> current;
  std::lock_guard<std::mutex> lock(mutex);
  std::shared_ptr<Chunk> chunk = current.lock();
  void *block = chunk ? chunk->take(bytes) : nullptr;
  if (!block) {
    chunk = std::make_shared<Chunk>(std::max(bytes, chunkBytes));
    block = chunk->take(bytes);
    current = chunk;
  }
  return block ? std::shared_ptr<void>(chunk, block) : nullptr;
}

static thread_local const Allocator *current = nullptr;

AllocatorScope::AllocatorScope(const Allocator &allocator) : old(current) {
  current = &allocator;
}

AllocatorScope::~AllocatorScope() { current = old; }

std::shared_ptr<void> allocate(size_t bytes) {
  bytes = aligned(bytes);
  if (!current || !current->allocate) {
    if (hasChunks)
      return takeOfChunk(bytes);
    return {std::aligned_alloc(NPU_VALUE_ALIGNMENT, bytes), std::free};
  }
  void *block = current->allocate(current->user, bytes, NPU_VALUE_ALIGNMENT);
  if (!block)
    return nullptr;
  return {block, [from = *current, bytes](void *taken) {
            from.release(from.user, taken, bytes);
          }};
}

} // namespace npu::kernels
