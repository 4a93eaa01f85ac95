// SPDX-License-Identifier: Apache-2.0
//
// Steps of LSTM networks in integers: data, weights and results of 8 bits,
// gates and cells of 16. The products of all gates are one.
#include "compiler/Frontend/TFLite/TfliteLstm.h"
#include "compiler/Frontend/TFLite/TfliteOps.h"
#include "compiler/Frontend/TFLite/TfliteShort.h"

#include "compiler/Frontend/Support/IntegerScale.h"

#include <cmath>

using namespace npu;

namespace {
class IntegerLstm {
public:
  IntegerLstm(TfliteNode &node, const LstmRun &run) : node(node), run(run) {}

  LogicalResult read();
  Value allSteps();

private:
  Value ofGates(function_ref<size_t(size_t gate)> place);
  LogicalResult readFactors();
  LogicalResult readClips();
  Value inputSums();
  Value step(Value inputs);
  Value gate(size_t which, Value sums);
  Value product(Value rows, Value weight, Value bias, int64_t zeroPoint);
  Value cellTimes(Value cells, size_t which);
  Value saturated16(Value value);
  Value clipped(Value value, double limit);
  bool hasProjection() const {
    return bool(node.optionalInput(run.places.projection()));
  }

  TfliteNode &node;
  const LstmRun &run;
  TfliteScale dataScale, stateScale, hiddenScale;
  int cellBits = 0; // a cell is in units of 2^-cellBits
  // One for each row of the weights of all gates; one for each gate.
  SmallVector<double> inputFactors, stateFactors;
  double peepholeFactors[lstmGates] = {}, projectionFactor = 0;
  double cellClip = 0, projectionClip = 0;
  Value sigmoids, tanhs, cellTanhs; // tables of all steps
  Value recurrent, state, cell;
};
} // namespace

/// The scale that the sums of gates have: three bits before the point.
static constexpr double gateScale = 1.0 / 4096;

/// The operands of all gates, one below the other.
Value IntegerLstm::ofGates(function_ref<size_t(size_t)> place) {
  SmallVector<Value> parts;
  for (size_t gate = run.firstGate(); gate < lstmGates; ++gate)
    parts.push_back(node.input(place(gate)));
  return node.concat(parts, 0);
}

/// In floats where LiteRT has floats.
LogicalResult IntegerLstm::readFactors() {
  const LstmPlaces &places = run.places;
  for (size_t gate = run.firstGate(); gate < lstmGates; ++gate) {
    FailureOr<TfliteScale> weight = node.inputScale(places.weight(gate)),
                           kept = node.inputScale(places.recurrent(gate));
    if (failed(weight) || failed(kept))
      return failure();
    auto factor = [](const TfliteScale &a, const TfliteScale &b) {
      return double(float(a.scale()) * float(b.scale()) / float(gateScale));
    };
    inputFactors.append(run.cells, factor(*weight, dataScale));
    stateFactors.append(run.cells, factor(*kept, stateScale));
    if (gate == Fresh || !node.optionalInput(places.peephole(gate)))
      continue;
    FailureOr<TfliteScale> peephole = node.inputScale(places.peephole(gate));
    if (failed(peephole))
      return failure();
    peepholeFactors[gate] = double(float(std::ldexp(1.0, -cellBits)) *
                                   float(peephole->scale()) / float(gateScale));
  }
  if (!hasProjection())
    return success();
  FailureOr<TfliteScale> projection = node.inputScale(places.projection());
  if (failed(projection))
    return failure();
  projectionFactor =
      double(float(projection->scale()) * float(hiddenScale.scale()) /
             float(stateScale.scale()));
  return success();
}

LogicalResult IntegerLstm::readClips() {
  auto steps = [](float limit, double scale, float most) {
    return limit > 0 ? double(int32_t(std::min(limit / float(scale), most)))
                     : 0.0;
  };
  cellClip = steps(run.options.cellClip, std::ldexp(1.0, -cellBits), INT16_MAX);
  projectionClip =
      steps(run.options.projectionClip, stateScale.scale(), INT8_MAX);
  return success();
}

