// SPDX-License-Identifier: Apache-2.0
//
// RNN, GRU and LSTM, one step after the other: the products with the inputs of
// all steps are one matrix product, those with the state one for each step.
#include "compiler/Frontend/ONNX/OnnxArithmetic.h"
#include "compiler/Frontend/ONNX/OnnxOps.h"
#include "compiler/Frontend/ONNX/OnnxQuantize.h"
#include "compiler/Frontend/ONNX/OnnxWithin.h"
#include "compiler/Frontend/Support/NodeBudget.h"

#include "compiler/Dialect/NPU/Constants.h"
#include "compiler/Dialect/NPU/ShapeInference.h"

using namespace npu;

namespace {

/// A function of the list `activations`, with its numbers.
struct Activation {
  std::string name; // lower case
  double alpha, beta;
};

struct State {
  Value hidden, cell; // (batch, hidden)
};

/// One direction: its weights, and the products with all inputs.
struct Direction {
  Value inputs; // (steps, batch, gates * hidden), with all biases that fit
  Value weight; // (hidden, gates * hidden)
  /// The same in bytes, in place of it, where the state is quantized in each
  /// step.
  Dequantized byteWeight;
  /// Of GRU: its weight in two, cut once and not in each step.
  Value gatesWeight, freshWeight;
  Value stateBias; // of the last gate (hidden), or null
  Value peepholes; // (gates - 1) * hidden, or null
  State state;
  ArrayRef<Activation> functions;
};

/// What both directions share.
struct Recurrence {
  explicit Recurrence(OnnxNode &node) : node(node) {}
  OnnxNode &node;
  int64_t steps = 0, batch = 0, hidden = 0, gates = 0;
  double clip = 0; // 0: none
  bool resetsAfter = false, couplesGates = false, isBatchFirst = false;
  bool isQuantized = false; // weights (directions, inputs, columns) of bytes
  Value lengths;            // of the sequences (batch, 1), or null
  std::vector<Activation> functions;

  /// Columns of gate `first` and following ones.
  Value gate(Value value, int64_t first, int64_t count = 1) const {
    int64_t rows = value ? shapeOf(value)[0] : 0;
    return node.slice(value, {0, first * hidden}, {1, 1},
                      {rows, count * hidden});
  }
};

using Cell = State (*)(const Recurrence &, const Direction &, Value inputs,
                       State before);

/// What a row of this table needs, and its defaults.
struct ActivationRow {
  StringRef name;
  int numbers; // of alpha and beta, how many it takes
  double alpha, beta;
};

} // namespace

static const ActivationRow activationRows[] = {{"relu", 0, 0, 0},
                                               {"tanh", 0, 0, 0},
                                               {"sigmoid", 0, 0, 0},
                                               {"softsign", 0, 0, 0},
                                               {"softplus", 0, 0, 0},
                                               {"leakyrelu", 1, 0.01, 0},
                                               {"thresholdedrelu", 1, 1, 0},
                                               {"elu", 1, 1, 0},
                                               {"affine", 2, 1, 0},
                                               {"scaledtanh", 2, 1, 1},
                                               {"hardsigmoid", 2, 0.2, 0.5}};

static Value apply(OnnxNode &node, const Activation &function, Value x) {
  StringRef name = function.name;
  if (name == "relu")
    return node.eltwise(NPU_INSTR_relu, x);
  if (name == "tanh")
    return node.eltwise(NPU_INSTR_tanh, x);
  if (name == "sigmoid")
    return node.eltwise(NPU_INSTR_sigmoid, x);
  if (name == "softplus")
    return node.eltwise(NPU_INSTR_softplus, x);
  if (name == "softsign")
    return divide(node, x, plus(node, node.eltwise(NPU_INSTR_abs, x), 1));
  if (name == "leakyrelu")
    return node.eltwise(NPU_INSTR_leaky_relu, x, function.alpha);
  if (name == "elu")
    return node.eltwise(NPU_INSTR_elu, x, function.alpha);
  if (name == "hardsigmoid")
    return node.eltwise(NPU_INSTR_hard_sigmoid, x, function.alpha,
                        function.beta);
  if (name == "affine")
    return plus(node, times(node, x, function.alpha), function.beta);
  if (name == "scaledtanh")
    return times(node,
                 node.eltwise(NPU_INSTR_tanh, times(node, x, function.beta)),
                 function.alpha);
  Value zero = x ? node.scalar(0, elementOf(x)) : x;
  Value isAbove = node.eltwise(
      NPU_INSTR_greater, {x, node.scalar(function.alpha, elementOf(zero))});
  return select(node, isAbove, x, zero);
}

