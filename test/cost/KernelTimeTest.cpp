// SPDX-License-Identifier: Apache-2.0
#include "cost/dma.h"
#include "cost/kernel_time.h"

#include <gtest/gtest.h>

#include <cmath>

namespace npu::cost {
namespace {

/// A chip without start-up times, so that expected numbers are plain.
Machine plain() {
  Machine machine;
  machine.clockMHz = 1000;
  machine.macRows = machine.macColumns = 16;
  machine.vectorLanes = 16;
  machine.clockMHz = 1000;
  machine.dramGBs = 8;
  machine.dmaBurstBytes = 32;
  machine.dmaStartCycles = machine.kernelStartCycles = 0;
  return machine;
}

KernelWork moving(Transfer read, Transfer write) {
  KernelWork work;
  work.reads = {read};
  work.writes = {write};
  return work;
}

TEST(KernelTime, WritesAreChargedInBursts) {
  Machine machine = plain();
  // 56 x 56 x 64 bytes: blocked by 16 channels, and in runs of 16 B.
  double pixels = 56 * 56;
  auto cycles = [&](double bytes, double run) {
    return chargedBytes({bytes, run}, machine) / machine.dramBytesPerCycle();
  };
  EXPECT_EQ(cycles(pixels * 64, 16 * 56), 25088);
  EXPECT_EQ(cycles(pixels * 64, 16), 50176);
  EXPECT_EQ(cycles(pixels * 16, 16 * 56), 6272); // 8 channels, padded
  EXPECT_EQ(cycles(pixels * 8, 8), 12544);
}

TEST(KernelTime, WhatCachesDoNotHoldIsSlower) {
  Machine machine = plain();
  machine.cacheKiB = 2;
  machine.beyondCacheFactor = 3;
  machine.stridedAccessFactor = 2;
  EXPECT_EQ(timeOf(moving({1024, 1024}, {1024, 1024}), machine).total, 256);
  EXPECT_EQ(timeOf(moving({1032, 1032}, {1024, 1024}), machine).total, 771);
  // Accesses that are slow from anywhere pay the larger of both.
  Transfer apart = {1024, 1024, /*scattered=*/true};
  EXPECT_EQ(timeOf(moving({1024, 1024}, apart), machine).total, 384);
  EXPECT_EQ(timeOf(moving({1032, 1032}, apart), machine).total, 771);
  machine.stridedAccessFactor = 5;
  EXPECT_EQ(timeOf(moving({1032, 1032}, apart), machine).total, 1027);
  machine.cacheKiB = 0;
  EXPECT_EQ(timeOf(moving({1032, 1032}, {1024, 1024}), machine).total, 257);
}

TEST(KernelTime, OpsTakeTheLongerOfComputingAndMoving) {
  Machine machine = plain();
  machine.kernelStartCycles = 100;
  machine.dmaStartCycles = 50;
  KernelWork work = moving({800, 800}, {800, 800});
  KernelTime moved = timeOf(work, machine);
  // One transfer in, one out.
  EXPECT_EQ(moved.total, 100 + 2 * 50 + 200);
  EXPECT_EQ(moved.dmaIn, 50 + 100);
  EXPECT_EQ(moved.bound, Bound::Dma);
  work.products = {{64, 64, 64}};
  work.elements = 1600;
  KernelTime computed = timeOf(work, machine);
  EXPECT_EQ(computed.array, 1024);
  EXPECT_EQ(computed.vector, 100);
  EXPECT_EQ(computed.compute, 150 + 1124);
  EXPECT_EQ(computed.total, std::max(computed.compute, computed.dma));
  EXPECT_EQ(computed.bound, Bound::Array);
  work.factor = 2;
  EXPECT_EQ(timeOf(work, machine).total, 150 + 2248);
}

TEST(KernelTime, AVectorUnitBesideTheArrayWorksMeanwhile) {
  Machine machine = plain();
  machine.kernelStartCycles = 100;
  KernelWork work;
  work.products = {{64, 64, 64}};
  for (double elements : {1600.0, 32000.0}) {
    work.elements = elements;
    double vector = elements / 16;
    machine.vectorUnit = VectorUnit::After;
    EXPECT_EQ(timeOf(work, machine).total, 100 + 1024 + vector);
    machine.vectorUnit = VectorUnit::Beside;
    EXPECT_EQ(timeOf(work, machine).total, 100 + std::max(1024.0, vector));
  }
}

/// 64^3 multiply-adds on 16 x 16 multipliers take 1,024 cycles.
TEST(KernelTime, TypesHaveRatesOfTheirOwn) {
  Machine machine = plain();
  KernelWork work;
  work.products = {{64, 64, 64}};
  work.usefulMacs = work.products[0].macs();
  for (auto [rate, cycles] : {std::pair(0.5, 2048), {1.0, 1024}, {4.0, 256}}) {
    work.products[0].rate = rate;
    KernelTime time = timeOf(work, machine);
    EXPECT_EQ(time.array, cycles);
    EXPECT_EQ(utilisation(work, time.total, machine), 1);
  }
  machine.dataFlow = DataFlow::WeightStationary;
  work.products[0].rate = 1;
  double before = arrayCycles(work.products[0], machine);
  work.products[0].rate = 2;
  EXPECT_EQ(arrayCycles(work.products[0], machine), before / 2);
}

/// Four results leave the array each cycle: 64 x 64 take 1,024, more than the
/// array where K is short.
TEST(KernelTime, ResultsLeaveTheArrayInTurn) {
  Machine machine = plain();
  machine.outputLanes = 4;
  KernelWork work;
  for (auto [k, cycles] : {std::pair(16, 1024), {64, 1024}, {128, 2048}}) {
    work.products = {{64, k, 64}};
    EXPECT_EQ(timeOf(work, machine).array, cycles) << k;
  }
}

/// Of 3 x 3 windows, an element is in nine.
TEST(OnChipBytes, WindowsMayKeepWhatTheyShare) {
  Machine machine = plain();
  KernelWork work;
  work.products = {{100, 9 * 16, 32}};
  Transfer data{1600, 1600}, weight{9 * 16 * 32, 32}, result{3200, 32};
  data.role = Role::Data;
  weight.role = Role::Weight;
  work.reads = {data, weight};
  work.writes = {result};
  OnChipBytes each = onChipBytes(work, untiled(work), machine);
  machine.windowReads = WindowReads::Once;
  OnChipBytes once = onChipBytes(work, untiled(work), machine);
  EXPECT_EQ(each.read, 100 * 9 * 16 + 9 * 16 * 32);
  EXPECT_EQ(once.read, 1600 + 9 * 16 * 32);
  EXPECT_EQ(once.written, each.written);
  // Windows that lie apart read no more than there is.
  work.products = {{25, 16, 32}};
  EXPECT_EQ(onChipBytes(work, untiled(work), machine).read, 25 * 16 + 16 * 32);
}

TEST(KernelTime, OnChipMemoryMayBind) {
  Machine machine = plain();
  machine.sramKiB = 1024;
  machine.overlap = Overlap::All;
  KernelWork work = moving({6400, 6400}, {6400, 6400});
  work.elements = 1600;
  KernelTime without = timeOf(work, machine);
  EXPECT_EQ(without.total, 1600);
  EXPECT_EQ(without.onChip, 0);
  // Filled by the DMA, read, written, and emptied again.
  machine.sramGBs = 4;
  KernelTime with = timeOf(work, machine);
  EXPECT_EQ(with.onChip, 4 * 6400 / 4);
  EXPECT_EQ(with.total, with.onChip);
  EXPECT_EQ(with.bound, Bound::OnChip);
  EXPECT_STREQ(nameOf(with.bound), "on-chip memory");
  EXPECT_EQ(with.stall(), with.total - with.compute);
  machine.sramGBs = 1000;
  EXPECT_EQ(timeOf(work, machine).total, without.total);
  // What stays on the chip passes it once on each side.
  machine.sramGBs = 4;
  work.reads[0].onChip = work.writes[0].onChip = true;
  EXPECT_EQ(timeOf(work, machine).onChip, 2 * 6400 / 4);
}

TEST(KernelTime, BandwidthIsOfSecondsAndNotOfCycles) {
  Machine machine = plain();
  KernelWork work = moving({6400, 6400}, {6400, 6400});
  EXPECT_EQ(timeOf(work, machine).total, 1600);
  machine.clockMHz = 500;
  EXPECT_EQ(timeOf(work, machine).total, 800);
}

/// By hand: 64^3 multiply-adds, what passes DRAM, and what passes the chip.
TEST(Energy, OfMultiplyAddsAndBytes) {
  Machine machine = plain();
  machine.sramKiB = 1024;
  KernelWork work = moving({4096, 4096}, {4096, 4096});
  work.reads[0].role = Role::Data;
  work.reads.push_back({4096, 4096, false, Role::Weight});
  work.products = {{64, 64, 64}};
  work.products[0].energy = 0.5;
  EXPECT_EQ(energyOf(work, untiled(work), machine), 0);
  machine.dramEnergy = 100;
  double macs = 64 * 64 * 64 * 0.5, dram = 3 * 4096;
  EXPECT_EQ(energyOf(work, untiled(work), machine), macs + 100 * dram);
  machine.sramEnergy = 2;
  // The array reads both operands and writes the result: as many bytes again.
  EXPECT_EQ(energyOf(work, untiled(work), machine),
            macs + 100 * dram + 2 * (dram + dram));
  KernelWork processor;
  processor.processor = ProcessorWork{100, 10, 64, 777.6};
  EXPECT_EQ(energyOf(processor, {}, machine), 778);
}

TEST(KernelTime, ElementwiseWorkIsBoundByTheVectorUnit) {
  KernelWork work = moving({8, 8}, {8, 8});
  work.elements = 1000000;
  EXPECT_EQ(timeOf(work, plain()).bound, Bound::Vector);
}

TEST(KernelTime, ThroughputNeverRisesAsRunsShrink) {
  Machine machine = plain();
  machine.stridedAccessFactor = 32; // gathers nothing
  double bytes = 3 * 4096, before = 0;
  int64_t least = std::llround(2 * bytes / machine.dramBytesPerCycle());
  int64_t full = timeOf(moving({bytes, 4096}, {bytes, 4096}), machine).total;
  EXPECT_EQ(full, least);
  for (double run : {4096.0, 64.0, 32.0, 24.0, 16.0, 8.0, 3.0, 1.0}) {
    auto cycles = static_cast<double>(
        timeOf(moving({bytes, 4096}, {bytes, run}), machine).total);
    EXPECT_GE(cycles, before) << run;
    EXPECT_GE(cycles, static_cast<double>(least)) << run;
    before = cycles;
  }
  Transfer apart{bytes, 3, true};
  EXPECT_GE(timeOf(moving({bytes, 4096}, apart), machine).total, 10 * full);
}

TEST(KernelTime, AWideLayerIsBoundByItsWeights) {
  Machine machine = plain();
  machine.dramGBs = 1;
  KernelWork work = moving({1280.0 * 1000, 1000}, {1000, 1000});
  work.reads.push_back({1280, 1280});
  work.products = {{1, 1280, 1000}};
  work.usefulMacs = 1280.0 * 1000;
  KernelTime time = timeOf(work, machine);
  EXPECT_EQ(time.bound, Bound::Dma);
  EXPECT_NEAR(static_cast<double>(time.total), 1.29e6, 1e4);
  EXPECT_NEAR(utilisation(work, time.total, machine), 0.004, 0.0005);
}

/// 10,001 multiply-adds on 10,000 multipliers take a second cycle.
TEST(KernelTime, NoMoreThanTheArrayCanDo) {
  Machine machine = plain();
  machine.macRows = machine.macColumns = 100;
  KernelWork work;
  for (int64_t k : {10001, 12000, 19999, 20000}) {
    work.products = {{1, k, 1}};
    work.usefulMacs = work.products[0].macs();
    EXPECT_LE(utilisation(work, timeOf(work, machine).total, machine), 1) << k;
  }
}

/// A 16 x 16 array, weight stationary: K = 144 passes in 9 parts, N = 24 in 2.
TEST(OnChipBytes, OfAnInt8Convolution) {
  Machine machine = plain();
  machine.macRows = machine.macColumns = 16;
  machine.dataFlow = DataFlow::WeightStationary;
  KernelWork work;
  work.products = {{100, 144, 24}};
  Transfer data, weight, bias, result;
  data.role = Role::Data;
  weight.role = Role::Weight;
  bias.bytes = 96;
  bias.elementBytes = 4;
  data.bytes = 100 * 16;
  weight.bytes = 144 * 24;
  result.bytes = 100 * 24;
  work.reads = {data, weight, bias};
  work.writes = {result};
  OnChipBytes bytes = onChipBytes(work, untiled(work), machine);
  // Eight partial sums are read before they are continued.
  const int sums = 100 * 24 * 8 * 4;
  EXPECT_EQ(bytes.read, 100 * 144 * 2 + 144 * 24 + 96 + sums);
  Machine adding = machine;
  adding.sumReads = SumReads::None;
  EXPECT_EQ(onChipBytes(work, untiled(work), adding).read, bytes.read - sums);
  EXPECT_EQ(onChipBytes(work, untiled(work), adding).written, bytes.written);
  // Eight partial sums of 4 bytes for each result.
  EXPECT_EQ(bytes.written, 100 * 24 * (8 * 4 + 1));
  // Cut along N as the array cuts it, nothing changes; narrower, data are read
  // for each tile.
  Tiling half = {100, 144, 16, 1, Stays::Weights, 1};
  EXPECT_EQ(onChipBytes(work, half, machine).read, bytes.read);
  Tiling narrow = {100, 144, 8, 1, Stays::Weights, 1};
  EXPECT_EQ(onChipBytes(work, narrow, machine).read,
            100 * 144 * 3 + 144 * 24 + 96 + sums);
  EXPECT_EQ(onChipBytes(work, narrow, machine).written, bytes.written);
  // The data of each channel are its own.
  work.products = {{100, 9, 16, 1, true}};
  EXPECT_EQ(onChipBytes(work, untiled(work), machine).read,
            100 * 9 * 16 + 9 * 16 + 96);
}

TEST(OnChipBytes, OfVectorUnitAndDma) {
  KernelWork work = moving({800, 8}, {400, 8});
  EXPECT_EQ(onChipBytes(work, {}, plain()).read, 0);
  EXPECT_EQ(onChipBytes(work, {}, plain()).written, 0);
  work.reads[0].onChip = true;
  EXPECT_EQ(onChipBytes(work, {}, plain()).read, 800);
  EXPECT_EQ(onChipBytes(work, {}, plain()).written, 0);
  work.reads[0].onChip = false;
  work.elements = 100;
  EXPECT_EQ(onChipBytes(work, {}, plain()).read, 800);
  EXPECT_EQ(onChipBytes(work, {}, plain()).written, 400);
}

} // namespace
} // namespace npu::cost
