// SPDX-License-Identifier: Apache-2.0
//
// Operators of plugins: a file calls them CUSTOM and gives a name.
#include "compiler/Frontend/Support/PluginNode.h"
#include "compiler/Frontend/TFLite/TfliteOps.h"

#include "flatbuffers/flexbuffers.h"

using namespace npu;
using format::CustomAttribute;

/// One more number or text of an attribute; false where a plugin gets no such.
static bool append(flexbuffers::Reference value, CustomAttribute &attribute) {
  using Kind = CustomAttribute::Kind;
  Kind kind = value.IsFloat()    ? Kind::Floats
              : value.IsString() ? Kind::Strings
                                 : Kind::Ints;
  bool isFirst = attribute.ints.empty() && attribute.floats.empty() &&
                 attribute.strings.empty();
  if (!isFirst && kind != attribute.kind)
    return false;
  attribute.kind = kind;
  if (value.IsFloat())
    attribute.floats.push_back(value.AsFloat());
  else if (value.IsString())
    attribute.strings.push_back(value.AsString().str());
  else if (value.IsIntOrUint() || value.IsBool())
    attribute.ints.push_back(value.AsInt64());
  else
    return false;
  return true;
}

static bool readAttribute(flexbuffers::Reference value,
                          CustomAttribute &attribute) {
  if (!value.IsAnyVector() || value.IsMap())
    return append(value, attribute);
  auto all = [&](auto vector) {
    bool isWhole = vector.size() > 0;
    for (size_t i = 0; isWhole && i < vector.size(); ++i)
      isWhole = append(vector[i], attribute);
    return isWhole;
  };
  if (value.IsTypedVector())
    return all(value.AsTypedVector());
  if (value.IsFixedTypedVector())
    return all(value.AsFixedTypedVector());
  return all(value.AsVector());
}

/// The entries of a FlexBuffers map; other bytes as they are, in one attribute.
static FailureOr<std::vector<CustomAttribute>> readOptions(TfliteNode &node) {
  std::vector<CustomAttribute> attributes;
  const auto *bytes = node.op.source.custom_options();
  if (!bytes || bytes->size() == 0)
    return attributes;
  std::vector<uint8_t> tracker;
  if (!flexbuffers::VerifyBuffer(bytes->data(), bytes->size(), &tracker) ||
      !flexbuffers::GetRoot(bytes->data(), bytes->size()).IsMap()) {
    CustomAttribute &all = attributes.emplace_back();
    all.name = "custom_options";
    all.ints.assign(bytes->begin(), bytes->end());
    return attributes;
  }
  flexbuffers::Map map =
      flexbuffers::GetRoot(bytes->data(), bytes->size()).AsMap();
  for (size_t i = 0; i < map.size(); ++i) {
    CustomAttribute &attribute = attributes.emplace_back();
    attribute.name = map.Keys()[i].AsString().str();
    if (!readAttribute(map.Values()[i], attribute))
      return pluginGetsNone(node, attribute.name);
  }
  if (failed(checkPluginAttributes(node, attributes)))
    return failure();
  return attributes;
}

/// Plugins see bytes as the file stores them.
LogicalResult npu::buildTflitePlugin(TfliteNode &node) {
  MLIRContext *context = node.getBuilder().getContext();
  Type byte = mlir::IntegerType::get(context, 8, mlir::IntegerType::Unsigned);
  FailureOr<std::vector<CustomAttribute>> attributes = readOptions(node);
  if (failed(attributes))
    return failure();
  SmallVector<Value> inputs;
  for (size_t i = 0; i < node.inputCount(); ++i) {
    Value value = node.optionalInput(i);
    bool isShifted = value && isShiftedByte(*node.op.input(i));
    inputs.push_back(
        isShifted
            ? node.cast(storedNumbers(node, value, *node.op.input(i)), byte)
            : value);
  }
  FailureOr<SmallVector<Value>> results = buildPluginNode(
      node, lookupPluginNode(context, "tflite", node.op.customName()),
      *attributes, inputs, std::vector<bool>(node.op.outputCount(), true));
  if (failed(results))
    return failure();
  for (auto [i, value] : llvm::enumerate(*results)) {
    if (isShiftedByte(*node.op.output(i)) && elementOf(value) == byte)
      value = node.cast(heldNumbers(node, value, *node.op.output(i)),
                        node.resultElement(i));
    if (failed(node.setResult(value, i)))
      return failure();
  }
  return success();
}
