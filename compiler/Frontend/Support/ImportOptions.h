// SPDX-License-Identifier: Apache-2.0
//
// What every front end is told beside the model.
#ifndef NPU_COMPILER_FRONTEND_SUPPORT_IMPORTOPTIONS_H
#define NPU_COMPILER_FRONTEND_SUPPORT_IMPORTOPTIONS_H

#include "compiler/Support/LLVM.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace npu {

/// What the user says about the model's inputs, by name.
struct ImportOptions {
  /// The model itself; else it is read from its file.
  std::optional<StringRef> bytes;
  /// --input-shape=NAME=1,3,224,224
  std::map<std::string, std::vector<int64_t>> inputShapes;
  /// --batch=N: the first dimension of every input where the model leaves it
  /// open.
  std::optional<int64_t> batch;
  /// --bind-input=NAME=FILE.npy: the input becomes a constant.
  std::map<std::string, ElementsAttr> boundInputs;
  /// --state=PAST=PRESENT: an input is what the run before left as an output.
  std::vector<std::string> states;
  /// --taps: every value that a node of the main graph names becomes an output
  /// of that name, behind the model's own. Not those that are known at compile
  /// time, and of several names of one value the first.
  bool taps = false;
  /// --f64=f32: what computes in f64 does so in f32; else it is refused.
  bool f64AsF32 = false;
  /// Called with each file beside the model that is read.
  std::function<void(StringRef path)> onRead = [](StringRef) {};
};

} // namespace npu

#endif // NPU_COMPILER_FRONTEND_SUPPORT_IMPORTOPTIONS_H
