// SPDX-License-Identifier: Apache-2.0
#include "compiler/Search/Deadline.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace npu::search::test {

namespace {

TEST(Deadline, EndsByWhatIsCounted) {
  const Deadline deadline(2);
  EXPECT_TRUE(deadline.allows(0.5 * Deadline::stepsPerSecond));
  EXPECT_FALSE(deadline.allows(3 * Deadline::stepsPerSecond));
  deadline.count(3 * Deadline::stepsPerSecond);
  EXPECT_TRUE(deadline.over());
  EXPECT_FALSE(deadline.isStruck());
  EXPECT_TRUE(Deadline(0).over());
}

/// Whoever has a part takes it from all.
TEST(Deadline, IsSharedByItsParts) {
  const Deadline whole(10), part = whole.share(0.5), other = whole.within(1);
  other.count(2 * Deadline::stepsPerSecond);
  EXPECT_TRUE(other.over());
  EXPECT_FALSE(part.over());
  EXPECT_EQ(whole.left(), 8 * Deadline::stepsPerSecond);
  part.count(4 * Deadline::stepsPerSecond);
  EXPECT_TRUE(part.over());
  EXPECT_FALSE(whole.over());
  EXPECT_TRUE(whole.within(100).allows(3 * Deadline::stepsPerSecond));
  EXPECT_FALSE(whole.within(100).allows(5 * Deadline::stepsPerSecond));
}

/// A process that others keep from working has as long for its plan.
TEST(Deadline, IsStruckByWorkThatNobodyCounts) {
  const Deadline deadline(0.05), part = deadline.share(0.5);
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_FALSE(deadline.strikes());
  EXPECT_FALSE(part.over());
  uint64_t questions = 0;
  while (!part.over())
    ++questions;
  EXPECT_GT(questions, 0u);
  EXPECT_GE(deadline.spent(), 0.05);
  EXPECT_TRUE(deadline.isStruck());
  EXPECT_TRUE(deadline.over());
}

} // namespace

} // namespace npu::search::test
