// SPDX-License-Identifier: Apache-2.0
#include "compiler/Layout/Explain/LayoutExplain.h"

#include "compiler/Layout/PlanFile/PlanBinding.h"
#include "compiler/Layout/PlanFile/PlanFile.h"
#include "compiler/Layout/Problem/Cost.h"
#include "compiler/Layout/Problem/LayoutPins.h"
#include "compiler/Layout/Problem/Names.h"
#include "compiler/Layout/Problem/OpSlots.h"
#include "compiler/Layout/Problem/Placement.h"
#include "compiler/Target/AcceptedLayouts.h"
#include "files/shown_text.h"
#include "files/words.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace npu;
using files::shownMessage;
using files::shownName;

CauseFinder::CauseFinder(mlir::func::FuncOp function, const TargetSpec &target,
                         const ImageAxesAnalysis &axes, const PlanFile *plan)
    : function(function), target(target), axes(axes),
      problem(function, target, axes) {
  problem.outputs.resize(function.getNumResults());
  if (!plan)
    return;
  // The pins held in the source; here they say whom a pin made do what it does.
  PlanFile here = *plan;
  here.graph.clear(); // relayouts have come
  mlir::ScopedDiagnosticHandler quiet(function.getContext(),
                                      [](mlir::Diagnostic &) {});
  if (failed(bindPlan(problem, here)))
    problem.pins = LayoutPins();
}

std::string CauseFinder::nameOf(Value value) const {
  return layoutName(getLayout(value), axes.of(value));
}

RelayoutCause CauseFinder::of(Operation *op) const {
  if (!isa<RelayoutOp>(op)) {
    std::string kind = op->getName().getStringRef().drop_front(4).str();
    return {"view", opName(op), "input",
            "its result is wanted in another order than its operand gives",
            "the model's own " + kind +
                ", whose result is wanted in another order than its operand "
                "gives"};
  }
  if (OpOperand *output = returnedBy(op))
    return ofOutput(op, *output);
  Value result = op->getResult(0);
  for (OpOperand &use : result.getUses())
    if (MaybeCause cause = demandOf(use))
      return *cause;
  for (OpOperand &use : result.getUses())
    if (MaybeCause cause = viewRefusal(use, getLayout(op->getOperand(0))))
      return *cause;
  if (MaybeCause cause = producerDemand(op->getOperand(0)))
    return *cause;
  for (OpOperand &use : result.getUses())
    if (MaybeCause cause = beyond(use, getLayout(op->getOperand(0))))
      return *cause;
  for (OpOperand &use : result.getUses())
    if (MaybeCause cause = orderOf(use))
      return *cause;
  return {"plan", opName(op), "", "the strategy chose this order",
          "the plan brings the value into this order"};
}

RelayoutCause CauseFinder::ofOutput(Operation *relayout,
                                    OpOperand &output) const {
  unsigned index = output.getOperandNumber();
  std::string name = boundaryName(function, index, /*output=*/true);
  std::string rule =
      "held to " + getLayout(relayout->getResult(0)).getLetters();
  if (problem.outputs[index])
    rule += " by a pin of the layout plan";
  else
    rule += " by --io-layout";
  return {"boundary", name, "", rule, "output '" + name + "' is " + rule};
}

/// By which of several signatures the op is as it is; the target's demand on
/// one of its values is that signature's.
LayoutProblem::OneOf CauseFinder::signatureOf(LayoutOpInterface op) const {
  return signaturesOf(target, op).size() > 1
             ? problem.signatureOf(op, layoutsOf(op))
             : std::nullopt;
}

std::optional<RelayoutCause> CauseFinder::demandOf(OpOperand &use) const {
  auto op = dyn_cast<LayoutOpInterface>(use.getOwner());
  if (!op)
    return std::nullopt;
  std::string role = op.getOperandRole(use.getOperandNumber()).str();
  std::string wanted = nameOf(use.get());
  if (problem.pins.reads.contains(&use))
    return RelayoutCause{
        "pin", opName(op), role, "the layout plan pins it to " + wanted,
        opText(op) + " is pinned to " + wanted + " for its " + role};
  LayoutProblem::OneOf signature = signatureOf(op);
  SmallVector<LayoutAttr> demanded = problem.demanded(use, signature);
  if (demanded.empty())
    return std::nullopt;
  std::string beside;
  if (signature)
    beside = ", which gives " + nameOf(op->getResult(0)) + " then";
  return RelayoutCause{"demand", opName(op), role,
                       target.name + " accepts " +
                           layoutNames(demanded, axes.atOp(use)) + " for the " +
                           role + " of " + op.getDemandName().str() + beside,
                       opText(op) + " on " + target.name + " demands " +
                           wanted + " for its " + role};
}

std::optional<RelayoutCause> CauseFinder::producerDemand(Value value) const {
  auto result = dyn_cast<OpResult>(value);
  auto op = result ? dyn_cast<LayoutOpInterface>(result.getOwner())
                   : LayoutOpInterface();
  if (!op)
    return std::nullopt;
  std::string given = nameOf(value);
  if (problem.pins.values.contains(value))
    return RelayoutCause{"pin", opName(op), "result",
                         "the layout plan pins it to " + given,
                         opText(op) + " is pinned to give " + given};
  SmallVector<LayoutAttr> demanded = problem.demanded(result, signatureOf(op));
  if (demanded.empty())
    return std::nullopt;
  return RelayoutCause{"demand", opName(op), "result",
                       target.name + " accepts " +
                           layoutNames(demanded, axes.atOp(result)) +
                           " for the result of " + op.getDemandName().str(),
                       opText(op) + " on " + target.name + " gives " + given};
}

