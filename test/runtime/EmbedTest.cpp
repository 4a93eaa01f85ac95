// SPDX-License-Identifier: Apache-2.0
//
// What a program brings that has the runtime inside: bytes instead of a file,
// memory, threads.

#include "npu/npu.hpp"
#include "test/runtime/DemoFile.h"
#include "test/runtime/Reference.h"

#include <atomic>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>
#include <mutex>
#include <set>
#include <thread>

namespace npu::test {
namespace {

const std::string &convBytes() {
  static const std::string bytes = readFile(DemoFile("conv").seal("embed.npu"));
  return bytes;
}

/// A caller's memory and threads, and what was asked of them.
struct Embedder {
  std::mutex mutex;
  std::set<void *> blocks;
  uint64_t bytes = 0, most = UINT64_MAX, shift = 0;
  std::atomic<int> loops{0}, tasks{0};

  static void *allocate(void *user, uint64_t bytes, uint64_t alignment) {
    auto *self = static_cast<Embedder *>(user);
    std::lock_guard<std::mutex> lock(self->mutex);
    if (self->bytes + bytes > self->most)
      return nullptr;
    self->bytes += bytes;
    uint64_t whole = (bytes + 2 * alignment) / alignment * alignment;
    auto *block = static_cast<char *>(std::aligned_alloc(alignment, whole));
    std::memset(block, 0xff, whole); // of any content, NaN for one
    self->blocks.insert(block + self->shift);
    return block + self->shift;
  }
  static void release(void *user, void *block, uint64_t /*bytes*/) {
    auto *self = static_cast<Embedder *>(user);
    std::lock_guard<std::mutex> lock(self->mutex);
    EXPECT_EQ(self->blocks.erase(block), 1u);
    std::free(static_cast<char *>(block) - self->shift);
  }
  static void parallelFor(void *user, int32_t count,
                          void (*task)(void *data, int32_t index), void *data) {
    auto *self = static_cast<Embedder *>(user);
    ++self->loops;
    self->tasks += count;
    std::vector<std::thread> threads; // backwards: no order is promised
    for (int32_t i = count - 1; i > 0; --i)
      threads.emplace_back(task, data, i);
    task(data, 0);
    for (std::thread &thread : threads)
      thread.join();
  }

