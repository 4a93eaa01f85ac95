// SPDX-License-Identifier: Apache-2.0
//
// Running: right numbers at every thread count, from several threads at once,
// the same bits every time; bad buffers; profiles; conversions.

#include "kernels/tensor.h"
#include "npu/npu.hpp"
#include "test/runtime/DemoFile.h"
#include "test/runtime/Reference.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <thread>

namespace npu::test {
namespace {

const std::string &convFile() {
  static const std::string path = DemoFile("conv").seal("run.npu");
  return path;
}

npu_load_options withThreads(int threads, bool runInline = false) {
  npu_load_options options = {};
  options.threads = threads;
  options.run_inline = runInline;
  return options;
}

/// Buffers of one run, and the run.
struct Session {
  explicit Session(const Model &model, uint64_t seed = 0)
      : seed(seed), context(model) {
    for (const npu_tensor_info &info : model.inputs()) {
      inputs.emplace_back(info.bytes);
      fillInput(inputs.back().as<float>(), info.bytes / sizeof(float), seed);
    }
    for (const npu_tensor_info &info : model.outputs())
      outputs.emplace_back(info.bytes);
  }
  void run() {
    std::memset(outputs[0].as<char>(), 0xff, outputs[0].bytes());
    context.run(inputs, outputs);
  }
  std::vector<float> result() const {
    const float *y = outputs[0].as<float>();
    return {y, y + outputs[0].bytes() / sizeof(float)};
  }
  double worstError() const {
    std::vector<float> expected = referenceConv(inputs[0].as<float>());
    std::vector<float> got = result();
    double worst = 0;
    for (size_t i = 0; i < got.size(); ++i)
      worst = std::max(worst, std::fabs(double(got[i]) - expected[i]));
    // A NaN would compare as small.
    for (float value : got)
      if (!(value >= 0))
        return INFINITY;
    return worst;
  }

