// SPDX-License-Identifier: Apache-2.0
//
// npu_chip_visit on a file: what it tells is what the program says.
#include "npu/chip.h"

#include "chip/table.h"
#include "format/footer.h"
#include "test/chip/ChipCase.h"
#include "test/runtime/DemoFile.h"

#include <gtest/gtest.h>

using namespace npu::chip;
using namespace npu::chip::testing;
using namespace npu::test;

namespace {

/// A demo's file with these bytes as the chip's program, loaded for the chip's
/// time alone.
npu_model *load(const std::string &table) {
  DemoFile demo("conv");
  const std::string elf = scratchFolder() + "visited.so";
  const std::string path = scratchFolder() + "visited.npu";
  writeFile(elf, demo.elf);
  EXPECT_EQ(npu::format::seal(
                elf, {npu::format::printManifest(demo.manifest), table}, path),
            "");
  npu_load_options options = {};
  options.simulate_only = 1;
  npu_model *model = nullptr;
  npu_status status = {};
  EXPECT_EQ(npu_model_load(path.c_str(), &options, &model, &status), NPU_OK)
      << status.message;
  return model;
}

/// What is told, as words.
struct Told {
  std::string words;
  int64_t turns = 1, stored = 0;
  std::vector<int64_t> trips;
  int left = 1 << 30; // calls until it ends the visit

  int32_t count() { return left-- > 0 ? 0 : 7; }
};

Told &of(void *user) { return *static_cast<Told *>(user); }

npu_chip_visitor visitorOf(Told &told) {
  npu_chip_visitor visitor = {};
  visitor.size = sizeof(visitor);
  visitor.user = &told;
  visitor.kernel = [](void *user, const char *name, const char *node) {
    of(user).words += std::string(name) + " of " + node;
    return of(user).count();
  };
  visitor.loop = [](void *user, const char *axis, int64_t trips) {
    of(user).words += std::string(" ") + axis + "{";
    of(user).trips.push_back(trips);
    of(user).turns *= trips;
    return of(user).count();
  };
  visitor.end_loop = [](void *user) {
    of(user).words += "}";
    of(user).turns /= of(user).trips.back();
    of(user).trips.pop_back();
    return of(user).count();
  };
  visitor.dma = [](void *user, const npu_chip_dma *dma) {
    int64_t bytes = dma->run * of(user).turns;
    for (size_t i = 0; i < dma->level_count; ++i)
      bytes *= dma->levels[i].count;
    if (dma->target.memory == NPU_CHIP_OUTPUT)
      of(user).stored += bytes;
    else
      EXPECT_EQ(dma->target.memory, NPU_CHIP_ON_CHIP);
    EXPECT_LE(dma->source.step_count, of(user).trips.size());
    return of(user).count();
  };
  visitor.compute = [](void *user, const npu_chip_compute *compute) {
    EXPECT_EQ(compute->operand_count, 4u);
    EXPECT_STREQ(compute->op, "conv");
    EXPECT_STREQ(compute->operands[0].layout, "acdb");
    EXPECT_STREQ(compute->operands[0].place.buffer, "k0 input 0");
    EXPECT_EQ(compute->window.spatial, 2);
    EXPECT_EQ(compute->window.kernel[0], 3);
    of(user).words += " " + std::to_string(compute->window.pads_begin[0]) +
                      "+" + std::to_string(compute->window.pads_end[0]);
    return of(user).count();
  };
  return visitor;
}

std::string smallTable() {
  std::string whyNot;
  auto program = programOf(smallConv(), 4096, whyNot);
  return encode(*program);
}

} // namespace

TEST(Visit, TellsTheProgram) {
  npu_model *model = load(smallTable());
  Told told;
  npu_chip_visitor visitor = visitorOf(told);
  npu_status status = {};
  EXPECT_EQ(npu_chip_visit(model, &visitor, &status), NPU_OK) << status.message;
  // The first rows, those between, the last ones.
  EXPECT_EQ(told.words, "k0 of node k{ 1+0} y{ k{ 0+0}} k{ 0+1}");
  EXPECT_EQ(told.stored, npu::kernels::storedBytes(smallConv().outputs[0]));
  visitor = {};
  visitor.size = sizeof(visitor);
  EXPECT_EQ(npu_chip_visit(model, &visitor, &status), NPU_OK);
  npu_model_free(model);
}

TEST(Visit, EndsWhereAFunctionSaysSo) {
  npu_model *model = load(smallTable());
  Told all;
  npu_chip_visitor visitor = visitorOf(all);
  npu_chip_visit(model, &visitor, nullptr);
  const int calls = (1 << 30) - all.left;
  for (int left = 0; left < calls; ++left) {
    Told told;
    told.left = left;
    visitor = visitorOf(told);
    npu_status status = {};
    EXPECT_EQ(npu_chip_visit(model, &visitor, &status), NPU_RUN_FAILED);
    EXPECT_STREQ(status.message, "the visitor ended the visit with 7");
    EXPECT_EQ(told.left, -1);
  }
  npu_model_free(model);
}

TEST(Visit, RefusesWhatIsNotThere) {
  Told told;
  npu_chip_visitor visitor = visitorOf(told);
  npu_model *model = load("");
  EXPECT_EQ(npu_chip_visit(model, &visitor, nullptr), NPU_BAD_ARGUMENT);
  EXPECT_EQ(npu_chip_visit(model, nullptr, nullptr), NPU_BAD_ARGUMENT);
  npu_model_free(model);
  model = load("no table");
  EXPECT_EQ(npu_chip_visit(model, &visitor, nullptr), NPU_BAD_FILE);
  visitor.size = 8;
  EXPECT_EQ(npu_chip_visit(model, &visitor, nullptr), NPU_BAD_ARGUMENT);
  npu_model_free(model);
}
