// SPDX-License-Identifier: Apache-2.0
//
// The sum over a function's ops, with the values on the chip that make it
// least.
#include "compiler/Layout/Problem/Cost.h"
#include "compiler/Layout/Problem/Residencies.h"

using namespace npu;

/// What an op costs with some values on the chip.
using PriceOp =
    llvm::function_ref<LayoutCost(const ResidentProblem &, Operation &)>;

/// The sum over the function's ops; nothing where its kernels cost as much as
/// `limit`.
static std::optional<LayoutCost> sumBelow(const ResidentProblem &problem,
                                          std::optional<int64_t> limit,
                                          PriceOp priceOf) {
  LayoutCost total;
  for (Operation &op : problem->function->getRegion(0).front()) {
    total += priceOf(problem, op);
    if (limit && total.kernels.of(problem->objective) >= *limit)
      return std::nullopt;
  }
  return total;
}

/// Over all that may stay on the chip.
static FunctionCost leastSum(const LayoutProblem &problem, PriceOp priceOf) {
  ArrayRef<OnChipValues> choices = problem.residencies();
  SmallVector<Operation *> ops;
  for (Operation &op : problem.function->getRegion(0).front())
    ops.push_back(&op);
  auto leastOf = [&](size_t op, const OnChipValues &onChip) {
    return priceOf({problem, onChip}, *ops[op]).kernels.of(problem.objective);
  };
  FunctionCost least;
  std::optional<int64_t> limit;
  for (ResidencyBound bound : boundsOf(choices, ops, leastOf)) {
    if (limit && bound.least >= *limit)
      break;
    const OnChipValues &values = choices[bound.number];
    auto total = sumBelow({problem, values}, limit, priceOf);
    if (!total)
      continue;
    least = {*total, &values};
    limit = total->kernels.of(problem.objective);
  }
  return least;
}

FunctionCost npu::costOf(const LayoutProblem &problem,
                         const Algorithms &algorithms) {
  return leastSum(problem, [&](const ResidentProblem &resident, Operation &op) {
    return costOf(resident, &op, algorithms.lookup(&op));
  });
}

/// The cheapest algorithm of an op that has a choice.
static std::optional<PricedAlgorithm> cheapestOf(const ResidentProblem &problem,
                                                 Operation &op) {
  auto rule = dyn_cast<LayoutOpInterface>(op);
  if (!rule || rule.getSensitivity() == Sensitivity::Data)
    return PricedAlgorithm{costOf(problem, &op)};
  return cheapestAlgorithm(problem, rule, layoutsOf(&op));
}

Algorithms npu::cheapestAlgorithms(const LayoutProblem &problem) {
  FunctionCost least =
      leastSum(problem, [](const ResidentProblem &resident, Operation &op) {
        auto cheapest = cheapestOf(resident, op);
        return cheapest ? cheapest->cost : LayoutCost();
      });
  Algorithms best;
  for (Operation &op : problem.function->getRegion(0).front())
    if (auto cheapest = cheapestOf({problem, *least.onChip}, op);
        cheapest && cheapest->algorithm)
      best[&op] = cheapest->algorithm;
  return best;
}
