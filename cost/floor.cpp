// SPDX-License-Identifier: Apache-2.0
#include "cost/floor.h"

#include <algorithm>

namespace npu::cost {

double Floor::cycles() const { return std::max({array, dram, onChip}); }

namespace {

/// Elements of an operand that a product reads, each once.
double elementsOf(const Product &product, Role role) {
  auto m = static_cast<double>(product.m), k = static_cast<double>(product.k),
       n = static_cast<double>(product.n);
  auto count = static_cast<double>(product.count);
  if (role == Role::Data)
    return count * m * k * (product.depthwise ? n : 1);
  return role == Role::Weight ? count * k * n : count * m * n;
}

/// Of one tensor, at the least; windows may leave out some of an image.
double bytesOf(const KernelWork &work, const Transfer &transfer) {
  double bytes = transfer.leastBytes();
  if (work.products.size() != 1 || transfer.role != Role::Data)
    return bytes;
  return std::min(bytes, elementsOf(work.products[0], Role::Data) *
                             transfer.elementBytes);
}

/// What the array and the vector unit themselves move in on-chip memory.
double computingBytes(const KernelWork &work) {
  bool byArray = !work.products.empty();
  double read = 0, written = 0;
  for (const Transfer &transfer : work.reads) {
    bool isOperand =
        transfer.role == Role::Data || transfer.role == Role::Weight;
    // With several products, nobody knows which operand belongs to which.
    if (!byArray || !isOperand)
      read += bytesOf(work, transfer);
    else if (work.products.size() == 1)
      read +=
          std::min(transfer.bytes, elementsOf(work.products[0], transfer.role) *
                                       transfer.elementBytes);
  }
  double results = 0, elementBytes = 0;
  for (const Transfer &transfer : work.writes) {
    written += transfer.bytes;
    elementBytes = transfer.elementBytes;
  }
  for (const Product &product : work.products)
    results += elementsOf(product, Role::Result);
  return read + (byArray ? std::min(written, results * elementBytes) : written);
}

} // namespace

Floor floorOf(const KernelWork &work, const Machine &machine) {
  Floor floor;
  if (work.processor)
    return floor;
  bool byVector = machine.depthwise == DepthwiseUnit::Vector &&
                  !work.products.empty() && work.products[0].depthwise;
  if (!byVector)
    floor.array = work.leastMacs / (machine.macRows * machine.macColumns);
  double bandwidth = machine.dramBytesPerCycle(), moved = 0;
  auto add = [&](const Transfer &transfer, double &all, double &boundary) {
    if (transfer.onChip)
      return;
    double bytes = bytesOf(work, transfer), cycles = bytes / bandwidth;
    moved += bytes;
    all += cycles;
    boundary += transfer.boundary ? cycles : 0;
  };
  for (const Transfer &transfer : work.reads)
    add(transfer, floor.dramIn, floor.boundaryIn);
  for (const Transfer &transfer : work.writes)
    add(transfer, floor.dramOut, floor.boundaryOut);
  floor.dram = machine.dmaChannels > 1 ? std::max(floor.dramIn, floor.dramOut)
                                       : floor.dramIn + floor.dramOut;
  bool isByDma = work.products.empty() && work.elements == 0;
  if (machine.sramGBs > 0)
    floor.onChip = (moved + (isByDma ? 0 : computingBytes(work))) /
                   machine.sramBytesPerCycle();
  return floor;
}

} // namespace npu::cost
