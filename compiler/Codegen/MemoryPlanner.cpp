// SPDX-License-Identifier: Apache-2.0
#include "compiler/Codegen/MemoryPlanner.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <functional>
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

/// The smallest gap between placed neighbours in time that takes the buffer
/// (best fit); behind all of them if none does.
int64_t bestFit(const BufferLifetime &buffer,
                const std::vector<BufferLifetime> &buffers,
                const std::vector<int64_t> &offsets,
                const std::vector<size_t> &placedByOffset) {
  int64_t free = 0, best = -1, bestGap = 0;
  for (size_t other : placedByOffset) {
    if (!overlaps(buffer, buffers[other]))
      continue;
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
  std::vector<size_t> placed; // by offset
  for (size_t index : sequence) {
    int64_t offset = bestFit(buffers[index], buffers, plan.offsets, placed);
    plan.offsets[index] = offset;
    plan.bytes = std::max(plan.bytes, offset + buffers[index].bytes);
    auto byOffset = [&](size_t a, size_t b) {
      return plan.offsets[a] < plan.offsets[b];
    };
    placed.insert(llvm::upper_bound(placed, index, byOffset), index);
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
