// SPDX-License-Identifier: Apache-2.0
//
// What a library is, read off its file before it is loaded.
#ifndef NPU_PLUGIN_LIBRARY_H
#define NPU_PLUGIN_LIBRARY_H

#include <string>

namespace npu::plugin {

/// The symbols of which a plugin exports one or more: of kernels and ops, of
/// the compiler, of MLIR's passes.
inline constexpr const char *entries[] = {"npu_plugin_get", "npuc_plugin_get",
                                          "mlirGetPassPluginInfo"};

/// Whether the file is a shared library that exports one of them; a sentence's
/// end if not.
std::string checkLibrary(const std::string &path);

} // namespace npu::plugin

#endif // NPU_PLUGIN_LIBRARY_H
