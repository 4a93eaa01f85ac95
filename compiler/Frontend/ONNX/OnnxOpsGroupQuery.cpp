// SPDX-License-Identifier: Apache-2.0
//
// GroupQueryAttention and RotaryEmbedding of onnxruntime's domain, as language
// models are exported: causal attention over a cache of fixed size.
#include "compiler/Frontend/ONNX/OnnxArithmetic.h"
#include "compiler/Frontend/ONNX/OnnxHeads.h"
#include "compiler/Frontend/ONNX/OnnxOps.h"

#include "compiler/Dialect/NPU/Constants.h"
#include "compiler/Dialect/NPU/ShapeInference.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace npu;

/// first, first + 1, ... in each of `count` tokens: of one number or of one for
/// each sample (samples, 1).
static Value placesFrom(OnnxNode &node, Value first, int64_t count) {
  if (!first)
    return first;
  return node.shared("places " + Twine(count), first, [&] {
    return add(node, first, node.countAlong(count, 1, 2, elementOf(first)));
  });
}

/// Rows of both tables by place (batch or 1, sequence).
static Angles anglesAt(OnnxNode &node, Value cosines, Value sines,
                       Value places) {
  Angles angles;
  if (!places)
    return angles;
  Ints shape(shapeOf(places));
  shape.append({1, shapeOf(cosines).back()});
  auto at = [&](Value table) {
    return node.shared("angles", {table, places}, [&] {
      return node.reshape(rowsAt(node, table, places), shape);
    });
  };
  angles.cosines = at(cosines);
  angles.sines = at(sines);
  return angles;
}

/// Whether the tables of two dimensions have an angle for two numbers of each
/// head of this size.
static LogicalResult checkTables(OnnxNode &node, Value cosines, Value sines,
                                 int64_t size) {
  if (rankOf(cosines) == 2 && shapeOf(cosines) == shapeOf(sines) &&
      2 * shapeOf(cosines)[1] <= size)
    return success();
  return node.error("found cosines and sines of shapes " +
                    shapes::text(shapeOf(cosines)) + " and " +
                    shapes::text(shapeOf(sines)) +
                    ", expected the same of both and at most " +
                    Twine(size / 2) + " columns");
}

//===----------------------------------------------------------------------===//
// RotaryEmbedding
//===----------------------------------------------------------------------===//

/// The place of each token (batch or 1, sequence): given, or counted from one
/// number.
static Value placesOf(OnnxNode &node, Value ids, int64_t batch,
                      int64_t sequence) {
  if (shapeOf(ids) == ArrayRef<int64_t>(1))
    return placesFrom(node,
                      node.shared("first place", ids,
                                  [&] { return node.reshape(ids, {1, 1}); }),
                      sequence);
  if (shapeOf(ids) == ArrayRef<int64_t>({batch, sequence}))
    return ids;
  return node.fail("found places of shape " + shapes::text(shapeOf(ids)) +
                   ", expected 1 or " + shapes::text({batch, sequence}));
}

LogicalResult npu::buildRuntimeRotaryEmbedding(OnnxNode &node) {
  Value x = node.getInput(0), cosines = node.getInput(2),
        sines = node.getInput(3);
  bool isInterleaved = node.getFlag("interleaved", false);
  int64_t heads = node.getInt("num_heads", 0, 0, 1 << 20);
  int64_t rotated = node.getInt("rotary_embedding_dim", 0, 0, 1 << 20);
  node.ignore({"is_packed_batching"}); // how many places there may be
  bool isFlat = rankOf(x) == 3;
  if (node.hasFailed())
    return failure();
  if (node.getFloat("scale", 1) != 1)
    return node.unsupported("attribute 'scale' is not 1, which onnxruntime "
                            "does not take into account either");
  if ((!isFlat && rankOf(x) != 4) || rankOf(cosines) != 2)
    return node.error("found data of shape " + shapes::text(shapeOf(x)) +
                      " and cosines of shape " +
                      shapes::text(shapeOf(cosines)) +
                      ", expected three or four dimensions and two");
  int64_t whole = 2 * shapeOf(cosines)[1];
  if (rotated != 0 && (rotated != whole || (isFlat && heads == 0)))
    return node.error("rotates " + Twine(rotated) + " numbers of " +
                      Twine(heads) + " heads by " + Twine(whole / 2) +
                      " angles, expected two numbers for each and num_heads");
  if (isFlat && heads == 0)
    heads = whole > 0 ? shapeOf(x)[2] / whole : 0;
  x = isFlat ? separateHeads(node, x, heads) : node.transpose(x, {0, 2, 1, 3});
  if (!x || failed(checkTables(node, cosines, sines, shapeOf(x)[3])))
    return failure();
  if (rotated == 0 && whole != shapeOf(x)[3])
    return node.error("rotates " + Twine(whole) + " of " +
                      Twine(shapeOf(x)[3]) +
                      " numbers, expected all of them or "
                      "'rotary_embedding_dim'");
  Angles angles =
      anglesAt(node, cosines, sines,
               placesOf(node, node.getInput(1), shapeOf(x)[0], shapeOf(x)[1]));
  angles.isInterleaved = isInterleaved;
  Value result = turnedBy(node, x, angles);
  return node.setResult(isFlat ? node.reshape(result, shapeOf(node.getInput(0)))
                               : node.transpose(result, {0, 2, 1, 3}));
}

