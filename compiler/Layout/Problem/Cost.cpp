// SPDX-License-Identifier: Apache-2.0
#include "compiler/Layout/Problem/Cost.h"

#include "compiler/Dialect/NPU/Device.h"
#include "compiler/Kernel/FreePart.h"
#include "compiler/Kernel/KernelProblem.h"
#include "compiler/Layout/Problem/Alternatives.h"
#include "compiler/Layout/Problem/ChipWork.h"
#include "compiler/Layout/Problem/CostKeys.h"
#include "compiler/Layout/Problem/LayoutMemo.h"
#include "compiler/Layout/Problem/LayoutProblem.h"
#include "compiler/Layout/Problem/Placement.h"
#include "compiler/Layout/Problem/Replacement.h"
#include "compiler/Layout/Problem/Storage.h"
#include "compiler/Layout/Problem/StoredRows.h"
#include "cost/tile_search.h"

#include "llvm/ADT/bit.h"

#include <cmath>

using namespace npu;

int64_t LayoutCost::of(Objective objective) const {
  switch (objective) {
  case Objective::Count:
    return count;
  case Objective::Bytes:
    return bytes;
  case Objective::Time:
  case Objective::Energy:
    break;
  }
  return kernels.of(objective);
}

LayoutCost &LayoutCost::operator+=(const LayoutCost &other) {
  count += other.count;
  bytes += other.bytes;
  kernels.cycles += other.kernels.cycles;
  kernels.energy += other.kernels.energy;
  return *this;
}

namespace {

/// What a relayout asks of either of its sides by itself.
struct Side {
  Side(const ResidentProblem &problem, Value value, RankedTensorType type,
       LayoutAttr stored)
      : layout(pricedLayout(type, stored)),
        transfer(transferOf(problem, value, type, layout)),
        dims(storedDims(type, layout)), innermost(innermostDim(type, layout)),
        bytes(storedBytes(type, layout)), rowBytes(rowBytesOf(type, layout)) {}

  LayoutAttr layout;
  cost::Transfer transfer;
  SmallVector<int64_t> dims;
  int64_t innermost, bytes;
  double rowBytes;
};

} // namespace

/// Bytes of `from` that pass at once on the way to `to`, where both have the
/// same innermost dimension: those of the dimensions that are the same in both;
/// between blocks and none, a row.
static double copiedRun(RankedTensorType type, const Side &from,
                        const Side &to) {
  if (from.dims == to.dims)
    return static_cast<double>(from.bytes);
  double bytes = from.rowBytes;
  if (from.layout.getBlocks() != to.layout.getBlocks() || from.dims.empty())
    return bytes;
  for (auto [dim, other] : llvm::zip(from.dims, to.dims)) {
    if (dim != other)
      break;
    bytes = std::max(bytes, bytesWithin(type, from.layout, dim));
  }
  return bytes;
}

static cost::KernelWork relayoutWork(const ResidentProblem &problem,
                                     RankedTensorType type, double reserved,
                                     const Side &from, const Side &to) {
  cost::KernelWork work;
  work.reservedBytes = reserved;
  work.measured = measurementOf(
      *problem, [&] { return costKeyOf(type, from.layout, to.layout); });
  work.reads = {from.transfer};
  work.writes = {to.transfer};
  cost::Transfer &read = work.reads[0], &write = work.writes[0];
  // The one side's neighbours lie apart on the other: what passes at once is
  // as short as the shorter rows.
  write.scattered = from.innermost != to.innermost;
  auto shorten = [&](cost::Transfer &transfer, double run) {
    transfer.run = std::min(transfer.run, std::max(run, transfer.gathered));
  };
  if (!write.scattered) {
    shorten(read, copiedRun(type, from, to));
    shorten(write, copiedRun(type, to, from));
    return work;
  }
  double row = std::min(from.rowBytes, to.rowBytes);
  shorten(read, row);
  shorten(write, row);
  read.run = write.run = std::min(read.run, write.run);
  return work;
}

static cost::KernelWork relayoutWork(const ResidentProblem &problem,
                                     Value value, LayoutAttr from,
                                     LayoutAttr to) {
  RankedTensorType type = tensorType(value);
  return relayoutWork(problem, type, problem.onChip().reservedFor(value),
                      Side(problem, value, type, from),
                      Side(problem, value, type, to));
}

static TiledCost priceOf(const ResidentProblem &problem,
                         const cost::KernelWork &work) {
  const cost::Machine &machine = problem->target.machine;
  cost::Tiling tiling =
      cost::chooseTiling(work, machine, tileGoal(problem->objective));
  double needs =
      machine.sramKiB > 0 ? cost::bufferBytes(work, tiling, machine) : 0;
  bool isTooLarge =
      machine.sramKiB > 0 && needs > cost::tileCapacity(work, machine);
  int64_t beyond = isTooLarge ? cost::doesNotFit : 0;
  KernelCost cost{cost::timeOf(work, tiling, machine).total + beyond};
  if (machine.saysEnergy())
    cost.energy = cost::energyOf(work, tiling, machine) + beyond;
  return {cost, needs};
}

