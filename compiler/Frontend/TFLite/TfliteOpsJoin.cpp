// SPDX-License-Identifier: Apache-2.0
//
// Operators that put tensors together, repeat them or add a border.
#include "compiler/Frontend/TFLite/TfliteOps.h"

#include "compiler/Dialect/NPU/ShapeInference.h"

#include <cmath>

using namespace npu;

// --- Concatenations ----------------------------------------------------------

/// A byte in the result's scale, as LiteRT computes it in floats.
static Value rescaledBytes(TfliteNode &node, Value x, const TfliteScale &from,
                           const TfliteScale &to) {
  // Zero points as the file has them: those of u8 are no negative numbers.
  int64_t offset = node.op.outputType(0) == tflite::TensorType::UINT8 ? 128 : 0;
  float scale = float(from.scale()) * (1.0F / float(to.scale()));
  float bias = float(-(from.zeroPoint() + offset)) * scale;
  return tfliteByteFunction(node, x, [&](int32_t byte) {
    float product = float(byte + offset) * scale; // rounded before it is added
    return std::round(double(product + bias)) + double(to.zeroPoint());
  });
}

/// Operand `index` in the result's scale.
static FailureOr<Value> inResultScale(TfliteNode &node, size_t index) {
  Value x = node.input(index);
  if (!x)
    return failure();
  if (!node.isQuantized(index))
    return x;
  FailureOr<TfliteScale> from = node.inputScale(index), to = node.resultScale();
  if (failed(from) || failed(to))
    return failure();
  if (*from == *to)
    return x;
  if (!isByte(elementOf(x)))
    return node.unsupported("joins i16 of several scales, expected one");
  return rescaledBytes(node, x, *from, *to);
}

LogicalResult npu::buildTfliteConcat(TfliteNode &node) {
  const auto *options = node.op.options<tflite::ConcatenationOptions>();
  if (tfliteActivation(node.op) != tflite::Activation::NONE)
    return node.unsupported("has a fused activation, which LiteRT has not");
  FailureOr<int64_t> axis =
      node.dimension(options ? options->axis() : 0, rankOf(node.input(0)));
  if (failed(axis))
    return failure();
  SmallVector<Value> parts;
  for (size_t i = 0; i < node.inputCount(); ++i) {
    FailureOr<Value> part = inResultScale(node, i);
    if (failed(part))
      return failure();
    parts.push_back(*part);
  }
  return node.setResult(node.concat(parts, *axis));
}

LogicalResult npu::buildTflitePack(TfliteNode &node) {
  const auto *options = node.op.options<tflite::PackOptions>();
  int64_t rank = rankOf(node.input(0)) + 1;
  FailureOr<int64_t> axis = node.dimension(options ? options->axis() : 0, rank);
  if (failed(axis))
    return failure();
  SmallVector<Value> parts;
  for (size_t i = 0; i < node.inputCount(); ++i) {
    Value part = node.input(i);
    if (!part || shapeOf(part) != shapeOf(node.input(0)))
      return node.error("packs tensors of several shapes, expected one");
    Ints shape(shapeOf(part));
    shape.insert(shape.begin() + *axis, 1);
    parts.push_back(node.reshape(part, shape));
  }
  return node.setResult(node.concat(parts, *axis));
}

// --- Repetitions -------------------------------------------------------------

LogicalResult npu::buildTfliteTile(TfliteNode &node) {
  Value x = node.input(0);
  FailureOr<Ints> multiples = node.numbers(1, "multiples");
  if (failed(multiples))
    return failure();
  if (static_cast<int64_t>(multiples->size()) != rankOf(x))
    return node.error("found " + Twine(multiples->size()) +
                      " multiples for data of shape " +
                      shapes::text(shapeOf(x)));
  for (auto [dim, times] : llvm::enumerate(*multiples)) {
    if (times < 0 || times > INT32_MAX)
      return node.error("found " + Twine(times) +
                        " repeats, expected 0 to 2^31");
    x = node.repeat(x, static_cast<int64_t>(dim), times);
  }
  return node.setResult(x);
}

