// SPDX-License-Identifier: Apache-2.0
//
// Steps of LSTM networks in floats. The products of all gates are one.
#include "compiler/Frontend/TFLite/TfliteLstm.h"
#include "compiler/Frontend/TFLite/TfliteOps.h"

using namespace npu;
using tflite::Activation;

namespace {
class FloatLstm {
public:
  FloatLstm(TfliteNode &node, const LstmRun &run) : node(node), run(run) {}

  Value allSteps();

private:
  Value ofGates(function_ref<size_t(size_t gate)> place);
  Value inputSums();
  Value step(Value inputs);
  Value gate(size_t which, Value sums);
  Value normalized(Value sums);
  Value activated(Value value);
  Value clipped(Value value, float limit);
  bool hasNorms() const {
    return run.places.norms && node.optionalInput(*run.places.norms + Output);
  }

  TfliteNode &node;
  const LstmRun &run;
  Value recurrent, projection, state, cell;
};
} // namespace

/// The operands of all gates, one below the other.
Value FloatLstm::ofGates(function_ref<size_t(size_t)> place) {
  SmallVector<Value> parts;
  for (size_t gate = run.firstGate(); gate < lstmGates; ++gate)
    parts.push_back(tfliteFloats(node, place(gate)));
  return node.concat(parts, 0);
}

/// What does not depend on the state, for all steps.
Value FloatLstm::inputSums() {
  const LstmPlaces &places = run.places;
  Value sums =
      tfliteGateSums(node, run.data,
                     ofGates([&](size_t gate) { return places.weight(gate); }));
  if (run.second)
    sums = node.two(NPU_INSTR_add, sums,
                    tfliteGateSums(node, run.second, ofGates([&](size_t gate) {
                                     return *places.secondWeights + gate;
                                   })));
  if (hasNorms())
    return sums;
  return node.two(NPU_INSTR_add, sums,
                  ofGates([&](size_t gate) { return places.bias(gate); }));
}

/// Each row less its mean, in units of its deviation.
Value FloatLstm::normalized(Value sums) {
  Value mean = node.reduce(sums, ReduceKind::Mean, {1}, true);
  Value rest = node.two(NPU_INSTR_sub, sums, mean);
  Value variance = node.reduce(node.two(NPU_INSTR_mul, rest, rest),
                               ReduceKind::Mean, {1}, true);
  Value scale = node.one(NPU_INSTR_rsqrt,
                         node.two(NPU_INSTR_add, variance, node.float32(1e-8)));
  return node.two(NPU_INSTR_mul, rest, scale);
}

Value FloatLstm::activated(Value value) {
  FailureOr<Value> made =
      tfliteCellActivation(node, value, run.options.activation);
  return succeeded(made) ? *made : node.noteFailure();
}

Value FloatLstm::clipped(Value value, float limit) {
  return limit > 0
             ? node.eltwise(NPU_INSTR_clip, {value}, -double(limit), limit)
             : value;
}

Value FloatLstm::gate(size_t which, Value sums) {
  const LstmPlaces &places = run.places;
  int64_t first = int64_t(which - run.firstGate()) * run.cells;
  Value sum = node.slice(sums, {0, first}, {1, 1}, {run.batch, run.cells});
  Value peephole =
      which != Fresh ? node.optionalInput(places.peephole(which)) : Value();
  if (peephole)
    sum = node.two(NPU_INSTR_add, sum, node.two(NPU_INSTR_mul, cell, peephole));
  if (hasNorms())
    sum = node.two(NPU_INSTR_add,
                   node.two(NPU_INSTR_mul, normalized(sum),
                            node.input(*places.norms + which)),
                   node.input(places.bias(which)));
  return which == Fresh ? activated(sum) : node.one(NPU_INSTR_sigmoid, sum);
}

Value FloatLstm::step(Value inputs) {
  Value sums =
      node.two(NPU_INSTR_add, inputs, tfliteGateSums(node, state, recurrent));
  Value forget = gate(Forget, sums), fresh = gate(Fresh, sums);
  Value taken = run.hasInputGate
                    ? gate(Input, sums)
                    : node.two(NPU_INSTR_sub, node.float32(1), forget);
  cell = clipped(node.two(NPU_INSTR_add, node.two(NPU_INSTR_mul, forget, cell),
                          node.two(NPU_INSTR_mul, taken, fresh)),
                 run.options.cellClip);
  // The gate of results sees the new cell.
  state = node.two(NPU_INSTR_mul, gate(Output, sums), activated(cell));
  if (!projection)
    return state;
  state = tfliteGateSums(node, state, projection);
  if (Value bias = node.optionalInput(run.places.projectionBias()))
    state = node.two(NPU_INSTR_add, state, bias);
  return state = clipped(state, run.options.projectionClip);
}

Value FloatLstm::allSteps() {
  const LstmPlaces &places = run.places;
  recurrent = ofGates([&](size_t gate) { return places.recurrent(gate); });
  if (node.optionalInput(places.projection()))
    projection = tfliteFloats(node, places.projection());
  state = node.input(places.state);
  cell = node.input(places.cell);
  Value steps = tfliteSteps(node, inputSums(), run.isReverse,
                            [&](Value inputs) { return step(inputs); });
  return steps && succeeded(node.keep(places.state, state)) &&
                 succeeded(node.keep(places.cell, cell))
             ? steps
             : node.noteFailure();
}

Value npu::runFloatLstm(TfliteNode &node, const LstmRun &run) {
  return FloatLstm(node, run).allSteps();
}
