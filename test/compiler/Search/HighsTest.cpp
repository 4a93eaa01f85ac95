// SPDX-License-Identifier: Apache-2.0
#include "compiler/Search/Highs.h"

#include "test/compiler/Search/RandomProblem.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace npu::search::test {

namespace {

/// An integer programme that takes seconds.
Problem hardProblem(uint64_t seed) {
  RandomOptions options;
  options.ops = 160;
  options.layouts = 6;
  options.ways = 8;
  return randomProblem(seed, options);
}

struct Ended {
  std::vector<double> values;
  double left = 0; // steps
  bool isCut = false, isStruck = false;
  int looks = 0; // at the clock
};

/// Steps for `seconds` end it; each look at the clock takes that much of its
/// time, and of real time.
Ended endedAfter(const Problem &problem, double seconds, double clockPerLook,
                 int sleepMs) {
  Ended ended;
  double time = 0;
  const Deadline whole(100, [&] {
    ++ended.looks;
    std::this_thread::sleep_for(std::chrono::milliseconds(sleepMs));
    return time += clockPerLook;
  });
  const Deadline until = whole.within(seconds);
  LinearModel model(problem, RelayoutTrees(problem));
  std::vector<int> ways(problem.ops.size(), 0);
  LinearSolution solution = solveInteger(model, until, ways);
  ended.values = solution.values;
  ended.left = until.left();
  ended.isCut = solution.isCut;
  ended.isStruck = until.isStruck();
  return ended;
}

TEST(Highs, EndsByStepsHoweverSlowTheMachineIs) {
  constexpr double seconds = 1;
  Problem problem = hardProblem(160);
  const Ended quick = endedAfter(problem, seconds, 0, 0),
              slow = endedAfter(problem, seconds, 0.5, 0);
  ASSERT_GT(quick.looks, 2);
  EXPECT_LE(quick.left, 0) << "it was to be ended by its steps";
  EXPECT_FALSE(quick.isCut || quick.isStruck);
  EXPECT_FALSE(slow.isCut || slow.isStruck);
  EXPECT_EQ(quick.values, slow.values);
  EXPECT_EQ(quick.left, slow.left);
  // A loaded machine: twice the seconds pass while others have the processor.
  const int sleepMs = static_cast<int>(2000 * seconds) / quick.looks;
  const Ended loaded = endedAfter(problem, seconds, 0, sleepMs);
  EXPECT_FALSE(loaded.isCut || loaded.isStruck);
  EXPECT_EQ(quick.values, loaded.values);
  EXPECT_EQ(quick.left, loaded.left);
}

/// The guard is asked, too.
TEST(Highs, IsStruckByTheClock) {
  const Ended ended = endedAfter(hardProblem(160), 90, 40, 0);
  EXPECT_TRUE(ended.isStruck);
  EXPECT_GT(ended.left, 0);
}

} // namespace

} // namespace npu::search::test
