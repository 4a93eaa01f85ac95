// SPDX-License-Identifier: Apache-2.0
#include "cost/kernel_time.h"

#include <algorithm>
#include <cmath>

namespace npu::cost {
namespace {

/// One tile's extent and how many tiles have it: all but the last, the last.
struct Extent {
  int64_t size;
  double times;
};

std::array<Extent, 2> split(int64_t extent, int64_t tile) {
  tile = std::max<int64_t>(1, std::min(tile, extent));
  int64_t whole = extent / tile;
  return {{{tile, static_cast<double>(whole)},
           {extent % tile, extent % tile ? 1.0 : 0.0}}};
}

/// Calls `visit` with the product of each kind of tile, and how many there are.
template <class Visit>
void visitTiles(const KernelWork &work, const Tiling &tiling, Visit visit) {
  if (!hasExtents(work)) {
    for (const Product &product : work.products)
      visit(product, 1.0);
    return;
  }
  const Product &whole = work.products[0];
  for (Extent m : split(whole.m, tiling.m))
    for (Extent k : split(whole.k, tiling.k))
      for (Extent n : split(whole.n, tiling.n)) {
        Product tile = whole;
        tile.m = m.size;
        tile.k = k.size;
        tile.n = n.size;
        if (double times = m.times * k.times * n.times)
          visit(tile, times);
      }
}

/// Of the array, over all tiles.
double arrayCyclesOf(const KernelWork &work, const Tiling &tiling,
                     const Machine &machine) {
  double cycles = 0;
  visitTiles(work, tiling, [&](const Product &tile, double times) {
    cycles += times * arrayCycles(tile, machine);
  });
  return cycles;
}

/// The DMA itself makes relayouts, wherever the value lies.
bool isByDma(const KernelWork &work) {
  return work.products.empty() && work.elements == 0;
}

/// How many times slower than its caches a processor's memory takes a kernel's
/// data; 1 where the caches hold it.
double beyondCache(const KernelWork &work, const Machine &machine) {
  bool isBeyond =
      machine.cacheKiB > 0 && work.bytes() > machine.cacheKiB * 1024;
  return isBeyond ? machine.beyondCacheFactor : 1;
}

/// What passes between DRAM and the chip, in one direction.
struct Traffic {
  double bytes = 0, charged = 0, transposed = 0;
};

Traffic trafficOf(const std::vector<Transfer> &transfers,
                  const KernelWork &work, const Tiling &tiling,
                  const Machine &machine) {
  Traffic sum;
  Cuts cuts = cutsOf(work, tiling);
  bool byDma = isByDma(work);
  double beyond = beyondCache(work, machine);
  bool byEngine = machine.transposeBytesPerCycle > 0 && byDma &&
                  !work.writes.empty() && work.writes[0].scattered;
  for (const Transfer &transfer : transfers) {
    double times = timesMoved(transfer, work, tiling);
    double moved =
        times * (transfer.bytes + transfer.halo * std::max(0.0, cuts.m - 1));
    if (!transfer.onChip)
      sum.bytes += moved;
    if (transfer.onChip && !byDma)
      continue;
    // One access at a time is as slow from the caches as from behind them.
    if (transfer.bytes > 0)
      sum.charged += byEngine ? moved
                              : moved / transfer.bytes *
                                    std::max(chargedBytes(transfer, machine),
                                             beyond * transfer.bytes);
    if (byEngine && transfer.scattered)
      sum.transposed += moved;
  }
  return sum;
}

} // namespace

double chargedBytes(const Transfer &transfer, const Machine &machine) {
  double burst = machine.dmaBurstBytes;
  double factor = transfer.run > 0 ? burst / std::min(burst, transfer.run) : 1;
  if (transfer.scattered)
    factor = std::max(factor, machine.stridedAccessFactor);
  return transfer.bytes * factor;
}

const char *nameOf(Bound bound) {
  switch (bound) {
  case Bound::Array:
    return "mac array";
  case Bound::Vector:
    return "vector unit";
  case Bound::Dma:
    break;
  }
  return "dma";
}

KernelTime timeOf(const KernelWork &work, const Tiling &tiling,
                  const Machine &machine) {
  double start = machine.kernelStartCycles + machine.dmaStartCycles;
  double array = arrayCyclesOf(work, tiling, machine) * work.factor;
  double vector = work.elements * work.factor / machine.vectorLanes;
  Traffic in = trafficOf(work.reads, work, tiling, machine),
          out = trafficOf(work.writes, work, tiling, machine);
  double perByte = work.factor / machine.dmaBytesPerCycle;
  double dmaIn = in.charged * perByte, dmaOut = out.charged * perByte;
  double moving =
      machine.dmaChannels > 1 ? std::max(dmaIn, dmaOut) : dmaIn + dmaOut;
  if (out.transposed > 0)
    moving = std::max(moving, out.transposed / machine.transposeBytesPerCycle);

  KernelTime time;
  time.array = std::llround(array);
  time.vector = std::llround(vector);
  time.compute = std::llround(start + array + vector);
  time.dmaIn = std::llround(dmaIn);
  time.dmaOut = std::llround(dmaOut);
  time.dma = std::llround(start + moving);
  time.total = std::max(time.compute, time.dma);
  if (time.compute > time.dma)
    time.bound = array >= vector ? Bound::Array : Bound::Vector;
  time.dramRead = in.bytes;
  time.dramWritten = out.bytes;
  return time;
}

KernelTime timeOf(const KernelWork &work, const Machine &machine) {
  return timeOf(work, chooseTiling(work, machine), machine);
}

OnChipBytes onChipBytes(const KernelWork &work, const Tiling &tiling,
                        const Machine &machine) {
  OnChipBytes sum;
  bool byDma = isByDma(work), byArray = !work.products.empty();
  double data = 1, weight = 1, result = 1;
  for (const Transfer &transfer : work.reads) {
    if (transfer.role == Role::Data)
      data = transfer.elementBytes;
    else if (transfer.role == Role::Weight)
      weight = transfer.elementBytes;
    else if (transfer.onChip || !byDma)
      sum.read += transfer.bytes;
  }
  for (const Transfer &transfer : work.writes) {
    result = transfer.elementBytes;
    if (!byArray && (transfer.onChip || !byDma))
      sum.written += transfer.bytes;
  }
  double written = 0, complete = 0;
  visitTiles(work, tiling, [&](const Product &tile, double times) {
    OnChipAccess access = onChipAccess(tile, machine);
    sum.read += times * (access.inputs * data + access.weights * weight);
    written += times * access.outputs;
  });
  for (const Product &product : work.products)
    complete +=
        product.macs() / static_cast<double>(std::max<int64_t>(1, product.k));
  sum.written += complete * result + (written - complete) * sumBytes;
  return sum;
}

std::string mappingOf(const KernelWork &work, const Machine &machine) {
  if (work.products.empty())
    return nameOf(work.elements > 0 ? Bound::Vector : Bound::Dma);
  std::string flow(nameOf(machine.dataFlow));
  return work.products[0].depthwise ? "depthwise, " + flow : flow;
}

double utilisation(const KernelWork &work, int64_t cycles,
                   const Machine &machine) {
  double peak =
      static_cast<double>(cycles) * machine.macRows * machine.macColumns;
  return peak > 0 ? work.usefulMacs / peak : 0;
}

} // namespace npu::cost
