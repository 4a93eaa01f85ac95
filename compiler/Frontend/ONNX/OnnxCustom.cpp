// SPDX-License-Identifier: Apache-2.0
#include "compiler/Frontend/ONNX/OnnxCustom.h"

#include "compiler/Dialect/NPU/CustomOp.h"
#include "compiler/Frontend/Support/Emitter.h"
#include "files/shown_text.h"
#include "npu/plugin.h"

using namespace npu;
using format::CustomAttribute;

PluginNode npu::lookupPluginNode(MLIRContext *context,
                                 const onnx::NodeProto &node) {
  const plugin::Use *use = pluginsOf(context);
  if (!use)
    return {};
  for (const plugin::Plugin *plugin : use->plugins)
    if (const npu_plugin *brings = plugin->runtime)
      for (int32_t i = 0; i < brings->n_ops; ++i)
        if (node.domain() == brings->ops[i].domain &&
            node.op_type() == brings->ops[i].op_type)
          return {plugin, &brings->ops[i]};
  return {};
}

/// Of each tensor, which is copied: a function's body is read for each call.
static LogicalResult readTensors(const OnnxModel &model, Location location,
                                 ArrayRef<const onnx::TensorProto *> tensors,
                                 CustomAttribute &attribute) {
  attribute.kind = CustomAttribute::Kind::Tensors;
  for (const onnx::TensorProto *tensor : tensors) {
    onnx::TensorProto copy = *tensor;
    FailureOr<ElementsAttr> elements = takeElements(model, location, copy);
    if (failed(elements))
      return failure();
    attribute.tensors.push_back(describeElements(*elements));
  }
  return success();
}

/// False where plugins get no attributes of this type; tensors are left out.
static bool readAttribute(const onnx::AttributeProto &proto,
                          CustomAttribute &attribute) {
  using Proto = onnx::AttributeProto;
  attribute.name = proto.name();
  switch (proto.type()) {
  case Proto::INT:
    attribute.ints = {proto.i()};
    return true;
  case Proto::INTS:
    attribute.ints.assign(proto.ints().begin(), proto.ints().end());
    return true;
  case Proto::FLOAT:
    attribute.kind = CustomAttribute::Kind::Floats;
    attribute.floats = {proto.f()};
    return true;
  case Proto::FLOATS:
    attribute.kind = CustomAttribute::Kind::Floats;
    attribute.floats.assign(proto.floats().begin(), proto.floats().end());
    return true;
  case Proto::STRING:
    attribute.kind = CustomAttribute::Kind::Strings;
    attribute.strings = {proto.s()};
    return true;
  case Proto::STRINGS:
    attribute.kind = CustomAttribute::Kind::Strings;
    attribute.strings.assign(proto.strings().begin(), proto.strings().end());
    return true;
  case Proto::TENSOR:
    return true;
  case Proto::TENSORS: // without any, it would be a list of anything
    return proto.tensors_size() > 0;
  default:
    return false;
  }
}

/// The node's attributes, sorted, without the contents of tensors; a clause in
/// `wrong` where a plugin cannot get them.
static std::vector<CustomAttribute> readAttributes(const onnx::NodeProto &node,
                                                   std::string &wrong) {
  std::vector<CustomAttribute> attributes;
  for (const onnx::AttributeProto &proto : node.attribute()) {
    std::string name = files::shownName(proto.name());
    // As C, it has no zeros within.
    auto isText = [](const std::string &text) {
      return text.find('\0') == std::string::npos;
    };
    if (proto.name().empty() || !isText(proto.name()) ||
        !readAttribute(proto, attributes.emplace_back()) ||
        !llvm::all_of(attributes.back().strings, isText))
      wrong = "has the attribute '" + name +
              "', which a plugin cannot get: expected ints, floats, strings "
              "without zeros, or one or more tensors";
  }
  llvm::sort(attributes,
             [](const auto &a, const auto &b) { return a.name < b.name; });
  for (size_t i = 1; i < attributes.size(); ++i)
    if (attributes[i].name == attributes[i - 1].name)
      wrong =
          "has two attributes '" + files::shownName(attributes[i].name) + "'";
  return attributes;
}

/// The tensors of its attributes.
static LogicalResult readTensors(const OnnxModel &model, Location location,
                                 const onnx::NodeProto &node,
                                 std::vector<CustomAttribute> &attributes) {
  for (const onnx::AttributeProto &proto : node.attribute()) {
    SmallVector<const onnx::TensorProto *> tensors;
    if (proto.type() == onnx::AttributeProto::TENSOR)
      tensors.push_back(&proto.t());
    for (const onnx::TensorProto &tensor : proto.tensors())
      tensors.push_back(&tensor);
    auto attribute = llvm::find_if(
        attributes, [&](auto &one) { return one.name == proto.name(); });
    if (!tensors.empty() &&
        failed(readTensors(model, location, tensors, *attribute)))
      return failure();
  }
  return success();
}

/// The inputs that are there, and which they are, if not 0, 1, 2, ...
static SmallVector<Value> givenInputs(ArrayRef<Value> inputs,
                                      SmallVectorImpl<int64_t> &places) {
  SmallVector<Value> given;
  for (auto [place, input] : llvm::enumerate(inputs))
    if (input) {
      given.push_back(input);
      places.push_back(static_cast<int64_t>(place));
    }
  if (places.empty() || places.back() + 1 == static_cast<int64_t>(given.size()))
    places.clear();
  return given;
}

FailureOr<SmallVector<Value>>
npu::buildPluginNode(OpBuilder &builder, const OnnxModel &model, PluginNode op,
                     const onnx::NodeProto &node, ArrayRef<Value> inputs) {
  Location location = locationOf(model, node);
  Emitter emitter(builder, location);
  constexpr size_t most = 16;
  SmallVector<int64_t> places;
  SmallVector<Value> given = givenInputs(inputs, places);
  if (inputs.size() > most || node.output_size() > op.op->n_results)
    return emitter.error("has " + Twine(inputs.size()) + " inputs and " +
                         Twine(node.output_size()) +
                         " results, expected at most " + Twine(most) + " and " +
                         Twine(op.op->n_results) + " of plugin " +
                         op.plugin->nameAndVersion());
  std::string wrong;
  format::CustomOp named;
  named.plugin = op.plugin->name;
  named.version = op.plugin->version;
  named.op = op.op->name;
  named.attributes = readAttributes(node, wrong);
  named.places.assign(places.begin(), places.end());
  if (!wrong.empty())
    return emitter.error(wrong);
  if (failed(readTensors(model, location, node, named.attributes)))
    return failure();
  mlir::DictionaryAttr parameters = parametersOf(builder, named.attributes);
  SmallVector<Value> results(node.output_size());
  for (auto [index, result] : llvm::enumerate(results)) {
    if (node.output(static_cast<int>(index)).empty())
      continue;
    named.output = static_cast<int32_t>(index);
    kernels::Problem problem =
        customProblem(named, mlir::ValueRange(given).getTypes(),
                      pluginsOf(builder.getContext()));
    RankedTensorType type =
        inferCustomType(builder.getContext(), problem, wrong);
    if (!type)
      return emitter.error(wrong);
    result = emitter.create<CustomOp>(
        type.getShape(), type.getElementType(), given,
        builder.getStringAttr(named.plugin),
        builder.getStringAttr(named.version), builder.getStringAttr(named.op),
        parameters,
        places.empty() ? mlir::DenseI64ArrayAttr()
                       : builder.getDenseI64ArrayAttr(places),
        builder.getI64IntegerAttr(named.output));
    if (!result)
      return failure();
  }
  return results;
}
