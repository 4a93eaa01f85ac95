// SPDX-License-Identifier: Apache-2.0
//
// Attention, MultiHeadAttention and QAttention of onnxruntime's domain, in the
// steps that exporters write, so that what matches those matches these.
#include "compiler/Frontend/ONNX/OnnxArithmetic.h"
#include "compiler/Frontend/ONNX/OnnxHeads.h"
#include "compiler/Frontend/ONNX/OnnxOps.h"
#include "compiler/Frontend/ONNX/OnnxQuantize.h"

#include "compiler/Dialect/NPU/ShapeInference.h"

#include "llvm/ADT/bit.h"

#include <cmath>
#include <limits>

using namespace npu;

namespace {

/// What the steps of one attention share. Queries, keys and values are (batch,
/// heads, sequence, head size).
struct Fused {
  OnnxNode &node;
  int64_t heads;
  Value queries, keys, values;
  int64_t past = 0; // keys of the cache
  Value bias = {};  // added to the scores, or null

  int64_t batch() const { return shapeOf(queries)[0]; }
  int64_t rows() const { return shapeOf(queries)[2]; }
  int64_t columns() const { return shapeOf(keys)[2]; }
  Type element() const { return elementOf(queries); }

  void addBias(Value more) {
    bias = bias ? node.shared("sum of biases", {bias, more},
                              [&] { return add(node, bias, more); })
                : more;
  }
};

} // namespace

/// Inputs and attributes of kernels that write into buffers that they share
/// with the caller, or turn queries and keys on the way.
static LogicalResult refuse(OnnxNode &node, StringRef attribute,
                            StringRef instead) {
  if (!node.getFlag(attribute, false))
    return success();
  return node.unsupported("attribute '" + attribute +
                          "' is 1, expected 0: " + instead);
}

static LogicalResult refuseInput(OnnxNode &node, size_t index,
                                 StringRef instead) {
  if (!node.hasInput(index))
    return success();
  return node.unsupported("has input " + Twine(index) + " '" +
                          node.schema.inputs[index].name +
                          "', expected none: " + instead);
}

static constexpr StringRef ownCache =
    "npuc gives the cache as a result of its own; export the model without a "
    "shared buffer";

/// The number of heads; 0 after an error.
static int64_t headsOf(OnnxNode &node) {
  int64_t heads = node.getInt("num_heads", 0, 1, 1 << 20);
  return node.hasFailed() ? 0 : heads;
}

//===----------------------------------------------------------------------===//
// What is added to scores
//===----------------------------------------------------------------------===//

/// `rows` of a vector from `first` on as (rows, 1, 1, 1).
static Value perSample(OnnxNode &node, Value vector, int64_t first,
                       int64_t rows) {
  return node.reshape(node.slice(vector, first, 1, rows), {rows, 1, 1, 1});
}

/// Which keys count by the lengths of a vector: one for each sample, the ends
/// and starts, or lengths and where samples lie.
static Value countedKeys(Fused &f, Value vector, bool hasStarts) {
  OnnxNode &node = f.node;
  int64_t batch = f.batch(), count = shapeOf(vector)[0];
  bool areSpans = hasStarts && count == 2 * batch;
  if (count != batch && count != 3 * batch + 2 && !areSpans)
    return node.fail("found lengths of shape " + Twine(count) + ", expected " +
                     Twine(batch) + (hasStarts ? ", twice that" : "") +
                     " or 2 more than three times that");
  Value places = node.countAlong(f.columns(), 3, 4, elementOf(vector));
  Value isCounted =
      node.eltwise(NPU_INSTR_less, {places, perSample(node, vector, 0, batch)});
  if (!areSpans)
    return isCounted;
  return node.eltwise(
      NPU_INSTR_logical_and,
      {isCounted,
       node.eltwise(NPU_INSTR_greater_equal,
                    {places, perSample(node, vector, batch, batch)})});
}

