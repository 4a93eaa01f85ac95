// SPDX-License-Identifier: Apache-2.0
#include "cost/kernel_time.h"
#include "cost/tile_search.h"

#include <gtest/gtest.h>
#include <limits>

#include <cmath>

namespace npu::cost {
namespace {

/// Computing and moving at their own pace, but where a test says otherwise.
Machine withMemory(double kib, double banks = 0) {
  Machine machine;
  machine.overlap = Overlap::All;
  machine.macRows = machine.macColumns = 16;
  machine.vectorLanes = 16;
  machine.clockMHz = 1000;
  machine.dramGBs = 8;
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

/// Winograd's: 4 tiles of 4x4 results in each of 4 rows, 8 channels to 16.
KernelWork pointsOf16x16() {
  KernelWork work;
  work.products = {{16, 8, 16, 36, false, 4}};
  work.products[0].toPoints = 16 * 8 * 144;
  work.usefulMacs = work.products[0].macs();
  work.elements = 16 * 16 * 120;
  Transfer data{16 * 16 * 8 * 4, 32, false, Role::Data},
      weight{36 * 8 * 16 * 4, 36 * 8 * 16 * 4, false, Role::Weight},
      result{16 * 16 * 16 * 4, 64};
  data.elementBytes = weight.elementBytes = result.elementBytes = 4;
  work.reads = {data, weight};
  work.writes = {result};
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

/// What a program's file says need not be what a compiler would write.
TEST(Tiling, ExtentsUpToTheLargestNumberAreCounted) {
  constexpr int64_t most = std::numeric_limits<int64_t>::max();
  KernelWork work;
  work.products = {{most, most, most, most}};
  EXPECT_EQ(tileCount(work, {most, most, most, most}), 1);
  EXPECT_EQ(tileCount(work, {most - 1, most, most, most}), 2);
  EXPECT_EQ(tileCount(work, {1, 1, 1, 1}), int64_t(1e15));
}

/// Every tiling that is chosen fits, and less memory is never faster.
TEST(Tiling, LessMemoryIsNeverFaster) {
  for (Overlap overlap : {Overlap::All, Overlap::Tiles})
    for (KernelWork work : {convolution(56, 64, 256), convolution(14, 512, 512),
                            convolution(112, 16, 24)}) {
      int64_t before = 0;
      double trafficBefore = 0;
      for (double kib : {16384.0, 1024.0, 512.0, 256.0, 128.0, 64.0, 32.0}) {
        Machine machine = withMemory(kib);
        machine.overlap = overlap;
        Tiling tiling = chooseTiling(work, machine);
        ASSERT_TRUE(isValid(tiling, work));
        EXPECT_LE(bufferBytes(work, tiling, machine), kib * 1024);
        KernelTime time = timeOf(work, tiling, machine);
        EXPECT_GE(time.total, before) << kib;
        if (overlap == Overlap::All)
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

/// Four scalars and a bias take one bank together, not five.
TEST(Tiling, FewValuesShareABank) {
  KernelWork work = convolution(32, 32, 64);
  work.reads[0].halo = 0;
  work.reads.push_back({256, 256, false, Role::Bias});
  for (int i = 0; i < 4; ++i) {
    work.reads.push_back({4, 4});
    work.reads.back().elementBytes = 4;
  }
  // 32 KiB, 18 KiB, 64 KiB, and what is left, in banks of 16 KiB.
  EXPECT_EQ(bufferBytes(work, untiled(work), withMemory(1024, 64)),
            (32 + 32 + 64 + 16) * 1024);
  EXPECT_EQ(bufferBytes(work, untiled(work), withMemory(1024)),
            work.reads[0].bytes + work.reads[1].bytes + work.writes[0].bytes +
                256 + 4 * 4);
}

/// One buffer of each tensor, where the tiling says so.
TEST(Tiling, OneBufferNeedsHalf) {
  KernelWork work = convolution(32, 32, 64);
  work.reads[0].halo = 0;
  Tiling two = {512, 288, 64, 1, Stays::Weights, 1}, one = two;
  one.buffers = 1;
  double halves = work.reads[0].bytes / 2 + work.writes[0].bytes / 2;
  Machine machine = withMemory(1024);
  EXPECT_EQ(bufferBytes(work, two, machine) - bufferBytes(work, one, machine),
            halves);
  EXPECT_EQ(describe(one, work),
            "512x288x64 of 1024x288x64, weights stay, one buffer");
  one.buffers = 3;
  EXPECT_FALSE(isValid(one, work));
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

/// By hand, of 1024 x 288 x 64: in four parts along M, two along N, the weights
/// staying: eight transfers of data, two of weights, eight of results.
TEST(Tiling, EachTransferOfATilePaysItsStart) {
  KernelWork work = convolution(32, 32, 64);
  work.reads[0].halo = 0;
  Machine machine = withMemory(64);
  machine.dmaStartCycles = 1000;
  Tiling tiling = {256, 288, 32, 1, Stays::Weights, 1};
  KernelTime time = timeOf(work, tiling, machine);
  double data = work.reads[0].bytes, weight = work.reads[1].bytes,
         result = work.writes[0].bytes;
  EXPECT_EQ(time.dmaIn, 10 * 1000 + (2 * data + weight) / 8);
  EXPECT_EQ(time.dmaOut, 8 * 1000 + result / 8);
  EXPECT_EQ(time.dma, 1 + time.dmaIn + time.dmaOut);
  KernelWork copy;
  copy.elements = 1;
  copy.reads = copy.writes = {{4096, 4096}};
  EXPECT_EQ(timeOf(copy, {0, 0, 0, 0, Stays::Weights, 4}, machine).dma,
            1 + 8 * 1000 + 2 * 4096 / 8);
}

/// A tile's rows are shorter than the tensor's: a quarter of the channels of
/// one that stores them innermost is a row of 16 B, in bursts of 32.
TEST(Tiling, RowsAreThoseOfTheTile) {
  KernelWork work = convolution(32, 32, 64);
  Transfer &result = work.writes[0];
  result.run = result.bytes;
  result.rows.n = 64;
  Machine machine = withMemory(64);
  machine.dmaStartCycles = 0;
  auto out = [&](int64_t m, int64_t n) {
    return timeOf(work, {m, 288, n, 1, Stays::Weights, 1}, machine).dmaOut;
  };
  int64_t full = std::llround(result.bytes / 8);
  EXPECT_EQ(out(1024, 64), full);
  EXPECT_EQ(out(256, 64), full); // whole rows of pixels
  EXPECT_EQ(out(1024, 32), full);
  EXPECT_EQ(out(1024, 16), 2 * full);
  EXPECT_EQ(out(1024, 8), 4 * full);
  // What the DMA gathers is no shorter.
  result.gathered = 16;
  EXPECT_EQ(out(1024, 8), 2 * full);
  // Where pixels are innermost, channels cut nothing.
  result.gathered = result.rows.n = 0;
  result.rows.m = 1024;
  EXPECT_EQ(out(1024, 8), full);
  EXPECT_EQ(out(16, 64), 2 * full);
}

/// The same kernels on chips with more of one thing, and with more of all.
TEST(Tiling, AChipWithMoreIsNeverSlower) {
  KernelWork depthwise = convolution(56, 1, 96);
  depthwise.products[0] = {56 * 56, 9, 96, 1, true, 56};
  depthwise.reads[0] = {56 * 56 * 96.0, 96, false, Role::Data};
  KernelWork product;
  product.products = {{197, 768, 3072}};
  product.reads = {{197 * 768.0, 768, false, Role::Data},
                   {768 * 3072.0, 3072, false, Role::Weight},
                   {3072, 3072, false, Role::Bias}};
  product.writes = {{197 * 3072.0, 3072}};
  for (const KernelWork &work :
       {convolution(56, 64, 256), convolution(7, 512, 512), depthwise, product,
        pointsOf16x16()})
    for (DataFlow flow :
         {DataFlow::WeightStationary, DataFlow::OutputStationary,
          DataFlow::InputStationary, DataFlow::DotProduct})
      for (auto [rows, overlap] : {std::pair(8.0, Overlap::All),
                                   {8.0, Overlap::Tiles},
                                   {100.0, Overlap::All},
                                   {100.0, Overlap::Tiles}}) {
        int64_t before = INT64_MAX;
        for (double kib : {12.0, 40.0, 100.0, 512.0}) {
          Machine machine = withMemory(kib);
          machine.dataFlow = flow;
          machine.overlap = overlap;
          machine.dmaStartCycles = 50;
          machine.macRows = machine.macColumns = rows;
          machine.vectorLanes = rows;
          machine.sramGBs = rows; // about as long as computing
          Tiling tiling = chooseTiling(work, machine);
          ASSERT_TRUE(fits(work, tiling, machine)) << kib;
          int64_t cycles = timeOf(work, machine).total;
          EXPECT_LE(cycles, before) << kib;
          before = cycles;
          for (double Machine::*more :
               {&Machine::macRows, &Machine::macColumns, &Machine::vectorLanes,
                &Machine::dramGBs, &Machine::dmaChannels, &Machine::sramGBs,
                &Machine::sramKiB}) {
            Machine larger = machine;
            larger.*more += 1;
            EXPECT_LE(timeOf(work, larger).total, cycles) << kib;
          }
          machine.sramBanks = 8;
          int64_t inBanks = timeOf(work, machine).total;
          EXPECT_GE(inBanks, cycles);
          machine.sramBanks = 16;
          EXPECT_LE(timeOf(work, machine).total, inBanks);
        }
      }
}

/// All tilings of convolution(14, 24, 40) that fit: multiples of nine channels
/// and all numbers of rows.
template <class Use>
static void forAllTilings(const KernelWork &work, const Machine &machine,
                          Use use) {
  for (int64_t cuts = 1; cuts <= 14; ++cuts)
    for (int64_t channels = 1; channels <= 24; ++channels)
      for (int64_t n = 1; n <= 40; ++n)
        for (Stays stays : {Stays::Weights, Stays::Data, Stays::Sums}) {
          int64_t m = (14 + cuts - 1) / cuts * 14, k = channels * 9;
          Tiling tiling = {m, k, n, 1, stays, 1};
          bool possible = stays == Stays::Sums || k == 9 * 24;
          if (possible && fits(work, tiling, machine))
            use(tiling);
        }
}

/// Against the search.
TEST(Tiling, NoTilingIsFasterThanTheChosenOne) {
  KernelWork work = convolution(14, 24, 40);
  for (auto [flow, overlap] :
       {std::pair(DataFlow::WeightStationary, Overlap::All),
        {DataFlow::OutputStationary, Overlap::All},
        {DataFlow::WeightStationary, Overlap::Tiles},
        {DataFlow::OutputStationary, Overlap::Tiles}})
    for (double kib : {4.0, 6.0, 9.0, 13.0, 64.0}) {
      Machine machine = withMemory(kib);
      machine.dataFlow = flow;
      machine.overlap = overlap;
      machine.dmaStartCycles = 20;
      int64_t chosen = timeOf(work, machine).total;
      forAllTilings(work, machine, [&](const Tiling &tiling) {
        EXPECT_GE(static_cast<double>(timeOf(work, tiling, machine).total),
                  0.98 * static_cast<double>(chosen))
            << kib << ' ' << describe(tiling, work);
      });
    }
}

/// Energy has tiles of its own, of which none takes less: more time for fewer
/// bytes, which only energy counts where the array is busy for longer.
TEST(Tiling, TheLeastEnergyIsNotTheLeastTime) {
  KernelWork work = convolution(14, 24, 40);
  int differ = 0;
  for (DataFlow flow : {DataFlow::WeightStationary, DataFlow::OutputStationary,
                        DataFlow::InputStationary, DataFlow::DotProduct})
    for (double kib : {4.0, 6.0, 9.0, 13.0})
      for (double sram : {0.5, 30.0}) {
        Machine machine = withMemory(kib);
        machine.dataFlow = flow;
        machine.dmaStartCycles = 20;
        machine.dramEnergy = 20;
        machine.sramEnergy = sram;
        Tiling fast = chooseTiling(work, machine);
        Tiling frugal = chooseTiling(work, machine, Goal::Energy);
        int64_t chosen = energyOf(work, frugal, machine);
        EXPECT_LE(chosen, energyOf(work, fast, machine));
        EXPECT_GE(timeOf(work, frugal, machine).total,
                  timeOf(work, fast, machine).total);
        differ += chosen < energyOf(work, fast, machine);
        forAllTilings(work, machine, [&](const Tiling &tiling) {
          EXPECT_GE(static_cast<double>(energyOf(work, tiling, machine)),
                    0.98 * static_cast<double>(chosen))
              << kib << ' ' << describe(tiling, work);
        });
      }
  EXPECT_GT(differ, 0);
}

/// A 13 x 13 maximum of 64 x 64 x 16 bytes: pieces have the rows that windows
/// share, and those that are cut along channels share none.
TEST(Tiling, WindowsHaveAHalo) {
  KernelWork work;
  work.streamed = {64 * 64, 169, 16, 1, true, 64};
  work.elements = 64 * 64 * 16 * 169.0;
  Transfer data{65536, 65536, false, Role::Data, false, 12 * 1024};
  work.reads = {data};
  work.writes = {{65536, 65536}};
  Machine machine = withMemory(1024);
  // Eight pieces of eight rows each, and the twelve that windows share.
  Tiling rows = {8 * 64, 169, 16, 1, Stays::Weights, 1};
  EXPECT_EQ(bufferBytes(work, rows, machine), 2 * ((8 + 12) * 1024 + 8 * 1024));
  EXPECT_EQ(timeOf(work, rows, machine).dramRead, 65536 + 7 * 12 * 1024);
  Tiling channels = {64 * 64, 169, 2, 1, Stays::Weights, 1};
  EXPECT_EQ(timeOf(work, channels, machine).dramRead, 65536);
  for (double kib : {16.0, 40.0}) {
    Tiling tiling = chooseTiling(work, withMemory(kib));
    EXPECT_TRUE(fits(work, tiling, withMemory(kib)));
    EXPECT_EQ(timeOf(work, tiling, machine).array, 0);
  }
}

/// Softmax over a row of a million floats, in 64 KiB: three times.
TEST(Tiling, RowsThatDoNotFitAreReadInEachPass) {
  KernelWork work;
  constexpr double bytes = 4e6;
  work.streamed = {1, 1000000, 1};
  work.elements = 3e6;
  Transfer data{bytes, bytes, false, Role::Data};
  data.passes = 3;
  data.elementBytes = 4;
  work.reads = {data};
  data.passes = 1;
  work.writes = {data};
  for (auto [kib, passes] : {std::pair(64.0, 3), {8192.0, 1}}) {
    Machine machine = withMemory(kib);
    Tiling tiling = chooseTiling(work, machine);
    ASSERT_TRUE(fits(work, tiling, machine));
    KernelTime time = timeOf(work, tiling, machine);
    EXPECT_EQ(time.dramRead, passes * bytes);
    EXPECT_EQ(time.dramWritten, bytes);
  }
  // Rows that fit one by one are read once.
  work.streamed = {1000, 1000, 1};
  EXPECT_EQ(timeOf(work, withMemory(64)).dramRead, bytes);
}

/// 4,096 of 100,000 rows of 256 bytes: about a megabyte, or all of a table that
/// is small.
TEST(Tiling, OfATableTheRowsThatAreRead) {
  KernelWork work;
  work.elements = 4096 * 64;
  Transfer table{25.6e6, 25.6e6};
  table.touched = 4096 * 256;
  table.touchedRun = 256;
  Transfer indices{16384, 16384}, result{4096 * 256, 4096 * 256};
  work.reads = {table, indices};
  work.writes = {result};
  Machine machine = withMemory(64);
  Tiling tiling = chooseTiling(work, machine);
  ASSERT_TRUE(fits(work, tiling, machine));
  EXPECT_EQ(timeOf(work, tiling, machine).dramRead, 4096 * 256 + 16384);
  // Of 256 values each is read many times: they are kept.
  work.reads[0] = {1024, 1024};
  work.reads[0].touched = 4096 * 256;
  work.reads[0].touchedRun = 4;
  tiling = chooseTiling(work, machine);
  EXPECT_EQ(timeOf(work, tiling, machine).dramRead, 1024 + 16384);
  // Unless there is no room for them.
  work.reads[0].bytes = work.reads[0].run = 128 * 1024;
  tiling = chooseTiling(work, machine);
  ASSERT_TRUE(fits(work, tiling, machine));
  EXPECT_EQ(timeOf(work, tiling, machine).dramRead, 4096 * 256 + 16384);
}

/// The rows that two tiles share come with the tile's channels, not with all.
/// By hand: no tile has a part of the points; data and sums are there besides;
/// data that come in once more are brought to the points once more.
TEST(Tiling, DataAreBroughtToAllPointsOfATile) {
  KernelWork work = pointsOf16x16();
  Machine machine = withMemory(1024);
  EXPECT_FALSE(isValid({16, 8, 16, 18, Stays::Weights, 1}, work));
  Tiling tiling = {8, 8, 4, 36, Stays::Data, 1};
  ASSERT_TRUE(isValid(tiling, work));
  double data = work.reads[0].bytes, weight = work.reads[1].bytes,
         result = work.writes[0].bytes;
  double sums = 36 * 8 * 4 * 4, points = 36 * 8 * 8 * 4;
  EXPECT_EQ(bufferBytes(work, tiling, machine),
            2 * (data / 2 + weight / 4 + result / 8) + sums + points);
  auto vector = [&](Stays stays) {
    tiling.stays = stays;
    return modelTimeOf(work, tiling, machine).vector;
  };
  EXPECT_EQ(vector(Stays::Data), 16 * (8 * 144 + 16 * 120) / 16);
  EXPECT_EQ(vector(Stays::Weights), 16 * (4 * 8 * 144 + 16 * 120) / 16);
  for (double kib : {64.0, 40.0, 32.0, 24.0, 20.0})
    EXPECT_EQ(chooseTiling(work, withMemory(kib)).count, 36) << kib;
}

/// 64 rows of 256 bytes are changed in a copy of a megabyte: in the chip's
/// memory, or after the copy, row by row.
TEST(Tiling, RowsThatAreWrittenOnceMore) {
  KernelWork work;
  work.elements = 1 << 20;
  Transfer data{1 << 20, 1 << 20}, indices{64, 64}, updates{64 * 256, 64 * 256},
      result = data;
  result.rewritten = 64 * 256;
  result.touchedRun = 256;
  work.reads = {data, indices, updates};
  work.writes = {result};
  double least = 0;
  for (auto [kib, again] : {std::pair(4096.0, 0), {64.0, 64 * 256}}) {
    Machine machine = withMemory(kib);
    Tiling tiling = chooseTiling(work, machine);
    ASSERT_TRUE(fits(work, tiling, machine));
    KernelTime time = timeOf(work, tiling, machine);
    EXPECT_EQ(time.dramWritten, result.bytes + again);
    EXPECT_EQ(time.dramRead, data.bytes + indices.bytes + updates.bytes);
    EXPECT_GE(static_cast<double>(time.total), least);
    least = static_cast<double>(time.total);
  }
  // Rows that are shorter than a burst take all of it.
  Machine machine = withMemory(64);
  Tiling tiling = chooseTiling(work, machine);
  int64_t before = timeOf(work, tiling, machine).dmaOut;
  work.writes[0].touchedRun = machine.dmaBurstBytes / 4;
  EXPECT_NEAR(
      static_cast<double>(timeOf(work, tiling, machine).dmaOut - before),
      3 * 64 * 256 / machine.dramBytesPerCycle(), 1);
}

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
  EXPECT_EQ(timeOf(relayout, machine).dma, 1 + 2 + 200);
  EXPECT_EQ(timeOf(relayout, machine).dramWritten, 0);
}

TEST(Tiling, Names) {
  for (Stays stays : {Stays::Weights, Stays::Data, Stays::Sums})
    EXPECT_EQ(findStays(nameOf(stays)), stays);
  for (Role role : {Role::Result, Role::Data, Role::Weight, Role::Bias}) {
    EXPECT_EQ(findRole(nameOf(role)), role);
    EXPECT_NE(roleNames().find(nameOf(role)), std::string_view::npos);
  }
  EXPECT_FALSE(findStays("bias"));
  EXPECT_FALSE(findRole("sum"));
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
  EXPECT_EQ(timeOf(work, machine).dma, 1 + 2 * (1 + 800));
  machine.dmaChannels = 2;
  EXPECT_EQ(timeOf(work, machine).dma, 1 + 1 + 800);
  machine.transposeBytesPerCycle = 2;
  KernelTime time = timeOf(work, machine);
  EXPECT_EQ(time.dmaIn, 1 + 100); // full bursts
  EXPECT_EQ(time.dmaOut, 1 + 100);
  EXPECT_EQ(time.dma, 1 + 400);
  // An engine that is slower than strides is not used.
  machine.transposeBytesPerCycle = 0.5;
  EXPECT_EQ(timeOf(work, machine).dma, 1 + 1 + 800);
}

} // namespace
} // namespace npu::cost
