// SPDX-License-Identifier: Apache-2.0
#include "compiler/Layout/Problem/SplitGroup.h"

#include "compiler/Dialect/NPU/Device.h"
#include "compiler/Layout/Problem/LiveRanges.h"
#include "compiler/Layout/Problem/Placement.h"
#include "compiler/Layout/Problem/Replacement.h"
#include "compiler/Layout/Problem/Storage.h"
#include "compiler/Target/Fuses.h"
#include "compiler/Target/Lacks.h"

#include <deque>

using namespace npu;

/// No fused kernel has more ops.
static constexpr unsigned mostCuts = 64;

static std::string whyNotCut(Operation *op, unsigned cut) {
  auto fused = dyn_cast<FusedOp>(op);
  if (!fused || isOnProcessor(op))
    return "it is no fused kernel of the chip";
  if (!cutBody(fused, cut))
    return "it cannot be cut there: the second part would be empty, have the "
           "main op, or read more than one value of the first";
  return "";
}

ArrayRef<Alternative> npu::splits() {
  static const std::vector<Alternative> *rows = [] {
    static std::deque<std::string> names; // rows refer to them
    auto *made = new std::vector<Alternative>;
    for (unsigned cut = 1; cut <= mostCuts; ++cut) {
      names.push_back("split" + std::to_string(cut));
      Alternative row;
      row.name = names.back();
      row.summary = "a fused kernel as two";
      row.whyNot = [cut](Operation *op) { return whyNotCut(op, cut); };
      row.fits = [](Operation *, ArrayRef<LayoutAttr>) { return false; };
      row.cut = cut;
      made->push_back(std::move(row));
    }
    return made;
  }();
  return *rows;
}

// Where it may be cut.

/// How many operands the ops read from outside that are no constants and as
/// large as the result: those that have its order.
static unsigned largeOperands(FusedOp op, ArrayRef<Operation *> ops) {
  llvm::SmallDenseSet<Value> large;
  const SmallVector<bool, 4> independent = op.getLayoutRelation().independent;
  for (Operation *one : ops)
    for (Value operand : one->getOperands()) {
      auto argument = dyn_cast<BlockArgument>(operand);
      if (!argument || independent[argument.getArgNumber()] ||
          isConstant(op->getOperand(argument.getArgNumber())))
        continue;
      large.insert(operand);
    }
  return large.size();
}

/// A single op of the rest that reads the value between twice would have it as
/// two operands.
static bool readsOnce(const CutBody &body) {
  Value between = body.first.back()->getResult(0);
  return body.rest.size() > 1 ||
         llvm::count(body.rest.front()->getOperands(), between) == 1;
}

/// Whether the target runs both parts, each as one kernel.
static bool areKernels(const TargetSpec &target, const CutBody &body) {
  auto lacks = [&](Operation *one) {
    auto rule = dyn_cast<LayoutOpInterface>(one);
    return rule && lackOf(target, rule).has_value();
  };
  return llvm::none_of(body.first, lacks) && llvm::none_of(body.rest, lacks) &&
         mayFuse(target, body.first) && mayFuse(target, body.rest);
}

SmallVector<const Alternative *> npu::splitsFor(Operation *op,
                                                const TargetSpec &target) {
  SmallVector<const Alternative *> found;
  auto fused = dyn_cast<FusedOp>(op);
  if (!fused || isOnProcessor(op))
    return found;
  // By the number of operands that the rest has: the fewest bytes between.
  llvm::SmallDenseMap<unsigned, int64_t> fewest;
  SmallVector<std::pair<const Alternative *, unsigned>> all;
  SmallVector<int64_t> bytes;
  const size_t ops = fused.getBody().front().getOperations().size() - 1;
  for (const Alternative &row : splits().take_front(ops)) {
    std::optional<CutBody> body = cutBody(fused, row.cut);
    if (!body || !readsOnce(*body))
      continue;
    unsigned large = largeOperands(fused, body->rest);
    if (large == 0 || largeOperands(fused, body->first) == 0 ||
        !areKernels(target, *body))
      continue;
    bytes.push_back(
        bytesOfElement(tensorType(body->first.back()->getResult(0))));
    all.push_back({&row, large});
    auto [least, isNew] = fewest.try_emplace(large, bytes.back());
    least->second = std::min(least->second, bytes.back());
  }
  for (auto [entry, size] : llvm::zip(all, bytes))
    if (size == fewest.lookup(entry.second))
      found.push_back(entry.first);
  return found;
}

