// SPDX-License-Identifier: Apache-2.0
//
// What the runtime relies on beyond single results: packing for each team
// size, one kernel in several threads, cheap queries, and no slow kernel where
// networks live.

#include "kernels/onednn/onednn.h"
#include "kernels/parallel.h"
#include "kernels/registry.h"
#include "test/kernels/testing.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <thread>

using namespace npu::kernels;
using namespace npu::kernels::testing;

namespace {

Problem layer(int64_t c, int64_t o, int64_t size, int64_t kernel,
              int64_t groups, const std::string &layout, int64_t batch = 1,
              int32_t dtype = NPU_F32) {
  Problem p = convProblem(tensor(dtype, {batch, c, size, size}, layout), o,
                          {kernel, kernel}, 1, kernel / 2, groups, layout);
  p.inputs[1] = tensor(dtype, {o, c / groups, kernel, kernel}, "cdba");
  makeConstant(p, 1);
  p.threads = 2;
  return p;
}

/// oneDNN's blocks are as wide as the processor's vectors; an adapter stands
/// around others.
bool hasBlocksOf16() { return __builtin_cpu_supports("avx512f"); }

bool isSlow(const Problem &p) {
  EXPECT_EQ(validate(p), "");
  return query(p).slow;
}

} // namespace

/// Whoever takes the problem: room goes by the data, not by what lies between
/// the elements of a window.
TEST(Scratch, OfDepthwiseWindowsFarApart) {
  Problem p = convProblem(tensor(NPU_F32, {1, 32, 4, 4}), 32, {3, 3}, 1, 3000,
                          32, "abcd", true, 3000);
  p.threads = 2;
  ASSERT_EQ(validate(p), "");
  auto kernel = create(p);
  EXPECT_LT(kernel->scratchBytes(), size_t{1} << 20)
      << kernel->implementation();
  auto inputs = inputsFor(p, 11);
  EXPECT_EQ(runKernel(*kernel, p, inputs), runReference(p, inputs));
}

/// A small image is repeated for its filters, a large one is not.
TEST(Scratch, OfFiltersOfChannels) {
  for (int64_t size : {16, 512}) {
    Problem p = convProblem(tensor(NPU_F32, {1, 32, size, size}, "acdb"), 64,
                            {3, 3}, 1, 1, 32, "acdb", true);
    p.threads = 2;
    ASSERT_EQ(validate(p), "");
    auto kernel = create(p);
    EXPECT_LT(kernel->scratchBytes(), size_t{1} << 25)
        << kernel->implementation();
    if (hasBlocksOf16())
      EXPECT_EQ(kernel->implementation() == "native:lanes", size == 16);
  }
}

TEST(Packing, EveryTeamSizeGivesTheSameNumbersAndNoSlowKernel) {
  for (int64_t groups : {1, 4})
    for (const char *layout : {"acdb", "aBcd16b"}) {
      Problem p = layer(32, 64, 14, 3, groups, layout);
      p.instrs = {unary(NPU_INSTR_relu, 3)};
      auto inputs = inputsFor(p, 7);
      auto expected = runReference(p, inputs);
      for (int threads : {1, 2, 4}) {
        p.threads = threads;
        EXPECT_FALSE(isSlow(p));
        auto kernel = create(p);
        // The caller's own setting must not matter, and must survive.
        ThreadScope callers(threads == 1 ? 4 : 1);
        EXPECT_EQ(runKernel(*kernel, p, inputs), expected)
            << kernel->implementation() << ", " << threads << " threads";
        EXPECT_EQ(currentThreads(), threads == 1 ? 4 : 1);
        if (hasBlocksOf16()) // else gemm, which reads weights as they are
          EXPECT_TRUE(kernel->isPacked(1)) << kernel->implementation();
        EXPECT_FALSE(kernel->isPacked(0));
      }
    }
}

