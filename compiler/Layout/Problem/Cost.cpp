// SPDX-License-Identifier: Apache-2.0
#include "compiler/Layout/Problem/Cost.h"

#include "compiler/Dialect/NPU/Device.h"
#include "compiler/Dialect/NPU/LayoutUse.h"
#include "compiler/Dialect/NPU/Work.h"
#include "compiler/Kernel/FreePart.h"
#include "compiler/Kernel/KernelProblem.h"
#include "compiler/Layout/Problem/Alternatives.h"
#include "compiler/Layout/Problem/CostKeys.h"
#include "compiler/Layout/Problem/Crossings.h"
#include "compiler/Layout/Problem/LayoutMemo.h"
#include "compiler/Layout/Problem/LayoutPins.h"
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

/// What lies alike costs the same, however it is spelled.
static LayoutAttr priced(RankedTensorType type, LayoutAttr layout) {
  if (!layout || !layout.isBlocked())
    return layout;
  return toLayout(type.getContext(),
                  normalForm(toStoredOrder(layout), type.getShape()));
}

/// `layout` as priced() gives it.
static cost::Transfer transferOf(const ResidentProblem &problem, Value value,
                                 RankedTensorType type, LayoutAttr layout) {
  cost::Transfer transfer;
  // Whatever its dimensions, all of it lies next to each other.
  transfer.bytes = transfer.run =
      static_cast<double>(storedBytes(type, layout));
  transfer.elementBytes = static_cast<double>(bytesOfElement(type));
  transfer.onChip = problem.onChip().holds(value, layout);
  if (!layout)
    return transfer; // in whatever order it is stored in
  if (auto row =
          problem->transferRow(value, type, layout, rowBytesOf(type, layout))) {
    transfer.run = row->bytes;
    transfer.gathered = row->gathered;
  }
  return transfer;
}

