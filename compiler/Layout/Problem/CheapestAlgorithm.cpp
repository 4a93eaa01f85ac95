// SPDX-License-Identifier: Apache-2.0
//
// An op's own algorithm beside others in the same layouts.
#include "compiler/Layout/Problem/Cost.h"
#include "compiler/Layout/Problem/Replacement.h"

using namespace npu;

static bool isCheaper(const LayoutCost &a, const LayoutCost &b,
                      Objective objective) {
  return std::pair(a.of(objective), a.kernels.of(objective)) <
         std::pair(b.of(objective), b.kernels.of(objective));
}

std::optional<PricedAlgorithm>
npu::cheapestAlgorithm(const ResidentProblem &problem, LayoutOpInterface op,
                       ArrayRef<LayoutAttr> layouts,
                       ArrayRef<LayoutAttr> whole) {
  SmallVector<const Alternative *> rows = {nullptr};
  auto pin = problem->pins.algorithms.find(op);
  if (pin != problem->pins.algorithms.end())
    rows = {pin->second};
  else
    llvm::append_range(rows, alternativesFor(op, problem->target));
  std::optional<PricedAlgorithm> best;
  double needs = 0;
  for (const Alternative *row : rows) {
    if (row && !row->fits(op, layouts))
      continue;
    std::optional<LayoutCost> cost;
    if (row && row->isSet()) {
      cost = costOfSet(problem, *row, op, whole.empty() ? layouts : whole);
      needs = std::numeric_limits<double>::infinity(); // not known
    } else {
      TiledCost tiled = kernelCost(problem, op, layouts, row, whole);
      cost = {0, 0, tiled.cost};
      needs = std::max(needs, tiled.needs);
    }
    if (cost && (!best || isCheaper(*cost, best->cost, problem->objective)))
      best = {*cost, row};
  }
  if (best)
    best->needs = needs;
  return best;
}
