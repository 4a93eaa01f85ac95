// SPDX-License-Identifier: Apache-2.0
#include "compiler/Layout/Apply/FoldLayout.h"

#include "compiler/Kernel/KernelProblem.h"
#include "compiler/Layout/Apply/RelayoutFolds.h"
#include "compiler/Layout/Apply/Retype.h"
#include "compiler/Layout/Apply/VerifyLayout.h"
#include "compiler/Layout/Passes/Passes.h"
#include "compiler/Layout/Problem/LayoutPins.h"
#include "compiler/Layout/Problem/LayoutPlan.h"
#include "compiler/Layout/Problem/LayoutProblem.h"
#include "compiler/Layout/Problem/Placement.h"
#include "compiler/Layout/Problem/Storage.h"
#include "compiler/Target/Lacks.h"

using namespace npu;

void npu::foldConstantRelayouts(mlir::func::FuncOp function) {
  RelayoutFolds(function).foldConstants();
}

namespace {

/// Moves the relayouts around one op to its other side.
class RelayoutMover {
public:
  RelayoutMover(const LayoutProblem &problem, LayoutOpInterface op,
                RelayoutFolds &folds)
      : problem(problem), op(op), result(op->getResult(0)), folds(folds) {}

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
      if (mine && !isFreeView(relayout) && counted.insert(relayout).second)
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
    if (!view || !acceptsView(problem, op, anchor.layout, view))
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

  static bool moves(Value source, LayoutAttr wanted) {
    return !isStoredAs(source, wanted) && !isConstant(source);
  }

  int64_t bytesAhead(const Placement &placement) const {
    int64_t bytes = 0;
    SmallVector<std::pair<Value, LayoutAttr>> counted;
    for (auto [index, source] : llvm::enumerate(sources)) {
      LayoutAttr wanted = placement.operands[index];
      std::pair<Value, LayoutAttr> need(source, wanted);
      if (!moves(source, wanted) || llvm::is_contained(counted, need))
        continue;
      counted.push_back(need);
      bytes += storedBytes(withLayout(tensorType(source), wanted));
    }
    return bytes;
  }

  /// Whether the chip has the types of all that would move ahead of the op: a
  /// cast may read what it has no relayout for.
  bool mayMove(const Placement &placement) const {
    return llvm::all_of(
        llvm::zip_equal(sources, placement.operands), [&](auto pair) {
          auto [source, wanted] = pair;
          return !moves(source, wanted) ||
                 problem.target.supports(tensorType(source).getElementType());
        });
  }

  bool tryAnchor(const Anchor &anchor) {
    std::optional<Placement> placement = place(anchor);
    if (!placement || !mayMove(*placement))
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
      folds.dropped(operand.get());
      operand.set(inLayout(builder, sources[index], placement.operands[index]));
      retypeOperand(operand);
      folds.touch(sources[index]);
    }
    LayoutAttr old = getLayout(result);
    retypeResult(op, placement.result);
    builder.setInsertionPointAfter(op);
    Value back = RelayoutOp::create(
        builder, op.getLoc(), withLayout(tensorType(result), old), result);
    for (OpOperand &use : llvm::make_early_inc_range(result.getUses()))
      if (!isa<RelayoutOp>(use.getOwner()))
        use.set(back);
    folds.touch(result);
    folds.touch(back);
    folds.dropped(back); // only relayouts read the result
  }

  static Value inLayout(OpBuilder &builder, Value value, LayoutAttr layout) {
    if (getLayout(value) == layout)
      return value;
    return RelayoutOp::create(builder, value.getLoc(),
                              withLayout(tensorType(value), layout), value);
  }

  const LayoutProblem &problem;
  LayoutOpInterface op;
  Value result;
  RelayoutFolds &folds;
  LayoutPlan plan;
  SmallVector<Value> sources;
  llvm::SmallPtrSet<Operation *, 4> counted;
  int64_t before = 0;
};

} // namespace

void npu::foldLayouts(mlir::func::FuncOp function, const TargetSpec &target) {
  foldLayouts(function, target, ImageAxesAnalysis(function));
}

void npu::foldLayouts(mlir::func::FuncOp function, const TargetSpec &target,
                      const ImageAxesAnalysis &axes, const LayoutPins &pins) {
  // Neither axes nor problem change when relayouts come and go.
  LayoutProblem problem(function, target, axes);
  problem.pins = pins;
  RelayoutFolds folds(function, [&](LayoutOpInterface op) {
    return takesLayouts(op, problem);
  });
  folds.run();
  // Ends: every move makes the bytes moved in the whole function fewer.
  while (Operation *op = folds.takeOp())
    if (RelayoutMover(problem, cast<LayoutOpInterface>(op), folds).run())
      folds.run();
  placeMoves(function, target);
  updateSignature(function);
}

namespace npu {
#define GEN_PASS_DEF_FOLDLAYOUT
#include "compiler/Layout/Passes/Passes.h.inc"
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
