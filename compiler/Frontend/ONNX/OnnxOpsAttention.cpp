// SPDX-License-Identifier: Apache-2.0
//
// Attention and rotary embeddings, from matrix products and softmax.
#include "compiler/Frontend/ONNX/OnnxArithmetic.h"
#include "compiler/Frontend/ONNX/OnnxHeads.h"
#include "compiler/Frontend/ONNX/OnnxOps.h"

#include "compiler/Dialect/NPU/Constants.h"
#include "compiler/Dialect/NPU/ShapeInference.h"

#include <cmath>
#include <limits>

using namespace npu;

namespace {

/// What the steps of one Attention share. Queries, keys and values are (batch,
/// heads, sequence, head size).
struct Heads {
  explicit Heads(OnnxNode &node) : node(node) {}
  OnnxNode &node;
  Value queries, keys, values;
  Type element;        // of the steps
  bool isFlat = false; // inputs of rank 3: heads lie side by side
  int64_t past = 0;    // keys of the cache
  Value lengths;       // keys that count, for each sample, or null
  Value isAllowed;     // what may be attended, or null for all
  Value bias;          // added to the scores, or null
};

} // namespace

static LogicalResult readHeads(Heads &heads) {
  OnnxNode &node = heads.node;
  Value inputs[] = {node.getInput(0), node.getInput(1), node.getInput(2)};
  int64_t queryHeads = node.getInt("q_num_heads", 0, 0, 1 << 20);
  int64_t keyHeads = node.getInt("kv_num_heads", 0, 0, 1 << 20);
  int64_t rank = rankOf(inputs[0]);
  if (node.hasFailed())
    return failure();
  for (Value input : inputs)
    if (rankOf(input) != rank || (rank != 3 && rank != 4))
      return node.error("found queries, keys and values of shapes " +
                        shapes::text(shapeOf(inputs[0])) + " and " +
                        shapes::text(shapeOf(input)) +
                        ", expected three or four dimensions each");
  if (elementOf(inputs[2]) != elementOf(inputs[0]))
    return node.unsupported("found keys of " + typeText(elementOf(inputs[0])) +
                            " and values of " + typeText(elementOf(inputs[2])) +
                            ", expected one type for both");
  heads.isFlat = rank == 3;
  heads.element = elementOf(inputs[0]);
  if (heads.isFlat)
    for (size_t i = 0; i < 3; ++i)
      inputs[i] = splitHeads(node, inputs[i], i == 0 ? queryHeads : keyHeads);
  if (node.hasFailed())
    return failure();
  heads.queries = inputs[0];
  heads.keys = inputs[1];
  heads.values = inputs[2];
  return success();
}

/// Shapes of queries, keys and values.
static LogicalResult checkFit(OnnxNode &node, ArrayRef<int64_t> q,
                              ArrayRef<int64_t> k, ArrayRef<int64_t> v) {
  if (q[0] == k[0] && k[0] == v[0] && k[1] == v[1] && k[1] > 0 &&
      q[1] % k[1] == 0 && k[2] == v[2] && q[3] == k[3])
    return success();
  return node.error("found queries, keys and values of shapes " +
                    shapes::text(q) + ", " + shapes::text(k) + " and " +
                    shapes::text(v) + ", which do not fit one another");
}

/// Puts the keys and values of the cache in front.
static LogicalResult addPast(Heads &heads) {
  OnnxNode &node = heads.node;
  if (node.hasInput(4) != node.hasInput(5))
    return node.error("has a past key or value without the other, expected "
                      "both or none");
  if (node.version >= 25 && node.hasOutput(1) != node.hasOutput(2))
    return node.error("gives a present key or value without the other, "
                      "expected both or none");
  if (node.hasInput(6))
    heads.lengths = node.getInput(6);
  if (node.hasInput(4)) {
    if (heads.lengths)
      return node.error("has both a cache and lengths of keys, expected one of "
                        "them");
    if (rankOf(node.getInput(4)) != 4)
      return node.error("found a cache of shape " +
                        shapes::text(shapeOf(node.getInput(4))) +
                        ", expected four dimensions");
    heads.past = shapeOf(node.getInput(4))[2];
    heads.keys = node.concat({node.getInput(4), heads.keys}, 2);
    heads.values = node.concat({node.getInput(5), heads.values}, 2);
  }
  if (node.hasFailed() ||
      (node.hasOutput(1) && failed(node.setResult(1, heads.keys))) ||
      (node.hasOutput(2) && failed(node.setResult(2, heads.values))))
    return failure();
  return checkFit(node, shapeOf(heads.queries), shapeOf(heads.keys),
                  shapeOf(heads.values));
}
static void allow(Heads &heads, Value condition) {
  heads.isAllowed = heads.isAllowed
                        ? heads.node.eltwise(NPU_INSTR_logical_and,
                                             {heads.isAllowed, condition})
                        : condition;
}

