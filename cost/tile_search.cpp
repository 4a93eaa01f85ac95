// SPDX-License-Identifier: Apache-2.0
#include "cost/tile_search.h"

#include "cost/kernel_time.h"
#include "cost/tile_memo.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <tuple>

namespace npu::cost {
namespace {

/// Numbers that are looked at: each up to 16, then four for a power of two.
int64_t nextNumber(int64_t number) {
  if (number < 16)
    return number + 1;
  int64_t step = 4;
  while (number >= 8 * step)
    step *= 2;
  return number / step * step + step;
}

/// The extents of tiles along one dimension, the largest first, in whole
/// `unit`s: for numbers of cuts the least that does, and round numbers, of
/// which some fill the array where the least leaves a part of it idle.
std::vector<int64_t> extents(int64_t extent, int64_t unit) {
  int64_t step = std::max<int64_t>(1, unit),
          units = std::max<int64_t>(1, (extent + step - 1) / step);
  std::vector<int64_t> list;
  for (int64_t number = 1; number < units; number = nextNumber(number)) {
    list.push_back(number * step);
    list.push_back(std::min(extent, (units + number - 1) / number * step));
  }
  if (list.empty())
    return {extent};
  std::sort(list.begin(), list.end(), std::greater<>());
  list.erase(std::unique(list.begin(), list.end()), list.end());
  return list;
}

/// What a tiling is judged by: energy if that is the goal, time, traffic,
/// tiles.
using Rank = std::tuple<int64_t, int64_t, double, double>;

/// Tries all tilings of one matrix product, from large tiles to small ones.
/// Cutting an extent that was whole never makes a tiling faster, nor its
/// traffic or its energy less: so a tile that is whole along the extents that
/// are not chosen yet bounds all that could still be chosen.
class ProductSearch {
public:
  ProductSearch(const KernelWork &work, const Machine &machine, Goal goal)
      : work(work), machine(machine), goal(goal), product(work.products[0]),
        ms(extents(product.m, product.row)),
        // Kernel area is never cut from its channel.
        ks(product.depthwise ? std::vector<int64_t>{product.k}
                             : extents(product.k, product.window)),
        ns(extents(product.n, 1)), counts(extents(product.count, 1)) {}

  std::optional<Tiling> best() {
    // A good one early leaves little to compare in full.
    search(8);
    search(1);
    return found;
  }

  /// The tiling that needs least memory.
  Tiling smallest() const {
    Tiling least = untiled(work);
    double bytes = bufferBytes(work, least, machine);
    for (int64_t count : {counts.front(), counts.back()})
      for (int64_t n : ns)
        for (int64_t k : ks)
          for (int64_t m : ms) {
            Tiling tiling = {m, k, n, count, staysOf(k), 1};
            double needed = bufferBytes(work, tiling, machine);
            if (needed < bytes) {
              bytes = needed;
              least = tiling;
            }
          }
    return least;
  }

private:
  /// The first of what may stay; where all of K is in a tile, also the data.
  Stays staysOf(int64_t k) const {
    return k < product.k ? Stays::Sums : Stays::Weights;
  }

  Rank rankOf(const Tiling &tiling, const KernelTime &time) const {
    int64_t energy = goal == Goal::Energy ? energyOf(work, tiling, machine) : 0;
    return {energy, time.total, time.dramRead + time.dramWritten,
            cutsOf(work, tiling).tiles()};
  }

  bool isHopeless(Tiling bound) const {
    bound.stays = staysOf(bound.k);
    return found && !(rankOf(bound, modelTimeOf(work, bound, machine)) < least);
  }

  /// Every `stride`th extent of each dimension.
  void search(size_t stride) {
    for (size_t c = 0; c < counts.size(); c += stride) {
      if (isHopeless({product.m, product.k, product.n, counts[c]}))
        return; // fewer products at a time are worse still
      for (size_t n = 0; n < ns.size(); n += stride)
        if (!isHopeless({product.m, product.k, ns[n], counts[c]}))
          tryDepths(ns[n], counts[c], stride);
    }
  }

