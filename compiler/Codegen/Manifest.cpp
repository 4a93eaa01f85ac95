// SPDX-License-Identifier: Apache-2.0
#include "compiler/Codegen/Manifest.h"

#include "compiler/Dialect/NPU/Constants.h"
#include "kernels/tensor.h"
#include "plugin/Plugin.h"

#include "llvm/ADT/SmallPtrSet.h"

using namespace npu;

static format::ManifestTensor describe(StringRef name, RankedTensorType type,
                                       StringRef layoutName) {
  npu_tensor_desc tensor = describeTensor(type);
  format::ManifestTensor row;
  row.name = name.str();
  row.dtype = kernels::dtypeName(tensor.dtype);
  row.shape.assign(type.getShape().begin(), type.getShape().end());
  row.layout = kernels::layoutString(tensor);
  row.layoutName = layoutName.str();
  return row;
}

static format::ManifestKernel describe(const PlannedKernel &kernel) {
  format::ManifestKernel row;
  row.name = kernel.name;
  bool isOfPlugin = kernel.problem.op == NPU_OP_CUSTOM;
  row.op = (isOfPlugin ? "" : "npu.") + kernel.opName;
  row.node = kernel.node;
  row.bytes = kernel.bytes;
  row.generated = kernel.generated;
  row.work = kernel.work;
  row.tiling = kernel.tiling;
  row.residentBytes = static_cast<uint64_t>(kernel.residentBytes);
  row.relayout = kernel.isRelayout();
  row.results = kernel.problem.outputs.size();
  for (const auto *tensors : {&kernel.problem.inputs, &kernel.problem.outputs})
    for (const npu_tensor_desc &tensor : *tensors)
      row.layouts.push_back(kernels::layoutString(tensor));
  return row;
}

/// Whose ops or kernels the program has, in the order in which they are asked.
static std::vector<format::ManifestPlugin> pluginsIn(const ProgramPlan &plan) {
  std::vector<format::ManifestPlugin> rows;
  if (plan.kernels.empty() || !plan.kernels.front().problem.plugins)
    return rows;
  llvm::SmallPtrSet<const plugin::Plugin *, 4> used;
  for (const PlannedKernel &kernel : plan.kernels)
    if (!kernel.generated)
      used.insert(kernels::query(kernel.problem).plugin);
  for (const plugin::Plugin *plugin :
       plan.kernels.front().problem.plugins->plugins)
    if (used.contains(plugin))
      rows.push_back({plugin->name, plugin->version});
  return rows;
}

format::Manifest npu::makeManifest(const ProgramPlan &plan,
                                   ArrayRef<std::string> layoutNames) {
  format::Manifest manifest;
  manifest.formatVersion = NPU_FORMAT_VERSION;
  manifest.npucVersion = NPU_VERSION;
  manifest.onednnVersion = kernels::libraryVersion();
  manifest.plugins = pluginsIn(plan);
  manifest.arenaBytes = plan.arenaBytes;
  manifest.arenaLowerBoundBytes = plan.arenaLowerBound;
  manifest.weightBytes = plan.weights.bytes();
  const size_t states = plan.states.size();
  const size_t inputs = plan.inputs.size() - states;
  for (size_t i = 0; i < inputs; ++i)
    manifest.inputs.push_back(
        describe(plan.inputNames[i], plan.inputs[i], layoutNames[i]));
  for (size_t i = 0; i + states < plan.outputs.size(); ++i)
    manifest.outputs.push_back(describe(plan.outputNames[i], plan.outputs[i],
                                        layoutNames[plan.inputs.size() + i]));
  for (auto [i, state] : llvm::enumerate(plan.states)) {
    format::ManifestState row;
    static_cast<format::ManifestTensor &>(row) =
        describe(state.name, plan.inputs[inputs + i], layoutNames[inputs + i]);
    row.beginsAsConstant = state.begins >= 0;
    manifest.states.push_back(std::move(row));
  }
  for (const PlannedKernel &kernel : plan.kernels)
    manifest.kernels.push_back(describe(kernel));
  for (const PlannedResident &one : plan.residents)
    manifest.onChip.push_back({one.first, static_cast<uint64_t>(one.offset),
                               static_cast<uint64_t>(one.bytes), one.last});
  return manifest;
}
