// SPDX-License-Identifier: Apache-2.0
#include "compiler/Target/Lacks.h"

#include "compiler/Dialect/NPU/Device.h"
#include "compiler/Dialect/NPU/OutputCopy.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace npu;

/// Whether the chip's file speaks of the type only to say what it lacks.
static std::optional<Lack> lackedType(const TargetSpec &target,
                                      LayoutOpInterface op) {
  auto lackOf = [&](Type type, StringRef verb) -> std::optional<Lack> {
    Type element = cast<RankedTensorType>(type).getElementType();
    if (target.supports(element))
      return std::nullopt;
    std::string name;
    llvm::raw_string_ostream(name) << element;
    // npuc-quantize takes models of f32.
    bool isQuantizable = element.isF32() || element.isF16() || element.isBF16();
    std::string change = isQuantizable
                             ? "quantize the model (npuc-quantize; what a "
                               "quantized one takes and gives: --quantized-io)"
                             : "use another type in the model";
    return Lack{verb.str() + " " + name + ", which `types` does not list",
                change + ", or list " + name + " in `types`", isQuantizable};
  };
  for (Type type : op->getResultTypes())
    if (std::optional<Lack> lack = lackOf(type, "gives"))
      return lack;
  // Indices are addresses, which every chip that has the op has.
  for (unsigned index = 0; index < op->getNumOperands(); ++index)
    if (op.getOperandRole(index) != "indices")
      if (std::optional<Lack> lack =
              lackOf(op->getOperand(index).getType(), "reads"))
        return lack;
  return std::nullopt;
}

static std::optional<Lack> listedLack(const TargetSpec &target,
                                      LayoutOpInterface op, StringRef name) {
  auto found = target.unsupported.find(name.str());
  if (found == target.unsupported.end())
    return std::nullopt;
  for (const Unsupported &entry : found->second) {
    // A window of 1x9 is not the chip's where windows from 8 are not.
    if (!allHold(entry.when, op, Among::Any))
      continue;
    if (entry.when.empty())
      return Lack{"is listed in `unsupported`",
                  "use another op, or take it out of `unsupported`"};
    std::string facts;
    for (const Condition &condition : entry.when)
      facts += (facts.empty() ? "" : ", ") + factText(*condition.fact, op);
    return Lack{facts + "; `unsupported` lists " + conditionsText(entry.when),
                "change one of these in the model, or narrow the entry"};
  }
  return std::nullopt;
}

/// Those of an entry that do not hold.
static SmallVector<const Condition *> failing(const Conditions &conditions,
                                              LayoutOpInterface op) {
  SmallVector<const Condition *> some;
  for (const Condition &condition : conditions)
    if (!condition.holds(op))
      some.push_back(&condition);
  return some;
}

/// How far an op is from an entry: a number may be made another, a word is
/// what the op is.
static std::pair<size_t, size_t> distance(ArrayRef<const Condition *> failing) {
  size_t words = llvm::count_if(
      failing, [](const Condition *one) { return !one->fact->numbers; });
  return {words, failing.size()};
}

/// Of an op that all entries of `demands` have conditions for: what fails of
/// the nearest.
static std::optional<Lack> uncovered(const TargetSpec &target,
                                     LayoutOpInterface op, StringRef name) {
  ArrayRef<Signature> all = target.signatures(name);
  std::optional<SmallVector<const Condition *>> nearest;
  for (const Signature &signature : all) {
    SmallVector<const Condition *> some = failing(signature.when, op);
    if (some.empty())
      return std::nullopt;
    if (!nearest || distance(some) < distance(*nearest))
      nearest = some;
  }
  if (!nearest)
    return std::nullopt;
  std::string facts, limits;
  for (const Condition *condition : *nearest) {
    facts += (facts.empty() ? "" : ", ") + factText(*condition->fact, op) +
             " (`demands` takes " + condition->text + ")";
    limits += (limits.empty() ? "" : " and ") + condition->fact->name.str() +
              ": " + condition->text;
  }
  return Lack{facts, "change the model to " + limits +
                         ", or add an entry to `demands` that takes it as it "
                         "is"};
}

std::optional<Lack> npu::lackAs(const TargetSpec &target, LayoutOpInterface op,
                                StringRef name) {
  if (std::optional<Lack> lack = listedLack(target, op, name))
    return lack;
  return uncovered(target, op, name);
}

std::optional<Lack> npu::lackOf(const TargetSpec &target,
                                LayoutOpInterface op) {
  if (std::optional<Lack> lack = lackedType(target, op))
    return lack;
  return lackAs(target, op, op.getDemandName());
}

void npu::placeMoves(mlir::func::FuncOp function, const TargetSpec &target) {
  for (Operation &op : function.getBody().front()) {
    if ((!isa<RelayoutOp>(op) && !isCopy(&op)) ||
        !target.isMovedBeside(tensorType(op.getOperand(0)).getElementType()))
      continue;
    if (std::optional<Lack> lack = lackOf(target, cast<LayoutOpInterface>(op)))
      putOnProcessor(&op, lack->why, lack->change);
  }
}
