// SPDX-License-Identifier: Apache-2.0
#include "compiler/Frontend/ONNX/OnnxFunctions.h"

#include "mlir/IR/Diagnostics.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/JSON.h"

#include <set>
#include <tuple>

using namespace npu;
using mlir::emitError;

const onnx::FunctionProto *npu::lookupFunction(const OnnxModel &model,
                                               const onnx::NodeProto &call) {
  for (const onnx::FunctionProto &function : model.proto->functions())
    if (function.name() == call.op_type() &&
        function.domain() == call.domain() &&
        function.overload() == call.overload())
      return &function;
  return nullptr;
}

LogicalResult npu::checkFunctions(const OnnxModel &model) {
  std::set<std::tuple<StringRef, StringRef, StringRef>> found;
  for (const onnx::FunctionProto &function : model.proto->functions())
    if (!found.emplace(function.domain(), function.name(), function.overload())
             .second)
      return emitError(model.location)
             << "the function '" << llvm::json::fixUTF8(function.name())
             << "' is defined twice, expected each function once";
  return success();
}

int64_t npu::opsetOfFunction(const OnnxModel &model,
                             const onnx::FunctionProto &function) {
  for (const onnx::OperatorSetIdProto &opset : function.opset_import())
    if (opset.domain().empty() || opset.domain() == "ai.onnx")
      return opset.version();
  return model.opset;
}

namespace {
/// What a call gives to its function.
struct Arguments {
  llvm::StringMap<const onnx::AttributeProto *> attributes;
  llvm::StringSet<> missing; // inputs
};
} // namespace

/// Attributes that refer to the function's take their value; those that it
/// does not have are left out.
static void fillIn(onnx::NodeProto &node, const Arguments &arguments) {
  google::protobuf::RepeatedPtrField<onnx::AttributeProto> kept;
  for (onnx::AttributeProto &attribute : *node.mutable_attribute()) {
    if (attribute.has_g())
      for (onnx::NodeProto &inner : *attribute.mutable_g()->mutable_node())
        fillIn(inner, arguments);
    if (attribute.ref_attr_name().empty()) {
      *kept.Add() = attribute;
      continue;
    }
    auto given = arguments.attributes.find(attribute.ref_attr_name());
    if (given == arguments.attributes.end())
      continue;
    *kept.Add() = *given->second;
    kept.Mutable(kept.size() - 1)->set_name(attribute.name());
  }
  node.mutable_attribute()->Swap(&kept);
  for (std::string &input : *node.mutable_input())
    if (arguments.missing.contains(input))
      input.clear();
}

onnx::GraphProto npu::bodyOfCall(const onnx::FunctionProto &function,
                                 const onnx::NodeProto &call) {
  Arguments arguments;
  for (const onnx::AttributeProto &attribute : function.attribute_proto())
    arguments.attributes[attribute.name()] = &attribute;
  for (const onnx::AttributeProto &attribute : call.attribute())
    arguments.attributes[attribute.name()] = &attribute;
  onnx::GraphProto body;
  for (int i = 0; i < function.input_size(); ++i) {
    if (i < call.input_size() && !call.input(i).empty())
      body.add_input()->set_name(function.input(i));
    else
      arguments.missing.insert(function.input(i));
  }
  for (const std::string &output : function.output())
    body.add_output()->set_name(output);
  *body.mutable_node() = function.node();
  for (onnx::NodeProto &node : *body.mutable_node())
    fillIn(node, arguments);
  return body;
}

LogicalResult npu::checkOutputs(Location call, const onnx::GraphProto &body) {
  llvm::StringSet<> defined;
  for (const onnx::ValueInfoProto &input : body.input())
    defined.insert(input.name());
  for (const onnx::NodeProto &node : body.node())
    for (const std::string &name : node.output())
      defined.insert(name);
  for (const onnx::ValueInfoProto &output : body.output())
    if (!defined.contains(output.name()))
      return emitError(call)
             << "calls a function whose output '"
             << llvm::json::fixUTF8(output.name())
             << "' is defined by no node, and by no input that is given";
  return success();
}
