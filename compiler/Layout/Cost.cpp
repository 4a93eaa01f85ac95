// SPDX-License-Identifier: Apache-2.0
#include "compiler/Layout/Cost.h"

#include "compiler/Layout/Placement.h"

#include "compiler/Dialect/NPU/LayoutUse.h"
#include "compiler/Dialect/NPU/Work.h"
#include "compiler/Kernel/KernelProblem.h"
#include "compiler/Layout/Alternatives.h"

#include <cmath>

using namespace npu;

int64_t LayoutCost::of(Objective objective) const {
  switch (objective) {
  case Objective::Count:
    return count;
  case Objective::Bytes:
    return bytes;
  case Objective::Time:
    return cycles;
  }
  return cycles;
}

LayoutCost &LayoutCost::operator+=(const LayoutCost &other) {
  count += other.count;
  bytes += other.bytes;
  cycles += other.cycles;
  return *this;
}

/// The dimension whose neighbours lie next to each other in memory.
static int64_t innermost(RankedTensorType type, LayoutAttr layout) {
  if (layout.isBlocked())
    return layout.getBlocks().back().dim;
  for (int64_t dim : llvm::reverse(layout.getOrder()))
    if (type.getShape()[dim] != 1)
      return dim;
  return 0;
}

static double moveCycles(double bytes, bool strided,
                         const MachineSpec &machine) {
  double factor = strided ? machine.stridedAccessFactor : 1;
  return machine.kernelStartCycles + machine.dmaStartCycles +
         bytes * (1 + factor) / machine.dmaBytesPerCycle;
}

int64_t npu::relayoutCycles(RankedTensorType type, LayoutAttr from,
                            LayoutAttr to, const MachineSpec &machine) {
  double bytes =
      static_cast<double>(storedBytes(type, from) + storedBytes(type, to)) / 2;
  return std::llround(
      moveCycles(bytes, innermost(type, from) != innermost(type, to), machine));
}

int64_t npu::kernelCycles(const LayoutProblem &problem, LayoutOpInterface op,
                          ArrayRef<LayoutAttr> layouts,
                          const Alternative *algorithm) {
  const MachineSpec &machine = problem.target.machine;
  Work work = workOf(op);
  if (algorithm)
    work.macs = algorithm->macs(op);
  double bytes = 0, padding = 1;
  unsigned operands = op->getNumOperands();
  for (auto [index, layout] : llvm::enumerate(layouts)) {
    Value value = index < operands ? op->getOperand(index)
                                   : op->getResult(index - operands);
    RankedTensorType type = tensorType(value);
    int64_t stored = algorithm && index == 1 ? algorithm->weightBytes(op)
                                             : storedBytes(type, layout);
    bytes += static_cast<double>(stored);
    // The lanes of a block's padding are computed like all others.
    if (index == operands && stored)
      padding = static_cast<double>(stored) /
                static_cast<double>(storedBytes(type, LayoutAttr()));
  }
  double compute = work.macs * padding / (machine.macRows * machine.macColumns);
  double vector = work.elements * padding / machine.vectorLanes;
  double factor = problem.costFactor(
      op, layouts[operands], algorithm ? algorithm->demandName : StringRef());
  return std::llround(
      machine.kernelStartCycles + machine.dmaStartCycles +
      factor * std::max(compute + vector, bytes / machine.dmaBytesPerCycle));
}

std::optional<TimedAlgorithm>
npu::fastestAlgorithm(const LayoutProblem &problem, LayoutOpInterface op,
                      ArrayRef<LayoutAttr> layouts) {
  SmallVector<const Alternative *> rows = {nullptr};
  auto pin = problem.pins.algorithms.find(op);
  if (pin != problem.pins.algorithms.end())
    rows = {pin->second};
  else
    llvm::append_range(rows, alternativesFor(op, problem.target));
  std::optional<TimedAlgorithm> best;
  for (const Alternative *row : rows) {
    if (row && !row->fits(op, layouts))
      continue;
    int64_t cycles = kernelCycles(problem, op, layouts, row);
    if (!best || cycles < best->cycles)
      best = {cycles, row};
  }
  return best;
}

OpLayouts npu::layoutsOf(Operation *op) {
  OpLayouts layouts;
  for (Value operand : op->getOperands())
    layouts.push_back(getLayout(operand));
  for (Value result : op->getResults())
    layouts.push_back(getLayout(result));
  return layouts;
}

OpLayouts npu::layoutsOf(const Placement &placement) {
  OpLayouts layouts(placement.operands);
  layouts.push_back(placement.result);
  return layouts;
}

int64_t npu::viewCycles(LayoutOpInterface op, LayoutAttr from, LayoutAttr to,
                        const MachineSpec &machine) {
  RankedTensorType type = tensorType(op->getOperand(0));
  LayoutRelation relation = op.getLayoutRelation();
  TransferResult free =
      transferLayout(relation, relatedResult(relation, op), toStoredOrder(to),
                     relatedOperand(relation, op, 0));
  if (free.layout)
    return relayoutCycles(type, from, toLayout(op->getContext(), *free.layout),
                          machine);
  double bytes = static_cast<double>(storedBytes(type, from));
  return std::llround(moveCycles(bytes, true, machine));
}

LayoutCost npu::costOf(const LayoutProblem &problem, Operation *op,
                       const Alternative *algorithm) {
  auto rule = dyn_cast<LayoutOpInterface>(op);
  if (!rule)
    return {};
  const MachineSpec &machine = problem.target.machine;
  if (rule.getSensitivity() == Sensitivity::Data) {
    if (op->use_empty() || isFreeView(op))
      return {};
    RankedTensorType type = tensorType(op->getResult(0));
    return {1, storedBytes(type),
            isa<RelayoutOp>(op)
                ? relayoutCycles(type, getLayout(op->getOperand(0)),
                                 getLayout(type), machine)
                : viewCycles(rule, getLayout(op->getOperand(0)),
                             getLayout(type), machine)};
  }
  LayoutRelation relation = rule.getLayoutRelation();
  OpLayouts layouts = layoutsOf(op);
  for (unsigned index = 0; index < op->getNumOperands(); ++index)
    if (relation.independent[index])
      layouts[index] = {};
  return {0, 0, kernelCycles(problem, rule, layouts, algorithm)};
}

LayoutCost npu::costOf(const LayoutProblem &problem,
                       const Algorithms &algorithms) {
  LayoutCost total;
  for (Operation &op : problem.function->getRegion(0).front())
    total += costOf(problem, &op, algorithms.lookup(&op));
  return total;
}
