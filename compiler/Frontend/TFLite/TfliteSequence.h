// SPDX-License-Identifier: Apache-2.0
//
// Steps of recurrent networks, written out one after the other.
#ifndef NPU_COMPILER_FRONTEND_TFLITE_TFLITESEQUENCE_H
#define NPU_COMPILER_FRONTEND_TFLITE_TFLITESEQUENCE_H

#include "compiler/Frontend/TFLite/TfliteNode.h"

namespace npu {

/// How the options of a recurrent operator say that its data and results lie.
struct TfliteSequence {
  bool isTimeMajor = true; // else the batch comes first
  bool isMerged = false;   // two directions give one result
};

/// Data with time first, (steps, batch, features); a matrix is one step. Null
/// after an error.
Value tfliteTimeFirst(TfliteNode &node, Value data, bool isTimeMajor);
/// The same the other way, for results of data like these.
Value tfliteAsData(TfliteNode &node, Value steps, Value data, bool isTimeMajor);

/// Sets what both directions give, each with time first.
LogicalResult tfliteSetDirections(TfliteNode &node, Value forward,
                                  Value backward, Value data,
                                  const TfliteSequence &sequence);

/// What `step` gives for each (batch, features) of data with time first, in
/// the data's order. Null after an error.
Value tfliteSteps(TfliteNode &node, Value data, bool isReverse,
                  function_ref<Value(Value)> step);

/// Rows times the rows of a matrix of floats, (..., K) and (M, K).
Value tfliteGateSums(TfliteNode &node, Value rows, Value weight);

/// An error where an operand does not have this shape; those that may be left
/// out are null then.
LogicalResult tfliteCheckShape(TfliteNode &node, size_t index,
                               ArrayRef<int64_t> shape);

/// Within the activation of a recurrent operator, TANH among them.
FailureOr<Value> tfliteCellActivation(TfliteNode &node, Value value,
                                      tflite::Activation activation);

} // namespace npu

#endif // NPU_COMPILER_FRONTEND_TFLITE_TFLITESEQUENCE_H
