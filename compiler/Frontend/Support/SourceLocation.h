// SPDX-License-Identifier: Apache-2.0
//
// Where in a model something stands: names around the file's name.
#ifndef NPU_COMPILER_FRONTEND_SUPPORT_SOURCELOCATION_H
#define NPU_COMPILER_FRONTEND_SUPPORT_SOURCELOCATION_H

#include "compiler/Support/LLVM.h"

#include <string>

namespace npu {

/// The whole file.
Location fileLocation(MLIRContext &context, StringRef path);

/// "Conv 'name'" in the file.
Location nodeLocation(Location file, StringRef op, StringRef name);

/// Such a location as text: "model.onnx: Conv 'name'"; empty for one that names
/// nothing.
std::string describeLocation(Location location);

} // namespace npu

#endif // NPU_COMPILER_FRONTEND_SUPPORT_SOURCELOCATION_H
