// SPDX-License-Identifier: Apache-2.0
#include "cost/kernel_time.h"

#include <gtest/gtest.h>

#include <cmath>

namespace npu::cost {
namespace {

Machine withMemory(double kib, double banks = 1) {
  Machine machine;
  machine.macRows = machine.macColumns = 16;
  machine.vectorLanes = 16;
  machine.dmaBytesPerCycle = 8;
  machine.dmaBurstBytes = 32;
  machine.sramKiB = kib;
  machine.sramBanks = banks;
  machine.dataFlow = DataFlow::WeightStationary;
  return machine;
}

/// A 3x3 convolution of one byte an element, as the compiler describes it.
KernelWork convolution(int64_t size, int64_t inputs, int64_t outputs) {
  KernelWork work;
  work.products = {{size * size, 9 * inputs, outputs, 1, false, size, 9}};
  work.usefulMacs = work.products[0].macs();
  auto side = static_cast<double>(size), in = static_cast<double>(inputs),
       out = static_cast<double>(outputs);
  Transfer data{side * side * in, in, false, Role::Data, false, 2 * side * in};
  Transfer weight{9 * in * out, 9 * in * out, false, Role::Weight};
  work.reads = {data, weight};
  work.writes = {{side * side * out, out}};
  return work;
}

TEST(Tiling, WhatFitsStaysWhole) {
  KernelWork work = convolution(56, 64, 64);
  Machine machine = withMemory(1024);
  Tiling tiling = chooseTiling(work, machine);
  EXPECT_EQ(tiling, untiled(work));
  EXPECT_EQ(tileCount(work, tiling), 1);
  EXPECT_EQ(bufferBytes(work, tiling, machine), work.bytes());
  KernelTime time = timeOf(work, machine);
  EXPECT_EQ(time.dramRead + time.dramWritten, work.bytes());
  EXPECT_EQ(describe(tiling, work), "whole");
}

TEST(Tiling, WithoutMemoryNumbersNothingIsCut) {
  KernelWork work = convolution(56, 512, 512);
  EXPECT_EQ(chooseTiling(work, withMemory(0)), untiled(work));
}

/// Every tiling that is chosen fits, and less memory is never faster.
TEST(Tiling, LessMemoryIsNeverFaster) {
  for (KernelWork work : {convolution(56, 64, 256), convolution(14, 512, 512),
                          convolution(112, 16, 24)}) {
    int64_t before = 0;
    double trafficBefore = 0;
    for (double kib : {16384.0, 1024.0, 512.0, 256.0, 128.0, 64.0, 32.0}) {
      Machine machine = withMemory(kib);
      Tiling tiling = chooseTiling(work, machine);
      ASSERT_TRUE(isValid(tiling, work));
      EXPECT_LE(bufferBytes(work, tiling, machine), kib * 1024);
      KernelTime time = timeOf(work, tiling, machine);
      EXPECT_GE(time.total, before) << kib;
      EXPECT_GE(time.dramRead, trafficBefore) << kib;
      before = time.total;
      trafficBefore = time.dramRead;
    }
  }
}

/// By hand: what does not stay comes in once for each round.
TEST(Tiling, TrafficOfEachLoopOrder) {
  KernelWork work = convolution(32, 32, 64);
  work.reads[0].halo = 0;
  double data = work.reads[0].bytes, weight = work.reads[1].bytes;
  Machine machine = withMemory(64);
  auto read = [&](int64_t m, int64_t k, int64_t n, Stays stays) {
    return timeOf(work, {m, k, n, 1, stays, 1}, machine).dramRead;
  };
  EXPECT_EQ(read(256, 288, 16, Stays::Weights), 4 * data + weight);
  EXPECT_EQ(read(256, 288, 16, Stays::Data), data + 4 * weight);
  EXPECT_EQ(read(256, 144, 16, Stays::Sums), 4 * data + 4 * weight);
  EXPECT_EQ(read(1024, 288, 16, Stays::Weights), data + weight);
  EXPECT_EQ(read(256, 288, 64, Stays::Data), data + weight);
  work.reads[0].halo = 10;
  EXPECT_EQ(read(256, 288, 64, Stays::Data), data + 3 * 10 + weight);
}

TEST(Tiling, BuffersAreDoubledAndTakeWholeBanks) {
  KernelWork work = convolution(32, 32, 64);
  work.reads[0].halo = 0;
  Tiling tiling = {512, 288, 64, 1, Stays::Weights, 1};
  double halves = work.reads[0].bytes + work.writes[0].bytes;
  double bytes = halves + work.reads[1].bytes;
  EXPECT_EQ(bufferBytes(work, tiling, withMemory(1024)), bytes);
  // 32 KiB, 18 KiB and 64 KiB in banks of 16 KiB.
  EXPECT_EQ(bufferBytes(work, tiling, withMemory(1024, 64)),
            (32 + 32 + 64) * 1024);
  // Sums of four bytes where K is cut, which are not doubled.
  Tiling sums = {512, 144, 64, 1, Stays::Sums, 1};
  EXPECT_EQ(bufferBytes(work, sums, withMemory(1024)),
            work.reads[0].bytes / 4 * 2 + work.reads[1].bytes +
                work.writes[0].bytes + 4 * 512 * 64);
}

/// Tiles take as long as the array takes for each, those at the edge too.
TEST(Tiling, ArrayCyclesAreThoseOfTheTiles) {
  KernelWork work = convolution(10, 16, 24);
  Machine machine = withMemory(64);
  Tiling tiling = {40, 144, 16, 1, Stays::Weights, 1};
  double cycles = 0;
  for (int64_t m : {40, 40, 20})
    for (int64_t n : {16, 8})
      cycles += arrayCycles({m, 144, n}, machine);
  EXPECT_EQ(timeOf(work, tiling, machine).array, std::llround(cycles));
}

/// A depthwise convolution reads its data once, whatever is cut.
TEST(Tiling, DepthwiseDataComesOnce) {
  KernelWork work = convolution(112, 1, 96);
  work.products[0] = {112 * 112, 9, 96, 1, true, 112};
  work.reads[0] = {112 * 112 * 96.0, 96, false, Role::Data};
  Machine machine = withMemory(128);
  Tiling tiling = chooseTiling(work, machine);
  EXPECT_GT(tileCount(work, tiling), 1);
  EXPECT_EQ(timeOf(work, tiling, machine).dramRead,
            work.reads[0].bytes + work.reads[1].bytes);
}

TEST(Tiling, OtherKernelsAreCutInPieces) {
  KernelWork work;
  work.elements = 1 << 20;
  work.reads = work.writes = {{1 << 20, 1 << 20}};
  Machine machine = withMemory(128);
  Tiling tiling = chooseTiling(work, machine);
  EXPECT_EQ(tiling.pieces, 32); // 4 x 32 KiB
  EXPECT_EQ(describe(tiling, work), "32 pieces");
  EXPECT_EQ(timeOf(work, machine).dramRead, 1 << 20);
}

/// Tiles fill the array as long as one of that width fits; below, an array
/// partly used takes the time that the same formula gives.
TEST(Tiling, NarrowerThanTheArrayWhereNothingElseFits) {
  KernelWork work = convolution(14, 256, 512);
  Machine machine = withMemory(1024);
  machine.macRows = machine.macColumns = 256;
  for (double kib : {1024.0, 512.0, 256.0, 128.0, 64.0, 32.0, 16.0, 4.0}) {
    machine.sramKiB = kib;
    Tiling tiling = chooseTiling(work, machine);
    ASSERT_TRUE(isValid(tiling, work));
    EXPECT_LE(bufferBytes(work, tiling, machine), kib * 1024);
    Tiling wide = smallestTiling(work, machine);
    EXPECT_EQ(wide.k, 256);
    EXPECT_EQ(wide.n, 256);
    bool fills = tiling.k % 256 == 0 && tiling.n % 256 == 0;
    EXPECT_EQ(fills, bufferBytes(work, wide, machine) <= kib * 1024) << kib;
    // Channels stay whole.
    EXPECT_TRUE(tiling.k % 256 == 0 || tiling.k % 9 == 0) << tiling.k;
  }
}

/// The rows that two tiles share come with the tile's channels, not with all.
TEST(Tiling, HaloOfATileHasTheTilesChannels) {
  KernelWork work = convolution(32, 32, 64);
  double data = work.reads[0].bytes, halo = work.reads[0].halo;
  KernelWork only = work;
  only.reads.resize(1);
  only.writes.clear();
  Machine machine = withMemory(1024);
  EXPECT_EQ(bufferBytes(only, {32, 288, 64, 1, Stays::Weights, 1}, machine),
            2 * (data / 32 + halo));
  EXPECT_EQ(bufferBytes(only, {32, 72, 64, 1, Stays::Sums, 1}, machine),
            2 * (data / 32 + halo) / 4 + 4 * 32 * 64);
}

TEST(Tiling, NothingFits) {
  KernelWork work = convolution(56, 512, 512);
  Machine machine = withMemory(0.5);
  Tiling tiling = chooseTiling(work, machine);
  EXPECT_GT(bufferBytes(work, tiling, machine), tileCapacity(work, machine));
  EXPECT_EQ(tiling, (Tiling{56, 9, 1, 1, Stays::Sums, 1}));
}

TEST(Tiling, ValuesThatStayAreNotMoved) {
  KernelWork work = convolution(14, 64, 64);
  Machine machine = withMemory(256);
  KernelTime moved = timeOf(work, machine);
  work.reads[0].onChip = work.writes[0].onChip = true;
  work.reservedBytes = work.reads[0].bytes + work.writes[0].bytes;
  KernelTime kept = timeOf(work, machine);
  EXPECT_EQ(kept.dramRead, work.reads[1].bytes);
  EXPECT_EQ(kept.dramWritten, 0);
  EXPECT_LE(kept.total, moved.total);
  // A relayout of such a value is made by the DMA all the same.
  KernelWork relayout;
  relayout.reads = relayout.writes = {{800, 800, false, Role::Result, true}};
  EXPECT_EQ(timeOf(relayout, machine).dma, 2 + 200);
  EXPECT_EQ(timeOf(relayout, machine).dramWritten, 0);
}

TEST(Tiling, Names) {
  for (Stays stays : {Stays::Weights, Stays::Data, Stays::Sums})
    EXPECT_EQ(findStays(nameOf(stays)), stays);
  for (Role role : {Role::Result, Role::Data, Role::Weight})
    EXPECT_EQ(findRole(nameOf(role)), role);
  EXPECT_FALSE(findStays("bias"));
  EXPECT_FALSE(findRole("bias"));
  KernelWork work = convolution(32, 32, 64);
  EXPECT_EQ(describe({256, 288, 16, 1, Stays::Data, 1}, work),
            "256x288x16 of 1024x288x64, data stay");
  EXPECT_FALSE(isValid({256, 288, 65, 1, Stays::Data, 1}, work));
  EXPECT_FALSE(isValid({0, 288, 16, 1, Stays::Data, 1}, work));
}

TEST(Tiling, TwoChannelsAndATransposeEngine) {
  KernelWork work;
  work.reads = {{800, 4}};
  work.writes = {{800, 4, true}};
  Machine machine = withMemory(0);
  EXPECT_EQ(timeOf(work, machine).dma, 2 + 2 * 800);
  machine.dmaChannels = 2;
  EXPECT_EQ(timeOf(work, machine).dma, 2 + 800);
  machine.transposeBytesPerCycle = 2;
  KernelTime time = timeOf(work, machine);
  EXPECT_EQ(time.dmaIn, 100); // full bursts
  EXPECT_EQ(time.dmaOut, 100);
  EXPECT_EQ(time.dma, 2 + 400);
}

} // namespace
} // namespace npu::cost