/// Why a view could not pass on the order that was there.
std::optional<RelayoutCause>
CauseFinder::viewRefusal(OpOperand &use, LayoutAttr offered) const {
  auto op = dyn_cast<LayoutOpInterface>(use.getOwner());
  std::string whyNot;
  if (!op || op.getSensitivity() != Sensitivity::Data ||
      viewLayout(op, offered, whyNot))
    return std::nullopt;
  return RelayoutCause{"view", opName(op), "input", whyNot,
                       opText(op) + ": " + whyNot};
}

/// Who refuses the order that was there, behind ops that would pass it on.
std::optional<RelayoutCause> CauseFinder::beyond(OpOperand &use,
                                                 LayoutAttr offered) const {
  SmallVector<std::pair<OpOperand *, LayoutAttr>> open{{&use, offered}};
  llvm::SmallPtrSet<Operation *, 8> seen;
  for (size_t next = 0; next < open.size(); ++next) {
    auto [here, order] = open[next];
    auto op = dyn_cast<LayoutOpInterface>(here->getOwner());
    if (!op || op->getNumResults() == 0 || !seen.insert(op).second)
      continue;
    OpSlots slots(problem, op);
    LayoutAttr passed =
        slots.carry(here->getOperandNumber(), order, slots.anchor());
    if (!passed)
      continue;
    for (OpOperand &reader : op->getResult(0).getUses()) {
      MaybeCause cause = viewRefusal(reader, passed);
      if (!cause && passed != getLayout(reader.get()) &&
          !is_contained(problem.demanded(reader), passed))
        cause = demandOf(reader);
      if (cause) {
        cause->reason += ", behind " + opText(use.getOwner());
        return cause;
      }
      open.push_back({&reader, passed});
    }
  }
  return std::nullopt;
}

std::optional<RelayoutCause> CauseFinder::orderOf(OpOperand &use) const {
  auto op = dyn_cast<LayoutOpInterface>(use.getOwner());
  if (!op || op.getSensitivity() == Sensitivity::Data)
    return std::nullopt;
  std::string rule =
      "reads all its operands in one order, that of its result, " +
      nameOf(op->getResult(0));
  return RelayoutCause{"order", opName(op),
                       op.getOperandRole(use.getOperandNumber()).str(), rule,
                       opText(op) + " " + rule};
}

static std::string relayouts(int64_t count) {
  return files::countText(static_cast<uint64_t>(count), "relayout");
}

std::string npu::fixText(const LayoutFix &fix) {
  std::string saves = fix.savesCount ? relayouts(fix.savesCount) + ", " : "";
  return "smallest change: " + fix.change + ": saves " + saves +
         files::bytesText(fix.savesBytes);
}

/// From so many items of one rule on, only the first are printed.
static constexpr size_t itemsOfOneRule = 16;

static void explainSplits(const RelayoutReport &report,
                          llvm::raw_ostream &out) {
  ArrayRef<SplitItem> splits = report.splits;
  for (const SplitItem &split : splits.take_front(itemsOfOneRule)) {
    out << "  " << shownName(split.op) << " and " << shownName(split.before)
        << ", one kernel else, are two: ";
    if (split.from == split.to)
      out << "each has larger tiles by itself\n";
    else
      out << "the order changes between them, " << split.from << " to "
          << split.to << "\n";
  }
  if (splits.size() > itemsOfOneRule)
    out << "  and " << splits.size() - itemsOfOneRule
        << " more groups are split\n";
}

std::string npu::explainText(const RelayoutReport &report) {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << relayouts(report.count()) << ", " << report.bytes() << " bytes, "
      << report.boundaryCount() << " at the graph's boundary\n";
  llvm::MapVector<StringRef, SmallVector<const RelayoutItem *>> groups;
  for (const RelayoutItem &item : report.items)
    groups[item.cause.rule].push_back(&item);
  for (auto &[rule, items] : groups) {
    for (const RelayoutItem *item :
         ArrayRef(items).take_front(itemsOfOneRule)) {
      out << "  " << item->kind << " of " << shownName(item->value) << ": "
          << item->from << " to " << item->to << ", " << item->bytes
          << " bytes, " << llvm::format("%.0f", item->cost) << " cycles (floor "
          << llvm::format("%.0f", item->floor) << ")";
      if (!item->node.empty())
        out << ", at " << shownName(item->node);
      out << "\n    because " << shownMessage(item->cause.reason) << "\n";
      if (item->fixSearched)
        out << "    "
            << (item->fix ? shownMessage(fixText(*item->fix))
                          : "no single change that was tried removes it")
            << "\n";
    }
    if (items.size() <= itemsOfOneRule)
      continue;
    int64_t bytes = 0;
    for (const RelayoutItem *item : ArrayRef(items).drop_front(itemsOfOneRule))
      bytes += item->bytes;
    out << "  and " << items.size() - itemsOfOneRule << " more, "
        << files::bytesText(bytes) << ", of the same rule: " << rule << "\n";
  }
  if (report.untriedFixes)
    out << "  no change was tried for " << relayouts(report.untriedFixes)
        << ": " << report.whyUntried << "\n";
  llvm::MapVector<StringRef, SmallVector<std::string>> algorithms;
  for (auto &[op, algorithm] : report.algorithms)
    algorithms[algorithm].push_back(shownName(op));
  for (auto &[algorithm, ops] : algorithms) {
    out << "  " << ops.size() << " by " << algorithm << ": ";
    llvm::interleaveComma(ArrayRef(ops).take_front(itemsOfOneRule), out);
    out << (ops.size() > itemsOfOneRule ? ", ..." : "") << "\n";
  }
  explainSplits(report, out);
  for (const std::string &note : report.notes)
    out << "  " << shownMessage(note) << "\n";
  return text;
}
