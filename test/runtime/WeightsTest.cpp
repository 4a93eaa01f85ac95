// SPDX-License-Identifier: Apache-2.0
//
// The route of large weights: 100 MB in a raw ELF section, page aligned, packed
// once at load, their pages given back.

#include "npu/npu.hpp"
#include "test/runtime/DemoFile.h"
#include "test/runtime/Reference.h"

#include <cmath>
#include <gtest/gtest.h>
#include <sstream>

namespace npu::test {
namespace {

constexpr uint64_t weightBytes = uint64_t(5120) * 5120 * 4;

/// Resident bytes of the mappings of `path`.
uint64_t residentBytesOf(const std::string &path) {
  std::istringstream maps(readFile("/proc/self/smaps"));
  uint64_t total = 0;
  bool inside = false;
  for (std::string line; std::getline(maps, line);) {
    if (line.find('-') < line.find(' '))
      inside = line.size() >= path.size() &&
               line.compare(line.size() - path.size(), path.size(), path) == 0;
    if (inside && line.rfind("Rss:", 0) == 0)
      total += std::stoull(line.substr(4)) * 1024;
  }
  return total;
}

class Weights : public testing::TestWithParam<int> {};

TEST_P(Weights, HundredMegabytes) {
  std::string path = DemoFile("matmul-100mb").seal("large.npu");
  npu_load_options options = {};
  options.threads = GetParam();
  Model model(path, options);
  npu_load_stats stats = model.stats();
  EXPECT_EQ(stats.weight_bytes, weightBytes);
  EXPECT_GT(stats.file_bytes, weightBytes);
  RecordProperty("load_ms", std::to_string(stats.load_ms));
  RecordProperty("pack_ms", std::to_string(stats.pack_ms));
  std::cout << "threads " << GetParam() << ", load " << stats.load_ms
            << " ms, pack " << stats.pack_ms << " ms, packed "
            << stats.packed_bytes << ", released " << stats.released_bytes
            << ", " << model.kernels()[0].implementation << "\n";

  // Either the kernel reads the originals where they lie, or it holds a copy
  // and the originals' pages are gone.
  if (stats.packed_bytes == 0) {
    EXPECT_EQ(stats.released_bytes, 0u);
  } else {
    EXPECT_GE(stats.packed_bytes, weightBytes);
    EXPECT_EQ(stats.released_bytes, weightBytes);
    EXPECT_LT(residentBytesOf(path), weightBytes / 20);
  }

  Context context(model);
  std::vector<Buffer> in, out;
  in.emplace_back(model.inputs()[0].bytes);
  out.emplace_back(model.outputs()[0].bytes);
  fillInput(in[0].as<float>(), size_t(matmulRows) * 5120, 1);
  context.run(in, out);
  for (size_t i = 0; i < 200; ++i) {
    size_t row = i % matmulRows, column = i * 2654435761u % 5120;
    ASSERT_NEAR(out[0].as<float>()[row * 5120 + column],
                referenceMatmul(in[0].as<float>(), 5120, row, column), 2e-3);
  }
  if (stats.packed_bytes != 0)
    EXPECT_LT(residentBytesOf(path), weightBytes / 20) << "a run read them";
}

INSTANTIATE_TEST_SUITE_P(Team, Weights, testing::Values(1, 2, 4));

TEST(WeightsShared, TwoModelsOfOneFile) {
  std::string path = DemoFile("matmul-4mb").seal("shared.npu");
  npu_load_options options = {};
  options.threads = 1;
  Model a(path, options);
  Model b(path, options);
  for (Model *model : {&a, &b}) {
    Context context(*model);
    std::vector<Buffer> in, out;
    in.emplace_back(model->inputs()[0].bytes);
    out.emplace_back(model->outputs()[0].bytes);
    fillInput(in[0].as<float>(), size_t(matmulRows) * 1024, 2);
    context.run(in, out);
    for (size_t column = 0; column < 1024; column += 37)
      ASSERT_NEAR(out[0].as<float>()[column],
                  referenceMatmul(in[0].as<float>(), 1024, 0, column), 1e-3);
  }
}

} // namespace
} // namespace npu::test
