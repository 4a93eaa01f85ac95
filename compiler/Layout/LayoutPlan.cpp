// SPDX-License-Identifier: Apache-2.0
#include "compiler/Layout/LayoutPlan.h"

#include "compiler/Dialect/NPU/Constants.h"
#include "compiler/Dialect/NPU/LayoutUse.h"
#include "compiler/Dialect/NPU/Work.h"

#include "llvm/ADT/MapVector.h"

using namespace npu;

int64_t npu::bytesOfElement(RankedTensorType type) {
  unsigned bits = type.getElementType().getIntOrFloatBitWidth();
  return std::max<int64_t>(1, bits / 8);
}

int64_t npu::storedBytes(RankedTensorType type, LayoutAttr layout) {
  int64_t elements = layout ? layout.getStoredElements(type.getShape())
                            : type.getNumElements();
  return elements * bytesOfElement(type);
}

int64_t npu::storedBytes(RankedTensorType type) {
  return storedBytes(type, getLayout(type));
}

int64_t npu::storedBytes(Value value) { return storedBytes(tensorType(value)); }

bool npu::sameStorage(Value value, LayoutAttr a, LayoutAttr b) {
  return a && b && a.isEquivalent(b, tensorType(value).getShape());
}

bool npu::isStoredAs(Value value, LayoutAttr layout) {
  return sameStorage(value, getLayout(value), layout);
}

std::string npu::nodeName(Location location) {
  if (auto named = dyn_cast<mlir::NameLoc>(location))
    return named.getName().str();
  if (auto fused = dyn_cast<mlir::FusedLoc>(location))
    for (Location part : fused.getLocations()) {
      std::string name = nodeName(part);
      if (!name.empty())
        return name;
    }
  return {};
}

std::string npu::boundaryName(mlir::func::FuncOp function, unsigned index,
                              bool output) {
  auto name = output
                  ? function.getResultAttrOfType<StringAttr>(index, "npu.name")
                  : function.getArgAttrOfType<StringAttr>(index, "npu.name");
  if (name)
    return name.str();
  return (output ? "output " : "input ") + std::to_string(index);
}

static SmallVector<LayoutAttr> resolveAll(MLIRContext *context,
                                          ArrayRef<LayoutPattern> patterns,
                                          size_t rank, const ImageAxes &axes) {
  SmallVector<LayoutAttr> layouts;
  for (const LayoutPattern &pattern : patterns) {
    if (pattern.kind == LayoutPattern::Kind::Any)
      return {};
    std::optional<StoredOrder> order = pattern.resolve(rank, axes);
    if (order)
      layouts.push_back(toLayout(context, *order));
  }
  return layouts;
}

static SmallVector<LayoutAttr>
acceptedLayouts(const TargetSpec &target, LayoutOpInterface op, StringRef role,
                Value value, llvm::function_ref<ImageAxes()> axes) {
  ArrayRef<LayoutPattern> patterns = target.accepted(op.getDemandName(), role);
  if (patterns.empty())
    return {};
  // A demand speaks of image axes; nothing is demanded where nothing tells.
  return resolveAll(op->getContext(), patterns, tensorType(value).getRank(),
                    axes());
}

static SmallVector<LayoutAttr> acceptedOperand(const TargetSpec &target,
                                               const ImageAxesAnalysis &axes,
                                               OpOperand &operand) {
  auto op = dyn_cast<LayoutOpInterface>(operand.getOwner());
  if (!op)
    return {};
  return acceptedLayouts(target, op,
                         op.getOperandRole(operand.getOperandNumber()),
                         operand.get(), [&] { return axes.atOp(operand); });
}

static SmallVector<LayoutAttr> acceptedResult(const TargetSpec &target,
                                              const ImageAxesAnalysis &axes,
                                              OpResult result) {
  auto op = dyn_cast<LayoutOpInterface>(result.getOwner());
  if (!op)
    return {};
  return acceptedLayouts(target, op, "result", result,
                         [&] { return axes.atOp(result); });
}

bool LayoutPins::touches(Operation *op) const {
  return llvm::any_of(op->getResults(),
                      [&](Value result) { return values.contains(result); }) ||
         llvm::any_of(
             op->getOpOperands(),
             [&](OpOperand &operand) { return reads.contains(&operand); }) ||
         algorithms.contains(op);
}