/// Adds what a mask of integers takes from scores: a large number where a key
/// does not count.
static LogicalResult addMask(Fused &f, size_t index, bool hasStarts) {
  OnnxNode &node = f.node;
  double filter = node.getFloat("mask_filter_value", -10000);
  if (!node.hasInput(index))
    return success();
  Value mask = node.getInput(index);
  Ints shape(shapeOf(mask));
  int64_t batch = f.batch(), rows = f.rows(), columns = f.columns();
  bool isVector = shape.size() == 1;
  if (hasStarts && !isVector && shape != Ints{batch, columns} &&
      (shape == Ints{batch, 1} || shape == Ints{1, 1}))
    return success(); // the same for all keys of a sample: nothing
  if (!isVector && shape != Ints{batch, columns} &&
      shape != Ints{batch, rows, columns})
    return node.error("found a mask of shape " + shapes::text(shape) +
                      ", expected lengths, " + shapes::text({batch, columns}) +
                      " or " + shapes::text({batch, rows, columns}));
  std::string what =
      "mask " + std::to_string(llvm::bit_cast<uint64_t>(filter)) + " " +
      shapes::text({batch, rows, columns}) + " " + typeText(f.element());
  f.addBias(node.shared(what, mask, [&] {
    Ints wide{batch, 1, shape.size() == 2 ? 1 : rows, columns};
    Value isCounted = isVector
                          ? countedKeys(f, mask, hasStarts)
                          : node.eltwise(NPU_INSTR_greater,
                                         {node.reshape(mask, wide),
                                          node.scalar(0, elementOf(mask))});
    return isCounted ? select(node, isCounted, node.scalar(0, f.element()),
                              node.scalar(filter, f.element()))
                     : isCounted;
  }));
  return failure(node.hasFailed());
}

/// A query sees the keys of the cache and those up to its own.
static LogicalResult addCausal(Fused &f) {
  OnnxNode &node = f.node;
  if (!node.getFlag("unidirectional", false) || f.rows() == 1)
    return success();
  if (f.rows() + f.past != f.columns())
    return node.unsupported("is unidirectional with " + Twine(f.rows()) +
                            " queries and " + Twine(f.columns() - f.past) +
                            " keys, expected as many of both");
  std::string what = "causal " + shapes::text({f.rows(), f.columns()}) + " " +
                     typeText(f.element());
  f.addBias(node.shared(what, {}, [&] {
    Type i64 = node.getBuilder().getI64Type();
    Value last =
        plus(node, node.countAlong(f.rows(), 0, 2, i64), double(f.past));
    Value isSeen = node.eltwise(
        NPU_INSTR_less_equal, {node.countAlong(f.columns(), 1, 2, i64), last});
    constexpr double infinity = std::numeric_limits<double>::infinity();
    return select(node, isSeen, node.scalar(0, f.element()),
                  node.scalar(-infinity, f.element()));
  }));
  return failure(node.hasFailed());
}

static LogicalResult addGivenBias(Fused &f, size_t index) {
  OnnxNode &node = f.node;
  if (!node.hasInput(index))
    return success();
  Value bias = node.getInput(index);
  Ints whole{f.batch(), f.heads, f.rows(), f.columns()}, shape(shapeOf(bias));
  bool fits = shape.size() == 4 && (shape[0] == 1 || shape[0] == whole[0]) &&
              (shape[1] == 1 || shape[1] == whole[1]) &&
              ArrayRef<int64_t>(shape).take_back(2) ==
                  ArrayRef<int64_t>(whole).take_back(2);
  if (!fits)
    return node.error("found a bias of scores of shape " + shapes::text(shape) +
                      ", expected " + shapes::text(whole) +
                      ", where the first two may be 1");
  f.addBias(bias);
  return success();
}

/// softmax(queries * keys' * scale + bias) * values.
static LogicalResult attend(Fused &f) {
  OnnxNode &node = f.node;
  double scale = node.getFloat("scale", 0);
  if (scale == 0)
    scale = 1 / std::sqrt(double(shapeOf(f.queries)[3]));
  Value scores =
      times(node, node.matmul(f.queries, transposeKeys(node, f.keys)), scale);
  if (f.bias)
    scores = add(node, scores, f.bias);
  Value weights = node.softmax(scores, 3, /*isLog=*/false);
  return node.setResult(joinHeads(node, node.matmul(weights, f.values)));
}

//===----------------------------------------------------------------------===//
// Attention, QAttention: one matrix for queries, keys and values
//===----------------------------------------------------------------------===//

