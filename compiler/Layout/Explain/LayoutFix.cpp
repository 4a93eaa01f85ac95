// SPDX-License-Identifier: Apache-2.0
#include "compiler/Layout/Explain/LayoutFix.h"

#include "compiler/Dialect/NPU/LayoutUse.h"
#include "compiler/Layout/Explain/LayoutExplain.h"
#include "compiler/Layout/PlanFile/PlanWriter.h"
#include "compiler/Layout/Problem/LayoutProblem.h"
#include "compiler/Layout/Problem/Names.h"

#include "llvm/ADT/SetVector.h"

#include <chrono>
#include <set>

using namespace npu;

namespace {

/// One change to what the stage is given.
struct Change {
  std::string text;
  LayoutOptions options;
  /// Demands that the target drops: op, and operand role or empty for all.
  std::string op, role;
};

/// What a report looks like to those who compare it with another.
struct Outcome {
  int64_t count = 0, bytes = 0;
  std::map<std::string, int64_t> items; // how often each stands there
};

std::string keyOf(const RelayoutItem &item) {
  return item.kind + "|" + item.value + "|" + item.node + "|" + item.from +
         "|" + item.to;
}

Outcome outcomeOf(const RelayoutReport &report) {
  Outcome outcome{report.count(), report.bytes(), {}};
  for (const RelayoutItem &item : report.items)
    ++outcome.items[keyOf(item)];
  return outcome;
}

/// The changes that could remove one relayout, smallest first, in classes: the
/// first class in which one works has the answer.
class ChangeList {
public:
  ChangeList(mlir::func::FuncOp decided, const TargetSpec &target,
             const LayoutOptions &options)
      : decided(decided), target(target), options(options), axes(decided),
        problem(decided, target, axes) {
    for (auto &[op, name] : planNames(decided))
      names[op] = name;
  }

  std::vector<std::vector<Change>> near(Operation *op) {
    std::vector<std::vector<Change>> classes;
    classes.push_back(strategyChanges());
    classes.push_back(pins(op));
    classes.push_back(ownBoundary(op));
    classes.push_back(freeBoundary());
    auto [roles, whole] = demands(op);
    classes.push_back(std::move(roles));
    classes.push_back(std::move(whole));
    return classes;
  }

private:
  Change same(std::string text) const { return {text, options, "", ""}; }

  std::vector<Change> strategyChanges() const {
    std::vector<Change> changes;
    if (options.strategy == "optimal")
      return changes; // none of the others is better
    for (const Strategy &strategy : strategies(problem.getContext())) {
      if (strategy.name == options.strategy || !strategy.folds)
        continue;
      Change change = same(("--layout=" + strategy.name).str());
      change.options.strategy = strategy.name.str();
      changes.push_back(std::move(change));
    }
    return changes;
  }

  void pin(std::vector<Change> &changes, Operation *op, int operand,
           LayoutAttr layout) const {
    auto name = names.find(op);
    if (name == names.end())
      return;
    auto rule = cast<LayoutOpInterface>(op);
    Value value = operand < 0 ? op->getResult(0) : op->getOperand(operand);
    std::string text = layoutName(layout, axes.of(value));
    Change change =
        same("pin the " +
             (operand < 0 ? std::string("result")
                          : rule.getOperandRole(operand).str()) +
             " of " + name->second + " to " + text + " in a layout plan");
    auto plan = options.plan ? std::make_shared<PlanFile>(*options.plan)
                             : std::make_shared<PlanFile>();
    plan->target = target.name;
    PlanEntry entry;
    entry.name = name->second;
    entry.pin = true;
    PlanEntry::Order order, open;
    order.pattern.kind = LayoutPattern::Kind::Letters;
    order.pattern.letters = toStoredOrder(layout);
    order.pattern.text = text;
    if (operand < 0)
      entry.stored = order;
    else
      for (int index = 0; index < int(op->getNumOperands()); ++index)
        entry.reads.push_back(index == operand ? order : open);
    plan->entries.push_back(std::move(entry));
    change.options.plan = std::move(plan);
    changes.push_back(std::move(change));
  }

  /// The producer gives what is wanted, or a reader takes what is there.
  std::vector<Change> pins(Operation *op) const {
    std::vector<Change> changes;
    if (!isa<RelayoutOp>(op))
      return changes;
    Value from = op->getOperand(0), to = op->getResult(0);
    if (Operation *producer = from.getDefiningOp())
      pin(changes, producer, -1, getLayout(to));
    for (OpOperand &use : to.getUses())
      pin(changes, use.getOwner(), use.getOperandNumber(), getLayout(from));
    return changes;
  }

