// SPDX-License-Identifier: Apache-2.0
#include "compiler/Dialect/NPU/ScaledNumbers.h"

#include "format/program_format.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>
#include <limits>

using namespace npu;

namespace {

/// A narrower type, and which of its numbers may be a channel's largest. A
/// power of two belongs to the scale as well as to the numbers, so those of one
/// octave are enough for floats; small ones then have all their digits.
struct Narrow {
  int32_t dtype;
  int firstOfLargest, lastOfLargest;
  double step; // between those
  bool hasOffsets;
};
constexpr Narrow narrowTypes[] = {{NPU_I8, 1, 128, 1, false},
                                  {NPU_I8, 1, 255, 1, true},
                                  {NPU_F16, 1024, 2047, 16, false}};

/// The type's number that is next to `x`.
double nearest(const Narrow &type, double x) {
  if (type.dtype == NPU_I8)
    return std::nearbyint(x);
  // Eleven digits, and none below 2^-24.
  const int digit = std::max(std::ilogb(x) - 10, -24);
  return std::ldexp(std::nearbyint(std::ldexp(x, -digit)), digit);
}

bool holds(const Narrow &type, double x) {
  if (type.hasOffsets)
    return std::fabs(x) <= 255;
  return type.dtype == NPU_I8 ? x >= -128 && x <= 127 : std::fabs(x) <= 65504;
}

/// The scales that give `value` of `number`, both positive: from the middle to
/// the float below it to the middle to the one above.
struct Interval {
  double low = 0, high = std::numeric_limits<double>::infinity();

  void meet(double value, double number) {
    const auto given = static_cast<float>(value);
    const double below = std::nextafterf(given, 0),
                 above = std::nextafterf(given, HUGE_VALF);
    low = std::max(low, (value + below) / 2 / number);
    high = std::min(high, (value + above) / 2 / number);
  }
  bool isEmpty() const { return low > high; }
};

/// The scale that makes `largest` of the type's number `number`, and the other
/// values of others; these are written to `numbers`.
std::optional<float> scaleOf(ArrayRef<float> values, const Narrow &type,
                             double largest, double number,
                             MutableArrayRef<float> numbers) {
  Interval scales;
  scales.meet(largest, number);
  const double scale = largest / number;
  for (auto [value, own] : llvm::zip_equal(values, numbers)) {
    own = value; // 0
    if (value == 0 && (type.dtype != NPU_I8 || !std::signbit(value)))
      continue;
    const double found = nearest(type, value / scale);
    if (found == 0 || !holds(type, found)) // bytes have no -0
      return std::nullopt;
    own = static_cast<float>(found);
    scales.meet(std::fabs(value), std::fabs(found));
    if (scales.isEmpty())
      return std::nullopt;
  }
  // Two floats, unless values are denormal or the largest that there are.
  constexpr int most = 4;
  auto tried = static_cast<float>(scales.low);
  for (int i = 0; i < most && tried <= scales.high; ++i) {
    if (tried > 0 &&
        llvm::all_of(llvm::zip_equal(values, numbers), [&](auto both) {
          return std::get<1>(both) * tried == std::get<0>(both);
        }))
      return tried;
    tried = std::nextafterf(tried, HUGE_VALF);
  }
  return std::nullopt;
}

/// Of the values of one channel.
std::optional<float> scaleOf(ArrayRef<float> values, const Narrow &type,
                             MutableArrayRef<float> numbers) {
  float largest = 0;
  for (float value : values) {
    if (!std::isfinite(value))
      return std::nullopt;
    largest = std::max(largest, std::fabs(value));
  }
  if (largest == 0) // of either sign; the type has to hold it
    return scaleOf(values, type, 1, 1, numbers);
  for (int i = type.firstOfLargest; i <= type.lastOfLargest; ++i)
    if (auto scale = scaleOf(values, type, largest, i * type.step, numbers))
      return scale;
  return std::nullopt;
}

/// The elements of one channel among all: `run` at every `stride`.
struct Channel {
  size_t first, run, stride;

  /// All of them, or so many.
  void copy(ArrayRef<float> values, size_t most,
            std::vector<float> &own) const {
    own.clear();
    for (size_t begin = first; begin < values.size() && own.size() < most;
         begin += stride)
      llvm::append_range(own, values.slice(begin, std::min(run, most)));
  }
  void put(const std::vector<float> &own, MutableArrayRef<float> values) const {
    auto next = own.begin();
    for (size_t begin = first; begin < values.size(); begin += stride) {
      std::copy_n(next, run, values.begin() + begin);
      next += static_cast<ptrdiff_t>(run);
    }
  }
};

/// Whether all channels along `dim` have scales, which are in `found` then.
bool findAlong(ArrayRef<float> values, ArrayRef<int64_t> shape, int64_t dim,
               const Narrow &type, ScaledNumbers &found) {
  const size_t run = innerCount(shape, dim);
  const auto channels = static_cast<size_t>(shape[static_cast<size_t>(dim)]);
  // Of fewer for each scale there is nothing to gain.
  constexpr size_t least = 8;
  if (values.size() / channels < least)
    return false;
  // Most weights have none, which a few elements tell.
  constexpr size_t few = 32;
  std::vector<float> own, numbers;
  Channel{0, run, channels * run}.copy(values, few, own);
  numbers.resize(own.size());
  if (!scaleOf(own, type, numbers))
    return false;
  numbers.resize(values.size() / channels);
  found = {type.dtype, dim, std::vector<float>(values.size()), {}, {}};
  for (size_t c = 0; c < channels; ++c) {
    const Channel channel{c * run, run, channels * run};
    channel.copy(values, values.size(), own);
    std::optional<float> scale = scaleOf(own, type, numbers);
    if (!scale)
      return false;
    found.scales.push_back(*scale);
    if (type.hasOffsets) {
      auto [least, most] = std::minmax_element(numbers.begin(), numbers.end());
      if (*most - *least > 255)
        return false;
      found.offsets.push_back(*least + 128);
    }
    channel.put(numbers, found.numbers);
  }
  return true;
}

} // namespace

size_t npu::innerCount(ArrayRef<int64_t> shape, int64_t dim) {
  size_t inner = 1;
  for (int64_t extent : shape.drop_front(static_cast<size_t>(dim) + 1))
    inner *= static_cast<size_t>(extent);
  return inner;
}

std::optional<ScaledNumbers> npu::findScaledNumbers(ArrayRef<float> values,
                                                    ArrayRef<int64_t> shape) {
  if (values.empty() || shape.empty())
    return std::nullopt;
  ScaledNumbers found;
  const auto last = static_cast<int64_t>(shape.size()) - 1;
  for (const Narrow &type : narrowTypes)
    for (int64_t dim : {int64_t{0}, last, int64_t{1}})
      if (dim <= last && (dim == 0 || shape[static_cast<size_t>(dim)] > 1) &&
          findAlong(values, shape, dim, type, found))
        return found;
  return std::nullopt;
}
