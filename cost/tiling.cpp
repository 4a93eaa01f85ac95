// SPDX-License-Identifier: Apache-2.0
#include "cost/tiling.h"

#include "cost/kernel_time.h"
#include "cost/names.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace npu::cost {
namespace {

constexpr std::array<std::string_view, 3> stayNames = {"weights", "data",
                                                       "sums"};

int64_t parts(int64_t extent, int64_t tile) {
  return tile > 0 ? std::max<int64_t>(1, (extent + tile - 1) / tile) : 1;
}

double share(int64_t tile, int64_t extent) {
  return extent > 0 ? static_cast<double>(tile) / static_cast<double>(extent)
                    : 1;
}

/// Of a tensor, how much is in one tile, and of its halo; and in how many parts
/// it comes.
struct Part {
  double share, halo, pieces;
};

Part partOf(const Transfer &transfer, const KernelWork &work,
            const Tiling &tiling) {
  Cuts cuts = cutsOf(work, tiling);
  if (!hasExtents(work))
    return {1 / cuts.tiles(), 1, cuts.tiles()};
  const Product &product = work.products[0];
  double m = share(tiling.m, product.m), k = share(tiling.k, product.k),
         n = share(tiling.n, product.n),
         count = share(tiling.count, product.count);
  switch (transfer.role) {
  case Role::Data:
    // Each channel of a depthwise convolution has its own data.
    if (product.depthwise)
      return {count * m * n, count * n, cuts.count * cuts.m * cuts.n};
    return {count * m * k, count * k, cuts.count * cuts.m * cuts.k};
  case Role::Weight:
    return {count * k * n, count * k * n, cuts.count * cuts.k * cuts.n};
  case Role::Result:
    break;
  }
  return {count * m * n, count * n, cuts.count * cuts.m * cuts.n};
}

/// The extents of tiles along one dimension: all, a half, a quarter, ... in
/// whole `unit`s.
std::vector<int64_t> extents(int64_t extent, int64_t unit) {
  int64_t step = std::max<int64_t>(1, unit), units = parts(extent, step);
  std::vector<int64_t> list;
  for (;; units = (units + 1) / 2) {
    list.push_back(std::min(extent, units * step));
    if (units <= 1)
      return list;
  }
}

/// As above, and below the smallest of these, in whole `least`s.
std::vector<int64_t> narrowExtents(int64_t extent, int64_t unit,
                                   int64_t least) {
  std::vector<int64_t> list = extents(extent, unit);
  int64_t smallest = list.back();
  for (int64_t part : extents(smallest, least))
    if (part < smallest)
      list.push_back(part);
  return list;
}

/// What a tiling is judged by, best first.
class Choice {
public:
  Choice(const KernelWork &work, const Machine &machine)
      : work(work), machine(machine), capacity(tileCapacity(work, machine)) {}

  bool fits(const Tiling &tiling) const {
    return bufferBytes(work, tiling, machine) <= capacity;
  }
  void consider(const Tiling &tiling) {
    double bytes = bufferBytes(work, tiling, machine);
    Rank rank = {true, bytes, 0, 0};
    if (bytes <= capacity) {
      KernelTime time = timeOf(work, tiling, machine);
      rank = {false, static_cast<double>(time.total),
              time.dramRead + time.dramWritten, cutsOf(work, tiling).tiles()};
    }
    if (!found || rank < best) {
      found = true;
      best = rank;
      tilingOfBest = tiling;
    }
  }
  /// The largest of `ms` that fits, or else the smallest.
  void considerLargest(Tiling tiling, const std::vector<int64_t> &ms) {
    for (int64_t m : ms) {
      tiling.m = m;
      if (m == ms.back() || fits(tiling))
        return consider(tiling);
    }
  }
  bool anyFits() const { return found && !std::get<0>(best); }
  Tiling get() const { return tilingOfBest; }

private:
  using Rank = std::tuple<bool, double, double, double>;
  const KernelWork &work;
  const Machine &machine;
  double capacity;
  bool found = false;
  Rank best;
  Tiling tilingOfBest;
};

/// Whether tiles fill the array, or may be narrower than it.
enum class Width { Array, Any };

void considerProduct(Choice &choice, const KernelWork &work,
                     const Machine &machine, Width width) {
  const Product &product = work.products[0];
  auto along = [&](int64_t extent, double unit, int64_t least) {
    auto step = static_cast<int64_t>(unit);
    return width == Width::Array ? extents(extent, step)
                                 : narrowExtents(extent, step, least);
  };
  std::vector<int64_t> ms = extents(product.m, product.row);
  // Kernel area is never cut from its channel.
  std::vector<int64_t> ks =
      product.depthwise ? std::vector<int64_t>{product.k}
                        : along(product.k, machine.macRows, product.window);
  std::vector<int64_t> counts = {product.count};
  if (product.count > 1)
    counts.push_back(1);
  for (int64_t count : counts)
    for (int64_t n : along(product.n, machine.macColumns, 1))
      for (int64_t k : ks) {
        Tiling tiling{0, k, n, count, Stays::Sums, 1};
        if (k == product.k)
          for (Stays stays : {Stays::Weights, Stays::Data}) {
            tiling.stays = stays;
            choice.considerLargest(tiling, ms);
          }
        else
          choice.considerLargest(tiling, ms);
      }
}

/// A tile narrower than the array leaves a part of it idle, so there are such
/// tiles only where no other fits.
Tiling tileProduct(const KernelWork &work, const Machine &machine) {
  Choice choice(work, machine);
  considerProduct(choice, work, machine, Width::Array);
  if (!choice.anyFits())
    considerProduct(choice, work, machine, Width::Any);
  return choice.get();
}

Tiling cutInPieces(const KernelWork &work, const Machine &machine) {
  Tiling tiling = untiled(work);
  double capacity = tileCapacity(work, machine), largest = 0;
  for (const auto *transfers : {&work.reads, &work.writes})
    for (const Transfer &transfer : *transfers)
      largest = std::max(largest, transfer.bytes);
  // A piece is at least a burst of the largest tensor.
  double most = std::max(1.0, std::floor(largest / machine.dmaBurstBytes));
  while (bufferBytes(work, tiling, machine) > capacity &&
         static_cast<double>(tiling.pieces) < most)
    tiling.pieces = static_cast<int64_t>(
        std::min(most, 2 * static_cast<double>(tiling.pieces)));
  return tiling;
}

} // namespace