static KernelCost costOfWork(const ResidentProblem &problem,
                             const cost::KernelWork &work) {
  return priceOf(problem, work).cost;
}

/// Of what the chip cannot do.
static KernelCost forbidden(const ResidentProblem &problem, KernelCost cost) {
  cost.cycles += cost::doesNotFit;
  if (problem->target.machine.saysEnergy())
    cost.energy += cost::doesNotFit;
  return cost;
}

/// Of what moves a value to another layout; without a place for that on the
/// chip it cannot be done.
static KernelCost costOfMove(const ResidentProblem &problem, KernelCost cost,
                             Value value, LayoutAttr to) {
  return problem.onChip().lacksCopy(value, to) ? forbidden(problem, cost)
                                               : cost;
}

static RelayoutCosts relayoutCosts(const ResidentProblem &problem, Value value,
                                   ArrayRef<LayoutAttr> layouts,
                                   double reserved) {
  RankedTensorType type = tensorType(value);
  std::vector<Side> sides;
  sides.reserve(layouts.size());
  for (LayoutAttr layout : layouts)
    sides.emplace_back(problem, value, type, layout);
  const TargetSpec &target = problem->target;
  const bool isOfChip = target.supports(type.getElementType());
  const bool isBeside = target.isMovedBeside(type.getElementType());
  RelayoutCosts all;
  all.costs.reserve(layouts.size() * layouts.size());
  for (const Side &from : sides)
    for (const Side &to : sides) {
      if (&from == &to) {
        all.costs.emplace_back();
        continue;
      }
      cost::KernelWork work = relayoutWork(problem, type, reserved, from, to);
      if (!isOfChip && isBeside)
        work = movedByProcessor(target, std::move(work));
      TiledCost priced = priceOf(problem, work);
      KernelCost cost = costOfMove(problem, priced.cost, value, to.layout);
      all.costs.push_back(
          {1, to.bytes,
           isOfChip || isBeside ? cost : forbidden(problem, cost)});
      all.needs = std::max(all.needs, priced.needs);
    }
  return all;
}

RelayoutCosts npu::relayoutCosts(const ResidentProblem &problem, Value value,
                                 ArrayRef<LayoutAttr> layouts) {
  double reserved = problem.onChip().reservedFor(value);
  return ::relayoutCosts(problem, value, layouts, reserved);
}

RelayoutCosts npu::relayoutCostsAlone(const ResidentProblem &problem,
                                      Value value,
                                      ArrayRef<LayoutAttr> layouts) {
  return ::relayoutCosts(problem, value, layouts, /*reserved=*/0);
}

std::optional<int64_t> npu::freePartOf(const LayoutProblem &problem,
                                       Operation *op,
                                       ArrayRef<LayoutAttr> layouts) {
  if (problem.target.machine.sramKiB > 0 || isOnProcessor(op))
    return std::nullopt;
  return freePart(op, layouts);
}

/// What an op that computes does on the chip; `use` sees it, with the bytes
/// that are not left to its tiles.
template <class Use>
static auto useComputingWork(const ResidentProblem &problem,
                             LayoutOpInterface op, ArrayRef<LayoutAttr> layouts,
                             const Alternative *algorithm,
                             ArrayRef<LayoutAttr> whole, Use use) {
  if (freePartOf(*problem, op, whole.empty() ? layouts : whole))
    return use(PricedWork(), 0.0);
  double reserved = isOnProcessor(op) ? 0 : problem.onChip().reserved(op);
  auto price = [&](cost::KernelWork work, double reserved) {
    work.reservedBytes = reserved;
    TiledCost priced = priceOf(problem, work);
    return PricedWork{std::move(work), priced};
  };
  auto priceAlone = [&] {
    return price(computingWork(problem, op, layouts, algorithm, whole), 0);
  };
  LayoutMemo *memo = problem->memoFor(op);
  if (!memo)
    return use(price(priceAlone().work, reserved), reserved);
  Question question =
      workQuestion(problem, *memo, op, layouts, algorithm, whole);
  const PricedWork &alone = memo->alone.of(question, priceAlone);
  if (findsMemory(*problem, alone.tiled.needs, reserved))
    return use(alone, reserved);
  question.add(llvm::bit_cast<uint64_t>(reserved));
  return use(
      memo->priced.of(question, [&] { return price(alone.work, reserved); }),
      reserved);
}

TiledCost npu::kernelCost(const ResidentProblem &problem, LayoutOpInterface op,
                          ArrayRef<LayoutAttr> layouts,
                          const Alternative *algorithm,
                          ArrayRef<LayoutAttr> whole) {
  return useComputingWork(
      problem, op, layouts, algorithm, whole,
      [](const PricedWork &priced, double) { return priced.tiled; });
}

