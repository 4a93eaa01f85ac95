// SPDX-License-Identifier: Apache-2.0
#include "compiler/Kernel/KernelProblem.h"
#include "compiler/Layout/Apply/FoldLayout.h"
#include "compiler/Layout/Apply/Retype.h"
#include "compiler/Layout/Passes/Passes.h"
#include "compiler/Layout/Problem/Cost.h"
#include "compiler/Layout/Problem/LayoutPlan.h"
#include "compiler/Layout/Problem/LayoutProblem.h"
#include "compiler/Layout/Problem/Placement.h"
#include "compiler/Layout/Problem/Storage.h"
#include "compiler/Layout/Strategies/AlterSteps.h"

using namespace npu;

namespace {

/// One reader of a relayout, and what it would be like on the other side.
struct Move {
  LayoutOpInterface op;
  Placement placement;
  /// Bytes of other relayouts in front of the op and behind it, now and then.
  int64_t frontNow = 0, frontThen = 0, behindNow = 0, behindThen = 0;

  int64_t now() const { return frontNow + behindNow; }
  int64_t then() const { return frontThen + behindThen; }
};

/// Carries one relayout through its readers.
class Sinker {
public:
  /// `moved`: ops that this walk has moved a relayout through; not again.
  Sinker(const LayoutProblem &problem, RelayoutOp relayout,
         llvm::DenseSet<Operation *> &moved)
      : problem(problem), relayout(relayout), source(relayout.getInput()),
        moved(moved) {}

  // Pattern: op(relayout(x) : A -> B) : B  ->  relayout(op(x) : A) : A -> B
  // All readers at once where that moves no more bytes in all and fewer in
  // front of the readers. A single reader where it moves strictly fewer.
  bool run() {
    SmallVector<Move> chosen = choose();
    for (Move &move : chosen)
      rewrite(move);
    return !chosen.empty();
  }

  /// The readers that run() would carry the relayout through.
  SmallVector<Move> choose() {
    SmallVector<Move> moves;
    bool all = !relayout->use_empty();
    int64_t front = storedBytes(relayout.getResult()), total = front;
    llvm::SetVector<Operation *> users(relayout->user_begin(),
                                       relayout->user_end());
    SmallVector<Operation *> readers = users.takeVector();
    llvm::sort(readers, [](Operation *a, Operation *b) {
      return a->isBeforeInBlock(b);
    });
    for (Operation *reader : readers) {
      std::optional<Move> move = plan(reader);
      all &= move.has_value();
      if (!move)
        continue;
      front += move->frontNow - move->frontThen;
      total += move->now() - move->then();
      moves.push_back(*move);
    }
    if (!all || total < 0 || (total == 0 && front <= 0))
      llvm::erase_if(
          moves, [](const Move &move) { return move.then() >= move.now(); });
    return moves;
  }

private:
  std::optional<Move> plan(Operation *reader) {
    auto op = dyn_cast<LayoutOpInterface>(reader);
    if (!op || isa<RelayoutOp>(reader) || moved.count(reader))
      return std::nullopt;
    LayoutPlan layouts;
    int at = -1;
    for (OpOperand &operand : op->getOpOperands()) {
      bool mine = operand.get() == relayout.getResult();
      if (mine)
        at = operand.getOperandNumber();
      layouts.produced[operand.get()] =
          getLayout(mine ? source : behind(operand.get()));
    }
    auto placement = place(op, layouts, {at, getLayout(source)});
    if (!placement || !isStoredAs(source, placement->operands[at]))
      return std::nullopt;
    Move move{op, *placement};
    count(move);
    return move;
  }

  std::optional<Placement> place(LayoutOpInterface op, const LayoutPlan &plan,
                                 const Anchor &anchor) {
    std::string ignored;
    if (op.getSensitivity() == Sensitivity::Data) {
      LayoutAttr view = viewLayout(op, anchor.layout, ignored);
      if (!view || !isFreeView(op) ||
          !acceptsView(problem, op, anchor.layout, view))
        return std::nullopt;
      return Placement{{anchor.layout}, view};
    }
    auto placement = placeOp(problem, plan, op, anchor, ignored);
    // An op that decides for itself runs in another order only if that is one
    // of its own, and then no slower.
    if (placement && op.getSensitivity() == Sensitivity::Heavy &&
        (!isKnown(cast<OpResult>(op->getResult(0)), placement->result) ||
         isDearer(op, *placement)))
      return std::nullopt;
    return placement;
  }