LogicalResult IntegerLstm::read() {
  const LstmPlaces &places = run.places;
  if (places.norms && node.optionalInput(*places.norms + Output))
    return node.unsupported("normalizes the gates of integers");
  Type i8 = node.getBuilder().getIntegerType(8),
       i16 = node.getBuilder().getIntegerType(16);
  for (size_t gate = run.firstGate(); gate < lstmGates; ++gate)
    for (auto [place, type] : {std::pair(places.weight(gate), i8),
                               std::pair(places.recurrent(gate), i8),
                               std::pair(places.peephole(gate), i16),
                               std::pair(places.bias(gate), node.i32())}) {
      Value value = node.optionalInput(place);
      if (value && elementOf(value) != type)
        return node.unsupported("has operand " + Twine(place) + " of " +
                                typeText(elementOf(value)) + ", expected " +
                                typeText(type));
    }
  if (elementOf(node.input(places.state)) != i8 ||
      elementOf(node.input(places.cell)) != i16)
    return node.unsupported(
        "keeps " + typeText(elementOf(node.input(places.state))) + " and " +
        typeText(elementOf(node.input(places.cell))) +
        ", expected i8 and cells of i16");
  FailureOr<TfliteScale> data = node.inputScale(0),
                         kept = node.inputScale(places.state),
                         cells = node.inputScale(places.cell),
                         hidden = node.scaleOf(node.op.intermediate(4));
  if (failed(data) || failed(kept) || failed(cells) || failed(hidden))
    return failure();
  dataScale = *data;
  stateScale = *kept;
  hiddenScale = *hidden;
  // In front of a projection LiteRT takes the zero point with its other sign.
  if (hasProjection())
    hiddenScale.zeroPoints.front() *= -1;
  if (hiddenScale.zeroPoint() > INT8_MAX)
    return node.unsupported("projects numbers with the zero point -128, "
                            "expected -127 to 127");
  int exponent = 0;
  if (std::frexp(cells->scale(), &exponent) != 0.5 || exponent > -8 ||
      exponent < -14)
    return node.unsupported("has cells with the scale " +
                            Twine(std::to_string(cells->scale())) +
                            ", expected a power of two from 2^-15 to 2^-9");
  cellBits = 1 - exponent;
  if (failed(readFactors()))
    return failure();
  return readClips();
}

Value IntegerLstm::saturated16(Value value) {
  return node.eltwise(NPU_INSTR_clip, {value}, INT16_MIN, INT16_MAX);
}

Value IntegerLstm::clipped(Value value, double limit) {
  return limit > 0 ? node.eltwise(NPU_INSTR_clip, {value}, -limit, limit)
                   : value;
}

/// (rows, K) by (M, K) as (rows, M), in 32 bits.
Value IntegerLstm::product(Value rows, Value weight, Value bias,
                           int64_t zeroPoint) {
  if (!rows || !weight)
    return node.noteFailure();
  int64_t count = shapeOf(rows)[0];
  Value sums = tfliteRowsTimesRows(
      node, node.reshape(rows, {count, 1, 1, shapeOf(rows)[1]}), weight, bias,
      zeroPoint);
  return node.reshape(sums, {count, shapeOf(weight)[0]});
}

/// What does not depend on the state, for all steps.
Value IntegerLstm::inputSums() {
  const LstmPlaces &places = run.places;
  int64_t steps = shapeOf(run.data)[0];
  Value sums =
      product(node.reshape(run.data, {steps * run.batch, run.features}),
              ofGates([&](size_t gate) { return places.weight(gate); }),
              ofGates([&](size_t gate) { return places.bias(gate); }),
              dataScale.zeroPoint());
  sums = saturated16(node.scaled(sums, inputFactors, Rounding::Twice));
  return node.reshape(sums, {steps, run.batch, int64_t(inputFactors.size())});
}

/// Cells times the peephole weights of a gate, scaled.
Value IntegerLstm::cellTimes(Value cells, size_t which) {
  Value weight = node.cast(node.input(run.places.peephole(which)), node.i32());
  return node.scaled(node.two(NPU_INSTR_mul, cells, weight),
                     peepholeFactors[which], Rounding::Twice);
}

