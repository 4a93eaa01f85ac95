// SPDX-License-Identifier: Apache-2.0
//
// States: kept from run to run in a context and nowhere else, as the model
// begins after a reset, read and written by name in rows; forged files.

#include "npu/npu.hpp"
#include "test/runtime/DemoFile.h"
#include "test/runtime/demo/weights.h"

#include <array>
#include <cstring>
#include <gtest/gtest.h>
#include <thread>

namespace npu::test {
namespace {

using Matrix = std::array<float, 6>; // 2 x 3, in rows

const std::string &stateFile() {
  static const std::string path = DemoFile("state").seal("state.npu");
  return path;
}

/// What s0 begins as, in rows; the file has columns.
Matrix firstSum() {
  Matrix first;
  for (uint64_t row = 0; row < 2; ++row)
    for (uint64_t column = 0; column < 3; ++column)
      first[row * 3 + column] = demo_weight(column * 2 + row);
  return first;
}

Matrix plus(const Matrix &a, const Matrix &b) {
  Matrix sum;
  for (size_t i = 0; i < sum.size(); ++i)
    sum[i] = a[i] + b[i];
  return sum;
}

Matrix filled(float number) {
  Matrix all;
  all.fill(number);
  return all;
}

Model loaded(bool runInline = false) {
  npu_load_options options = {};
  options.threads = 1;
  options.run_inline = runInline;
  return Model(stateFile(), options);
}

Matrix run(Context &context, const Matrix &x) {
  std::vector<Buffer> inputs, outputs;
  inputs.emplace_back(sizeof(x));
  outputs.emplace_back(sizeof(x));
  std::memcpy(inputs[0].as<void>(), x.data(), sizeof(x));
  context.run(inputs, outputs);
  Matrix y;
  std::memcpy(y.data(), outputs[0].as<void>(), sizeof(y));
  return y;
}

Matrix read(Context &context, const std::string &name) {
  Matrix rows;
  context.readState(name, rows.data(), sizeof(rows));
  return rows;
}

TEST(State, IsNeitherInputNorOutput) {
  Model model = loaded();
  EXPECT_EQ(model.inputs().size(), 1u);
  EXPECT_EQ(model.outputs().size(), 1u);
  std::vector<npu_tensor_info> states = model.states();
  ASSERT_EQ(states.size(), 2u);
  EXPECT_STREQ(states[0].name, "s0");
  EXPECT_STREQ(states[0].layout, "ba");
  EXPECT_STREQ(states[1].layout, "ab");
  EXPECT_EQ(states[1].row_bytes, 24u);
  EXPECT_EQ(model.stats().state_bytes, 96u);
  npu_status status;
  npu_tensor_info info;
  EXPECT_EQ(npu_model_state(model.get(), 2, &info, &status), NPU_BAD_ARGUMENT);
  EXPECT_STREQ(status.message, "there is no state 2 among 2");
}

TEST(State, IsKeptFromRunToRunAndReset) {
  Model model = loaded();
  Context context(model);
  Matrix sum = firstSum(), last = filled(0);
  for (int time = 0; time < 2; ++time) {
    EXPECT_EQ(read(context, "s0"), firstSum());
    EXPECT_EQ(read(context, "s1"), filled(0));
    sum = firstSum();
    last = filled(0);
    for (int step = 1; step < 5; ++step) {
      Matrix x = filled(float(step));
      x[1] = 0.5f;
      EXPECT_EQ(run(context, x), plus(sum, last)) << step;
      sum = plus(sum, x);
      last = x;
      EXPECT_EQ(read(context, "s0"), sum);
      EXPECT_EQ(read(context, "s1"), last);
    }
    context.reset();
  }
}

TEST(State, IsWrittenInRows) {
  Model model = loaded();
  Context context(model);
  const Matrix sum = {1, 2, 3, 4, 5, 6}, last = {10, 20, 30, 40, 50, 60};
  context.writeState("s0", sum.data(), sizeof(sum));
  context.writeState("s1", last.data(), sizeof(last));
  EXPECT_EQ(read(context, "s0"), sum);
  EXPECT_EQ(run(context, filled(0)), plus(sum, last));
  EXPECT_EQ(read(context, "s0"), sum);
}

TEST(State, OfThreadsDoesNotMix) {
  Model model = loaded(/*runInline=*/true);
  std::vector<std::thread> threads;
  for (int number = 1; number <= 4; ++number)
    threads.emplace_back([&model, number] {
      Context context(model);
      Matrix sum = firstSum();
      for (int step = 0; step < 200; ++step) {
        Matrix x = filled(float(number));
        run(context, x);
        sum = plus(sum, x);
      }
      EXPECT_EQ(read(context, "s0"), sum);
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST(State, LeavesCallersMemoryAlone) {
  Model model = loaded();
  npu_load_stats stats = model.stats();
  Buffer arena(std::max<uint64_t>(stats.arena_bytes, 1)),
      scratch(std::max<uint64_t>(stats.scratch_bytes, 1));
  // Both in the same memory, one after the other.
  Context one(model, arena.get(), scratch.get()),
      other(model, arena.get(), scratch.get());
  run(one, filled(1));
  run(other, filled(2));
  EXPECT_EQ(read(one, "s0"), plus(firstSum(), filled(1)));
  EXPECT_EQ(read(other, "s0"), plus(firstSum(), filled(2)));
}

TEST(State, SurvivesARunThatIsRefused) {
  Model model = loaded();
  Context context(model);
  run(context, filled(1));
  std::vector<Buffer> none;
  EXPECT_THROW(context.run(none, none), Error);
  EXPECT_EQ(read(context, "s1"), filled(1));
}

TEST(State, RefusesWrongNamesAndSizes) {
  Model model = loaded();
  Context context(model);
  Matrix rows;
  npu_status status;
  EXPECT_EQ(npu_context_read_state(context.get(), "s2", rows.data(),
                                   sizeof(rows), &status),
            NPU_BAD_ARGUMENT);
  EXPECT_STREQ(status.message,
               "there is no state 's2'; the program has 's0', 's1'");
  EXPECT_EQ(
      npu_context_write_state(context.get(), "s0", rows.data(), 20, &status),
      NPU_BAD_ARGUMENT);
  EXPECT_STREQ(status.message,
               "state 's0' has 24 bytes in rows, but the memory has 20");
  EXPECT_EQ(npu_context_read_state(context.get(), "s0", nullptr, 24, &status),
            NPU_BAD_ARGUMENT);
  EXPECT_STREQ(status.message, "state 's0' needs memory, got null");
  EXPECT_EQ(
      npu_context_read_state(context.get(), nullptr, rows.data(), 24, &status),
      NPU_BAD_ARGUMENT);
  EXPECT_EQ(npu_context_reset(nullptr, &status), NPU_BAD_ARGUMENT);
  Model conv(DemoFile("conv").seal("without.npu"));
  Context stateless(conv);
  EXPECT_EQ(
      npu_context_read_state(stateless.get(), "s0", rows.data(), 24, &status),
      NPU_BAD_ARGUMENT);
  EXPECT_STREQ(status.message, "there is no state 's0'; the program has none");
  EXPECT_EQ(npu_context_reset(stateless.get(), &status), NPU_OK);
}

TEST(State, IsNamedWhereNothingRuns) {
  npu_load_options options = {};
  options.simulate_only = 1;
  Model model(stateFile(), options);
  EXPECT_EQ(model.states().size(), 2u);
}

// Forged files.

struct Break {
  const char *name;
  void (*apply)(DemoFile &demo);
  const char *says;
};

class Forged : public testing::TestWithParam<Break> {};

TEST_P(Forged, IsRefused) {
  DemoFile demo("state");
  GetParam().apply(demo);
  std::string path = demo.sealQuickly("forged.npu");
  npu_status status = {};
  npu_model *model = nullptr;
  EXPECT_EQ(npu_model_load(path.c_str(), nullptr, &model, &status),
            NPU_BAD_FILE);
  npu_model_free(model);
  EXPECT_NE(std::string(status.message).find(GetParam().says),
            std::string::npos)
      << status.message;
}

/// Both sides and the manifest with another extent: nothing contradicts itself
/// but the code.
void shrinkAll(DemoFile &demo) {
  for (npu_io_desc *row : {&demo.inputs()[1], &demo.outputs()[1]}) {
    row->tensor.dims[0] = 1;
    row->bytes = 12;
  }
  demo.manifest.states[0].shape[0] = 1;
}

const Break breaks[] = {
    {"CountInTheFile", [](DemoFile &d) { d.program().n_states = 1; },
     "number of states is 1, expected the manifest's 2"},
    {"CountInTheManifest", [](DemoFile &d) { d.manifest.states.pop_back(); },
     "number of states is 2, expected the manifest's 1"},
    {"MoreThanInputs", [](DemoFile &d) { d.program().n_states = 4; },
     "number of states is 4, expected at most that of the inputs"},
    {"SameName", [](DemoFile &d) { d.manifest.states[1].name = "s0"; },
     "expected another name than those of the states before it"},
    {"SizeBefore", [](DemoFile &d) { d.inputs()[1].bytes = 12; },
     "state 0 ('s0'): before a run: its size is 12, expected 24"},
    {"SizeAfter",
     [](DemoFile &d) {
       d.outputs()[1].tensor.dims[0] = 1;
       d.outputs()[1].bytes = 12;
     },
     "state 0 ('s0'): after a run: the manifest describes another tensor"},
    {"OrderAfter",
     [](DemoFile &d) {
       d.outputs()[1].tensor.order[0] = 0;
       d.outputs()[1].tensor.order[1] = 1;
     },
     "state 0 ('s0'): after a run: the manifest describes another tensor"},
    {"TypeBefore", [](DemoFile &d) { d.inputs()[1].tensor.dtype = NPU_I32; },
     "state 0 ('s0'): before a run: the manifest describes another tensor"},
    {"SmallerOnBothSides", shrinkAll, "is input 1, of 12 bytes, expected 24"},
    {"BeginsBehindTheWeights",
     [](DemoFile &d) { d.inputs()[1].tensor.weights_offset = 64; },
     "state 0 ('s0'): its 24 bytes at offset 64 end behind the weights' 64"},
    {"BeginsMisaligned",
     [](DemoFile &d) { d.inputs()[1].tensor.weights_offset = 4; },
     "state 0 ('s0'): its weights offset is 4, expected a multiple of 64"},
    {"BeginsBelowZero",
     [](DemoFile &d) { d.inputs()[1].tensor.weights_offset = -2; },
     "state 0 ('s0'): its weights offset is negative"},
    {"BeginsAsNothing",
     [](DemoFile &d) { d.inputs()[1].tensor.weights_offset = -1; },
     "state 0 ('s0'): the manifest disagrees on what it begins as"},
    {"BeginsAsOtherThanTold",
     [](DemoFile &d) { d.manifest.states[1].beginsAsConstant = true; },
     "state 1 ('s1'): the manifest disagrees on what it begins as"},
    {"ConstantAfterARun",
     [](DemoFile &d) { d.outputs()[2].tensor.weights_offset = 0; },
     "state 1 ('s1'): after a run: its weights offset is not -1"},
    {"WeightsOfNobody",
     [](DemoFile &d) {
       d.inputs()[1].tensor.weights_offset = -1;
       d.manifest.states[0].beginsAsConstant = false;
     },
     "the weights' size is 64, expected 0"},
};

INSTANTIATE_TEST_SUITE_P(All, Forged, testing::ValuesIn(breaks),
                         [](const auto &info) {
                           return std::string(info.param.name);
                         });

TEST(State, BeginsAsAWordThatIsKnown) {
  DemoFile demo("state");
  std::string text = format::printManifest(demo.manifest);
  const std::string word = "\"zeros\"";
  size_t at = text.find(word);
  ASSERT_NE(at, std::string::npos);
  text.replace(at, word.size(), "\"twos\"");
  npu_status status = {};
  npu_model *model = nullptr;
  std::string path = demo.sealQuickly("word.npu", text);
  EXPECT_EQ(npu_model_load(path.c_str(), nullptr, &model, &status),
            NPU_BAD_FILE);
  EXPECT_NE(std::string(status.message).find("zeros or constant"),
            std::string::npos)
      << status.message;
}

} // namespace
} // namespace npu::test
