// SPDX-License-Identifier: Apache-2.0
//
// What npu_plugin_get returned: checked once, so that nobody behind looks
// whether a function is there.
#include "npu/plugin.h"

#include "plugin/Plugin.h"

#include <algorithm>

namespace npu::plugin {
namespace {

constexpr int32_t mostEntries = 4096, mostSides = 16;

std::string wrongSize(const char *what, uint32_t found, size_t expected) {
  if (found == expected)
    return "";
  return std::string("a ") + what + " with a struct_size of " +
         std::to_string(found) + ", expected " + std::to_string(expected) +
         "; set it to sizeof(), of the headers of this npuc";
}

std::string checkFunctions(const npu_plugin_kernel &kernel,
                           const std::string &who) {
  if (std::string why = wrongSize("npu_plugin_kernel", kernel.struct_size,
                                  sizeof(npu_plugin_kernel));
      !why.empty())
    return why;
  if (!kernel.name || !isName(kernel.name))
    return who + " without a name of a-z, then a-z, 0-9 or _";
  if (!kernel.query || !kernel.create || !kernel.run)
    return who + " '" + kernel.name + "' without " +
           (!kernel.query    ? "query"
            : !kernel.create ? "create"
                             : "run");
  return "";
}

std::string checkOp(const npu_plugin &plugin, int32_t index) {
  const npu_plugin_op &op = plugin.ops[index];
  if (std::string why =
          wrongSize("npu_plugin_op", op.struct_size, sizeof(npu_plugin_op));
      !why.empty())
    return why;
  if (!op.name || !isName(op.name))
    return "an op without a name of a-z, then a-z, 0-9 or _";
  const std::string who = std::string("the op '") + op.name + "' ";
  for (int32_t other = 0; other < index; ++other)
    if (std::string(plugin.ops[other].name) == op.name)
      return who + "twice";
  if (!op.domain || !*op.domain || !op.op_type || !*op.op_type)
    return who + "without the domain or the type of the model's node";
  if (op.sensitivity < NPU_PLUGIN_AGNOSTIC || op.sensitivity > NPU_PLUGIN_HEAVY)
    return who + "with a sensitivity of " + std::to_string(op.sensitivity) +
           ", expected one of npu_plugin_sensitivity";
  if (op.min_inputs < 1 || op.max_inputs < op.min_inputs ||
      op.max_inputs > mostSides)
    return who + "with " + std::to_string(op.min_inputs) + " to " +
           std::to_string(op.max_inputs) + " inputs, expected 1 to " +
           std::to_string(mostSides);
  if (op.in_place_input < -1 || op.in_place_input >= op.min_inputs)
    return who + "with an in_place_input of " +
           std::to_string(op.in_place_input) + ", expected -1 or one of its " +
           std::to_string(op.min_inputs) + " inputs";
  if (op.n_results < 1 || op.n_results > mostSides)
    return who + "with " + std::to_string(op.n_results) +
           " results, expected 1 to " + std::to_string(mostSides);
  if (op.optional_inputs >> op.max_inputs)
    return who + "with optional inputs beyond its " +
           std::to_string(op.max_inputs);
  for (const char *const *role = op.roles; role && *role; ++role)
    if (!isName(*role) || std::string(*role) == "result")
      return who + "with the role '" + *role +
             "', expected a-z, then a-z, 0-9 or _, and not 'result'";
  if (op.roles && !*op.roles)
    return who + "with a list of roles that is empty";
  if (!op.infer || !op.reference)
    return who + "without " + (op.infer ? "a reference" : "infer");
  return checkFunctions(*op.reference, who + "with a reference");
}

std::string checkKernel(const npu_plugin &plugin, int32_t index) {
  const npu_plugin_kernel &kernel = plugin.kernels[index];
  if (std::string why = checkFunctions(kernel, "a kernel"); !why.empty())
    return why;
  const std::string who = std::string("the kernel '") + kernel.name + "' ";
  if (kernel.op <= NPU_OP_ELTWISE || kernel.op >= NPU_OP_COUNT)
    return who + "of op " + std::to_string(kernel.op) +
           ", expected an npu_op that is not NPU_OP_ELTWISE";
  if ((kernel.op == NPU_OP_CUSTOM) != (kernel.custom_op != nullptr))
    return who + "with a custom_op, or without, where its op says otherwise";
  bool isThere = !kernel.custom_op ||
                 std::any_of(plugin.ops, plugin.ops + plugin.n_ops,
                             [&](const npu_plugin_op &op) {
                               return std::string(op.name) == kernel.custom_op;
                             });
  return isThere ? ""
                 : who + "of the op '" + kernel.custom_op +
                       "', which the plugin does not have";
}

bool isList(const void *list, int32_t count) {
  return count >= 0 && count <= mostEntries && (count == 0 || list);
}

} // namespace

std::string checkRuntime(const npu_plugin &plugin) {
  if (std::string why = wrongSize("npu_plugin", plugin.header.struct_size,
                                  sizeof(npu_plugin));
      !why.empty())
    return why;
  if (!isList(plugin.kernels, plugin.n_kernels) ||
      !isList(plugin.ops, plugin.n_ops))
    return "n_kernels or n_ops that is negative, above " +
           std::to_string(mostEntries) + ", or without a list";
  for (int32_t i = 0; i < plugin.n_ops; ++i)
    if (std::string why = checkOp(plugin, i); !why.empty())
      return why;
  for (int32_t i = 0; i < plugin.n_kernels; ++i)
    if (std::string why = checkKernel(plugin, i); !why.empty())
      return why;
  return "";
}

const npu_plugin_op *Plugin::findOp(const std::string &op) const {
  for (int32_t i = 0; runtime && i < runtime->n_ops; ++i)
    if (op == runtime->ops[i].name)
      return &runtime->ops[i];
  return nullptr;
}

} // namespace npu::plugin
