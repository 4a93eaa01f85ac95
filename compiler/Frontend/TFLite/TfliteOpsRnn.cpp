// SPDX-License-Identifier: Apache-2.0
//
// Recurrent networks of one gate.
#include "compiler/Frontend/TFLite/TfliteOps.h"
#include "compiler/Frontend/TFLite/TfliteSequence.h"

#include "compiler/Dialect/NPU/ShapeInference.h"

#include <optional>

using namespace npu;
using tflite::Activation;
using tflite::BuiltinOperator;

namespace {
/// What the options of the three operators say.
struct Rnn : TfliteSequence {
  Activation activation = Activation::NONE;
};
/// Where the operands of a direction are: weights, recurrent weights, bias,
/// state; and the weights of a second input, where the operator has one.
struct Places {
  size_t first = 1;
  std::optional<size_t> secondWeight;
};
} // namespace

static FailureOr<Rnn> readOptions(TfliteNode &node) {
  Rnn rnn;
  if (const auto *options = node.op.options<tflite::RNNOptions>()) {
    rnn.activation = options->activation();
  } else if (const auto *options =
                 node.op.options<tflite::SequenceRNNOptions>()) {
    rnn.activation = options->activation();
    rnn.isTimeMajor = options->time_major();
  } else if (const auto *options =
                 node.options<tflite::BidirectionalSequenceRNNOptions>()) {
    rnn.activation = options->activation();
    rnn.isTimeMajor = options->time_major();
    rnn.isMerged = options->merge_outputs();
  } else {
    return failure();
  }
  return rnn;
}

/// The results of all steps, with time first.
static Value run(TfliteNode &node, const Rnn &rnn, Value data, Value second,
                 const Places &places, bool isReverse) {
  size_t stateIndex = places.first + 3;
  Value weight = tfliteFloats(node, places.first),
        recurrent = tfliteFloats(node, places.first + 1),
        bias = node.input(places.first + 2), state = node.input(stateIndex);
  if (!data || !weight || !recurrent || !bias || !state)
    return node.noteFailure();
  if (node.variableOf[stateIndex].empty())
    return node.fail("has operand " + Twine(stateIndex) +
                     " as state, which is no variable");
  int64_t units = shapeOf(bias).empty() ? 0 : shapeOf(bias)[0];
  if (failed(tfliteCheckShape(node, places.first, {units, shapeOf(data)[2]})) ||
      failed(tfliteCheckShape(node, places.first + 1, {units, units})) ||
      failed(tfliteCheckShape(node, places.first + 2, {units})) ||
      failed(tfliteCheckShape(node, stateIndex, {shapeOf(data)[1], units})))
    return node.noteFailure();
  Value sums =
      node.two(NPU_INSTR_add, tfliteGateSums(node, data, weight), bias);
  if (second && places.secondWeight) {
    if (failed(tfliteCheckShape(node, *places.secondWeight,
                                {units, shapeOf(second)[2]})))
      return node.noteFailure();
    sums = node.two(
        NPU_INSTR_add, sums,
        tfliteGateSums(node, second, tfliteFloats(node, *places.secondWeight)));
  }
  Value results = tfliteSteps(node, sums, isReverse, [&](Value sum) {
    FailureOr<Value> next = tfliteCellActivation(
        node,
        node.two(NPU_INSTR_add, sum, tfliteGateSums(node, state, recurrent)),
        rnn.activation);
    return state = succeeded(next) ? *next : Value();
  });
  return results && succeeded(node.keep(stateIndex, state))
             ? results
             : node.noteFailure();
}

LogicalResult npu::buildTfliteRnn(TfliteNode &node) {
  FailureOr<Rnn> rnn = readOptions(node);
  Value given = node.input(0);
  if (failed(rnn) || !given)
    return failure();
  Value data = tfliteTimeFirst(node, given, rnn->isTimeMajor);
  if (node.op.kind() != BuiltinOperator::BIDIRECTIONAL_SEQUENCE_RNN)
    return node.setResult(
        tfliteAsData(node, run(node, *rnn, data, Value(), {}, false), given,
                     rnn->isTimeMajor));
  Value second = node.optionalInput(9);
  if (second)
    second = tfliteTimeFirst(node, second, rnn->isTimeMajor);
  // A second input without weights is what the second direction reads.
  bool isOther = second && !node.optionalInput(10);
  auto weights = [&](size_t place) {
    return isOther ? std::nullopt : std::optional<size_t>(place);
  };
  Value forward =
      run(node, *rnn, data, second, {1, weights(10)}, /*isReverse=*/false);
  Value backward = run(node, *rnn, isOther ? second : data, second,
                       {5, weights(11)}, /*isReverse=*/true);
  return tfliteSetDirections(node, forward, backward, given, *rnn);
}