/// In f16 the steps are those of f32, rounded once: probabilities that are
/// rounded by themselves put the result off by two units.
static void widenSteps(Heads &heads) {
  OnnxNode &node = heads.node;
  if (!heads.element.isF16())
    return;
  heads.element = node.getBuilder().getF32Type();
  for (Value *each : {&heads.queries, &heads.keys, &heads.values})
    *each = node.cast(*each, heads.element);
}

/// A result that shows a step, in the node's own type.
static LogicalResult show(Heads &heads, Value step) {
  OnnxNode &node = heads.node;
  return node.setResult(3, node.cast(step, elementOf(node.getInput(0))));
}

/// Causal and sliding windows: which distances between query and key count.
static void addWindows(Heads &heads) {
  OnnxNode &node = heads.node;
  int64_t left = node.getInt("left_window_size", -1, -1, INT32_MAX);
  int64_t right = node.getInt("right_window_size", -1, -1, INT32_MAX);
  if (node.getFlag("is_causal", false))
    right = 0;
  if (node.hasFailed())
    return;
  Type i64 = node.getBuilder().getI64Type();
  int64_t queries = shapeOf(heads.queries)[2], keys = shapeOf(heads.keys)[2];
  Value places = node.countAlong(keys, 1, 2, i64);
  if (left >= 0 || right >= 0) {
    Value first =
        plus(node, node.countAlong(queries, 0, 2, i64), double(heads.past));
    if (heads.lengths) {
      Value offset =
          plus(node, node.cast(heads.lengths, i64), -double(queries));
      first = add(node, first,
                  node.reshape(offset, {shapeOf(heads.queries)[0], 1, 1, 1}));
    }
    Value distance = subtract(node, places, first);
    if (right >= 0)
      allow(heads, node.eltwise(NPU_INSTR_less_equal,
                                {distance, node.scalar(double(right), i64)}));
    if (left >= 0)
      allow(heads, node.eltwise(NPU_INSTR_greater_equal,
                                {distance, node.scalar(-double(left), i64)}));
  }
  if (heads.lengths) {
    Value lengths = node.reshape(node.cast(heads.lengths, i64),
                                 {shapeOf(heads.queries)[0], 1, 1, 1});
    allow(heads, node.eltwise(NPU_INSTR_less, {places, lengths}));
  }
}

/// A mask may be shorter than the keys; what it does not reach is not allowed.
static void addMask(Heads &heads) {
  OnnxNode &node = heads.node;
  if (!node.hasInput(3))
    return;
  Value mask = node.getInput(3);
  int64_t rank = rankOf(mask), keys = shapeOf(heads.keys)[2];
  int64_t extent = rank > 0 ? shapeOf(mask)[rank - 1] : 1;
  if (rank > 0 && extent < keys && extent != 1) {
    Ints pads(2 * rank, 0);
    pads.back() = keys - extent;
    mask = node.pad(mask, pads, PadMode::Constant, 0);
    Type i64 = node.getBuilder().getI64Type();
    allow(heads,
          node.eltwise(NPU_INSTR_less, {node.countAlong(keys, 0, 1, i64),
                                        node.scalar(double(extent), i64)}));
  }
  if (mask && elementOf(mask).isInteger(1))
    allow(heads, mask);
  else
    heads.bias = mask ? node.cast(mask, heads.element) : mask;
}

