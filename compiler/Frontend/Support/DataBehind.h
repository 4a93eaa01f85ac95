// SPDX-License-Identifier: Apache-2.0
//
// Which inputs of the model a value is computed from, for errors about values
// that would have to be known.
#ifndef NPU_COMPILER_FRONTEND_SUPPORT_DATABEHIND_H
#define NPU_COMPILER_FRONTEND_SUPPORT_DATABEHIND_H

#include "compiler/Support/LLVM.h"

#include <string>

namespace npu {

/// The inputs behind a value, by name.
struct DataBehind {
  /// A number, or as many as a shape has: what a user can say beforehand.
  SmallVector<std::string> settings;
  /// What the model is run for.
  SmallVector<std::string> data;
};
DataBehind dataBehind(Value value);

/// What to do about a value that is not known when compiling.
std::string adviceAbout(const DataBehind &behind);

} // namespace npu

#endif // NPU_COMPILER_FRONTEND_SUPPORT_DATABEHIND_H