namespace {

/// What a relayout asks of either of its sides by itself.
struct Side {
  Side(const ResidentProblem &problem, Value value, RankedTensorType type,
       LayoutAttr stored)
      : layout(priced(type, stored)),
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

namespace {

/// What a kernel costs in the objective's best tiling, and bytes of on-chip
/// memory for it: what finds as many costs no more.
struct PricedTiling {
  KernelCost cost;
  double needs = 0;
};

} // namespace

static PricedTiling priceOf(const ResidentProblem &problem,
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
  // Relayouts are the chip's. Of a type that it lacks the processor writes and
  // reads all values, in any layout.
  const bool isMoved = problem->target.supports(type.getElementType());
  RelayoutCosts all;
  all.costs.reserve(layouts.size() * layouts.size());
  for (const Side &from : sides)
    for (const Side &to : sides) {
      if (&from == &to) {
        all.costs.emplace_back();
        continue;
      }
      cost::KernelWork work = relayoutWork(problem, type, reserved, from, to);
      PricedTiling priced = priceOf(problem, work);
      KernelCost cost = costOfMove(problem, priced.cost, value, to.layout);
      all.costs.push_back(
          {1, to.bytes, isMoved ? cost : forbidden(problem, cost)});
      all.needs = std::max(all.needs, priced.needs);
    }
  return all;
}

std::vector<LayoutCost> npu::relayoutCosts(const ResidentProblem &problem,
                                           Value value,
                                           ArrayRef<LayoutAttr> layouts) {
  double reserved = problem.onChip().reservedFor(value);
  return ::relayoutCosts(problem, value, layouts, reserved).costs;
}

RelayoutCosts npu::relayoutCostsAlone(const ResidentProblem &problem,
                                      Value value,
                                      ArrayRef<LayoutAttr> layouts) {
  return ::relayoutCosts(problem, value, layouts, /*reserved=*/0);
}

/// The chip keeps weights as it reads them, in one piece, and in the order that
/// it likes best where they need not follow the op's other operands.
static cost::Transfer constantTransfer(const ResidentProblem &problem,
                                       OpOperand &operand, LayoutAttr layout) {
  RankedTensorType type = tensorType(operand.get());
  if (!layout && !problem->target.blocks.empty()) {
    SmallVector<LayoutAttr> accepted = problem->demanded(operand);
    if (!accepted.empty())
      layout = accepted.front();
  }
  cost::Transfer transfer;
  transfer.bytes = transfer.run =
      static_cast<double>(storedBytes(type, layout));
  transfer.elementBytes = static_cast<double>(bytesOfElement(type));
  return transfer;
}

static cost::Transfer operandTransfer(const ResidentProblem &problem,
                                      OpOperand &operand, LayoutAttr layout) {
  if (operand.get().getDefiningOp<ConstantOp>())
    return constantTransfer(problem, operand, layout);
  return transferOf(problem, operand.get(), tensorType(operand.get()), layout);
}

/// What the array does with products of the op's first two operands.
static void addArray(const ArraySpec &array, Operation *op,
                     cost::Product &product) {
  if (op->getNumOperands() < 2)
    return;
  Type first = tensorType(op->getOperand(0)).getElementType(),
       second = tensorType(op->getOperand(1)).getElementType();
  product.rate = array.rateOf(first, second);
  product.energy = array.energyOf(first, second);
}

/// How many lanes there are in a layout for each element.
static double paddingOf(Value value, LayoutAttr layout) {
  RankedTensorType type = tensorType(value);
  int64_t logical = storedBytes(type, LayoutAttr());
  return logical ? static_cast<double>(storedBytes(type, layout)) /
                       static_cast<double>(logical)
                 : 1;
}

/// The same along the dimensions with one of these signs.
static double paddingAlong(RankedTensorType type, LayoutAttr layout,
                           StringRef dims, StringRef signs) {
  double padding = 1;
  for (auto [dim, sign] : llvm::enumerate(dims)) {
    int64_t extent = type.getDimSize(dim);
    if (extent > 0 && signs.contains(sign))
      padding *= static_cast<double>(storedExtent(type, layout, dim)) /
                 static_cast<double>(extent);
  }
  return padding;
}

/// Pads a product, or what stands for one, by the blocks in which its operand
/// and its result are stored; channels may have a way of their own.
static cost::Product paddedProduct(const ResidentProblem &problem,
                                   Operation *op, const Work &work,
                                   ArrayRef<LayoutAttr> layouts,
                                   cost::Product product) {
  LayoutAttr read = layouts[0], written = layouts[op->getNumOperands()];
  Value data = op->getOperand(0), result = op->getResult(0);
  RankedTensorType dataType = tensorType(data), resultType = tensorType(result);
  auto pad = [](int64_t &extent, double padding) {
    extent = std::llround(static_cast<double>(extent) * padding);
  };
  bool isFewChannels =
      work.depth == Depth::Channels && read && read.isBlocked() &&
      static_cast<double>(dataType.getDimSize(read.getBlocks()[0].dim)) <=
          problem->target.machine.unpaddedChannels;
  bool padsDepth = work.depth != Depth::AsItIs && !isFewChannels;
  auto knows = [](StringRef dims, RankedTensorType type) {
    return dims.size() == static_cast<size_t>(type.getRank());
  };
  if (padsDepth && !knows(work.dims.data, dataType))
    pad(product.k, paddingOf(data, read));
  else if (padsDepth)
    pad(product.k, paddingAlong(dataType, read, work.dims.data, "kK"));
  if (!knows(work.dims.result, resultType)) {
    pad(product.n, paddingOf(result, written));
    return product;
  }
  StringRef dims = work.dims.result;
  pad(product.n, paddingAlong(resultType, written, dims, "nN"));
  pad(product.count, paddingAlong(resultType, written, dims, "c"));
  bool ofData = work.countsDataPixels && knows(work.dims.data, dataType);
  RankedTensorType pixels = ofData ? dataType : resultType;
  LayoutAttr layout = ofData ? read : written;
  if (ofData)
    dims = work.dims.data;
  pad(product.m, paddingAlong(pixels, layout, dims, "m."));
  pad(product.row, paddingAlong(pixels, layout, dims, "."));
  return product;
}

static void addRows(cost::Transfer &transfer, RankedTensorType type,
                    LayoutAttr layout, StringRef dims,
                    const cost::Product &product) {
  if (!layout || dims.empty())
    return;
  auto rows = [&](char sign) { return rowsCutAlong(type, layout, dims, sign); };
  auto groups = static_cast<double>(std::max<int64_t>(1, product.count));
  transfer.rows = {rows('m'), rows('k'), rows('n'), rows('c')};
  // Groups of channels.
  if (double all = rows('K')) {
    transfer.rows.count = all;
    transfer.rows.k = all / groups;
  }
  if (double all = rows('N')) {
    transfer.rows.count = all;
    transfer.rows.n = all / groups;
  }
}

/// Of operand 0 only what is read: how much, and how much of it lies together.
static void addPart(cost::Transfer &read, RankedTensorType type,
                    LayoutAttr layout, const PartRead &part) {
  double bytes = read.bytes * part.share, run = std::min(read.run, bytes);
  if (!layout)
    layout = LayoutAttr::getRowMajor(type.getContext(), type.getRank());
  for (auto [dim, count] : part.together)
    if (type.getDimSize(dim) > 1)
      run = std::min(run, bytesWithin(type, layout, dim) *
                              static_cast<double>(count) /
                              static_cast<double>(type.getDimSize(dim)));
  run = std::max(run, read.elementBytes);
  if (!part.isTable) {
    read.bytes = std::min(read.bytes, bytes);
    read.run = run;
    return;
  }
  read.touched = bytes;
  read.touchedRun = run;
}

static cost::KernelWork
chipWork(const ResidentProblem &problem, LayoutOpInterface op,
         ArrayRef<LayoutAttr> layouts, const Alternative *algorithm,
         ArrayRef<LayoutAttr> whole, const ArraySpec &array) {
  Work own = workOf(op, array.outputStage);
  cost::KernelWork work;
  work.usefulMacs = own.macs();
  if (algorithm) {
    Work other = algorithm->work(op);
    own.products = other.products;
    own.dims = other.dims;
    own.haloRows = other.haloRows;
    own.elements += other.elements;
  }
  unsigned operands = op->getNumOperands();
  work.products.reserve(own.products.size());
  work.reads.reserve(operands);
  work.writes.reserve(op->getNumResults());
  for (const cost::Product &product : own.products) {
    work.products.push_back(paddedProduct(problem, op, own, layouts, product));
    addArray(array, op, work.products.back());
  }
  if (work.products.empty() && own.streamed)
    work.streamed = paddedProduct(problem, op, own, layouts, *own.streamed);
  work.elements = own.elements * paddingOf(op->getResult(0), layouts[operands]);
  for (auto [index, layout] : llvm::enumerate(layouts)) {
    StringRef dims = productDims(op, own, index);
    if (index >= operands) {
      Value result = op->getResult(index - operands);
      RankedTensorType type = tensorType(result);
      LayoutAttr stored = priced(type, layout);
      work.writes.push_back(transferOf(problem, result, type, stored));
      if (!dims.empty())
        addRows(work.writes.back(), type, stored, dims, *own.extents());
      continue;
    }
    OpOperand &operand = op->getOpOperand(index);
    RankedTensorType type = tensorType(operand.get());
    LayoutAttr stored = priced(type, layout);
    work.reads.push_back(operandTransfer(problem, operand, stored));
    if (!dims.empty() && !operand.get().getDefiningOp<ConstantOp>())
      addRows(work.reads.back(), type, stored, dims, *own.extents());
    if (algorithm && index == 1)
      work.reads.back().bytes = work.reads.back().run =
          static_cast<double>(algorithm->weightBytes(op));
    if (index == 0 && own.part && own.products.empty())
      addPart(work.reads.back(), type, stored, *own.part);
  }
  assignRoles(op, own, work);
  work.factor =
      problem->costFactor(op, whole.empty() ? layouts : whole,
                          algorithm ? algorithm->demandName : StringRef());
  return work;
}

/// What an op of the processor does: in its own time, and on the link.
static cost::KernelWork processorWork(const ResidentProblem &problem,
                                      LayoutOpInterface op,
                                      ArrayRef<LayoutAttr> layouts) {
  const Fallback &fallback = *problem->target.fallback;
  const cost::Machine &machine = fallback.machine;
  cost::KernelWork own =
      chipWork(problem, op, layouts, nullptr, {}, fallback.array);
  cost::ProcessorWork work;
  if (machine.saysEnergy())
    work.energy = static_cast<double>(
        cost::energyOf(own, cost::chooseTiling(own, machine), machine));
  work.cycles = static_cast<double>(cost::timeOf(own, machine).total) *
                problem->target.machine.clockMHz / machine.clockMHz;
  Crossings crossings = crossingsOf(op);
  auto cross = [&](Value value, LayoutAttr layout) {
    auto bytes = static_cast<double>(storedBytes(tensorType(value), layout));
    work.linkBytes += bytes;
    work.linkCycles +=
        fallback.linkStart +
        bytes / problem->target.machine.perCycle(fallback.linkGBs);
    work.energy += bytes * fallback.linkEnergy;
  };
  for (auto [index, crosses] : llvm::enumerate(crossings.operands))
    if (crosses && !comesWithOther(op, index, layouts))
      cross(op->getOperand(index), layouts[index]);
  if (crossings.result)
    cross(op->getResult(0), layouts[op->getNumOperands()]);
  cost::KernelWork all;
  all.processor = work;
  return all;
}

/// What the plugin says whose kernel is going to run the op in these layouts. A
/// constant that is stored as the chip likes it best is asked for so.
static std::optional<cost::Measurement>
pluginCycles(const ResidentProblem &problem, LayoutOpInterface op,
             ArrayRef<LayoutAttr> layouts) {
  if (!pluginsOf(op->getContext()))
    return std::nullopt;
  OpLayouts stored(layouts);
  for (OpOperand &operand : op->getOpOperands()) {
    LayoutAttr &layout = stored[operand.getOperandNumber()];
    SmallVector<LayoutAttr> accepted;
    if (!layout)
      accepted = problem->demanded(operand);
    if (!accepted.empty())
      layout = accepted.front();
  }
  kernels::PluginAnswer answer =
      kernels::queryPlugins(makeProblem(op, /*threads=*/1, stored));
  if (answer.cycles == 0)
    return std::nullopt;
  return cost::Measurement{answer.cycles};
}

static cost::KernelWork computingWork(const ResidentProblem &problem,
                                      LayoutOpInterface op,
                                      ArrayRef<LayoutAttr> layouts,
                                      const Alternative *algorithm,
                                      ArrayRef<LayoutAttr> whole) {
  if (isOnProcessor(op))
    return processorWork(problem, op, layouts);
  cost::KernelWork work =
      chipWork(problem, op, layouts, algorithm, whole, problem->target.array);
  // Tables know an op by its operands; other algorithms read other weights.
  if (!algorithm && !replacementOf(op)) {
    work.measured = measurementOf(
        *problem, [&] { return costKeyOf(*problem, op, layouts); });
    if (!work.measured)
      work.measured =
          pluginCycles(problem, op, whole.empty() ? layouts : whole);
  }
  return work;
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
    PricedTiling priced = priceOf(problem, work);
    return PricedWork{std::move(work), priced.cost, priced.needs};
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
  if (findsMemory(*problem, alone.needs, reserved))
    return use(alone, reserved);
  question.add(llvm::bit_cast<uint64_t>(reserved));
  return use(
      memo->priced.of(question, [&] { return price(alone.work, reserved); }),
      reserved);
}

KernelCost npu::kernelCost(const ResidentProblem &problem, LayoutOpInterface op,
                           ArrayRef<LayoutAttr> layouts,
                           const Alternative *algorithm,
                           ArrayRef<LayoutAttr> whole) {
  return useComputingWork(
      problem, op, layouts, algorithm, whole,
      [](const PricedWork &priced, double) { return priced.cost; });
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
  if (LayoutAttr before = viewSource(op, to, ignored))
    works.push_back(relayoutWork(problem, operand, from, before));
  if (LayoutAttr behind = viewLayout(op, from, ignored))
    works.push_back(relayoutWork(problem, result, behind, to));
  if (!works.empty())
    return *llvm::min_element(works, [&](const auto &a, const auto &b) {
      return costOfWork(problem, a).of(problem->objective) <
             costOfWork(problem, b).of(problem->objective);
    });
  cost::KernelWork apart;
  RankedTensorType read = tensorType(operand), written = tensorType(result);
  apart.reads = {transferOf(problem, operand, read, priced(read, from))};
  apart.writes = {transferOf(problem, result, written, priced(written, to))};
  apart.reads[0].run = apart.writes[0].run = apart.writes[0].elementBytes;
  apart.writes[0].scattered = true;
  apart.reservedBytes = problem.onChip().reservedFor(operand);
  return apart;
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

/// Of multiplications of the op's own algorithm, or those of another one that
/// the target lists and that takes fewer; by the rate of its type.
static double leastMacs(const ResidentProblem &problem, Operation *op,
                        double least) {
  if (!problem->target.algorithms.empty())
    for (const Alternative *other : alternativesFor(op, problem->target))
      if (!other->isSet())
        least = std::min(least, other->work(op).macs());
  cost::Product product;
  addArray(problem->target.array, op, product);
  return least / product.rate;
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
    return isa<RelayoutOp>(op)
               ? relayoutWork(problem, op->getOperand(0), from, to)
               : viewWork(problem, rule, from, to);
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
                        return LayoutCost{0, 0, priced.cost};
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
