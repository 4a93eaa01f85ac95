// SPDX-License-Identifier: Apache-2.0
#include "compiler/Layout/Problem/OnChip.h"

#include "compiler/Dialect/NPU/FusedKernel.h"
#include "compiler/Layout/Problem/Crossings.h"
#include "compiler/Layout/Problem/Replacement.h"
#include "compiler/Layout/Problem/Storage.h"
#include "compiler/Target/TargetSpec.h"

#include "llvm/ADT/Sequence.h"

using namespace npu;

/// Bytes in the order that pads most.
static double largestBytes(Value value, const TargetSpec &target,
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
  return padding * static_cast<double>(storedBytes(type, LayoutAttr()));
}

/// Bytes of the copy that a reader may have: of the value behind the views, or
/// of what a view makes of it, whose padded dimension may be another.
static double copyBytes(Value read, const TargetSpec &target,
                        const ImageAxesAnalysis &axes) {
  double most = largestBytes(read, target, axes);
  for (Value source = sourceOf(read); read != source;) {
    read = read.getDefiningOp()->getOperand(0);
    most = std::max(most, largestBytes(read, target, axes));
  }
  return most;
}

namespace {

/// A value from its producer to its last reader, as numbers of computing ops.
struct LiveRange {
  Value value;
  size_t first, last;
  size_t number; // in program order
  double bytes;  // with a copy for each reader
  unsigned readers = 0;
};

} // namespace

struct npu::LiveRanges {
  /// Computing ones, in order; the two kernels of a split op are as one.
  llvm::DenseMap<Operation *, size_t> ops;
  size_t count = 0;
  llvm::DenseMap<Value, std::pair<size_t, size_t>> of; // arguments too
  SmallVector<LiveRange> candidates; // those that computing ops alone read
};

static void findRanges(Block &block, const TargetSpec &target,
                       const ImageAxesAnalysis &axes, LiveRanges &ranges,
                       SmallVector<LiveRange> &found) {
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
      if (number != numbers.end()) {
        found[number->second].last = index;
        found[number->second].bytes += copyBytes(operand, target, axes);
        ++found[number->second].readers;
      }
    }
    for (Value result : op.getResults()) {
      ranges.of[result] = {index, index};
      if (isFirstOfSplit(&op))
        continue;
      numbers[result] = found.size();
      found.push_back({result, index, index, found.size(),
                       largestBytes(result, target, axes)});
    }
  }
}

static std::shared_ptr<LiveRanges> rangesOf(mlir::func::FuncOp function,
                                            const TargetSpec &target,
                                            const ImageAxesAnalysis &axes) {
  auto ranges = std::make_shared<LiveRanges>();
  Block &block = function.getBody().front();
  SmallVector<LiveRange> found;
  findRanges(block, target, axes, *ranges, found);
  llvm::DenseSet<Value> outputs;
  size_t last = ranges->count == 0 ? 0 : ranges->count - 1;
  for (Value output : block.getTerminator()->getOperands()) {
    Value source = sourceOf(output);
    outputs.insert(source);
    ranges->of.try_emplace(source, last, last).first->second.second = last;
  }
  for (LiveRange &range : found)
    if (range.readers > 0 && !outputs.contains(range.value) &&
        staysOnChip(range.value))
      ranges->candidates.push_back(range);
  // Those that block the memory for the shortest time come first.
  llvm::sort(ranges->candidates, [](const LiveRange &a, const LiveRange &b) {
    return std::make_tuple(a.last - a.first, a.first, a.number) <
           std::make_tuple(b.last - b.first, b.first, b.number);
  });
  return ranges;
}

// `held` is a tree: in its second half the bytes during each op, in the first,
// from 1 on, at i the larger of 2i and 2i + 1. Some values live long.
OnChipValues::OnChipValues(std::shared_ptr<const LiveRanges> all, double budget)
    : ranges(std::move(all)), held(2 * ranges->count) {
  const size_t ops = held.size() / 2;
  for (const LiveRange &range : ranges->candidates) {
    auto during = llvm::seq(ops + range.first, ops + range.last + 1);
    if (range.bytes > budget || llvm::any_of(during, [&](size_t i) {
          return held[i] + range.bytes > budget;
        }))
      continue;
    kept.insert(range.value);
    for (size_t i : during)
      held[i] += range.bytes;
  }
  for (size_t i = ops; i-- > 1;)
    held[i] = std::max(held[2 * i], held[2 * i + 1]);
}

OnChipValues npu::onChipAround(mlir::func::FuncOp function,
                               const TargetSpec &target,
                               const ImageAxesAnalysis &axes,
                               ArrayRef<Value> values, double held) {
  auto ranges = rangesOf(function, target, axes);
  ranges->candidates.clear();
  const size_t ops = ranges->count;
  if (ops > 0) {
    ranges->candidates.push_back({Value(), 0, ops - 1, 0, held});
    for (Value value : values)
      ranges->candidates.push_back({value, 0, ops - 1, 0, 0});
  }
  return {ranges, held};
}

bool OnChipValues::contains(Value value) const {
  return kept.contains(sourceOf(value));
}

double OnChipValues::reserved(Operation *op) const {
  auto found = ranges->ops.find(op);
  return found == ranges->ops.end() ? 0 : held[held.size() / 2 + found->second];
}

double OnChipValues::reservedFor(Value value) const {
  auto found = ranges->of.find(sourceOf(value));
  if (found == ranges->of.end() || held.empty())
    return 0;
  double most = 0;
  size_t first = held.size() / 2 + found->second.first;
  size_t end = held.size() / 2 + found->second.second + 1;
  for (; first < end; first /= 2, end /= 2) {
    if (first % 2)
      most = std::max(most, held[first++]);
    if (end % 2)
      most = std::max(most, held[--end]);
  }
  return most;
}

bool OnChipValues::operator==(const OnChipValues &other) const {
  return kept == other.kept;
}

OnChipValues OnChipValues::forNothing() const {
  OnChipValues same = *this;
  llvm::fill(same.held, 0);
  return same;
}

OnChipValues npu::allOnChip(mlir::func::FuncOp function,
                            const TargetSpec &target,
                            const ImageAxesAnalysis &axes) {
  return OnChipValues(rangesOf(function, target, axes),
                      std::numeric_limits<double>::infinity())
      .forNothing();
}

/// The budgets of a ladder: two for each power of two.
static std::vector<double> budgetsBelow(double memory) {
  std::vector<double> budgets;
  for (double power = 1; power < memory; power *= 2)
    for (double budget : {power, 1.5 * power})
      if (budget < memory)
        budgets.push_back(budget);
  std::reverse(budgets.begin(), budgets.end());
  return budgets;
}

std::vector<OnChipValues> npu::residenciesOf(mlir::func::FuncOp function,
                                             const TargetSpec &target,
                                             const ImageAxesAnalysis &axes) {
  auto ranges = rangesOf(function, target, axes);
  std::vector<OnChipValues> choices;
  for (double budget : budgetsBelow(target.machine.sramKiB * 1024)) {
    OnChipValues choice(ranges, budget);
    if (choices.empty() || !(choice == choices.back()))
      choices.push_back(std::move(choice));
  }
  OnChipValues nothing(ranges, 0);
  if (choices.empty() || !(nothing == choices.back()))
    choices.push_back(std::move(nothing));
  return choices;
}
