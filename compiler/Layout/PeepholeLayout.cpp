// SPDX-License-Identifier: Apache-2.0
#include "compiler/Layout/AlterSteps.h"
#include "compiler/Layout/Cost.h"
#include "compiler/Layout/FoldLayout.h"
#include "compiler/Layout/Passes.h"
#include "compiler/Layout/Placement.h"

#include "compiler/Kernel/KernelProblem.h"

using namespace npu;

static int64_t bytesOf(Value value) { return storedBytes(tensorType(value)); }

static bool sameStorage(Value value, LayoutAttr layout) {
  return getLayout(value).isEquivalent(layout, tensorType(value).getShape());
}

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
  /// `settled`: ops that this sweep has carried something through; it leaves
  /// them alone, or operands in different orders would take turns for ever.
  Sinker(const LayoutProblem &problem, RelayoutOp relayout,
         llvm::SmallPtrSetImpl<Operation *> &settled)
      : problem(problem), relayout(relayout), source(relayout.getInput()),
        settled(settled) {}

  // Pattern: op(relayout(x) : A -> B) : B  ->  relayout(op(x) : A) : A -> B
  // All readers at once where that moves no more bytes in all and fewer in
  // front of the readers, so that they stand later. A single reader where it
  // moves strictly fewer.
  bool run() {
    SmallVector<Move> moves;
    bool all = !relayout->use_empty();
    int64_t front = bytesOf(relayout.getResult()), total = front;
    llvm::SetVector<Operation *> readers(relayout->user_begin(),
                                         relayout->user_end());
    for (Operation *reader : readers) {
      std::optional<Move> move = plan(reader);
      all &= move.has_value();
      if (!move)
        continue;
      front += move->frontNow - move->frontThen;
      total += move->now() - move->then();
      moves.push_back(*move);
    }
    bool changed = false;
    for (Move &move : moves)
      if ((all && (total > 0 || (total == 0 && front > 0))) ||
          move.then() < move.now()) {
        rewrite(move);
        changed = true;
      }
    return changed;
  }

private:
  std::optional<Move> plan(Operation *reader) {
    auto op = dyn_cast<LayoutOpInterface>(reader);
    if (!op || isa<RelayoutOp>(reader) || settled.contains(reader))
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
    if (!placement || !sameStorage(source, placement->operands[at]))
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
      if (!view || !isFreeView(op))
        return std::nullopt;
      return Placement{{anchor.layout}, view};
    }
    auto placement = placeOp(problem, plan, op, anchor, ignored);
    // An op that decides for itself runs in another order only if the target
    // lists that order, and then no slower.
    if (placement && op.getSensitivity() == Sensitivity::Heavy &&
        (problem.accepted(cast<OpResult>(op->getResult(0))).empty() ||
         isSlower(op, *placement)))
      return std::nullopt;
    return placement;
  }

  bool isSlower(LayoutOpInterface op, const Placement &placement) const {
    OpLayouts now, then(placement.operands);
    for (Value operand : op->getOperands())
      now.push_back(getLayout(operand));
    now.push_back(getLayout(op->getResult(0)));
    then.push_back(placement.result);
    return kernelCycles(problem, op, then) > kernelCycles(problem, op, now);
  }

  /// What stands behind a relayout that only one op reads.
  static Value behind(Value value) {
    auto other = value.getDefiningOp<RelayoutOp>();
    return other && other->hasOneUse() ? other.getInput() : value;
  }

  void count(Move &move) {
    for (OpOperand &operand : move.op->getOpOperands()) {
      Value value = operand.get();
      if (value == relayout.getResult() || isConstant(value))
        continue;
      Value origin = behind(value);
      if (origin != value && !isConstant(origin))
        move.frontNow += bytesOf(value);
      LayoutAttr wanted = move.placement.operands[operand.getOperandNumber()];
      if (!sameStorage(origin, wanted) && !isConstant(origin))
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
    settled.insert(op);
    OpBuilder builder(op);
    for (OpOperand &operand : op->getOpOperands()) {
      Value origin = operand.get() == relayout.getResult()
                         ? source
                         : behind(operand.get());
      LayoutAttr wanted = move.placement.operands[operand.getOperandNumber()];
      if (!sameStorage(origin, wanted))
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
  llvm::SmallPtrSetImpl<Operation *> &settled;
};

} // namespace

/// Bytes that all relayouts move at run time, then how far they stand from the
/// end: ops behind each.
static std::pair<int64_t, int64_t> measure(mlir::func::FuncOp function) {
  int64_t bytes = 0, behind = 0, ops = 0;
  for (Operation &op : llvm::reverse(function.getBody().front())) {
    auto relayout = dyn_cast<RelayoutOp>(op);
    if (!relayout) {
      ++ops;
    } else if (!isConstant(relayout.getInput())) {
      bytes += bytesOf(relayout.getResult());
      behind += ops;
    }
  }
  return {bytes, behind};
}

static bool sinkAll(mlir::func::FuncOp function, const TargetSpec &target) {
  ImageAxesAnalysis axes(function);
  LayoutProblem problem(function, target, axes);
  llvm::SmallPtrSet<Operation *, 32> settled;
  bool changed = false;
  Block &block = function.getBody().front();
  // New relayouts stand behind the reader they were carried through, so one
  // walk sees them too.
  for (Operation *op = &block.front(), *next = nullptr; op; op = next) {
    auto relayout = dyn_cast<RelayoutOp>(op);
    if (relayout && !isConstant(relayout.getInput()))
      changed |= Sinker(problem, relayout, settled).run();
    next = op->getNextNode();
    if (relayout && relayout.use_empty())
      relayout.erase();
  }
  return changed;
}

void npu::peepholeLayouts(mlir::func::FuncOp function,
                          const TargetSpec &target) {
  foldLayouts(function, target);
  // Ends: each time round moves fewer bytes, or the same bytes later.
  auto before = measure(function);
  while (sinkAll(function, target)) {
    foldLayouts(function, target);
    auto now = measure(function);
    if (now >= before)
      break;
    before = now;
  }
}

namespace npu {
#define GEN_PASS_DEF_PEEPHOLELAYOUT
#include "compiler/Layout/Passes.h.inc"
} // namespace npu

namespace {
struct PeepholeLayout : npu::impl::PeepholeLayoutBase<PeepholeLayout> {
  using PeepholeLayoutBase::PeepholeLayoutBase;

  void runOnOperation() override {
    mlir::func::FuncOp function = getOperation();
    std::string error;
    std::optional<TargetSpec> spec = loadTarget(target, error);
    if (!spec) {
      function.emitError() << error;
      return signalPassFailure();
    }
    if (failed(requireDecided(function)))
      return signalPassFailure();
    peepholeLayouts(function, *spec);
  }
};
} // namespace
