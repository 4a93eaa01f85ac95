// SPDX-License-Identifier: Apache-2.0
//
// --layout-plan: a plan's file meets a graph.
#include "compiler/Layout/PlanFile/PlanBinding.h"

#include "compiler/Dialect/NPU/LayoutUse.h"
#include "compiler/Layout/PlanFile/PlanFile.h"
#include "compiler/Layout/PlanFile/PlanWriter.h"
#include "compiler/Layout/Problem/Alternatives.h"
#include "compiler/Layout/Problem/LayoutPlan.h"
#include "compiler/Layout/Problem/LayoutProblem.h"
#include "compiler/Layout/Problem/LiveRanges.h"
#include "compiler/Layout/Problem/Names.h"
#include "compiler/Layout/Problem/Placement.h"
#include "compiler/Layout/Problem/SplitGroup.h"
#include "compiler/Support/MarkedError.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace npu;

namespace {

class PlanBinder {
public:
  PlanBinder(LayoutProblem &problem, const PlanFile &plan)
      : problem(problem), plan(plan), function(problem.function) {}

  LogicalResult run() {
    if (plan.target != problem.target.name)
      return error(plan.targetLine)
             << "the plan is for target '" << plan.target << "', this is '"
             << problem.target.name << "'";
    std::string graph = graphFingerprint(function);
    if (!plan.graph.empty() && plan.graph != graph)
      return error(plan.graphLine)
             << "the plan is for another graph (fingerprint " << plan.graph
             << ", this one's is " << graph
             << "; shapes and fused ops count); write it anew with "
                "--write-layout-plan, or delete this line to go by names alone";
    collectNames();
    for (const PlanEntry &entry : plan.entries)
      if (failed(bind(entry)))
        return failure();
    for (auto [op, line] : pinnedOps)
      if (failed(checkTogether(op, line)))
        return failure();
    return checkResidents();
  }

private:
  using Names = llvm::StringMap<unsigned>;
  using Layouts = SmallVector<LayoutAttr>;

  mlir::InFlightDiagnostic error(int line) {
    return emitMarked(function.getLoc(), wrongInput)
           << plan.file << ":" << line << ": ";
  }

  void collectNames() {
    for (auto &[op, name] : planNames(function)) {
      opNames[name] = ops.size();
      ops.push_back(op);
    }
    for (unsigned index = 0; index < function.getNumArguments(); ++index)
      inputNames[boundaryName(function, index, /*output=*/false)] = index;
    for (unsigned index = 0; index < function.getNumResults(); ++index)
      outputNames[boundaryName(function, index, /*output=*/true)] = index;
  }

  LogicalResult bind(const PlanEntry &entry) {
    const Names &names = entry.kind == PlanEntry::Kind::Op      ? opNames
                         : entry.kind == PlanEntry::Kind::Input ? inputNames
                                                                : outputNames;
    auto found = names.find(entry.name);
    if (found == names.end())
      return unknown(entry, names);
    unsigned index = found->second;
    if (entry.kind == PlanEntry::Kind::Op)
      return bindOp(entry, ops[index]);
    if (!entry.stored)
      return success();
    bool isInput = entry.kind == PlanEntry::Kind::Input;
    Value value = isInput ? Value(function.getArgument(index))
                          : function.front().getTerminator()->getOperand(index);
    LayoutAttr layout;
    if (failed(resolve(entry, *entry.stored, value,
                       isInput ? "the input" : "the output", layout)))
      return failure();
    LayoutAttr &held = isInput ? problem.inputs[value] : problem.outputs[index];
    return entry.pin && layout ? hold(entry, held, layout, value) : success();
  }

  LogicalResult unknown(const PlanEntry &entry, const Names &names) {
    static const char *const kinds[] = {"input", "op", "output"};
    StringRef nearest;
    unsigned best = ~0u;
    for (auto &name : names) {
      unsigned distance = name.first().edit_distance(entry.name, true, best);
      if (distance < best || (distance == best && name.first() < nearest)) {
        best = distance;
        nearest = name.first();
      }
    }
    auto diagnostic = error(entry.line);
    diagnostic << "the graph has no " << kinds[static_cast<int>(entry.kind)]
               << " '" << entry.name << "'";
    if (!nearest.empty())
      diagnostic << "; the nearest name is '" << nearest << "'";
    return diagnostic;
  }

