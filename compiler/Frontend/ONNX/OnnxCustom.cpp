// SPDX-License-Identifier: Apache-2.0
#include "compiler/Frontend/ONNX/OnnxCustom.h"

#include "compiler/Dialect/NPU/CustomOp.h"

using namespace npu;
using format::CustomAttribute;

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

/// The node's attributes, sorted, without the contents of tensors.
static FailureOr<std::vector<CustomAttribute>>
readAttributes(Emitter &emitter, const onnx::NodeProto &node) {
  std::vector<CustomAttribute> attributes;
  for (const onnx::AttributeProto &proto : node.attribute())
    if (!readAttribute(proto, attributes.emplace_back()))
      return pluginGetsNone(emitter, proto.name());
  if (failed(checkPluginAttributes(emitter, attributes)))
    return failure();
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

FailureOr<SmallVector<Value>>
npu::buildPluginNode(OpBuilder &builder, const OnnxModel &model, PluginNode op,
                     const onnx::NodeProto &node, ArrayRef<Value> inputs) {
  Location location = locationOf(model, node);
  Emitter emitter(builder, location);
  FailureOr<std::vector<CustomAttribute>> attributes =
      readAttributes(emitter, node);
  if (failed(attributes) ||
      failed(readTensors(model, location, node, *attributes)))
    return failure();
  std::vector<bool> wanted;
  for (const std::string &name : node.output())
    wanted.push_back(!name.empty());
  return buildPluginNode(emitter, op, *attributes, inputs, wanted);
}
