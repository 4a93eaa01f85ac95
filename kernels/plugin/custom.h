// SPDX-License-Identifier: Apache-2.0
//
// What plugins say of their ops. Problems are of NPU_OP_CUSTOM; answers that no
// plugin may give are noted in the plugin.
#ifndef NPU_KERNELS_PLUGIN_CUSTOM_H
#define NPU_KERNELS_PLUGIN_CUSTOM_H

#include "kernels/plugin/plugin_problem.h"

#include <array>

namespace npu::kernels {

/// The op that a problem names, among its plugins.
struct FoundOp {
  const plugin::Plugin *plugin = nullptr;
  const npu_plugin_op *op = nullptr;
};
/// Null pointers after a clause in `whyNot`.
FoundOp findOp(const Problem &problem, const PluginProblem &view,
               std::string &whyNot);

/// The row-major result for these inputs, whatever outputs the problem has;
/// empty, or one clause.
std::string inferCustom(const Problem &problem, npu_tensor_desc &result);

struct CustomRelation {
  using Dims = std::array<int8_t, NPU_MAX_RANK>;
  static constexpr int groups = 64; ///< numbers are below
  std::vector<Dims> inputs;
  Dims result = {};
  std::vector<bool> independent;
};
/// Of a problem that inferCustom() takes.
CustomRelation relateCustom(const Problem &problem);

/// The same; `elements` are the result's where the plugin says nothing.
npu_plugin_work workOfCustom(const Problem &problem);

} // namespace npu::kernels

#endif // NPU_KERNELS_PLUGIN_CUSTOM_H
