// SPDX-License-Identifier: Apache-2.0
#include "compiler/Layout/FoldLayout.h"

#include "compiler/Kernel/KernelProblem.h"
#include "compiler/Layout/Passes.h"
#include "compiler/Layout/Placement.h"

using namespace npu;

void npu::updateSignature(mlir::func::FuncOp function) {
  Block &block = function.getBody().front();
  function.setType(
      mlir::FunctionType::get(function.getContext(), block.getArgumentTypes(),
                              block.getTerminator()->getOperandTypes()));
}

static void eraseDead(mlir::func::FuncOp function) {
  Block &block = function.getBody().front();
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isa<RelayoutOp, ConstantOp>(op) && op.use_empty())
      op.erase();
}

/// Readers of `from` read `to`, which has the same elements and storage.
static void replaceReads(Value from, Value to) {
  for (OpOperand &use : llvm::make_early_inc_range(from.getUses())) {
    use.set(to);
    retypeOperand(use);
  }
}

void npu::foldConstantRelayouts(mlir::func::FuncOp function) {
  for (auto relayout : llvm::make_early_inc_range(
           function.getBody().front().getOps<RelayoutOp>())) {
    auto constant = relayout.getInput().getDefiningOp<ConstantOp>();
    if (!constant)
      continue;
    OpBuilder builder(constant->getNextNode());
    // The elements are in logical order: only the type changes.
    auto stored =
        ConstantOp::create(builder, constant.getLoc(),
                           relayout.getResult().getType(), constant.getValue());
    replaceReads(relayout.getResult(), stored.getResult());
  }
  eraseDead(function);
}

// Pattern: relayout(x) : A -> A  ->  x
static bool foldIdentity(RelayoutOp op) {
  if (!sameStorage(op.getInput(), getLayout(op.getInput()),
                   getLayout(op.getResult())))
    return false;
  bool isResult = llvm::any_of(op->getUsers(), [](Operation *user) {
    return isa<mlir::func::ReturnOp>(user);
  });
  // The signature keeps its letters, even where other letters mean the same.
  if (isResult && op.getInput().getType() != op.getResult().getType())
    return false;
  bool change = !op.use_empty();
  replaceReads(op.getResult(), op.getInput());
  return change;
}

// Pattern: relayout(relayout(x) : A -> B) : B -> C  ->  relayout(x) : A -> C
static bool foldChain(RelayoutOp op) {
  auto inner = op.getInput().getDefiningOp<RelayoutOp>();
  if (!inner)
    return false;
  op.getInputMutable().set(inner.getInput());
  return true;
}

// Pattern: relayout(x) : A -> B twice  ->  once
static bool foldDuplicate(RelayoutOp op) {
  for (Operation *user : op.getInput().getUsers()) {
    auto other = dyn_cast<RelayoutOp>(user);
    if (!other || other == op || op.use_empty() ||
        !other->isBeforeInBlock(op) ||
        other.getResult().getType() != op.getResult().getType())
      continue;
    replaceReads(op.getResult(), other.getResult());
    return true;
  }
  return false;
}

static bool foldLocally(mlir::func::FuncOp function) {
  bool any = false, changed = true;
  // Ends: each round shortens the relayouts' total way to their sources.
  while (changed) {
    changed = false;
    for (auto op : llvm::make_early_inc_range(
             function.getBody().front().getOps<RelayoutOp>()))
      changed |= foldChain(op) || foldIdentity(op) || foldDuplicate(op);
    eraseDead(function);
    any |= changed;
  }
  return any;
}

namespace {

/// Moves the relayouts around one op to its other side.
class RelayoutMover {
public:
  RelayoutMover(const LayoutProblem &problem, LayoutOpInterface op)
      : problem(problem), op(op), result(op->getResult(0)) {}

  /// Whether the op now runs in another order, with fewer bytes moved.
  bool run() {
    if (op.getSensitivity() == Sensitivity::Heavy || isa<RelayoutOp>(op))
      return false;
    collectSources();
    for (const Anchor &anchor : anchors())
      if (tryAnchor(anchor))
        return true;
    return false;
  }

private:
  bool isView() { return op.getSensitivity() == Sensitivity::Data; }

  /// For each operand the value behind a relayout that only this op reads.
  void collectSources() {
    for (OpOperand &operand : op->getOpOperands()) {
      auto relayout = operand.get().getDefiningOp<RelayoutOp>();
      bool mine =
          relayout && llvm::all_of(relayout->getUsers(),
                                   [&](Operation *user) { return user == op; });
      Value source = mine ? relayout.getInput() : operand.get();
      sources.push_back(source);
      plan.produced[operand.get()] = getLayout(source);
      if (mine && counted.insert(relayout).second)
        before += storedBytes(operand.get());
    }
    if (isView() && !isFreeView(op))
      before += storedBytes(result);
  }

  SmallVector<Anchor> anchors() {
    SmallVector<Anchor> list;
    for (auto [index, source] : llvm::enumerate(sources))
      if (source != op->getOperand(index))
        list.push_back({static_cast<int>(index), getLayout(source)});
    if (isView() && list.empty() && !isFreeView(op))
      list.push_back({0, getLayout(op->getOperand(0))});
    if (!isView())
      for (Operation *user : result.getUsers())
        if (isa<RelayoutOp>(user))
          list.push_back({Anchor::result, getLayout(user->getResult(0))});
    return list;
  }

  std::optional<Placement> place(const Anchor &anchor) {
    std::string ignored;
    if (!isView())
      return placeOp(problem, plan, op, anchor, ignored);
    if (problem.pins.touches(op))
      return std::nullopt;
    LayoutAttr view = viewLayout(op, anchor.layout, ignored);
    if (!view ||
        !isAccepted(problem.accepted(op->getOpOperand(0)), op->getOperand(0),
                    anchor.layout) ||
        !isAccepted(problem.accepted(cast<OpResult>(result)), result, view))
      return std::nullopt;
    return Placement{{anchor.layout}, view};
  }