TEST(Packing, AConstantThatWasNotPackedIsAnErrorNotACrash) {
  Problem p = layer(32, 64, 14, 3, 1, "acdb");
  auto kernel = create(p);
  std::vector<Buffer> buffers;
  for (const auto &t : p.inputs)
    buffers.emplace_back(static_cast<size_t>(storedBytes(t)));
  buffers.emplace_back(static_cast<size_t>(storedBytes(p.outputs[0])));
  std::vector<void *> operands;
  for (Buffer &buffer : buffers)
    operands.push_back(buffer.data());
  Buffer scratch(kernel->scratchBytes());
  EXPECT_NE(kernel->run(operands.data(), scratch.data()), 0);
}

TEST(Sharing, SeveralThreadsRunOneKernel) {
  std::vector<Problem> problems = {
      layer(64, 64, 20, 3, 1, "acdb"), layer(64, 64, 20, 3, 64, "acdb"),
      layer(32, 16, 20, 1, 1, "aBcd16b"), layer(16, 16, 20, 3, 1, "abcd", 3)};
  problems.back().inputs.push_back(tensor(NPU_F32, {3, 16, 1, 1}));
  problems.back().instrs = {binary(NPU_INSTR_mul, 4, 3)};
  problems.push_back(layer(24, 24, 20, 3, 24, "abcd"));
  std::vector<Problem> teams = problems;
  for (Problem &p : problems)
    p.threads = 1;
  problems.insert(problems.end(), teams.begin(), teams.end());
  for (Problem &p : problems) {
    auto inputs = inputsFor(p, 3);
    auto expected = runReference(p, inputs);
    auto kernel = create(p);
    std::vector<Buffer> buffers;
    std::vector<const void *> constants;
    for (size_t i = 0; i < p.inputs.size(); ++i) {
      buffers.emplace_back(static_cast<size_t>(storedBytes(p.inputs[i])));
      storeValues(p.inputs[i], inputs[i], buffers[i].data());
      constants.push_back(p.isConstant(i) ? buffers[i].data() : nullptr);
    }
    kernel->pack(constants.data());
    std::atomic<int> wrong{0};
    auto work = [&] {
      Buffer result(static_cast<size_t>(storedBytes(p.outputs[0])));
      Buffer scratch(kernel->scratchBytes());
      std::vector<void *> operands;
      for (Buffer &buffer : buffers)
        operands.push_back(buffer.data());
      operands.push_back(result.data());
      for (int round = 0; round < 30; ++round) {
        std::memset(result.data(), 0xff, result.size());
        if (kernel->run(operands.data(), scratch.data()) ||
            loadValues(p.outputs[0], result.data()) != expected)
          ++wrong;
      }
    };
    std::vector<std::thread> team;
    for (int t = 0; t < 4; ++t)
      team.emplace_back(work);
    for (std::thread &thread : team)
      thread.join();
    EXPECT_EQ(wrong, 0) << kernel->implementation();
  }
}

TEST(Repeat, ResultsAreBitIdenticalFromRunToRun) {
  Problem reduce;
  reduce.op = NPU_OP_REDUCE;
  reduce.inputs = {tensor(NPU_F32, {2, 64, 30, 30}, "acdb")};
  reduce.outputs = {tensor(NPU_F32, {2, 64, 1, 1}, "acdb")};
  reduce.attrs.reduce = {NPU_REDUCE_L2, 12, 1};
  reduce.threads = 2;
  Problem conv = layer(64, 64, 20, 3, 1, "acdb");
  Problem few = winogradProblem(tensor(NPU_F32, {1, 64, 14, 14}, "acdb"), 64, 4,
                                1, "acdb", "cdab", true);
  Problem many = winogradProblem(tensor(NPU_F32, {1, 64, 60, 60}, "acdb"), 64,
                                 4, 1, "acdb", "cdab", true);
  few.threads = many.threads = 3;
  for (const Problem &p : {reduce, conv, few, many}) {
    auto inputs = inputsFor(p, 5);
    for (auto &values : inputs)
      for (double &value : values)
        value *= 0.1;
    auto kernel = create(p);
    auto first = runKernel(*kernel, p, inputs);
    for (int round = 0; round < 5; ++round)
      EXPECT_EQ(runKernel(*create(p), p, inputs), first);
  }
}