  /// The value's layout; null where it is left open.
  LogicalResult resolve(const PlanEntry &entry, const PlanEntry::Order &order,
                        Value value, const Twine &what, LayoutAttr &layout) {
    layout = {};
    if (order.pattern.kind == LayoutPattern::Kind::Any)
      return success();
    ImageAxes axes = problem.axes.of(value);
    int64_t rank = tensorType(value).getRank();
    std::optional<StoredOrder> stored = order.pattern.resolve(rank, axes);
    if (!stored)
      return error(order.line)
             << order.pattern.text << " does not fit " << what << " of '"
             << entry.name << "', which has rank " << rank
             << (axes.empty() ? " and no image axes that are known; use letters"
                              : "");
    layout = toLayout(problem.getContext(), *stored);
    for (const LayoutBlock &block : layout.getBlocks())
      if (!llvm::is_contained(problem.target.blocks, block.size))
        return error(order.line)
               << order.pattern.text << ": target '" << problem.target.name
               << "' has no blocks of " << block.size;
    return success();
  }

  LogicalResult hold(const PlanEntry &entry, LayoutAttr &held,
                     LayoutAttr layout, Value value) {
    if (held && !held.isEquivalent(layout, tensorType(value).getShape()))
      return error(entry.line)
             << "'" << entry.name << "' is pinned to " << layout.getLetters()
             << ", and held to " << held.getLetters()
             << " by --io-layout; give --io-layout=free or --io-layout="
             << entry.name << "=" << layout.getLetters();
    held = layout;
    return success();
  }

  LogicalResult bindOp(const PlanEntry &entry, Operation *op) {
    auto rule = cast<LayoutOpInterface>(op);
    if (!entry.reads.empty() && entry.reads.size() != op->getNumOperands())
      return error(entry.line)
             << "op '" << entry.name << "' has " << op->getNumOperands()
             << " operands, `reads` lists " << entry.reads.size()
             << " layouts; write any where it does not matter";
    // Of two kernels each has demands of its own.
    const Alternative *named = findAlternative(entry.algorithm);
    const bool isSplit = named && named->cut > 0;
    LayoutAttr layout;
    for (auto [order, operand] : llvm::zip(entry.reads, op->getOpOperands())) {
      StringRef role = rule.getOperandRole(operand.getOperandNumber());
      if (failed(resolve(entry, order, operand.get(), "the " + role, layout)))
        return failure();
      if (entry.pin && layout &&
          failed(pin(entry, order.line, operand.get(), layout, role,
                     isSplit ? Layouts() : problem.demanded(operand),
                     problem.axes.atOp(operand), problem.pins.reads[&operand])))
        return failure();
    }
    if (entry.stored) {
      OpResult result = op->getResult(0);
      if (failed(resolve(entry, *entry.stored, result, "the result", layout)))
        return failure();
      if (entry.pin && layout &&
          failed(pin(entry, entry.stored->line, result, layout, "result",
                     isSplit ? Layouts() : problem.demanded(result),
                     problem.axes.atOp(result), problem.pins.values[result])))
        return failure();
    }
    if (!entry.algorithm.empty() && failed(bindAlgorithm(entry, op)))
      return failure();
    if (entry.resident && entry.pin && failed(bindResident(entry, op)))
      return failure();
    if (problem.pins.touches(op))
      pinnedOps.insert({op, entry.line});
    return success();
  }

  LogicalResult bindAlgorithm(const PlanEntry &entry, Operation *op) {
    std::vector<std::string> names = {ownAlgorithm.str()};
    const Alternative *named = nullptr;
    SmallVector<const Alternative *> rows = alternativesFor(op, problem.target);
    rows.append(splitsFor(op, problem.target));
    for (const Alternative *row : rows) {
      names.push_back(row->name.str());
      if (row->name == entry.algorithm)
        named = row;
    }
    if (!named && entry.algorithm != ownAlgorithm) {
      const Alternative *known =
          findAlternative(entry.algorithm, op->getContext());
      std::string whyNot =
          known ? known->whyNot(op) : "there is none of this name";
      if (whyNot.empty())
        whyNot = known->cut > 0 ? "nothing is gained by a cut there"
                                : "the target does not list it";
      return error(entry.algorithmLine)
             << "'" << entry.name << "' cannot be computed by algorithm '"
             << entry.algorithm << "' on target '" << problem.target.name
             << "': " << whyNot
             << ", expected one of: " << llvm::join(names, ", ");
    }
    if (!entry.pin)
      return success();
    auto [pinned, isNew] = problem.pins.algorithms.try_emplace(op, named);
    if (!isNew && pinned->second != named)
      return error(entry.algorithmLine)
             << "the algorithm of '" << entry.name << "' is pinned twice";
    return success();
  }

