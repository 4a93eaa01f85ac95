// SPDX-License-Identifier: Apache-2.0
//
// Without oneDNN: every op has a kernel, which says what it is, and why no
// other is there.

#include "kernels/memory.h"
#include "kernels/parallel.h"
#include "kernels/registry.h"
#include "kernels/tensor.h"

#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>

namespace npu::kernels {
namespace {

Problem product(int64_t size) {
  const int64_t dims[2] = {size, size};
  Problem problem;
  problem.op = NPU_OP_MATMUL;
  problem.inputs = {makeTensor(NPU_F32, dims, 2), makeTensor(NPU_F32, dims, 2)};
  problem.outputs = {makeTensor(NPU_F32, dims, 2)};
  problem.threads = 2;
  return problem;
}

TEST(Alone, SaysWhatItIs) {
  EXPECT_EQ(libraryVersion().rfind("own kernels ", 0), 0u);
  Answer answer = query(product(3));
  EXPECT_TRUE(answer.slow);
  EXPECT_NE(answer.refusals.find("onednn: this library is built without"),
            std::string::npos)
      << answer.refusals;
}

TEST(Alone, EveryListEndsInAReference) {
  for (int32_t op = 0; op < NPU_OP_COUNT; ++op)
    EXPECT_STREQ(implementations(op).back().name, "reference") << op;
}

TEST(Alone, Computes) {
  constexpr size_t size = 3;
  float a[size * size], b[size * size], y[size * size];
  for (size_t i = 0; i < size * size; ++i) {
    a[i] = float(i);
    b[i] = float(i % size == i / size) * 2; // twice the unit matrix
  }
  auto kernel = create(product(size));
  std::vector<char> scratch(kernel->scratchBytes());
  void *operands[] = {a, b, y};
  ASSERT_EQ(kernel->run(operands, scratch.data()), 0);
  for (size_t i = 0; i < size * size; ++i)
    EXPECT_EQ(y[i], 2 * a[i]);
}

void backwards(void *calls, int32_t count,
               void (*task)(void *data, int32_t index), void *data) {
  ++*static_cast<int *>(calls);
  while (count-- > 0)
    task(data, count);
}

TEST(Pool, RunsEveryIndexAndNoTeamInATeam) {
  int loops = 0, before = currentThreads();
  Pool pool = {&loops, backwards};
  std::vector<int> calls(3);
  {
    PoolScope scope(pool);
    EXPECT_EQ(libraryThreads(3), 1);
    parallelFor(3, [&](int thread, int threads) {
      EXPECT_EQ(threads, 3);
      EXPECT_EQ(currentThreads(), 1);
      ++calls[static_cast<size_t>(thread)];
      parallelFor(2, [](int, int inner) { EXPECT_EQ(inner, 1); });
    });
    noteInvalid();
    EXPECT_TRUE(sawInvalid(3));
    clearInvalid(3);
    EXPECT_FALSE(sawInvalid(3));
  }
  EXPECT_EQ(calls, std::vector<int>({1, 1, 1}));
  EXPECT_EQ(loops, 1);
  EXPECT_EQ(currentThreads(), before);
  EXPECT_EQ(libraryThreads(3), 3);
}

void *take(void *taken, uint64_t bytes, uint64_t alignment) {
  ++*static_cast<int *>(taken);
  return std::aligned_alloc(alignment, bytes);
}
void giveBack(void *taken, void *block, uint64_t /*bytes*/) {
  --*static_cast<int *>(taken);
  std::free(block);
}
void *none(void * /*user*/, uint64_t /*bytes*/, uint64_t /*alignment*/) {
  return nullptr;
}

TEST(Allocator, IsTheScopesAndGetsItsMemoryBack) {
  int taken = 0;
  Allocator own = {&taken, take, giveBack}, empty = {&taken, none, giveBack};
  std::shared_ptr<void> kept;
  {
    AllocatorScope scope(own);
    kept = allocate(1);
    EXPECT_EQ(taken, 1);
    {
      AllocatorScope inner(empty);
      EXPECT_EQ(allocate(1), nullptr);
    }
    allocate(100);
    EXPECT_EQ(taken, 1);
  }
  auto systems = allocate(1);
  EXPECT_EQ(taken, 1);
  kept.reset(); // after its scope
  EXPECT_EQ(taken, 0);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(systems.get()) % NPU_VALUE_ALIGNMENT,
            0u);
}

} // namespace
} // namespace npu::kernels
