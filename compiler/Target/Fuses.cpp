// SPDX-License-Identifier: Apache-2.0
#include "compiler/Target/Fuses.h"

#include "compiler/Dialect/NPU/Constants.h"
#include "compiler/Dialect/NPU/Device.h"
#include "compiler/Target/TargetSpec.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

using namespace npu;

bool npu::canBeMainOp(const OpWords &words) {
  const bool isPlugins = words.name.contains('.');
  return (words.sensitivity == Sensitivity::Heavy && !isPlugins) ||
         words.name == "eltwise";
}

bool FuseWord::takes(EltwiseOp op) const {
  if (steps)
    return (outputStepsOf(op) & steps) != 0;
  return !function || static_cast<int32_t>(op.getKind()) == *function;
}

Fuses npu::fusesOfOutputStage(OutputSteps stage) {
  Fuses fuses;
  for (const OpWords &words : opVocabulary()) {
    FuseEntry entry;
    if (words.sensitivity != Sensitivity::Heavy)
      entry.then = {{"eltwise", 0, std::nullopt}};
    else if (stage)
      entry.then = {{"output_stage", stage, std::nullopt}};
    if (words.sensitivity == Sensitivity::Heavy)
      entry.operands = 1;
    if (canBeMainOp(words) && !entry.then.empty())
      fuses.entries[words.name.str()].push_back(std::move(entry));
  }
  return fuses;
}

/// What conditions are asked of: inside of a kernel, constants are seen from
/// outside of it alone.
static LayoutOpInterface judged(Operation *main) {
  auto fused = dyn_cast_or_null<FusedOp>(main->getParentOp());
  return cast<LayoutOpInterface>(
      fused && fused.getRoot() == main ? fused.getOperation() : main);
}

namespace {

class Group {
public:
  explicit Group(ArrayRef<Operation *> ops) : ops(ops) {
    members.insert_range(ops);
    following.insert(ops.front());
    for (Operation *op : ops.drop_front())
      if (llvm::any_of(op->getOperands(), [&](Value operand) {
            return following.contains(operand.getDefiningOp());
          }))
        following.insert(op);
  }

  bool isTakenBy(const FuseEntry &entry) const {
    return allHold(entry.when, judged(ops.front())) && hasType(entry) &&
           hasOperands(entry) && hasSteps(entry);
  }

private:
  bool hasType(const FuseEntry &entry) const {
    Type stored = tensorType(ops.back()->getResult(0)).getElementType();
    return entry.types.empty() ||
           llvm::is_contained(entry.types,
                              static_cast<npu_dtype>(dtypeOf(stored)));
  }

  /// An elementwise main op's own operands count, too.
  bool hasOperands(const FuseEntry &entry) const {
    if (!entry.operands)
      return true;
    llvm::SmallSetVector<Value, 8> operands;
    for (Operation *op : ops)
      if (auto step = dyn_cast<EltwiseOp>(op))
        for (Value input : step.getInputs())
          if (!members.contains(input.getDefiningOp()) &&
              !isChannelConstant(input, step.getResult()))
            operands.insert(input);
    return static_cast<int64_t>(operands.size()) <= *entry.operands;
  }

  bool hasSteps(const FuseEntry &entry) const {
    size_t place = 0;
    for (Operation *op : ops.drop_front()) {
      auto step = dyn_cast<EltwiseOp>(op);
      if (!step)
        return false;
      // How an operand is read, whoever reads it.
      if (!following.contains(op) && (outputStepsOf(step) & Requantize))
        continue;
      auto words = ArrayRef(entry.then).drop_front(place);
      const auto *found = llvm::find_if(
          words, [&](const FuseWord &word) { return word.takes(step); });
      if (found == words.end())
        return false;
      // Each word may take several in a row.
      if (entry.isListed)
        place += static_cast<size_t>(found - words.begin());
    }
    return true;
  }

  ArrayRef<Operation *> ops;
  llvm::SmallPtrSet<Operation *, 16> members;
  llvm::SmallPtrSet<Operation *, 16>
      following; // that the main op's result feeds
};

} // namespace

bool npu::mayFuse(const TargetSpec &target, ArrayRef<Operation *> group) {
  if (group.size() < 2 || isOnProcessor(group.front()) ||
      target.fuses.source == Fuses::Source::Library)
    return true;
  auto main = dyn_cast<LayoutOpInterface>(group.front());
  if (!main)
    return false;
  auto found = target.fuses.entries.find(main.getDemandName().str());
  if (found == target.fuses.entries.end())
    return false;
  const Group asked(group);
  return llvm::any_of(found->second, [&](const FuseEntry &entry) {
    return asked.isTakenBy(entry);
  });
}

/// "bias, activation in this order, up to 1 operand more, stored as i8".
static std::string entryText(const FuseEntry &entry) {
  std::string text;
  for (const FuseWord &word : entry.then)
    text += (text.empty() ? "" : ", ") +
            (word.text == "eltwise" ? "any elementwise function" : word.text);
  if (entry.then.size() > 1)
    text += entry.isListed ? ", in this order" : ", in any order";
  if (entry.operands)
    text += ", up to " + std::to_string(*entry.operands) +
            (*entry.operands == 1 ? " further operand" : " further operands");
  std::string types;
  for (npu_dtype type : entry.types)
    for (const TypeWord &word : typeVocabulary())
      if (word.type == type)
        types += (types.empty() ? ", stored as " : " or ") + word.name.str();
  return text + types;
}

std::string npu::fusesText(const TargetSpec &target) {
  if (target.fuses.source == Fuses::Source::Library)
    return "fuses: what the library of this machine runs as one kernel\n";
  if (target.fuses.source == Fuses::Source::OutputStage)
    return std::string("fuses: not said; ") +
           (target.array.outputStage
                ? "what `output_stage` lists, with one operand, behind "
                  "convolutions, products and pooling"
                : "nothing behind convolutions, products and pooling") +
           "; elementwise ops with each other\n";
  // Ops of one entry stand together.
  std::vector<std::pair<std::string, std::string>> lines; // entry, ops
  for (auto &[op, entries] : target.fuses.entries)
    for (const FuseEntry &entry : entries) {
      std::string when = conditionsText(entry.when);
      std::string text = (when.empty() ? "" : " (" + when + ")") + ": then " +
                         entryText(entry);
      auto found = llvm::find_if(
          lines, [&](const auto &line) { return line.first == text; });
      if (found == lines.end())
        lines.push_back({text, op});
      else
        found->second += ", " + op;
    }
  std::string text = "fuses:\n";
  for (auto &[entry, ops] : lines)
    text += "  " + ops + entry + "\n";
  return text;
}
