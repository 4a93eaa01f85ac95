// SPDX-License-Identifier: Apache-2.0
#include "compiler/Layout/Problem/LayoutProblem.h"

#include "compiler/Dialect/NPU/Device.h"
#include "compiler/Dialect/NPU/LayoutAgreement.h"
#include "compiler/Dialect/NPU/LayoutUse.h"
#include "compiler/Dialect/NPU/States.h"
#include "compiler/Dialect/NPU/Work.h"
#include "compiler/Layout/Problem/LayoutMemo.h"
#include "compiler/Layout/Problem/Residencies.h"
#include "compiler/Layout/Problem/Storage.h"
#include "compiler/Target/AcceptedLayouts.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

#include <utility>

using namespace npu;

LayoutProblem::LayoutProblem(mlir::func::FuncOp function,
                             const TargetSpec &target,
                             const ImageAxesAnalysis &axes)
    : function(function), target(target), axes(axes),
      cuts(target.listsPieces() ? std::make_unique<DimensionCuts>(function)
                                : nullptr),
      memo(std::make_unique<LayoutMemo>(axes, !target.runs.empty(),
                                        cuts.get())) {}

LayoutProblem::~LayoutProblem() = default;

SmallVector<std::pair<BlockArgument, OpOperand *>, 0>
LayoutProblem::freeStates() const {
  SmallVector<std::pair<BlockArgument, OpOperand *>, 0> states;
  Block &block = function->getRegion(0).front();
  Operation *end = block.getTerminator();
  for (const State &state : statesOf(function))
    if (BlockArgument before = block.getArgument(state.argument);
        !inputs.lookup(before) && !outputs[state.result])
      states.push_back({before, &end->getOpOperand(state.result)});
  return states;
}

LayoutMemo *LayoutProblem::memoFor(Operation *op) const {
  bool isAlone = isa<RelayoutOp>(op) || (!pins.empty() && pins.touches(op));
  return isAlone ? nullptr : memo.get();
}

KnownDims LayoutProblem::dimsOf(OpOperand &operand) const {
  KnownDims known = axes.atOp(operand);
  if (cuts)
    known.inner = cuts->innerOf(operand.get());
  return known;
}

KnownDims LayoutProblem::dimsOf(OpResult result) const {
  KnownDims known = axes.atOp(result);
  if (cuts)
    known.inner = cuts->innerOf(result);
  return known;
}

KnownDims LayoutProblem::dimsOf(LayoutOpInterface op, unsigned slot) const {
  unsigned operands = op->getNumOperands();
  return slot < operands ? dimsOf(op->getOpOperand(slot))
                         : dimsOf(OpResult(op->getResult(slot - operands)));
}

SmallVector<unsigned> LayoutProblem::fitting(ArrayRef<Signature> all,
                                             LayoutOpInterface op) const {
  if (all.size() < 2)
    return {0};
  return fittingSignatures(all, op,
                           [&](unsigned slot) { return dimsOf(op, slot); });
}

/// What a target's conditions ask of an op besides what is alike.
static Question &addConstants(Question &question, Operation *op) {
  for (Value operand : op->getOperands())
    question.add(isConstant(operand));
  return question;
}

SmallVector<unsigned> LayoutProblem::fittingOf(LayoutOpInterface op) const {
  ArrayRef<Signature> all = signaturesOf(target, op);
  auto find = [&] { return fitting(all, op); };
  LayoutMemo *memo = all.size() < 2 ? nullptr : memoFor(op);
  if (!memo)
    return find();
  Question question;
  question.add(memo->alike.of(op));
  return memo->fitting.of(addConstants(question, op), find);
}

