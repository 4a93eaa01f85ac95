// SPDX-License-Identifier: Apache-2.0
//
// Endless loops and slow trials do not keep layout-fuzz from its end.
#include "test/compiler/Layout/FuzzRunner.h"
#include "test/compiler/Layout/ShrinkLayoutCase.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <chrono>

using namespace npu;
using test::Coverage;
using test::Finding;

namespace {

class Stopwatch {
public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() -
                                         start)
        .count();
  }

private:
  std::chrono::steady_clock::time_point start =
      std::chrono::steady_clock::now();
};

void computeWhile(bool isEndless) {
  for (volatile bool isOn = isEndless; isOn;) {
  }
}

/// Seed 3 never ends; the others are harmless.
std::optional<Finding> endlessAtThree(uint64_t seed, Coverage &coverage) {
  computeWhile(seed == 3);
  ++coverage.cases;
  return std::nullopt;
}

TEST(FuzzRunnerTest, AnEndlessLoopIsAFinding) {
  test::FuzzOptions options;
  options.graphs = 10;
  options.hangSeconds = 0.2;
  test::FuzzResult result = test::fuzz(options, endlessAtThree);
  ASSERT_EQ(result.findings.size(), 1U);
  EXPECT_EQ(result.findings[0].seed, 3U);
  EXPECT_EQ(result.findings[0].finding.property, "hangs");
  EXPECT_EQ(result.findings[0].finding.detail, "takes more than 200 ms");
}

/// The only case hangs: the document says from when on, and smaller ones may
/// not take as long.
TEST(FuzzRunnerTest, WhatHangsIsNoMeasureOfSmallerCases) {
  test::FuzzOptions options;
  EXPECT_EQ(options.hangSeconds, 20);
  options.seed = 3;
  options.graphs = 1;
  options.hangSeconds = 0.2;
  test::FuzzResult result = test::fuzz(options, endlessAtThree);
  ASSERT_EQ(result.findings.size(), 1U);
  EXPECT_EQ(result.ended, 0);
  EXPECT_EQ(test::trialSeconds(options, result), 0.2);
  EXPECT_EQ(test::trialSeconds({}, result), 2);
}

TEST(FuzzRunnerTest, ATrialTakesTenTimesAsLongAsWhatEnded) {
  test::FuzzResult result;
  result.ended = 4;
  result.endedSeconds = 0.1;
  EXPECT_EQ(test::trialSeconds({}, result), 1);
  result.endedSeconds = 2;
  EXPECT_EQ(test::trialSeconds({}, result), 5);
  result.endedSeconds = 80;
  EXPECT_EQ(test::trialSeconds({}, result), 20);
}

TEST(FuzzRunnerTest, TimeIsKeptWhenACaseHangs) {
  test::FuzzOptions options;
  options.seconds = 1; // three cases end in it, on a busy machine too
  options.hangSeconds = 60;
  Stopwatch watch;
  test::FuzzResult result = test::fuzz(options, endlessAtThree);
  EXPECT_LT(watch.seconds(), 10);
  EXPECT_TRUE(result.findings.empty());
  EXPECT_EQ(result.givenUp, std::vector<uint64_t>{3});
  EXPECT_EQ(result.coverage.cases, 3);
}

TEST(FuzzRunnerTest, AnIsolatedCheckEnds) {
  auto crash =
      test::checkIsolated([]() -> std::optional<Finding> { std::abort(); }, 10);
  ASSERT_TRUE(crash);
  EXPECT_EQ(crash->property, "crash");
  auto hang = test::checkIsolated(
      []() -> std::optional<Finding> {
        computeWhile(true);
        return std::nullopt;
      },
      0.2);
  ASSERT_TRUE(hang);
  EXPECT_EQ(hang->property, "hangs");
  EXPECT_FALSE(test::checkIsolated(
      []() -> std::optional<Finding> { return std::nullopt; }, 10));
}

test::LayoutCase threeOps() {
  return {R"(module {
  func.func @main(%arg0: tensor<2x3xf32> {npu.name = "x0"}) -> (tensor<2x3xf32> {npu.name = "y0"}) {
    %0 = npu.eltwise relu(%arg0) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %1 = npu.eltwise exp(%0) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %2 = npu.eltwise tanh(%1) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    return %2 : tensor<2x3xf32>
  }
})",
          "npu-nhwc", "fixed"};
}

TEST(ShrinkLayoutCaseTest, KeepsOnlyWhatStillFails) {
  test::LayoutCase least = test::shrinkCase(
      threeOps(),
      [](const test::LayoutCase &smaller) {
        return smaller.graph.find("exp") != std::string::npos;
      },
      60);
  EXPECT_NE(least.graph.find("exp"), std::string::npos);
  EXPECT_EQ(least.graph.find("tanh"), std::string::npos);
  EXPECT_EQ(least.graph.find("relu"), std::string::npos);
  EXPECT_EQ(least.graph.find("tensor<2x3x"), std::string::npos);
}

TEST(ShrinkLayoutCaseTest, SlowTrialsEndInTime) {
  Stopwatch watch;
  int trials = 0;
  test::shrinkCase(
      threeOps(),
      [&](const test::LayoutCase &) {
        ++trials;
        usleep(200000);
        return false;
      },
      0.5);
  EXPECT_LT(watch.seconds(), 10);
  EXPECT_GE(trials, 1);
  EXPECT_LE(trials, 3);
}

} // namespace