  LogicalResult bindResident(const PlanEntry &entry, Operation *op) {
    const bool stays = *entry.resident;
    if (auto known = op->getAttrOfType<mlir::BoolAttr>(residentAttr);
        known && known.getValue() != stays)
      return error(entry.residentLine)
             << "'" << entry.name << "' is pinned both to stay on the chip and "
             << "not to";
    if (stays && problem.target.machine.sramKiB <= 0)
      return error(entry.residentLine)
             << "the result of '" << entry.name
             << "' cannot stay on the chip: target '" << problem.target.name
             << "' has no `sram`";
    if (std::string whyNot = whyNotOnChip(op->getResult(0));
        stays && !whyNot.empty())
      return error(entry.residentLine)
             << "the result of '" << entry.name
             << "' cannot stay on the chip: " << whyNot;
    op->setAttr(residentAttr, mlir::BoolAttr::get(problem.getContext(), stays));
    if (stays)
      residentLine = entry.residentLine;
    return success();
  }

  /// Whether what is to stay on the chip has room there.
  LogicalResult checkResidents() {
    if (!residentLine)
      return success();
    const double memory = problem.target.machine.sramKiB * 1024;
    const OnChipValues &least = problem.residencies().back();
    if (least.peak() <= memory)
      return success();
    return error(residentLine)
           << "what is pinned to stay on the chip takes "
           << static_cast<int64_t>(least.peak()) << " bytes of on-chip memory "
           << "at a time, target '" << problem.target.name << "' has "
           << static_cast<int64_t>(memory);
  }

  LogicalResult pin(const PlanEntry &entry, int line, Value value,
                    LayoutAttr layout, StringRef role,
                    ArrayRef<LayoutAttr> demanded, const ImageAxes &axes,
                    LayoutAttr &pinned) {
    ArrayRef<int64_t> shape = tensorType(value).getShape();
    if (pinned && !pinned.isEquivalent(layout, shape))
      return error(line) << "the " << role << " of '" << entry.name
                         << "' is pinned twice, to " << pinned.getLetters()
                         << " and to " << layout.getLetters();
    auto equals = [&](LayoutAttr other) {
      return other.isEquivalent(layout, shape);
    };
    if (!demanded.empty() && llvm::none_of(demanded, equals)) {
      auto diagnostic = error(line);
      diagnostic << "the " << role << " of '" << entry.name
                 << "' cannot be pinned to " << layout.getLetters()
                 << ": target '" << problem.target.name << "' accepts "
                 << layoutNames(demanded, axes);
      return diagnostic;
    }
    pinned = layout;
    return success();
  }

  /// Whether one placement of the op holds all its pins.
  LogicalResult checkTogether(Operation *op, int line) {
    auto rule = cast<LayoutOpInterface>(op);
    if (rule.getSensitivity() == Sensitivity::Data)
      return success(); // a view may move data
    const Alternative *algorithm = problem.pins.algorithms.lookup(op);
    if (algorithm && algorithm->cut > 0)
      return success(); // two kernels, with a relayout between them
    LayoutPlan scratch;
    for (Value value : op->getOperands())
      scratch.produced[value] = rowMajor(value);
    SmallVector<Anchor> anchors = pinnedAnchors(problem, rule);
    if (anchors.empty())
      return success(); // operands that are independent of all others
    std::string whyNot;
    if (placeOp(problem, scratch, rule, anchors.front(), whyNot))
      return success();
    const Anchor &anchor = anchors.front();
    StringRef role = anchor.index == Anchor::result
                         ? StringRef("result")
                         : rule.getOperandRole(anchor.index);
    return error(line) << "the pins of " << opName(op) << " ("
                       << rule.getDemandName()
                       << ") cannot be held together: with its " << role
                       << " in " << anchor.layout.getLetters() << ", "
                       << whyNot;
  }

  LayoutProblem &problem;
  const PlanFile &plan;
  mlir::func::FuncOp function;
  std::vector<Operation *> ops;
  Names opNames, inputNames, outputNames;
  llvm::MapVector<Operation *, int> pinnedOps;
  int residentLine = 0; // of the last value that has to stay; 0: there is none
};

} // namespace

LogicalResult npu::bindPlan(LayoutProblem &problem, const PlanFile &plan) {
  return PlanBinder(problem, plan).run();
}