  Change boundary(unsigned index, bool output, StringRef letters,
                  StringRef shown) {
    std::string name = boundaryName(decided, index, output);
    Change change =
        same(("declare " + Twine(output ? "output " : "input ") + name +
              " as " + shown + " (--io-layout=" + name + "=" + letters + ")")
                 .str());
    change.options.io.byName[name] = letters.str();
    return change;
  }

  bool hasName(unsigned index, bool output) {
    return bool(output ? decided.getResultAttr(index, "npu.name")
                       : decided.getArgAttr(index, "npu.name"));
  }

  /// An input or output at which the relayout stands, in the other order.
  std::vector<Change> ownBoundary(Operation *op) {
    std::vector<Change> changes;
    if (!isa<RelayoutOp>(op))
      return changes;
    Value from = op->getOperand(0), to = op->getResult(0);
    if (auto argument = dyn_cast<BlockArgument>(from);
        argument && hasName(argument.getArgNumber(), false))
      changes.push_back(boundary(argument.getArgNumber(), false,
                                 getLayout(to).getLetters(),
                                 layoutName(getLayout(to), axes.of(to))));
    for (OpOperand &use : to.getUses())
      if (isa<mlir::func::ReturnOp>(use.getOwner()) &&
          hasName(use.getOperandNumber(), true))
        changes.push_back(boundary(use.getOperandNumber(), true,
                                   getLayout(from).getLetters(),
                                   layoutName(getLayout(from), axes.of(from))));
    return changes;
  }

  /// Any one input or output left to the plan: the first few of them.
  std::vector<Change> freeBoundary() {
    static constexpr unsigned most = 8;
    std::vector<Change> changes;
    unsigned inputs = decided.getFunctionType().getNumInputs();
    unsigned all = inputs + decided.getFunctionType().getNumResults();
    for (unsigned at = 0; at < all && changes.size() < most; ++at) {
      bool output = at >= inputs;
      unsigned index = output ? at - inputs : at;
      if (hasName(index, output) && !isFree(index, output))
        changes.push_back(boundary(index, output, "any", "free"));
    }
    return changes;
  }

  bool isFree(unsigned index, bool output) {
    auto given = options.io.byName.find(boundaryName(decided, index, output));
    return given == options.io.byName.end() ? !options.io.fixed
                                            : given->second == "any";
  }

  /// The first ops with demands from here on, through ops without.
  void demandingOps(Operation *start, bool ahead,
                    llvm::SetVector<Operation *> &found) const {
    static constexpr size_t mostOps = 32, mostFound = 4;
    llvm::SetVector<Operation *> queue;
    queue.insert(start);
    for (size_t at = 0; at < queue.size() && at < mostOps; ++at) {
      SmallVector<Operation *> next;
      if (ahead)
        next.append(queue[at]->user_begin(), queue[at]->user_end());
      else
        for (Value value : queue[at]->getOperands())
          if (Operation *producer = value.getDefiningOp())
            next.push_back(producer);
      for (Operation *op : next) {
        auto rule = dyn_cast<LayoutOpInterface>(op);
        if (!rule)
          continue;
        if (!target.isDemanding(rule.getDemandName()))
          queue.insert(op);
        else if (found.size() < mostFound)
          found.insert(op);
      }
    }
  }

  std::pair<std::vector<Change>, std::vector<Change>>
  demands(Operation *op) const {
    llvm::SetVector<Operation *> ops;
    demandingOps(op, /*ahead=*/true, ops);
    demandingOps(op, /*ahead=*/false, ops);
    llvm::SetVector<StringRef> kinds;
    for (Operation *near : ops)
      kinds.insert(cast<LayoutOpInterface>(near).getDemandName());
    std::vector<Change> roles, whole;
    for (StringRef kind : kinds) {
      std::string drop = "drop the demand of " + target.name + " on ";
      Change all = same(drop + kind.str());
      all.op = kind.str();
      std::set<std::string> demanded;
      for (const Signature &signature : target.signatures(kind))
        for (auto &[role, layouts] : signature.roles)
          demanded.insert(role);
      for (const std::string &role : demanded) {
        Change one = all;
        one.text = drop + "the " + role + " of " + kind.str();
        one.role = role;
        roles.push_back(std::move(one));
      }
      whole.push_back(std::move(all));
    }
    return {std::move(roles), std::move(whole)};
  }