//===----------------------------------------------------------------------===//
// GroupQueryAttention
//===----------------------------------------------------------------------===//

namespace {

/// What the steps share. Keys and values are the new ones, behind `cached` all
/// that are attended.
struct Grouped {
  explicit Grouped(OnnxNode &node) : node(node) {}
  OnnxNode &node;
  int64_t heads = 0, keyHeads = 0;
  Value queries, keys, values; // (batch, sequence, heads, size), later turned
  int64_t batch = 0, rows = 0, size = 0;
  int64_t total = 0;   // the longest sequence with its new tokens
  int64_t columns = 0; // of the cache that is given back
  /// Heads and rows as products take them: queries of one token that share keys
  /// are rows, so that no keys are repeated.
  int64_t scoreHeads() const { return rows == 1 ? keyHeads : heads; }
  int64_t scoreRows() const { return rows == 1 ? heads / keyHeads : rows; }
  /// Keys of the cache that count: a number, or (batch, 1) of them.
  std::optional<int64_t> known;
  Value lengths;
};

} // namespace

/// What npuc has no counterpart of.
static LogicalResult checkPlain(OnnxNode &node) {
  std::string keyType = node.getString("k_quant_type", "NONE"),
              valueType = node.getString("v_quant_type", "NONE");
  if (node.getInt("kv_cache_bit_width", 0) != 0 || keyType != "NONE" ||
      valueType != "NONE" || node.hasInput(12) || node.hasInput(13))
    return node.unsupported("has a quantized cache, expected one of the "
                            "queries' type");
  if (node.getFlag("sliding_window_cache", false))
    return node.unsupported("attribute 'sliding_window_cache' is 1, expected "
                            "a cache of all keys");
  if (node.hasOutput(3) || node.getInt("qk_output", 0) != 0)
    return node.unsupported("gives scores as result 3 'output_qk', expected a "
                            "node without it");
  if (node.hasInput(14) != node.hasInput(15))
    return node.error("has a norm of queries or keys without the other, "
                      "expected both or none");
  return success();
}

/// Queries, keys and values apart, or side by side in the first input.
static LogicalResult readGroups(Grouped &g) {
  OnnxNode &node = g.node;
  g.heads = node.getInt("num_heads", 0, 1, 1 << 20);
  g.keyHeads = node.getInt("kv_num_heads", 0, 1, 1 << 20);
  if (node.hasFailed())
    return failure();
  if (g.heads % g.keyHeads != 0)
    return node.error("has " + Twine(g.heads) + " heads of queries and " +
                      Twine(g.keyHeads) +
                      " of keys, expected a multiple of these");
  Value inputs[] = {node.getInput(0), node.getInput(1), node.getInput(2)};
  for (Value input : inputs)
    if (input && rankOf(input) != 3)
      return node.error("found queries, keys or values of shape " +
                        shapes::text(shapeOf(input)) +
                        ", expected three dimensions");
  if (!inputs[1] != !inputs[2])
    return node.error("has keys or values without the other, expected both or "
                      "none");
  if (!inputs[1]) {
    int64_t all = g.heads + 2 * g.keyHeads, first = 0;
    Value packed = separateHeads(node, inputs[0], all);
    for (Value &input : inputs) {
      if (!packed)
        return failure();
      Ints extents(shapeOf(packed));
      extents[2] = first == 0 ? g.heads : g.keyHeads;
      input = node.slice(packed, {0, 0, first, 0}, {1, 1, 1, 1}, extents);
      first += extents[2];
    }
  } else {
    for (size_t i : {0, 1, 2})
      inputs[i] = separateHeads(node, inputs[i], i == 0 ? g.heads : g.keyHeads);
  }
  if (node.hasFailed())
    return failure();
  ArrayRef<int64_t> q = shapeOf(inputs[0]);
  Ints expected{q[0], q[1], g.keyHeads, q[3]};
  if (shapeOf(inputs[1]) != ArrayRef<int64_t>(expected) ||
      shapeOf(inputs[2]) != ArrayRef<int64_t>(expected))
    return node.error("found heads of queries, keys and values of shapes " +
                      shapes::text(q) + ", " +
                      shapes::text(shapeOf(inputs[1])) + " and " +
                      shapes::text(shapeOf(inputs[2])) +
                      ", expected as many tokens and numbers");
  std::tie(g.queries, g.keys, g.values) =
      std::tuple(inputs[0], inputs[1], inputs[2]);
  g.batch = q[0];
  g.rows = q[1];
  g.size = q[3];
  return success();
}

