// SPDX-License-Identifier: Apache-2.0
#include "cost/floor.h"

#include "cost/kernel_time.h"
#include "cost/tile_search.h"

#include <gtest/gtest.h>

#include <random>

namespace npu::cost {
namespace {

/// A byte a cycle, 4 x 4 multipliers.
Machine plain() {
  Machine machine;
  machine.clockMHz = 1000;
  machine.macRows = machine.macColumns = 4;
  machine.sramKiB = 1024;
  return machine;
}

/// A 1x1 convolution of stride 2: 8 x 8 of 16 x 16 pixels, 16 to 8 channels.
KernelWork convolution() {
  KernelWork work;
  work.products = {{64, 16, 8}};
  work.usefulMacs = work.leastMacs = work.products[0].macs();
  work.reads = {{16 * 16 * 16, 4096, false, Role::Data},
                {16 * 8, 128, false, Role::Weight}};
  work.writes = {{64 * 8, 512}};
  return work;
}

TEST(Floor, ByHand) {
  Machine machine = plain();
  KernelWork work = convolution();
  Floor floor = floorOf(work, machine);
  EXPECT_EQ(floor.array, 64 * 16 * 8 / 16);
  // A quarter of the image lies under a window.
  EXPECT_EQ(floor.dramIn, 1024 + 128);
  EXPECT_EQ(floor.dramOut, 512);
  EXPECT_EQ(floor.dram, 1024 + 128 + 512);
  EXPECT_EQ(floor.onChip, 0);
  EXPECT_EQ(floor.cycles(), floor.dram);
  machine.dmaChannels = 2;
  EXPECT_EQ(floorOf(work, machine).dram, 1024 + 128);
  // Through on-chip memory everything passes twice.
  machine.sramGBs = 2;
  EXPECT_EQ(floorOf(work, machine).onChip, 1024 + 128 + 512);
  // Another algorithm multiplies less.
  work.leastMacs /= 4;
  EXPECT_EQ(floorOf(work, machine).array, 64 * 16 * 8 / 64);
  // What stays on the chip is no matter of DRAM.
  work.writes[0].onChip = true;
  EXPECT_EQ(floorOf(work, machine).dramOut, 0);
  work.reads[1].boundary = true;
  EXPECT_EQ(floorOf(work, machine).boundaryIn, 128);
  // Of a table the rows that are read.
  work = {};
  work.elements = 1;
  work.reads = {{1e6, 1e6}};
  work.reads[0].touched = 4096;
  EXPECT_EQ(floorOf(work, machine).dramIn, 4096);
  work.processor = ProcessorWork{100, 10};
  EXPECT_EQ(floorOf(work, machine).cycles(), 0);
}

class Draw {
public:
  explicit Draw(unsigned seed) : random(seed) {}

  template <class Number>
  Number of(std::initializer_list<Number> numbers) {
    return *(numbers.begin() + random() % numbers.size());
  }

  Machine machine() {
    Machine machine = plain();
    machine.macRows = of({1.0, 8.0, 33.0});
    machine.macColumns = of({1.0, 16.0, 40.0});
    machine.vectorLanes = of({1.0, 16.0, 5000.0});
    machine.sramKiB = of({0.0, 8.0, 64.0, 4096.0});
    machine.dramGBs = of({0.5, 8.0, 100.0});
    machine.dmaBurstBytes = of({1.0, 64.0});
    machine.dmaChannels = of({1.0, 2.0});
    machine.dmaStartCycles = of({0.0, 50.0});
    machine.kernelStartCycles = of({0.0, 7.0});
    machine.sramGBs = machine.sramKiB > 0 ? of({0.0, 4.0, 100.0}) : 0;
    machine.dataFlow =
        of({DataFlow::DotProduct, DataFlow::WeightStationary,
            DataFlow::OutputStationary, DataFlow::InputStationary});
    machine.arrayUse = of({ArrayUse::Parts, ArrayUse::Whole});
    machine.vectorUnit = of({VectorUnit::After, VectorUnit::Beside});
    machine.windowReads = of({WindowReads::Each, WindowReads::Once});
    machine.weightLoad = of({WeightLoad::InTurn, WeightLoad::Preload});
    machine.kRows = of({KRows::Either, KRows::Channels, KRows::Window});
    machine.depthwise = of({DepthwiseUnit::Columns, DepthwiseUnit::Channels,
                            DepthwiseUnit::Vector});
    machine.overlap = of({Overlap::Tiles, Overlap::All});
    return machine;
  }

  KernelWork work() {
    bool depthwise = random() % 4 == 0, streamed = random() % 4 == 0;
    int64_t side = of<int64_t>({1, 7, 28}), channels = of<int64_t>({1, 3, 40}),
            window = of<int64_t>({1, 9}), outputs = of<int64_t>({1, 17, 100}),
            stride = of<int64_t>({1, 2});
    if (depthwise)
      outputs = channels;
    Product product = {side * side, window * (depthwise ? 1 : channels),
                       outputs,     1,
                       depthwise,   side,
                       window};
    product.rate = of({0.5, 1.0, 4.0});
    KernelWork work;
    auto bytes = [](int64_t number) { return static_cast<double>(number); };
    double data = bytes(side * side * stride * stride * channels);
    work.reads = {{data, data, false, Role::Data, random() % 4 == 0,
                   window > 1 ? 2 * data / bytes(side * stride) : 0}};
    work.writes = {{bytes(side * side * outputs), bytes(outputs)}};
    work.factor = of({1.0, 1.5});
    work.elements = of({0.0, 1e3, 1e6});
    if (streamed && depthwise) {
      work.streamed = product;
      return work;
    }
    if (window > 1 && !depthwise && random() % 2 == 0) { // Winograd's points
      product.count = 16;
      product.toPoints = of({10.0, 1e5});
    }
    work.products = {product};
    work.usefulMacs = product.macs();
    work.leastMacs = product.macs() / product.rate / of({1.0, 4.0});
    double weights = bytes(product.k * outputs * product.count);
    work.reads.push_back({weights, weights, false, Role::Weight});
    return work;
  }

  std::mt19937 random;
};

/// Law: nothing is faster than its floor.
TEST(Floor, NothingIsFaster) {
  for (unsigned seed = 0; seed < 3000; ++seed) {
    Draw draw(seed);
    Machine machine = draw.machine();
    KernelWork work = draw.work();
    Tiling tiling = chooseTiling(work, machine);
    KernelTime time = timeOf(work, tiling, machine);
    EXPECT_LE(std::floor(floorOf(work, machine).cycles()),
              static_cast<double>(time.total))
        << seed << ' ' << describe(tiling, work);
    EXPECT_GE(time.total, std::max({time.compute, time.dma, time.onChip}));
  }
}

} // namespace
} // namespace npu::cost