/// Columns of each of the three in the weights; empty after an error.
static Ints hiddenSizes(OnnxNode &node, Value x, Value weights, int64_t heads) {
  if (heads == 0)
    return {};
  Ints shape(shapeOf(weights));
  if (rankOf(x) != 3 || shape.size() != 2 || shape[0] != shapeOf(x)[2]) {
    (void)node.error("found data of shape " + shapes::text(shapeOf(x)) +
                     " and weights of shape " + shapes::text(shape) +
                     ", expected batch, sequence, N and N, columns");
    return {};
  }
  Ints sizes(3, shape[1] / 3);
  if (node.schema.name != StringRef("com.microsoft.QAttention"))
    sizes = node.getInts("qkv_hidden_sizes").value_or(sizes);
  bool fits = sizes.size() == 3 && sizes[0] == sizes[1] &&
              sizes[0] + sizes[1] + sizes[2] == shape[1] &&
              llvm::all_of(sizes, [&](int64_t size) {
                return size > 0 && size % heads == 0;
              });
  if (fits)
    return sizes;
  (void)node.error("found weights of shape " + shapes::text(shape) +
                   " for queries, keys and values of " + shapes::text(sizes) +
                   " columns, expected these to add up, the first two equal, "
                   "and " +
                   Twine(heads) + " heads to divide each");
  return {};
}

/// Puts the cache (2, batch, heads, sequence, size) in front of keys and
/// values; what is there then is the second result.
static LogicalResult addJointPast(Fused &f, size_t index) {
  OnnxNode &node = f.node;
  Ints keys(shapeOf(f.keys));
  if (node.hasInput(index)) {
    Value past = node.getInput(index);
    Ints shape(shapeOf(past)), expected{2, keys[0], keys[1], 0, keys[3]};
    expected[3] = shape.size() == 5 ? shape[3] : 0;
    if (shape != expected || shapeOf(f.values) != ArrayRef<int64_t>(keys))
      return node.error("found a cache of shape " + shapes::text(shape) +
                        ", expected 2, " + Twine(keys[0]) + ", " +
                        Twine(keys[1]) + ", any, " + Twine(keys[3]) +
                        ", and values as wide as keys");
    f.past = shape[3];
    f.keys = node.concat({node.at(past, 0, 0), f.keys}, 2);
    f.values = node.concat({node.at(past, 0, 1), f.values}, 2);
  }
  if (node.hasFailed() || !node.hasOutput(1))
    return failure(node.hasFailed());
  if (shapeOf(f.keys) != shapeOf(f.values))
    return node.error("gives a cache of keys of shape " +
                      shapes::text(shapeOf(f.keys)) + " and values of shape " +
                      shapes::text(shapeOf(f.values)) + ", expected the same");
  Ints one(shapeOf(f.keys));
  one.insert(one.begin(), 1);
  return node.setResult(
      1,
      node.concat({node.reshape(f.keys, one), node.reshape(f.values, one)}, 0));
}

/// The rest of Attention and QAttention behind the products.
static LogicalResult attendJointly(OnnxNode &node, int64_t heads,
                                   ArrayRef<Value> products, size_t mask,
                                   size_t past, size_t bias) {
  Fused f{node, heads, splitHeads(node, products[0], heads),
          splitHeads(node, products[1], heads),
          splitHeads(node, products[2], heads)};
  if (node.hasFailed() || failed(addJointPast(f, past)) ||
      failed(addCausal(f)) || failed(addMask(f, mask, /*hasStarts=*/true)) ||
      (bias != 0 && failed(addGivenBias(f, bias))))
    return failure();
  return attend(f);
}

/// A part of a vector or of what has one number for all columns; null for
/// none.
static Value columnsFrom(OnnxNode &node, Value parameter, int64_t first,
                         int64_t count) {
  if (!parameter || tensorType(parameter).getNumElements() == 1)
    return parameter ? node.reshape(parameter, {}) : parameter;
  return node.slice(parameter, first, 1, count);
}

/// Whether the vector has one number for each column.
static LogicalResult checkColumns(OnnxNode &node, Value vector, Value weights,
                                  StringRef what) {
  if (!vector || shapeOf(vector) == shapeOf(weights).take_back(1))
    return success();
  return node.error("found a " + what + " of shape " +
                    shapes::text(shapeOf(vector)) + ", expected " +
                    Twine(shapeOf(weights)[1]) + ", one for each column");
}

