// SPDX-License-Identifier: Apache-2.0
#include "compiler/Layout/LayoutReport.h"

#include "compiler/Kernel/KernelProblem.h"
#include "compiler/Layout/Placement.h"

#include "mlir/IR/AsmState.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace npu;

int64_t LayoutReport::boundaryCount() const {
  return llvm::count_if(items,
                        [](const RelayoutItem &item) { return item.boundary; });
}

int64_t LayoutReport::bytes() const {
  int64_t total = 0;
  for (const RelayoutItem &item : items)
    total += item.bytes;
  return total;
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

namespace {

class Reporter {
public:
  Reporter(mlir::func::FuncOp function, const TargetSpec &target)
      : function(function), target(target), axes(function),
        problem(function, target, axes) {}

  LayoutReport run() {
    LayoutReport report;
    report.cost = costOf(problem);
    for (Operation &op : function.getBody().front()) {
      if (isa<RelayoutOp, TransposeOp, ReshapeOp>(op) && !isFreeView(&op) &&
          !op.use_empty())
        report.items.push_back(describe(&op));
      if (auto note = op.getAttrOfType<StringAttr>(layoutNoteAttr))
        report.notes.push_back(opText(&op) + " " + note.str());
    }
    return report;
  }

private:
  RelayoutItem describe(Operation *op) {
    RelayoutItem item;
    Value from = op->getOperand(0), to = op->getResult(0);
    item.kind = op->getName().getStringRef().drop_front(4).str();
    OpOperand *output = outputOf(op);
    item.value = output && !isa<BlockArgument>(from) ? outputName(*output)
                                                     : valueName(from);
    item.from = layoutName(getLayout(from), axes.of(from));
    item.to = layoutName(getLayout(to), axes.of(to));
    item.bytes = storedBytes(tensorType(to));
    item.cost = static_cast<double>(costOf(problem, op).cycles);
    item.boundary =
        isa<RelayoutOp>(op) && (isa<BlockArgument>(from) || output != nullptr);
    item.reason = reasonFor(op);
    item.node = nodeName(op->getLoc());
    return item;
  }

  std::string valueName(Value value) {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      auto name = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                        "npu.name");
      return name ? name.str()
                  : "input " + std::to_string(argument.getArgNumber());
    }
    for (OpOperand &use : value.getUses())
      if (isa<mlir::func::ReturnOp>(use.getOwner()))
        return outputName(use);
    if (isa<RelayoutOp>(value.getDefiningOp()))
      return valueName(value.getDefiningOp()->getOperand(0));
    std::string node = nodeName(value.getLoc());
    return node.empty() ? "result of " + opName(value.getDefiningOp())
                        : "result of " + node;
  }

  std::string outputName(OpOperand &use) {
    auto name = function.getResultAttrOfType<StringAttr>(use.getOperandNumber(),
                                                         "npu.name");
    return name ? name.str()
                : "output " + std::to_string(use.getOperandNumber());
  }

  static OpOperand *outputOf(Operation *op) {
    for (OpOperand &use : op->getResult(0).getUses())
      if (isa<mlir::func::ReturnOp>(use.getOwner()))
        return &use;
    return nullptr;
  }

  static std::string opName(Operation *op) {
    if (auto rule = dyn_cast<LayoutOpInterface>(op))
      return rule.getDemandName().str();
    return op->getName().getStringRef().str();
  }

  static std::string opText(Operation *op) {
    std::string node = nodeName(op->getLoc());
    return node.empty() ? opName(op) : node + " (" + opName(op) + ")";
  }

  std::string reasonFor(Operation *op) {
    if (!isa<RelayoutOp>(op))
      return "the model's own " +
             op->getName().getStringRef().drop_front(4).str() +
             ", whose result is wanted in another order than its operand gives";
    if (OpOperand *output = outputOf(op))
      return "output '" + outputName(*output) + "' is held to " +
             getLayout(op->getResult(0)).getLetters() + " by --io-layout";
    for (OpOperand &use : op->getResult(0).getUses()) {
      std::string reason = demandOf(use);
      if (!reason.empty())
        return reason;
    }
    LayoutAttr offered = getLayout(op->getOperand(0));
    for (OpOperand &use : op->getResult(0).getUses())
      if (std::string reason = viewRefusal(use, offered); !reason.empty())
        return reason;
    if (std::string reason = producerDemand(op->getOperand(0)); !reason.empty())
      return reason;
    for (OpOperand &use : op->getResult(0).getUses())
      if (std::string reason = orderOf(use); !reason.empty())
        return reason;
    return "the plan brings the value into this order";
  }

  std::string demandOf(OpOperand &use) {
    auto rule = dyn_cast<LayoutOpInterface>(use.getOwner());
    if (!rule || problem.accepted(use).empty())
      return {};
    return opText(use.getOwner()) + " on " + target.name + " demands " +
           layoutName(getLayout(use.get()), axes.of(use.get())) + " for its " +
           rule.getOperandRole(use.getOperandNumber()).str();
  }

  std::string producerDemand(Value value) {
    auto result = dyn_cast<OpResult>(value);
    if (!result || problem.accepted(result).empty())
      return {};
    return opText(result.getOwner()) + " on " + target.name + " gives " +
           layoutName(getLayout(value), axes.of(value));
  }

  /// Why a view could not pass on the order that was there.
  static std::string viewRefusal(OpOperand &use, LayoutAttr offered) {
    auto rule = dyn_cast<LayoutOpInterface>(use.getOwner());
    std::string whyNot;
    if (!rule || rule.getSensitivity() != Sensitivity::Data ||
        viewLayout(rule, offered, whyNot))
      return {};
    return opText(use.getOwner()) + ": " + whyNot;
  }

  std::string orderOf(OpOperand &use) {
    auto rule = dyn_cast<LayoutOpInterface>(use.getOwner());
    if (!rule || rule.getSensitivity() == Sensitivity::Data)
      return {};
    return opText(use.getOwner()) +
           " reads all its operands in one order, that of its result, " +
           layoutName(getLayout(use.getOwner()->getResult(0)),
                      axes.of(use.getOwner()->getResult(0)));
  }

  mlir::func::FuncOp function;
  const TargetSpec &target;
  ImageAxesAnalysis axes;
  LayoutProblem problem;
};

} // namespace

LayoutReport npu::reportLayouts(mlir::func::FuncOp function,
                                const TargetSpec &target) {
  return Reporter(function, target).run();
}

std::string npu::explainText(const LayoutReport &report) {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << report.count()
      << (report.count() == 1 ? " relayout, " : " relayouts, ")
      << report.bytes() << " bytes, " << report.boundaryCount()
      << " at the graph's boundary\n";
  for (const RelayoutItem &item : report.items) {
    out << "  " << item.kind << " of " << item.value << ": " << item.from
        << " to " << item.to << ", " << item.bytes << " bytes";
    if (!item.node.empty())
      out << ", at " << item.node;
    out << "\n    because " << item.reason << "\n";
  }
  for (const std::string &note : report.notes)
    out << "  " << note << "\n";
  return text;
}
