// SPDX-License-Identifier: Apache-2.0
#include "compiler/Codegen/MemoryPlanner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

using namespace npu;

namespace {

/// No two buffers that live at the same step share a byte.
void expectDisjoint(const std::vector<BufferLifetime> &buffers,
                    const ArenaPlan &plan) {
  for (size_t a = 0; a < buffers.size(); ++a)
    for (size_t b = 0; b < a; ++b) {
      bool together = buffers[a].begin <= buffers[b].end &&
                      buffers[b].begin <= buffers[a].end;
      bool overlap = plan.offsets[a] < plan.offsets[b] + buffers[b].bytes &&
                     plan.offsets[b] < plan.offsets[a] + buffers[a].bytes;
      EXPECT_FALSE(together && overlap) << "buffers " << a << " and " << b;
    }
}

TEST(MemoryPlannerTest, ChainNeedsTwoBuffersAtATime) {
  std::vector<BufferLifetime> buffers = {{0, 1, 100}, {1, 2, 200}, {2, 3, 100}};
  ArenaPlan plan = planArena(buffers, 64);
  EXPECT_EQ(plan.lowerBound, 128 + 256);
  EXPECT_EQ(plan.bytes, plan.lowerBound);
  expectDisjoint(buffers, plan);
}

TEST(MemoryPlannerTest, NothingNeedsNothing) {
  ArenaPlan plan = planArena({}, 64);
  EXPECT_EQ(plan.bytes, 0);
  EXPECT_EQ(plan.lowerBound, 0);
}

TEST(MemoryPlannerTest, OffsetsAreAligned) {
  ArenaPlan plan = planArena({{0, 0, 1}, {0, 0, 1}, {0, 0, 65}}, 64);
  for (int64_t offset : plan.offsets)
    EXPECT_EQ(offset % 64, 0);
  EXPECT_EQ(plan.bytes, 64 + 64 + 128);
}

TEST(MemoryPlannerTest, RandomPlansAreDisjointAndWithinBounds) {
  std::mt19937 random(7);
  auto number = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  for (int round = 0; round < 200; ++round) {
    std::vector<BufferLifetime> buffers;
    for (int64_t i = 0, count = number(1, 60); i < count; ++i) {
      int64_t begin = number(0, 40);
      buffers.push_back({begin, begin + number(0, 12), number(1, 5000)});
    }
    ArenaPlan plan = planArena(buffers, 64);
    expectDisjoint(buffers, plan);
    int64_t end = 0;
    for (size_t i = 0; i < buffers.size(); ++i)
      end = std::max(end, plan.offsets[i] + buffers[i].bytes);
    EXPECT_LE(end, plan.bytes);
    EXPECT_GE(plan.bytes, plan.lowerBound);
    // Greedy orders are not optimal; far from the bound would be a bug.
    EXPECT_LE(plan.bytes, plan.lowerBound * 13 / 10);
  }
}

TEST(MemoryPlannerTest, ResidualNetworkIsWithinTenPercent) {
  // conv-conv-conv with a skip over them, sizes halving as in ResNet.
  std::vector<BufferLifetime> buffers;
  int64_t step = 0;
  for (int64_t bytes : {800000, 400000, 200000, 100000})
    for (int block = 0; block < 4; ++block, step += 3) {
      buffers.push_back({step, step + 3, bytes});
      buffers.push_back({step + 1, step + 2, bytes / 4});
      buffers.push_back({step + 2, step + 3, bytes / 4});
    }
  ArenaPlan plan = planArena(buffers, 64);
  expectDisjoint(buffers, plan);
  EXPECT_LE(plan.bytes, plan.lowerBound * 11 / 10);
}

} // namespace
