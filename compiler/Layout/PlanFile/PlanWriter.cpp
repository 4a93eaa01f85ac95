// SPDX-License-Identifier: Apache-2.0
//
// --write-layout-plan: what was decided as a file, and the names and the
// fingerprint by which a file knows its graph.
#include "compiler/Layout/PlanFile/PlanWriter.h"

#include "compiler/Dialect/NPU/LayoutUse.h"
#include "compiler/Layout/PlanFile/PlanFile.h"
#include "compiler/Layout/Problem/Alternatives.h"
#include "compiler/Layout/Problem/LiveRanges.h"
#include "compiler/Layout/Problem/Names.h"
#include "compiler/Layout/Problem/SplitGroup.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/YAMLParser.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

using namespace npu;

/// On each op while the stage runs: its name in the source.
static constexpr StringRef nameAttribute = "npu.plan_name";

std::vector<std::pair<Operation *, std::string>>
npu::planNames(mlir::func::FuncOp function) {
  std::vector<std::pair<Operation *, std::string>> names;
  llvm::StringSet<> used;
  llvm::StringMap<unsigned> counts;
  for (Operation &op : function.getBody().front()) {
    auto rule = dyn_cast<LayoutOpInterface>(op);
    if (!rule || isa<RelayoutOp>(op))
      continue;
    std::string base = nodeName(op.getLoc());
    if (base.empty())
      base = rule.getDemandName().str();
    std::string name = base;
    while (!used.insert(name).second)
      name = base + "#" + std::to_string(++counts[base] + 1);
    names.emplace_back(&op, name);
  }
  return names;
}

std::string npu::graphFingerprint(mlir::func::FuncOp function) {
  std::string text;
  llvm::raw_string_ostream out(text);
  llvm::DenseMap<Value, unsigned> numbers;
  auto define = [&](Value value) {
    RankedTensorType type = tensorType(value);
    out << " = " << numbers.try_emplace(value, numbers.size()).first->second
        << ":";
    llvm::interleave(type.getShape(), out, "x");
    out << type.getElementType();
  };
  llvm::for_each(function.getArguments(), define);
  function.walk<mlir::WalkOrder::PreOrder>([&](Operation *op) {
    if (op == function)
      return;
    out << "\n" << op->getName();
    for (Value operand : op->getOperands())
      out << " " << numbers.lookup(operand);
    if (!isa<ConstantOp>(op))
      for (NamedAttribute attribute : op->getAttrs())
        if (!attribute.getName().strref().starts_with("npu."))
          out << " " << attribute.getName() << attribute.getValue();
    llvm::for_each(op->getResults(), define);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::for_each(block.getArguments(), define);
  });
  return llvm::utohexstr(llvm::xxh3_64bits(text), /*LowerCase=*/true, 16);
}

PlanWriter::PlanWriter(mlir::func::FuncOp source)
    : graph(graphFingerprint(source)) {
  for (auto &[op, name] : planNames(source))
    op->setAttr(nameAttribute, StringAttr::get(op->getContext(), name));
}

static const char *const header =
    R"(# A layout plan of npuc: how each value is stored, and in which order each op
# reads its operands (in the order of its operands; a relayout stands between
# where the two differ). docs/layout-plan.md says more.
#
# To hold an entry, add `pin: true` to it, write `any` where it may stay open,
# and compile with --layout-plan=THIS-FILE: everything that is not pinned is
# decided again around it. Or list pins apart:
#   pins:
#     - {op: "Conv 'c1'", stored: NHWC}
)";

static std::string quoted(StringRef text) {
  return "\"" + llvm::yaml::escape(text, /*EscapePrintable=*/false) + "\"";
}

static std::string writtenLetters(LayoutAttr layout) {
  return layout.getRank() == 0 ? "row-major" : layout.getLetters();
}

/// As a reader resolves it: by name where that means the same order.
static std::string writtenLayout(Value value, const ImageAxesAnalysis &axes) {
  LayoutAttr layout = getLayout(value);
  if (layout.getRank() == 0)
    return "row-major";
  ImageAxes roles = axes.of(value);
  std::string name = layoutName(layout, roles), ignored;
  std::optional<LayoutPattern> pattern = LayoutPattern::parse(name, ignored);
  std::optional<StoredOrder> order;
  if (pattern)
    order = pattern->resolve(layout.getRank(), roles);
  return order && toLayout(value.getContext(), *order) == layout
             ? name
             : layout.getLetters();
}

std::string PlanWriter::print(mlir::func::FuncOp decided, StringRef model,
                              const TargetSpec &target, StringRef strategy,
                              const OnChipValues *onChip) const {
  ImageAxesAnalysis axes(decided);
  std::string text = header;
  llvm::raw_string_ostream out(text);
  out << "version: 1\nnpuc: " NPU_VERSION "\nmodel: " << quoted(model)
      << "\ntarget: " << target.name << "\nstrategy: " << strategy
      << "\ngraph: " << graph << "\nlayouts:\n";
  auto boundary = [&](Value value, unsigned index, bool output) {
    out << "  - " << (output ? "output: " : "input: ")
        << quoted(boundaryName(decided, index, output))
        << "\n    stored: " << writtenLayout(value, axes) << "\n";
  };
  for (BlockArgument argument : decided.getArguments())
    boundary(argument, argument.getArgNumber(), /*output=*/false);
  for (Operation &op : decided.getBody().front()) {
    auto name = op.getAttrOfType<StringAttr>(nameAttribute);
    if (!name)
      continue;
    op.removeAttr(nameAttribute);
    out << "  - op: " << quoted(name) << "\n    reads: [";
    // Of several ops in place of one: as that one read its operands.
    auto set = op.getAttrOfType<mlir::DictionaryAttr>(replacementAttr);
    if (!set)
      set = op.getAttrOfType<mlir::DictionaryAttr>(splitAttr);
    if (set)
      llvm::interleaveComma(set.getAs<mlir::ArrayAttr>("reads"), out,
                            [&](Attribute layout) {
                              out << writtenLetters(cast<LayoutAttr>(layout));
                            });
    else
      llvm::interleaveComma(op.getOperands(), out, [&](Value operand) {
        out << writtenLayout(operand, axes);
      });
    OpResult result = op.getResult(0);
    out << "]\n    stored: " << writtenLayout(result, axes) << "\n";
    if (onChip && target.machine.sramKiB > 0 && whyNotOnChip(result).empty())
      out << "    resident: "
          << (onChip->holds(result, getLayout(result)) ? "true" : "false")
          << "\n";
    if (const Alternative *split = splitOf(&op))
      out << "    algorithm: " << split->name << "\n";
    else if (const Alternative *algorithm = replacementOf(&op))
      out << "    algorithm: " << algorithm->name << "\n";
    else if (!alternativesFor(&op, target).empty() ||
             !splitsFor(&op, target).empty())
      out << "    algorithm: " << ownAlgorithm << "\n";
  }
  for (OpOperand &operand :
       decided.getBody().front().getTerminator()->getOpOperands())
    boundary(operand.get(), operand.getOperandNumber(), /*output=*/true);
  return text;
}