// At the points what is not finite spreads over its tile, and large numbers
// overflow.
TEST(Winograd, WhatIsNotFiniteIsNotedAndKept) {
  for (const char *layout : {"acdb", "abcd"})
    for (int64_t tile : {2, 4})
      for (double special :
           {std::nan(""), HUGE_VAL, -HUGE_VAL, 3e38, -3e38, 1.0}) {
        npu_tensor_desc image = tensor(NPU_F32, {1, 8, 30, 30}, layout);
        Problem conv = convProblem(image, 5, {3, 3}, 1, 1, 1, layout);
        Problem p = winogradProblem(image, 5, tile, 1, layout, "cdab", true);
        p.threads = 2;
        auto inputs = inputsFor(conv, 7);
        inputs[0][30 * 14 + 9] = special;
        auto points = inputs;
        points[1] = atPoints(p, inputs[1]);
        clearInvalid(p.threads);
        runKernel(*create(p), p, points);
        EXPECT_EQ(sawInvalid(p.threads), special != 1.0) << special;
        clearInvalid(p.threads);
        p.keepsNan = true;
        auto found = runKernel(*create(p), p, points);
        auto expected = runReference(conv, inputs);
        for (size_t i = 0; i < expected.size(); ++i)
          if (!std::isfinite(expected[i]))
            EXPECT_EQ(std::to_string(found[i]), std::to_string(expected[i]));
          else
            EXPECT_NEAR(found[i], expected[i],
                        1e-5 * (1 + std::fabs(expected[i])));
      }
}

TEST(Query, ConvolutionsOfNetworksAreFastInEveryLayout) {
  const struct {
    int64_t c, o, size, kernel, groups;
  } layers[] = {
      {3, 64, 224, 7, 1},     {64, 64, 56, 1, 1},   {64, 64, 56, 3, 1},
      {256, 512, 56, 1, 1},   {2048, 512, 7, 1, 1}, {32, 32, 112, 3, 32},
      {144, 144, 56, 3, 144}, {960, 24, 1, 1, 1},   {240, 240, 14, 5, 240}};
  for (const auto &l : layers)
    for (const char *layout : {"abcd", "acdb", "aBcd16b"})
      for (int64_t batch : {1, 3})
        for (int threads : {1, 2, 4}) {
          Problem p =
              layer(l.c, l.o, l.size, l.kernel, l.groups, layout, batch);
          p.threads = threads;
          EXPECT_FALSE(isSlow(p)) << describe(p.inputs[0]);
          p.instrs = {unary(NPU_INSTR_hard_swish, 3, 1.0f / 6, 0.5f)};
          EXPECT_FALSE(isSlow(p)) << describe(p.inputs[0]);
          p.inputs.push_back(p.outputs[0]);
          p.instrs = {binary(NPU_INSTR_add, 4, 3), unary(NPU_INSTR_relu, 5)};
          EXPECT_FALSE(isSlow(p)) << describe(p.inputs[0]);
          p.inPlaceInput = 3;
          EXPECT_FALSE(isSlow(p)) << describe(p.inputs[0]);
          // Three channels in a block of 16 are moved; a row-major result is
          // gone over a second time for the chain.
          if (std::string(layout) == "acdb" ||
              (l.c >= 16 && std::string(layout) == "aBcd16b" &&
               hasBlocksOf16()))
            EXPECT_EQ(query(p).adapterBytes, 0u) << describe(p.inputs[0]);
        }
}

