// SPDX-License-Identifier: Apache-2.0
//
// Which plugins a context has: those that the caller names, and those that the
// target's file names.
#ifndef NPU_COMPILER_TARGET_PLUGINS_H
#define NPU_COMPILER_TARGET_PLUGINS_H

#include "compiler/Support/LLVM.h"
#include "plugin/Plugin.h"

#include <optional>
#include <string>
#include <vector>

namespace npu {

struct AllowedPlugins;
class TargetSpec;

/// Loads libraries; nothing after a sentence in `error`.
std::optional<std::vector<const plugin::Plugin *>>
loadPlugins(ArrayRef<std::string> paths, std::string &error);

/// The library that a target's file names, by its path from here; null after a
/// sentence. Where it may not be loaded, that says how to allow it, and it is
/// not touched.
const plugin::Plugin *loadTargetPlugin(const std::string &path,
                                       const AllowedPlugins &allowed,
                                       std::string &error);

/// Those that the caller has named, or that belong to a target that is read
/// already, and whether all may be loaded.
AllowedPlugins allowedPlugins(MLIRContext &context);

/// Adds what the caller names. Before anything is read.
void addPlugins(MLIRContext &context, ArrayRef<const plugin::Plugin *> plugins);

/// Adds the target's, and says which target they are asked for.
void addPlugins(MLIRContext &context, const TargetSpec &target);

/// What the target lists under `algorithms` that no plugin of the context
/// brings, as a sentence; empty: nothing.
std::string whyNotAlgorithms(const TargetSpec &target, MLIRContext &context);

} // namespace npu

#endif // NPU_COMPILER_TARGET_PLUGINS_H