/// The activation of the clipped sum.
static Value activate(const Recurrence &net, const Activation &function,
                      Value sum) {
  if (net.clip > 0)
    sum = net.node.eltwise(NPU_INSTR_clip, sum, -net.clip, net.clip);
  return apply(net.node, function, sum);
}

static State rnnCell(const Recurrence &net, const Direction &direction,
                     Value inputs, State before) {
  OnnxNode &node = net.node;
  Value sum = add(node, inputs, node.matmul(before.hidden, direction.weight));
  return {activate(net, direction.functions[0], sum), Value()};
}

/// Gates: update, reset, new state.
static State gruCell(const Recurrence &net, const Direction &direction,
                     Value inputs, State before) {
  OnnxNode &node = net.node;
  Value both = add(node, net.gate(inputs, 0, 2),
                   node.matmul(before.hidden, direction.gatesWeight));
  both = activate(net, direction.functions[0], both);
  Value update = net.gate(both, 0), reset = net.gate(both, 1);
  Value weight = direction.freshWeight, fresh;
  if (net.resetsAfter) {
    fresh = node.matmul(before.hidden, weight);
    if (direction.stateBias)
      fresh = add(node, fresh, direction.stateBias);
    fresh = multiply(node, reset, fresh);
  } else {
    fresh = node.matmul(multiply(node, reset, before.hidden), weight);
  }
  fresh = activate(net, direction.functions[1],
                   add(node, net.gate(inputs, 2), fresh));
  // (1 - update) * fresh + update * before
  Value change = multiply(node, update, subtract(node, before.hidden, fresh));
  return {add(node, fresh, change), Value()};
}

/// Gates: input, output, forget, cell; the first three may look at the cell.
static State lstmCell(const Recurrence &net, const Direction &direction,
                      Value inputs, State before) {
  OnnxNode &node = net.node;
  Value sums =
      add(node, inputs,
          net.isQuantized
              ? multiplyByRange(node, before.hidden, direction.byteWeight)
              : node.matmul(before.hidden, direction.weight));
  auto gate = [&](int64_t index, Value cell) {
    Value sum = net.gate(sums, index);
    if (!direction.peepholes || !cell)
      return sum;
    Value weight = node.slice(direction.peepholes, {index * net.hidden}, {1},
                              {net.hidden});
    return add(node, sum, multiply(node, weight, cell));
  };
  const Activation &gating = direction.functions[0];
  Value input = activate(net, gating, gate(0, before.cell));
  Value forget = net.couplesGates
                     ? subtract(node, node.scalar(1, elementOf(sums)), input)
                     : activate(net, gating, gate(2, before.cell));
  Value fresh = activate(net, direction.functions[1], gate(3, Value()));
  Value cell = add(node, multiply(node, forget, before.cell),
                   multiply(node, input, fresh));
  Value output = activate(net, gating, gate(1, cell));
  return {multiply(node, output, apply(node, direction.functions[2], cell)),
          cell};
}

/// The functions of all directions, `count` for each.
static LogicalResult readActivations(Recurrence &net, int64_t directions,
                                     ArrayRef<StringRef> usual) {
  OnnxNode &node = net.node;
  std::vector<std::string> names = node.getStrings("activations");
  if (names.empty())
    for (int64_t i = 0; i < directions; ++i)
      for (StringRef name : usual)
        names.push_back(name.str());
  if (names.size() != directions * usual.size())
    return node.error("attribute 'activations' has " + Twine(names.size()) +
                      " entries, expected " + Twine(directions * usual.size()));
  SmallVector<double> alphas =
      node.getFloats("activation_alpha").value_or(SmallVector<double>());
  SmallVector<double> betas =
      node.getFloats("activation_beta").value_or(SmallVector<double>());
  size_t alpha = 0, beta = 0; // consumed so far
  for (const std::string &name : names) {
    std::string lower = StringRef(name).lower();
    const ActivationRow *row =
        llvm::find_if(activationRows, [&](const ActivationRow &row) {
          return row.name == lower;
        });
    if (row == std::end(activationRows))
      return node.error("attribute 'activations' has '" + name +
                        "', expected an activation of the operator's "
                        "definition");
    Activation function{lower, row->alpha, row->beta};
    if (row->numbers > 0 && alpha < alphas.size())
      function.alpha = alphas[alpha++];
    if (row->numbers > 1 && beta < betas.size())
      function.beta = betas[beta++];
    net.functions.push_back(std::move(function));
  }
  return success();
}