/// A gate's numbers in units of 2^-15, as i32.
Value IntegerLstm::gate(size_t which, Value sums) {
  int64_t first = int64_t(which - run.firstGate()) * run.cells;
  Value sum = node.slice(sums, {0, first}, {1, 1}, {run.batch, run.cells});
  if (peepholeFactors[which] > 0)
    sum = saturated16(node.two(NPU_INSTR_add, sum, cellTimes(cell, which)));
  Value bent =
      tfliteShortLookUp(node, which == Fresh ? tanhs : sigmoids,
                        node.cast(sum, node.getBuilder().getIntegerType(16)));
  return node.cast(bent, node.i32());
}

/// One step; cell and state are i32 between operators.
Value IntegerLstm::step(Value inputs) {
  Value kept =
      node.scaled(product(state, recurrent, Value(), stateScale.zeroPoint()),
                  stateFactors, Rounding::Twice);
  Value sums = saturated16(node.two(NPU_INSTR_add, inputs, kept));
  Value forget = gate(Forget, sums), fresh = gate(Fresh, sums);
  Value taken = run.hasInputGate
                    ? gate(Input, sums)
                    : node.two(NPU_INSTR_sub, node.number32(INT16_MAX), forget);
  auto multiplied = [&](Value a, Value b, int shift) {
    return dividedByPower(node, node.two(NPU_INSTR_mul, a, b), shift);
  };
  cell =
      clipped(saturated16(node.two(NPU_INSTR_add, multiplied(forget, cell, 15),
                                   multiplied(taken, fresh, 30 - cellBits))),
              cellClip);
  Type i8 = node.getBuilder().getIntegerType(8),
       i16 = node.getBuilder().getIntegerType(16);
  Value bent = tfliteShortLookUp(node, cellTanhs, node.cast(cell, i16));
  Value hidden =
      node.two(NPU_INSTR_mul, gate(Output, sums), node.cast(bent, node.i32()));
  auto bytes = [&](Value value, const TfliteScale &scale) {
    Value moved =
        node.two(NPU_INSTR_add, value, node.number32(scale.zeroPoint()));
    return node.eltwise(NPU_INSTR_clip, {moved}, INT8_MIN, INT8_MAX);
  };
  double toHidden =
      std::ldexp(1.0, -15) / hiddenScale.scale() * std::ldexp(1.0, -15);
  hidden = node.cast(
      bytes(node.scaled(hidden, toHidden, Rounding::Twice), hiddenScale), i8);
  if (!hasProjection())
    return state = hidden;
  Value sum = product(hidden, node.input(run.places.projection()),
                      node.optionalInput(run.places.projectionBias()),
                      hiddenScale.zeroPoint());
  sum = bytes(node.scaled(sum, projectionFactor, Rounding::Twice), stateScale);
  return state = node.cast(clipped(sum, projectionClip), i8);
}

Value IntegerLstm::allSteps() {
  const LstmPlaces &places = run.places;
  sigmoids =
      tfliteShortTable(node, [](int32_t x) { return fixedSigmoid(x, 3); });
  tanhs = tfliteShortTable(node, [](int32_t x) { return fixedTanh(x, 3); });
  cellTanhs = tfliteShortTable(
      node, [&](int32_t x) { return fixedTanh(x, 15 - cellBits); });
  recurrent = ofGates([&](size_t gate) { return places.recurrent(gate); });
  state = node.input(places.state);
  cell = node.cast(node.input(places.cell), node.i32());
  Value steps = tfliteSteps(node, inputSums(), run.isReverse,
                            [&](Value inputs) { return step(inputs); });
  if (steps)
    cell = node.cast(cell, node.getBuilder().getIntegerType(16));
  return steps && succeeded(node.keep(places.state, state)) &&
                 succeeded(node.keep(places.cell, cell))
             ? steps
             : node.noteFailure();
}

Value npu::runIntegerLstm(TfliteNode &node, const LstmRun &run) {
  IntegerLstm lstm(node, run);
  return succeeded(lstm.read()) ? lstm.allSteps() : node.noteFailure();
}