  npu_host host() {
    return {sizeof(npu_host), this, allocate, release, nullptr};
  }
  npu_host hostWithThreads() {
    return {sizeof(npu_host), this, allocate, release, parallelFor};
  }
};

struct Loaded {
  npu_code code;
  std::string message;
};

Loaded loadBytes(const void *data, uint64_t bytes,
                 npu_load_options options = {}) {
  npu_model *model = nullptr;
  npu_status status;
  npu_code code = npu_model_load_memory(data, bytes, &options, &model, &status);
  EXPECT_EQ(code == NPU_OK, model != nullptr);
  npu_model_free(model);
  return {code, status.message};
}

void expectRefused(const Loaded &loaded, npu_code code, const char *words) {
  EXPECT_EQ(loaded.code, code) << loaded.message;
  EXPECT_NE(loaded.message.find(words), std::string::npos) << loaded.message;
}

/// The result of the demo in a context.
std::vector<float> runIn(Context &context, const Model &model) {
  std::vector<Buffer> in, out;
  in.emplace_back(model.inputs()[0].bytes);
  out.emplace_back(model.outputs()[0].bytes);
  auto *x = in[0].as<float>();
  for (size_t i = 0; i < in[0].bytes() / sizeof(float); ++i)
    x[i] = float(i % 13) / 8 - 0.5f;
  std::vector<float> expected = referenceConv(x);
  context.run(in, out);
  const float *y = out[0].as<float>();
  std::vector<float> got(y, y + out[0].bytes() / sizeof(float));
  EXPECT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(got[i], expected[i], 1e-4) << i;
  return got;
}

npu_load_options withHost(const npu_host &host, int threads) {
  npu_load_options options = {};
  options.threads = threads;
  options.host = &host;
  return options;
}

TEST(LoadMemory, TheSameBitsAsFromAFile) {
  npu_load_options options = {};
  options.threads = 1;
  Model fromFile(DemoFile("conv").seal("same.npu"), options);
  // At an odd address, and gone before the first run.
  std::string bytes = " " + convBytes();
  Model fromMemory(bytes.data() + 1, bytes.size() - 1, options);
  bytes.assign(bytes.size(), '\0');
  EXPECT_EQ(fromMemory.stats().file_bytes, convBytes().size());
  EXPECT_EQ(fromMemory.stats().released_bytes, 0u);
  Context a(fromFile), b(fromMemory);
  std::vector<float> left = runIn(a, fromFile), right = runIn(b, fromMemory);
  EXPECT_EQ(std::memcmp(left.data(), right.data(), left.size() * sizeof(float)),
            0);
}

TEST(LoadMemory, RefusesWhatIsNoProgram) {
  const std::string &bytes = convBytes();
  npu_status status;
  npu_model *model = nullptr;
  EXPECT_EQ(npu_model_load_memory(nullptr, 10, nullptr, &model, &status),
            NPU_BAD_ARGUMENT);
  EXPECT_EQ(npu_model_load_memory(bytes.data(), bytes.size(), nullptr, nullptr,
                                  &status),
            NPU_BAD_ARGUMENT);
  expectRefused(loadBytes(bytes.data(), 0), NPU_BAD_FILE, "in memory");
  expectRefused(loadBytes("no program", 10), NPU_BAD_FILE, "in memory");
  expectRefused(loadBytes(bytes.data(), bytes.size() - 1), NPU_BAD_FILE,
                "in memory");
  std::string damaged = bytes;
  damaged[damaged.size() / 2] ^= 1;
  expectRefused(loadBytes(damaged.data(), damaged.size()), NPU_BAD_FILE,
                "in memory");
}

TEST(Host, IsChecked) {
  Embedder embedder;
  npu_host host = embedder.host();
  auto load = [&] {
    return loadBytes(convBytes().data(), convBytes().size(), withHost(host, 1));
  };
  host.size = sizeof(npu_host) - 8;
  expectRefused(load(), NPU_BAD_ARGUMENT, "npu_host.size");
  host = embedder.host();
  host.release = nullptr;
  expectRefused(load(), NPU_BAD_ARGUMENT, "allocate without release");
  host = embedder.host();
  host.allocate = nullptr;
  expectRefused(load(), NPU_BAD_ARGUMENT, "release without allocate");
  EXPECT_TRUE(embedder.blocks.empty());
}

TEST(Host, GivesAllLargeMemoryAndGetsItBack) {
  Embedder embedder;
  npu_host host = embedder.host();
  {
    Model model(convBytes().data(), convBytes().size(), withHost(host, 2));
    std::memset(&host, 0, sizeof(host)); // it was copied
    npu_load_stats stats = model.stats();
    EXPECT_GE(embedder.bytes, stats.packed_bytes);
    uint64_t packed = embedder.bytes;
    Context context(model);
    EXPECT_EQ(embedder.bytes, packed + stats.arena_bytes + stats.scratch_bytes);
    runIn(context, model);
    EXPECT_FALSE(embedder.blocks.empty());
  }
  EXPECT_TRUE(embedder.blocks.empty());
}

/// As soon as one byte less is there than all that is asked for, an error comes
/// out of the call that asked, and nothing is lost.
TEST(Host, WithoutEnoughMemoryNothingIsLost) {
  uint64_t packed, all;
  {
    Embedder rich;
    npu_host host = rich.host();
    Model model(convBytes().data(), convBytes().size(), withHost(host, 1));
    packed = rich.bytes;
    Context context(model);
    all = rich.bytes;
  }
  Embedder poor;
  npu_host host = poor.host();
  ASSERT_GT(packed, 0u);
  poor.most = packed - 1;
  expectRefused(
      loadBytes(convBytes().data(), convBytes().size(), withHost(host, 1)),
      NPU_OUT_OF_MEMORY, "not enough memory");
  EXPECT_TRUE(poor.blocks.empty());
  ASSERT_GT(all, packed);
  poor.bytes = 0;
  poor.most = all - 1;
  Model model(convBytes().data(), convBytes().size(), withHost(host, 1));
  npu_context *context = nullptr;
  npu_status status;
  EXPECT_EQ(npu_context_create(model.get(), &context, &status),
            NPU_OUT_OF_MEMORY);
  EXPECT_EQ(context, nullptr);
}

TEST(Host, MemoryThatIsNotAlignedIsRefused) {
  Embedder embedder;
  npu_host host = embedder.host();
  Model model(convBytes().data(), convBytes().size(), withHost(host, 1));
  embedder.shift = 8;
  npu_context *context = nullptr;
  npu_status status;
  EXPECT_EQ(npu_context_create(model.get(), &context, &status),
            NPU_BAD_ARGUMENT);
  EXPECT_NE(std::string(status.message).find("not aligned"), std::string::npos)
      << status.message;
  embedder.shift = 0;
}

size_t ownThreads() { return filesIn("/proc/self/task/"); }

TEST(Host, ItsThreadsDoTheWorkAndNoOthers) {
  Embedder embedder;
  npu_host host = embedder.hostWithThreads();
  size_t before = ownThreads();
  Model model(convBytes().data(), convBytes().size(), withHost(host, 3));
  EXPECT_EQ(model.stats().threads, 3);
  Context context(model);
  std::vector<float> first = runIn(context, model);
  EXPECT_EQ(ownThreads(), before);
  for (int i = 0; i < 20; ++i) {
    std::vector<float> again = runIn(context, model);
    ASSERT_EQ(
        std::memcmp(first.data(), again.data(), first.size() * sizeof(float)),
        0);
  }
}

/// A conversion is a loop of our own, so it is divided among them.
TEST(Host, ItsThreadsGetEveryIndexOnce) {
  Embedder embedder;
  npu_host host = embedder.hostWithThreads();
  Model model(convBytes().data(), convBytes().size(), withHost(host, 3));
  npu_tensor_info info = model.outputs()[0];
  Buffer stored(info.bytes), rows(info.row_bytes), back(info.bytes);
  for (size_t i = 0; i < info.bytes / sizeof(float); ++i)
    stored.as<float>()[i] = float(i);
  model.fetchOutput(0, stored, rows.as<void>(), info.row_bytes);
  int channels = convOut, pixels = convSize * convSize;
  for (int c = 0; c < channels; ++c)
    for (int p = 0; p < pixels; ++p)
      ASSERT_EQ(rows.as<float>()[c * pixels + p], float(p * channels + c));
  EXPECT_GT(embedder.loops, 0);
  EXPECT_EQ(embedder.tasks, 3 * embedder.loops);
}

TEST(Host, SeveralContextsRunOnItsThreadsAtOnce) {
  Embedder embedder;
  npu_host host = embedder.hostWithThreads();
  Model model(convBytes().data(), convBytes().size(), withHost(host, 2));
  std::vector<std::thread> callers;
  for (int i = 0; i < 4; ++i)
    callers.emplace_back([&] {
      Context context(model);
      for (int run = 0; run < 5; ++run)
        runIn(context, model);
    });
  for (std::thread &caller : callers)
    caller.join();
}

/// Memory of the caller for one context, all of it NaN.
struct Lent {
  explicit Lent(const npu_load_stats &stats)
      : arena(stats.arena_bytes + 64), scratch(stats.scratch_bytes + 64) {
    std::memset(arena.as<char>(), 0xff, arena.bytes());
    std::memset(scratch.as<char>(), 0xff, scratch.bytes());
  }
  Buffer arena, scratch;
};

TEST(CreateIn, AnyContentAndTwoContextsInOnePlace) {
  npu_load_options options = {};
  options.threads = 1;
  Model model(convBytes().data(), convBytes().size(), options);
  Lent lent(model.stats());
  Context first(model, lent.arena.get(), lent.scratch.get());
  Context second(model, lent.arena.get(), lent.scratch.get());
  std::vector<float> result = runIn(first, model);
  EXPECT_EQ(runIn(second, model), result);
  EXPECT_EQ(runIn(first, model), result);
}

TEST(CreateIn, RefusesWhatDoesNotDo) {
  Model model(convBytes().data(), convBytes().size());
  npu_load_stats stats = model.stats();
  Lent lent(stats);
  auto refuse = [&](npu_buffer arena, npu_buffer scratch, const char *words) {
    npu_context *context = nullptr;
    npu_status status;
    EXPECT_EQ(
        npu_context_create_in(model.get(), arena, scratch, &context, &status),
        NPU_BAD_ARGUMENT);
    EXPECT_EQ(context, nullptr);
    EXPECT_NE(std::string(status.message).find(words), std::string::npos)
        << status.message;
  };
  npu_buffer arena = lent.arena.get(), scratch = lent.scratch.get();
  ASSERT_GT(stats.arena_bytes, 0u);
  refuse({arena.data, stats.arena_bytes - 1}, scratch, "arena has");
  refuse({nullptr, arena.bytes}, scratch, "arena has 0 bytes");
  refuse({static_cast<char *>(arena.data) + 8, stats.arena_bytes}, scratch,
         "arena is not aligned");
  refuse(arena, {static_cast<char *>(scratch.data) + 8, stats.scratch_bytes},
         "scratch is not aligned");
  Buffer both(stats.arena_bytes + stats.scratch_bytes + 64);
  refuse(both.get(), both.get(), "overlap");
  npu_status status;
  npu_context *context = nullptr;
  EXPECT_EQ(npu_context_create_in(nullptr, arena, scratch, &context, &status),
            NPU_BAD_ARGUMENT);
  EXPECT_EQ(
      npu_context_create_in(model.get(), arena, scratch, nullptr, &status),
      NPU_BAD_ARGUMENT);
  npu_load_options options = {};
  options.simulate_only = 1;
  Model timed(convBytes().data(), convBytes().size(), options);
  EXPECT_EQ(
      npu_context_create_in(timed.get(), arena, scratch, &context, &status),
      NPU_BAD_ARGUMENT);
}

} // namespace
} // namespace npu::test
