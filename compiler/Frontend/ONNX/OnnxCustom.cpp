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

/// False where plugins get no attributes of this type.
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
  default:
    return false;
  }
}

/// The node's attributes, sorted; a clause in `wrong` where a plugin cannot get
/// them.
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
              "', which is neither numbers nor text; a plugin gets ints, "
              "floats and strings, make it an input";
  }
  llvm::sort(attributes,
             [](const auto &a, const auto &b) { return a.name < b.name; });
  for (size_t i = 1; i < attributes.size(); ++i)
    if (attributes[i].name == attributes[i - 1].name)
      wrong =
          "has two attributes '" + files::shownName(attributes[i].name) + "'";
  return attributes;
}

FailureOr<Value> npu::buildPluginNode(OpBuilder &builder, Location location,
                                      PluginNode op,
                                      const onnx::NodeProto &node,
                                      ArrayRef<Value> inputs) {
  Emitter emitter(builder, location);
  while (!inputs.empty() && !inputs.back())
    inputs = inputs.drop_back();
  if (llvm::is_contained(inputs, Value()))
    return emitter.error("leaves out an input before its last, which an op of "
                         "a plugin cannot");
  if (node.output_size() != 1)
    return emitter.error("has " + Twine(node.output_size()) +
                         " results, an op of a plugin has one");
  std::string wrong;
  format::CustomOp named = {op.plugin->name, op.plugin->version, op.op->name,
                            readAttributes(node, wrong)};
  if (!wrong.empty())
    return emitter.error(wrong);
  kernels::Problem problem =
      customProblem(named, mlir::ValueRange(inputs).getTypes(),
                    pluginsOf(builder.getContext()));
  RankedTensorType type = inferCustomType(builder.getContext(), problem, wrong);
  if (!type)
    return emitter.error(wrong);
  Value result = emitter.create<CustomOp>(
      type.getShape(), type.getElementType(), inputs, named.plugin,
      named.version, named.op, parametersOf(builder, named.attributes));
  if (!result)
    return failure();
  return result;
}
