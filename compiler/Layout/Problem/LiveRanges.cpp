// SPDX-License-Identifier: Apache-2.0
#include "compiler/Layout/Problem/LiveRanges.h"

#include "compiler/Dialect/NPU/FusedKernel.h"
#include "compiler/Layout/Problem/Crossings.h"
#include "compiler/Layout/Problem/LayoutProblem.h"
#include "compiler/Layout/Problem/Placement.h"
#include "compiler/Layout/Problem/Storage.h"
#include "compiler/Target/TargetSpec.h"

#include <cmath>

using namespace npu;

static constexpr size_t longestLife = 1024;

/// Bytes in the order that pads most.
static int64_t largestBytes(Value value, const TargetSpec &target,
                            const ImageAxesAnalysis &axes) {
  RankedTensorType type = tensorType(value);
  double padding = 1;
  ImageAxes roles;
  if (!target.blocks.empty())
    roles = axes.of(value);
  for (auto [dim, extent] : llvm::enumerate(type.getShape()))
    for (int64_t block : target.blocks)
      if (extent > 0 && (roles.empty() || roles[dim] == AxisRole::Channel))
        padding = std::max(padding,
                           static_cast<double>(llvm::alignTo(extent, block)) /
                               static_cast<double>(extent));
  return std::llround(padding *
                      static_cast<double>(storedBytes(type, LayoutAttr())));
}

/// Bytes of a copy that a reader may need, in the order that pads most: a copy
/// of the value behind the views, or of what a view makes of it, which may pad
/// another dimension.
static int64_t copyBytes(Value read, const TargetSpec &target,
                         const ImageAxesAnalysis &axes) {
  int64_t most = largestBytes(read, target, axes);
  for (Value source = sourceOf(read); read != source;) {
    read = read.getDefiningOp()->getOperand(0);
    most = std::max(most, largestBytes(read, target, axes));
  }
  return most;
}

/// A layout of what views and relayouts make of a value as one of the value;
/// null: no free view shows it so.
static LayoutAttr carriedBack(Value read, Value source, LayoutAttr layout) {
  std::string ignored;
  while (layout && read != source) {
    Operation *op = read.getDefiningOp();
    if (!isa<RelayoutOp>(op))
      layout = viewSource(cast<LayoutOpInterface>(op), layout, ignored);
    read = op->getOperand(0);
  }
  return layout;
}

/// Whether views show an op a value's elements in another order than the model
/// has them in.
static bool isRearranged(Value read, Value source) {
  if (read == source)
    return false;
  LayoutAttr shown = carriedBack(read, source, rowMajor(read));
  return !shown ||
         !shown.isEquivalent(rowMajor(source), tensorType(source).getShape());
}

/// Where the value between a split op's kernels stays on the chip.
static void addBetween(Operation *first, size_t index, LiveRanges &ranges) {
  auto place = first->getAttrOfType<mlir::DenseI64ArrayAttr>(splitPlaceAttr);
  if (!place || place.size() != 2)
    return;
  OnChipSlot slot;
  slot.value = first->getResult(0);
  slot.first = slot.last = index;
  slot.place = place[0];
  slot.copies = place[1];
  slot.isWide = slot.isBetween = true;
  ranges.betweens.push_back(slot);
}

/// Results of computing ops, in order.
static SmallVector<LiveRange> findRanges(Block &block, const TargetSpec &target,
                                         const ImageAxesAnalysis &axes,
                                         LiveRanges &ranges) {
  SmallVector<LiveRange> found;
  llvm::DenseMap<Value, size_t> numbers;
  for (Operation &op : block) {
    if (!isComputing(op))
      continue;
    const size_t index = isRestOfSplit(op) ? ranges.count - 1 : ranges.count++;
    ranges.ops[&op] = index;
    for (OpOperand &read : op.getOpOperands()) {
      Value operand = read.get(), source = sourceOf(operand);
      if (isFirstOfSplit(source.getDefiningOp()) || isSharedBySplit(read))
        continue;
      ranges.of.try_emplace(source, index, index).first->second.second = index;
      auto number = numbers.find(source);
      if (number == numbers.end())
        continue;
      LiveRange &range = found[number->second];
      range.last = index;
      range.wide = std::max(range.wide, copyBytes(operand, target, axes));
      range.isRearranged |= isRearranged(operand, source);
      ++range.readers;
    }
    for (Value result : op.getResults()) {
      ranges.of[result] = {index, index};
      if (isFirstOfSplit(&op)) {
        addBetween(&op, index, ranges);
        continue;
      }
      numbers[result] = found.size();
      found.push_back({result, index, index, found.size(),
                       storedBytes(tensorType(result), LayoutAttr()),
                       largestBytes(result, target, axes)});
    }
  }
  return found;
}

