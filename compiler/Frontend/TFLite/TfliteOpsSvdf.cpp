// SPDX-License-Identifier: Apache-2.0
//
// SVDF: filters over time, each a product over features and one over the last
// results of that, which are the state.
#include "compiler/Dialect/NPU/ShapeInference.h"
#include "compiler/Frontend/TFLite/TfliteOps.h"

using namespace npu;

namespace {
/// Operands, and what their shapes say.
struct Svdf {
  Value data, features, times, bias;
  Value state; // (batch, filters, memory)
  int64_t batch = 0, filters = 0, memory = 0, rank = 1;
  int64_t units() const { return filters / rank; }
};
} // namespace

static constexpr size_t stateIndex = 4;

static FailureOr<Svdf> read(TfliteNode &node,
                            const tflite::SVDFOptions &options) {
  Svdf svdf;
  svdf.data = node.input(0);
  svdf.features = node.input(1);
  svdf.times = node.input(2);
  svdf.bias = node.optionalInput(3);
  svdf.state = node.input(stateIndex);
  if (node.hasFailed())
    return failure();
  if (node.variableOf[stateIndex].empty())
    return node.error("has operand 4 as state, which is no variable");
  if (rankOf(svdf.data) != 2 || rankOf(svdf.features) != 2 ||
      rankOf(svdf.times) != 2)
    return node.error("found data " + shapes::text(shapeOf(svdf.data)) +
                      ", weights " + shapes::text(shapeOf(svdf.features)) +
                      " and " + shapes::text(shapeOf(svdf.times)) +
                      ", expected matrices");
  svdf.batch = shapeOf(svdf.data)[0];
  svdf.filters = shapeOf(svdf.features)[0];
  svdf.memory = shapeOf(svdf.times)[1];
  svdf.rank = options.rank();
  Ints state{svdf.batch, svdf.filters * svdf.memory};
  bool fits = svdf.memory > 0 &&
              shapeOf(svdf.features)[1] == shapeOf(svdf.data)[1] &&
              shapeOf(svdf.times)[0] == svdf.filters &&
              ArrayRef(state) == shapeOf(svdf.state);
  if (!fits || svdf.rank < 1 || svdf.filters % svdf.rank != 0)
    return node.error("found data " + shapes::text(shapeOf(svdf.data)) +
                      ", weights " + shapes::text(shapeOf(svdf.features)) +
                      " and " + shapes::text(shapeOf(svdf.times)) + ", state " +
                      shapes::text(shapeOf(svdf.state)) + " and rank " +
                      Twine(svdf.rank) +
                      ", expected (B, K), (F, K), (F, M), (B, F*M) and a "
                      "divisor of F");
  if (svdf.bias && shapeOf(svdf.bias) != ArrayRef<int64_t>{svdf.units()})
    return node.error("found bias " + shapes::text(shapeOf(svdf.bias)) +
                      ", expected one number for each of " +
                      Twine(svdf.units()) + " units");
  svdf.state =
      node.reshape(svdf.state, {svdf.batch, svdf.filters, svdf.memory});
  return svdf;
}

/// One product for each filter, (batch, filters, 1).
static Value featureProducts(TfliteNode &node, const Svdf &svdf,
                             int64_t zeroPoint) {
  Value rows =
      node.reshape(svdf.data, {svdf.batch, 1, 1, shapeOf(svdf.data)[1]});
  Value sums =
      tfliteRowsTimesRows(node, rows, svdf.features, Value(), zeroPoint);
  return node.reshape(sums, {svdf.batch, svdf.filters, 1});
}

/// The state without its oldest column, and the new one behind it.
static Value shifted(TfliteNode &node, const Svdf &svdf, Value column) {
  if (svdf.memory == 1)
    return column;
  Value kept = node.slice(svdf.state, {0, 0, 1}, {1, 1, 1},
                          {svdf.batch, svdf.filters, svdf.memory - 1});
  return node.concat({kept, column}, 2);
}