  /// Whether the target lists orders for the result (a placement is among
  /// them), or the order is one that kernels are written for: channels first,
  /// in blocks or not, or last.
  bool isKnown(OpResult result, LayoutAttr layout) const {
    if (!problem.accepted(result).empty())
      return true;
    ImageAxes axes = problem.axes.atOp(result);
    for (const LayoutBlock &block : layout.getBlocks())
      if (axes.empty() || axes[block.dim] != AxisRole::Channel)
        return false;
    auto isStored = [&](std::optional<SmallVector<int64_t>> order) {
      return order && sameStorage(result, layout,
                                  LayoutAttr::get(layout.getContext(), *order,
                                                  layout.getBlocks()));
    };
    return isStored(channelsFirstOrder(axes)) ||
           (!layout.isBlocked() && isStored(channelsLastOrder(axes))) ||
           layout.isRowMajor(tensorType(result).getShape());
  }

  bool isDearer(LayoutOpInterface op, const Placement &placement) const {
    auto costIn = [&](const OpLayouts &layouts) {
      return kernelCost(ResidentProblem::withMost(problem), op, layouts)
          .cost.of(problem.objective);
    };
    return costIn(layoutsOf(placement)) > costIn(layoutsOf(op));
  }

  /// What stands behind a relayout.
  static Value behind(Value value) {
    auto other = value.getDefiningOp<RelayoutOp>();
    return other ? other.getInput() : value;
  }

  /// Whether somebody else reads the value in this order, so that there is such
  /// a copy of it in any case.
  bool isCopied(Value value, LayoutAttr layout, Operation *reader) const {
    return llvm::any_of(value.getUsers(), [&](Operation *user) {
      auto copy = dyn_cast<RelayoutOp>(user);
      return copy && copy != relayout && isStoredAs(copy.getResult(), layout) &&
             llvm::any_of(copy->getUsers(),
                          [&](Operation *other) { return other != reader; });
    });
  }

  void count(Move &move) {
    for (OpOperand &operand : move.op->getOpOperands()) {
      Value value = operand.get();
      if (value == relayout.getResult() || isConstant(value))
        continue;
      Value origin = behind(value);
      if (isConstant(origin))
        continue;
      if (origin != value && value.hasOneUse())
        move.frontNow += storedBytes(value);
      LayoutAttr wanted = move.placement.operands[operand.getOperandNumber()];
      if (!isStoredAs(origin, wanted) && !isCopied(origin, wanted, move.op))
        move.frontThen += storedBytes(withLayout(tensorType(origin), wanted));
    }
    Value result = move.op->getResult(0);
    move.behindNow = bytesAfter(result, getLayout(result));
    move.behindThen = bytesAfter(result, move.placement.result);
  }

  /// Bytes of relayouts behind the result if it were stored as `layout`.
  static int64_t bytesAfter(Value result, LayoutAttr layout) {
    SmallVector<LayoutAttr> wanted;
    int64_t bytes = 0;
    for (Operation *user : result.getUsers()) {
      LayoutAttr target =
          getLayout(isa<RelayoutOp>(user) ? user->getResult(0) : result);
      if (target.isEquivalent(layout, tensorType(result).getShape()) ||
          llvm::is_contained(wanted, target))
        continue;
      wanted.push_back(target);
      bytes += storedBytes(withLayout(tensorType(result), target));
    }
    return bytes;
  }

  void rewrite(Move &move) {
    Operation *op = move.op;
    moved.insert(op);
    OpBuilder builder(op);
    for (OpOperand &operand : op->getOpOperands()) {
      Value origin = operand.get() == relayout.getResult()
                         ? source
                         : behind(operand.get());
      LayoutAttr wanted = move.placement.operands[operand.getOperandNumber()];
      if (!isStoredAs(origin, wanted))
        origin =
            RelayoutOp::create(builder, op->getLoc(),
                               withLayout(tensorType(origin), wanted), origin);
      operand.set(origin);
      retypeOperand(operand);
    }
    Value result = op->getResult(0);
    Type outside = result.getType();
    retypeResult(op, move.placement.result);
    if (result.getType() == outside)
      return;
    builder.setInsertionPointAfter(op);
    Value back = RelayoutOp::create(builder, op->getLoc(), outside, result);
    for (OpOperand &use : llvm::make_early_inc_range(result.getUses()))
      if (use.getOwner() != back.getDefiningOp())
        bypass(use, back);
  }

