// SPDX-License-Identifier: Apache-2.0

#include "kernels/support/float_scale.h"

#include "kernels/support/vectors.h"

#include <algorithm>
#include <cmath>

namespace npu::kernels {

namespace {

constexpr int64_t leastSum = std::numeric_limits<int32_t>::min();
constexpr int64_t mostSum = std::numeric_limits<int32_t>::max();

/// Neighbours on each side of the nearest number that are tried.
constexpr int offsetsTried = 4, scalesTried = 8;
/// More numbers that are wrong for the nearest scale are no rounding: the
/// offsets of sums of both signs differ.
constexpr int32_t mostWrong = 32;

/// A sum, and the middle below or above which its scaled number has to lie.
struct Bounds {
  static constexpr int64_t most = 272; // the steps between bytes, and two ends

  int64_t count = 0;
  alignas(64) float sums[most], middles[most];

  void add(int64_t sum, int64_t level) {
    sums[count] = static_cast<float>(static_cast<int32_t>(sum));
    middles[count++] = static_cast<float>(level) - 0.5F;
  }
  /// Whole vectors: the last bound again.
  void fill() {
    for (; count > 0 && count % lanes != 0; ++count) {
      sums[count] = sums[count - 1];
      middles[count] = middles[count - 1];
    }
  }
};

/// What sums of one sign, or all, have to give.
struct Wanted {
  Bounds atLeast, below;

  bool isEmpty() const { return atLeast.count + below.count == 0; }
  void fill() {
    atLeast.fill();
    below.fill();
  }
};

/// The exact number of a sum, before `end`.
class Exact {
public:
  explicit Exact(const MulShift &step)
      : factor(step.factor), shift(step.shift),
        round((int64_t{1} << shift) >> 1),
        twice(step.twice && shift > 31 ? int64_t{1} << 30 : 0),
        unit(std::ldexp(static_cast<double>(factor), -step.shift)),
        late(static_cast<double>(twice) / static_cast<double>(factor)) {}

  bool hasTwo() const { return twice != 0; }
  NPU_INLINE int64_t of(int64_t sum) const {
    return (sum * factor + round + (sum < 0 ? -twice : twice)) >> shift;
  }
  /// Of each level the least sum that gives it at least; beyond all sums if
  /// none does.
  void findFirst(int64_t level, int64_t count, int64_t *firsts) const;

private:
  int64_t found(int64_t level) const {
    int64_t least = leastSum, most = mostSum + 1;
    while (least < most) {
      int64_t middle = least + ((most - least) >> 1);
      if (of(middle) >= level)
        most = middle;
      else
        least = middle + 1;
    }
    return least;
  }