/// Sums over time and over the filters of each unit, with the bias.
static Value unitSums(TfliteNode &node, const Svdf &svdf, Value state,
                      Value times) {
  Value products =
      node.two(NPU_INSTR_mul, state,
               node.reshape(times, {1, svdf.filters, svdf.memory}));
  Value grouped = node.reshape(
      products, {svdf.batch, svdf.units(), svdf.rank, svdf.memory});
  Value sums = node.reduce(grouped, ReduceKind::Sum, {2, 3}, false);
  if (!svdf.bias)
    return sums;
  return node.two(NPU_INSTR_add, sums,
                  node.reshape(svdf.bias, {1, svdf.units()}));
}

static LogicalResult keep(TfliteNode &node, const Svdf &svdf, Value state) {
  return node.keep(
      stateIndex,
      node.reshape(state, {svdf.batch, svdf.filters * svdf.memory}));
}

static LogicalResult buildOfFloats(TfliteNode &node, const Svdf &svdf,
                                   tflite::Activation activation) {
  for (Value value : {svdf.features, svdf.times, svdf.state})
    if (!elementOf(value).isF32())
      return node.unsupported("multiplies f32 by " +
                              typeText(elementOf(value)) + ", expected f32");
  Value state = shifted(node, svdf, featureProducts(node, svdf, 0));
  if (failed(keep(node, svdf, state)))
    return failure();
  return node.setResult(
      node.activated(unitSums(node, svdf, state, svdf.times), activation));
}

/// LiteRT runs bytes with RELU alone, which it takes for the range of the
/// result.
static LogicalResult buildOfBytes(TfliteNode &node, const Svdf &svdf,
                                  tflite::Activation activation) {
  if (activation != tflite::Activation::RELU)
    return node.unsupported(
        Twine("has the fused activation ") +
        tflite::EnumNameActivation(activation) +
        ", expected RELU, without which LiteRT does not run it");
  if (!elementOf(svdf.features).isInteger(8) ||
      !elementOf(svdf.times).isInteger(16) ||
      !elementOf(svdf.state).isInteger(16))
    return node.unsupported(
        "has weights of " + typeText(elementOf(svdf.features)) + " and " +
        typeText(elementOf(svdf.times)) + ", and a state of " +
        typeText(elementOf(svdf.state)) + ", expected i8, i16 and i16");
  FailureOr<TfliteScale> data = node.inputScale(0),
                         features = node.inputScale(1),
                         times = node.inputScale(2),
                         kept = node.inputScale(stateIndex),
                         result = node.resultScale();
  if (failed(data) || failed(features) || failed(times) || failed(kept) ||
      failed(result))
    return failure();
  // In floats, as LiteRT has it.
  double toState =
      float(data->scale()) * float(features->scale()) / float(kept->scale());
  double toResult =
      float(kept->scale()) * float(times->scale()) / float(result->scale());
  Value column = node.scaled(featureProducts(node, svdf, data->zeroPoint()),
                             toState, Rounding::Twice);
  column =
      node.cast(node.eltwise(NPU_INSTR_clip, {column}, INT16_MIN, INT16_MAX),
                elementOf(svdf.state));
  Value state = shifted(node, svdf, column);
  if (failed(keep(node, svdf, state)))
    return failure();
  Value sums = unitSums(node, svdf, node.cast(state, node.i32()),
                        node.cast(svdf.times, node.i32()));
  return node.setRequantized(sums, toResult, tflite::Activation::NONE);
}

LogicalResult npu::buildTfliteSvdf(TfliteNode &node) {
  const auto *options = node.options<tflite::SVDFOptions>();
  if (!options)
    return failure();
  FailureOr<Svdf> svdf = read(node, *options);
  if (failed(svdf))
    return failure();
  return elementOf(svdf->data).isF32()
             ? buildOfFloats(node, *svdf, options->activation())
             : buildOfBytes(node, *svdf, options->activation());
}
