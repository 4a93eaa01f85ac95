// SPDX-License-Identifier: Apache-2.0
#include "kernels/plugin/plugin_problem.h"

namespace npu::kernels {

/// Where a constant lies is not for a plugin to know.
static std::vector<npu_tensor_desc>
withoutPlaces(const std::vector<npu_tensor_desc> &tensors) {
  std::vector<npu_tensor_desc> rows = tensors;
  for (npu_tensor_desc &row : rows)
    row.weights_offset = row.weights_offset < 0 ? -1 : 0;
  return rows;
}

PluginProblem::PluginProblem(const Problem &problem)
    : inputs(withoutPlaces(problem.inputs)),
      outputs(withoutPlaces(problem.outputs)), attrs(problem.attrs) {
  if (problem.op == NPU_OP_CUSTOM)
    whyNot = format::decodeCustomOp(problem.custom, custom);
  strings.reserve(custom.attributes.size());
  for (const format::CustomAttribute &given : custom.attributes) {
    npu_attribute row = {};
    row.name = given.name.c_str();
    row.kind = static_cast<int32_t>(given.kind);
    strings.emplace_back();
    for (const std::string &text : given.strings)
      strings.back().push_back(text.c_str());
    switch (given.kind) {
    case format::CustomAttribute::Kind::Ints:
      row.ints = given.ints.data();
      row.count = static_cast<int32_t>(given.ints.size());
      break;
    case format::CustomAttribute::Kind::Floats:
      row.floats = given.floats.data();
      row.count = static_cast<int32_t>(given.floats.size());
      break;
    case format::CustomAttribute::Kind::Strings:
      row.strings = strings.back().data();
      row.count = static_cast<int32_t>(given.strings.size());
      break;
    }
    attributes.push_back(row);
  }
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
  view.n_attributes = static_cast<int32_t>(attributes.size());
  view.attributes = attributes.data();
  view.custom_op = custom.op.c_str();
  view.target = problem.plugins ? problem.plugins->target.c_str() : "";
}

} // namespace npu::kernels
