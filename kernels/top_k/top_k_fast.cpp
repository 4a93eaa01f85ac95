// SPDX-License-Identifier: Apache-2.0
//
// The best elements of each line along an axis. Elements become whole numbers
// that are in the order of the elements, of equals the first one before: those
// that may still be among the best gather in scratch, which is cut to the best
// whenever it is full, and only what is better than the last of these comes in
// afterwards.

#include "kernels/parallel.h"
#include "kernels/registry.h"
#include "kernels/support/convert.h"
#include "kernels/support/movement.h"
#include "kernels/support/reference.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>
#include <utility>

namespace npu::kernels {

constexpr int64_t minElementsPerThread = 4096;
constexpr int batch = 256;

/// The larger the element, the larger the number; NaN is the largest, and zeros
/// of both signs are the same.
static uint32_t rankOf(float value) {
  if (value != value)
    return std::numeric_limits<uint32_t>::max();
  constexpr uint32_t sign = 0x80000000;
  uint32_t bits;
  value += 0.0f;
  std::memcpy(&bits, &value, sizeof bits);
  return bits & sign ? ~bits : bits | sign;
}

static uint64_t rankOf(int64_t value) {
  constexpr uint64_t sign = uint64_t{1} << 63;
  return static_cast<uint64_t>(value) ^ sign;
}

namespace {
/// An element and where it stands; the better one is the larger one.
template <typename T>
struct Ranked;

template <>
struct Ranked<float> {
  using Number = uint64_t;
  static Number of(float value, int64_t place, bool isLargest) {
    uint32_t rank = isLargest ? rankOf(value) : ~rankOf(value);
    return uint64_t{rank} << 32 | ~static_cast<uint32_t>(place);
  }
  static int64_t placeOf(Number number) {
    return static_cast<int64_t>(~static_cast<uint32_t>(number));
  }
};

template <>
struct Ranked<int64_t> {
  using Number = std::pair<uint64_t, uint64_t>;
  static Number of(int64_t value, int64_t place, bool isLargest) {
    return {isLargest ? rankOf(value) : ~rankOf(value),
            ~static_cast<uint64_t>(place)};
  }
  static int64_t placeOf(const Number &number) {
    return static_cast<int64_t>(~number.second);
  }
};

template <typename T>
class TopKFast : public Kernel {
public:
  explicit TopKFast(const Problem &p)
      : data(p.inputs[0]), result(p.outputs[0]), inputs(p.inputs.size()),
        threads(p.threads), isLargest(p.attrs.top_k.largest != 0), lines({}) {
    auto axis = static_cast<int>(p.attrs.top_k.axis);
    extent = data.dims[axis];
    count = result.dims[axis];
    room = std::max<int64_t>(2 * count, 2 * batch) + batch;
    Walk along({extent});
    along.add({dimMap(data, axis, extent)});
    elements = along;
    to = dimMap(result, axis, count);
    std::vector<int64_t> extents;
    std::vector<DimMap> reads, writes;
    for (int d = 0; d < data.rank; ++d)
      if (d != axis) {
        extents.push_back(data.dims[d]);
        reads.push_back(dimMap(data, d, data.dims[d]));
        writes.push_back(dimMap(result, d, result.dims[d]));
      }
    lines = Walk(extents);
    lines.add(reads);
    lines.add(writes);
  }

  std::string implementation() const override { return "native:top_k"; }

  size_t scratchBytes() const override {
    return static_cast<size_t>(threads) * bytesOfThread();
  }

  int run(void *const *operands, void *scratch) const override {
    int64_t all = count ? lines.size() : 0;
    int team = teamFor(all * extent, minElementsPerThread, threads);
    parallelFor(team, [&](int thread, int members) {
      auto *best = reinterpret_cast<Number *>(static_cast<char *>(scratch) +
                                              static_cast<size_t>(thread) *
                                                  bytesOfThread());
      Range range = shareOf(all, thread, members);
      for (int64_t line = range.begin; line < range.end; ++line)
        runLine(operands, line, best);
    });
    zeroPadding(result, operands[inputs]);
    return 0;
  }

private:
  using Number = typename Ranked<T>::Number;

  size_t bytesOfThread() const {
    return aligned(static_cast<size_t>(room) * sizeof(Number));
  }

  void runLine(void *const *operands, int64_t line, Number *best) const {
    int64_t read, write;
    lines.list(0, line, 1, &read);
    lines.list(1, line, 1, &write);
    int64_t found = select(static_cast<const char *>(operands[0]) +
                               read * dtypeBytes(data.dtype),
                           best);
    if (found > count)
      cut(best, found);
    std::sort(best, best + count, std::greater<>());
    int64_t places[batch], offsets[batch];
    for (int64_t at = 0; at < count; at += batch) {
      auto n = static_cast<int>(std::min<int64_t>(batch, count - at));
      for (int i = 0; i < n; ++i) {
        places[i] = Ranked<T>::placeOf(best[at + i]);
        offsets[i] = write + to.at(at + i);
      }
      store(result.dtype, operands[inputs], Walk::Run::Listed, offsets, n,
            places);
    }
  }

  /// Fills `best` with all that may be among the best of the line; how many.
  int64_t select(const char *line, Number *best) const {
    int64_t found = 0;
    Number least{};
    for (int64_t at = 0; at < extent; at += batch) {
      auto n = static_cast<int>(std::min<int64_t>(batch, extent - at));
      int64_t offsets[batch];
      T values[batch];
      load(data.dtype, line, elements.offsets(0, at, n, offsets), offsets, n,
           values);
      for (int i = 0; i < n; ++i) {
        best[found] = Ranked<T>::of(values[i], at + i, isLargest);
        found += best[found] >= least;
      }
      if (found + batch > room) {
        cut(best, found);
        found = count;
        least = best[count - 1];
      }
    }
    return found;
  }

  /// Brings the best to the front, the last of them last.
  void cut(Number *best, int64_t found) const {
    std::nth_element(best, best + count - 1, best + found, std::greater<>());
  }

  npu_tensor_desc data, result;
  size_t inputs;
  int threads;
  bool isLargest;
  int64_t extent, count; // of a line, of the best of it
  int64_t room;          // for numbers of one thread
  Walk elements{{}};     // along a line
  Walk lines;            // data, result
  DimMap to;             // along a line of the result
};
} // namespace

std::unique_ptr<Kernel> createTopKFast(const Problem &problem,
                                       std::string &whyNot) {
  const npu_tensor_desc &data = problem.inputs[0];
  if (!problem.instrs.empty())
    whyNot = "fused instructions";
  else if (data.dims[problem.attrs.top_k.axis] >
           std::numeric_limits<uint32_t>::max())
    whyNot = "lines of more elements than 32 bits count";
  if (!whyNot.empty())
    return nullptr;
  if (isFloat(data.dtype))
    return std::make_unique<TopKFast<float>>(problem);
  return std::make_unique<TopKFast<int64_t>>(problem);
}

} // namespace npu::kernels