// What oneDNN 3.2 runs on its reference code: here an adapter or a second pass
// makes it fast, and the bytes that moves are reported; nothing is hidden.
TEST(Query, CasesThatOnednnDoesSlowly) {
  for (const char *layout : {"abcd", "aBcd16b"}) { // int8 not channels-last
    Problem p = layer(64, 64, 14, 3, 1, layout, 1, NPU_U8);
    p.inputs[1].dtype = NPU_I8;
    p.inputs[2].dtype = p.outputs[0].dtype = NPU_I32;
    // Products that saturate in 16 bits are none.
    EXPECT_EQ(isSlow(p), !onednn::addsInFull()) << layout;
    if (onednn::addsInFull())
      EXPECT_GT(query(p).adapterBytes, 0u) << layout;
  }
  for (const char *layout : {"abcd", "acdb", "aBcd16b"}) { // squeeze and excite
    Problem p = layer(64, 64, 14, 3, 1, layout, 3);
    p.inputs.push_back(tensor(NPU_F32, {3, 64, 1, 1}));
    p.instrs = {binary(NPU_INSTR_mul, 4, 3)};
    EXPECT_FALSE(isSlow(p)) << layout;
    EXPECT_GT(query(p).adapterBytes, 0u) << layout;
  }
  Problem mixed = layer(64, 64, 14, 3, 1, "abcd"); // NCHW in, NHWC out
  mixed.outputs[0] = tensor(NPU_F32, {1, 64, 14, 14}, "acdb");
  EXPECT_FALSE(isSlow(mixed));
  Problem softmax; // over a strided axis
  softmax.op = NPU_OP_SOFTMAX;
  softmax.inputs = softmax.outputs = {tensor(NPU_F32, {1, 64, 14, 14})};
  softmax.attrs.axis.axis = 1;
  softmax.threads = 2;
  EXPECT_FALSE(isSlow(softmax));
  Problem reduce; // over H and W, channels last
  reduce.op = NPU_OP_REDUCE;
  reduce.inputs = {tensor(NPU_F32, {1, 64, 14, 14}, "acdb")};
  reduce.outputs = {tensor(NPU_F32, {1, 64, 1, 1}, "acdb")};
  reduce.attrs.reduce = {NPU_REDUCE_MEAN, 12, 1};
  EXPECT_FALSE(isSlow(reduce));
  for (const char *layout : {"abcd", "acdb", "aBcd16b"}) { // layer norm over C
    Problem norm;
    norm.op = NPU_OP_TENSORNORM;
    norm.inputs = {tensor(NPU_F32, {1, 96, 14, 14}, layout),
                   tensor(NPU_F32, {1, 96, 1, 1}, layout),
                   tensor(NPU_F32, {1, 96, 1, 1}, layout)};
    norm.outputs = {norm.inputs[0]};
    norm.attrs.norm = {2, 1, 1, 1, 1, 1e-5};
    norm.threads = 2;
    EXPECT_FALSE(isSlow(norm)) << layout;
  }
}

/// One product for each channel is no reference, and as slow as one.
TEST(Query, DepthwiseSignalsRunAsImages) {
  for (const char *layout : {"acb", "aBc16b"}) {
    Problem p = convProblem(tensor(NPU_F32, {1, 64, 50}, layout), 64, {15}, 1,
                            7, 64, layout, true);
    p.threads = 2;
    const std::string name = create(p)->implementation();
    EXPECT_EQ(name.find("gemm"), std::string::npos) << layout << " " << name;
  }
}

