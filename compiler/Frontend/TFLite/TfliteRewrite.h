// SPDX-License-Identifier: Apache-2.0
//
// A .tflite file with some of its operators replaced, as another file.
#ifndef NPU_COMPILER_FRONTEND_TFLITE_TFLITEREWRITE_H
#define NPU_COMPILER_FRONTEND_TFLITE_TFLITEREWRITE_H

#include "compiler/Frontend/TFLite/TfliteModel.h"

#include <functional>
#include <string>

namespace npu {

/// What takes the place of an operator of the first graph.
struct TfliteReplacement {
  const tflite::Operator *source;
  /// A custom operator of this name on the first operands, and its numbers as
  /// words; itself if empty.
  std::string custom, words;
  size_t operands = 0;
  /// Other options for the operator itself; as they were if empty.
  std::function<flatbuffers::Offset<void>(flatbuffers::FlatBufferBuilder &)>
      options;
  /// An activation that becomes an operator of its own behind it.
  tflite::Activation behind = tflite::Activation::NONE;
  /// A name of its own for its result; a RESHAPE behind it gives the old one.
  std::string name;
};

/// The file with these changes, in front of the bytes as they were: offsets in
/// FlatBuffers lead forwards, so new tables may refer to all old ones.
std::string rewriteTflite(StringRef bytes, const tflite::Model &model,
                          ArrayRef<TfliteReplacement> replacements);

} // namespace npu

#endif // NPU_COMPILER_FRONTEND_TFLITE_TFLITEREWRITE_H