std::shared_ptr<LiveRanges> npu::rangesOf(mlir::func::FuncOp function,
                                          const TargetSpec &target,
                                          const ImageAxesAnalysis &axes) {
  auto ranges = std::make_shared<LiveRanges>();
  Block &block = function.getBody().front();
  SmallVector<LiveRange> found = findRanges(block, target, axes, *ranges);
  llvm::DenseSet<Value> outputs;
  size_t last = ranges->count == 0 ? 0 : ranges->count - 1;
  for (Value output : block.getTerminator()->getOperands()) {
    Value source = sourceOf(output);
    outputs.insert(source);
    ranges->of.try_emplace(source, last, last).first->second.second = last;
  }
  for (LiveRange &range : found) {
    auto pin = range.value.getDefiningOp()->getAttrOfType<mlir::BoolAttr>(
        residentAttr);
    range.isPinned = pin && pin.getValue();
    if (range.readers == 0 || outputs.contains(range.value) ||
        (pin && !range.isPinned) || !staysOnChip(range.value))
      continue;
    if (range.last - range.first > longestLife) {
      range.first = 0;
      range.last = last;
    }
    ranges->candidates.push_back(range);
  }
  // Those that block the memory for the shortest time come first.
  llvm::sort(ranges->candidates, [](const LiveRange &a, const LiveRange &b) {
    return std::make_tuple(a.last - a.first, a.first, a.number) <
           std::make_tuple(b.last - b.first, b.first, b.number);
  });
  return ranges;
}

/// Of the second kernel of a split one: as of the whole, so that the same may
/// stay on the chip.
static SmallVector<LayoutAttr> demandedOfResult(const LayoutProblem &problem,
                                                OpResult result) {
  auto mark = result.getOwner()->getAttrOfType<mlir::DictionaryAttr>(splitAttr);
  if (!mark)
    return problem.demanded(result);
  SmallVector<LayoutAttr> layouts;
  for (Attribute layout : mark.getAs<mlir::ArrayAttr>(splitDemandedName))
    layouts.push_back(cast<LayoutAttr>(layout));
  return layouts;
}

/// False where nobody demands anything.
static bool findDemands(const LayoutProblem &problem, LiveRange &range) {
  bool isDemanded = false;
  auto demand = [&](Value read, ArrayRef<LayoutAttr> list) {
    isDemanded |= !list.empty();
    for (LayoutAttr layout : list)
      range.demanded =
          std::max(range.demanded, storedBytes(tensorType(read), layout));
  };
  demand(range.value, demandedOfResult(problem, cast<OpResult>(range.value)));
  SmallVector<Value> waiting = {range.value};
  while (!waiting.empty()) {
    Value value = waiting.pop_back_val();
    for (OpOperand &use : value.getUses())
      if (isComputing(*use.getOwner()))
        demand(value, problem.demanded(use));
      else
        llvm::append_range(waiting, use.getOwner()->getResults());
  }
  return isDemanded;
}

void npu::findDemands(const LayoutProblem &problem, LiveRanges &ranges) {
  llvm::DenseMap<Type, int64_t> ofShape;
  SmallVector<LiveRange *> others;
  auto shapeOf = [](const LiveRange &range) {
    RankedTensorType type = tensorType(range.value);
    return RankedTensorType::get(type.getShape(), type.getElementType());
  };
  for (LiveRange &range : ranges.candidates) {
    range.demanded = range.tight;
    if (!::findDemands(problem, range)) {
      others.push_back(&range);
      continue;
    }
    int64_t &bytes = ofShape[shapeOf(range)];
    bytes = std::max(bytes, range.demanded);
  }
  for (LiveRange *range : others) {
    auto known = ofShape.find(shapeOf(*range));
    range->demanded = known == ofShape.end() ? range->wide : known->second;
  }
}

std::string npu::whyNotOnChip(OpResult result) {
  Operation *op = result.getOwner();
  if (!isComputing(*op))
    return "it only shows or moves data";
  if (!staysOnChip(result))
    return "the processor beside the chip makes it or reads it";
  bool isRead = false;
  SmallVector<Value> waiting = {result};
  while (!waiting.empty())
    for (Operation *user : waiting.pop_back_val().getUsers()) {
      if (user->hasTrait<mlir::OpTrait::IsTerminator>())
        return "it is an output of the network";
      isRead |= isComputing(*user);
      if (!isComputing(*user))
        llvm::append_range(waiting, user->getResults());
    }
  return isRead ? "" : "nothing reads it";
}