/// How many keys of the cache count, and how many the new one has.
static LogicalResult readLengths(Grouped &g) {
  OnnxNode &node = g.node;
  Value lengths = node.getInput(5);
  FailureOr<int64_t> total =
      node.constantInt(6, "the total length of sequences", "total lengths");
  if (failed(total))
    return failure();
  if (tensorType(lengths).getNumElements() != g.batch)
    return node.error("found lengths of shape " +
                      shapes::text(shapeOf(lengths)) + ", expected " +
                      Twine(g.batch));
  int64_t past = 0;
  if (node.hasInput(3) != node.hasInput(4))
    return node.error("has a past key or value without the other, expected "
                      "both or none");
  for (size_t i : {3, 4}) {
    if (!node.hasInput(i))
      continue;
    Ints shape(shapeOf(node.getInput(i)));
    past = i == 3 && shape.size() == 4 ? shape[2] : past;
    if (shape != Ints{g.batch, g.keyHeads, past, g.size})
      return node.error("found a cache of shape " + shapes::text(shape) +
                        ", expected " + Twine(g.batch) + ", " +
                        Twine(g.keyHeads) + ", any, " + Twine(g.size) +
                        ", the same for keys and values");
  }
  if (*total < g.rows || *total > past + g.rows)
    return node.error("found a total length of " + Twine(*total) +
                      ", expected " + Twine(g.rows) + " to " +
                      Twine(past + g.rows) +
                      ", the new tokens and those of the cache");
  g.total = *total;
  g.columns = std::max(*total, past);
  if (*total == g.rows) { // the first tokens: nothing in the cache counts
    g.known = 0;
    return success();
  }
  // A length is that of all keys but one.
  Value kept = node.shared("kept keys " + Twine(g.rows), lengths, [&] {
    return plus(node, node.reshape(lengths, {g.batch, 1}), double(1 - g.rows));
  });
  ElementsAttr constant = kept ? constantOf(kept) : ElementsAttr();
  if (!constant) {
    g.lengths = kept;
    return failure(!kept);
  }
  SmallVector<int64_t> numbers = elementInts(constant);
  for (int64_t number : numbers)
    if (number < 0 || number + g.rows > *total)
      return node.error("found a sequence of " + Twine(number + g.rows) +
                        " tokens, expected " + Twine(g.rows) + " to " +
                        Twine(*total) + ", the total length");
  if (llvm::all_equal(numbers) && !numbers.empty())
    g.known = numbers.front();
  else
    g.lengths = kept;
  return success();
}

/// Root mean square norms of each head, then the turns by place.
static LogicalResult prepare(Grouped &g) {
  OnnxNode &node = g.node;
  double epsilon = node.getFloat("qk_norm_epsilon", 1e-6);
  if (node.hasInput(14)) {
    g.queries = normed(node, g.queries, node.getInput(14), Value(), epsilon,
                       /*isCentered=*/false);
    g.keys = normed(node, g.keys, node.getInput(15), Value(), epsilon,
                    /*isCentered=*/false);
  }
  bool isInterleaved = node.getFlag("rotary_interleaved", false);
  if (!node.getFlag("do_rotary", false) || node.hasFailed())
    return failure(node.hasFailed());
  if (!node.hasInput(7) || !node.hasInput(8))
    return node.error("attribute 'do_rotary' is 1, but there are no cosines "
                      "and sines, expected inputs 7 and 8");
  Value cosines = node.getInput(7), sines = node.getInput(8), places;
  if (failed(checkTables(node, cosines, sines, g.size)))
    return failure();
  if (node.hasInput(9)) {
    places = node.getInput(9);
    if (shapeOf(places) != ArrayRef<int64_t>({g.batch, g.rows}))
      return node.error("found places of shape " +
                        shapes::text(shapeOf(places)) + ", expected " +
                        shapes::text({g.batch, g.rows}));
  } else {
    Type i32 = node.getBuilder().getI32Type();
    Value first = g.lengths;
    if (g.known)
      first = node.shared("first place " + Twine(*g.known), {}, [&] {
        return node.filled(double(*g.known), {1, 1}, i32);
      });
    places = placesFrom(node, first, g.rows);
  }
  Angles angles = anglesAt(node, cosines, sines, places);
  angles.isInterleaved = isInterleaved;
  g.queries = turnedBy(node, g.queries, angles);
  g.keys = turnedBy(node, g.keys, angles);
  return failure(!g.queries || !g.keys);
}

