// SPDX-License-Identifier: Apache-2.0
#include "compiler/Layout/Problem/LayoutProblem.h"

#include "compiler/Dialect/NPU/LayoutUse.h"
#include "compiler/Dialect/NPU/Work.h"
#include "compiler/Layout/Problem/Storage.h"
#include "compiler/Target/AcceptedLayouts.h"

#include "llvm/Support/MathExtras.h"

#include <utility>

using namespace npu;

SmallVector<LayoutAttr> LayoutProblem::demanded(OpOperand &operand) const {
  auto op = dyn_cast<LayoutOpInterface>(operand.getOwner());
  if (!op)
    return {};
  return acceptedLayouts(target, op,
                         op.getOperandRole(operand.getOperandNumber()),
                         operand.get(), [&] { return axes.atOp(operand); });
}

SmallVector<LayoutAttr> LayoutProblem::demanded(OpResult result) const {
  auto op = dyn_cast<LayoutOpInterface>(result.getOwner());
  if (!op)
    return {};
  return acceptedLayouts(target, op, "result", result,
                         [&] { return axes.atOp(result); });
}

SmallVector<LayoutAttr> LayoutProblem::accepted(OpOperand &operand) const {
  if (LayoutAttr pin = pins.reads.lookup(&operand))
    return {pin};
  return demanded(operand);
}

SmallVector<LayoutAttr> LayoutProblem::accepted(OpResult result) const {
  if (LayoutAttr pin = pins.values.lookup(result))
    return {pin};
  return demanded(result);
}

bool LayoutProblem::goTogether(OpOperand &operand, LayoutAttr layout,
                               const LayoutRelation &relation,
                               LayoutAttr result) const {
  Operation *op = operand.getOwner();
  RelatedValue from = relatedOperand(relation, op, operand.getOperandNumber());
  RelatedValue to = relatedResult(relation, op);
  if (layoutsAgree(from, toStoredOrder(layout), to, toStoredOrder(result)))
    return true;
  SmallVector<LayoutAttr> read = demanded(operand);
  SmallVector<LayoutAttr> stored = demanded(OpResult(op->getResult(0)));
  return npu::goTogether({from, layout, read}, {to, result, stored});
}

/// The sizes of the blocks in which the boundary is stored or held. Blocks of
/// the whole extent are no blocks: the finished value may be spelled without.
static SmallVector<int64_t> blocksOfBoundary(const LayoutProblem &problem) {
  SmallVector<int64_t> sizes;
  auto add = [&](Value value, LayoutAttr layout) {
    if (!layout || !layout.isBlocked())
      return;
    for (const LayoutBlock &block :
         normalForm(toStoredOrder(layout), tensorType(value).getShape()).blocks)
      sizes.push_back(block.size);
  };
  Block &block = problem.function->getRegion(0).front();
  for (Value argument : block.getArguments()) {
    add(argument, problem.inputs.lookup(argument));
    add(argument, getLayout(argument));
  }
  // A free output may have whatever a view shows.
  for (auto [output, held] :
       llvm::zip(block.getTerminator()->getOperands(), problem.outputs))
    add(output, held);
  return sizes;
}

/// Whether a block is some of these, one behind the other.
static bool isProductOf(int64_t size, ArrayRef<int64_t> known) {
  return size == 1 || llvm::any_of(known, [&](int64_t block) {
           return size % block == 0 && isProductOf(size / block, known);
         });
}

/// Whether a dimension's outermost digit is a place in the order and a block
/// of `size` that follows it.
static bool isInOrder(const Digit &digit, int64_t size,
                      ArrayRef<int64_t> shape) {
  int64_t elements = digit.place * size;
  return digit.size % size == 0 &&
         digit.size / size ==
             llvm::divideCeilSigned(shape[digit.dim], elements);
}