/// Input `index` must have the shape.
static LogicalResult checkShape(OnnxNode &node, size_t index, StringRef what,
                                ArrayRef<int64_t> shape) {
  if (!node.hasInput(index) || shapeOf(node.getInput(index)) == shape)
    return success();
  return node.error("found " + what + " of shape " +
                    shapes::text(shapeOf(node.getInput(index))) +
                    ", expected " + shapes::text(shape));
}

/// Data, weights, biases, lengths and states fit one another.
static LogicalResult checkShapes(Recurrence &net, int64_t directions,
                                 bool hasCell) {
  OnnxNode &node = net.node;
  Value x = node.getInput(0), weight = node.getInput(1);
  Value recurrent = node.getInput(2);
  if (rankOf(x) != 3 || rankOf(weight) != 3 || rankOf(recurrent) != 3)
    return node.error("found data, weights and recurrent weights of shapes " +
                      shapes::text(shapeOf(x)) + ", " +
                      shapes::text(shapeOf(weight)) + " and " +
                      shapes::text(shapeOf(recurrent)) +
                      ", expected three dimensions each");
  net.steps = shapeOf(x)[net.isBatchFirst ? 1 : 0];
  net.batch = shapeOf(x)[net.isBatchFirst ? 0 : 1];
  net.hidden = shapeOf(recurrent)[net.isQuantized ? 1 : 2];
  int64_t columns = net.gates * net.hidden;
  int64_t given = node.getInt("hidden_size", net.hidden);
  if (given != net.hidden)
    return node.error("attribute 'hidden_size' is " + Twine(given) +
                      ", but the recurrent weights are for " +
                      Twine(net.hidden));
  Ints state{directions, net.batch, net.hidden};
  if (net.isBatchFirst)
    std::swap(state[0], state[1]);
  Ints weights{directions, columns, shapeOf(x)[2]};
  Ints stateWeights{directions, columns, net.hidden};
  if (net.isQuantized)
    for (Ints *shape : {&weights, &stateWeights})
      std::swap((*shape)[1], (*shape)[2]);
  bool fits =
      succeeded(checkShape(node, 1, "weights", weights)) &&
      succeeded(checkShape(node, 2, "recurrent weights", stateWeights)) &&
      succeeded(checkShape(node, 3, "biases", {directions, 2 * columns})) &&
      succeeded(checkShape(node, 4, "sequence lengths", net.batch)) &&
      succeeded(checkShape(node, 5, "an initial state", state));
  if (fits && hasCell)
    fits = succeeded(checkShape(node, 6, "an initial cell", state)) &&
           succeeded(
               checkShape(node, 7, "peepholes", {directions, 3 * net.hidden}));
  return success(fits);
}

static Value initialState(const Recurrence &net, size_t index,
                          int64_t direction) {
  OnnxNode &node = net.node;
  if (!node.hasInput(index))
    return node.filled(0, {net.batch, net.hidden}, elementOf(node.getInput(0)));
  Value all = node.getInput(index);
  if (net.isBatchFirst)
    all = node.transpose(all, {1, 0, 2});
  return node.at(all, 0, direction);
}

/// Of one direction: the bytes at input `weight`, their scale and zero point
/// behind input `scale`: one number, or one for each column.
static Dequantized bytesOf(const Recurrence &net, size_t weight, size_t scale,
                           int64_t index) {
  OnnxNode &node = net.node;
  auto parameter = [&](size_t input) {
    Value own = node.at(node.getInput(input), 0, index);
    return own && tensorType(own).getNumElements() == 1 ? node.reshape(own, {})
                                                        : own;
  };
  return {node.at(node.getInput(weight), 0, index), parameter(scale),
          parameter(scale + 1)};
}

