// SPDX-License-Identifier: Apache-2.0
#include "kernels/plugin/plugin_problem.h"

#include "kernels/tensor.h"

#include <numeric>

namespace npu::kernels {

/// Where a constant lies is not for a plugin to know.
static std::vector<npu_tensor_desc>
withoutPlaces(const std::vector<npu_tensor_desc> &tensors) {
  std::vector<npu_tensor_desc> rows = tensors;
  for (npu_tensor_desc &row : rows)
    row.weights_offset = row.weights_offset < 0 ? -1 : 0;
  return rows;
}

PluginAttributes::PluginAttributes(
    const std::vector<format::CustomAttribute> &attributes) {
  using Kind = format::CustomAttribute::Kind;
  for (const format::CustomAttribute &given : attributes) {
    npu_attribute row = {};
    row.name = given.name.c_str();
    row.kind = static_cast<int32_t>(given.kind);
    auto fill = [&row](auto &pointer, const auto &list) {
      pointer = list.data();
      row.count = static_cast<int32_t>(list.size());
    };
    switch (given.kind) {
    case Kind::Ints:
      fill(row.ints, given.ints);
      break;
    case Kind::Floats:
      fill(row.floats, given.floats);
      break;
    case Kind::Strings:
      strings.emplace_back();
      for (const std::string &text : given.strings)
        strings.back().push_back(text.c_str());
      fill(row.strings, strings.back());
      break;
    case Kind::Tensors:
      tensors.emplace_back();
      for (const format::CustomTensor &tensor : given.tensors)
        tensors.back().push_back(
            {tensor.dtype, static_cast<int32_t>(tensor.dims.size()),
             tensor.dims.data(), tensor.data.data(), tensor.data.size()});
      fill(row.tensors, tensors.back());
      break;
    }
    rows.push_back(row);
  }
}

std::vector<int32_t> placesOf(const format::CustomOp &op, size_t operands) {
  if (!op.places.empty())
    return op.places;
  std::vector<int32_t> places(operands);
  std::iota(places.begin(), places.end(), 0);
  return places;
}

/// Why a tensor among the attributes is none; else empty.
static std::string wrongTensor(const format::CustomTensor &tensor) {
  int64_t bytes = dtypeBytes(tensor.dtype);
  for (int64_t extent : tensor.dims)
    if (extent < 0 || __builtin_mul_overflow(bytes, extent, &bytes))
      return "an extent of " + std::to_string(extent);
  return bytes == static_cast<int64_t>(tensor.data.size())
             ? ""
             : std::to_string(tensor.data.size()) + " bytes, expected " +
                   std::to_string(bytes);
}

/// Why an op is none that a plugin may be given; else empty.
static std::string wrongOp(const format::CustomOp &op, size_t operands) {
  if (!op.places.empty() && op.places.size() != operands)
    return "its op says of " + std::to_string(op.places.size()) +
           " operands which inputs they are, and has " +
           std::to_string(operands);
  for (const format::CustomAttribute &attribute : op.attributes)
    for (const format::CustomTensor &tensor : attribute.tensors)
      if (std::string wrong = wrongTensor(tensor); !wrong.empty())
        return "a tensor of attribute '" + attribute.name + "' has " + wrong;
  return "";
}

PluginProblem::PluginProblem(const Problem &problem)
    : inputs(withoutPlaces(problem.inputs)),
      outputs(withoutPlaces(problem.outputs)), attrs(problem.attrs) {
  if (problem.op == NPU_OP_CUSTOM) {
    whyNot = format::decodeCustomOp(problem.custom, custom);
    if (whyNot.empty())
      whyNot = wrongOp(custom, inputs.size());
  }
  attributes.emplace(custom.attributes);
  places = placesOf(custom, inputs.size());
  view.struct_size = sizeof(view);
  view.op = problem.op;
  view.n_inputs = static_cast<int32_t>(inputs.size());
  view.n_outputs = static_cast<int32_t>(outputs.size());
  view.inputs = inputs.data();
  view.outputs = outputs.data();
  view.instrs = problem.instrs.data();
  view.n_instrs = static_cast<int32_t>(problem.instrs.size());
  view.in_place_input = problem.inPlaceInput;
  view.attrs = &attrs;
  view.threads = problem.threads;
  view.n_attributes = attributes->size();
  view.attributes = attributes->data();
  view.custom_op = custom.op.c_str();
  view.places = places.data();
  view.result = custom.output;
  view.target = problem.plugins ? problem.plugins->target.c_str() : "";
}

} // namespace npu::kernels
