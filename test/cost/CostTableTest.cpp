// SPDX-License-Identifier: Apache-2.0
#include "cost/chip_figures.h"
#include "cost/cost_table.h"

#include <gtest/gtest.h>

#include <cmath>

namespace npu::cost {
namespace {

TableKey conv(std::vector<int64_t> sizes, const std::string &layout = "acdb",
              const std::string &type = "f32") {
  return {"conv2d", {{layout, sizes, type}}, {{layout, sizes, type}}};
}

/// Rows of these sizes: the model says 100, `ratio` times that was measured.
CostTable tableOf(const std::vector<std::pair<TableKey, double>> &rows) {
  CostTable table;
  for (const auto &[key, ratio] : rows)
    EXPECT_TRUE(table.add({key, 100, 100 * ratio}));
  return table;
}

double ratioOf(const CostTable &table, const TableKey &key) {
  std::optional<Measurement> found = table.find(key);
  EXPECT_TRUE(found.has_value());
  EXPECT_EQ(found ? found->cycles : 1, 0);
  return found ? found->ratio : 0;
}

TEST(CostTable, TextIsWhatRowsBeginWith) {
  TableKey key = {"add",
                  {{"abcd", {1, 2}, "f32"}, {"-", {}, "i8"}},
                  {{"ba", {3, 4}, "f32"}}};
  EXPECT_EQ(textOf(key), "add,abcd - > ba,1x2 - > 3x4,f32 i8 > f32");
}

TEST(CostTable, WhatStandsThereIsTakenExactly) {
  CostTable table = tableOf({{conv({8}), 3}, {conv({16}), 5}});
  EXPECT_EQ(table.find(conv({16}))->cycles, 500);
  EXPECT_FALSE(table.add({conv({16}), 100, 7}));
  EXPECT_FALSE(table.find({"add", {}, {}}));
}

TEST(CostTable, OneNeighbourGivesItsRatio) {
  EXPECT_DOUBLE_EQ(ratioOf(tableOf({{conv({8}), 3}}), conv({64})), 3);
}

TEST(CostTable, OfThreeTheNearestWeighMost) {
  // Operand and result: twice the distance of each. 32 is 4, 2 and 2 away.
  CostTable table = tableOf(
      {{conv({8}), 2}, {conv({16}), 4}, {conv({64}), 16}, {conv({4096}), 1e3}});
  double expected =
      std::exp((std::log(2.0) / 4 + std::log(4.0) / 2 + std::log(16.0) / 2) /
               (1.0 / 4 + 1.0 / 2 + 1.0 / 2));
  EXPECT_NEAR(ratioOf(table, conv({32})), expected, 1e-9);
}

TEST(CostTable, LikeKernelsGoBeforeNearOnes) {
  CostTable table = tableOf({{conv({32}, "abcd", "i8"), 2},
                             {conv({33}, "abcd"), 3},
                             {conv({1024}, "acdb"), 5}});
  EXPECT_DOUBLE_EQ(ratioOf(table, conv({32}, "acdb")), 5); // layout and type
  EXPECT_DOUBLE_EQ(ratioOf(table, conv({33}, "bacd", "i8")), 2); // type
  EXPECT_NEAR(ratioOf(table, conv({32}, "x", "bf16")), 2, 1e-9); // distance 0
}

TEST(CostTable, OtherNumbersOfDimensionsAreNoNeighbours) {
  CostTable table = tableOf({{conv({8, 8}), 3}});
  EXPECT_FALSE(table.find(conv({8})));
  TableKey two = conv({8, 8});
  two.operands.push_back(two.operands[0]);
  EXPECT_FALSE(table.find(two));
}

KernelWork product() {
  KernelWork work;
  work.products = {{64, 64, 64, 1, false, 64}};
  work.usefulMacs = 64 * 64 * 64;
  work.elements = 4096;
  work.reads = {{4096, 4096}, {4096, 4096}};
  work.reads[0].role = Role::Data;
  work.reads[1].role = Role::Weight;
  work.writes = {{4096, 4096}};
  return work;
}

TEST(CostTable, MeasuredCyclesAreTheTotalAndPartsStayWithinIt) {
  Machine machine;
  KernelWork work = product();
  Tiling tiling = untiled(work);
  KernelTime model = timeOf(work, tiling, machine);
  EXPECT_EQ(model.measured + model.scaled, 0);
  for (double cycles : {1.0, 7.0, 1e6}) {
    work.measured = Measurement{cycles, 1};
    KernelTime time = timeOf(work, tiling, machine);
    EXPECT_EQ(time.total, cycles);
    EXPECT_EQ(time.measured, cycles);
    EXPECT_EQ(time.scaled, 0);
    EXPECT_GE(time.stall(), 0);
    EXPECT_LE(time.dma, time.total);
    EXPECT_EQ(modelTimeOf(work, tiling, machine).total, model.total);
    EXPECT_EQ(timeOf(work, machine).total, cycles); // whichever tiling
    ChipFigures figures = figuresOf(work, tiling, 0, machine);
    EXPECT_EQ(figures.measured_cycles, figures.cycles);
  }
  work.measured = Measurement{0, 2.5};
  KernelTime time = timeOf(work, tiling, machine);
  EXPECT_EQ(time.total, std::llround(2.5 * static_cast<double>(model.total)));
  EXPECT_EQ(time.scaled, time.total);
  EXPECT_EQ(time.measured, 0);
}

TEST(CostTable, WhatDoesNotFitIsStillRefused) {
  Machine machine;
  machine.sramKiB = 0.0625;
  KernelWork work = product();
  work.measured = Measurement{5, 1};
  EXPECT_GT(timeOf(work, machine).total, doesNotFit);
}

} // namespace
} // namespace npu::cost