/// Its last input is read for buffers alone that are shared with the caller.
LogicalResult npu::buildFusedAttention(OnnxNode &node) {
  Value x = node.getInput(0), weights = node.getInput(1);
  node.ignore({"rotary_embedding_dim"});
  int64_t heads = headsOf(node);
  Ints sizes = hiddenSizes(node, x, weights, heads);
  if (sizes.empty() ||
      failed(refuse(node, "do_rotary",
                    "MultiHeadAttention behind "
                    "RotaryEmbedding")) ||
      failed(refuse(node, "past_present_share_buffer", ownCache)) ||
      failed(checkColumns(node, node.getInput(2), weights, "bias")))
    return failure();
  SmallVector<Value> products;
  int64_t first = 0;
  for (int64_t size : sizes) {
    Value product =
        multiplyDequantized(node, x, columnsOf(node, weights, first, size));
    if (product && node.hasInput(2))
      product =
          add(node, product, columnsFrom(node, node.getInput(2), first, size));
    products.push_back(product);
    first += size;
  }
  return attendJointly(node, heads, products, 3, 4, 5);
}

LogicalResult npu::buildQAttention(OnnxNode &node) {
  Value x = node.getInput(0), weights = node.getInput(1),
        bias = node.getInput(2), scale = node.getInput(4),
        zero = node.getInput(7);
  int64_t heads = headsOf(node);
  Ints sizes = hiddenSizes(node, x, weights, heads);
  if (sizes.empty() ||
      failed(refuse(node, "do_rotary", "a model without it")) ||
      failed(refuse(node, "past_present_share_buffer", ownCache)) ||
      failed(checkColumns(node, bias, weights, "bias")))
    return failure();
  for (Value parameter : {scale, zero})
    if (parameter && tensorType(parameter).getNumElements() != 1 &&
        failed(checkColumns(node, parameter, weights, "scale or zero point")))
      return failure();
  Value dataScale = wholeParameter(node, 3),
        dataZero = node.hasInput(6) ? wholeParameter(node, 6) : Value();
  Type f32 = node.getBuilder().getF32Type();
  SmallVector<Value> products;
  int64_t first = 0;
  for (int64_t size : sizes) {
    Value part =
        node.slice(weights, {0, first}, {1, 1}, {shapeOf(weights)[0], size});
    if (!part)
      return failure();
    Value sum = integerProduct(node, x, dataZero, part,
                               columnsFrom(node, zero, first, size));
    Value factor =
        multiply(node, dataScale, columnsFrom(node, scale, first, size));
    Value product = multiply(node, node.cast(sum, f32), factor);
    products.push_back(
        add(node, product, columnsFrom(node, bias, first, size)));
    first += size;
  }
  return attendJointly(node, heads, products, 5, 8, 0);
}

//===----------------------------------------------------------------------===//
// MultiHeadAttention
//===----------------------------------------------------------------------===//

/// One of `count` that lie beside each other in each head: of (batch, sequence,
/// heads, count, size) as (batch, sequence, heads * size).
static Value partOf(OnnxNode &node, Value packed, int64_t index) {
  Ints shape(shapeOf(packed));
  return node.reshape(node.at(packed, 3, index),
                      {shape[0], shape[1], shape[2] * shape[4]});
}

/// Queries, keys and values as (batch, sequence, heads * size); keys and values
/// may have their heads apart already.
static LogicalResult readOperands(OnnxNode &node, int64_t heads,
                                  Value (&operands)[3]) {
  for (size_t i : {0, 1, 2})
    operands[i] = node.getInput(i);
  auto isPacked = [&](Value value, int64_t count) {
    return value && rankOf(value) == 5 && shapeOf(value)[2] == heads &&
           shapeOf(value)[3] == count;
  };
  auto rank = [](Value value) { return value ? rankOf(value) : 0; };
  Value query = operands[0], key = operands[1];
  if (isPacked(query, 3) && !key && !operands[2]) {
    for (int64_t i : {0, 1, 2})
      operands[i] = partOf(node, query, i);
  } else if (rank(query) == 3 && isPacked(key, 2) && !operands[2]) {
    for (int64_t i : {0, 1})
      operands[i + 1] = partOf(node, key, i);
  } else if (rank(query) != 3 || (rank(key) != 3 && rank(key) != 4) ||
             rank(operands[2]) != rank(key)) {
    auto text = [](Value value) {
      return value ? shapes::text(shapeOf(value)) : std::string("none");
    };
    return node.error("found queries, keys and values of shapes " +
                      text(query) + ", " + text(key) + " and " +
                      text(operands[2]) +
                      ", expected three dimensions each, four of keys and "
                      "values, or five of all in one or of keys and values in "
                      "one");
  }
  return failure(node.hasFailed());
}