/// Rows in which nothing may be attended are 0, where softmax has no answer.
static Value probabilities(Heads &heads, Value scores, Type precision) {
  OnnxNode &node = heads.node;
  Value result = node.softmax(node.cast(scores, precision), 3, false);
  result = node.cast(result, heads.element);
  Type f32 = node.getBuilder().getF32Type();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Value zero = node.scalar(0, heads.element), isOpen;
  if (heads.isAllowed) {
    int64_t last = rankOf(heads.isAllowed) - 1;
    Value most = node.reduce(node.cast(heads.isAllowed, f32), ReduceKind::Max,
                             last, true);
    isOpen = node.eltwise(NPU_INSTR_greater, {most, node.scalar(0, f32)});
    ElementsAttr known = isOpen ? constantOf(isOpen) : ElementsAttr();
    if (known &&
        llvm::all_of(elementInts(known), [](int64_t row) { return row != 0; }))
      isOpen = Value();
  }
  if (heads.bias) {
    int64_t last = rankOf(heads.bias) - 1;
    Value most =
        node.reduce(node.cast(heads.bias, f32), ReduceKind::Max, last, true);
    Value some =
        node.eltwise(NPU_INSTR_greater, {most, node.scalar(-infinity, f32)});
    isOpen =
        isOpen ? node.eltwise(NPU_INSTR_logical_and, {isOpen, some}) : some;
  }
  return isOpen ? select(node, isOpen, result, zero) : result;
}

/// Products of queries and keys; half of the scale for each, so that they do
/// not overflow.
static Value products(OnnxNode &node, Value queries, Value keys, double scale) {
  keys = transposeKeys(node, repeatHeads(node, keys, shapeOf(queries)[1]));
  double root = std::sqrt(std::fabs(scale));
  return node.matmul(times(node, queries, scale < 0 ? -root : root),
                     times(node, keys, root));
}

/// Scores with cap, bias and mask; sets the result that shows them.
static Value scoresOf(Heads &heads, int64_t shown) {
  OnnxNode &node = heads.node;
  double cap = node.getFloat("softcap", 0);
  double scale =
      node.getFloat("scale", 1 / std::sqrt(double(shapeOf(heads.queries)[3])));
  Value scores = products(node, heads.queries, heads.keys, scale);
  if (shown == 0 && failed(show(heads, scores)))
    return Value();
  if (cap > 0)
    scores = times(
        node, node.eltwise(NPU_INSTR_tanh, times(node, scores, 1 / cap)), cap);
  if (shown == 1 && failed(show(heads, scores)))
    return Value();
  if (heads.bias)
    scores = add(node, scores, heads.bias);
  if (heads.isAllowed)
    scores = select(
        node, heads.isAllowed, scores,
        node.scalar(-std::numeric_limits<double>::infinity(), heads.element));
  if (shown == 2 && failed(show(heads, scores)))
    return Value();
  return scores;
}

/// The type that softmax computes in. Of double, float is what there is.
static FailureOr<Type> precisionOf(OnnxNode &node, Type otherwise) {
  int64_t wanted = node.getInt("softmax_precision", 0);
  if (wanted == onnx::TensorProto::DOUBLE)
    wanted = onnx::TensorProto::FLOAT;
  return wanted ? node.typeOf(wanted) : FailureOr<Type>(otherwise);
}

LogicalResult npu::buildAttention(OnnxNode &node) {
  Heads heads(node);
  int64_t mode = node.getInt("qk_matmul_output_mode", 0, 0, 3);
  int64_t shown = node.hasOutput(3) ? mode : -1;
  if (failed(readHeads(heads)) || failed(addPast(heads)))
    return failure();
  widenSteps(heads);
  FailureOr<Type> precision = precisionOf(node, heads.element);
  if (failed(precision))
    return failure();
  addWindows(heads);
  addMask(heads);
  if (node.hasFailed())
    return failure();
  Value scores = scoresOf(heads, shown);
  if (!scores)
    return failure();
  Value weights = probabilities(heads, scores, *precision);
  if (shown == 3 && failed(show(heads, weights)))
    return failure();
  Value values = repeatHeads(node, heads.values, shapeOf(heads.queries)[1]);
  Value result =
      node.cast(node.matmul(weights, values), elementOf(node.getInput(0)));
  return node.setResult(heads.isFlat ? joinHeads(node, result) : result);
}