LogicalResult npu::buildTfliteBroadcastTo(TfliteNode &node) {
  FailureOr<Ints> shape = node.numbers(1, "a shape");
  if (failed(shape))
    return failure();
  return node.setResult(node.broadcast(node.input(0), *shape));
}

/// One number everywhere.
LogicalResult npu::buildTfliteFill(TfliteNode &node) {
  Value number = node.input(1);
  FailureOr<Ints> shape = node.numbers(0, "a shape");
  if (!number || failed(shape))
    return failure();
  if (tensorType(number).getNumElements() != 1)
    return node.error("fills with " + shapes::text(shapeOf(number)) +
                      ", expected one number");
  return node.setResult(node.broadcast(node.reshape(number, {}), *shape));
}

// --- Borders -----------------------------------------------------------------

double npu::tflitePadding(TfliteNode &node) {
  const tflite::Tensor *tensor = node.op.input(0);
  std::optional<TfliteScale> scale;
  if (tensor)
    scale = tfliteScale(*tensor);
  return scale ? double(scale->zeroPoint()) : 0;
}

/// What is added before and behind each dimension, as npu.pad takes it.
static FailureOr<Ints> readPads(TfliteNode &node) {
  int64_t rank = rankOf(node.input(0));
  FailureOr<Ints> pairs = node.numbers(1, "paddings");
  if (failed(pairs))
    return failure();
  if (static_cast<int64_t>(pairs->size()) != 2 * rank)
    return node.error("found " + Twine(pairs->size()) +
                      " paddings, expected two for each of " + Twine(rank) +
                      " dimensions");
  Ints pads(pairs->size());
  for (auto [i, amount] : llvm::enumerate(*pairs)) {
    if (amount < 0 || amount > INT32_MAX)
      return node.error("pads by " + Twine(amount) + ", expected 0 to 2^31");
    pads[i / 2 + (i % 2 ? rank : 0)] = amount;
  }
  return pads;
}

/// PAD and PADV2.
LogicalResult npu::buildTflitePad(TfliteNode &node) {
  FailureOr<Ints> pads = readPads(node);
  FailureOr<double> number = tflitePadding(node);
  if (node.optionalInput(2))
    number = node.anyNumber(2, "a number to pad with");
  if (failed(pads) || failed(number))
    return failure();
  return node.setResult(
      node.pad(node.input(0), *pads, PadMode::Constant, *number));
}

/// The elements next to each border, once more beyond it, in reverse; those of
/// the border itself only in mode 1, SYMMETRIC.
LogicalResult npu::buildTfliteMirrorPad(TfliteNode &node) {
  Value x = node.input(0);
  FailureOr<Ints> pads = readPads(node);
  if (failed(pads))
    return failure();
  const auto *options = node.op.options<tflite::MirrorPadOptions>();
  bool isSymmetric = options && options->mode() == 1;
  int64_t rank = rankOf(x), gap = isSymmetric ? 0 : 1;
  for (int64_t dim = 0; dim < rank; ++dim) {
    int64_t extent = shapeOf(x)[dim], before = (*pads)[dim],
            behind = (*pads)[rank + dim];
    if (std::max(before, behind) > extent - gap)
      return node.error("mirrors " + Twine(std::max(before, behind)) +
                        " elements of dimension " + Twine(dim) +
                        ", expected at most " + Twine(extent - gap));
  }
  if (!isSymmetric)
    return node.setResult(node.pad(x, *pads, PadMode::Reflect, 0));
  for (int64_t dim = 0; dim < rank; ++dim) {
    int64_t extent = shapeOf(x)[dim];
    auto mirrored = [&](int64_t start, int64_t count) {
      Ints starts(rank, 0), steps(rank, 1), extents(shapeOf(x));
      starts[dim] = start;
      steps[dim] = -1;
      extents[dim] = count;
      return node.slice(x, starts, steps, extents);
    };
    SmallVector<Value> parts;
    if (int64_t before = (*pads)[dim])
      parts.push_back(mirrored(before - 1, before));
    parts.push_back(x);
    if (int64_t behind = (*pads)[rank + dim])
      parts.push_back(mirrored(extent - 1, behind));
    x = node.concat(parts, dim);
    if (!x)
      return failure();
  }
  return node.setResult(x);
}
