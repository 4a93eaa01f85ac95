// SPDX-License-Identifier: Apache-2.0

#include "kernels/packed.h"

#include "kernels/memory.h"

#include <algorithm>
#include <new>

namespace npu::kernels {

static thread_local PackedConstants *current = nullptr;

void PackedConstants::cover(const void *first, size_t bytes) {
  const auto *begin = static_cast<const char *>(first);
  ranges.emplace_back(begin, begin + bytes);
}

bool PackedConstants::has(const void *original) const {
  // Pointers into other blocks have no order but this.
  const std::less<const char *> isBefore;
  const auto *at = static_cast<const char *>(original);
  return std::any_of(ranges.begin(), ranges.end(), [&](const auto &range) {
    return !isBefore(at, range.first) && isBefore(at, range.second);
  });
}

std::shared_ptr<void> PackedConstants::find(const Key &key) const {
  auto found = known.find(key);
  return found == known.end() ? nullptr : found->second.lock();
}

void PackedConstants::add(Key key, const std::shared_ptr<void> &packed) {
  known[std::move(key)] = packed;
}

PackedScope::PackedScope(PackedConstants &constants) : old(current) {
  current = &constants;
}

PackedScope::~PackedScope() { current = old; }

std::shared_ptr<void> packOnce(const void *original, const std::string &order,
                               size_t bytes,
                               const std::function<bool(void *)> &fill,
                               size_t &made) {
  PackedConstants *shared =
      current && current->has(original) ? current : nullptr;
  PackedConstants::Key key(original, order);
  if (shared)
    if (std::shared_ptr<void> packed = shared->find(key))
      return packed;
  std::shared_ptr<void> packed = allocate(bytes);
  if (!packed)
    throw std::bad_alloc();
  if (!fill(packed.get()))
    return nullptr;
  made += bytes;
  if (shared)
    shared->add(std::move(key), packed);
  return packed;
}

} // namespace npu::kernels