  /// A relayout behind the op reads its new order; where that is the wanted
  /// one already, so do its readers.
  static void bypass(OpOperand &use, Value back) {
    auto other = dyn_cast<RelayoutOp>(use.getOwner());
    if (!other) {
      use.set(back);
      retypeOperand(use);
      return;
    }
    Value result = use.get();
    if (other.getResult().getType() != result.getType())
      return;
    for (OpOperand &next : llvm::make_early_inc_range(other->getUses())) {
      next.set(result);
      retypeOperand(next);
    }
    other.erase();
  }

  const LayoutProblem &problem;
  RelayoutOp relayout;
  Value source;
  llvm::DenseSet<Operation *> &moved;
};

} // namespace

static bool sinkAll(mlir::func::FuncOp function, const TargetSpec &target,
                    const ImageAxesAnalysis &axes) {
  LayoutProblem problem(function, target, axes);
  bool changed = false;
  llvm::DenseSet<Operation *> moved;
  Block &block = function.getBody().front();
  // New relayouts stand behind the reader they were carried through, so one
  // walk sees them too.
  for (Operation *op = &block.front(), *next = nullptr; op; op = next) {
    auto relayout = dyn_cast<RelayoutOp>(op);
    if (relayout && !isConstant(relayout.getInput()))
      changed |= Sinker(problem, relayout, moved).run();
    next = op->getNextNode();
    if (relayout && relayout.use_empty())
      relayout.erase();
  }
  return changed;
}

/// Whether sinkAll() would change anything.
static bool canSink(mlir::func::FuncOp function, const TargetSpec &target,
                    const ImageAxesAnalysis &axes) {
  LayoutProblem problem(function, target, axes);
  llvm::DenseSet<Operation *> moved;
  return llvm::any_of(function.getBody().front().getOps<RelayoutOp>(),
                      [&](RelayoutOp op) {
                        return !isConstant(op.getInput()) &&
                               !Sinker(problem, op, moved).choose().empty();
                      });
}

/// What sinking makes smaller: the bytes of all relayouts, then how far they
/// stand from the end.
static std::pair<int64_t, int64_t> standing(mlir::func::FuncOp function) {
  llvm::DenseMap<Operation *, int64_t> places;
  std::pair<int64_t, int64_t> sum(0, 0);
  for (Operation &op : function.getBody().front()) {
    auto relayout = dyn_cast<RelayoutOp>(op);
    if (!relayout) {
      places[&op] = static_cast<int64_t>(places.size()) + 1;
      continue;
    }
    int64_t bytes = storedBytes(relayout.getResult());
    Operation *producer = relayout.getInput().getDefiningOp();
    sum.first += bytes;
    sum.second -= bytes * places.lookup(producer);
    places[&op] = places.lookup(producer);
  }
  return sum;
}

static bool sinkOnce(mlir::func::FuncOp function, const TargetSpec &target,
                     const ImageAxesAnalysis &axes) {
  bool changed = sinkAll(function, target, axes);
  foldLayouts(function, target, axes);
  return changed;
}

void npu::peepholeLayouts(mlir::func::FuncOp function, const TargetSpec &target,
                          const ImageAxesAnalysis &axes) {
  foldLayouts(function, target, axes);
  // What sinking through one op does to another is not foreseen, so a walk is
  // tried on a copy first. Ends: what stands is less each time.
  for (bool better = canSink(function, target, axes); better;) {
    auto before = standing(function);
    mlir::OwningOpRef<mlir::func::FuncOp> trial = function.clone();
    better = sinkOnce(*trial, target, ImageAxesAnalysis(*trial)) &&
             standing(*trial) < before && sinkOnce(function, target, axes) &&
             standing(function) < before;
  }
}

namespace npu {
#define GEN_PASS_DEF_PEEPHOLELAYOUT
#include "compiler/Layout/Passes/Passes.h.inc"
} // namespace npu

namespace {
struct PeepholeLayout : npu::impl::PeepholeLayoutBase<PeepholeLayout> {
  using PeepholeLayoutBase::PeepholeLayoutBase;

  void runOnOperation() override {
    mlir::func::FuncOp function = getOperation();
    std::optional<TargetSpec> spec = requireTarget(function, target);
    if (!spec || failed(requireDecided(function)))
      return signalPassFailure();
    peepholeLayouts(function, *spec, ImageAxesAnalysis(function));
  }
};
} // namespace
