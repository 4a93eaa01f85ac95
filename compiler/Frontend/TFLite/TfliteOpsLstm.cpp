// SPDX-License-Identifier: Apache-2.0
//
// LSTM networks: options, operands and directions.
#include "compiler/Frontend/TFLite/TfliteLstm.h"
#include "compiler/Frontend/TFLite/TfliteOps.h"

#include "compiler/Dialect/NPU/ShapeInference.h"

using namespace npu;
using tflite::BuiltinOperator;

template <typename Options>
static LstmOptions common(const Options &options) {
  LstmOptions found;
  found.activation = options.activation();
  found.cellClip = options.cell_clip();
  found.projectionClip = options.proj_clip();
  return found;
}

/// Without an activation LiteRT's results are what was in its memory before.
static LogicalResult checkActivation(TfliteNode &node,
                                     const LstmOptions &options) {
  // Those of integers do not read it.
  if (options.activation != tflite::Activation::NONE ||
      node.op.inputType(0) != tflite::TensorType::FLOAT32)
    return success();
  return node.unsupported("has the activation NONE, of which LiteRT's numbers "
                          "are not defined");
}

static FailureOr<LstmOptions> readOptions(TfliteNode &node) {
  if (const auto *options = node.op.options<tflite::LSTMOptions>()) {
    if (options->kernel_type() != tflite::LSTMKernelType::FULL)
      return node.unsupported("has the kernel BASIC, expected FULL");
    return common(*options);
  }
  if (const auto *options =
          node.op.options<tflite::UnidirectionalSequenceLSTMOptions>()) {
    if (options->diagonal_recurrent_tensors())
      return node.unsupported("has diagonal recurrent weights, expected "
                              "matrices");
    LstmOptions found = common(*options);
    found.isTimeMajor = options->time_major();
    return found;
  }
  const auto *options =
      node.options<tflite::BidirectionalSequenceLSTMOptions>();
  if (!options)
    return failure();
  LstmOptions found = common(*options);
  found.isTimeMajor = options->time_major();
  found.isMerged = options->merge_outputs();
  return found;
}

/// An error where an operand that a direction needs is left out, or does not
/// fit the others.
static LogicalResult checkOperands(TfliteNode &node, const LstmRun &run) {
  const LstmPlaces &places = run.places;
  for (size_t gate = run.firstGate(); gate < lstmGates; ++gate) {
    bool hasNorm = places.norms && node.optionalInput(*places.norms + gate);
    if (!node.input(places.weight(gate)) || !node.input(places.recurrent(gate)))
      return failure();
    if (!hasNorm && !node.input(places.bias(gate)))
      return failure();
    if (failed(tfliteCheckShape(node, places.weight(gate),
                                {run.cells, run.features})) ||
        failed(tfliteCheckShape(node, places.recurrent(gate),
                                {run.cells, run.units})) ||
        failed(tfliteCheckShape(node, places.peephole(gate), {run.cells})) ||
        failed(tfliteCheckShape(node, places.bias(gate), {run.cells})) ||
        (hasNorm &&
         failed(tfliteCheckShape(node, *places.norms + gate, {run.cells}))) ||
        (run.second &&
         failed(tfliteCheckShape(node, *places.secondWeights + gate,
                                 {run.cells, shapeOf(run.second)[2]}))))
      return failure();
  }
  for (auto [place, extent] : {std::pair(places.state, run.units),
                               std::pair(places.cell, run.cells)}) {
    if (!node.input(place) ||
        failed(tfliteCheckShape(node, place, {run.batch, extent})))
      return failure();
    if (node.variableOf[place].empty())
      return node.error("has operand " + Twine(place) +
                        " as state, which is no variable");
  }
  if (failed(
          tfliteCheckShape(node, places.projection(), {run.units, run.cells})))
    return failure();
  return tfliteCheckShape(node, places.projectionBias(), {run.units});
}

/// One direction over data with time first.
static Value direction(TfliteNode &node, const LstmOptions &options,
                       const LstmPlaces &places, Value data, Value second,
                       bool isReverse) {
  Value weight = node.input(places.weight(Output)),
        recurrent = node.input(places.recurrent(Output));
  if (!data || !weight || !recurrent)
    return node.noteFailure();
  if (rankOf(weight) != 2 || rankOf(recurrent) != 2)
    return node.fail("found weights " + shapes::text(shapeOf(weight)) +
                     " and " + shapes::text(shapeOf(recurrent)) +
                     ", expected matrices");
  LstmRun run{options, places, data, second, isReverse};
  run.batch = shapeOf(data)[1];
  run.features = shapeOf(data)[2];
  run.cells = shapeOf(weight)[0];
  run.units = shapeOf(recurrent)[1];
  run.hasInputGate = bool(node.optionalInput(places.weight(Input)));
  if (failed(checkOperands(node, run)))
    return node.noteFailure();
  return isa<mlir::FloatType>(elementOf(data)) ? runFloatLstm(node, run)
                                               : runIntegerLstm(node, run);
}

static LogicalResult
buildBothDirections(TfliteNode &node, const LstmOptions &options, Value given) {
  constexpr size_t secondInput = 39;
  Value data = tfliteTimeFirst(node, given, options.isTimeMajor),
        second = node.optionalInput(secondInput), other = data;
  if (second)
    second = tfliteTimeFirst(node, second, options.isTimeMajor);
  // A second input without weights is what the second direction reads.
  if (second && !node.optionalInput(secondInput + 1 + Output))
    other = std::exchange(second, Value());
  Value forward =
      direction(node, options, {1, 35, 36, std::nullopt, secondInput + 1}, data,
                second, /*isReverse=*/false);
  Value backward =
      direction(node, options, {18, 37, 38, std::nullopt, secondInput + 5},
                other, second, /*isReverse=*/true);
  return tfliteSetDirections(node, forward, backward, given, options);
}

LogicalResult npu::buildTfliteLstm(TfliteNode &node) {
  FailureOr<LstmOptions> options = readOptions(node);
  Value given = node.input(0);
  if (failed(options) || !given || failed(checkActivation(node, *options)))
    return failure();
  if (node.op.kind() == BuiltinOperator::BIDIRECTIONAL_SEQUENCE_LSTM)
    return buildBothDirections(node, *options, given);
  Value data = tfliteTimeFirst(node, given, options->isTimeMajor);
  Value steps = direction(node, *options, {1, 18, 19, 20, std::nullopt}, data,
                          Value(), /*isReverse=*/false);
  return node.setResult(tfliteAsData(node, steps, given, options->isTimeMajor));
}