int64_t npu::tileBytes(const ResidentProblem &problem, LayoutOpInterface op,
                       ArrayRef<LayoutAttr> layouts,
                       const Alternative *algorithm,
                       ArrayRef<LayoutAttr> whole) {
  const cost::Machine &machine = problem->target.machine;
  if (machine.sramKiB <= 0)
    return 0;
  auto bytes = [&](const PricedWork &priced, double reserved) {
    cost::KernelWork work = priced.work;
    work.reservedBytes = reserved;
    cost::Tiling tiling =
        cost::chooseTiling(work, machine, tileGoal(problem->objective));
    return std::llround(std::ceil(cost::bufferBytes(work, tiling, machine)));
  };
  return useComputingWork(problem, op, layouts, algorithm, whole, bytes);
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

/// A view that moves its data does what a relayout before or behind a free view
/// would do; where neither is possible, its elements go one by one.
static cost::KernelWork viewWork(const ResidentProblem &problem,
                                 LayoutOpInterface op, LayoutAttr from,
                                 LayoutAttr to) {
  Value operand = op->getOperand(0), result = op->getResult(0);
  std::string ignored;
  SmallVector<cost::KernelWork, 2> works;
  auto add = [&](cost::KernelWork work) {
    works.push_back(isOnProcessor(op)
                        ? movedByProcessor(problem->target, work, op, from, to)
                        : std::move(work));
  };
  if (LayoutAttr before = viewSource(op, to, ignored))
    add(relayoutWork(problem, operand, from, before));
  if (LayoutAttr behind = viewLayout(op, from, ignored))
    add(relayoutWork(problem, result, behind, to));
  if (!works.empty())
    return *llvm::min_element(works, [&](const auto &a, const auto &b) {
      return costOfWork(problem, a).of(problem->objective) <
             costOfWork(problem, b).of(problem->objective);
    });
  cost::KernelWork apart;
  RankedTensorType read = tensorType(operand), written = tensorType(result);
  apart.reads = {transferOf(problem, operand, read, pricedLayout(read, from))};
  apart.writes = {
      transferOf(problem, result, written, pricedLayout(written, to))};
  apart.reads[0].run = apart.writes[0].run = apart.writes[0].elementBytes;
  apart.writes[0].scattered = true;
  apart.reservedBytes = problem.onChip().reservedFor(operand);
  add(std::move(apart));
  return works.front();
}

KernelCost npu::viewCost(const ResidentProblem &problem, LayoutOpInterface op,
                         LayoutAttr from, LayoutAttr to) {
  return costOfMove(problem,
                    costOfWork(problem, viewWork(problem, op, from, to)),
                    op->getResult(0), to);
}

/// The work of an op that computes, in the layouts that its values have.
template <class Use>
static auto useOwnWork(const ResidentProblem &problem, LayoutOpInterface op,
                       const Alternative *algorithm, Use use) {
  OpLayouts whole = layoutsOf(op), layouts = whole;
  SmallVector<bool, 4> independent = problem->independentOperands(op);
  for (unsigned index = 0; index < op->getNumOperands(); ++index)
    if (independent[index])
      layouts[index] = {};
  return useComputingWork(problem, op, layouts, algorithm, whole, use);
}

std::optional<cost::KernelWork>
npu::kernelWorkOf(const ResidentProblem &problem, Operation *op,
                  const Alternative *algorithm) {
  auto rule = dyn_cast<LayoutOpInterface>(op);
  if (!rule)
    return std::nullopt;
  if (rule.getSensitivity() == Sensitivity::Data) {
    if (op->use_empty() || !isKernel(op))
      return std::nullopt;
    LayoutAttr from = getLayout(op->getOperand(0)),
               to = getLayout(op->getResult(0));
    if (!isa<RelayoutOp>(op))
      return viewWork(problem, rule, from, to);
    cost::KernelWork work = relayoutWork(problem, op->getOperand(0), from, to);
    return isOnProcessor(op) ? movedByProcessor(problem->target, work) : work;
  }
  return useOwnWork(
      problem, rule, algorithm, [&](const PricedWork &priced, double reserved) {
        std::optional<cost::KernelWork> work = priced.work;
        work->reservedBytes = reserved;
        if (work->usefulMacs > 0)
          work->leastMacs = leastMacs(problem, op, work->usefulMacs);
        return work;
      });
}

LayoutCost npu::costOf(const ResidentProblem &problem, Operation *op,
                       const Alternative *algorithm) {
  auto rule = dyn_cast<LayoutOpInterface>(op);
  if (algorithm && algorithm->isSet())
    return costOfSet(problem, *algorithm, rule, layoutsOf(op))
        .value_or(LayoutCost());
  if (rule && rule.getSensitivity() != Sensitivity::Data)
    return useOwnWork(problem, rule, algorithm,
                      [](const PricedWork &priced, double) {
                        return LayoutCost{0, 0, priced.tiled.cost};
                      });
  std::optional<cost::KernelWork> work = kernelWorkOf(problem, op, algorithm);
  if (!work)
    return {};
  Value result = op->getResult(0);
  KernelCost cost = costOfMove(problem, costOfWork(problem, *work), result,
                               getLayout(result));
  if (isFreeView(op)) // a copy
    return {0, 0, cost};
  return {1, storedBytes(result), cost};
}
