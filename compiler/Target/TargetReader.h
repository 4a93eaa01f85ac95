// SPDX-License-Identifier: Apache-2.0
//
// A target's text alone, without the files that it names.
#ifndef NPU_COMPILER_TARGET_TARGETREADER_H
#define NPU_COMPILER_TARGET_TARGETREADER_H

#include "compiler/Target/TargetSpec.h"

namespace npu {

/// As parseTarget(), but for the machine of its fallback.
std::optional<TargetSpec> readTarget(StringRef text, StringRef file,
                                     std::string &error,
                                     const AllowedPlugins &allowed);

} // namespace npu

#endif // NPU_COMPILER_TARGET_TARGETREADER_H
