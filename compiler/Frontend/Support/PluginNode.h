// SPDX-License-Identifier: Apache-2.0
//
// Operators that plugins know.
#ifndef NPU_COMPILER_FRONTEND_SUPPORT_PLUGINNODE_H
#define NPU_COMPILER_FRONTEND_SUPPORT_PLUGINNODE_H

#include "compiler/Frontend/Support/Emitter.h"
#include "format/custom_op.h"
#include "plugin/Plugin.h"

namespace npu {

/// What an operator is of a plugin that the context has; null pointers:
/// nothing.
struct PluginNode {
  const plugin::Plugin *plugin = nullptr;
  const npu_plugin_op *op = nullptr;
};
PluginNode lookupPluginNode(MLIRContext *context, StringRef domain,
                            StringRef type);

/// Sorts attributes; an error for one without a name, with a zero in its text,
/// or that is there twice.
LogicalResult
checkPluginAttributes(Emitter &emitter,
                      std::vector<format::CustomAttribute> &attributes);
/// The error about one that no plugin gets.
LogicalResult pluginGetsNone(Emitter &emitter, StringRef attribute);

/// The results that are wanted, each by an op of its own; inputs that the
/// operator leaves out are null, as are results that are not wanted.
FailureOr<SmallVector<Value>>
buildPluginNode(Emitter &emitter, PluginNode op,
                ArrayRef<format::CustomAttribute> attributes,
                ArrayRef<Value> inputs, const std::vector<bool> &wanted);

} // namespace npu

#endif // NPU_COMPILER_FRONTEND_SUPPORT_PLUGINNODE_H
