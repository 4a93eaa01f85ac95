// SPDX-License-Identifier: Apache-2.0
#include "cost/kernel_time.h"

#include "cost/count.h"
#include "cost/dma.h"
#include "cost/makespan.h"
#include "cost/tile_search.h"

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
  if (work.products.size() != 1 || !extentsOf(work)) {
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

/// Elements of the result.
double resultsOf(const Product &product) {
  return product.macs() / static_cast<double>(std::max<int64_t>(1, product.k));
}

/// Elements that an array reads of its data for each that there is: of windows
/// that overlap, what they share several times.
double overlapOf(const KernelWork &work) {
  double read = 0, elements = 0;
  for (const Product &p : work.products)
    if (p.toPoints <= 0) // at each point they are others
      read += static_cast<double>(p.m) * static_cast<double>(p.k) *
              static_cast<double>(p.count) *
              (p.depthwise ? static_cast<double>(p.n) : 1);
  for (const Transfer &transfer : work.reads)
    if (transfer.role == Role::Data && transfer.elementBytes > 0)
      elements += transfer.bytes / transfer.elementBytes;
  return elements > 0 ? std::max(1.0, read / elements) : 1;
}

/// What passes the vector unit on its way to and from the points of a product.
struct Points {
  double steps = 0;             ///< vector operations on data
  double read = 0, written = 0; ///< bytes of on-chip memory
};

Points pointsOf(const KernelWork &work, const Tiling &tiling) {
  Points points;
  if (work.products.size() != 1 || work.products[0].toPoints <= 0)
    return points;
  const Product &product = work.products[0];
  TileParts parts(work, tiling);
  for (const Transfer &read : work.reads)
    if (read.role == Role::Data) {
      double times = parts.of(read).times;
      double there = static_cast<double>(product.count) *
                     static_cast<double>(product.m) *
                     static_cast<double>(product.k) * read.elementBytes;
      points.steps += times * product.toPoints;
      points.read += times * read.bytes;
      points.written += times * there;
    }
  points.read += resultsOf(product) * sumBytes;
  for (const Transfer &write : work.writes)
    points.written += write.bytes;
  return points;
}

/// Multiply-adds of depthwise convolutions that the vector unit runs.
double vectorMacs(const KernelWork &work, const Machine &machine) {
  double macs = 0;
  if (machine.depthwise == DepthwiseUnit::Vector)
    for (const Product &product : work.products)
      macs += product.depthwise ? product.macs() / product.rate : 0;
  return macs;
}

/// Of the array, over all tiles.
double arrayCyclesOf(const KernelWork &work, const Tiling &tiling,
                     const Machine &machine) {
  if (vectorMacs(work, machine) > 0)
    return 0;
  double cycles = 0;
  visitTiles(work, tiling, [&](const Product &tile, double times) {
    cycles += times * arrayCycles(tile, machine);
  });
  if (machine.outputLanes <= 0)
    return cycles;
  double results = 0;
  for (const Product &product : work.products)
    results += resultsOf(product) / machine.outputLanes;
  return std::max(cycles, results);
}

} // namespace

const char *nameOf(Bound bound) {
  switch (bound) {
  case Bound::Array:
    return "mac array";
  case Bound::Vector:
    return "vector unit";
  case Bound::OnChip:
    return "on-chip memory";
  case Bound::Processor:
    return "processor";
  case Bound::Link:
    return "link";
  case Bound::Dma:
    break;
  }
  return "dma";
}

static KernelTime timeOf(const ProcessorWork &work) {
  KernelTime time;
  time.processor = counted(work.cycles);
  time.link = counted(work.linkCycles);
  time.total = time.processor + time.link;
  time.bound = work.cycles >= work.linkCycles ? Bound::Processor : Bound::Link;
  return time;
}

/// All bytes that on-chip memory gives and takes: to and from array and vector
/// unit, and the DMA's.
static double onChipTraffic(const OnChipBytes &computing, const Moving &moved) {
  return computing.read + computing.written + moved.dramRead +
         moved.dramWritten;
}

bool overlapsTiles(const Machine &machine) {
  return machine.sramKiB > 0 && machine.overlap == Overlap::Tiles;
}

/// In whole cycles, of the kernel's own program.
static int64_t spanOf(const KernelWork &work, const Tiling &tiling,
                      const Moving &moved, double computing,
                      double computingBytes, const Machine &machine) {
  Steps steps;
  steps.number = moved.steps;
  steps.computing = computing;
  steps.bytes = computingBytes * work.factor;
  steps.loads = moved.loads;
  steps.stores = moved.stores;
  steps.ownChannels = machine.dmaChannels > 1;
  steps.onChip = machine.sramGBs > 0 ? machine.sramBytesPerCycle() : 0;
  return counted(machine.kernelStartCycles +
                 makespan(steps, tiling.buffers > 1));
}