/// What follows from the weights: products with all inputs, and what the state
/// is multiplied by.
static void addWeights(const Recurrence &net, Value x, int64_t index,
                       Direction &direction) {
  OnnxNode &node = net.node;
  if (net.isQuantized) {
    direction.inputs = multiplyByRange(node, x, bytesOf(net, 1, 8, index));
    direction.byteWeight = bytesOf(net, 2, 10, index);
    return;
  }
  auto turned = [&](size_t input) {
    return node.transpose(node.at(node.getInput(input), 0, index), {1, 0});
  };
  direction.inputs = node.matmul(x, turned(1));
  direction.weight = turned(2);
}

static Direction prepare(const Recurrence &net, Value x, int64_t index) {
  OnnxNode &node = net.node;
  Direction direction;
  addWeights(net, x, index, direction);
  if (net.gates == 3) {
    direction.gatesWeight = net.gate(direction.weight, 0, 2);
    direction.freshWeight = net.gate(direction.weight, 2);
  }
  int64_t columns = net.gates * net.hidden;
  if (node.hasInput(3)) {
    Value both = node.at(node.getInput(3), 0, index);
    Value stateBias = node.slice(both, {columns}, {1}, {columns});
    if (net.resetsAfter) {
      int64_t first = columns - net.hidden;
      direction.stateBias = node.slice(stateBias, {first}, {1}, {net.hidden});
      stateBias = node.pad(node.slice(stateBias, {0}, {1}, {first}),
                           {0, net.hidden}, PadMode::Constant, 0);
    }
    Value bias = add(node, node.slice(both, {0}, {1}, {columns}), stateBias);
    direction.inputs = add(node, direction.inputs, bias);
  }
  direction.state.hidden = initialState(net, 5, index);
  size_t functions = net.functions.size() / shapeOf(node.getInput(1))[0];
  direction.functions =
      ArrayRef(net.functions).slice(index * functions, functions);
  return direction;
}

/// Runs one direction; the states of all steps as (steps, 1, batch, hidden).
static Value runDirection(const Recurrence &net, Direction &direction,
                          bool isReverse, Cell cell) {
  OnnxNode &node = net.node;
  if (net.steps == 0)
    return node.filled(0, {0, 1, net.batch, net.hidden},
                       elementOf(direction.state.hidden));
  SmallVector<Value> outputs(net.steps);
  for (int64_t i = 0; i < net.steps && !node.hasFailed(); ++i) {
    int64_t step = isReverse ? net.steps - 1 - i : i;
    State before = direction.state;
    State after =
        cell(net, direction, node.at(direction.inputs, 0, step), before);
    Value output = after.hidden;
    if (net.lengths && output) {
      Value runs = node.eltwise(
          NPU_INSTR_greater,
          {net.lengths, node.scalar(double(step), elementOf(net.lengths))});
      output = select(node, runs, after.hidden,
                      node.scalar(0, elementOf(after.hidden)));
      after.hidden = select(node, runs, after.hidden, before.hidden);
      if (after.cell)
        after.cell = select(node, runs, after.cell, before.cell);
    }
    direction.state = after;
    outputs[step] = node.reshape(output, {1, 1, net.batch, net.hidden});
  }
  return node.hasFailed() ? Value() : node.concat(outputs, 0);
}

/// Sets Y (steps, directions, batch, hidden) and the last states.
static LogicalResult setResults(const Recurrence &net, Value outputs,
                                ArrayRef<State> last) {
  OnnxNode &node = net.node;
  Value all = outputs;
  if (net.isBatchFirst)
    all = node.transpose(all, {2, 0, 1, 3});
  if (node.hasOutput(0) && failed(node.setResult(0, all)))
    return failure();
  for (size_t result : {1, 2}) {
    if (!node.hasOutput(result))
      continue;
    SmallVector<Value> parts;
    for (const State &state : last)
      parts.push_back(node.reshape(result == 1 ? state.hidden : state.cell,
                                   {1, net.batch, net.hidden}));
    Value joined = node.concat(parts, 0);
    if (net.isBatchFirst)
      joined = node.transpose(joined, {1, 0, 2});
    if (failed(node.setResult(result, joined)))
      return failure();
  }
  return success();
}

