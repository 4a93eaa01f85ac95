// SPDX-License-Identifier: Apache-2.0
//
// Compilations and runs side by side give what they give alone. `make soak`
// runs it under ThreadSanitizer.
#include "test/compiler/Api/Compile.h"

#include "npu/npu.h"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>
#include <unistd.h>

using namespace npu::test;

namespace {

constexpr int threadCount = 8;
constexpr int rounds = 3;

const Words variants[] = {
    {{"target", "npu-nhwc"}},
    {{"target", "npu-nchw"}, {"layout", "naive"}},
    {{"target", "host"}, {"budget", "name=40"}},
    {{"target", "npu-nhwc"}, {"emit", "asm"}, {"threads", "1"}},
};

/// What the program gives for ones, or the message behind "!".
std::string run(const std::string &path) {
  npu_status status = {};
  npu_load_options options = {};
  options.threads = 2;
  npu_model *model = nullptr;
  npu_context *context = nullptr;
  npu_tensor_info in = {}, out = {};
  if (npu_model_load(path.c_str(), &options, &model, &status) ||
      npu_context_create(model, &context, &status) ||
      npu_model_input(model, 0, &in, &status) ||
      npu_model_output(model, 0, &out, &status))
    return std::string("!") + status.message;
  npu_buffer x = npu_buffer_create(in.bytes), y = npu_buffer_create(out.bytes);
  std::vector<float> rows(in.row_bytes / sizeof(float), 1.0F);
  std::string result(out.row_bytes, 0);
  if (npu_model_store_input(model, 0, rows.data(), in.row_bytes, x, &status) ||
      npu_run(context, &x, 1, &y, 1, &status) ||
      npu_model_fetch_output(model, 0, y, result.data(), result.size(),
                             &status))
    result = std::string("!") + status.message;
  npu_buffer_free(x);
  npu_buffer_free(y);
  npu_context_free(context);
  npu_model_free(model);
  return result;
}

/// The output, and what it computes if it is a program; or the message behind
/// "!".
std::string compile(const Words &options, const std::string &model) {
  Compilation one(options);
  if (one.create(Request(model)) || one.run(NPUC_STAGE_PROGRAM))
    return "!" + one.message();
  std::string output = one.output();
  if (output.substr(1, 3) != "ELF")
    return output;
  static std::atomic<int> number{0};
  std::string path = testing::TempDir() + "npuc-threads-" +
                     std::to_string(getpid()) + "-" + std::to_string(number++) +
                     ".npu";
  std::ofstream(path, std::ios::binary) << output;
  std::string result = run(path);
  std::filesystem::remove(path);
  return result.substr(0, 1) == "!" ? result : output + result;
}

TEST(NpucThreads, GiveWhatTheyGiveAlone) {
  std::string model = module, wrong = model;
  wrong.replace(wrong.find("strides = [1, 1]"), 16, "strides = [1, 0]");
  std::vector<std::string> alone;
  for (const Words &options : variants) {
    alone.push_back(compile(options, model));
    EXPECT_NE(alone.back().substr(0, 1), "!") << alone.back();
  }
  std::string alsoWrong = compile(variants[0], wrong);
  EXPECT_EQ(alsoWrong.substr(0, 1), "!");
  std::vector<std::string> found(threadCount * rounds);
  std::vector<std::thread> threads;
  for (int t = 0; t < threadCount; ++t)
    threads.emplace_back([&, t] {
      for (int r = 0; r < rounds; ++r)
        found[t * rounds + r] =
            t == 0 ? compile(variants[0], wrong)
                   : compile(variants[(t + r) % std::size(variants)], model);
    });
  for (std::thread &thread : threads)
    thread.join();
  for (int t = 0; t < threadCount; ++t)
    for (int r = 0; r < rounds; ++r)
      EXPECT_TRUE(found[t * rounds + r] ==
                  (t == 0 ? alsoWrong : alone[(t + r) % std::size(variants)]))
          << "thread " << t << ", round " << r;
}

} // namespace
