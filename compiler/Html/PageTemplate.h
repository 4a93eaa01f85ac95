// SPDX-License-Identifier: Apache-2.0
//
// page.html with its style and scripts in it, put together by the build.
#ifndef NPU_COMPILER_HTML_PAGETEMPLATE_H
#define NPU_COMPILER_HTML_PAGETEMPLATE_H

#include "compiler/Support/LLVM.h"

namespace npu {

StringRef pageTemplate();

/// Where the data block stands in it.
inline StringRef pageDataMarker() { return "@DATA@"; }

} // namespace npu

#endif // NPU_COMPILER_HTML_PAGETEMPLATE_H
