// SPDX-License-Identifier: Apache-2.0
//
// Control flow that is decided while importing: the branch of an If, or both
// where data decides, loops of which every iteration is written out.
#include "compiler/Frontend/ONNX/OnnxArithmetic.h"
#include "compiler/Frontend/ONNX/OnnxOps.h"
#include "compiler/Frontend/Support/Branches.h"
#include "compiler/Frontend/Support/DataBehind.h"
#include "compiler/Frontend/Support/NodeBudget.h"

#include "compiler/Dialect/NPU/Constants.h"
#include "compiler/Dialect/NPU/ShapeInference.h"

using namespace npu;

static FailureOr<SmallVector<Value>> branchOf(OnnxNode &node, StringRef name) {
  return node.importBranch(*node.getGraph(name), {}, node.getOutputCount());
}

static FailureOr<SmallVector<Value>> knownBranch(OnnxNode &node) {
  FailureOr<Ints> condition = node.constantInts(0, "the condition");
  if (failed(condition))
    return failure();
  if (condition->size() != 1)
    return node.error("found a condition of " + Twine(condition->size()) +
                      " elements, expected 1");
  return branchOf(node, condition->front() ? "then_branch" : "else_branch");
}

LogicalResult npu::buildIf(OnnxNode &node) {
  bool isKnown = bool(constantOf(node.getInput(0)));
  FailureOr<SmallVector<Value>> values =
      isKnown ? knownBranch(node)
              : selectBranch(
                    node, node.getInput(0),
                    [&] { return branchOf(node, "then_branch"); },
                    [&] { return branchOf(node, "else_branch"); });
  node.ignore({"then_branch", "else_branch"});
  if (failed(values))
    return failure();
  for (auto [i, value] : llvm::enumerate(*values))
    if (failed(node.setResult(i, value)))
      return failure();
  return success();
}

/// One iteration. The importer takes constants out of a graph, so each has a
/// copy of its own.
static FailureOr<SmallVector<Value>> iterate(OnnxNode &node,
                                             const onnx::GraphProto &body,
                                             ArrayRef<Value> inputs,
                                             size_t results) {
  // An input may be missing then.
  if (node.hasFailed())
    return failure();
  // Even one without a node takes its turn.
  if (failed(take(node, Budget::Nodes, 1)) ||
      failed(take(node, Budget::Constants,
                  static_cast<int64_t>(body.ByteSizeLong()))))
    return failure();
  onnx::GraphProto copy = body;
  return node.importBranch(copy, inputs, results);
}

/// The parts of all iterations along a new dimension.
static Value stacked(OnnxNode &node, ArrayRef<Value> parts, int64_t axis) {
  SmallVector<Value> grown;
  for (Value part : parts) {
    Ints shape(shapeOf(part));
    if (axis < 0 || axis > static_cast<int64_t>(shape.size()))
      return node.fail("axis " + Twine(axis) +
                       " is out of range for parts of "
                       "shape " +
                       shapes::text(shape));
    shape.insert(shape.begin() + axis, 1);
    grown.push_back(node.reshape(part, shape));
  }
  return node.concat(grown, axis);
}

/// What no iteration at all stacks: as many as none of what one would give for
/// `inputs`. `axes`: the new dimension of each part.
static FailureOr<SmallVector<Value>>
stackedNone(OnnxNode &node, const onnx::GraphProto &body,
            ArrayRef<Value> inputs, size_t first, ArrayRef<int64_t> axes) {
  FailureOr<SmallVector<Value>> found =
      iterate(node, body, inputs, first + axes.size());
  if (failed(found))
    return failure();
  SmallVector<Value> stacks;
  for (auto [part, given] :
       llvm::zip(ArrayRef(*found).drop_front(first), axes)) {
    FailureOr<int64_t> axis = node.normalizeAxis(given, rankOf(part) + 1);
    if (failed(axis))
      return failure();
    Ints shape(shapeOf(part));
    shape.insert(shape.begin() + *axis, 0);
    stacks.push_back(node.filled(0, shape, elementOf(part)));
  }
  return stacks;
}

/// Whether a loop goes on; an error if that depends on data.
static FailureOr<bool> isTrue(OnnxNode &node, Value condition) {
  ElementsAttr known = condition ? constantOf(condition) : ElementsAttr();
  if (known && known.getNumElements() == 1)
    return elementInts(known).front() != 0;
  return node.unsupported(
      "has a condition that depends on the model's data, expected one that is "
      "known when compiling; " +
      adviceAbout(dataBehind(condition)));
}

static LogicalResult checkResultCount(OnnxNode &node, size_t states) {
  if (node.getOutputCount() >= states)
    return success();
  return node.error("has " + Twine(node.getOutputCount()) +
                    " results, expected at least " + Twine(states) +
                    ", one for each state");
}