const Alternative *npu::splitOf(Operation *op) {
  auto mark = op->getAttrOfType<mlir::DictionaryAttr>(splitAttr);
  auto name = mark ? mark.getAs<StringAttr>("name") : StringAttr();
  return name ? findAlternative(name.getValue()) : nullptr;
}

// The two kernels by themselves.

SplitKernels::SplitKernels(const LayoutProblem &around, FusedOp op,
                           const Alternative &row)
    : alternative(&row) {
  MLIRContext *context = op.getContext();
  OpBuilder builder(context);
  module = mlir::ModuleOp::create(op.getLoc());
  builder.setInsertionPointToEnd(module->getBody());
  function = mlir::func::FuncOp::create(
      builder, op.getLoc(), "split", mlir::FunctionType::get(context, {}, {}));
  Block &block = *function.addEntryBlock();
  builder.setInsertionPointToStart(&block);
  mlir::IRMapping outside;
  for (auto [operand, inner] :
       llvm::zip(op->getOperands(), op.getBody().front().getArguments())) {
    Type type = withLayout(tensorType(operand), {});
    if (auto constant = operand.getDefiningOp<ConstantOp>()) {
      Operation *copy = builder.clone(*constant);
      copy->getResult(0).setType(cast<RankedTensorType>(type));
      operands.push_back(copy->getResult(0));
    } else {
      operands.push_back(block.addArgument(type, op.getLoc()));
    }
    outside.map(inner, operands.back());
  }
  two = makeTwo(builder, *cutBody(op, row.cut), outside);
  mlir::func::ReturnOp::create(builder, op.getLoc(), two.rest->getResults());
  function.setType(mlir::FunctionType::get(context, block.getArgumentTypes(),
                                           two.rest->getResultTypes()));
  for (auto [operand, given] : llvm::zip(op->getOperands(), operands))
    if (auto argument = dyn_cast<BlockArgument>(given))
      if (std::string text = axesText(around.axes.of(operand));
          areImageAxes(text))
        function.setArgAttr(argument.getArgNumber(), axesAttr,
                            builder.getStringAttr(text));
  axes = std::make_unique<ImageAxesAnalysis>(function);
  problem = std::make_unique<LayoutProblem>(function, around.target, *axes);
  problem->outputs.resize(1);
  problem->objective = around.objective;
  ranges = rangesOf(function, around.target, *axes);
  for (Operation *kernel : {two.first, two.rest})
    slots.emplace_back(*problem, cast<LayoutOpInterface>(kernel));
}

std::pair<OpSlots, OpSlots> SplitKernels::slotsFor(const LayoutProblem &around,
                                                   FusedOp op) const {
  auto make = [&](OpSlots kernel, ArrayRef<int> reads, bool isRest) {
    SmallVector<OuterSlot> outer;
    for (int index : reads) {
      if (index == TwoKernels::between) {
        outer.push_back({op.getResult(), {}});
        continue;
      }
      OpOperand &operand = op->getOpOperand(index);
      outer.push_back({isConstant(operand.get()) ? Value() : operand.get(),
                       around.pins.reads.lookup(&operand)});
    }
    outer.push_back(
        {op.getResult(),
         isRest ? around.pins.values.lookup(op.getResult()) : LayoutAttr()});
    kernel.standFor(around, outer);
    return kernel;
  };
  return {make(slots[0], two.firstReads, false),
          make(slots[1], two.restReads, true)};
}

OnChipValues SplitKernels::onChipIn(const ResidentProblem &around,
                                    Operation *op,
                                    const OnChipSlot *between) const {
  SmallVector<std::pair<Value, Value>> same;
  for (auto [given, operand] : llvm::zip(operands, op->getOperands()))
    if (isa<BlockArgument>(given))
      same.push_back({operand, given});
  same.push_back({op->getResult(0), two.rest->getResult(0)});
  return onChipAround(around.onChip(), op, same, ranges, between);
}