/// How long each sequence of the batch is: no longer than the data.
static LogicalResult readLengths(Recurrence &net) {
  OnnxNode &node = net.node;
  Value lengths =
      heldWithin(node, node.getInput(4), net.steps + 1, "sequence of length");
  if (!lengths)
    return failure();
  ElementsAttr known = constantOf(lengths);
  bool isFull = known && llvm::all_of(elementInts(known), [&](int64_t length) {
                  return length == net.steps;
                });
  if (!isFull)
    net.lengths = node.reshape(lengths, {net.batch, 1});
  return success(!node.hasFailed());
}

/// Attributes and operands; the number of directions.
static FailureOr<int64_t> readRecurrence(Recurrence &net,
                                         const std::string &word,
                                         ArrayRef<StringRef> usual,
                                         bool hasCell) {
  OnnxNode &node = net.node;
  node.ignore({"output_sequence"}); // of opset 1: both are results
  net.clip = node.getFloat("clip", 0);
  net.isBatchFirst = node.getFlag("layout", false);
  int64_t directions = word == "bidirectional" ? 2 : 1;
  if (failed(readActivations(net, directions, usual)) ||
      failed(checkShapes(net, directions, hasCell)) || node.hasFailed())
    return failure();
  if (node.hasInput(4) && failed(readLengths(net)))
    return failure();
  return directions;
}

static LogicalResult buildRecurrent(Recurrence &net, ArrayRef<StringRef> usual,
                                    Cell cell, bool hasCell) {
  OnnxNode &node = net.node;
  std::string word = node.getWord("direction", "forward",
                                  {"forward", "reverse", "bidirectional"});
  FailureOr<int64_t> directions = readRecurrence(net, word, usual, hasCell);
  if (failed(directions))
    return failure();
  // A step is one op at the least.
  if (failed(checkLeft(node, Budget::Nodes, net.steps * *directions)))
    return failure();
  Value x = node.getInput(0);
  if (net.isBatchFirst)
    x = node.transpose(x, {1, 0, 2});
  SmallVector<Value> outputs;
  SmallVector<State> last;
  for (int64_t i = 0; i < *directions; ++i) {
    Direction direction = prepare(net, x, i);
    if (hasCell)
      direction.state.cell = initialState(net, 6, i);
    if (hasCell && node.hasInput(7))
      direction.peepholes = node.at(node.getInput(7), 0, i);
    outputs.push_back(
        runDirection(net, direction, word == "reverse" || i == 1, cell));
    last.push_back(direction.state);
  }
  if (node.hasFailed())
    return failure();
  return setResults(net, node.concat(outputs, 1), last);
}

LogicalResult npu::buildRnn(OnnxNode &node) {
  Recurrence net(node);
  net.gates = 1;
  return buildRecurrent(net, {"tanh"}, rnnCell, false);
}

LogicalResult npu::buildGru(OnnxNode &node) {
  Recurrence net(node);
  net.gates = 3;
  net.resetsAfter = node.getFlag("linear_before_reset", false);
  return buildRecurrent(net, {"sigmoid", "tanh"}, gruCell, false);
}

/// Scales and zero points: one for each direction, or for each of its columns.
static LogicalResult checkByteWeights(OnnxNode &node) {
  for (size_t weight : {1, 2}) {
    Value given = node.getInput(weight);
    if (rankOf(given) != 3)
      continue; // another message
    Ints few{shapeOf(given)[0]}, many{shapeOf(given)[0], shapeOf(given)[2]};
    for (size_t input : {6 + 2 * weight, 7 + 2 * weight})
      if (ArrayRef<int64_t> have = shapeOf(node.getInput(input));
          have != ArrayRef<int64_t>(few) && have != ArrayRef<int64_t>(many))
        return node.error("found a scale or zero point of shape " +
                          shapes::text(have) + ", expected " +
                          shapes::text(few) + " or " + shapes::text(many));
  }
  return success();
}

LogicalResult npu::buildLstm(OnnxNode &node) {
  Recurrence net(node);
  net.gates = 4;
  net.isQuantized = StringRef(node.op.word) == "quantized";
  if (net.isQuantized && failed(checkByteWeights(node)))
    return failure();
  net.couplesGates = node.getFlag("input_forget", false);
  return buildRecurrent(net, {"sigmoid", "tanh", "tanh"}, lstmCell, true);
}
