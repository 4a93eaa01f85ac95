// SPDX-License-Identifier: Apache-2.0
#include "cost/mac_array.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>

namespace npu::cost {
namespace {

using Row = std::map<std::string, std::string>;

std::vector<Row> readTable(const std::string &path) {
  std::ifstream file(path);
  EXPECT_TRUE(file) << path;
  auto split = [](const std::string &line) {
    std::vector<std::string> cells;
    std::stringstream text(line);
    for (std::string cell; std::getline(text, cell, ',');)
      cells.push_back(cell);
    return cells;
  };
  std::string line;
  std::getline(file, line);
  std::vector<std::string> keys = split(line);
  std::vector<Row> rows;
  while (std::getline(file, line)) {
    std::vector<std::string> cells = split(line);
    EXPECT_EQ(cells.size(), keys.size()) << line;
    Row row;
    for (size_t i = 0; i < keys.size(); ++i)
      row[keys[i]] = cells[i];
    rows.push_back(row);
  }
  return rows;
}

Machine machineOf(double size, const std::string &flow) {
  Machine machine;
  machine.macRows = machine.macColumns = size;
  machine.dataFlow = findDataFlow(flow).value();
  machine.arrayUse = ArrayUse::Whole;
  return machine;
}

Product convolution(const Row &row) {
  auto number = [&](const char *key) -> int64_t {
    return std::stoll(row.at(key));
  };
  return {number("out_hw") * number("out_hw"),
          number("k") * number("k") * number("cin"), number("cout")};
}

TEST(MacArray, CountsLikeASimulatorOfEachCycle) {
  std::vector<Row> rows = readTable(SCALESIM);
  ASSERT_EQ(rows.size(), 318u);
  std::map<std::string, double> totals;
  for (const Row &row : rows) {
    std::string array = row.at("array") + " " + row.at("data_flow");
    SCOPED_TRACE(array + " " + row.at("layer"));
    double size = std::stod(row.at("array"));
    Machine machine = machineOf(size, row.at("data_flow"));
    Product product = convolution(row);
    double cycles = arrayCycles(product, machine);
    EXPECT_EQ(cycles, std::stod(row.at("cycles")));
    double utilisation = 100 * product.macs() / (cycles * size * size);
    EXPECT_NEAR(utilisation, std::stod(row.at("utilisation_percent")), 0.5);
    EXPECT_LE(utilisation, 100);
    totals[array] += cycles;
  }
  EXPECT_EQ(totals["32 weight-stationary"], 6154700);
  EXPECT_EQ(totals["32 output-stationary"], 5131384);
  EXPECT_EQ(totals["32 input-stationary"], 6550624);
  EXPECT_EQ(totals["128 weight-stationary"], 867520);
  EXPECT_EQ(totals["128 output-stationary"], 626958);
  EXPECT_EQ(totals["128 input-stationary"], 1048392);
}

TEST(MacArray, OnChipAccesses) {
  for (const Row &row : readTable(SCALESIM)) {
    SCOPED_TRACE(row.at("array") + row.at("data_flow") + row.at("layer"));
    Machine machine =
        machineOf(std::stod(row.at("array")), row.at("data_flow"));
    OnChipAccess access = onChipAccess(convolution(row), machine);
    EXPECT_EQ(access.inputs, std::stod(row.at("input_reads")));
    EXPECT_EQ(access.weights, std::stod(row.at("weight_reads")));
    // The simulator lets results of unused columns drain, too.
    if (machine.dataFlow != DataFlow::OutputStationary)
      EXPECT_EQ(access.outputs, std::stod(row.at("output_writes")));
  }
}

TEST(MacArray, GroupsRunOneAfterAnother) {
  Machine machine = machineOf(32, "weight-stationary");
  Product one{100, 36, 8}, four{100, 36, 8, 4};
  EXPECT_EQ(4 * arrayCycles(one, machine), arrayCycles(four, machine));
  EXPECT_EQ(arrayCycles({0, 36, 8}, machine), 0);
}

TEST(MacArray, DotProductsUseEveryMultiplier) {
  // But for depthwise convolutions: 9 or 25 of 32 rows, then 81 of 96.
  Machine machine = machineOf(32, "dot-product");
  machine.arrayUse = ArrayUse::Parts;
  EXPECT_EQ(arrayCycles({100, 9, 64, 1, true}, machine), 200);
  EXPECT_EQ(arrayCycles({100, 25, 64, 1, true}, machine), 200);
  EXPECT_EQ(arrayCycles({100, 81, 64, 1, true}, machine), 600);
  machine.macRows = machine.macColumns = 10;
  EXPECT_EQ(arrayCycles({100, 33, 8}, machine), 264);
}

/// MobileNetV2's depthwise layers: channels and height of the result.
TEST(MacArray, DepthwiseUsesSomeOfTheArray) {
  const std::pair<int64_t, int64_t> layers[] = {
      {32, 112}, {96, 56},  {144, 56}, {144, 28}, {192, 28},
      {192, 14}, {384, 14}, {576, 14}, {576, 7},  {960, 7}};
  for (const char *flow : {"weight-stationary", "output-stationary",
                           "input-stationary", "dot-product"})
    for (auto [channels, side] : layers) {
      SCOPED_TRACE(std::string(flow) + ", " + std::to_string(channels) +
                   " channels, " + std::to_string(side));
      Product product{side * side, 9, channels, 1, true};
      double used = product.macs() /
                    (arrayCycles(product, machineOf(32, flow)) * 32 * 32);
      EXPECT_GE(used, 0.03);
      EXPECT_LE(used, 0.30);
    }
}

/// Sums of 32, eight results at a time; a depthwise channel has four rows.
TEST(MacArray, WholeDotProducts) {
  Machine machine = machineOf(8, "dot-product");
  machine.macRows = 32;
  EXPECT_EQ(arrayCycles({100, 144, 24}, machine), 100 * 5 * 3);
  EXPECT_EQ(arrayCycles({100, 16, 9}, machine), 100 * 1 * 2);
  Product depthwise{100, 9, 24, 1, true};
  EXPECT_EQ(arrayCycles(depthwise, machine), 100 * 3);
  machine.depthwiseRows = 4;
  EXPECT_EQ(arrayCycles(depthwise, machine), 100 * 3 * 3);
  machine.arrayUse = ArrayUse::Parts;
  EXPECT_EQ(arrayCycles(depthwise, machine), 100 * 3 * 3);
  EXPECT_EQ(arrayCycles({100, 16, 9}, machine), 100 * 16 * 9 / 256.0);
}

/// K of nine elements of 20 channels, on 16 rows: as one, by channel and by
/// window.
TEST(MacArray, WhatLiesOnTheRows) {
  Product product{100, 180, 10, 1, false, 1, 9};
  Machine machine = machineOf(16, "dot-product");
  auto folds = [&](KRows rows) {
    machine.kRows = rows;
    return arrayCycles(product, machine) / 100;
  };
  EXPECT_EQ(folds(KRows::Either), 12);      // 180 / 16
  EXPECT_EQ(folds(KRows::Channels), 9 * 2); // 20 / 16
  EXPECT_EQ(folds(KRows::Window), 20);      // 9 / 16
  machine.arrayUse = ArrayUse::Parts;
  EXPECT_EQ(folds(KRows::Channels), 9 * 2 * 10 / 16.0);
}

/// What stays comes in while the fold before it runs: the first is waited for.
TEST(MacArray, WeightsMayComeBefore) {
  Machine machine = machineOf(32, "weight-stationary");
  for (ArrayUse use : {ArrayUse::Whole, ArrayUse::Parts}) {
    machine.arrayUse = use;
    Product product{100, 96, 64};
    machine.weightLoad = WeightLoad::InTurn;
    EXPECT_EQ(arrayCycles(product, machine), 6 * (100 + 2 * 32 + 32 - 2));
    machine.weightLoad = WeightLoad::Preload;
    EXPECT_EQ(arrayCycles(product, machine), 6 * (100 + 32 + 32 - 2) + 32);
  }
  // More rows are never slower, though more weights are waited for.
  for (int64_t m : {1, 2, 5, 100})
    for (int64_t k : {7, 100, 1000}) {
      double before = 1e18;
      for (double rows = 1; rows < 200; ++rows) {
        machine.macRows = rows;
        double cycles = arrayCycles({m, k, 3}, machine);
        EXPECT_LE(cycles, before) << m << ' ' << k << ' ' << rows;
        before = cycles;
      }
    }
}

/// Nine multiply-adds of each of 24 channels, on 8 x 8.
TEST(MacArray, DepthwiseByChannel) {
  Machine machine = machineOf(8, "dot-product");
  Product depthwise{100, 9, 24, 1, true};
  EXPECT_EQ(arrayCycles(depthwise, machine), 100 * 2 * 3);
  machine.depthwise = DepthwiseUnit::Channels;
  EXPECT_EQ(arrayCycles(depthwise, machine), 100 * 24 * 2);
  EXPECT_EQ(onChipAccess(depthwise, machine).inputs, 100 * 9 * 24);
}

constexpr const char *systolic[] = {"weight-stationary", "output-stationary",
                                    "input-stationary"};

/// Folds that fill the array take what they take of all of it; a product that
/// is smaller pays for no row or column that it does not have.
TEST(MacArray, PartsOfTheArray) {
  for (const char *flow : systolic) {
    Machine whole = machineOf(32, flow), parts = whole;
    parts.arrayUse = ArrayUse::Parts;
    EXPECT_EQ(arrayCycles({64, 64, 64}, parts),
              arrayCycles({64, 64, 64}, whole))
        << flow;
    // By hand: what streams, twice (or once) the rows, the columns, less two.
    EXPECT_EQ(arrayCycles({8, 9, 10}, parts),
              parts.dataFlow == DataFlow::OutputStationary   ? 9 + 8 + 10 - 2
              : parts.dataFlow == DataFlow::WeightStationary ? 8 + 18 + 10 - 2
                                                             : 10 + 18 + 8 - 2)
        << flow;
    EXPECT_EQ(arrayCycles({1, 1, 1}, parts),
              parts.dataFlow == DataFlow::OutputStationary ? 1 : 2);
  }
}

/// Neither does a larger array take longer, nor all of a product than its parts
/// one after the other.
TEST(MacArray, MoreIsNeverSlower) {
  const int64_t extents[] = {1, 2, 3, 7, 16, 31, 33, 64, 100, 147, 1000};
  for (const char *flow : {"weight-stationary", "output-stationary",
                           "input-stationary", "dot-product"})
    for (int64_t m : extents)
      for (int64_t k : extents)
        for (int64_t n : extents) {
          Machine machine = machineOf(1, flow);
          machine.arrayUse = ArrayUse::Parts;
          Product product{m, k, n};
          double before = arrayCycles(product, machine);
          for (double rows : {1, 2, 3, 8, 14, 32, 100})
            for (double columns : {1, 5, 16, 24, 128}) {
              machine.macRows = rows;
              machine.macColumns = columns;
              double cycles = arrayCycles(product, machine);
              machine.macRows = rows + 1;
              EXPECT_LE(arrayCycles(product, machine), cycles);
              machine.macRows = rows;
              machine.macColumns = columns + 3;
              EXPECT_LE(arrayCycles(product, machine), cycles);
              machine.macColumns = columns;
              EXPECT_LE(cycles, before);
              EXPECT_GE(cycles * rows * columns, product.macs() * 0.999);
              for (int64_t part : {m / 3, m / 2, m - 1})
                EXPECT_GE(arrayCycles({part, k, n}, machine) +
                              arrayCycles({m - part, k, n}, machine),
                          cycles * 0.999999)
                    << flow << ' ' << m << ' ' << k << ' ' << n << ' ' << part;
              for (int64_t part : {k / 3, k / 2, k - 1})
                EXPECT_GE(arrayCycles({m, part, n}, machine) +
                              arrayCycles({m, k - part, n}, machine),
                          cycles * 0.999999);
              for (int64_t part : {n / 3, n / 2, n - 1})
                EXPECT_GE(arrayCycles({m, k, part}, machine) +
                              arrayCycles({m, k, n - part}, machine),
                          cycles * 0.999999);
            }
        }
}

TEST(MacArray, DataFlowsByName) {
  for (auto flow : {DataFlow::DotProduct, DataFlow::WeightStationary,
                    DataFlow::OutputStationary, DataFlow::InputStationary}) {
    EXPECT_EQ(findDataFlow(nameOf(flow)), flow);
    EXPECT_NE(dataFlowNames().find(nameOf(flow)), std::string_view::npos);
  }
  EXPECT_FALSE(findDataFlow("row-stationary"));
  for (ArrayUse use : {ArrayUse::Parts, ArrayUse::Whole}) {
    EXPECT_EQ(findArrayUse(nameOf(use)), use);
    EXPECT_NE(arrayUseNames().find(nameOf(use)), std::string_view::npos);
  }
  EXPECT_FALSE(findArrayUse("half"));
  // All words, by one list.
  Machine machine;
  int words = 0;
  visitWords(machine, [&](std::string_view key, auto &word, auto find,
                          std::string_view names) {
    EXPECT_EQ(find(nameOf(word)), word) << key;
    EXPECT_NE(names.find(nameOf(word)), std::string_view::npos) << key;
    EXPECT_FALSE(find("nothing")) << key;
    ++words;
  });
  EXPECT_EQ(words, 9);
}

} // namespace
} // namespace npu::cost
