// SPDX-License-Identifier: Apache-2.0
#include "cost/dma.h"

#include <algorithm>

namespace npu::cost {
namespace {

/// What changes a tensor's innermost dimension on the way.
enum class By { Strides, Engine };

/// How many times slower than its caches a processor's memory takes a kernel's
/// data; 1 where the caches hold it.
double beyondCache(const KernelWork &work, const Machine &machine) {
  bool isBeyond =
      machine.cacheKiB > 0 && work.bytes() > machine.cacheKiB * 1024;
  return isBeyond ? machine.beyondCacheFactor : 1;
}

/// How many times longer than in full bursts.
double burstFactor(double run, const Machine &machine) {
  double burst = machine.dmaBurstBytes;
  return run > 0 ? burst / std::min(burst, run) : 1;
}

/// One direction.
struct Traffic {
  double bytes = 0, starts = 0, charged = 0, transposed = 0;
  Arrivals arrivals;
};

Traffic trafficOf(const std::vector<Transfer> &transfers,
                  const KernelWork &work, const TileParts &parts,
                  const Machine &machine, By by) {
  Traffic sum;
  double seams = std::max(0.0, parts.cuts().m - 1);
  double beyond = beyondCache(work, machine);
  auto add = [&](double times, double bytes, double charged) {
    sum.starts += times;
    sum.charged += charged;
    sum.arrivals.add(times,
                     times * machine.dmaStartCycles +
                         charged * work.factor / machine.dramBytesPerCycle(),
                     bytes);
  };
  for (const Transfer &transfer : transfers) {
    if (transfer.bytes <= 0 || (transfer.onChip && !isByDma(work)))
      continue;
    TilePart part = parts.of(transfer);
    double moved =
        part.times * (parts.bytesOf(transfer) + transfer.halo * seams);
    const double again = parts.rewrittenOf(transfer);
    if (!transfer.onChip)
      sum.bytes += moved + again;
    if (again > 0)
      add(part.pieces, again,
          again * std::max(burstFactor(transfer.touchedRun, machine), beyond));
    double times = part.pieces * part.times;
    if (by == By::Engine) {
      add(times, moved, moved);
      sum.transposed += transfer.scattered ? moved : 0;
      continue;
    }
    double factor = burstFactor(parts.runOf(transfer, part), machine);
    if (transfer.scattered)
      factor = std::max(factor, machine.stridedAccessFactor);
    // One access at a time is as slow from the caches as from behind them.
    add(times, moved, moved * std::max(factor, beyond));
  }
  return sum;
}

Moving movingBy(By by, const KernelWork &work, const TileParts &parts,
                const Machine &machine) {
  Traffic in = trafficOf(work.reads, work, parts, machine, by),
          out = trafficOf(work.writes, work, parts, machine, by);
  auto cycles = [&](const Traffic &traffic) {
    return traffic.starts * machine.dmaStartCycles +
           traffic.charged * work.factor / machine.dramBytesPerCycle();
  };
  Moving moving;
  moving.in = cycles(in);
  moving.out = cycles(out);
  moving.cycles = machine.dmaChannels > 1 ? std::max(moving.in, moving.out)
                                          : moving.in + moving.out;
  if (by == By::Engine)
    moving.cycles = std::max(moving.cycles,
                             out.transposed / machine.transposeBytesPerCycle);
  moving.first = in.starts > 0 ? machine.dmaStartCycles : 0;
  moving.dramRead = in.bytes;
  moving.dramWritten = out.bytes;
  moving.loads = in.arrivals;
  moving.stores = out.arrivals;
  moving.steps = parts.cuts().tiles();
  for (const Arrivals *some : {&moving.loads, &moving.stores})
    for (const Arrivals::Kind &kind : *some)
      moving.steps = std::max(moving.steps, kind.times);
  return moving;
}

} // namespace

bool isByDma(const KernelWork &work) {
  return work.products.empty() && work.elements == 0;
}

double chargedBytes(const Transfer &transfer, const Machine &machine) {
  double factor = burstFactor(transfer.run, machine);
  if (transfer.scattered)
    factor = std::max(factor, machine.stridedAccessFactor);
  return transfer.bytes * factor;
}

Moving moving(const KernelWork &work, const Tiling &tiling,
              const Machine &machine) {
  TileParts parts(work, tiling);
  Moving best = movingBy(By::Strides, work, parts, machine);
  bool turns =
      isByDma(work) && !work.writes.empty() && work.writes[0].scattered;
  if (!turns || machine.transposeBytesPerCycle <= 0)
    return best;
  Moving engine = movingBy(By::Engine, work, parts, machine);
  return engine.cycles < best.cycles ? engine : best;
}

} // namespace npu::cost
