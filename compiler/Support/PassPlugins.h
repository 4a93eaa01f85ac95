// SPDX-License-Identifier: Apache-2.0
//
// The passes of plugins: MLIR's own interface, in libraries that ours loads.
#ifndef NPU_COMPILER_SUPPORT_PASSPLUGINS_H
#define NPU_COMPILER_SUPPORT_PASSPLUGINS_H

#include "mlir/Pass/PassInstrumentation.h"
#include "plugin/Plugin.h"

#include <memory>
#include <string>

namespace npu {

/// Has a plugin register its passes, once in a process; nothing where it has
/// none. Why that cannot be, as a sentence; empty: it is done.
std::string registerPasses(const plugin::Plugin &plugin);

/// Around each pass of a plugin: a crash within names it.
std::unique_ptr<mlir::PassInstrumentation> namePluginOfPass(plugin::Use use);

} // namespace npu

#endif // NPU_COMPILER_SUPPORT_PASSPLUGINS_H