  /// Bytes of relayouts behind the result if it were stored as `layout`.
  int64_t bytesBehind(LayoutAttr layout) const {
    int64_t bytes = 0;
    bool plainReader = false;
    SmallVector<LayoutAttr> wanted;
    for (Operation *user : result.getUsers()) {
      if (!isa<RelayoutOp>(user)) {
        plainReader = true;
        continue;
      }
      LayoutAttr target = getLayout(user->getResult(0));
      if (!sameStorage(result, layout, target) &&
          !llvm::is_contained(wanted, target)) {
        wanted.push_back(target);
        bytes += storedBytes(user->getResult(0));
      }
    }
    LayoutAttr current = getLayout(result);
    if (plainReader && !sameStorage(result, layout, current) &&
        !llvm::is_contained(wanted, current))
      bytes += storedBytes(result);
    return bytes;
  }

  int64_t bytesAhead(const Placement &placement) const {
    int64_t bytes = 0;
    SmallVector<std::pair<Value, LayoutAttr>> counted;
    for (auto [index, source] : llvm::enumerate(sources)) {
      LayoutAttr wanted = placement.operands[index];
      std::pair<Value, LayoutAttr> need(source, wanted);
      if (isStoredAs(source, wanted) || isConstant(source) ||
          llvm::is_contained(counted, need))
        continue;
      counted.push_back(need);
      bytes += storedBytes(withLayout(tensorType(source), wanted));
    }
    return bytes;
  }

  bool tryAnchor(const Anchor &anchor) {
    std::optional<Placement> placement = place(anchor);
    if (!placement)
      return false;
    int64_t old = before + bytesBehind(getLayout(result));
    int64_t now = bytesAhead(*placement) + bytesBehind(placement->result);
    if (now >= old || (isView() && !staysView(*placement)))
      return false;
    rewrite(*placement);
    return true;
  }

  /// A view's new order must be free, or nothing is gained.
  bool staysView(const Placement &placement) {
    Operation *probe = op->clone();
    OpBuilder builder(op);
    builder.insert(probe);
    probe->setOperand(0, sources[0]);
    probe->getResult(0).setType(
        withLayout(tensorType(result), placement.result));
    bool free = isFreeView(probe);
    probe->erase();
    return free;
  }

  void rewrite(const Placement &placement) {
    OpBuilder builder(op);
    for (OpOperand &operand : op->getOpOperands()) {
      unsigned index = operand.getOperandNumber();
      operand.set(inLayout(builder, sources[index], placement.operands[index]));
      retypeOperand(operand);
    }
    LayoutAttr old = getLayout(result);
    result.setType(withLayout(tensorType(result), placement.result));
    if (auto fused = dyn_cast<FusedOp>(op.getOperation()))
      for (Operation &inner : fused.getBody().front().without_terminator())
        inner.getResult(0).setType(
            withLayout(tensorType(inner.getResult(0)), placement.result));
    builder.setInsertionPointAfter(op);
    Value back = RelayoutOp::create(
        builder, op.getLoc(), withLayout(tensorType(result), old), result);
    for (OpOperand &use : llvm::make_early_inc_range(result.getUses()))
      if (!isa<RelayoutOp>(use.getOwner()))
        use.set(back);
  }

  static Value inLayout(OpBuilder &builder, Value value, LayoutAttr layout) {
    if (isStoredAs(value, layout))
      return value;
    return RelayoutOp::create(builder, value.getLoc(),
                              withLayout(tensorType(value), layout), value);
  }

  const LayoutProblem &problem;
  LayoutOpInterface op;
  Value result;
  LayoutPlan plan;
  SmallVector<Value> sources;
  llvm::SmallPtrSet<Operation *, 4> counted;
  int64_t before = 0;
};

} // namespace

void npu::foldLayouts(mlir::func::FuncOp function, const TargetSpec &target,
                      const LayoutPins &pins) {
  foldConstantRelayouts(function);
  bool changed = true;
  // Ends: every move makes the bytes moved in the whole function fewer.
  while (changed) {
    changed = foldLocally(function);
    // Of the values that are there now: a demand speaks of image axes, and
    // relayouts come and go.
    ImageAxesAnalysis axes(function);
    LayoutProblem problem(function, target, axes);
    problem.pins = pins;
    SmallVector<LayoutOpInterface> ops;
    for (Operation &op : function.getBody().front())
      if (auto rule = dyn_cast<LayoutOpInterface>(op))
        ops.push_back(rule);
    for (LayoutOpInterface op : ops)
      if (RelayoutMover(problem, op).run()) {
        foldConstantRelayouts(function);
        foldLocally(function);
        changed = true;
        break; // ops may be gone
      }
  }
  updateSignature(function);
}

namespace npu {
#define GEN_PASS_DEF_FOLDLAYOUT
#include "compiler/Layout/Passes.h.inc"
} // namespace npu

namespace {
struct FoldLayout : npu::impl::FoldLayoutBase<FoldLayout> {
  using FoldLayoutBase::FoldLayoutBase;

  void runOnOperation() override {
    mlir::func::FuncOp function = getOperation();
    if (failed(requireDecided(function)))
      return signalPassFailure();
    if (constantsOnly) {
      foldConstantRelayouts(function);
      return;
    }
    std::optional<TargetSpec> spec = requireTarget(function, target);
    if (!spec)
      return signalPassFailure();
    foldLayouts(function, *spec);
  }
};
} // namespace