std::string_view nameOf(Stays stays) {
  return stayNames[static_cast<size_t>(stays)];
}

std::optional<Stays> findStays(std::string_view name) {
  return findByName<Stays>(stayNames, name);
}

bool hasExtents(const KernelWork &work) {
  return work.products.size() == 1 && work.products[0].macs() > 0;
}

bool isValid(const Tiling &tiling, const KernelWork &work) {
  if (!hasExtents(work))
    return tiling.pieces >= 1;
  const Product &product = work.products[0];
  auto within = [](int64_t tile, int64_t extent) {
    return tile >= 1 && tile <= extent;
  };
  return within(tiling.m, product.m) && within(tiling.k, product.k) &&
         within(tiling.n, product.n) && within(tiling.count, product.count);
}

Tiling untiled(const KernelWork &work) {
  if (!hasExtents(work))
    return {};
  const Product &product = work.products[0];
  return {product.m, product.k, product.n, product.count, Stays::Weights, 1};
}

Cuts cutsOf(const KernelWork &work, const Tiling &tiling) {
  if (!hasExtents(work))
    return {static_cast<double>(tiling.pieces), 1, 1, 1};
  const Product &product = work.products[0];
  auto along = [](int64_t extent, int64_t tile) {
    return static_cast<double>(parts(extent, tile));
  };
  return {along(product.m, tiling.m), along(product.k, tiling.k),
          along(product.n, tiling.n), along(product.count, tiling.count)};
}

int64_t tileCount(const KernelWork &work, const Tiling &tiling) {
  return std::llround(cutsOf(work, tiling).tiles());
}

std::string describe(const Tiling &tiling, const KernelWork &work) {
  if (!hasExtents(work))
    return tiling.pieces == 1 ? "whole"
                              : std::to_string(tiling.pieces) + " pieces";
  if (cutsOf(work, tiling).tiles() == 1)
    return "whole";
  auto size = [](int64_t m, int64_t k, int64_t n, int64_t count) {
    std::string text =
        std::to_string(m) + "x" + std::to_string(k) + "x" + std::to_string(n);
    return count > 1 ? std::to_string(count) + " of " + text : text;
  };
  const Product &all = work.products[0];
  return size(tiling.m, tiling.k, tiling.n, tiling.count) + " of " +
         size(all.m, all.k, all.n, all.count) + ", " +
         std::string(nameOf(tiling.stays)) + " stay";
}

double timesMoved(const Transfer &transfer, const KernelWork &work,
                  const Tiling &tiling) {
  if (!hasExtents(work))
    return 1;
  Cuts cuts = cutsOf(work, tiling);
  bool depthwise = work.products[0].depthwise;
  switch (transfer.role) {
  case Role::Data:
    // All of it is in one tile, or it waits for the weights to pass by.
    return depthwise || tiling.stays == Stays::Data || cuts.m * cuts.k == 1
               ? 1
               : cuts.n;
  case Role::Weight:
    return tiling.stays == Stays::Weights || cuts.k * cuts.n == 1 ? 1 : cuts.m;
  case Role::Result:
    break;
  }
  return 1;
}

double bufferBytes(const KernelWork &work, const Tiling &tiling,
                   const Machine &machine) {
  double bank = machine.sramKiB * 1024 / machine.sramBanks;
  double sum = 0;
  auto add = [&](double bytes) {
    sum += machine.sramBanks > 1 ? std::ceil(bytes / bank) * bank
                                 : std::ceil(bytes);
  };
  for (const auto *transfers : {&work.reads, &work.writes})
    for (const Transfer &transfer : *transfers) {
      if (transfer.onChip || transfer.bytes <= 0)
        continue;
      Part part = partOf(transfer, work, tiling);
      double tile = std::min(transfer.bytes, transfer.bytes * part.share +
                                                 transfer.halo * part.halo);
      add(part.pieces > 1 ? 2 * tile : tile);
    }
  if (cutsOf(work, tiling).k > 1)
    add(sumBytes * static_cast<double>(tiling.m) *
        static_cast<double>(tiling.n) * static_cast<double>(tiling.count));
  return sum;
}

Tiling chooseTiling(const KernelWork &work, const Machine &machine) {
  Tiling whole = untiled(work);
  if (machine.sramKiB <= 0 ||
      bufferBytes(work, whole, machine) <= tileCapacity(work, machine))
    return whole;
  return hasExtents(work) ? tileProduct(work, machine)
                          : cutInPieces(work, machine);
}

Tiling smallestTiling(KernelWork work, const Machine &machine) {
  if (machine.sramKiB <= 0)
    return untiled(work);
  // Nothing is free, so the tiling that needs least is chosen.
  work.reservedBytes = machine.sramKiB * 1024;
  if (!hasExtents(work))
    return cutInPieces(work, machine);
  Choice choice(work, machine);
  considerProduct(choice, work, machine, Width::Array);
  return choice.get();
}

} // namespace npu::cost
