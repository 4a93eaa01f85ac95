// SPDX-License-Identifier: Apache-2.0
#include "compiler/Codegen/MemoryPlanner.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <numeric>

using namespace npu;

namespace {

/// Whether buffer `a` is placed before buffer `b`.
using Order =
    std::function<bool(const BufferLifetime &a, const BufferLifetime &b)>;

int64_t lengthOf(const BufferLifetime &buffer) {
  return buffer.end - buffer.begin + 1;
}

bool overlaps(const BufferLifetime &a, const BufferLifetime &b) {
  return a.begin <= b.end && b.begin <= a.end;
}

int64_t lowerBound(const std::vector<BufferLifetime> &buffers) {
  std::map<int64_t, int64_t> changes; // step -> bytes that come or go
  for (const BufferLifetime &buffer : buffers) {
    changes[buffer.begin] += buffer.bytes;
    changes[buffer.end + 1] -= buffer.bytes;
  }
  int64_t alive = 0, most = 0;
  for (auto [step, change] : changes)
    most = std::max(most, alive += change);
  return most;
}

/// The buffers that have an offset already, by their steps: an interval tree,
/// balanced once, over all buffers in the order of their first steps.
class PlacedBuffers {
public:
  explicit PlacedBuffers(const std::vector<BufferLifetime> &buffers)
      : buffers(buffers), byBegin(buffers.size()), rank(buffers.size()),
        placed(buffers.size()), lastEnd(buffers.size(), none) {
    std::iota(byBegin.begin(), byBegin.end(), 0);
    llvm::sort(byBegin, [&](size_t a, size_t b) {
      return std::pair(buffers[a].begin, a) < std::pair(buffers[b].begin, b);
    });
    for (auto [place, index] : llvm::enumerate(byBegin))
      rank[index] = place;
  }

  void add(size_t index) {
    placed[rank[index]] = true;
    size_t first = 0, last = buffers.size();
    while (true) {
      size_t middle = first + (last - first) / 2;
      lastEnd[middle] = std::max(lastEnd[middle], buffers[index].end);
      if (rank[index] == middle)
        return;
      if (rank[index] < middle)
        last = middle;
      else
        first = middle + 1;
    }
  }

  /// Those that live at one of the buffer's steps.
  std::vector<size_t> beside(const BufferLifetime &buffer) const {
    std::vector<size_t> found;
    collect(buffer, 0, buffers.size(), found);
    return found;
  }

private:
  void collect(const BufferLifetime &buffer, size_t first, size_t last,
               std::vector<size_t> &found) const {
    if (first == last)
      return;
    size_t middle = first + (last - first) / 2;
    if (lastEnd[middle] < buffer.begin)
      return; // nor does any below it last until then
    collect(buffer, first, middle, found);
    size_t index = byBegin[middle];
    if (buffers[index].begin > buffer.end)
      return;
    if (placed[middle] && overlaps(buffer, buffers[index]))
      found.push_back(index);
    collect(buffer, middle + 1, last, found);
  }

  static constexpr int64_t none = std::numeric_limits<int64_t>::min();
  const std::vector<BufferLifetime> &buffers;
  std::vector<size_t> byBegin, rank; // place to buffer, and back
  std::vector<bool> placed;          // by place
  std::vector<int64_t> lastEnd;      // of what is placed at or below a place
};

/// The smallest gap between neighbours in memory that takes the buffer (best
/// fit); behind all of them if none does.
int64_t bestFit(const BufferLifetime &buffer,
                const std::vector<BufferLifetime> &buffers,
                const std::vector<int64_t> &offsets,
                std::vector<size_t> neighbours) {
  llvm::sort(neighbours, [&](size_t a, size_t b) {
    return std::pair(offsets[a], a) < std::pair(offsets[b], b);
  });
  int64_t free = 0, best = -1, bestGap = 0;
  for (size_t other : neighbours) {
    int64_t gap = offsets[other] - free;
    if (gap >= buffer.bytes && (best < 0 || gap < bestGap)) {
      best = free;
      bestGap = gap;
    }
    free = std::max(free, offsets[other] + buffers[other].bytes);
  }
  return best < 0 ? free : best;
}

ArenaPlan planInOrder(const std::vector<BufferLifetime> &buffers,
                      const Order &order) {
  std::vector<size_t> sequence(buffers.size());
  std::iota(sequence.begin(), sequence.end(), 0);
  std::sort(sequence.begin(), sequence.end(), [&](size_t a, size_t b) {
    if (order(buffers[a], buffers[b]))
      return true;
    return !order(buffers[b], buffers[a]) && a < b;
  });
  ArenaPlan plan;
  plan.offsets.assign(buffers.size(), 0);
  PlacedBuffers placed(buffers);
  for (size_t index : sequence) {
    int64_t offset = bestFit(buffers[index], buffers, plan.offsets,
                             placed.beside(buffers[index]));
    plan.offsets[index] = offset;
    plan.bytes = std::max(plan.bytes, offset + buffers[index].bytes);
    placed.add(index);
  }
  return plan;
}

const Order orders[] = {
    [](const BufferLifetime &a, const BufferLifetime &b) {
      return a.bytes > b.bytes;
    },
    [](const BufferLifetime &a, const BufferLifetime &b) {
      return a.bytes * lengthOf(a) > b.bytes * lengthOf(b);
    },
    [](const BufferLifetime &a, const BufferLifetime &b) {
      return lengthOf(a) > lengthOf(b);
    },
    [](const BufferLifetime &a, const BufferLifetime &b) {
      return a.begin < b.begin;
    },
    [](const BufferLifetime &a, const BufferLifetime &b) {
      return a.end > b.end;
    },
};

} // namespace

ArenaPlan npu::planArena(const std::vector<BufferLifetime> &buffers,
                         int64_t alignment) {
  std::vector<BufferLifetime> aligned = buffers;
  for (BufferLifetime &buffer : aligned)
    buffer.bytes = (buffer.bytes + alignment - 1) / alignment * alignment;
  int64_t bound = lowerBound(aligned);
  ArenaPlan best;
  for (const Order &order : orders) {
    ArenaPlan plan = planInOrder(aligned, order);
    if (best.offsets.size() != buffers.size() || plan.bytes < best.bytes)
      best = plan;
    if (best.bytes == bound)
      break;
  }
  best.lowerBound = bound;
  return best;
}
