// SPDX-License-Identifier: Apache-2.0
//
// A problem as plugins see it: plain C.
#ifndef NPU_KERNELS_PLUGIN_PLUGIN_PROBLEM_H
#define NPU_KERNELS_PLUGIN_PLUGIN_PROBLEM_H

#include "format/custom_op.h"
#include "kernels/kernel.h"
#include "npu/plugin.h"
#include "plugin/Plugin.h"

#include <optional>
#include <vector>

namespace npu::kernels {

/// Attributes of an op as plugins see them, which stay where they are.
class PluginAttributes {
public:
  explicit PluginAttributes(
      const std::vector<format::CustomAttribute> &attributes);
  PluginAttributes(const PluginAttributes &) = delete;
  PluginAttributes &operator=(const PluginAttributes &) = delete;

  const npu_attribute *data() const { return rows.data(); }
  int32_t size() const { return static_cast<int32_t>(rows.size()); }

private:
  std::vector<npu_attribute> rows;
  std::vector<std::vector<const char *>> strings;
  std::vector<std::vector<npu_attribute_tensor>> tensors;
};

/// Which inputs of its node the operands of an op are.
std::vector<int32_t> placesOf(const format::CustomOp &op, size_t operands);

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
  std::optional<PluginAttributes> attributes;
  std::vector<int32_t> places;
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
