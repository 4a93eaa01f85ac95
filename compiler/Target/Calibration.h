// SPDX-License-Identifier: Apache-2.0
//
// Numbers of this machine in place of a target's own (docs/calibration.md).
#ifndef NPU_COMPILER_TARGET_CALIBRATION_H
#define NPU_COMPILER_TARGET_CALIBRATION_H

#include "compiler/Target/TargetSpec.h"

namespace npu {

/// What this machine's processor is called: "model name" of /proc/cpuinfo.
std::string processorName();

/// Where the measured table of a target lies: npuc/NAME.yaml in the user's
/// cache folder (XDG_CACHE_HOME, or .cache in the home folder).
std::string calibrationPath(StringRef name);

/// loadTarget. A shipped target of a real machine (`measured`) is read from the
/// table at calibrationPath instead, if there is one of this processor and
/// `library`; where there is none, `note` says so and what to do. So it does
/// where the table is for another number of threads than `threads`; the table
/// is used all the same. A damaged table is an error.
std::optional<TargetSpec> loadCalibratedTarget(StringRef nameOrPath,
                                               StringRef library, int threads,
                                               const AllowedPlugins &allowed,
                                               std::string &note,
                                               std::string &error);

} // namespace npu

#endif // NPU_COMPILER_TARGET_CALIBRATION_H
