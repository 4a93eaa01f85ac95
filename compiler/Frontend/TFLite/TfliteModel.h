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

/// The model in these bytes, which must live as long as it is used; null after
/// one error at `file`.
const tflite::Model *readTfliteModel(Location file, StringRef bytes);

/// An operator with what it needs of the model around it. Operands and results
/// are known to exist; an operand that is left out is null.
class TfliteOperator {
public:
  TfliteOperator(const tflite::Model &model, const tflite::SubGraph &graph,
                 const tflite::Operator &source)
      : model(model), graph(graph), source(source) {}

  const tflite::Model &model;
  const tflite::SubGraph &graph;
  const tflite::Operator &source;

  tflite::BuiltinOperator kind() const;
  /// "MAX_POOL_2D", or "CUSTOM 'name'".
  std::string name() const;

  size_t inputCount() const;
  size_t outputCount() const;
  const tflite::Tensor *input(size_t index) const;
  const tflite::Tensor *output(size_t index) const;
  /// The name of the first result, which operators are known by.
  StringRef resultName() const;

  tflite::TensorType inputType(size_t index) const;
  tflite::TensorType outputType(size_t index) const;

  /// The bytes of a constant; none if data decides.
  std::optional<StringRef> constant(size_t index) const;
  /// The numbers of a constant of int32 or int64.
  std::optional<SmallVector<int64_t>> ints(size_t index) const;

  /// Its table of options; null if it has none, or another operator's.
  template <typename Options>
  const Options *options() const {
    return source.builtin_options_as<Options>();
  }
};

/// "f32", "i8", as in npuc's other messages.
StringRef tfliteTypeText(tflite::TensorType type);

/// The one scale of a quantized tensor; none if it has none, or one for each
/// channel.
struct TfliteScale {
  float scale;
  int64_t zeroPoint;
};
std::optional<TfliteScale> tfliteScale(const tflite::Tensor &tensor);

} // namespace npu

#endif // NPU_COMPILER_FRONTEND_TFLITE_TFLITEMODEL_H
