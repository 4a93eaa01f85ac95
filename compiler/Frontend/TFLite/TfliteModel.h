// SPDX-License-Identifier: Apache-2.0
//
// A .tflite file, read and verified: every offset, index and size in it holds.
#ifndef NPU_COMPILER_FRONTEND_TFLITE_TFLITEMODEL_H
#define NPU_COMPILER_FRONTEND_TFLITE_TFLITEMODEL_H

#include "compiler/Frontend/TFLite/tflite_generated.h"
#include "compiler/Support/LLVM.h"

#include <optional>
#include <string>

namespace npu {

/// A verified file; its bytes must live as long as it is used.
struct TfliteFile {
  StringRef bytes;
  const tflite::Model *model = nullptr;

  /// The bytes of a constant; none of a value that an operator gives.
  std::optional<StringRef> dataOf(const tflite::Tensor &tensor) const;
};

/// The model in these bytes; without one after one error at `file`.
std::optional<TfliteFile> readTfliteModel(Location file, StringRef bytes);

/// An operator with what it needs of the model around it. Operands and results
/// are known to exist; an operand that is left out is null.
class TfliteOperator {
public:
  TfliteOperator(const TfliteFile &file, const tflite::SubGraph &graph,
                 const tflite::Operator &source)
      : file(file), graph(graph), source(source) {}

  const TfliteFile &file;
  const tflite::SubGraph &graph;
  const tflite::Operator &source;

  tflite::BuiltinOperator kind() const;
  /// What a file calls an operator that is none of TFLite's own.
  std::string customName() const;
  /// "MAX_POOL_2D", or "CUSTOM 'name'".
  std::string name() const;

  size_t inputCount() const;
  size_t outputCount() const;
  const tflite::Tensor *input(size_t index) const;
  const tflite::Tensor *output(size_t index) const;
  /// A tensor that says only how numbers within the operator are scaled; null
  /// where there is none.
  const tflite::Tensor *intermediate(size_t index) const;
  /// The name of the first result, which operators are known by.
  std::string resultName() const;

  tflite::TensorType inputType(size_t index) const;
  tflite::TensorType outputType(size_t index) const;

  /// Its table of options; null if it has none, or another operator's.
  template <typename Options>
  const Options *options() const {
    return source.builtin_options_as<Options>();
  }
};

/// "f32", "i8", as in npuc's other messages.
StringRef tfliteTypeText(tflite::TensorType type);

/// The name as text; a tensor without one has none.
std::string tfliteNameOf(const tflite::Tensor &tensor);

/// "tensor 'name'", for messages.
std::string tfliteTensorText(const tflite::Tensor &tensor);

} // namespace npu

#endif // NPU_COMPILER_FRONTEND_TFLITE_TFLITEMODEL_H