/// A place for its one order, or for each of its two.
OnChipSlot SplitKernels::slotBetween(const SplitLayouts &layouts) const {
  OnChipSlot slot;
  slot.value = two.first->getResult(0);
  slot.isWide = slot.isBetween = true;
  RankedTensorType type = tensorType(slot.value);
  slot.place = static_cast<int64_t>(
      llvm::alignTo(std::max(storedBytes(type, layouts.stored),
                             storedBytes(type, layouts.read)),
                    slotAlignment));
  slot.copies = sameStorage(slot.value, layouts.stored, layouts.read) ? 0 : 1;
  return slot;
}

OpLayouts SplitKernels::counted(LayoutOpInterface kernel,
                                const OpLayouts &whole) const {
  OpLayouts layouts = whole;
  for (auto [index, independent] :
       llvm::enumerate(problem->independentOperands(kernel)))
    if (independent)
      layouts[index] = {};
  return layouts;
}

SplitKernels::Choice SplitKernels::choose(const ResidentProblem &around,
                                          Operation *op,
                                          const SplitLayouts &layouts) const {
  Choice choice{priceWith(onChipIn(around, op, nullptr), layouts), {}};
  if (around->target.machine.sramKiB <= 0)
    return choice;
  const OnChipSlot slot = slotBetween(layouts);
  PricedAlgorithm staying = priceWith(onChipIn(around, op, &slot), layouts);
  if (staying.cost.kernels.cycles >= cost::doesNotFit)
    return choice;
  auto rank = [&](const LayoutCost &cost) {
    return std::pair(cost.of(problem->objective), cost.kernels.cycles);
  };
  staying.needs = std::max(choice.price.needs,
                           staying.needs + static_cast<double>(slot.bytes()));
  if (rank(staying.cost) < rank(choice.price.cost))
    choice = {staying, slot};
  choice.price.needs = staying.needs; // with so much it would be the same
  return choice;
}

PricedAlgorithm SplitKernels::price(const ResidentProblem &around,
                                    Operation *op,
                                    const SplitLayouts &layouts) const {
  return choose(around, op, layouts).price;
}

std::optional<OnChipSlot>
SplitKernels::placeBetween(const ResidentProblem &around, Operation *op,
                           const SplitLayouts &layouts) const {
  return choose(around, op, layouts).between;
}

PricedAlgorithm SplitKernels::priceWith(const OnChipValues &inside,
                                        const SplitLayouts &layouts) const {
  ResidentProblem resident(*problem, inside);
  PricedAlgorithm all{{}, alternative};
  auto add = [&](Operation *one, const OpLayouts &whole) {
    auto kernel = cast<LayoutOpInterface>(one);
    TiledCost tiled =
        kernelCost(resident, kernel, counted(kernel, whole), nullptr, whole);
    all.cost += {0, 0, tiled.cost};
    all.needs = std::max(all.needs, tiled.needs);
  };
  add(two.first, layouts.first);
  add(two.rest, layouts.rest);
  Value value = two.first->getResult(0);
  if (sameStorage(value, layouts.stored, layouts.read))
    return all;
  RelayoutCosts between =
      relayoutCosts(resident, value, {layouts.stored, layouts.read});
  all.cost += between.costs[1];
  all.needs = std::max(all.needs, between.needs);
  return all;
}

int64_t SplitKernels::tileBytes(const ResidentProblem &around, Operation *op,
                                const SplitLayouts &layouts) const {
  std::optional<OnChipSlot> between = placeBetween(around, op, layouts);
  OnChipValues inside = onChipIn(around, op, between ? &*between : nullptr);
  ResidentProblem resident(*problem, inside);
  auto bytes = [&](Operation *one, const OpLayouts &whole) {
    auto kernel = cast<LayoutOpInterface>(one);
    return npu::tileBytes(resident, kernel, counted(kernel, whole), nullptr,
                          whole);
  };
  return std::max(bytes(two.first, layouts.first),
                  bytes(two.rest, layouts.rest)) +
         (between ? between->bytes() : 0);
}
