// SPDX-License-Identifier: Apache-2.0
#include "cost/kernel_time.h"

#include <algorithm>
#include <cmath>

namespace npu::cost {

double chargedBytes(const Transfer &transfer, const Machine &machine) {
  double burst = machine.dmaBurstBytes;
  double factor = transfer.run > 0 ? burst / std::min(burst, transfer.run) : 1;
  if (transfer.scattered)
    factor = std::max(factor, machine.stridedAccessFactor);
  return transfer.bytes * factor;
}

double KernelWork::bytes() const {
  double sum = 0;
  for (const auto *transfers : {&reads, &writes})
    for (const Transfer &transfer : *transfers)
      sum += transfer.bytes;
  return sum;
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

KernelTime timeOf(const KernelWork &work, const Machine &machine) {
  double start = machine.kernelStartCycles + machine.dmaStartCycles;
  double array = 0, moved = 0;
  for (const Product &product : work.products)
    array += arrayCycles(product, machine);
  array *= work.factor;
  double vector = work.elements * work.factor / machine.vectorLanes;
  for (const auto *transfers : {&work.reads, &work.writes})
    for (const Transfer &transfer : *transfers)
      moved += chargedBytes(transfer, machine);
  moved *= work.factor / machine.dmaBytesPerCycle;

  KernelTime time;
  time.array = std::llround(array);
  time.vector = std::llround(vector);
  time.compute = std::llround(start + array + vector);
  time.dma = std::llround(start + moved);
  time.total = std::max(time.compute, time.dma);
  if (time.compute > time.dma)
    time.bound = array >= vector ? Bound::Array : Bound::Vector;
  return time;
}

double utilisation(const KernelWork &work, int64_t cycles,
                   const Machine &machine) {
  double peak =
      static_cast<double>(cycles) * machine.macRows * machine.macColumns;
  return peak > 0 ? work.usefulMacs / peak : 0;
}

} // namespace npu::cost
