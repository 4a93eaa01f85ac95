// SPDX-License-Identifier: Apache-2.0
#include "compiler/Layout/Problem/ChipWork.h"

#include "compiler/Dialect/NPU/Device.h"
#include "compiler/Dialect/NPU/LayoutUse.h"
#include "compiler/Dialect/NPU/Work.h"
#include "compiler/Kernel/KernelProblem.h"
#include "compiler/Layout/Problem/Alternatives.h"
#include "compiler/Layout/Problem/CostKeys.h"
#include "compiler/Layout/Problem/Crossings.h"
#include "compiler/Layout/Problem/LayoutMemo.h"
#include "compiler/Layout/Problem/Replacement.h"
#include "compiler/Layout/Problem/Storage.h"
#include "compiler/Layout/Problem/StoredRows.h"
#include "cost/tile_search.h"

#include <cmath>

using namespace npu;

LayoutAttr npu::pricedLayout(RankedTensorType type, LayoutAttr layout) {
  if (!layout || !layout.isBlocked())
    return layout;
  return toLayout(type.getContext(),
                  normalForm(toStoredOrder(layout), type.getShape()));
}

cost::Transfer npu::transferOf(const ResidentProblem &problem, Value value,
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

/// The layout as the target asks for it, or else in one spelling, so that what
/// lies alike is counted alike, whose padding a plan says it is.
static LayoutAttr countedLayout(const ResidentProblem &problem, Operation *op,
                                unsigned index, LayoutAttr layout) {
  if (!layout || !layout.isBlocked())
    return layout;
  const unsigned operands = op->getNumOperands();
  RankedTensorType type = tensorType(valueAt(op, index));
  SmallVector<LayoutAttr> demanded =
      index < operands
          ? problem->demanded(op->getOpOperand(index))
          : problem->demanded(cast<OpResult>(op->getResult(index - operands)));
  auto *same = llvm::find_if(demanded, [&](LayoutAttr accepted) {
    return accepted.isEquivalent(layout, type.getShape());
  });
  return same == demanded.end() ? pricedLayout(type, layout) : *same;
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
  const unsigned operands = op->getNumOperands();
  LayoutAttr read = countedLayout(problem, op, 0, layouts[0]),
             written = countedLayout(problem, op, operands, layouts[operands]);
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

/// How much of a tensor is read, or written once more, and how much of that
/// lies together.
static void addPart(cost::Transfer &moved, RankedTensorType type,
                    LayoutAttr layout, const Part &part) {
  double bytes = moved.bytes * part.share, run = std::min(moved.run, bytes);
  if (!layout)
    layout = LayoutAttr::getRowMajor(type.getContext(), type.getRank());
  for (auto [dim, count] : part.together)
    if (type.getDimSize(dim) > 1)
      run = std::min(run, bytesWithin(type, layout, dim) *
                              static_cast<double>(count) /
                              static_cast<double>(type.getDimSize(dim)));
  run = std::max(run, moved.elementBytes);
  if (part.kind == Part::Kind::Slice) {
    moved.bytes = std::min(moved.bytes, bytes);
    moved.run = run;
    return;
  }
  (part.kind == Part::Kind::RowsRead ? moved.touched : moved.rewritten) = bytes;
  moved.touchedRun = run;
}

/// What is moved of an operand or result in a layout.
static cost::Transfer movedOf(const ResidentProblem &problem,
                              LayoutOpInterface op, unsigned index,
                              LayoutAttr layout, const Work &own) {
  const unsigned operands = op->getNumOperands();
  Value value = valueAt(op, index);
  RankedTensorType type = tensorType(value);
  LayoutAttr stored = pricedLayout(type, layout);
  cost::Transfer moved =
      index < operands
          ? operandTransfer(problem, op->getOpOperand(index), stored)
          : transferOf(problem, value, type, stored);
  StringRef dims = productDims(op, own, index);
  if (!dims.empty() && !(index < operands && value.getDefiningOp<ConstantOp>()))
    addRows(moved, type, stored, dims, *own.extents());
  if (own.part && own.products.empty()) {
    bool isWritten = own.part->kind == Part::Kind::RowsWritten;
    if (index == (isWritten ? operands : 0))
      addPart(moved, type, stored, *own.part);
  }
  return moved;
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
  LayoutMemo *memo = problem->memoFor(op);
  // Algorithms name an operand's dimensions differently.
  Question question;
  if (memo)
    question = surroundingsOf(*memo, op).add(algorithm).add(&array);
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
    auto find = [&, index = index, layout = layout] {
      return movedOf(problem, op, index, layout, own);
    };
    Question asked = question;
    if (memo)
      asked.add(index).add(layout).add(
          problem.onChip().keyOf(valueAt(op, index)));
    cost::Transfer moved = memo ? memo->moved.of(asked, find) : find();
    if (algorithm && index == 1)
      moved.bytes = moved.run = static_cast<double>(algorithm->weightBytes(op));
    (index < operands ? work.reads : work.writes).push_back(moved);
  }
  assignRoles(op, own, work);
  work.factor =
      problem->costFactor(op, whole.empty() ? layouts : whole,
                          algorithm ? algorithm->demandName : StringRef());
  return work;
}

/// What the processor spends on `own` alone, in cycles of the chip.
static cost::ProcessorWork ownTime(const TargetSpec &target,
                                   const cost::KernelWork &own) {
  const cost::Machine &machine = target.fallback->machine;
  cost::ProcessorWork work;
  if (machine.saysEnergy())
    work.energy = static_cast<double>(
        cost::energyOf(own, cost::chooseTiling(own, machine), machine));
  work.cycles = static_cast<double>(cost::timeOf(own, machine).total) *
                target.machine.clockMHz / machine.clockMHz;
  return work;
}

/// Adds a value's way over the link.
static void cross(const TargetSpec &target, cost::ProcessorWork &work,
                  Value value, LayoutAttr layout) {
  const Fallback &fallback = *target.fallback;
  auto bytes = static_cast<double>(storedBytes(tensorType(value), layout));
  work.linkBytes += bytes;
  work.linkCycles +=
      fallback.linkStart + bytes / target.machine.perCycle(fallback.linkGBs);
  work.energy += bytes * fallback.linkEnergy;
}

static cost::KernelWork ofProcessor(const cost::ProcessorWork &work) {
  cost::KernelWork all;
  all.processor = work;
  return all;
}

/// What an op of the processor does: in its own time, and on the link.
static cost::KernelWork processorWork(const ResidentProblem &problem,
                                      LayoutOpInterface op,
                                      ArrayRef<LayoutAttr> layouts) {
  const TargetSpec &target = problem->target;
  cost::ProcessorWork work =
      ownTime(target, chipWork(problem, op, layouts, nullptr, {},
                               target.fallback->array));
  Crossings crossings = crossingsOf(op);
  for (auto [index, crosses] : llvm::enumerate(crossings.operands))
    if (crosses && !comesWithOther(op, index, layouts))
      cross(target, work, op->getOperand(index), layouts[index]);
  if (crossings.result)
    cross(target, work, op->getResult(0), layouts[op->getNumOperands()]);
  return ofProcessor(work);
}

cost::KernelWork npu::movedByProcessor(const TargetSpec &target,
                                       cost::KernelWork own) {
  own.reservedBytes = 0;
  own.measured.reset(); // on the chip
  return ofProcessor(ownTime(target, own));
}

cost::KernelWork npu::movedByProcessor(const TargetSpec &target,
                                       const cost::KernelWork &own,
                                       Operation *view, LayoutAttr from,
                                       LayoutAttr to) {
  cost::KernelWork work = movedByProcessor(target, own);
  Crossings crossings = crossingsOf(view);
  if (!crossings.operands.front() || !crossings.result)
    return work;
  cross(target, *work.processor, view->getOperand(0), from);
  cross(target, *work.processor, view->getResult(0), to);
  return work;
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

cost::KernelWork npu::computingWork(const ResidentProblem &problem,
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

double npu::leastMacs(const ResidentProblem &problem, Operation *op,
                      double own) {
  double least = own;
  if (!problem->target.algorithms.empty())
    for (const Alternative *other : alternativesFor(op, problem->target))
      if (!other->isSet())
        least = std::min(least, other->work(op).macs());
  cost::Product product;
  addArray(problem->target.array, op, product);
  return least / product.rate;
}
