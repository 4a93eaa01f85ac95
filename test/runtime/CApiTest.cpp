// SPDX-License-Identifier: Apache-2.0
//
// The C API as callers meet it: life cycle, null pointers, exported names.

#include "npu/npu.h"
#include "test/runtime/DemoFile.h"
#include "test/runtime/Process.h"

#include <gtest/gtest.h>

// A C name. NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int exercise_c_api(const char *path, npu_status *status);

namespace npu::test {
namespace {

TEST(CApi, LifeCycleFromC) {
  npu_status status;
  std::string path = DemoFile("conv").seal("c-api.npu");
  EXPECT_EQ(exercise_c_api(path.c_str(), &status), 0) << status.message;
}

TEST(CApi, NullPointersAreRefused) {
  npu_status status;
  npu_model *model = nullptr;
  npu_context *context = nullptr;
  EXPECT_EQ(npu_model_load(nullptr, nullptr, &model, &status),
            NPU_BAD_ARGUMENT);
  EXPECT_EQ(npu_model_load("x.npu", nullptr, nullptr, &status),
            NPU_BAD_ARGUMENT);
  EXPECT_EQ(npu_context_create(nullptr, &context, &status), NPU_BAD_ARGUMENT);
  EXPECT_EQ(npu_run(nullptr, nullptr, 0, nullptr, 0, &status),
            NPU_BAD_ARGUMENT);
  EXPECT_NE(std::string(status.message), "");
  npu_model_free(nullptr);
  npu_context_free(nullptr);
  npu_buffer_free({nullptr, 0});
}

/// What cannot be loaded is a code of its own; a list without names is none.
TEST(CApi, PluginsThatCannotBeLoaded) {
  std::string path = DemoFile("conv").seal("c-api.npu");
  auto load = [&](const char *const *names, int32_t count) {
    npu_load_options options = {};
    options.plugins = names;
    options.plugin_count = count;
    npu_status status;
    npu_model *model = nullptr;
    npu_code code = npu_model_load(path.c_str(), &options, &model, &status);
    EXPECT_NE(std::string(status.message), "");
    EXPECT_EQ(model, nullptr);
    return code;
  };
  const char *absent[] = {"none.so"}, *unnamed[] = {nullptr};
  EXPECT_EQ(load(absent, 1), NPU_BAD_PLUGIN);
  EXPECT_EQ(load(unnamed, 1), NPU_BAD_PLUGIN);
  EXPECT_EQ(load(nullptr, 1), NPU_BAD_ARGUMENT);
  EXPECT_EQ(load(nullptr, -1), NPU_BAD_ARGUMENT);
}

TEST(CApi, Types) {
  EXPECT_STREQ(npu_type_name(NPU_TYPE_BF16), "bf16");
  EXPECT_EQ(npu_type_bytes(NPU_TYPE_I64), 8u);
  EXPECT_EQ(npu_type_bytes(NPU_TYPE_I16), 2u);
  EXPECT_EQ(npu_type_bytes(99), 0u);
  EXPECT_EQ(npu_type_bytes(-1), 0u);
  EXPECT_STREQ(npu_type_name(99), "unknown");
}

/// The names in the output of `nm`, one a line, without addresses.
std::vector<std::string> symbols(const std::vector<std::string> &command) {
  ProcessResult result = runProcess(command);
  EXPECT_EQ(result.exitCode, 0) << result.err;
  std::vector<std::string> names;
  size_t begin = 0;
  for (size_t end; (end = result.out.find('\n', begin)) != std::string::npos;
       begin = end + 1) {
    std::string line = result.out.substr(begin, end - begin);
    names.push_back(line.substr(line.find_last_of(' ') + 1));
  }
  return names;
}

TEST(Symbols, LibraryExportsOnlyItsApi) {
  auto names = symbols({NM, "-D", "--defined-only", LIBNPU});
  EXPECT_GE(names.size(), 20u);
  for (const std::string &name : names)
    EXPECT_EQ(name.rfind("npu_", 0), 0u) << name;
}

TEST(Symbols, ProgramHasNoUndefinedOnesAndOneExport) {
  for (const char *demo : {"conv", "matmul-4mb", "matmul-100mb"}) {
    std::string path = std::string(DEMO_DIR) + "/" + demo + ".so";
    EXPECT_TRUE(symbols({NM, "-D", "--undefined-only", path}).empty()) << demo;
    EXPECT_EQ(symbols({NM, "-D", "--defined-only", path}),
              std::vector<std::string>{NPU_PROGRAM_SYMBOL});
  }
}

TEST(Symbols, RuntimeLinksNoCompiler) {
  ProcessResult result = runProcess({READELF, "-d", LIBNPU});
  ASSERT_EQ(result.exitCode, 0) << result.err;
  EXPECT_NE(result.out.find("NEEDED"), std::string::npos);
  for (const char *library : {"LLVM", "MLIR"})
    EXPECT_EQ(result.out.find(library), std::string::npos) << library;
}

} // namespace
} // namespace npu::test
