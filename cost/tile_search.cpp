// SPDX-License-Identifier: Apache-2.0
#include "cost/tile_search.h"

#include "cost/dma.h"
#include "cost/kernel_time.h"
#include "cost/tile_memo.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <tuple>

namespace npu::cost {
namespace {

/// Numbers that are looked at: each up to 8, then two for a power of two.
int64_t nextNumber(int64_t number) {
  if (number < 8)
    return number + 1;
  int64_t step = 4;
  while (number >= 4 * step)
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

/// Gives a tiling two buffers if they fit; whether at least one does.
bool fitsSomehow(const KernelWork &work, Tiling &tiling,
                 const Machine &machine) {
  tiling.buffers = 2;
  if (fits(work, tiling, machine))
    return true;
  tiling.buffers = 1;
  return overlapsTiles(machine) && fits(work, tiling, machine);
}

/// Tries all tilings of one kernel's extents, from large tiles to small ones.
/// Cutting an extent that was whole never makes the longest of computing and
/// moving shorter, nor traffic or energy less: so a tile that is whole along
/// the extents that are not chosen yet bounds all that could still be chosen.
class ProductSearch {
public:
  ProductSearch(const KernelWork &work, const Machine &machine, Goal goal)
      : work(work), machine(machine), goal(goal), product(*extentsOf(work)),
        ms(extents(product.m, product.row)),
        // Kernel area is never cut from its channel.
        ks(product.depthwise ? std::vector<int64_t>{product.k}
                             : extents(product.k, product.window)),
        ns(extents(product.n, 1)),
        counts(product.toPoints > 0 ? std::vector<int64_t>{product.count}
                                    : extents(product.count, 1)) {}

  std::optional<Tiling> best() {
    // A good one early leaves little to compare in full.
    search(8);
    search(1);
    return found;
  }

  /// The tiling that needs least memory.
  Tiling smallest() const {
    Tiling least = untiled(work);
    int64_t buffers = least.buffers = overlapsTiles(machine) ? 1 : 2;
    double bytes = bufferBytes(work, least, machine);
    for (int64_t count : {counts.front(), counts.back()})
      for (int64_t n : ns)
        for (int64_t k : ks)
          for (int64_t m : ms) {
            Tiling tiling = {m, k, n, count, staysOf(k), 1, buffers};
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

  Rank rankOf(const Tiling &tiling, const KernelTime &time,
              int64_t cycles) const {
    int64_t energy = goal == Goal::Energy ? energyOf(work, tiling, machine) : 0;
    return {energy, cycles, time.dramRead + time.dramWritten,
            cutsOf(work, tiling).tiles()};
  }

  /// `onlyPixels`: nothing but M is still to be cut.
  bool isHopeless(Tiling bound, bool onlyPixels = false) const {
    if (!found)
      return false;
    bound.stays = staysOf(bound.k);
    KernelTime time = modelTimeOf(work, bound, machine);
    int64_t cycles = time.least;
    if (onlyPixels)
      cycles = std::max(cycles, time.compute + firstWeights(bound));
    return !(rankOf(bound, time, cycles) < least);
  }

  /// Cycles that the array waits at the least for a first tile of weights:
  /// fewer pixels do not make it smaller.
  int64_t firstWeights(const Tiling &tiling) const {
    if (!overlapsTiles(machine))
      return 0;
    double bytes = 0;
    TileParts parts(work, tiling);
    for (const Transfer &read : work.reads)
      if (read.role == Role::Weight && !read.onChip)
        bytes += read.bytes * parts.of(read).share;
    return static_cast<int64_t>(bytes / machine.dramBytesPerCycle());
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
      if (!canFit(k, n, count) || isHopeless({product.m, k, n, count}, true))
        continue;
      tryPixels({0, k, n, count, staysOf(k), 1});
      if (k == product.k)
        tryPixels({0, k, n, count, Stays::Data, 1});
    }
  }

  /// Of the tiles that are cut along M, the smallest needs least.
  bool canFit(int64_t k, int64_t n, int64_t count) const {
    Tiling small = {ms.back(), k, n, count, staysOf(k), 1}, large = small;
    large.m = ms.front();
    return fitsSomehow(work, small, machine) ||
           fitsSomehow(work, large, machine);
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
      return !fitsSomehow(work, tiling, machine);
    };
    return isTooLarge(ms.front())
               ? std::partition_point(ms.begin() + 1, ms.end(), isTooLarge)
               : ms.begin();
  }

  void tryPixels(Tiling tiling) {
    for (auto m = firstFit(tiling); m != ms.end(); ++m) {
      tiling.m = *m;
      if (!fitsSomehow(work, tiling, machine))
        continue;
      KernelTime time = modelTimeOf(work, tiling, machine);
      Rank rank = rankOf(tiling, time, time.total);
      if (!found || rank < least) {
        least = rank;
        found = tiling;
      }
      // Fewer pixels at a time never move less, nor with less energy.
      int64_t bound = streamsPixels() ? time.least : time.dma;
      if (std::pair(std::get<0>(rank), bound) >=
          std::pair(std::get<0>(least), std::get<1>(least)))
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

/// In how many equal parts a kernel may be cut: a piece is at least a burst of
/// the largest tensor.
int64_t mostPieces(const KernelWork &work, const Machine &machine) {
  double largest = 0;
  for (const auto *transfers : {&work.reads, &work.writes})
    for (const Transfer &transfer : *transfers)
      largest = std::max(largest, transfer.bytes);
  return std::max<int64_t>(
      1, std::llround(std::floor(largest / machine.dmaBurstBytes)));
}

/// Of the numbers of pieces that are looked at, the fastest that fits, with
/// tables on the chip or their rows by each piece. More pieces never take less
/// than the longest of computing and moving, so that a few say which.
std::optional<Tiling> cutInPieces(const KernelWork &work,
                                  const Machine &machine) {
  std::optional<Tiling> best;
  Rank least;
  const int64_t most = mostPieces(work, machine);
  auto tryPieces = [&](Stays stays) {
    Tiling tiling;
    tiling.stays = stays;
    for (int64_t pieces = 1; pieces <= most;
         pieces = pieces < most ? std::min(most, nextNumber(pieces))
                                : most + 1) {
      tiling.pieces = pieces;
      if (!fitsSomehow(work, tiling, machine))
        continue;
      KernelTime time = modelTimeOf(work, tiling, machine);
      Rank rank = {0, time.total, time.dramRead + time.dramWritten,
                   static_cast<double>(pieces)};
      if (!best || rank < least) {
        best = tiling;
        least = rank;
      }
      if (time.least >= std::get<1>(least))
        return;
    }
  };
  tryPieces(Stays::Weights);
  if (std::any_of(work.reads.begin(), work.reads.end(), hasRows) ||
      std::any_of(work.writes.begin(), work.writes.end(), hasRows))
    tryPieces(Stays::Data);
  return best;
}

/// The most pieces there may be, which need least.
Tiling smallestPieces(const KernelWork &work, const Machine &machine) {
  Tiling tiling;
  tiling.pieces = mostPieces(work, machine);
  auto bytes = [&](Stays stays) {
    tiling.stays = stays;
    return bufferBytes(work, tiling, machine);
  };
  tiling.buffers = overlapsTiles(machine) ? 1 : 2;
  tiling.stays =
      bytes(Stays::Data) < bytes(Stays::Weights) ? Stays::Data : Stays::Weights;
  return tiling;
}

/// Whether no tiling can be faster, nor take less energy, than one piece.
bool isBestWhole(const KernelWork &work, const Machine &machine) {
  if (machine.sramKiB <= 0 || work.processor)
    return true;
  if (!fits(work, untiled(work), machine))
    return false;
  // A table of which few rows are read may be better left where it is.
  bool hasTable = !work.reads.empty() && work.reads[0].touched > 0;
  return !hasTable && (!overlapsTiles(machine) ||
                       (isByDma(work) && machine.dmaChannels == 1));
}

} // namespace

Tiling chooseTiling(const KernelWork &work, const Machine &machine, Goal goal) {
  if (isBestWhole(work, machine))
    return untiled(work);
  static thread_local TileMemo memo;
  TileMemo::Entry &known = memo.of(work, machine, goal);
  double capacity = tileCapacity(work, machine);
  if (const Tiling *tiling = known.find(capacity))
    return *tiling;
  auto keep = [&](const Tiling &tiling, double least) {
    known.add(tiling, least, capacity);
    return tiling;
  };
  if (!extentsOf(work)) {
    if (std::optional<Tiling> best = cutInPieces(work, machine))
      return keep(*best, bufferBytes(work, *best, machine));
    return keep(smallestPieces(work, machine), 0);
  }
  ProductSearch search(work, machine, goal);
  if (std::optional<Tiling> best = search.best())
    return keep(*best, bufferBytes(work, *best, machine));
  return keep(search.smallest(), 0);
}

} // namespace npu::cost