/// What one signature of an op, or any of them, accepts for a value.
static SmallVector<LayoutAttr> listedFor(const LayoutProblem &problem,
                                         LayoutOpInterface op, StringRef role,
                                         Value value, LayoutProblem::OneOf one,
                                         llvm::function_ref<KnownDims()> dims) {
  ArrayRef<Signature> all = signaturesOf(problem.target, op);
  if (all.empty())
    return {};
  if (one || all.size() == 1)
    return acceptedLayouts(all[one.value_or(0)], op, role, value, dims);
  llvm::SetVector<LayoutAttr> some;
  for (unsigned index : problem.fittingOf(op)) {
    SmallVector<LayoutAttr> listed =
        acceptedLayouts(all[index], op, role, value, dims);
    if (listed.empty()) // any layout
      return {};
    some.insert(listed.begin(), listed.end());
  }
  return some.takeVector();
}

SmallVector<LayoutAttr> LayoutProblem::remembered(
    Operation *op, unsigned slot, OneOf signature,
    llvm::function_ref<SmallVector<LayoutAttr>()> find) const {
  LayoutMemo *memo = memoFor(op);
  if (!memo)
    return find();
  Question question;
  question.add(memo->alike.of(op)).add(slot);
  question.add(signature ? *signature + 1 : 0);
  if (!signature) // of those that fit
    addConstants(question, op);
  return memo->demanded.of(question, find);
}

SmallVector<LayoutAttr> LayoutProblem::demanded(OpOperand &operand,
                                                OneOf signature) const {
  auto op = dyn_cast<LayoutOpInterface>(operand.getOwner());
  if (!op)
    return {};
  unsigned index = operand.getOperandNumber();
  return remembered(op, index, signature, [&] {
    return listedFor(*this, op, op.getOperandRole(index), operand.get(),
                     signature, [&] { return dimsOf(operand); });
  });
}

SmallVector<LayoutAttr> LayoutProblem::demanded(OpResult result,
                                                OneOf signature) const {
  auto op = dyn_cast<LayoutOpInterface>(result.getOwner());
  if (!op)
    return {};
  unsigned index = op->getNumOperands() + result.getResultNumber();
  return remembered(op, index, signature, [&] {
    return listedFor(*this, op, "result", result, signature,
                     [&] { return dimsOf(result); });
  });
}

SmallVector<LayoutAttr> LayoutProblem::accepted(OpOperand &operand,
                                                OneOf signature) const {
  if (LayoutAttr pin = pins.reads.lookup(&operand))
    return {pin};
  return demanded(operand, signature);
}

SmallVector<LayoutAttr> LayoutProblem::accepted(OpResult result,
                                                OneOf signature) const {
  if (LayoutAttr pin = pins.values.lookup(result))
    return {pin};
  return demanded(result, signature);
}

SmallVector<bool, 4>
LayoutProblem::independentOperands(LayoutOpInterface op) const {
  auto find = [&] { return op.getLayoutRelation().independent; };
  LayoutMemo *memo = memoFor(op);
  return memo ? memo->independent.of(Question().add(memo->alike.of(op)), find)
              : find();
}

SmallVector<unsigned> LayoutProblem::signatures(LayoutOpInterface op) const {
  SmallVector<unsigned> all = fittingOf(op);
  if (all.size() == 1 || !pins.touches(op))
    return all;
  auto refuses = [&](LayoutAttr pin, Value value, ArrayRef<LayoutAttr> listed) {
    return pin && !listed.empty() && !isAmong(value, pin, listed);
  };
  SmallVector<unsigned> holding;
  for (unsigned index : all)
    if (llvm::none_of(op->getOpOperands(),
                      [&](OpOperand &operand) {
                        return refuses(pins.reads.lookup(&operand),
                                       operand.get(), demanded(operand, index));
                      }) &&
        llvm::none_of(op->getResults(), [&](OpResult result) {
          return refuses(pins.values.lookup(result), result,
                         demanded(result, index));
        }))
      holding.push_back(index);
  return holding.empty() ? all : holding;
}

bool LayoutProblem::goTogether(OpOperand &operand, LayoutAttr layout,
                               const LayoutRelation &relation,
                               LayoutAttr result, OneOf signature) const {
  Operation *op = operand.getOwner();
  RelatedValue from = relatedOperand(relation, op, operand.getOperandNumber());
  RelatedValue to = relatedResult(relation, op);
  auto knows = [this](int64_t size) { return knowsBlock(size); };
  if (layoutsAgree(from, toStoredOrder(layout), to, toStoredOrder(result),
                   knows))
    return true;
  SmallVector<LayoutAttr> read = demanded(operand, signature);
  SmallVector<LayoutAttr> stored =
      demanded(OpResult(op->getResult(0)), signature);
  return npu::goTogether({from, layout, read}, {to, result, stored}, knows);
}

