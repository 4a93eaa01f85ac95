// SPDX-License-Identifier: Apache-2.0
//
// Where the operands of LSTM networks are, and what their options say.
#ifndef NPU_COMPILER_FRONTEND_TFLITE_TFLITELSTM_H
#define NPU_COMPILER_FRONTEND_TFLITE_TFLITELSTM_H

#include "compiler/Frontend/TFLite/TfliteSequence.h"

#include <optional>

namespace npu {

/// In the order in which the operators have their weights.
enum LstmGate : size_t { Input, Forget, Fresh, Output };
constexpr size_t lstmGates = 4;

/// What the options of the three operators say; no clip is 0.
struct LstmOptions : TfliteSequence {
  tflite::Activation activation = tflite::Activation::NONE;
  float cellClip = 0, projectionClip = 0;
};

/// Where the operands of a direction are.
struct LstmPlaces {
  size_t first, state, cell;
  std::optional<size_t> norms, secondWeights; // the first of four

  size_t weight(size_t gate) const { return first + gate; }
  size_t recurrent(size_t gate) const { return first + 4 + gate; }
  /// None of the gate that makes fresh cells.
  size_t peephole(size_t gate) const {
    return first + 8 + std::min<size_t>(gate, 2);
  }
  size_t bias(size_t gate) const { return first + 11 + gate; }
  size_t projection() const { return first + 15; }
  size_t projectionBias() const { return first + 16; }
};

/// A direction with its shapes, which hold; data with time first.
struct LstmRun {
  const LstmOptions &options;
  const LstmPlaces &places;
  Value data, second; // null: no second input
  bool isReverse = false;
  int64_t batch = 0, features = 0, cells = 0, units = 0; // units are results
  bool hasInputGate = true;
  size_t firstGate() const { return hasInputGate ? Input : Forget; }
};

/// What all steps give, with time first; the states are assigned. Null after
/// an error.
Value runFloatLstm(TfliteNode &node, const LstmRun &run);
Value runIntegerLstm(TfliteNode &node, const LstmRun &run);

} // namespace npu

#endif // NPU_COMPILER_FRONTEND_TFLITE_TFLITELSTM_H