LogicalResult npu::buildLoop(OnnxNode &node) {
  size_t states = node.getInputCount() - 2;
  onnx::GraphProto *body = node.getGraph("body");
  if (failed(checkResultCount(node, states)))
    return failure();
  int64_t trips = INT64_MAX;
  if (node.hasInput(0)) {
    FailureOr<int64_t> given =
        node.constantInt(0, "the trip count", "trip counts");
    if (failed(given))
      return failure();
    trips = *given;
    if (failed(checkLeft(node, Budget::Nodes, trips)))
      return failure();
  }
  OpBuilder &builder = node.getBuilder();
  Value condition =
      node.hasInput(1) ? node.getInput(1) : node.scalar(1, builder.getI1Type());
  SmallVector<Value> state(node.getInputs().drop_front(2));
  size_t scans = node.getOutputCount() - states;
  std::vector<SmallVector<Value>> parts(scans);
  auto inputsOf = [&](int64_t trip) {
    SmallVector<Value> inputs{node.reshape(node.ints(trip), {}), condition};
    inputs.append(state);
    return inputs;
  };
  for (int64_t trip = 0; trip < trips; ++trip) {
    FailureOr<bool> goesOn = isTrue(node, condition);
    if (failed(goesOn))
      return failure();
    if (!*goesOn)
      break;
    FailureOr<SmallVector<Value>> values =
        iterate(node, *body, inputsOf(trip), 1 + states + scans);
    if (failed(values))
      return failure();
    condition = values->front();
    state.assign(values->begin() + 1, values->begin() + 1 + states);
    for (size_t i = 0; i < scans; ++i)
      parts[i].push_back((*values)[1 + states + i]);
  }
  for (auto [i, value] : llvm::enumerate(state))
    if (failed(node.setResult(i, value)))
      return failure();
  bool isStackRead = llvm::any_of(llvm::seq<size_t>(0, scans), [&](size_t i) {
    return node.hasOutput(states + i);
  });
  if (!isStackRead)
    return success();
  SmallVector<Value> stacks;
  if (parts.front().empty()) {
    FailureOr<SmallVector<Value>> none =
        stackedNone(node, *body, inputsOf(0), 1 + states, Ints(scans, 0));
    if (failed(none))
      return failure();
    stacks = *none;
  } else {
    for (const SmallVector<Value> &part : parts)
      stacks.push_back(stacked(node, part, 0));
  }
  for (auto [i, value] : llvm::enumerate(stacks))
    if (failed(node.setResult(states + i, value)))
      return failure();
  return success();
}

namespace {
/// How a Scan goes over its inputs and puts its results together.
struct ScanSpec {
  size_t states, inputs, results;
  Ints inputAxes, inputDirections, resultAxes, resultDirections;
};
} // namespace

static Ints intsOr(OnnxNode &node, StringRef name, size_t count) {
  Ints given = node.getInts(name).value_or(Ints(count, 0));
  if (given.size() != count)
    (void)node.error("attribute '" + name + "' has " + Twine(given.size()) +
                     " entries, expected " + Twine(count));
  given.resize(count, 0);
  return given;
}

/// 0 is forward, 1 backward.
static Ints directionsOr(OnnxNode &node, StringRef name, size_t count) {
  Ints given = intsOr(node, name, count);
  for (int64_t direction : given)
    if (direction != 0 && direction != 1)
      (void)node.error("attribute '" + name + "' has the entry " +
                       Twine(direction) + ", expected 0 or 1");
  return given;
}

static FailureOr<ScanSpec> readScan(OnnxNode &node, size_t inputs) {
  ScanSpec spec;
  spec.inputs = static_cast<size_t>(
      node.getInt("num_scan_inputs", 1, 1, static_cast<int64_t>(inputs)));
  spec.states = inputs - std::min(spec.inputs, inputs);
  if (failed(checkResultCount(node, spec.states)))
    return failure();
  spec.results = node.getOutputCount() - spec.states;
  bool isOld = node.version < 9;
  spec.inputDirections = directionsOr(
      node, isOld ? "directions" : "scan_input_directions", spec.inputs);
  spec.inputAxes = Ints(spec.inputs, 0);
  spec.resultAxes = spec.resultDirections = Ints(spec.results, 0);
  if (!isOld) {
    spec.inputAxes = intsOr(node, "scan_input_axes", spec.inputs);
    spec.resultAxes = intsOr(node, "scan_output_axes", spec.results);
    spec.resultDirections =
        directionsOr(node, "scan_output_directions", spec.results);
  }
  return node.hasFailed() ? FailureOr<ScanSpec>() : FailureOr<ScanSpec>(spec);
}

