// SPDX-License-Identifier: Apache-2.0
#include "compiler/Search/LayoutSearch.h"

#include <gtest/gtest.h>

#include <functional>

namespace npu::search::test {

namespace {

/// An input in two layouts, and an op that reads it and makes another value.
Problem good() {
  Problem problem;
  problem.values = {{2, {0, 5, 5, 0}}, {2, {0, 7, 7, 0}}};
  problem.ops = {{{}, {0}, {{0, {0}}, {0, {1}}}},
                 {{0}, {1}, {{3, {1, 0}}, {4, {asStored, 1}}}}};
  return problem;
}

struct Damage {
  const char *what;
  std::function<void(Problem &)> apply;
  const char *message;
};

class Check : public testing::TestWithParam<Damage> {};

TEST(Check, AcceptsAGoodProblem) { EXPECT_EQ(check(good()), ""); }

TEST_P(Check, SaysWhatIsWrongAndWhere) {
  Problem problem = good();
  GetParam().apply(problem);
  EXPECT_EQ(check(problem), GetParam().message);
}

const Damage damages[] = {
    {"NoLayouts", [](Problem &p) { p.values[1].layouts = 0; },
     "value 1 has 0 layouts; it needs at least one"},
    {"TooManyLayouts", [](Problem &p) { p.values[1].layouts = 65; },
     "value 1 has 65 layouts; at most 64 are looked at"},
    {"MoveCount", [](Problem &p) { p.values[0].move.pop_back(); },
     "value 0 has 3 relayout costs; 2 layouts need one for each pair"},
    {"NegativeMove", [](Problem &p) { p.values[0].move[1] = -5; },
     "value 0 has the negative relayout cost -5"},
    {"CostlyStay", [](Problem &p) { p.values[0].move[3] = 2; },
     "value 0 pays 2 for staying in layout 1; that must be 0"},
    {"UnknownOperand", [](Problem &p) { p.ops[1].operands[0] = 2; },
     "op 1 reads value 2 of 2"},
    {"EarlyRead", [](Problem &p) { p.ops[1].operands[0] = 1; },
     "op 1 reads value 1 before an op makes it"},
    {"UnknownResult", [](Problem &p) { p.ops[1].results[0] = -1; },
     "op 1 makes value -1 of 2"},
    {"MadeTwice", [](Problem &p) { p.ops[1].results[0] = 0; },
     "op 1 makes value 0, as op 0 does"},
    {"NoWay", [](Problem &p) { p.ops[1].ways.clear(); },
     "op 1 has no way to run"},
    {"NegativeWay", [](Problem &p) { p.ops[1].ways[0].cost = -3; },
     "way 0 of op 1 has the negative cost -3"},
    {"LayoutCount", [](Problem &p) { p.ops[1].ways[1].layouts.push_back(0); },
     "way 1 of op 1 has 3 layouts; the op has 2 operands and results"},
    {"OperandLayout", [](Problem &p) { p.ops[1].ways[0].layouts[0] = 2; },
     "way 0 of op 1 gives value 0 the layout 2; it has 2"},
    {"ResultAsStored",
     [](Problem &p) { p.ops[1].ways[0].layouts[1] = asStored; },
     "way 0 of op 1 gives value 1 the layout -1; it has 2, and a result is "
     "stored in one of them"},
    {"NeverMade", [](Problem &p) { p.values.push_back({1, {0}}); },
     "value 2 is the result of no op"},
    {"TooDear",
     [](Problem &p) {
       p.ops[0].ways[0].cost = p.ops[1].ways[0].cost = Cost(1) << 61;
     },
     "the costs add up to 2^62 or more"},
};

INSTANTIATE_TEST_SUITE_P(Damaged, Check, testing::ValuesIn(damages),
                         [](const testing::TestParamInfo<Damage> &info) {
                           return std::string(info.param.what);
                         });

} // namespace

} // namespace npu::search::test
