// SPDX-License-Identifier: Apache-2.0
#include "compiler/Frontend/Support/PluginNode.h"

#include "compiler/Dialect/NPU/CustomOp.h"
#include "files/shown_text.h"
#include "npu/plugin.h"

using namespace npu;
using format::CustomAttribute;

PluginNode npu::lookupPluginNode(MLIRContext *context, StringRef domain,
                                 StringRef type) {
  const plugin::Use *use = pluginsOf(context);
  if (!use)
    return {};
  for (const plugin::Plugin *plugin : use->plugins)
    if (const npu_plugin *brings = plugin->runtime)
      for (int32_t i = 0; i < brings->n_ops; ++i)
        if (domain == brings->ops[i].domain && type == brings->ops[i].op_type)
          return {plugin, &brings->ops[i]};
  return {};
}

LogicalResult
npu::checkPluginAttributes(Emitter &emitter,
                           std::vector<CustomAttribute> &attributes) {
  // As C, it has no zeros within.
  auto isText = [](const std::string &text) {
    return text.find('\0') == std::string::npos;
  };
  for (const CustomAttribute &attribute : attributes)
    if (attribute.name.empty() || !isText(attribute.name) ||
        !llvm::all_of(attribute.strings, isText))
      return pluginGetsNone(emitter, attribute.name);
  llvm::sort(attributes,
             [](const auto &a, const auto &b) { return a.name < b.name; });
  for (size_t i = 1; i < attributes.size(); ++i)
    if (attributes[i].name == attributes[i - 1].name)
      return emitter.error("has two attributes '" +
                           files::shownName(attributes[i].name) + "'");
  return success();
}

LogicalResult npu::pluginGetsNone(Emitter &emitter, StringRef attribute) {
  return emitter.error("has the attribute '" +
                       files::shownName(attribute.str()) +
                       "', which a plugin cannot get: expected ints, floats, "
                       "strings without zeros, or one or more tensors");
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
npu::buildPluginNode(Emitter &emitter, PluginNode op,
                     ArrayRef<CustomAttribute> attributes,
                     ArrayRef<Value> inputs, const std::vector<bool> &wanted) {
  OpBuilder &builder = emitter.getBuilder();
  constexpr size_t most = 16;
  SmallVector<int64_t> places;
  SmallVector<Value> given = givenInputs(inputs, places);
  if (inputs.size() > most ||
      static_cast<int64_t>(wanted.size()) > op.op->n_results)
    return emitter.error("has " + Twine(inputs.size()) + " inputs and " +
                         Twine(wanted.size()) + " results, expected at most " +
                         Twine(most) + " and " + Twine(op.op->n_results) +
                         " of plugin " + op.plugin->nameAndVersion());
  format::CustomOp named;
  named.plugin = op.plugin->name;
  named.version = op.plugin->version;
  named.op = op.op->name;
  named.attributes.assign(attributes.begin(), attributes.end());
  named.places.assign(places.begin(), places.end());
  mlir::DictionaryAttr parameters = parametersOf(builder, named.attributes);
  SmallVector<Value> results(wanted.size());
  for (auto [index, result] : llvm::enumerate(results)) {
    if (!wanted[index])
      continue;
    named.output = static_cast<int32_t>(index);
    kernels::Problem problem =
        customProblem(named, mlir::ValueRange(given).getTypes(),
                      pluginsOf(builder.getContext()));
    std::string wrong;
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
