// SPDX-License-Identifier: Apache-2.0
#include "cost/makespan.h"

#include "cost/kernel_time.h"
#include "cost/tile_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace npu::cost {
namespace {

/// Tiles that are alike: `load`, `compute` and `store` cycles of each.
Steps alike(double number, double load, double compute, double store) {
  Steps steps;
  steps.number = number;
  steps.computing = number * compute;
  steps.loads.add(number, number * load, 0);
  steps.stores.add(number, number * store, 0);
  return steps;
}

TEST(Makespan, ByHand) {
  // One tile: one thing after the other, whatever the buffers.
  for (bool two : {false, true})
    EXPECT_EQ(makespan(alike(1, 10, 30, 5), two), 45);
  // Four tiles, bound by computing: the first load and the last store show.
  EXPECT_EQ(makespan(alike(4, 10, 30, 5), true), 10 + 4 * 30 + 5);
  EXPECT_EQ(makespan(alike(4, 10, 30, 5), false), 4 * 45);
  // Bound by the channel, but where only a load or a store goes on beside it.
  EXPECT_EQ(makespan(alike(4, 10, 3, 5), true), 4 * 15);
  EXPECT_EQ(makespan(alike(4, 10, 12, 5), true), 10 + 12 + 15 + 15 + 12 + 5);
  // A channel for each direction.
  Steps steps = alike(4, 10, 3, 5);
  steps.ownChannels = true;
  EXPECT_EQ(makespan(steps, true), 4 * 10 + 5 + 5);
  // On-chip memory that gives and takes a byte a cycle.
  steps = alike(4, 10, 12, 5);
  steps.bytes = 4 * 20;
  steps.onChip = 1;
  EXPECT_EQ(makespan(steps, true), 10 + 4 * 20 + 5);
}

/// Weights that come with each third tile.
TEST(Makespan, WhatComesSeldomComesWithTheRest) {
  Steps steps = alike(6, 4, 10, 0);
  steps.loads.add(2, 2 * 20, 0);
  // The first load has both; of the rest one step has both.
  EXPECT_EQ(makespan(steps, true), 24 + 10 * 5 + 24);
  // In two tiles the second is loaded beside the first, that is stored beside
  // the second.
  EXPECT_EQ(makespan(alike(2, 10, 15, 10), true), 10 + 15 + 15 + 10);
  EXPECT_EQ(makespan(steps, false), 6 * 14 + 2 * 20);
}

/// A schedule of tiles in a given order, their transfers in the channel's: the
/// next tile is loaded, then the one before is stored. Buffers are free when
/// what was in them is computed or stored.
double replayed(const std::vector<double> &loads, double compute,
                const std::vector<double> &stores) {
  size_t number = loads.size();
  std::vector<double> loaded(number), computed(number), stored(number);
  double channel = 0;
  auto load = [&](size_t i) {
    double isFree = i >= 2 ? computed[i - 2] : 0;
    loaded[i] = channel = std::max(channel, isFree) + loads[i];
  };
  load(0);
  for (size_t i = 0; i < number; ++i) {
    double isFree = i >= 2 ? stored[i - 2] : 0;
    computed[i] =
        std::max({loaded[i], i > 0 ? computed[i - 1] : 0, isFree}) + compute;
    if (i + 1 < number)
      load(i + 1);
    if (i > 0)
      stored[i - 1] = channel =
          std::max(channel, computed[i - 1]) + stores[i - 1];
  }
  return std::max(channel, computed.back()) + stores.back();
}

/// Whatever the order in which rare transfers come, and not much less.
TEST(Makespan, CanBeExecuted) {
  std::mt19937 random(1);
  auto number = [&](int most) {
    return std::uniform_int_distribution<int>(0, most)(random);
  };
  for (int round = 0; round < 2000; ++round) {
    size_t inner = 1 + number(6), outer = 1 + number(5), all = inner * outer;
    double each = number(20), seldom = number(60), compute = number(30),
           store = number(15), sum = number(15);
    Steps steps;
    steps.number = static_cast<double>(all);
    steps.computing = steps.number * compute;
    steps.loads.add(steps.number, steps.number * each, 0);
    steps.loads.add(static_cast<double>(outer),
                    static_cast<double>(outer) * seldom, 0);
    steps.stores.add(steps.number, steps.number * store, 0);
    steps.stores.add(static_cast<double>(outer),
                     static_cast<double>(outer) * sum, 0);
    std::vector<double> loads(all), stores(all);
    for (size_t i = 0; i < all; ++i) {
      loads[i] = each + (i % inner == 0 ? seldom : 0);
      stores[i] = store + (i % inner == inner - 1 ? sum : 0);
    }
    double bound = makespan(steps, true),
           least = replayed(loads, compute, stores);
    EXPECT_GE(bound, least - 1e-6);
    EXPECT_LE(makespan(steps, true), makespan(steps, false) + 1e-6);
    double moved = steps.number * (each + store) +
                   static_cast<double>(outer) * (seldom + sum);
    EXPECT_GE(bound, std::max(moved, steps.computing) - 1e-6);
  }
}

/// A kernel in one piece is loaded, computed and stored; cut in two, its second
/// half comes while the first is computed.
TEST(Makespan, OfAKernel) {
  Machine machine;
  machine.clockMHz = machine.dramGBs = 1000;
  machine.dramGBs = 8;
  machine.vectorLanes = 1;
  machine.dmaBurstBytes = 1;
  machine.dmaStartCycles = machine.kernelStartCycles = 0;
  machine.sramKiB = 1024;
  KernelWork work;
  work.elements = 4000;
  work.reads = work.writes = {{8000, 8000}};
  EXPECT_EQ(timeOf(work, untiled(work), machine).total, 1000 + 4000 + 1000);
  Tiling halves;
  halves.pieces = 2;
  EXPECT_EQ(timeOf(work, halves, machine).total, 500 + 4000 + 500);
  halves.buffers = 1;
  EXPECT_EQ(timeOf(work, halves, machine).total, 6000);
  Tiling chosen = chooseTiling(work, machine);
  EXPECT_LE(timeOf(work, chosen, machine).total, 4000 + 2000 / 64);
  // At the start of each transfer few pieces are better.
  machine.dmaStartCycles = 100;
  EXPECT_LT(chooseTiling(work, machine).pieces, chosen.pieces);
  // Room for one buffer of each: in turn.
  machine.dmaStartCycles = 0;
  machine.sramKiB = 1.25;
  machine.dmaBurstBytes = 512;
  chosen = chooseTiling(work, machine);
  EXPECT_TRUE(fits(work, chosen, machine));
  EXPECT_EQ(chosen.buffers, 1);
  EXPECT_EQ(timeOf(work, chosen, machine).total, 6000);
  machine.overlap = Overlap::All;
  machine.sramKiB = 1024;
  EXPECT_EQ(timeOf(work, machine).total, 4000);
}

} // namespace
} // namespace npu::cost