  mlir::func::FuncOp decided;
  const TargetSpec &target;
  const LayoutOptions &options;
  ImageAxesAnalysis axes;
  LayoutProblem problem;
  llvm::DenseMap<Operation *, std::string> names;
};

/// A search that is not done by then is not worth more of the user's time.
constexpr double mostSearchSeconds = 2;

/// Runs the stage with a change; each change once.
class Trial {
public:
  Trial(mlir::func::FuncOp source, const TargetSpec &target,
        const FixLimits &limits)
      : source(source), target(target),
        stagesLeft(std::min(limits.stages, limits.opVisits / opCount(source))),
        end(std::chrono::steady_clock::now() +
            std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                std::chrono::duration<double>(limits.seconds))) {}

  /// Null where the layouts cannot be decided so, or may not be tried.
  const Outcome *run(const Change &change, bool &complete) {
    auto [known, isNew] = outcomes.try_emplace(change.text);
    if (isNew && !mayRun()) {
      outcomes.erase(known);
      complete = false;
      return nullptr;
    }
    if (isNew)
      known->second = solve(change);
    return known->second ? &*known->second : nullptr;
  }

  int64_t tried() const { return outcomes.size(); }

private:
  static int64_t opCount(mlir::func::FuncOp function) {
    return std::max<int64_t>(
        1, static_cast<int64_t>(
               function.getBody().front().getOperations().size()));
  }

  bool mayRun() {
    return stagesLeft-- > 0 && std::chrono::steady_clock::now() < end;
  }

  std::optional<Outcome> solve(const Change &change) {
    TargetSpec changed = target;
    if (!change.op.empty())
      for (Signature &signature : changed.demands[change.op]) {
        if (change.role.empty())
          signature.roles.clear();
        else
          signature.roles.erase(change.role);
      }
    mlir::OwningOpRef<mlir::func::FuncOp> copy = source.clone();
    mlir::ScopedDiagnosticHandler quiet(source.getContext(),
                                        [](mlir::Diagnostic &) {});
    LayoutOptions options = change.options;
    options.verifyExactly = options.replaceOps = false;
    options.searchSeconds = std::min(options.searchSeconds, mostSearchSeconds);
    if (failed(runLayoutStage(*copy, changed, options)))
      return std::nullopt;
    return outcomeOf(reportLayouts(*copy, changed, nullptr, options.objective));
  }

  mlir::func::FuncOp source;
  const TargetSpec &target;
  int64_t stagesLeft;
  std::chrono::steady_clock::time_point end;
  std::map<std::string, std::optional<Outcome>> outcomes;
};

/// The best change of a class after which the item is gone; `complete` becomes
/// false where one of them may not be tried any more.
std::optional<LayoutFix> bestOf(const std::vector<Change> &changes,
                                const RelayoutItem &item, const Outcome &base,
                                Trial &trial, bool &complete) {
  std::optional<LayoutFix> best;
  std::string key = keyOf(item);
  for (const Change &change : changes) {
    const Outcome *now = trial.run(change, complete);
    if (!now)
      continue;
    LayoutFix fix{change.text, base.count - now->count,
                  base.bytes - now->bytes};
    auto left = now->items.find(key);
    bool gone = left == now->items.end() || left->second < base.items.at(key);
    bool better = fix.savesCount >= 0 && fix.savesBytes >= 0 &&
                  fix.savesCount + fix.savesBytes > 0;
    if (gone && better && (!best || fix.savesBytes > best->savesBytes))
      best = std::move(fix);
  }
  return best;
}

} // namespace

void npu::findFixes(RelayoutReport &report, mlir::func::FuncOp source,
                    mlir::func::FuncOp decided, const TargetSpec &target,
                    const LayoutOptions &options, const FixLimits &limits) {
  SmallVector<Operation *> ops;
  for (Operation &op : decided.getBody().front())
    if (movesData(op))
      ops.push_back(&op);
  Outcome base = outcomeOf(report);
  ChangeList changes(decided, target, options);
  Trial trial(source, target, limits);
  for (auto [item, op] : llvm::zip_equal(report.items, ops)) {
    bool complete = true;
    for (const std::vector<Change> &group : changes.near(op))
      if (!item.fix)
        item.fix = bestOf(group, item, base, trial, complete);
    item.fixSearched = item.fix || complete;
    report.untriedFixes += !item.fixSearched;
  }
  if (report.untriedFixes)
    report.whyUntried = "the layouts were decided again " +
                        std::to_string(trial.tried()) +
                        " times, which is the limit for this graph";
}