  int64_t factor, shift, round, twice;
  double unit, late; // of a sum; rounding once more, in sums
};

/// What division says, and whether it is right.
NPU_WIDE_CLONES(void, guessFirst,
                (const Exact &exact, double unit, double late, int64_t level,
                 int64_t count, int64_t *firsts, int64_t *isRight),
                (exact, unit, late, level, count, firsts, isRight)) {
  for (int64_t i = 0; i < count; ++i) {
    double middle = (static_cast<double>(level + i) - 0.5) * unit;
    middle = std::ceil(middle + (middle < 0 ? late : -late));
    middle = middle > 0x1p31 ? 0x1p31 : middle < -0x1p31 ? -0x1p31 : middle;
    auto sum = static_cast<int64_t>(middle);
    firsts[i] = sum;
    auto isReached = static_cast<int64_t>(exact.of(sum) >= level + i),
         isLeast = static_cast<int64_t>(exact.of(sum - 1) < level + i),
         isSum = static_cast<int64_t>(sum <= mostSum),
         isInside = static_cast<int64_t>(sum > leastSum);
    isRight[i] = isReached & isLeast & isSum & isInside;
  }
}

void Exact::findFirst(int64_t level, int64_t count, int64_t *firsts) const {
  int64_t isRight[Bounds::most];
  guessFirst(*this, 1 / unit, late, level, count, firsts, isRight);
  for (int64_t i = 0; i < count; ++i)
    if (!isRight[i])
      firsts[i] = found(level + i);
}

/// The offsets, about, with which one scale meets what is wanted.
struct Interval {
  double low, high;
};

using Doubles = double __attribute__((vector_size(64)));

NPU_INLINE Doubles loadDoubles(const float *from) {
  constexpr int each = 8;
  using Floats = float __attribute__((vector_size(each * sizeof(float))));
  Floats value;
  std::memcpy(&value, from, sizeof(value));
  return __builtin_convertvector(value, Doubles);
}

NPU_INLINE double offsetOf(const Bounds &bounds, double unit, double sign) {
  constexpr int each = 8;
  Doubles most = Doubles{} - INFINITY;
  for (int64_t i = 0; i < bounds.count; i += each) {
    Doubles offset = (loadDoubles(bounds.middles + i) * unit -
                      loadDoubles(bounds.sums + i)) *
                     sign;
    most = offset > most ? offset : most;
  }
  double found = -INFINITY;
  for (int i = 0; i < each; ++i)
    found = std::max(found, most[i]);
  return found * sign;
}

/// How many scaled sums do not lie on the side of the middles that `sign` says.
NPU_INLINE int32_t countWrong(const Bounds &bounds, float scale, float offset,
                              float sign) {
  using Ints = int32_t __attribute__((vector_size(64)));
  Ints wrong = {};
  for (int64_t i = 0; i < bounds.count; i += lanes) {
    Vector numbers = (loadVector(bounds.sums + i) + offset) * scale;
    wrong -= ~(numbers * sign > loadVector(bounds.middles + i) * sign);
  }
  int32_t count = 0;
  for (int64_t i = 0; i < lanes; ++i)
    count += wrong[i];
  return count;
}

NPU_WIDE_CLONES(void, findInterval,
                (const Wanted &wanted, double unit, Interval &found),
                (wanted, unit, found)) {
  found.low = offsetOf(wanted.atLeast, unit, 1);
  found.high = offsetOf(wanted.below, unit, -1);
}

NPU_WIDE_CLONES(int32_t, wrongOf,
                (const Wanted &wanted, float scale, float offset),
                (wanted, scale, offset)) {
  return countWrong(wanted.atLeast, scale, offset, 1) +
         countWrong(wanted.below, scale, offset, -1);
}

/// Whether one of the bounds would be among the results that may be wrong:
/// these are frequent.
bool doubtsBounds(const Wanted &wanted, float scale, float offset) {
  const Bounds &up = wanted.atLeast, &down = wanted.below;
  auto last = static_cast<size_t>(std::max<int64_t>(down.count - 1, 0));
  return (up.count > 0 && !((up.sums[0] + offset) * scale > up.middles[0])) ||
         (down.count > 0 &&
          !((down.sums[last] + offset) * scale < down.middles[last]));
}

/// The best that was found yet.
struct Best {
  FloatScale floats = {};
  int32_t wrong = std::numeric_limits<int32_t>::max();
};

void tryOffsets(const Wanted &wanted, float scale, Best &best) {
  Interval interval;
  findInterval(wanted, 1 / static_cast<double>(scale), interval);
  double middle = std::isinf(interval.low) ? interval.high - 1
                  : std::isinf(interval.high)
                      ? interval.low + 1
                      : (interval.low + interval.high) / 2;
  auto less = static_cast<float>(middle), more = less;
  for (int i = 0; i < offsetsTried; ++i) {
    for (float offset : {less, more}) {
      int32_t wrong = wrongOf(wanted, scale, offset);
      if (wrong > 0 && doubtsBounds(wanted, scale, offset))
        wrong += mostWrong / 2;
      if (wrong < best.wrong)
        best = {{scale, offset, {}}, wrong};
      if (wrong == 0)
        return;
    }
    less = std::nextafter(less, -INFINITY);
    more = std::nextafter(more, INFINITY);
  }
}

/// Results where the bounds are not met: `moved` from the level.
void findWrong(const Bounds &bounds, float sign, int32_t moved,
               FloatScale &floats) {
  for (int64_t i = 0; i < bounds.count; ++i) {
    float number = (bounds.sums[i] + floats.offset) * floats.scale;
    if (!(number * sign > bounds.middles[i] * sign))
      floats.wrong.push_back(
          static_cast<int32_t>(std::lround(bounds.middles[i] + 0.5F)) + moved);
  }
}

bool isSum(int64_t number) { return number >= leastSum && number <= mostSum; }

/// Of sums that lack `bias`; those that no 32 bits hold do not occur.
Wanted wantedOf(const Exact &exact, const ScaleEnd &end, int32_t bias) {
  Wanted wanted;
  int64_t firsts[Bounds::most], lowest = int64_t{end.low} + 1;
  exact.findFirst(lowest - end.offset, int64_t{end.high} - end.low, firsts);
  for (int64_t level = lowest; level <= end.high; ++level) {
    int64_t first = firsts[level - lowest];
    if (isSum(first) && isSum(first - bias))
      wanted.atLeast.add(first - bias, level);
    if (isSum(first - 1) && isSum(first - 1 - bias))
      wanted.below.add(first - 1 - bias, level);
  }
  wanted.atLeast.fill();
  wanted.below.fill();
  return wanted;
}

} // namespace

std::optional<ScaleEnd> centred(const ScaleEnd &end) {
  constexpr int64_t half = 128;
  constexpr int32_t mostBehind = 1 << 20; // beside which floats are whole
  ScaleEnd moved = end;
  if (std::abs(int64_t{end.behind}) > mostBehind)
    return std::nullopt;
  if (end.low < -half || end.high >= half) {
    if (end.low < 0 || end.high >= 2 * half ||
        end.offset < std::numeric_limits<int32_t>::min() + half)
      return std::nullopt;
    moved.offset -= half;
    moved.low -= half;
    moved.high -= half;
    moved.behind += half;
  }
  return moved;
}

std::optional<FloatScale> floatScaleOf(const MulShift &step,
                                       const ScaleEnd &end, int32_t bias) {
  if (!isRising(step, end))
    return std::nullopt;
  Wanted wanted = wantedOf(Exact(step), end, bias);
  auto less = static_cast<float>(
      std::ldexp(static_cast<double>(step.factor), -step.shift));
  float more = less;
  Best best;
  for (int i = 0; i <= scalesTried && best.wrong != 0; ++i) {
    for (float scale : {less, more})
      if (best.wrong != 0)
        tryOffsets(wanted, scale, best);
    if (best.wrong > mostWrong)
      return std::nullopt;
    less = std::nextafter(less, -INFINITY);
    more = std::nextafter(more, INFINITY);
  }
  findWrong(wanted.atLeast, 1, -1, best.floats);
  findWrong(wanted.below, -1, 0, best.floats);
  auto &wrong = best.floats.wrong; // of filled vectors, some twice
  std::sort(wrong.begin(), wrong.end());
  wrong.erase(std::unique(wrong.begin(), wrong.end()), wrong.end());
  return best.floats;
}

int32_t exactScale(const MulShift &step, const ScaleEnd &end, int32_t sum) {
  int64_t number = Exact(step).of(sum) + end.offset;
  number = std::min(std::max(number, int64_t{end.low}), int64_t{end.high});
  return static_cast<int32_t>(number + end.behind);
}

/// Bits behind the point that rounded numbers have, and how many of the last
/// units are unsure: errors of scale, offset, sum, addition and product are
/// relative ones of 2^-24 to numbers below 512, or half of that, together below
/// two units; rounding is half of one.
constexpr int32_t pointBits = 14, unsureUnits = 4;
constexpr int32_t sureBits = (1 << pointBits) - 2 * unsureUnits;
constexpr float unitsOfOne = 1 << pointBits;

bool isRising(const MulShift &step, const ScaleEnd &end) {
  constexpr int32_t leastShift = 31, mostShift = 62;
  if (step.factor <= 0 || step.shift < leastShift || step.shift > mostShift)
    return false;
  constexpr int64_t margin = 256;
  int64_t most = -Exact(step).of(leastSum);
  return most + std::abs(int64_t{end.offset}) + margin < mostSum;
}

bool FloatGroup::set(int place, const MulShift &step, const ScaleEnd &end) {
  auto at = static_cast<size_t>(place);
  double unit = std::ldexp(static_cast<double>(step.factor), -step.shift);
  double late =
      step.twice && step.shift > 31 ? std::ldexp(1.0, 30 - step.shift) : 0;
  double moved = end.offset + 0.5 + std::ldexp(unsureUnits, -pointBits);
  // All negative sums are beyond the lower bound, one offset does.
  bool isOne = late == 0 || end.offset <= end.low;
  scale[at] = static_cast<float>(std::ldexp(unit, pointBits));
  above[at] = static_cast<float>((moved + late) / unit);
  below[at] = isOne ? above[at] : static_cast<float>((moved - late) / unit);
  return !isOne;
}

namespace {
/// What all groups have alike: the bounds, and what rounds in the lowest bits
/// of a float and adds what is behind them.
struct Ends {
  float low, high, toInteger;

