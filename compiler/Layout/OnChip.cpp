// SPDX-License-Identifier: Apache-2.0
#include "compiler/Layout/OnChip.h"

#include "compiler/Dialect/NPU/Work.h"
#include "compiler/Layout/LayoutPlan.h"
#include "cost/tiling.h"

#include "llvm/ADT/Sequence.h"

using namespace npu;

/// Half of the memory is for the tiles of what does not stay, or more where
/// they need it.
static constexpr double keptShare = 0.5;

/// What a relayout or view of a value, or of its copy, is made from.
static Value sourceOf(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    auto rule = dyn_cast<LayoutOpInterface>(op);
    if (!rule || rule.getSensitivity() != Sensitivity::Data ||
        op->getNumOperands() != 1)
      break;
    value = op->getOperand(0);
  }
  return value;
}

static bool isComputing(Operation &op) {
  auto rule = dyn_cast<LayoutOpInterface>(op);
  return rule && rule.getSensitivity() != Sensitivity::Data;
}

/// Bytes in the order that pads most.
static double largestBytes(Value value, const TargetSpec &target,
                           const ImageAxesAnalysis &axes) {
  RankedTensorType type = tensorType(value);
  ImageAxes roles = axes.of(value);
  double padding = 1;
  for (auto [dim, extent] : llvm::enumerate(type.getShape()))
    for (int64_t block : target.blocks)
      if (extent > 0 && (roles.empty() || roles[dim] == AxisRole::Channel))
        padding = std::max(padding,
                           static_cast<double>(llvm::alignTo(extent, block)) /
                               static_cast<double>(extent));
  return padding * static_cast<double>(storedBytes(type, LayoutAttr()));
}

/// Bytes that the op's smallest tiles take, all operands in the order that pads
/// most. They fill the array: no value stays at the price of idle multipliers.
static double smallestTiles(Operation *op, const TargetSpec &target,
                            const ImageAxesAnalysis &axes) {
  Work own = workOf(op);
  cost::KernelWork work;
  auto transfer = [&](Value value) {
    cost::Transfer transfer;
    transfer.bytes = transfer.run = largestBytes(value, target, axes);
    return transfer;
  };
  for (Value operand : op->getOperands())
    work.reads.push_back(transfer(operand));
  for (Value result : op->getResults())
    work.writes.push_back(transfer(result));
  work.products.assign(own.products.begin(), own.products.end());
  work.elements = own.elements;
  assignRoles(op, own, work.reads);
  cost::Tiling tiling = cost::smallestTiling(work, target.machine);
  return cost::bufferBytes(work, tiling, target.machine);
}

namespace {

/// A value from its producer to its last reader, as numbers of computing ops.
struct LiveRange {
  Value value;
  size_t first, last;
  size_t number; // in program order
  unsigned readers = 0;
};

} // namespace

/// Ranges of the values that computing ops alone produce and read.
static SmallVector<LiveRange> rangesOf(ArrayRef<Operation *> ops,
                                       Operation *terminator) {
  SmallVector<LiveRange> ranges;
  llvm::DenseMap<Value, size_t> found;
  for (auto [index, op] : llvm::enumerate(ops)) {
    for (Value operand : op->getOperands()) {
      auto range = found.find(sourceOf(operand));
      if (range == found.end())
        continue;
      ranges[range->second].last = index;
      ++ranges[range->second].readers;
    }
    for (Value result : op->getResults()) {
      found[result] = ranges.size();
      ranges.push_back({result, index, index, ranges.size()});
    }
  }
  llvm::DenseSet<Value> outputs;
  for (Value output : terminator->getOperands())
    outputs.insert(sourceOf(output));
  llvm::erase_if(ranges, [&](const LiveRange &range) {
    return range.readers == 0 || outputs.contains(range.value);
  });
  // Those that block the memory for the shortest time come first.
  llvm::sort(ranges, [](const LiveRange &a, const LiveRange &b) {
    return std::make_tuple(a.last - a.first, a.first, a.number) <
           std::make_tuple(b.last - b.first, b.first, b.number);
  });
  return ranges;
}

OnChipValues::OnChipValues(mlir::func::FuncOp function,
                           const TargetSpec &target,
                           const ImageAxesAnalysis &axes) {
  double memory = target.machine.sramKiB * 1024;
  if (memory <= 0)
    return;
  Block &block = function.getBody().front();
  SmallVector<Operation *> ops;
  for (Operation &op : block)
    if (isComputing(op))
      ops.push_back(&op);
  SmallVector<double> used(ops.size()), budget;
  for (Operation *op : ops)
    budget.push_back(
        std::min(keptShare * memory, memory - smallestTiles(op, target, axes)));
  for (const LiveRange &range : rangesOf(ops, block.getTerminator())) {
    double bytes =
        largestBytes(range.value, target, axes) * (1 + range.readers);
    auto during = llvm::seq(range.first, range.last + 1);
    if (llvm::any_of(during,
                     [&](size_t i) { return used[i] + bytes > budget[i]; }))
      continue;
    kept.insert(range.value);
    for (size_t i : during)
      used[i] += bytes;
  }
  for (auto [op, bytes] : llvm::zip_equal(ops, used))
    held[op] = bytes;
}

bool OnChipValues::contains(Value value) const {
  return kept.contains(sourceOf(value));
}
