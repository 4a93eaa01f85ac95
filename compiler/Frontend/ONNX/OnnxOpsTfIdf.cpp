// SPDX-License-Identifier: Apache-2.0
//
// TfIdfVectorizer: how often each n-gram of a pool occurs, as comparisons and
// sums.
#include "compiler/Frontend/ONNX/OnnxArithmetic.h"
#include "compiler/Frontend/ONNX/OnnxOps.h"

#include "compiler/Dialect/NPU/ShapeInference.h"

using namespace npu;

namespace {
struct Grams {
  int64_t least, most, skips; // lengths; elements between two of a gram
  Ints pool;                  // all grams, the short ones first
  Ints starts;                // where grams of 1, 2, ... elements begin
  Ints places;                // of each gram in the result
};
} // namespace

static FailureOr<Grams> readGrams(OnnxNode &node) {
  Grams grams;
  grams.least = node.getInt("min_gram_length", 1, 1, 64);
  grams.most = node.getInt("max_gram_length", 1, grams.least, 64);
  grams.skips = node.getInt("max_skip_count", 0, 0, 1 << 16);
  grams.pool = node.getInts("pool_int64s").value_or(Ints());
  grams.starts = node.getInts("ngram_counts").value_or(Ints());
  grams.places = node.getInts("ngram_indexes").value_or(Ints());
  if (node.hasFailed())
    return failure();
  if (node.hasAttribute("pool_strings"))
    return node.unsupported(
        "has a pool of strings, expected pool_int64s: strings "
        "are out of scope");
  grams.starts.push_back(static_cast<int64_t>(grams.pool.size()));
  int64_t count = 0;
  for (size_t i = 0; i + 1 < grams.starts.size(); ++i) {
    int64_t elements = grams.starts[i + 1] - grams.starts[i];
    if (elements < 0 || grams.starts[i] < 0 || elements % (int64_t(i) + 1) != 0)
      return node.error("attribute 'ngram_counts' does not divide the pool "
                        "into grams of 1, 2, ... elements");
    count += elements / (int64_t(i) + 1);
  }
  if (count != static_cast<int64_t>(grams.places.size()) || count == 0 ||
      llvm::any_of(grams.places, [](int64_t place) {
        return place < 0 || place > (1 << 20);
      }))
    return node.error("attribute 'ngram_indexes' has " +
                      Twine(grams.places.size()) + " entries, expected " +
                      Twine(count) + " places, one for each gram");
  return grams;
}

/// How often each of `count` grams of `length` elements occurs in rows of x
/// (rows, elements), elements `stride` apart: (rows, count).
static Value countGrams(OnnxNode &node, Value x, ArrayRef<int64_t> pool,
                        int64_t length, int64_t stride) {
  int64_t rows = shapeOf(x)[0];
  auto count = static_cast<int64_t>(pool.size()) / length;
  int64_t starts = shapeOf(x)[1] - stride * (length - 1);
  Value occurs;
  for (int64_t i = 0; i < length; ++i) {
    Ints elements;
    for (int64_t gram = 0; gram < count; ++gram)
      elements.push_back(pool[gram * length + i]);
    Value part =
        node.reshape(node.slice(x, {0, i * stride}, {1, 1}, {rows, starts}),
                     {rows, starts, 1});
    Value isEqual = equal(node, part, node.ints(elements));
    occurs = occurs ? node.eltwise(NPU_INSTR_logical_and, {occurs, isEqual})
                    : isEqual;
  }
  return node.reduce(node.cast(occurs, node.getBuilder().getF32Type()),
                     ReduceKind::Sum, 1, false);
}

/// The counts of all grams of the lengths that are asked for, over all skips,
/// and which grams these are.
static Value countAll(OnnxNode &node, Value x, const Grams &grams, Ints &used) {
  SmallVector<Value> counts;
  int64_t id = 0;
  for (int64_t length = 1; length < int64_t(grams.starts.size()); ++length) {
    int64_t begin = grams.starts[length - 1];
    ArrayRef<int64_t> pool =
        ArrayRef(grams.pool).slice(begin, grams.starts[length] - begin);
    auto count = static_cast<int64_t>(pool.size()) / length;
    id += count;
    if (count == 0 || length < grams.least || length > grams.most)
      continue;
    Value sum =
        node.filled(0, {shapeOf(x)[0], count}, node.getBuilder().getF32Type());
    int64_t strides = length == 1 ? 1 : grams.skips + 1;
    for (int64_t stride = 1; stride <= strides; ++stride)
      if (shapeOf(x)[1] > stride * (length - 1))
        sum = add(node, sum, countGrams(node, x, pool, length, stride));
    counts.push_back(sum);
    for (int64_t gram = id - count; gram < id; ++gram)
      used.push_back(gram);
  }
  if (counts.empty())
    return node.fail("has no grams of the lengths that are asked for");
  return node.concat(counts, 1);
}

LogicalResult npu::buildTfIdfVectorizer(OnnxNode &node) {
  std::string mode = node.getWord("mode", "", {"TF", "IDF", "TFIDF"});
  SmallVector<double> weights =
      node.getFloats("weights").value_or(SmallVector<double>());
  FailureOr<Grams> grams = readGrams(node);
  Value x = node.getInput(0);
  if (failed(grams) || node.hasFailed())
    return failure();
  if (rankOf(x) < 1 || rankOf(x) > 2)
    return node.error("found data of shape " + shapes::text(shapeOf(x)) +
                      ", expected one or two dimensions");
  bool isVector = rankOf(x) == 1;
  int64_t rows = isVector ? 1 : shapeOf(x)[0];
  x = node.cast(node.reshape(x, {rows, shapeOf(x).back()}),
                node.getBuilder().getI64Type());
  Ints used;
  Value counts = countAll(node, x, *grams, used);
  int64_t columns = *llvm::max_element(grams->places) + 1;
  auto inputs = static_cast<int64_t>(used.size());
  if (!weights.empty() && weights.size() != grams->places.size())
    return node.error("attribute 'weights' has " + Twine(weights.size()) +
                      " entries, expected " + Twine(grams->places.size()) +
                      ", one for each gram");
  bool isWeighted = mode != "TF" && !weights.empty();
  SmallVector<double> spread(inputs * columns, 0);
  for (auto [i, gram] : llvm::enumerate(used))
    spread[i * columns + grams->places[gram]] = isWeighted ? weights[gram] : 1;
  if (!counts)
    return failure();
  if (mode == "IDF") {
    Value occurs = node.eltwise(NPU_INSTR_greater,
                                {counts, node.scalar(0, elementOf(counts))});
    counts = node.cast(occurs, elementOf(counts));
  }
  Value result = node.matmul(counts, node.floats(spread, {inputs, columns}));
  return node.setResult(isVector ? node.reshape(result, columns) : result);
}
