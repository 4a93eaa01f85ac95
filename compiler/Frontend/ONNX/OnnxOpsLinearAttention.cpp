// SPDX-License-Identifier: Apache-2.0
//
// LinearAttention: a state of (key size, value size) for each head, updated by
// each token in turn.
#include "compiler/Frontend/ONNX/OnnxArithmetic.h"
#include "compiler/Frontend/ONNX/OnnxOps.h"

#include "compiler/Dialect/NPU/ShapeInference.h"

#include <cmath>

using namespace npu;

namespace {

/// What the steps share. Sizes are those of one head.
struct LinearHeads {
  explicit LinearHeads(OnnxNode &node) : node(node) {}
  OnnxNode &node;
  int64_t batch = 0, tokens = 0;
  int64_t queryHeads = 0, keyHeads = 0; // a key's head serves several queries
  int64_t keySize = 0, valueSize = 0;
  Value queries, keys, values; // (batch, tokens, heads * size), float32
  Value decay;                 // what is left of the state, or null
  Value rate;                  // of the update, or null

  /// The numbers of one token in this shape.
  Value at(Value value, int64_t token, ArrayRef<int64_t> shape) const {
    return node.reshape(node.at(value, 1, token), shape);
  }
};

} // namespace

/// The inputs that an update rule takes, and no others.
static LogicalResult readRule(LinearHeads &heads) {
  OnnxNode &node = heads.node;
  std::string rule = node.getWord("update_rule", "gated_delta",
                                  {"linear", "gated", "delta", "gated_delta"});
  bool isGated = StringRef(rule).starts_with("gated");
  bool isDelta = StringRef(rule).ends_with("delta");
  if (node.hasFailed())
    return failure();
  if (node.hasInput(4) != isGated || node.hasInput(5) != isDelta)
    return node.error("has the update rule " + rule + ", expected " +
                      (isGated ? "a" : "no") + " decay and " +
                      (isDelta ? "an" : "no") + " update rate");
  Type f32 = node.getBuilder().getF32Type();
  auto read = [&](size_t index, ArrayRef<int64_t> extents) {
    Value value = node.getInput(index);
    ArrayRef<int64_t> shape = shapeOf(value);
    if (shape.size() == 3 && shape[0] == heads.batch &&
        shape[1] == heads.tokens && llvm::is_contained(extents, shape[2]))
      return node.cast(value, f32);
    return node.fail("found input " + Twine(index) + " of shape " +
                     shapes::text(shape) + ", expected " + Twine(heads.batch) +
                     "x" + Twine(heads.tokens) + "x" + Twine(extents[0]) +
                     " or x" + Twine(extents[1]));
  };
  if (isGated)
    heads.decay = read(4, {heads.keyHeads, heads.keyHeads * heads.keySize});
  if (isDelta)
    heads.rate = read(5, {heads.keyHeads, 1});
  if (heads.decay)
    heads.decay = node.eltwise(NPU_INSTR_exp, heads.decay);
  return failure(node.hasFailed());
}

static LogicalResult readHeads(LinearHeads &heads) {
  OnnxNode &node = heads.node;
  heads.queryHeads = node.getInt("q_num_heads", 0, 1, 1 << 20);
  heads.keyHeads = node.getInt("kv_num_heads", 0, 1, 1 << 20);
  double scale = node.getFloat("scale", 0);
  node.ignore({"chunk_size"});
  if (node.hasFailed())
    return failure();
  ArrayRef<int64_t> q = shapeOf(node.getInput(0)),
                    k = shapeOf(node.getInput(1)),
                    v = shapeOf(node.getInput(2));
  if (heads.keyHeads < 1 || heads.queryHeads < heads.keyHeads ||
      heads.queryHeads % heads.keyHeads != 0 || q.size() != 3 ||
      k.size() != 3 || v.size() != 3 || q[1] < 1 ||
      k.drop_back() != q.drop_back() || v.drop_back() != q.drop_back() ||
      q[2] % heads.queryHeads != 0 || v[2] % heads.keyHeads != 0 ||
      k[2] != q[2] / heads.queryHeads * heads.keyHeads)
    return node.error("found queries, keys and values of shapes " +
                      shapes::text(q) + ", " + shapes::text(k) + " and " +
                      shapes::text(v) + " for " + Twine(heads.queryHeads) +
                      " and " + Twine(heads.keyHeads) +
                      " heads, which do not fit one another");
  heads.batch = q[0];
  heads.tokens = q[1];
  heads.keySize = q[2] / heads.queryHeads;
  heads.valueSize = v[2] / heads.keyHeads;
  Type f32 = node.getBuilder().getF32Type();
  if (scale == 0)
    scale = 1 / std::sqrt(double(heads.keySize));
  heads.queries = times(node, node.cast(node.getInput(0), f32), scale);
  heads.keys = node.cast(node.getInput(1), f32);
  heads.values = node.cast(node.getInput(2), f32);
  return readRule(heads);
}

/// The state after a token.
static Value updated(const LinearHeads &heads, Value state, int64_t token) {
  OnnxNode &node = heads.node;
  int64_t batch = heads.batch, count = heads.keyHeads;
  Ints row{batch, count, 1, heads.keySize},
      column{batch, count, heads.keySize, 1};
  if (heads.decay) {
    bool isPerHead = shapeOf(heads.decay)[2] == count;
    Value left = heads.at(heads.decay, token,
                          {batch, count, isPerHead ? 1 : heads.keySize, 1});
    state = multiply(node, state, left);
  }
  Value value =
      heads.at(heads.values, token, {batch, count, 1, heads.valueSize});
  if (heads.rate) {
    Value known = node.matmul(heads.at(heads.keys, token, row), state);
    value = multiply(
        node, subtract(node, value, known),
        heads.at(heads.rate, token, {batch, shapeOf(heads.rate)[2], 1, 1}));
  }
  Value key = heads.at(heads.keys, token, column);
  return add(node, state, multiply(node, key, value));
}

LogicalResult npu::buildLinearAttention(OnnxNode &node) {
  LinearHeads heads(node);
  if (failed(readHeads(heads)))
    return failure();
  Type f32 = node.getBuilder().getF32Type();
  Ints shape{heads.batch, heads.keyHeads, heads.keySize, heads.valueSize};
  Value past = node.getInput(3);
  if (past && shapeOf(past) != ArrayRef<int64_t>(shape))
    return node.error("found a past state of shape " +
                      shapes::text(shapeOf(past)) + ", expected " +
                      shapes::text(shape));
  Value state = past ? node.cast(past, f32) : node.filled(0, shape, f32);
  Ints groups{heads.batch, heads.keyHeads, heads.queryHeads / heads.keyHeads,
              heads.keySize};
  SmallVector<Value> rows;
  for (int64_t token = 0; token < heads.tokens && !node.hasFailed(); ++token) {
    state = updated(heads, state, token);
    Value read = node.matmul(heads.at(heads.queries, token, groups), state);
    rows.push_back(node.reshape(
        read, {heads.batch, 1, heads.queryHeads * heads.valueSize}));
  }
  if (node.hasFailed())
    return failure();
  Type element = elementOf(node.getInput(0));
  if (node.hasOutput(1) &&
      failed(node.setResult(
          1, node.cast(state, past ? elementOf(past) : element))))
    return failure();
  return node.setResult(node.cast(node.concat(rows, 1), element));
}