LayoutPins LayoutPins::carriedTo(mlir::func::FuncOp source,
                                 mlir::func::FuncOp copy) const {
  LayoutPins pins;
  if (empty())
    return pins;
  for (auto [from, to] :
       llvm::zip_equal(source.getBody().front(), copy.getBody().front())) {
    for (auto [before, after] : llvm::zip(from.getResults(), to.getResults()))
      if (LayoutAttr pin = values.lookup(before))
        pins.values[after] = pin;
    for (OpOperand &operand : from.getOpOperands())
      if (LayoutAttr pin = reads.lookup(&operand))
        pins.reads[&to.getOpOperand(operand.getOperandNumber())] = pin;
    if (auto pin = algorithms.find(&from); pin != algorithms.end())
      pins.algorithms[&to] = pin->second;
  }
  return pins;
}

SmallVector<LayoutAttr> LayoutProblem::demanded(OpOperand &operand) const {
  return acceptedOperand(target, axes, operand);
}

SmallVector<LayoutAttr> LayoutProblem::demanded(OpResult result) const {
  return acceptedResult(target, axes, result);
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

std::optional<TransferRow> LayoutProblem::transferRow(RankedTensorType type,
                                                      const ImageAxes &axes,
                                                      LayoutAttr layout,
                                                      double row) const {
  for (const TransferRun &entry : target.runs)
    for (const LayoutPattern &pattern : entry.layouts) {
      std::optional<StoredOrder> order = pattern.resolve(type.getRank(), axes);
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

LayoutAttr LayoutPlan::layoutRead(OpOperand &operand) const {
  if (LayoutAttr layout = read.lookup(&operand))
    return layout;
  if (LayoutAttr layout = home.lookup(operand.get()))
    return layout;
  return produced.lookup(operand.get());
}

// Applying.

static void setLayout(Value value, LayoutAttr layout) {
  value.setType(withLayout(tensorType(value), layout));
}

void npu::retypeResult(Operation *op, LayoutAttr layout) {
  setLayout(op->getResult(0), layout);
  if (auto fused = dyn_cast<FusedOp>(op))
    for (Operation &inner : fused.getBody().front().without_terminator())
      setLayout(inner.getResult(0), layout);
}

void npu::retypeOperand(OpOperand &operand) {
  if (auto fused = dyn_cast<FusedOp>(operand.getOwner()))
    fused.getBody()
        .front()
        .getArgument(operand.getOperandNumber())
        .setType(operand.get().getType());
}

void npu::updateSignature(mlir::func::FuncOp function) {
  Block &block = function.getBody().front();
  function.setType(
      mlir::FunctionType::get(function.getContext(), block.getArgumentTypes(),
                              block.getTerminator()->getOperandTypes()));
}

namespace {
class PlanApplier {
public:
  PlanApplier(mlir::func::FuncOp function, const LayoutPlan &plan)
      : function(function), plan(plan), builder(function.getContext()) {}

  void run() {
    Block &block = function.getBody().front();
    SmallVector<Value> values(block.getArguments());
    SmallVector<Operation *> ops;
    for (Operation &op : block) {
      ops.push_back(&op);
      values.append(op.result_begin(), op.result_end());
    }
    for (Value value : values)
      setLayout(value, plan.produced.lookup(value));
    for (Value value : values)
      bringHome(value);
    for (Operation *op : ops)
      for (OpOperand &operand : op->getOpOperands())
        connect(operand);
    for (Operation *op : ops)
      if (isa<FusedOp>(op))
        retypeResult(op, getLayout(op->getResult(0)));
    for (auto &[op, note] : plan.notes)
      op->setAttr(layoutNoteAttr, builder.getStringAttr(note));
    updateSignature(function);
  }

private:
  Value relayout(Value value, LayoutAttr layout, Location location) {
    return RelayoutOp::create(builder, location,
                              withLayout(tensorType(value), layout), value);
  }

  /// An output's relayout belongs to the node that computes it.
  static Location locationOf(OpOperand &operand) {
    if (isa<mlir::func::ReturnOp>(operand.getOwner()))
      return operand.get().getLoc();
    return operand.getOwner()->getLoc();
  }

  /// The relayout directly behind a value that its readers see in its place.
  void bringHome(Value value) {
    LayoutAttr home = plan.home.lookup(value);
    if (!home || isStoredAs(value, home) || value.use_empty())
      return;
    builder.setInsertionPointAfterValue(value);
    Value back = relayout(value, home, value.getLoc());
    value.replaceAllUsesExcept(back, back.getDefiningOp());
  }

  void connect(OpOperand &operand) {
    LayoutAttr wanted = plan.read.lookup(&operand);
    if (wanted && !isStoredAs(operand.get(), wanted)) {
      builder.setInsertionPoint(operand.getOwner());
      operand.set(copyOf(operand.get(), wanted, locationOf(operand)));
    }
    retypeOperand(operand);
  }

  /// The copy in a layout, made if it is not there yet.
  Value copyOf(Value source, LayoutAttr wanted, Location location) {
    Value copy = plan.home.empty() ? findShared(source, wanted) : Value();
    if (copy)
      return copy;
    Value from = source;
    auto steps = plan.copies.find(source);
    if (steps != plan.copies.end())
      for (const CopyStep &step : steps->second)
        if (sameStorage(source, step.to, wanted) &&
            !isStoredAs(source, step.from))
          from = copyOf(source, step.from, location);
    copy = relayout(from, wanted, location);
    relayouts[source].push_back(copy);
    return copy;
  }

  Value findShared(Value source, LayoutAttr wanted) {
    for (Value candidate : relayouts.lookup(source))
      if (isStoredAs(candidate, wanted))
        return candidate;
    return {};
  }

  mlir::func::FuncOp function;
  const LayoutPlan &plan;
  OpBuilder builder;
  llvm::DenseMap<Value, SmallVector<Value, 1>> relayouts;
};
} // namespace

void npu::applyPlan(mlir::func::FuncOp function, const LayoutPlan &plan) {
  PlanApplier(function, plan).run();
}

// Checking.

std::string npu::layoutNames(ArrayRef<LayoutAttr> layouts,
                             const ImageAxes &axes) {
  std::string text;
  for (LayoutAttr layout : layouts) {
    std::string name = layoutName(layout, axes);
    text += (text.empty() ? "" : " or ") + name;
    if (name != layout.getLetters())
      text += " (" + layout.getLetters() + ")";
  }
  return text;
}

static LogicalResult checkDemand(Operation *op, StringRef target,
                                 StringRef role, Value value,
                                 ArrayRef<LayoutAttr> accepted,
                                 const ImageAxes &axes) {
  if (accepted.empty())
    return success();
  LayoutAttr layout = getLayout(value);
  for (LayoutAttr candidate : accepted)
    if (layout.isEquivalent(candidate, tensorType(value).getShape()))
      return success();
  return op->emitOpError() << "infeasible: target '" << target << "' demands "
                           << layoutNames(accepted, axes) << " for its " << role
                           << ", found " << layout.getLetters();
}

static LogicalResult checkDecided(Operation *op, Type type) {
  if (!isa<RankedTensorType>(type) || getLayout(type))
    return success();
  return op->emitOpError() << "has a tensor without a layout: " << type;
}

static LogicalResult checkTypes(Operation *op, const TargetSpec &target) {
  for (Type type : op->getResultTypes()) {
    Type element = cast<RankedTensorType>(type).getElementType();
    if (!target.supports(static_cast<npu_dtype>(dtypeOf(element))))
      return op->emitOpError() << "target '" << target.name
                               << "' has no element type " << element;
  }
  return success();
}

static LogicalResult checkOp(Operation *op, const TargetSpec &target,
                             const ImageAxesAnalysis &axes) {
  for (Type type : op->getOperandTypes())
    if (failed(checkDecided(op, type)))
      return failure();
  for (Type type : op->getResultTypes())
    if (failed(checkDecided(op, type)))
      return failure();
  auto rule = dyn_cast<LayoutOpInterface>(op);
  if (!rule) {
    if (!isa<ConstantOp, YieldOp, mlir::func::ReturnOp>(op))
      return op->emitOpError()
             << "does not know layouts; only npu ops may stand behind the "
                "layout stage";
    return success();
  }
  if (failed(checkTypes(op, target)))
    return failure();
  for (OpOperand &operand : op->getOpOperands())
    if (failed(checkDemand(
            op, target.name, rule.getOperandRole(operand.getOperandNumber()),
            operand.get(), acceptedOperand(target, axes, operand),
            axes.atOp(operand))))
      return failure();
  for (OpResult result : op->getResults())
    if (failed(checkDemand(op, target.name, "result", result,
                           acceptedResult(target, axes, result),
                           axes.atOp(result))))
      return failure();
  return success();
}

LogicalResult npu::checkLayouts(mlir::func::FuncOp function,
                                const TargetSpec &target) {
  ImageAxesAnalysis axes(function);
  for (Operation &op : function.getBody().front()) {
    if (failed(checkOp(&op, target, axes)))
      return failure();
    auto inner = op.walk([&](Operation *nested) {
      for (Type type : nested->getResultTypes())
        if (failed(checkDecided(nested, type)))
          return mlir::WalkResult::interrupt();
      return mlir::WalkResult::advance();
    });
    if (inner.wasInterrupted())
      return failure();
  }
  return success();
}