KernelTime modelTimeOf(const KernelWork &work, const Tiling &tiling,
                       const Machine &machine) {
  if (work.processor)
    return timeOf(*work.processor);
  double array = arrayCyclesOf(work, tiling, machine) * work.factor;
  double vector = (work.elements + vectorMacs(work, machine) +
                   pointsOf(work, tiling).steps) *
                  work.factor / machine.vectorLanes;
  double computing = machine.vectorUnit == VectorUnit::Beside
                         ? std::max(array, vector)
                         : array + vector;
  Moving moved = moving(work, tiling, machine);

  KernelTime time;
  time.array = counted(array);
  time.vector = counted(vector);
  // A cycle that is begun counts: the array does no more than it can.
  time.compute =
      counted(std::ceil(machine.kernelStartCycles + moved.first + computing));
  time.dmaIn = counted(moved.in);
  time.dmaOut = counted(moved.out);
  time.dma = counted(machine.kernelStartCycles + moved.cycles);
  time.total = std::max(time.compute, time.dma);
  if (time.compute > time.dma)
    time.bound = array >= vector ? Bound::Array : Bound::Vector;
  OnChipBytes bytes;
  if (machine.sramGBs > 0) {
    bytes = onChipBytes(work, tiling, machine);
    time.onChip = counted(machine.kernelStartCycles +
                          onChipTraffic(bytes, moved) * work.factor /
                              machine.sramBytesPerCycle());
    if (time.onChip > time.total)
      time.bound = Bound::OnChip;
    time.total = std::max(time.total, time.onChip);
  }
  time.least = time.total;
  if (overlapsTiles(machine))
    time.total =
        std::max(time.total, spanOf(work, tiling, moved, computing,
                                    bytes.read + bytes.written, machine));
  time.dramRead = moved.dramRead;
  time.dramWritten = moved.dramWritten;
  return time;
}

KernelTime timeOf(const KernelWork &work, const Tiling &tiling,
                  const Machine &machine) {
  KernelTime time = modelTimeOf(work, tiling, machine);
  if (!work.measured)
    return time;
  auto model = static_cast<double>(std::max<int64_t>(1, time.total));
  bool isOwn = work.measured->cycles > 0;
  double cycles = isOwn ? work.measured->cycles : model * work.measured->ratio;
  time.total = std::max<int64_t>(1, counted(cycles));
  (isOwn ? time.measured : time.scaled) = time.total;
  double part = static_cast<double>(time.total) / model;
  time.least = time.total;
  for (int64_t *cycle : {&time.array, &time.vector, &time.compute, &time.onChip,
                         &time.dmaIn, &time.dmaOut, &time.dma})
    *cycle = std::min(time.total, counted(static_cast<double>(*cycle) * part));
  return time;
}

KernelTime timeOf(const KernelWork &work, const Machine &machine) {
  Tiling tiling = chooseTiling(work, machine);
  KernelTime time = timeOf(work, tiling, machine);
  if (!fits(work, tiling, machine))
    time.total += doesNotFit;
  return time;
}

OnChipBytes onChipBytes(const KernelWork &work, const Tiling &tiling,
                        const Machine &machine) {
  OnChipBytes sum;
  bool byDma = isByDma(work), byArray = !work.products.empty();
  TileParts parts(work, tiling);
  double data = 1, weight = 1, result = 1;
  for (const Transfer &transfer : work.reads) {
    if (byArray && transfer.role == Role::Data)
      data = transfer.elementBytes;
    else if (byArray && transfer.role == Role::Weight)
      weight = transfer.elementBytes;
    else if (transfer.onChip || !byDma)
      sum.read +=
          transfer.leastBytes() * (byArray ? 1 : parts.of(transfer).times);
  }
  for (const Transfer &transfer : work.writes) {
    result = transfer.elementBytes;
    if (!byArray && (transfer.onChip || !byDma))
      sum.written += transfer.bytes;
  }
  if (machine.windowReads == WindowReads::Once)
    data /= overlapOf(work);
  double written = 0, complete = 0;
  visitTiles(work, tiling, [&](const Product &tile, double times) {
    OnChipAccess access = onChipAccess(tile, machine);
    sum.read += times * (access.inputs * data + access.weights * weight);
    written += times * access.outputs;
  });
  for (const Product &product : work.products)
    complete += resultsOf(product);
  double partial = (written - complete) * sumBytes;
  sum.written += complete * result + partial;
  if (machine.sumReads == SumReads::Each)
    sum.read += partial;
  Points points = pointsOf(work, tiling);
  sum.read += points.read;
  sum.written += points.written;
  return sum;
}

int64_t energyOf(const KernelWork &work, const Tiling &tiling,
                 const Machine &machine) {
  if (work.processor)
    return counted(work.processor->energy);
  if (!machine.saysEnergy())
    return 0;
  double sum = 0;
  for (const Product &product : work.products)
    sum += product.macs() * product.energy;
  Moving moved = moving(work, tiling, machine);
  sum += (moved.dramRead + moved.dramWritten) * machine.dramEnergy;
  if (machine.sramEnergy > 0)
    sum += onChipTraffic(onChipBytes(work, tiling, machine), moved) *
           machine.sramEnergy;
  return counted(sum);
}

std::string mappingOf(const KernelWork &work, const Machine &machine) {
  if (work.processor)
    return nameOf(Bound::Processor);
  if (work.products.empty() || vectorMacs(work, machine) > 0)
    return nameOf(work.elements + vectorMacs(work, machine) > 0 ? Bound::Vector
                                                                : Bound::Dma);
  std::string flow(nameOf(machine.dataFlow));
  return work.products[0].depthwise ? "depthwise, " + flow : flow;
}

double utilisation(const KernelWork &work, int64_t cycles,
                   const Machine &machine) {
  double rate = work.products.empty() ? 1 : work.products[0].rate;
  double peak =
      static_cast<double>(cycles) * machine.macRows * machine.macColumns * rate;
  bool byArray = vectorMacs(work, machine) == 0;
  return peak > 0 && byArray ? work.usefulMacs / peak : 0;
}

} // namespace npu::cost
