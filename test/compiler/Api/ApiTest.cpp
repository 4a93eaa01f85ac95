// SPDX-License-Identifier: Apache-2.0
//
// npuc.h: what it gives, stage by stage, and what it says of wrong use.
#include "test/compiler/Api/Compile.h"

#include "npuc/plugin.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

using namespace npu::test;

extern "C" int exercise_npuc_api(const char *model, uint64_t bytes,
                                 npuc_status *status);

namespace {

testing::AssertionResult has(const std::string &text, const char *part) {
  if (text.find(part) != std::string::npos)
    return testing::AssertionSuccess();
  return testing::AssertionFailure() << "no '" << part << "' in: " << text;
}

testing::AssertionResult begins(const std::string &text, const char *part) {
  if (text.rfind(part, 0) == 0)
    return testing::AssertionSuccess();
  return testing::AssertionFailure()
         << "'" << part << "' does not begin " << text.substr(0, 200);
}

std::string read(const std::string &path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::string scratch(const char *name) {
  return testing::TempDir() + "npuc-api-" + std::to_string(getpid()) + "-" +
         name;
}

/// How many temporary folders of ours lie about.
size_t leftovers() {
  size_t count = 0;
  for (const auto &entry :
       std::filesystem::directory_iterator(testing::TempDir()))
    count += entry.path().filename().string().rfind(".npu-", 0) == 0;
  return count;
}

TEST(NpucApi, CompilesFromC) {
  npuc_status status = {};
  EXPECT_EQ(exercise_npuc_api(module, std::strlen(module), &status), 0)
      << status.message;
}

TEST(NpucApi, StagesOneAtATime) {
  std::string model = module;
  Compilation one({{"target", "npu-nhwc"}});
  ASSERT_EQ(one.create(Request(model)), NPUC_OK) << one.message();
  EXPECT_TRUE(has(one.text(NPUC_TEXT_IR), "stage 'imported'"));
  ASSERT_EQ(one.run(NPUC_STAGE_IMPORTED), NPUC_OK) << one.message();
  EXPECT_TRUE(has(one.text(NPUC_TEXT_IR), "npu.transpose"));
  EXPECT_EQ(one.steps, (std::vector<std::string>{"import"}));
  ASSERT_EQ(one.run(NPUC_STAGE_FUSED), NPUC_OK);
  EXPECT_FALSE(has(one.text(NPUC_TEXT_IR), "#npu.layout"));
  EXPECT_TRUE(has(one.text(NPUC_TEXT_REPORT), "stage 'layout'"));
  ASSERT_EQ(one.run(NPUC_STAGE_LAYOUT), NPUC_OK);
  EXPECT_TRUE(has(one.text(NPUC_TEXT_IR), "#npu.layout"));
  EXPECT_TRUE(has(one.text(NPUC_TEXT_REPORT), "\"relayouts\""));
  ASSERT_EQ(one.run(NPUC_STAGE_PLANNED), NPUC_OK);
  EXPECT_TRUE(has(one.text(NPUC_TEXT_REPORT), "\"kernels\""));
  EXPECT_TRUE(has(one.output(), "no output yet"));
  ASSERT_EQ(one.run(NPUC_STAGE_PROGRAM), NPUC_OK);
  EXPECT_TRUE(begins(one.output(), "\x7f"
                                   "ELF"));
  EXPECT_EQ(one.run(NPUC_STAGE_FUSED), NPUC_OK); // it has run
  EXPECT_EQ(one.steps, (std::vector<std::string>{"import", "fuse", "layout",
                                                 "plan", "generate", "write"}));
}

TEST(NpucApi, StageNames) {
  EXPECT_STREQ(npuc_stage_name(NPUC_STAGE_IMPORTED), "imported");
  EXPECT_STREQ(npuc_stage_name(NPUC_STAGE_PROGRAM), "program");
  EXPECT_EQ(npuc_stage_name(5), nullptr);
  EXPECT_EQ(npuc_stage_name(-1), nullptr);
}

TEST(NpucApi, FileAndMemoryAreTheSame) {
  size_t before = leftovers();
  std::string model = module, path = scratch("net.npu");
  Compilation inMemory, inFile;
  ASSERT_EQ(inMemory.create(Request(model)), NPUC_OK);
  ASSERT_EQ(inMemory.run(NPUC_STAGE_PROGRAM), NPUC_OK) << inMemory.message();
  Request request(model);
  request.output = path.c_str();
  ASSERT_EQ(inFile.create(request), NPUC_OK);
  EXPECT_EQ(inFile.run(NPUC_STAGE_PLANNED), NPUC_OK);
  EXPECT_FALSE(std::filesystem::exists(path));
  ASSERT_EQ(inFile.run(NPUC_STAGE_PROGRAM), NPUC_OK) << inFile.message();
  EXPECT_TRUE(read(path) == inMemory.output());
  EXPECT_TRUE(has(inFile.output(), "went to the file"));
  std::filesystem::remove(path);
  EXPECT_EQ(leftovers(), before);
}

TEST(NpucApi, OptionsAreNpucs) {
  std::string model = module;
  Compilation one(
      {{"emit", "asm"}, {"io-layout", "in=free"}, {"taps", "false"}});
  ASSERT_EQ(one.create(Request(model)), NPUC_OK) << one.message();
  ASSERT_EQ(one.run(NPUC_STAGE_PROGRAM), NPUC_OK) << one.message();
  EXPECT_TRUE(has(one.output(), "npu_run"));
  EXPECT_TRUE(has(std::string(npuc_option_names()), "layout-seconds"));
  EXPECT_TRUE(has(npuc_option_table(), "\"name\": \"layout-seconds\""));
  EXPECT_EQ(npuc_options_set(one.options, "report", "x", &one.status),
            NPUC_BAD_OPTIONS);
  EXPECT_TRUE(has(one.message(), "unknown option 'report', expected one "
                                 "of: plugin, allow-target-plugins, "));
}

/// Channels last for convolutions; notes in `steps` what it was asked about.
void channelsLast(void *user, const npuc_op *op,
                  void (*answer)(void *answers, const char *layout),
                  void *answers) {
  static_cast<Compilation *>(user)->steps.emplace_back(op->name);
  answer(answers, "NHWC");
  answer(answers, "default");
}

TEST(NpucApi, LayoutRules) {
  std::string model = module;
  Request request(model);
  Compilation without({{"layout", "convert"}, {"target", "host"}});
  ASSERT_EQ(without.create(request), NPUC_OK) << without.message();
  ASSERT_EQ(without.run(NPUC_STAGE_LAYOUT), NPUC_OK) << without.message();
  EXPECT_FALSE(has(without.text(NPUC_TEXT_IR), "acdb"));
  request.layout_rule = channelsLast;
  Compilation one({{"layout", "convert"}, {"target", "host"}});
  ASSERT_EQ(one.create(request), NPUC_OK) << one.message();
  ASSERT_EQ(one.run(NPUC_STAGE_LAYOUT), NPUC_OK) << one.message();
  EXPECT_EQ(one.steps,
            (std::vector<std::string>{"import", "fuse", "layout", "conv2d"}));
  EXPECT_TRUE(has(one.text(NPUC_TEXT_IR), "acdb"));
  Compilation other({{"layout", "optimal"}});
  EXPECT_EQ(other.create(request), NPUC_BAD_OPTIONS);
  EXPECT_TRUE(has(other.message(), "--layout=alter, not by 'optimal'"));
}

TEST(NpucApi, TextsThatAreAskedFor) {
  std::string model = module;
  Compilation one;
  Request request(model);
  request.wanted = NPUC_WANT_REPORT | NPUC_WANT_EXPLAIN_LAYOUT |
                   NPUC_WANT_LAYOUT_PLAN | NPUC_WANT_CERTIFICATE;
  ASSERT_EQ(one.create(request), NPUC_OK) << one.message();
  ASSERT_EQ(one.run(NPUC_STAGE_LAYOUT), NPUC_OK) << one.message();
  EXPECT_TRUE(has(one.text(NPUC_TEXT_REPORT), "\"naive\""));
  EXPECT_TRUE(has(one.text(NPUC_TEXT_EXPLAIN_LAYOUT), "naive"));
  EXPECT_TRUE(has(one.text(NPUC_TEXT_LAYOUT_PLAN), "net.mlir"));
  EXPECT_TRUE(has(one.text(NPUC_TEXT_CERTIFICATE), "net.mlir"));
  EXPECT_TRUE(has(one.text(NPUC_TEXT_OUTLINE), "npu.conv2d"));
}

TEST(NpucApi, TextsThatWereNotAskedFor) {
  std::string model = module;
  Compilation one;
  ASSERT_EQ(one.create(Request(model)), NPUC_OK);
  ASSERT_EQ(one.run(NPUC_STAGE_LAYOUT), NPUC_OK);
  for (npuc_text what :
       {NPUC_TEXT_EXPLAIN_LAYOUT, NPUC_TEXT_LAYOUT_PLAN, NPUC_TEXT_CERTIFICATE})
    EXPECT_TRUE(has(one.text(what), "was not asked for"));
  EXPECT_TRUE(has(one.text(static_cast<npuc_text>(8)), "no npuc_text"));
}

/// The lines that a chip's measured kernels are written into.
TEST(NpucApi, CostsOfAPlannedProgram) {
  std::string model = module;
  Compilation one;
  ASSERT_EQ(one.create(Request(model)), NPUC_OK);
  ASSERT_EQ(one.run(NPUC_STAGE_LAYOUT), NPUC_OK);
  EXPECT_TRUE(has(one.text(NPUC_TEXT_COSTS), "'planned', which has not run"));
  ASSERT_EQ(one.run(NPUC_STAGE_PLANNED), NPUC_OK) << one.message();
  std::string table = one.text(NPUC_TEXT_COSTS);
  EXPECT_TRUE(begins(table, "op,layouts,sizes,types,model_cycles,cycles"));
  EXPECT_TRUE(has(table, "conv2d,"));
}

TEST(NpucApi, NoCertificateWithoutProof) {
  std::string model = module;
  Compilation one({{"layout-seconds", "0"}, {"layout", "naive"}});
  Request request(model);
  request.wanted = NPUC_WANT_CERTIFICATE;
  EXPECT_EQ(one.create(request), NPUC_BAD_OPTIONS);
  EXPECT_TRUE(has(one.message(), "goes with --layout=optimal"));
}

TEST(NpucApi, WrongModelNamesTheNode) {
  std::string text = module;
  text.replace(text.find("strides = [1, 1]"), 16, "strides = [1, 0]");
  Compilation one;
  ASSERT_EQ(one.create(Request(text, "wrong.mlir")), NPUC_OK);
  EXPECT_EQ(one.run(NPUC_STAGE_FUSED), NPUC_BAD_MODEL);
  EXPECT_TRUE(begins(one.message(), "wrong.mlir:"));
  ASSERT_FALSE(one.shown.empty());
  EXPECT_EQ(one.shown.front(), one.message());
  EXPECT_EQ(one.files.front(), "wrong.mlir");
  std::string first = one.message();
  EXPECT_EQ(one.run(NPUC_STAGE_PROGRAM), NPUC_BAD_MODEL); // once more
  EXPECT_EQ(one.message(), first);
  EXPECT_TRUE(has(one.output(), "no output yet"));
}

TEST(NpucApi, WhatIsNoModel) {
  for (const char *name : {"a.onnx", "a.mlir", "a.mlirbc", "a"}) {
    std::string bytes("no model \0 at all", 17);
    Compilation one;
    ASSERT_EQ(one.create(Request(bytes, name)), NPUC_OK);
    EXPECT_EQ(one.run(NPUC_STAGE_IMPORTED), NPUC_BAD_MODEL);
    EXPECT_TRUE(begins(one.message(), name));
    EXPECT_TRUE(has(one.text(NPUC_TEXT_IR), "has not run"));
  }
  Request none("", "none.onnx");
  none.model_data = nullptr;
  Compilation missing;
  ASSERT_EQ(missing.create(none), NPUC_OK);
  EXPECT_EQ(missing.run(NPUC_STAGE_IMPORTED), NPUC_BAD_MODEL);
  EXPECT_TRUE(has(missing.message(), "none.onnx: cannot be read"));
}

TEST(NpucApi, WrongOptions) {
  struct {
    Words options;
    const char *says;
  } cases[] = {
      {{{"target", "nowhere"}}, "neither a file nor a shipped target"},
      {{{"layout", "best"}}, "unknown layout strategy 'best'"},
      {{{"mcpu", "z80"}}, "no processor that LLVM knows"},
  };
  std::string model = module;
  for (const auto &[options, says] : cases) {
    Compilation one(options);
    ASSERT_EQ(one.create(Request(model)), NPUC_OK);
    EXPECT_EQ(one.run(NPUC_STAGE_PROGRAM), NPUC_BAD_OPTIONS);
    EXPECT_TRUE(has(one.message(), says));
  }
  for (const Words &options :
       {Words{{"threads", "0"}}, Words{{"emit", "gif"}},
        Words{{"budget", "luck=1"}}, Words{{"input-shape", "in=1,x"}}}) {
    Compilation one(options);
    EXPECT_EQ(one.create(Request(model)), NPUC_BAD_OPTIONS);
    EXPECT_TRUE(has(one.message(), options.front().first.c_str()));
    EXPECT_EQ(one.compilation, nullptr);
  }
}

TEST(NpucApi, OverBudget) {
  std::string model = module;
  Compilation one({{"max-transposes", "0"}});
  ASSERT_EQ(one.create(Request(model)), NPUC_OK);
  EXPECT_EQ(one.run(NPUC_STAGE_PROGRAM), NPUC_OVER_BUDGET) << one.message();
}

TEST(NpucApi, BudgetsEndWithTheCompilation) {
  std::string model = module;
  Compilation tight({{"budget", "file=10"}}), usual;
  ASSERT_EQ(tight.create(Request(model)), NPUC_OK);
  ASSERT_EQ(usual.create(Request(model)), NPUC_OK);
  EXPECT_EQ(tight.run(NPUC_STAGE_IMPORTED), NPUC_BAD_MODEL);
  EXPECT_TRUE(has(tight.message(), "the budget is 10"));
  EXPECT_EQ(usual.run(NPUC_STAGE_IMPORTED), NPUC_OK) << usual.message();
}

TEST(NpucApi, OutputThatCannotBe) {
  std::string model = module, path = scratch("net.mlir");
  Request request(model);
  request.output = "/no/such/folder/out.npu";
  Compilation one;
  ASSERT_EQ(one.create(request), NPUC_OK);
  EXPECT_EQ(one.run(NPUC_STAGE_PROGRAM), NPUC_CANNOT_WRITE);
  EXPECT_TRUE(has(one.message(), "there is no folder"));
  std::ofstream(path) << model;
  Request itself("", path.c_str());
  itself.model_data = nullptr;
  itself.output = path.c_str();
  Compilation other;
  EXPECT_EQ(other.create(itself), NPUC_BAD_OPTIONS);
  EXPECT_TRUE(has(other.message(), "would replace"));
  EXPECT_EQ(read(path), model);
  std::filesystem::remove(path);
}

TEST(NpucApi, WrongArguments) {
  npuc_status status = {};
  std::string model = module;
  Compilation one;
  Request request(model);
  auto create = [&](const npuc_request *given) {
    return npuc_compilation_create(one.options, given, &one.compilation,
                                   &status);
  };
  EXPECT_EQ(create(nullptr), NPUC_BAD_ARGUMENT);
  request.struct_size = sizeof(npuc_request) + 8;
  EXPECT_EQ(create(&request), NPUC_BAD_ARGUMENT);
  EXPECT_TRUE(has(std::string(status.message), "struct_size"));
  request.struct_size = 0;
  EXPECT_EQ(create(&request), NPUC_BAD_ARGUMENT);
  request = Request(model, "");
  EXPECT_EQ(create(&request), NPUC_BAD_ARGUMENT);
  request = Request(model);
  request.wanted = 16;
  EXPECT_EQ(create(&request), NPUC_BAD_ARGUMENT);
  request = Request(model);
  request.output = "";
  EXPECT_EQ(create(&request), NPUC_BAD_ARGUMENT);
  request = Request(model);
  request.model_data = nullptr;
  EXPECT_EQ(create(&request), NPUC_BAD_ARGUMENT);
  EXPECT_EQ(npuc_options_set(one.options, "target", nullptr, &status),
            NPUC_BAD_ARGUMENT);
  EXPECT_EQ(npuc_options_create(nullptr, nullptr), NPUC_BAD_ARGUMENT);
  EXPECT_EQ(npuc_compilation_run(nullptr, NPUC_STAGE_FUSED, &status),
            NPUC_BAD_ARGUMENT);
  ASSERT_EQ(one.create(Request(model)), NPUC_OK);
  EXPECT_EQ(one.run(static_cast<npuc_stage>(5)), NPUC_BAD_ARGUMENT);
  npuc_compilation_free(nullptr);
  npuc_options_free(nullptr);
}

} // namespace