/// A graph of the node on scores or probabilities, if it has one.
static Value modified(OnnxNode &node, StringRef name, Value x) {
  onnx::GraphProto *graph = x ? node.getGraph(name) : nullptr;
  if (!graph)
    return x;
  FailureOr<SmallVector<Value>> results = node.importBranch(*graph, x, 1);
  if (failed(results))
    return Value();
  Value result = results->front();
  if (result.getType() == x.getType())
    return result;
  return node.fail("attribute '" + name + "' is a graph that gives " +
                   typeText(result.getType()) + ", expected " +
                   typeText(x.getType()));
}

LogicalResult npu::buildFlexAttention(OnnxNode &node) {
  Value queries = node.getInput(0), keys = node.getInput(1),
        values = node.getInput(2);
  for (Value input : node.getInputs())
    if (rankOf(input) != 4)
      return node.error("found data of shape " + shapes::text(shapeOf(input)) +
                        ", expected four dimensions");
  ArrayRef<int64_t> q = shapeOf(queries), k = shapeOf(keys),
                    v = shapeOf(values);
  if (failed(checkFit(node, q, k, v)))
    return failure();
  double scale = node.getFloat("scale", 1 / std::sqrt(double(q[3])));
  FailureOr<Type> precision = precisionOf(node, node.getBuilder().getF32Type());
  if (failed(precision) || node.hasFailed())
    return failure();
  Value scores = node.cast(products(node, queries, keys, scale), *precision);
  scores = modified(node, "score_mod", scores);
  if (!scores)
    return failure();
  Value weights =
      modified(node, "prob_mod", node.softmax(scores, 3, /*isLog=*/false));
  if (!weights)
    return failure();
  values = node.cast(repeatHeads(node, values, q[1]), *precision);
  return node.setResult(
      node.cast(node.matmul(weights, values), elementOf(node.getInput(2))));
}

/// The cosines or sines of each token: (batch or 1, sequence, 1, half).
static Value cacheOf(OnnxNode &node, size_t index, ArrayRef<int64_t> tokens,
                     int64_t half) {
  Value cache = node.getInput(index);
  if (node.hasInput(3))
    cache = rowsAt(node, cache, node.getInput(3));
  if (!cache)
    return cache;
  if (rankOf(cache) != 3 || shapeOf(cache)[1] != tokens[1] ||
      shapeOf(cache)[2] != half)
    return node.fail("found cosines or sines of shape " +
                     shapes::text(shapeOf(cache)) + ", expected N, " +
                     Twine(tokens[1]) + ", " + Twine(half));
  return node.reshape(cache, {shapeOf(cache)[0], tokens[1], 1, half});
}

LogicalResult npu::buildRotaryEmbedding(OnnxNode &node) {
  Value x = node.getInput(0);
  bool isInterleaved = node.getFlag("interleaved", false);
  int64_t heads = node.getInt("num_heads", 0, 0, 1 << 20);
  int64_t rotated = node.getInt("rotary_embedding_dim", 0, 0, 1 << 20);
  if (node.hasFailed())
    return failure();
  bool isFlat = rankOf(x) == 3;
  if (!isFlat && rankOf(x) != 4)
    return node.error("found data of shape " + shapes::text(shapeOf(x)) +
                      ", expected three or four dimensions");
  if (isFlat && !(x = splitHeads(node, x, heads)))
    return failure();
  x = node.transpose(x, {0, 2, 1, 3}); // batch, sequence, heads, size
  Ints shape(shapeOf(x));
  int64_t size = shape[3];
  rotated = rotated ? rotated : size;
  if (rotated > size || rotated % 2 != 0)
    return node.error("rotates " + Twine(rotated) + " of " + Twine(size) +
                      " numbers, expected an even number of them");
  Angles angles{cacheOf(node, 1, shape, rotated / 2),
                cacheOf(node, 2, shape, rotated / 2), isInterleaved};
  Value result = node.transpose(turnedBy(node, x, angles), {0, 2, 1, 3});
  return node.setResult(isFlat ? joinHeads(node, result) : result);
}
