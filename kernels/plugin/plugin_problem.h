// SPDX-License-Identifier: Apache-2.0
//
// A problem as plugins see it: plain C.
#ifndef NPU_KERNELS_PLUGIN_PLUGIN_PROBLEM_H
#define NPU_KERNELS_PLUGIN_PLUGIN_PROBLEM_H

#include "format/custom_op.h"
#include "kernels/kernel.h"
#include "npu/plugin.h"
#include "plugin/Plugin.h"

#include <vector>

namespace npu::kernels {

class PluginProblem {
public:
  explicit PluginProblem(const Problem &problem);
  PluginProblem(const PluginProblem &) = delete;
  PluginProblem &operator=(const PluginProblem &) = delete;

  const npu_plugin_problem *get() const { return &view; }
  /// Of CUSTOM; `wrong` says why it cannot be read.
  const format::CustomOp &op() const { return custom; }
  const std::string &wrong() const { return whyNot; }

private:
  format::CustomOp custom;
  std::string whyNot;
  std::vector<npu_tensor_desc> inputs, outputs;
  std::vector<npu_attribute> attributes;
  std::vector<std::vector<const char *>> strings;
  npu_attrs attrs;
  npu_plugin_problem view = {};
};

/// Calls a function of a plugin: whoever crashes in it is named, and what it
/// throws ends the process there.
template <class Call>
int32_t callPlugin(const plugin::Plugin &plugin, const char *what, Call call) {
  plugin::InPlugin guard(plugin, what);
  return [&]() noexcept { return call(); }();
}

} // namespace npu::kernels

#endif // NPU_KERNELS_PLUGIN_PLUGIN_PROBLEM_H