  explicit Ends(const ScaleEnd &end)
      : low(unitsOfOne * (static_cast<float>(end.low) + 0.5F)),
        high(unitsOfOne * (static_cast<float>(end.high) + 0.5F)),
        toInteger(0x1.8p23F) {}
};
} // namespace

using Ints = int32_t __attribute__((vector_size(64)));

/// The numbers of a group, rounded to units in the lowest bits.
template <bool IsSplit>
NPU_INLINE Ints inUnits(const FloatGroup &group, const Ends &ends,
                        const int32_t *a) {
  Ints sums;
  std::memcpy(&sums, a, sizeof(sums));
  Vector offset = loadVector(group.above);
  if (IsSplit)
    offset = sums < 0 ? loadVector(group.below) : offset;
  Vector value = __builtin_convertvector(sums, Vector);
  value = (value + offset) * loadVector(group.scale);
  Vector low = Vector{} + ends.low, high = Vector{} + ends.high;
  value = value < low ? low : value;
  value = value > high ? high : value;
  return (Ints)(value + ends.toInteger);
}

/// Numbers of a group as bytes or as wide as sums.
NPU_INLINE void storeNumbers(Ints units, int32_t behind, int8_t *out) {
  using Bytes = int8_t __attribute__((vector_size(16)));
  Bytes bytes = __builtin_convertvector(units >> pointBits, Bytes);
  bytes += static_cast<int8_t>(behind);
  std::memcpy(out, &bytes, sizeof(bytes));
}
NPU_INLINE void storeNumbers(Ints units, int32_t behind, int32_t *out) {
  constexpr int unused = 32 - pointBits - 8; // bits above the byte
  Ints numbers = ((units << unused) >> (unused + pointBits)) + behind;
  std::memcpy(out, &numbers, sizeof(numbers));
}

/// Whole groups; `unsure` are those that have to be computed exactly. Gives
/// their count.
template <bool IsSplit, typename T>
NPU_INLINE int scaleGroups(const FloatGroup *groups, int count,
                           const ScaleEnd &end, const int32_t *a, T *out,
                           int *unsure) {
  constexpr int each = ScaleGroup::numbers;
  Ends ends(end);
  int32_t behind = end.behind;
  int found = 0;
  for (int group = 0; group < count; ++group) {
    Ints units = inUnits<IsSplit>(groups[group], ends, a + group * each);
    storeNumbers(units, behind, out + group * each);
    unsure[found] = group;
    found +=
        static_cast<int>(__builtin_reduce_or((units & sureBits) == 0) != 0);
  }
  return found;
}

NPU_WIDE_CLONES(int, toBytes,
                (const FloatGroup *groups, int count, bool isSplit,
                 const ScaleEnd &end, const int32_t *a, int8_t *out,
                 int *unsure),
                (groups, count, isSplit, end, a, out, unsure)) {
  return isSplit ? scaleGroups<true>(groups, count, end, a, out, unsure)
                 : scaleGroups<false>(groups, count, end, a, out, unsure);
}

NPU_WIDE_CLONES(int, toWide,
                (const FloatGroup *groups, int count, bool isSplit,
                 const ScaleEnd &end, const int32_t *a, int32_t *out,
                 int *unsure),
                (groups, count, isSplit, end, a, out, unsure)) {
  return isSplit ? scaleGroups<true>(groups, count, end, a, out, unsure)
                 : scaleGroups<false>(groups, count, end, a, out, unsure);
}

/// `count` numbers of one group.
template <typename T>
static void scaleExactly(const ScaleGroup &group, const ScaleEnd &end,
                         const int32_t *a, T *out, int count) {
  int32_t numbers[ScaleGroup::numbers];
  scaleRow(&group, 1, end, a, numbers, count);
  for (int i = 0; i < count; ++i)
    out[i] = static_cast<T>(numbers[i]);
}

template <typename T, typename Function>
static void scaleWith(Function scale, const ScaleGroup *exact,
                      const FloatGroup *groups, bool isSplit,
                      const ScaleEnd &end, const int32_t *a, T *out, int n) {
  constexpr int each = ScaleGroup::numbers, most = 16;
  int unsure[most];
  int whole = n / each;
  for (int done = 0; done < whole; done += most) {
    int found = scale(groups + done, std::min(most, whole - done), isSplit, end,
                      a + done * each, out + done * each, unsure);
    for (int i = 0; i < found; ++i) {
      int at = done + unsure[i];
      scaleExactly(exact[at], end, a + at * each, out + at * each, each);
    }
  }
  if (int rest = n % each)
    scaleExactly(exact[whole], end, a + whole * each, out + whole * each, rest);
}

void storeScaled(const ScaleGroup *exact, const FloatGroup *groups,
                 bool isSplit, const ScaleEnd &end, const int32_t *a,
                 int8_t *out, int n) {
  scaleWith(toBytes, exact, groups, isSplit, end, a, out, n);
}

void scaleRow(const ScaleGroup *exact, const FloatGroup *groups, bool isSplit,
              const ScaleEnd &end, const int32_t *a, int32_t *out, int n) {
  scaleWith(toWide, exact, groups, isSplit, end, a, out, n);
}

} // namespace npu::kernels
