// SPDX-License-Identifier: Apache-2.0
#include "compiler/tools/npu-dump/PluginOp.h"

#include "compiler/tools/npu-dump/Print.h"
#include "files/shown_text.h"
#include "kernels/plugin/plugin_problem.h"
#include "kernels/tensor.h"

#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace npu;
using llvm::formatv;
using npu::files::shownName;
namespace json = llvm::json;
using Attribute = format::CustomAttribute;

template <class List, class Show>
static std::string listText(const List &list, Show show) {
  std::string text;
  for (const auto &one : list)
    text += (text.empty() ? "" : ", ") + show(one);
  return "[" + text + "]";
}

static std::string valueText(const Attribute &attribute) {
  switch (attribute.kind) {
  case Attribute::Kind::Ints:
    return listText(attribute.ints,
                    [](int64_t number) { return std::to_string(number); });
  case Attribute::Kind::Floats:
    return listText(attribute.floats, [](float number) {
      return formatv("{0:g}", static_cast<double>(number)).str();
    });
  case Attribute::Kind::Strings:
    return listText(attribute.strings, [](const std::string &text) {
      return "'" + shownName(text) + "'";
    });
  case Attribute::Kind::Tensors:
    break;
  }
  return listText(attribute.tensors, [](const format::CustomTensor &tensor) {
    return kernels::dtypeName(tensor.dtype) +
           (" " + dump::shapeText(tensor.dims));
  });
}

std::string dump::pluginOpText(const format::CustomOp &op, int32_t operands) {
  std::string text = shownName(op.plugin) + " " + shownName(op.version) + " " +
                     shownName(op.op) + ", result " + std::to_string(op.output);
  if (!op.places.empty()) {
    text += ", inputs";
    for (int32_t place : kernels::placesOf(op, static_cast<size_t>(operands)))
      text += " " + std::to_string(place);
  }
  for (const Attribute &attribute : op.attributes)
    text += (&attribute == op.attributes.data() ? ": " : ", ") +
            shownName(attribute.name) + "=" + valueText(attribute);
  return text;
}

/// JSON has no other numbers.
static json::Value floatJson(float number) {
  if (std::isfinite(number))
    return static_cast<double>(number);
  return std::isnan(number) ? "nan" : number < 0 ? "-inf" : "inf";
}

static json::Array valueJson(const Attribute &attribute) {
  json::Array array;
  for (int64_t number : attribute.ints)
    array.push_back(number);
  for (float number : attribute.floats)
    array.push_back(floatJson(number));
  for (const std::string &text : attribute.strings)
    array.push_back(json::fixUTF8(text));
  for (const format::CustomTensor &tensor : attribute.tensors)
    array.push_back(
        json::Object{{"dtype", kernels::dtypeName(tensor.dtype)},
                     {"shape", json::Array(tensor.dims)},
                     {"bytes", static_cast<int64_t>(tensor.data.size())}});
  return array;
}

json::Object dump::pluginOpJson(const format::CustomOp &op, int32_t operands) {
  json::Object attributes;
  for (const Attribute &attribute : op.attributes)
    attributes[json::fixUTF8(attribute.name)] = valueJson(attribute);
  return json::Object{{"plugin", json::fixUTF8(op.plugin)},
                      {"version", json::fixUTF8(op.version)},
                      {"op", json::fixUTF8(op.op)},
                      {"result", op.output},
                      {"inputs", json::Array(kernels::placesOf(
                                     op, static_cast<size_t>(operands)))},
                      {"attributes", std::move(attributes)}};
}
