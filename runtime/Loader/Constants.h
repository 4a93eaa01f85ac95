// SPDX-License-Identifier: Apache-2.0
//
// The constants of a loaded program: those that the file has, and those that
// its makers make of them. Either is memory as long as kernels read it as it
// is; what they have packed is given back.
#ifndef NPU_RUNTIME_LOADER_CONSTANTS_H
#define NPU_RUNTIME_LOADER_CONSTANTS_H

#include "kernels/narrow.h"
#include "runtime/Loader/Image.h"

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace npu::runtime {

class Constants {
public:
  /// Of a verified program, which lives as long. Makers run with this many
  /// threads, on the one that calls.
  Constants(const Image &image, int threads);
  ~Constants();
  Constants(const Constants &) = delete;
  Constants &operator=(const Constants &) = delete;

  /// Where all that is made lies, or will when it is asked for.
  const uint8_t *made() const { return region; }
  size_t madeBytes() const { return regionBytes; }
  /// Of what is made, what stays because a kernel reads it in each run.
  uint64_t keptBytes() const;

  /// What input 1 of the kernel is made of, if that is numbers, scales and
  /// offsets; made themselves, perhaps.
  std::optional<kernels::Narrow> narrowOf(const npu_kernel_desc &kernel);

  /// The stored bytes of each input of a kernel that is constant, null for
  /// others, and for one that it reads as narrowOf() has it.
  std::vector<const void *> operandsOf(const npu_kernel_desc &kernel,
                                       bool readsNarrow = false);

  /// Once the kernel is made: the constants among its inputs that it reads as
  /// they are in each run. The others are nothing to it any more.
  void settle(const npu_kernel_desc &kernel, const std::vector<bool> &isRead);

  /// Gives each whole page of the file's weights that no kernel reads back to
  /// the system. Returns the bytes.
  uint64_t releaseUnread();

private:
  struct Made {
    const npu_kernel_desc *maker = nullptr;
    uint64_t bytes = 0;
    uint32_t readers = 0; ///< kernels and makers that are not settled
    bool isThere = false;
    bool isKept = false; ///< somebody reads it in each run
  };
  void countReads(const npu_kernel_desc &kernel);
  const uint8_t *make(int64_t offset);
  const void *at(const npu_tensor_desc &constant);
  std::optional<kernels::Narrow> narrowOf(const npu_kernel_desc &maker,
                                          const npu_tensor_desc &constant);
  /// Pages that a constant needs no more go to the next one, not to the system,
  /// which would fill new ones with zeros: that takes longer than most makers.
  void spare(Pages pages);
  void takeSpare(Pages pages);

  const Image &image;
  const npu_program &program;
  int threads;
  uint64_t begin; ///< offset of what is made
  uint8_t *region = nullptr;
  size_t regionBytes = 0;
  Pages spared;
  std::unordered_map<int64_t, Made> all;            ///< by offset
  std::vector<std::pair<uint64_t, uint64_t>> reads; ///< of the file: begin, end
};

} // namespace npu::runtime

#endif // NPU_RUNTIME_LOADER_CONSTANTS_H
