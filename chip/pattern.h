// SPDX-License-Identifier: Apache-2.0
//
// How the bytes of a tile lie in two places: the loops of a descriptor.
#ifndef NPU_CHIP_PATTERN_H
#define NPU_CHIP_PATTERN_H

#include "chip/program.h"

#include <vector>

namespace npu::chip {

/// Strides in bytes of a stored tensor: of each outer part in its order, then
/// of each block.
std::vector<int64_t> storedStrides(const npu_tensor_desc &tensor);

struct Pattern {
  std::vector<Level> levels; ///< outermost first
  int64_t run = 0;           ///< bytes that lie next to each other in both
};

/// Of all that is stored of `tile`, in as few levels as there can be.
Pattern patternOf(const npu_tensor_desc &tile,
                  const std::vector<int64_t> &source,
                  const std::vector<int64_t> &target);

/// Bytes from the lowest that is touched, at or below 0, to behind the highest.
struct Reach {
  int64_t low = 0, high = 0;
};
/// Of the source, or of the target. Nothing where the numbers overflow.
bool reachOf(const std::vector<Level> &levels, int64_t run, bool ofTarget,
             Reach &reach);

/// Bytes that it moves.
int64_t bytesOf(const std::vector<Level> &levels, int64_t run);

/// Calls use(source, target) with the offsets of each run until it returns
/// false. Returns whether it never did.
template <class Use>
bool forEachRun(const std::vector<Level> &levels, Use use, size_t depth = 0,
                int64_t source = 0, int64_t target = 0) {
  if (depth == levels.size())
    return use(source, target);
  const Level &level = levels[depth];
  for (int64_t i = 0; i < level.count(); ++i)
    if (!forEachRun(levels, use, depth + 1, source + i * level.source(),
                    target + i * level.target()))
      return false;
  return true;
}

} // namespace npu::chip

#endif // NPU_CHIP_PATTERN_H