/// Adds to each operand its part of the bias.
static LogicalResult addBiases(OnnxNode &node, Value (&operands)[3]) {
  Value bias = node.getInput(3);
  if (!bias)
    return success();
  int64_t total = 0;
  for (Value operand : operands)
    total += rankOf(operand) == 3 ? shapeOf(operand)[2] : INT32_MAX;
  if (shapeOf(bias) != ArrayRef<int64_t>(total))
    return node.error("found a bias of shape " + shapes::text(shapeOf(bias)) +
                      ", expected one number for each of queries, keys and "
                      "values of three dimensions");
  int64_t first = 0;
  for (Value &operand : operands) {
    int64_t size = shapeOf(operand)[2];
    operand = add(node, operand, node.slice(bias, first, 1, size));
    first += size;
  }
  return success();
}

static LogicalResult checkHeads(const Fused &f) {
  ArrayRef<int64_t> q = shapeOf(f.queries), k = shapeOf(f.keys),
                    v = shapeOf(f.values);
  if (q[0] == k[0] && k[0] == v[0] && q[1] == k[1] && k[1] == v[1] &&
      k[2] == v[2] && q[3] == k[3])
    return success();
  return f.node.error("found queries, keys and values of heads of shapes " +
                      shapes::text(q) + ", " + shapes::text(k) + " and " +
                      shapes::text(v) + ", which do not fit one another");
}

/// Puts the cache in front; what is there then is the second and third result.
static LogicalResult addPast(Fused &f) {
  OnnxNode &node = f.node;
  if (node.hasInput(6) != node.hasInput(7))
    return node.error("has a past key or value without the other, expected "
                      "both or none");
  for (size_t i : {0, 1}) {
    Value &now = i == 0 ? f.keys : f.values;
    if (node.hasInput(6)) {
      Value past = node.getInput(6 + i);
      Ints expected(shapeOf(now));
      expected[2] = rankOf(past) == 4 ? shapeOf(past)[2] : 0;
      if (shapeOf(past) != ArrayRef<int64_t>(expected) ||
          (i == 1 && expected[2] != f.past))
        return node.error("found a cache of shape " +
                          shapes::text(shapeOf(past)) + " for heads of shape " +
                          shapes::text(shapeOf(now)) +
                          ", expected the same but for the third dimension");
      f.past = expected[2];
      now = node.concat({past, now}, 2);
    }
    if (!now || (node.hasOutput(1 + i) && failed(node.setResult(1 + i, now))))
      return failure();
  }
  return success();
}

LogicalResult npu::buildMultiHeadAttention(OnnxNode &node) {
  int64_t heads = headsOf(node);
  Value operands[3];
  if (heads == 0 || failed(refuseInput(node, 8, ownCache)) ||
      failed(refuseInput(node, 9, ownCache)) ||
      failed(readOperands(node, heads, operands)) ||
      failed(addBiases(node, operands)))
    return failure();
  if (node.hasOutput(3))
    return node.unsupported("gives scores as result 3 'qk', expected a node "
                            "without it");
  for (Value &operand : operands)
    if (operand && rankOf(operand) == 3)
      operand = splitHeads(node, operand, heads);
  if (node.hasFailed())
    return failure();
  Fused f{node, heads, operands[0], operands[1], operands[2]};
  if (failed(checkHeads(f)) || failed(addPast(f)) || failed(addCausal(f)) ||
      failed(addMask(f, 4, /*hasStarts=*/false)) || failed(addGivenBias(f, 5)))
    return failure();
  return attend(f);
}