  uint64_t seed;
  Context context;
  std::vector<Buffer> inputs, outputs;
};

class Threads : public testing::TestWithParam<int> {};

TEST_P(Threads, RightNumbersAndTheSameBitsEveryTime) {
  Model model(convFile(), withThreads(GetParam()));
  EXPECT_EQ(model.stats().threads, GetParam());
  Session session(model);
  session.run();
  EXPECT_LT(session.worstError(), 1e-5);
  std::vector<float> first = session.result();
  for (int i = 0; i < 50; ++i) {
    session.run();
    ASSERT_EQ(std::memcmp(first.data(), session.outputs[0].as<void>(),
                          session.outputs[0].bytes()),
              0);
  }
  // A fresh load packs again; the bits stay.
  Model again(convFile(), withThreads(GetParam()));
  Session other(again);
  other.run();
  EXPECT_EQ(other.result(), first);
}

TEST_P(Threads, SeveralCallersOnOneModel) {
  Model model(convFile(), withThreads(GetParam()));
  std::vector<std::thread> callers;
  std::vector<double> errors(6, INFINITY);
  for (size_t c = 0; c < errors.size(); ++c)
    callers.emplace_back([&, c] {
      Session session(model, c);
      double worst = 0;
      for (int i = 0; i < 40; ++i) {
        session.run();
        worst = std::max(worst, session.worstError());
      }
      errors[c] = worst;
    });
  for (std::thread &caller : callers)
    caller.join();
  for (double error : errors)
    EXPECT_LT(error, 1e-5);
}

INSTANTIATE_TEST_SUITE_P(Team, Threads, testing::Values(1, 2, 4));

TEST(Inline, SeveralCallersRunSideBySide) {
  Model model(convFile(), withThreads(0, true));
  EXPECT_EQ(model.stats().threads, 1);
  std::vector<std::thread> callers;
  std::vector<double> errors(6, INFINITY);
  for (size_t c = 0; c < errors.size(); ++c)
    callers.emplace_back([&, c] {
      Session session(model, c);
      double worst = 0;
      for (int i = 0; i < 40; ++i) {
        session.run();
        worst = std::max(worst, session.worstError());
      }
      errors[c] = worst;
    });
  for (std::thread &caller : callers)
    caller.join();
  for (double error : errors)
    EXPECT_LT(error, 1e-5);
}

TEST(Inline, AgreesWithOneThreadBitForBit) {
  Model apart(convFile(), withThreads(1)),
      within(convFile(), withThreads(1, true));
  Session a(apart), b(within);
  a.run();
  b.run();
  EXPECT_EQ(a.result(), b.result());
}

TEST(Models, LoadAndRunFromSeveralThreads) {
  std::vector<std::thread> loaders;
  std::vector<double> errors(4, INFINITY);
  for (size_t t = 0; t < errors.size(); ++t)
    loaders.emplace_back([&, t] {
      for (int i = 0; i < 5; ++i) {
        Model model(convFile(), withThreads(1 + int(t) % 2));
        Session session(model, t);
        session.run();
        errors[t] = session.worstError();
      }
    });
  for (std::thread &loader : loaders)
    loader.join();
  for (double error : errors)
    EXPECT_LT(error, 1e-5);
}

TEST(Models, ContextOutlivesItsModel) {
  auto model = std::make_unique<Model>(convFile(), withThreads(2));
  Session session(*model);
  model.reset();
  session.run();
  EXPECT_LT(session.worstError(), 1e-5);
}

TEST(Signature, IsWhatTheModelSays) {
  Model model(convFile());
  npu_tensor_info in = model.inputs().at(0), out = model.outputs().at(0);
  EXPECT_STREQ(in.name, "x");
  EXPECT_STREQ(out.name, "y");
  EXPECT_EQ(in.type, NPU_TYPE_F32);
  EXPECT_EQ(in.rank, 4);
  EXPECT_EQ(std::vector<int64_t>(in.shape, in.shape + 4),
            (std::vector<int64_t>{1, 3, 32, 32}));
  EXPECT_STREQ(in.layout, "acdb");
  EXPECT_STREQ(in.layout_name, "NHWC");
  EXPECT_EQ(in.bytes, 3u * 32 * 32 * 4);
  EXPECT_EQ(in.row_bytes, in.bytes);
}

/// The code and sentence of a run with these buffers.
npu_status runWith(const Model &model, const std::vector<npu_buffer> &inputs,
                   const std::vector<npu_buffer> &outputs) {
  Context context(model);
  npu_status status;
  npu_run(context.get(), inputs.data(), inputs.size(), outputs.data(),
          outputs.size(), &status);
  return status;
}

void expectBadBuffers(const npu_status &status, const std::string &says) {
  EXPECT_EQ(status.code, NPU_BAD_ARGUMENT);
  EXPECT_NE(std::string(status.message).find(says), std::string::npos)
      << status.message;
}

TEST(Buffers, AreChecked) {
  Model model(convFile(), withThreads(1));
  Session session(model);
  npu_buffer x = session.inputs[0].get(), y = session.outputs[0].get();
  npu_buffer shortX = {x.data, x.bytes - 4}, null = {nullptr, x.bytes};
  npu_buffer shifted = {static_cast<char *>(y.data) + 4, y.bytes};
  npu_buffer insideY = {static_cast<char *>(y.data) + 64, x.bytes};
  expectBadBuffers(runWith(model, {}, {y}), "got 0 input buffers");
  expectBadBuffers(runWith(model, {x}, {y, y}), "got 2 output buffers");
  expectBadBuffers(runWith(model, {shortX}, {y}),
                   "input 'x': its buffer has 12284 bytes, expected 12288");
  expectBadBuffers(runWith(model, {null}, {y}), "not aligned");
  expectBadBuffers(runWith(model, {x}, {shifted}), "output 'y': its buffer is "
                                                   "not aligned");
  expectBadBuffers(runWith(model, {insideY}, {y}), "overlaps");
  EXPECT_EQ(runWith(model, {x}, {y}).code, NPU_OK);
}

TEST(Profile, CountsCallsAndTimes) {
  Model model(convFile(), withThreads(2));
  auto kernels = model.kernels();
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_FALSE(kernels[0].generated);
  EXPECT_STRNE(kernels[0].implementation, "");
  EXPECT_STREQ(kernels[0].layouts, "acdb, cdab -> acdb");
  EXPECT_STREQ(kernels[1].implementation, "generated");
  EXPECT_STREQ(kernels[1].node, "node1");
  EXPECT_EQ(kernels[1].bytes, 2u * 16 * 32 * 32 * 4);

  Session session(model);
  session.run(); // not profiled
  EXPECT_EQ(session.context.kernelTime(0).calls, 0u);
  session.context.setProfiling(true);
  for (int i = 0; i < 3; ++i)
    session.run();
  npu_kernel_time conv = session.context.kernelTime(0);
  npu_kernel_time relu = session.context.kernelTime(1);
  EXPECT_EQ(conv.calls, 3u);
  EXPECT_EQ(relu.calls, 3u);
  EXPECT_GT(conv.total_ns, 0u);
  EXPECT_GE(conv.total_ns, conv.last_ns);
  EXPECT_GE(relu.start_ns, conv.start_ns + conv.last_ns);
  session.context.setProfiling(false);
  EXPECT_EQ(session.context.kernelTime(0).calls, 0u);
}

/// Constants of 16 bits that are f32 to the kernels: one is packed, the other
/// read as it is.
TEST(Made, OfWhatTheFileHas) {
  const std::string path = DemoFile("made").seal("made.npu");
  for (int threads : {1, 2})
    for (bool runInline : {false, true}) {
      if (runInline && threads > 1)
        continue;
      Model model(path, withThreads(threads, runInline));
      Session session(model, 9);
      session.run();
      const float *x = session.inputs[0].as<float>();
      std::vector<float> want(256, 0.0f);
      for (size_t row = 0; row < 4; ++row)
        for (size_t column = 0; column < 3; ++column)
          want[row * 64 + column] =
              x[row * 64 + column] * std::vector<float>{1, 2, 0.5f}[column];
      want[0] += 0.25f;
      want[1] -= 8;
      EXPECT_EQ(session.result(), want);
      const uint64_t table = 4 * 64 * sizeof(float);
      EXPECT_GE(model.stats().packed_bytes, table);
      EXPECT_LT(model.stats().weight_bytes, 64 * 64 * sizeof(float));
    }
}

TEST(Convert, BothWays) {
  Model model(convFile(), withThreads(2));
  npu_tensor_info in = model.inputs()[0];
  Buffer rows(in.row_bytes), stored(in.bytes);
  fillInput(rows.as<float>(), rows.bytes() / 4, 5);
  model.storeInput(0, rows.as<void>(), rows.bytes(), stored);
  for (int c = 0; c < 3; ++c)
    for (int i = 0; i < 32 * 32; ++i)
      ASSERT_EQ(stored.as<float>()[i * 3 + c],
                rows.as<float>()[c * 32 * 32 + i]);

  npu_tensor_info out = model.outputs()[0];
  Buffer y(out.bytes), back(out.row_bytes);
  fillInput(y.as<float>(), y.bytes() / 4, 6);
  model.fetchOutput(0, y, back.as<void>(), back.bytes());
  for (int c = 0; c < 16; ++c)
    for (int i = 0; i < 32 * 32; ++i)
      ASSERT_EQ(back.as<float>()[c * 32 * 32 + i], y.as<float>()[i * 16 + c]);
}

TEST(Convert, ChecksSizes) {
  Model model(convFile(), withThreads(1));
  Buffer rows(100), stored(model.inputs()[0].bytes);
  try {
    model.storeInput(0, rows.as<void>(), rows.bytes(), stored);
    FAIL();
  } catch (const Error &error) {
    EXPECT_EQ(error.code(), NPU_BAD_ARGUMENT);
    EXPECT_NE(std::string(error.what()).find("12288 bytes in rows"),
              std::string::npos);
  }
}

} // namespace
} // namespace npu::test