/// The sizes of the blocks in which the boundary is stored or held, as they are
/// written: where a unit dimension is padded, the blocks of another may be one
/// that the chip has not. Blocks of the whole extent are no blocks: the
/// finished value may be spelled without.
static SmallVector<int64_t> blocksOfBoundary(const LayoutProblem &problem) {
  SmallVector<int64_t> sizes;
  auto add = [&](Value value, LayoutAttr layout) {
    if (!layout || !layout.isBlocked())
      return;
    StoredOrder normal =
        normalForm(toStoredOrder(layout), tensorType(value).getShape());
    for (const LayoutBlock &block : layout.getBlocks())
      if (llvm::any_of(normal.blocks, [&](const LayoutBlock &other) {
            return other.dim == block.dim;
          }))
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

ArrayRef<int64_t> LayoutProblem::blocks() const {
  if (!knownBlocks) {
    knownBlocks = blocksOfBoundary(*this);
    knownBlocks->append(target.blocks.begin(), target.blocks.end());
  }
  return *knownBlocks;
}

bool LayoutProblem::knowsBlock(int64_t size) const {
  return isProductOf(size, blocks());
}

/// Whether each digit is a dimension, or one of the two pieces that the network
/// has of it, and none is padded.
static bool isOfPieces(ArrayRef<Digit> digits, ArrayRef<int64_t> shape,
                       ArrayRef<int64_t> inner) {
  return !inner.empty() && llvm::all_of(digits, [&](const Digit &digit) {
    const int64_t extent = shape[digit.dim], cut = inner[digit.dim];
    const bool isOuter = digit.place == cut && digit.size * cut == extent;
    return isOuter ||
           (digit.place == 1 && (digit.size == extent || digit.size == cut));
  });
}

bool LayoutProblem::knowsBlocks(LayoutAttr layout, Value value) const {
  if (!layout || !layout.isBlocked() ||
      llvm::all_of(layout.getBlocks(), [&](const LayoutBlock &block) {
        return knowsBlock(block.size);
      }))
    return true;
  ArrayRef<int64_t> shape = tensorType(value).getShape();
  const Digits digits = normalDigits(toStoredOrder(layout), shape);
  return isMadeOf(digits, shape, blocks()) ||
         (cuts && isOfPieces(digits, shape, cuts->innerOf(value)));
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
    known = std::make_shared<std::vector<OnChipValues>>(residenciesOf(*this));
  return *known;
}

const OnChipValues &LayoutProblem::mostResident() const {
  if (known)
    return known->front();
  if (!first)
    first = std::make_shared<std::vector<OnChipValues>>(
        residenciesOf(*this, /*wanted=*/1));
  return first->front();
}

bool LayoutProblem::takes(const Signature &signature, LayoutOpInterface op,
                          ArrayRef<LayoutAttr> layouts,
                          bool countsWeights) const {
  LayoutRelation relation = op.getLayoutRelation();
  bool isView = op.getSensitivity() == Sensitivity::Data;
  unsigned operands = op->getNumOperands();
  auto mayBe = [&](Value value, LayoutAttr layout,
                   ArrayRef<LayoutAttr> listed) {
    if (!listed.empty())
      return layout && isAmong(value, layout, listed);
    return isView || knowsBlocks(layout, value);
  };
  SmallVector<LayoutAttr> stored;
  for (OpResult result : llvm::reverse(op->getResults())) {
    stored = acceptedLayouts(signature, op, "result", result,
                             [&] { return dimsOf(result); });
    if (!mayBe(result, layouts[operands + result.getResultNumber()], stored))
      return false;
  }
  const ListedValue to{relatedResult(relation, op), layouts[operands], stored};
  for (OpOperand &operand : op->getOpOperands()) {
    unsigned index = operand.getOperandNumber();
    bool alone = relation.independent[index];
    if (alone && !countsWeights)
      continue;
    SmallVector<LayoutAttr> read =
        acceptedLayouts(signature, op, op.getOperandRole(index), operand.get(),
                        [&] { return dimsOf(operand); });
    if (!mayBe(operand.get(), layouts[index], read))
      return false;
    if (!alone && !isView &&
        !npu::goTogether(
            {relatedOperand(relation, op, index), layouts[index], read}, to,
            [this](int64_t size) { return knowsBlock(size); }))
      return false;
  }
  return true;
}

/// What the op's time is multiplied by as this signature has it, with its
/// result in a layout.
double LayoutProblem::costOf(const Signature &signature, LayoutOpInterface op,
                             LayoutAttr layout) const {
  if (signature.factors.empty())
    return signature.cost;
  OpResult result = op->getResult(0);
  const KnownDims known = dimsOf(result);
  RankedTensorType type = tensorType(result);
  auto factorOf = [&](StringRef layout) {
    auto entry =
        llvm::find_if(signature.factors, [&](const LayoutFactor &factor) {
          return factor.layout.text == layout;
        });
    return entry == signature.factors.end() ? 1.0 : entry->factor;
  };
  std::vector<LayoutPattern> patterns;
  if (auto listed = signature.roles.find("result");
      listed != signature.roles.end())
    patterns = listed->second;
  if (patterns.empty())
    for (const LayoutFactor &entry : signature.factors)
      patterns.push_back(entry.layout);
  // Two names may mean one order (unit dimensions): the cheaper one counts.
  std::optional<double> least;
  for (const LayoutPattern &pattern : patterns) {
    std::optional<StoredOrder> order = pattern.resolve(type.getShape(), known);
    if (!order || !layout.isEquivalent(toLayout(op->getContext(), *order),
                                       type.getShape()))
      continue;
    double factor = factorOf(pattern.text);
    least = std::min(least.value_or(factor), factor);
  }
  return signature.cost * least.value_or(1);
}

std::pair<LayoutProblem::OneOf, double>
LayoutProblem::cheapest(StringRef name, LayoutOpInterface op,
                        ArrayRef<LayoutAttr> layouts,
                        bool countsWeights) const {
  std::pair<OneOf, double> best{std::nullopt, 1};
  ArrayRef<Signature> all = target.signatures(name);
  bool isOwn = name == op.getDemandName();
  for (unsigned index : isOwn ? fittingOf(op) : fitting(all, op)) {
    if (!takes(all[index], op, layouts, countsWeights))
      continue;
    double cost = costOf(all[index], op, layouts[op->getNumOperands()]);
    if (!best.first || cost < best.second)
      best = {index, cost};
  }
  return best;
}

LayoutProblem::OneOf
LayoutProblem::signatureOf(LayoutOpInterface op,
                           ArrayRef<LayoutAttr> layouts) const {
  if (signaturesOf(target, op).empty())
    return std::nullopt;
  return cheapest(op.getDemandName(), op, layouts, true).first;
}

double LayoutProblem::costFactor(LayoutOpInterface op,
                                 ArrayRef<LayoutAttr> layouts,
                                 StringRef name) const {
  if (isOnProcessor(op))
    return 1;
  bool isOther = !name.empty();
  if (!isOther)
    name = op.getDemandName();
  ArrayRef<Signature> all = target.signatures(name);
  if (all.empty())
    return 1;
  // Whether the only one takes them is the check's affair.
  if (all.size() == 1)
    return costOf(all.front(), op, layouts[op->getNumOperands()]);
  auto find = [&] { return cheapest(name, op, layouts, !isOther).second; };
  LayoutMemo *memo = memoFor(op);
  if (!memo)
    return find();
  Question question;
  question.add(memo->alike.of(op)).add(all.data());
  addConstants(question, op);
  for (LayoutAttr layout : layouts)
    question.add(layout);
  return memo->factors.of(question, find);
}