/// Whether these digits can be spelled as an order and such blocks.
static bool isMadeOf(ArrayRef<Digit> digits, ArrayRef<int64_t> shape,
                     ArrayRef<int64_t> known) {
  SmallVector<bool, 6> seen(shape.size(), false);
  bool inOrder = true;
  for (const Digit &digit : digits) {
    bool isOutermost = !std::exchange(seen[digit.dim], true);
    if (inOrder && isOutermost && isInOrder(digit, 1, shape))
      continue;
    bool isFirst = std::exchange(inOrder, false);
    bool isBlock = isProductOf(digit.size, known);
    for (int64_t size = 2;
         !isBlock && isFirst && isOutermost && size < digit.size; ++size)
      isBlock = isInOrder(digit, size, shape) && isProductOf(size, known);
    if (!isBlock)
      return false;
  }
  return true;
}

bool LayoutProblem::knowsBlocks(LayoutAttr layout,
                                ArrayRef<int64_t> shape) const {
  if (!layout || !layout.isBlocked())
    return true;
  if (!knownBlocks) {
    knownBlocks = blocksOfBoundary(*this);
    knownBlocks->append(target.blocks.begin(), target.blocks.end());
  }
  return llvm::all_of(layout.getBlocks(),
                      [&](const LayoutBlock &block) {
                        return isProductOf(block.size, *knownBlocks);
                      }) ||
         isMadeOf(digitsOf(toStoredOrder(layout), shape), shape, *knownBlocks);
}

std::optional<TransferRow> LayoutProblem::transferRow(Value value,
                                                      RankedTensorType type,
                                                      LayoutAttr layout,
                                                      double row) const {
  if (target.runs.empty())
    return std::nullopt;
  ImageAxes known = axes.of(value);
  for (const TransferRun &entry : target.runs)
    for (const LayoutPattern &pattern : entry.layouts) {
      std::optional<StoredOrder> order = pattern.resolve(type.getRank(), known);
      if (!order || !layout.isEquivalent(toLayout(type.getContext(), *order),
                                         type.getShape()))
        continue;
      // Of the dimension that the entry names, even if it has one element.
      if (order->blocks.empty() && !order->order.empty())
        row = static_cast<double>(type.getShape()[order->order.back()] *
                                  bytesOfElement(type));
      return TransferRow{std::clamp(row, entry.least, entry.most), entry.least};
    }
  return std::nullopt;
}

ArrayRef<OnChipValues> LayoutProblem::residencies() const {
  if (!known)
    known = std::make_shared<std::vector<OnChipValues>>(
        residenciesOf(function, target, axes));
  return *known;
}

const OnChipValues &LayoutProblem::onChip() const {
  return kept ? *kept : residencies().front();
}

double LayoutProblem::costFactor(LayoutOpInterface op, LayoutAttr layout,
                                 StringRef name) const {
  if (name.empty())
    name = op.getDemandName();
  auto factors = target.factors.find(name.str());
  if (factors == target.factors.end())
    return 1;
  OpResult result = op->getResult(0);
  ImageAxes known = axes.atOp(result);
  RankedTensorType type = tensorType(result);
  CostOf own = isDepthwise(op)   ? CostOf::Depthwise
               : isPointwise(op) ? CostOf::Pointwise
                                 : CostOf::All;
  auto factorOf = [&](StringRef layout) {
    double factor = 1;
    for (const LayoutFactor &entry : factors->second) {
      if (entry.layout.text != layout ||
          (entry.of != CostOf::All && entry.of != own))
        continue;
      factor = entry.factor;
      if (entry.of != CostOf::All)
        break;
    }
    return factor;
  };
  std::vector<LayoutPattern> patterns = target.accepted(name, "result");
  if (patterns.empty())
    for (const LayoutFactor &entry : factors->second)
      patterns.push_back(entry.layout);
  // Two names may mean one order (unit dimensions): the cheaper one counts.
  std::optional<double> least;
  for (const LayoutPattern &pattern : patterns) {
    std::optional<StoredOrder> order = pattern.resolve(type.getRank(), known);
    if (!order || !layout.isEquivalent(toLayout(op->getContext(), *order),
                                       type.getShape()))
      continue;
    double factor = factorOf(pattern.text);
    least = std::min(least.value_or(factor), factor);
  }
  return least.value_or(1);
}
