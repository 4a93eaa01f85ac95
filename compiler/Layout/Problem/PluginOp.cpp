// SPDX-License-Identifier: Apache-2.0
#include "compiler/Layout/Problem/PluginOp.h"

#include "compiler/Dialect/NPU/Constants.h"
#include "compiler/Dialect/NPU/CustomOp.h"
#include "compiler/Dialect/NPU/OpFacts.h"
#include "compiler/Dialect/NPU/OpNames.h"
#include "kernels/plugin/plugin_problem.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace npu;

static StringRef typeWord(Type element) {
  for (const TypeWord &word : typeVocabulary())
    if (word.type == dtypeOf(element))
      return word.name;
  return ""; // of an element that no target computes with
}

struct PluginOp::Parameters {
  explicit Parameters(CustomOp given)
      : op(describeOp(given)), attributes(op.attributes),
        places(kernels::placesOf(op, given->getNumOperands())) {}

  format::CustomOp op;
  kernels::PluginAttributes attributes;
  std::vector<int32_t> places;
};

PluginOp::~PluginOp() = default;

PluginOp::PluginOp(LayoutOpInterface op, StringRef target, bool withData) {
  described.struct_size = sizeof(described);
  described.name = kept(op.getDemandName());
  described.node = kept(nodeName(op->getLoc()));
  described.target = kept(target);
  auto fused = dyn_cast<FusedOp>(op.getOperation());
  Operation *root = fused ? fused.getRoot() : nullptr;
  described.is_fused = root != nullptr;
  addValues(op, withData);
  addFacts(op);
  addAttributes(root ? root : op.getOperation());
  if (auto ofPlugin = dyn_cast<CustomOp>(op.getOperation()))
    addParameters(ofPlugin);
  described.operands = operands.data();
  described.results = results.data();
  described.facts = facts.data();
  described.attributes = attributes.data();
  described.operand_count = static_cast<int32_t>(operands.size());
  described.result_count = static_cast<int32_t>(results.size());
  described.fact_count = static_cast<int32_t>(facts.size());
  described.attribute_count = static_cast<int32_t>(attributes.size());
}

const char *PluginOp::kept(StringRef text) {
  return texts.emplace_back(text.str()).c_str();
}

void PluginOp::addValues(LayoutOpInterface op, bool withData) {
  auto describe = [&](Value value, StringRef role) {
    RankedTensorType type = tensorType(value);
    npuc_value one = {};
    one.role = kept(role);
    one.type = kept(typeWord(type.getElementType()));
    one.shape = shapes.emplace_back(type.getShape().vec()).data();
    one.rank = static_cast<int32_t>(type.getRank());
    ConstantOp constant = constantBehind(value);
    one.is_constant = constant != nullptr;
    if (constant && withData)
      one.data =
          elementBytes(constant.getValue(), elements.emplace_back()).data();
    return one;
  };
  // A fused kernel's root reads the kernel's first operands; what others add
  // is not the root's affair.
  size_t count = op->getNumOperands();
  auto fused = dyn_cast<FusedOp>(op.getOperation());
  if (fused && fused.getRoot())
    count = fused.getRoot()->getNumOperands();
  for (size_t i = 0; i < count; ++i)
    operands.push_back(describe(op->getOperand(i), op.getOperandRole(i)));
  for (Value result : op->getResults())
    results.push_back(describe(result, "result"));
}

void PluginOp::addParameters(CustomOp op) {
  parameters = std::make_unique<Parameters>(op);
  described.parameters = parameters->attributes.data();
  described.parameter_count = parameters->attributes.size();
  described.places = parameters->places.data();
  described.result = parameters->op.output;
}

/// Those of the op itself; others' have a dot in their names.
void PluginOp::addAttributes(Operation *op) {
  for (mlir::NamedAttribute one : op->getAttrDictionary())
    if (!one.getName().getValue().contains('.'))
      attributes.push_back({kept(one.getName().getValue()),
                            kept(llvm::formatv("{0}", one.getValue()).str())});
}

void PluginOp::addFacts(LayoutOpInterface op) {
  const OpWords *known = lookupOpWords(op.getDemandName());
  if (!known)
    return;
  for (const OpFact &fact : opFacts()) {
    if (!fact.isOf(*known))
      continue;
    npuc_fact one = {};
    one.name = fact.name.data(); // a literal
    if (fact.numbers) {
      auto &list = numbers.emplace_back();
      llvm::append_range(list, fact.numbers(op));
      one.numbers = list.data();
      one.count = static_cast<int32_t>(list.size());
    } else {
      auto &list = words.emplace_back();
      for (StringRef word : fact.words(op))
        list.push_back(kept(word));
      one.words = list.data();
      one.count = static_cast<int32_t>(list.size());
    }
    facts.push_back(one);
  }
}