/// Where each place of the cache lies behind those that count, which is known
/// when the model runs: (batch, 1, columns, 1).
static Value placesBehind(Grouped &g) {
  OnnxNode &node = g.node;
  return node.shared("behind " + Twine(g.columns), g.lengths, [&] {
    Value start = node.reshape(g.lengths, {g.batch, 1, 1, 1});
    return subtract(
        node, node.countAlong(g.columns, 2, 4, elementOf(g.lengths)), start);
  });
}

/// Keys or values of which each is one of the new ones, where there are any.
static Value spreadNew(Grouped &g, Value now) {
  OnnxNode &node = g.node;
  Ints whole{g.batch, g.keyHeads, g.columns, g.size};
  if (g.rows == 1)
    return now; // broadcasts
  Value place = placesBehind(g);
  Value index = node.shared("index " + shapes::text(whole), place, [&] {
    return node.broadcast(
        node.eltwise(NPU_INSTR_clip, {place}, 0, double(g.rows - 1)), whole);
  });
  return node.gatherElements(now, index, 2);
}

/// New keys or values behind those of the cache that count, then zeros.
static Value cached(Grouped &g, Value past, Value now) {
  OnnxNode &node = g.node;
  auto padded = [&](Value x) {
    Ints pads(8, 0);
    pads[6] = x ? g.columns - shapeOf(x)[2] : 0;
    return pads[6] > 0 ? node.pad(x, pads, PadMode::Constant, 0) : x;
  };
  if (g.known && *g.known == 0)
    return padded(now);
  if (g.known) {
    Ints kept{g.batch, g.keyHeads, *g.known, g.size};
    Value before = node.slice(past, {0, 0, 0, 0}, {1, 1, 1, 1}, kept);
    return padded(node.concat({before, now}, 2));
  }
  Value place = placesBehind(g), spread = now ? spreadNew(g, now) : now;
  if (!place || !spread)
    return Value();
  Type type = elementOf(place);
  Value isNew = node.shared("is new " + Twine(g.rows), place, [&] {
    return node.eltwise(NPU_INSTR_less,
                        {place, node.scalar(double(g.rows), type)});
  });
  Value isPast = node.shared("is past", place, [&] {
    return node.eltwise(NPU_INSTR_less, {place, node.scalar(0, type)});
  });
  Value behind = select(node, isNew, spread, node.scalar(0, elementOf(spread)));
  return select(node, isPast, padded(past), behind);
}

/// Keys that a query sees: those up to its own, in a window of so many.
static Value seenKeys(Grouped &g, bool isCausal, int64_t window) {
  OnnxNode &node = g.node;
  int64_t columns = shapeOf(g.keys)[2];
  std::string what =
      "seen keys " + shapes::text({g.known.value_or(-1), g.batch, g.rows,
                                   columns, isCausal, window});
  return node.shared(what, g.lengths, [&] {
    Type i32 = node.getBuilder().getI32Type();
    Value last = node.countAlong(g.rows, 2, 4, i32);
    if (!isCausal) // all there are
      last = node.filled(double(g.rows - 1), {1, 1, g.rows, 1}, i32);
    last = g.known
               ? plus(node, last, double(*g.known))
               : add(node, last, node.reshape(g.lengths, {g.batch, 1, 1, 1}));
    Value place = node.countAlong(columns, 3, 4, i32);
    Value isSeen = node.eltwise(NPU_INSTR_less_equal, {place, last});
    if (window <= 0)
      return isSeen;
    Value first = plus(node, last, double(-window));
    return node.eltwise(
        NPU_INSTR_logical_and,
        {isSeen, node.eltwise(NPU_INSTR_greater, {place, first})});
  });
}

