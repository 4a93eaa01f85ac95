// SPDX-License-Identifier: Apache-2.0
//
// pbqp, after Anderson and Gregg's selection of primitives: a partitioned
// boolean quadratic programme over the same ways and costs as optimal's,
// solved by reductions and, where none applies, local choices.
#include "compiler/Layout/Strategies/SearchProblem.h"
#include "compiler/Layout/Strategies/Strategies.h"
#include "compiler/Search/Pbqp.h"

using namespace npu;

LogicalResult npu::decidePbqp(const LayoutProblem &problem,
                              ArrayRef<Strategy> others, LayoutPlan &plan) {
  return decideByNumbers(
      problem, others,
      [](const SearchProblem &searched) -> FailureOr<std::vector<int>> {
        return search::chooseByPbqp(searched.numbers()).states;
      },
      plan);
}