  void tryDepths(int64_t n, int64_t count, size_t stride) {
    for (size_t i = 0; i < ks.size(); i += stride) {
      int64_t k = ks[i];
      if (!canFit(k, n, count) || isHopeless({product.m, k, n, count}))
        continue;
      tryPixels({0, k, n, count, staysOf(k), 1});
      if (k == product.k)
        tryPixels({0, k, n, count, Stays::Data, 1});
    }
  }

  /// Of the tiles that are cut along M, the smallest needs least.
  bool canFit(int64_t k, int64_t n, int64_t count) const {
    Stays stays = staysOf(k);
    return fits(work, {ms.back(), k, n, count, stays, 1}, machine) ||
           fits(work, {ms.front(), k, n, count, stays, 1}, machine);
  }

  /// Where pixels stream through the array, fewer at a time never save time.
  bool streamsPixels() const {
    return machine.dataFlow == DataFlow::WeightStationary ||
           machine.dataFlow == DataFlow::DotProduct;
  }

  /// The first from which on a tile may fit: of those that are cut along M a
  /// smaller one never needs more.
  std::vector<int64_t>::const_iterator firstFit(Tiling tiling) const {
    auto isTooLarge = [&](int64_t m) {
      tiling.m = m;
      return !fits(work, tiling, machine);
    };
    return isTooLarge(ms.front())
               ? std::partition_point(ms.begin() + 1, ms.end(), isTooLarge)
               : ms.begin();
  }

  void tryPixels(Tiling tiling) {
    for (auto m = firstFit(tiling); m != ms.end(); ++m) {
      tiling.m = *m;
      if (!fits(work, tiling, machine))
        continue;
      KernelTime time = modelTimeOf(work, tiling, machine);
      Rank rank = rankOf(tiling, time);
      if (!found || rank < least) {
        least = rank;
        found = tiling;
      }
      // Fewer pixels at a time never move less.
      if (goal == Goal::Energy || streamsPixels() ||
          time.dma >= std::get<1>(least))
        return;
    }
  }

  const KernelWork &work;
  const Machine &machine;
  Goal goal;
  const Product &product;
  std::vector<int64_t> ms, ks, ns, counts;
  std::optional<Tiling> found;
  Rank least;
};

/// The fewest equal parts that fit; a piece is at least a burst of the largest
/// tensor.
Tiling cutInPieces(const KernelWork &work, const Machine &machine) {
  double largest = 0;
  for (const auto *transfers : {&work.reads, &work.writes})
    for (const Transfer &transfer : *transfers)
      largest = std::max(largest, transfer.bytes);
  int64_t low = 1,
          high = std::max<int64_t>(
              1, std::llround(std::floor(largest / machine.dmaBurstBytes)));
  Tiling tiling;
  while (low < high) {
    tiling.pieces = low + (high - low) / 2;
    if (fits(work, tiling, machine))
      high = tiling.pieces;
    else
      low = tiling.pieces + 1;
  }
  tiling.pieces = low;
  return tiling;
}

} // namespace

Tiling chooseTiling(const KernelWork &work, const Machine &machine, Goal goal) {
  Tiling whole = untiled(work);
  if (fits(work, whole, machine))
    return whole;
  if (!hasExtents(work))
    return cutInPieces(work, machine);
  static thread_local TileMemo memo;
  TileMemo::Entry &known = memo.of(work, machine, goal);
  double capacity = tileCapacity(work, machine);
  if (const Tiling *tiling = known.find(capacity))
    return *tiling;
  ProductSearch search(work, machine, goal);
  if (std::optional<Tiling> best = search.best()) {
    known.add(*best, bufferBytes(work, *best, machine), capacity);
    return *best;
  }
  Tiling smallest = search.smallest();
  known.add(smallest, 0, capacity);
  return smallest;
}

} // namespace npu::cost
