// SPDX-License-Identifier: Apache-2.0
#include "compiler/Pipeline/Report.h"
#include "compiler/Pipeline/Compiler.h"

#include <gtest/gtest.h>

using namespace npu;

namespace {

/// What the report's line says of a plan that costs 7.
std::string said(int64_t lowerBound, bool proved, int capped) {
  CompileReport report;
  report.strategy = "optimal";
  SearchOutcome &search = report.search.emplace();
  search.method = "method";
  search.cost = 7;
  search.lowerBound = lowerBound;
  search.proved = proved;
  search.capped = capped;
  return searchText(report);
}

bool has(const std::string &text, const char *part) {
  return text.find(part) != std::string::npos;
}

} // namespace

/// A plan that meets its bound is not called proved where layouts were left
/// out, and the line says that it is these.
TEST(Report, SaysWhatIsKnownOfThePlan) {
  EXPECT_TRUE(has(said(7, true, 0), "at least 7, proved to be the least ("));
  EXPECT_TRUE(
      has(said(6, false, 0), "at least 6, not proved to be the least ("));
  EXPECT_TRUE(
      has(said(6, false, 3), "at least 6, not proved to be the least ("));
  EXPECT_TRUE(has(said(7, false, 1), "the least of what was looked at, but 1 "
                                     "value or op has more layouts than that"));
  EXPECT_TRUE(has(said(7, false, 2), "but 2 values or ops have more"));
}
