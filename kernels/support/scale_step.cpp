// SPDX-License-Identifier: Apache-2.0

#include "kernels/support/scale_step.h"

#include "kernels/support/vectors.h"

#include <algorithm>
#include <cstring>

namespace npu::kernels {

using Wide = int64_t __attribute__((vector_size(64)));
using Narrow = int32_t __attribute__((vector_size(64)));
using UnsignedWide = uint64_t __attribute__((vector_size(64)));

void ScaleGroup::set(int place, int32_t factor, int32_t shift, bool twice) {
  Half &half = place % 2 == 0 ? even : odd;
  auto at = static_cast<size_t>(place / 2);
  uint64_t bits = static_cast<uint64_t>(shift) & 63;
  bool isTwice = twice && bits > 31;
  half.factor[at] = factor;
  half.shift[at] = static_cast<int64_t>(bits);
  half.round[at] = static_cast<int64_t>(((uint64_t{1} << bits) >> 1) +
                                        (isTwice ? uint64_t{1} << 30 : 0));
  half.below[at] = isTwice ? -(int64_t{1} << 31) : 0;
}

void ScaleEnd::clip(int64_t least, int64_t most) {
  auto bound = [&](int64_t value) {
    return static_cast<int32_t>(std::min(std::max(value, least), most));
  };
  low = bound(low);
  high = bound(high);
}

SmallScale::SmallScale(int32_t factor, int32_t bits)
    : upper(factor >> bits),
      lower(static_cast<int32_t>(static_cast<uint32_t>(factor) &
                                 ((uint32_t{1} << bits) - 1))),
      round((1 << bits) >> 1), shift(bits) {}

NPU_WIDE_CLONES(void, scaleSmallRow,
                (const SmallScale &scale, const int32_t *a, int32_t *out,
                 int n),
                (scale, a, out, n)) {
  auto [upper, lower, round, shift] = scale;
  for (int i = 0; i < n; ++i) {
    uint32_t high = static_cast<uint32_t>(a[i]) * static_cast<uint32_t>(upper);
    int32_t low = (a[i] * lower + round) >> shift;
    out[i] = static_cast<int32_t>(high + static_cast<uint32_t>(low));
  }
}

template <typename T>
NPU_INLINE T load(const void *from) {
  T value;
  std::memcpy(&value, from, sizeof(value));
  return value;
}

/// Products of numbers of 32 bits, which have their sign in all 64.
NPU_INLINE Wide scaled(Wide numbers, const ScaleGroup::Half &half) {
  auto factor = load<Wide>(half.factor);
  auto round = load<UnsignedWide>(half.round);
  auto below = load<Wide>(half.below);
  // The factor's upper half is its sign: said so that one multiplication does.
  auto product = (UnsignedWide)(numbers * ((factor << 32) >> 32));
  round += (UnsignedWide)((numbers >> 63) & below);
  return (Wide)(product + round) >> load<Wide>(half.shift);
}

NPU_INLINE Narrow scaledGroup(const ScaleGroup &group, Wide numbers) {
  auto even = (UnsignedWide)scaled((numbers << 32) >> 32, group.even);
  auto odd = (UnsignedWide)scaled(numbers >> 32, group.odd);
  constexpr uint64_t lower = 0xffffffff;
  return (Narrow)((even & lower) | (odd << 32));
}

/// Bounds of a whole vector.
NPU_INLINE Narrow finished(Narrow value, const ScaleEnd &end) {
  using Unsigned = uint32_t __attribute__((vector_size(64)));
  value = (Narrow)((Unsigned)value + static_cast<uint32_t>(end.offset));
  Narrow low = value - value + end.low, high = value - value + end.high;
  value = value < low ? low : value;
  value = value > high ? high : value;
  return (Narrow)((Unsigned)value + static_cast<uint32_t>(end.behind));
}

/// Without vectors among its parameters: those of a clone are other registers.
NPU_INLINE void scaleGroup(const ScaleGroup &group, const ScaleEnd &end,
                           const int32_t *a, int32_t *out) {
  Narrow value = finished(scaledGroup(group, load<Wide>(a)), end);
  std::memcpy(out, &value, sizeof(value));
}

NPU_WIDE_CLONES(void, scaleRow,
                (const ScaleGroup *groups, int period, const ScaleEnd &end,
                 const int32_t *a, int32_t *out, int n),
                (groups, period, end, a, out, n)) {
  constexpr int each = ScaleGroup::numbers;
  int i = 0, group = 0;
  for (; i + each <= n; i += each) {
    scaleGroup(groups[group], end, a + i, out + i);
    group = group + 1 == period ? 0 : group + 1;
  }
  if (i == n)
    return;
  int32_t rest[each] = {};
  std::memcpy(rest, a + i, sizeof(int32_t) * static_cast<size_t>(n - i));
  scaleGroup(groups[group], end, rest, out + i);
}

} // namespace npu::kernels