// Known to be slow: the compiler must see it.
/// On processors without tiles there is nothing to pass over.
TEST(Query, FewBytesAreNotMultipliedInTiles) {
  auto isInTiles = [](Problem p) {
    p.inputs[1].dtype = NPU_I8;
    EXPECT_EQ(validate(p), "");
    return create(p)->implementation().find("_amx") != std::string::npos;
  };
  for (int64_t channels : {16, 96, 320}) {
    Problem p = layer(channels, 6 * channels, 14, 1, 1, "acdb", 1, NPU_U8);
    p.attrs.conv.data_zero_point = 128;
    EXPECT_FALSE(isInTiles(p)) << channels;
  }
  EXPECT_FALSE(isInTiles(layer(24, 144, 14, 1, 1, "acdb", 1, NPU_U8)));
  EXPECT_FALSE(isInTiles(layer(192, 32, 14, 1, 1, "acdb", 1, NPU_U8)));
  const bool hasTiles = isInTiles(layer(64, 64, 14, 3, 1, "acdb", 1, NPU_U8));
  Problem product;
  product.op = NPU_OP_MATMUL;
  product.threads = 2;
  for (int64_t rows : {1, 7, 128}) {
    product.inputs = {tensor(NPU_U8, {rows, 768}), tensor(NPU_I8, {768, 768})};
    product.outputs = {tensor(NPU_I32, {rows, 768})};
    makeConstant(product, 1);
    EXPECT_EQ(isInTiles(product), hasTiles && rows == 128) << rows;
  }
}

TEST(Query, SlowCasesSaySo) {
  Problem whole = layer(64, 64, 14, 3, 1, "acdb", 1, NPU_I32);
  EXPECT_TRUE(isSlow(whole));
  Problem product; // u8 by u8
  product.op = NPU_OP_MATMUL;
  product.inputs = {tensor(NPU_U8, {8, 8}), tensor(NPU_U8, {8, 8})};
  product.outputs = {tensor(NPU_I32, {8, 8})};
  EXPECT_TRUE(isSlow(product));
  EXPECT_NE(query(product).refusals, "");
  Problem chain; // elementwise chains are compiled, not interpreted
  chain.op = NPU_OP_ELTWISE;
  chain.inputs = chain.outputs = {tensor(NPU_F32, {8})};
  chain.instrs = {unary(NPU_INSTR_relu, 0)};
  EXPECT_TRUE(isSlow(chain));
}

TEST(Query, RelayoutsAndNearestResizeAreFast) {
  const char *layouts[] = {"abcd", "acdb", "aBcd16b"};
  for (const char *in : layouts)
    for (const char *out : layouts) {
      Problem p;
      p.op = NPU_OP_RELAYOUT;
      p.inputs = {tensor(NPU_F32, {1, 24, 80, 80}, in)};
      p.outputs = {tensor(NPU_F32, {1, 24, 80, 80}, out)};
      EXPECT_FALSE(isSlow(p));
      p.op = NPU_OP_RESIZE;
      p.outputs = {tensor(NPU_F32, {1, 24, 160, 160}, out)};
      npu_resize_attrs &a = p.attrs.resize;
      a.scales[0] = a.scales[1] = 1;
      a.scales[2] = a.scales[3] = 2;
      a.coordinates = NPU_RESIZE_ASYMMETRIC;
      a.nearest = NPU_NEAREST_FLOOR;
      EXPECT_FALSE(isSlow(p));
      EXPECT_EQ(query(p).adapterBytes, 0u);
    }
}

TEST(Query, MoreInstructionsThanOnednnTakes) {
  Problem p = layer(16, 16, 6, 3, 1, "acdb");
  for (int k = 0; k < 60; ++k)
    p.instrs.push_back(unary(k % 2 ? NPU_INSTR_abs : NPU_INSTR_relu, 3 + k));
  auto inputs = inputsFor(p, 11);
  EXPECT_FALSE(isSlow(p));
  EXPECT_EQ(runKernel(*create(p), p, inputs), runReference(p, inputs));
}

TEST(Query, NamesOfSlowKernels) {
  for (const char *name :
       {"ref:any", "ref_int8:any", "gemm:ref", "simple:any", "adapter+ref:any"})
    EXPECT_TRUE(onednn::isReference(name)) << name;
  for (const char *name :
       {"brgconv:avx512_core", "jit:avx2", "x64:gemm:jit", "native:copy",
        "jit_1x1:avx512_core+split", "xref:any"})
    EXPECT_FALSE(onednn::isReference(name)) << name;
}

TEST(Query, LibraryVersionIsNamed) {
  EXPECT_EQ(libraryVersion().rfind("oneDNN 3.", 0), 0u) << libraryVersion();
}