/// Without steps the states stay, and results have no parts.
static FailureOr<SmallVector<Value>> scanNone(OnnxNode &node,
                                              const onnx::GraphProto &body,
                                              const ScanSpec &spec,
                                              ArrayRef<Value> values) {
  SmallVector<Value> given(values.take_front(spec.states));
  SmallVector<Value> all = given;
  for (auto [input, axis] :
       llvm::zip(values.drop_front(spec.states), spec.inputAxes)) {
    Ints shape(shapeOf(input));
    shape.erase(shape.begin() + axis);
    given.push_back(node.filled(0, shape, elementOf(input)));
  }
  FailureOr<SmallVector<Value>> stacks =
      stackedNone(node, body, given, spec.states, spec.resultAxes);
  if (failed(stacks))
    return failure();
  all.append(*stacks);
  return all;
}

/// Scans `values`: the states, then the inputs; gives states and results.
static FailureOr<SmallVector<Value>> scan(OnnxNode &node,
                                          const onnx::GraphProto &body,
                                          ScanSpec spec,
                                          ArrayRef<Value> values) {
  SmallVector<Value> state(values.take_front(spec.states));
  ArrayRef<Value> inputs = values.drop_front(spec.states);
  int64_t steps = -1;
  for (auto [input, axis] : llvm::zip(inputs, spec.inputAxes)) {
    FailureOr<int64_t> normal = node.normalizeAxis(axis, rankOf(input));
    if (failed(normal))
      return failure();
    axis = *normal;
    if (steps >= 0 && shapeOf(input)[axis] != steps)
      return node.error("scans inputs of " + Twine(steps) + " and " +
                        Twine(shapeOf(input)[axis]) + " steps");
    steps = shapeOf(input)[axis];
  }
  if (failed(checkLeft(node, Budget::Nodes, steps)))
    return failure();
  if (steps == 0)
    return scanNone(node, body, spec, values);
  std::vector<SmallVector<Value>> parts(spec.results);
  for (int64_t step = 0; step < steps; ++step) {
    SmallVector<Value> given(state);
    for (size_t i = 0; i < spec.inputs; ++i)
      given.push_back(
          node.at(inputs[i], spec.inputAxes[i],
                  spec.inputDirections[i] ? steps - 1 - step : step));
    FailureOr<SmallVector<Value>> found =
        iterate(node, body, given, spec.states + spec.results);
    if (failed(found))
      return failure();
    state.assign(found->begin(), found->begin() + spec.states);
    for (size_t i = 0; i < spec.results; ++i)
      parts[i].push_back((*found)[spec.states + i]);
  }
  for (size_t i = 0; i < spec.results; ++i) {
    if (spec.resultDirections[i])
      std::reverse(parts[i].begin(), parts[i].end());
    FailureOr<int64_t> axis =
        node.normalizeAxis(spec.resultAxes[i], rankOf(parts[i].front()) + 1);
    if (failed(axis))
      return failure();
    state.push_back(stacked(node, parts[i], *axis));
  }
  return state;
}

/// Opset 8 scans each sample of a batch by itself.
static FailureOr<SmallVector<Value>>
scanBatch(OnnxNode &node, const onnx::GraphProto &body, const ScanSpec &spec) {
  if (node.hasInput(0))
    return node.unsupported(
        "has sequence lengths, expected none: all samples have "
        "the same number of steps");
  ArrayRef<Value> inputs = node.getInputs().drop_front();
  std::vector<SmallVector<Value>> parts(spec.states + spec.results);
  int64_t batch = shapeOf(inputs.front())[0];
  if (failed(checkLeft(node, Budget::Nodes, batch)))
    return failure();
  for (int64_t sample = 0; sample < batch; ++sample) {
    SmallVector<Value> values;
    for (Value input : inputs)
      values.push_back(node.at(input, 0, sample));
    FailureOr<SmallVector<Value>> found = scan(node, body, spec, values);
    if (failed(found))
      return failure();
    for (auto [part, value] : llvm::zip(parts, *found))
      part.push_back(value);
  }
  SmallVector<Value> all;
  for (const SmallVector<Value> &part : parts)
    all.push_back(stacked(node, part, 0));
  return all;
}

LogicalResult npu::buildScan(OnnxNode &node) {
  bool isOld = node.version < 9;
  size_t first = isOld ? 1 : 0, count = node.getInputCount();
  if (isOld && llvm::any_of(node.getInputs().drop_front(), [](Value input) {
        return rankOf(input) < 1 || shapeOf(input)[0] < 1;
      }))
    return node.error("has an input without samples, expected a batch of them "
                      "as the first dimension");
  FailureOr<ScanSpec> spec = readScan(node, count - first);
  if (failed(spec))
    return failure();
  onnx::GraphProto *body = node.getGraph("body");
  FailureOr<SmallVector<Value>> values =
      isOld ? scanBatch(node, *body, *spec)
            : scan(node, *body, *spec, node.getInputs());
  if (failed(values))
    return failure();
  for (auto [i, value] : llvm::enumerate(*values))
    if (failed(node.setResult(i, value)))
      return failure();
  return success();
}