/// Softmax, with one more score in the sum that nothing belongs to: of a head's
/// own, or 0.
static Value weightsOf(Grouped &g, Value scores) {
  OnnxNode &node = g.node;
  bool isSmooth = node.getFlag("smooth_softmax", false);
  if (!node.hasInput(11) && !isSmooth)
    return node.softmax(scores, 3, /*isLog=*/false);
  Ints one{g.batch, g.scoreHeads(), g.scoreRows(), 1};
  Value sink = node.scalar(0, elementOf(g.queries));
  if (node.hasInput(11)) {
    sink = node.getInput(11);
    if (shapeOf(sink) != ArrayRef<int64_t>(g.heads))
      return node.fail("found a sink of shape " + shapes::text(shapeOf(sink)) +
                       ", expected " + Twine(g.heads) + ", one for each head");
    sink = node.reshape(sink, {1, g.scoreHeads(), g.heads / g.scoreHeads(), 1});
  }
  if (!scores)
    return scores;
  Ints shape(shapeOf(scores));
  Value all = node.softmax(node.concat({scores, node.broadcast(sink, one)}, 3),
                           3, /*isLog=*/false);
  return node.slice(all, {0, 0, 0, 0}, {1, 1, 1, 1}, shape);
}

/// queries * keys', scaled, bounded, with what is added and what is not seen.
static Value scoresOf(Grouped &g, Value queries, Value keys, Value isSeen) {
  OnnxNode &node = g.node;
  double scale = node.getFloat("scale", 0), cap = node.getFloat("softcap", 0);
  if (scale == 0)
    scale = 1 / std::sqrt(double(g.size));
  Value scores =
      times(node, node.matmul(queries, transposeKeys(node, keys)), scale);
  if (cap > 0)
    scores = times(
        node, node.eltwise(NPU_INSTR_tanh, times(node, scores, 1 / cap)), cap);
  Value closed =
      node.scalar(-std::numeric_limits<double>::infinity(), elementOf(queries));
  if (!node.hasInput(10))
    return select(node, isSeen, scores, closed);
  Value bias = node.getInput(10);
  Ints shape(shapeOf(bias));
  int64_t columns = shapeOf(keys)[2];
  if (shape.size() != 4 || (shape[0] != 1 && shape[0] != g.batch) ||
      (shape[1] != 1 && shape[1] != g.heads) || shape[2] != g.rows ||
      shape[3] != g.total)
    return node.fail("found a bias of scores of shape " + shapes::text(shape) +
                     ", expected " +
                     shapes::text({g.batch, g.heads, g.rows, g.total}) +
                     ", where the first two may be 1");
  Ints pads(8, 0), cut(shape);
  cut[3] = std::min(columns, shape[3]);
  bias = node.slice(bias, {0, 0, 0, 0}, {1, 1, 1, 1}, cut);
  pads[7] = columns - cut[3];
  if (pads[7] > 0)
    bias = node.pad(bias, pads, PadMode::Constant, 0);
  if (shape[1] != 1)
    bias =
        node.reshape(bias, {shape[0], g.scoreHeads(), g.scoreRows(), columns});
  return add(node, scores, select(node, isSeen, bias, closed));
}

LogicalResult npu::buildGroupQueryAttention(OnnxNode &node) {
  Grouped g(node);
  bool isCausal = node.getFlag("causal", true);
  int64_t window = node.getInt("local_window_size", -1, -1, INT32_MAX);
  if (failed(checkPlain(node)) || failed(readGroups(g)) ||
      failed(readLengths(g)) || failed(prepare(g)))
    return failure();
  if (!isCausal && window > 0)
    return node.error("has a window of " + Twine(window) +
                      " keys and is not causal, expected one of them");
  for (size_t i : {0, 1}) {
    Value &now = i == 0 ? g.keys : g.values;
    now = cached(g, node.getInput(3 + i), node.transpose(now, {0, 2, 1, 3}));
    if (!now || failed(node.setResult(1 + i, now)))
      return failure();
    if (!g.known || *g.known + g.rows == g.columns)
      continue;
    Ints used(shapeOf(now)); // of a larger buffer
    used[2] = *g.known + g.rows;
    now = node.slice(now, {0, 0, 0, 0}, {1, 1, 1, 1}, used);
  }
  Value queries =
      node.reshape(node.transpose(g.queries, {0, 2, 1, 3}),
                   {g.batch, g.scoreHeads(), g.scoreRows(), g.size});
  Value scores = scoresOf(g, queries, repeatHeads(node, g.keys, g.scoreHeads()),
                          seenKeys(g, isCausal, window));
  Value weights = weightsOf(g, scores);
  if (!weights)
    return failure();
  Value mixed =
      node.matmul(weights, repeatHeads(node, g.values, g.scoreHeads()));
  return node.setResult(
      joinHeads(node, node.reshape(mixed, {g.batch, g.heads, g.rows, g.size})));
}
