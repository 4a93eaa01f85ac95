// SPDX-License-Identifier: Apache-2.0
//
// What plugins bring to the compiler alone (npuc/plugin.h), checked.
#ifndef NPU_COMPILER_TARGET_COMPILERPLUGINS_H
#define NPU_COMPILER_TARGET_COMPILERPLUGINS_H

#include "compiler/Support/LLVM.h"
#include "npuc/plugin.h"
#include "plugin/Plugin.h"

#include <string>

namespace npu {

/// Why a plugin's tables are refused, with its name; empty: they are good, or
/// there are none.
std::string whyNotTables(const plugin::Plugin &plugin);

/// The tables of a plugin that was checked, each empty without npuc_plugin_get.
ArrayRef<const npuc_layout_rule *> rulesOf(const plugin::Plugin &plugin);
ArrayRef<const npuc_strategy *> strategiesOf(const plugin::Plugin &plugin);
ArrayRef<const npuc_alternative *> alternativesOf(const plugin::Plugin &plugin);

/// "acme.greedy": as users write what a plugin calls "greedy". As plugins do,
/// it lives until the process ends.
StringRef nameIn(const plugin::Plugin &plugin, StringRef name);

/// What a plugin wrote as its reason, fit for a message.
std::string shownReason(char (&reason)[NPU_PLUGIN_TEXT]);

/// The error of a plugin's answer: "plugin acme 1.0: what".
std::string blame(const plugin::Plugin &plugin, const Twine &what);

} // namespace npu

#endif // NPU_COMPILER_TARGET_COMPILERPLUGINS_H
