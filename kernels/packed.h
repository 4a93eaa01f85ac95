// SPDX-License-Identifier: Apache-2.0
//
// Constants in orders of kernels' own. Kernels of one program that want the
// same constant in the same order share it: the steps of a recurrent net read
// one matrix hundreds of times, and copies of it would fall out of every cache.
#ifndef NPU_KERNELS_PACKED_H
#define NPU_KERNELS_PACKED_H

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace npu::kernels {

/// What has been packed of the constants of a program, as long as a kernel has
/// it.
class PackedConstants {
public:
  /// Constants lie in `bytes` from `first` on, as long as this lives.
  void cover(const void *first, size_t bytes);

  /// Whether it is one of them; else it may be gone when the next one is there.
  bool has(const void *original) const;

  /// Where the original lies, and what its order is called.
  using Key = std::pair<const void *, std::string>;

  /// Null where no kernel has it.
  std::shared_ptr<void> find(const Key &key) const;
  void add(Key key, const std::shared_ptr<void> &packed);

private:
  std::vector<std::pair<const char *, const char *>> ranges; // begin, end
  std::map<Key, std::weak_ptr<void>> known;
};

/// For a scope, what kernels pack of a program's constants in the calling
/// thread is shared.
class PackedScope {
public:
  explicit PackedScope(PackedConstants &constants);
  ~PackedScope();
  PackedScope(const PackedScope &) = delete;
  PackedScope &operator=(const PackedScope &) = delete;

private:
  PackedConstants *old;
};

/// The constant at `original` in the order that `order` names, with all that it
/// depends on: what another kernel has made, or `bytes` of new memory, any
/// numbers, that `fill` has filled. `made` grows by what is new. Null where
/// `fill` gives false; std::bad_alloc where there is not enough memory.
std::shared_ptr<void> packOnce(const void *original, const std::string &order,
                               size_t bytes,
                               const std::function<bool(void *)> &fill,
                               size_t &made);

} // namespace npu::kernels

#endif // NPU_KERNELS_PACKED_H
