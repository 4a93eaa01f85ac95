// SPDX-License-Identifier: Apache-2.0
//
// Operators that give the same elements another shape or order.
#include "compiler/Frontend/TFLite/TfliteOps.h"

#include "compiler/Dialect/NPU/ShapeInference.h"

using namespace npu;

// --- Other dimensions --------------------------------------------------------

/// The shape is an operand, or an option of old files; -1 takes what is left.
LogicalResult npu::buildTfliteReshape(TfliteNode &node) {
  Value x = node.input(0);
  Ints shape;
  const auto *options = node.op.options<tflite::ReshapeOptions>();
  if (node.optionalInput(1)) {
    FailureOr<Ints> numbers = node.numbers(1, "a shape");
    if (failed(numbers))
      return failure();
    shape = *numbers;
  } else if (options && options->new_shape()) {
    shape.append(options->new_shape()->begin(), options->new_shape()->end());
  }
  for (int64_t extent : shape)
    if (extent < -1)
      return node.error("reshapes to " + shapes::text(shape) +
                        ", expected sizes from 0 on");
  return node.setResult(node.reshapeOpen(x, shape));
}

LogicalResult npu::buildTfliteExpandDims(TfliteNode &node) {
  Value x = node.input(0);
  FailureOr<int64_t> given = node.number(1, "a dimension");
  if (failed(given))
    return failure();
  FailureOr<int64_t> axis = node.dimension(*given, rankOf(x) + 1);
  if (failed(axis))
    return failure();
  Ints shape(shapeOf(x));
  shape.insert(shape.begin() + *axis, 1);
  return node.setResult(node.reshape(x, shape));
}

/// Without the dimensions of the options; without all of one element if these
/// name none.
LogicalResult npu::buildTfliteSqueeze(TfliteNode &node) {
  Value x = node.input(0);
  const auto *options = node.op.options<tflite::SqueezeOptions>();
  Ints shape(shapeOf(x));
  if (!options || !options->squeeze_dims() ||
      options->squeeze_dims()->size() == 0) {
    llvm::erase(shape, 1);
    return node.setResult(node.reshape(x, shape));
  }
  for (int32_t given : *options->squeeze_dims()) {
    FailureOr<int64_t> axis = node.dimension(given, rankOf(x));
    if (failed(axis))
      return failure();
    if (shapeOf(x)[*axis] != 1)
      return node.error("takes dimension " + Twine(*axis) + " out of " +
                        shapes::text(shapeOf(x)) + ", expected one of size 1");
    shape[*axis] = -1;
  }
  llvm::erase(shape, -1);
  return node.setResult(node.reshape(x, shape));
}

// --- Another order -----------------------------------------------------------

LogicalResult npu::buildTfliteTranspose(TfliteNode &node) {
  Value x = node.input(0);
  FailureOr<Ints> given = node.numbers(1, "a permutation");
  if (failed(given))
    return failure();
  Ints permutation;
  for (int64_t number : *given) {
    FailureOr<int64_t> axis = node.dimension(number, rankOf(x));
    if (failed(axis))
      return failure();
    permutation.push_back(*axis);
  }
  return node.setResult(node.transpose(x, permutation));
}

LogicalResult npu::buildTfliteReverse(TfliteNode &node) {
  Value x = node.input(0);
  FailureOr<Ints> axes = node.dimensions(1, rankOf(x));
  if (failed(axes))
    return failure();
  Ints starts(rankOf(x), 0), steps(rankOf(x), 1);
  for (int64_t axis : *axes) {
    starts[axis] = shapeOf(x)[axis] - 1;
    steps[axis] = -1;
  }
  return node.setResult(node.slice(x, starts, steps, shapeOf(x)));
}

/// An image, and the side of a block.
static LogicalResult checkBlock(TfliteNode &node, int64_t block) {
  Value x = node.input(0);
  if (rankOf(x) == 4 && block >= 1 && block <= 1 << 15)
    return success();
  return node.error("found data of shape " + shapes::text(shapeOf(x)) +
                    " and blocks of " + Twine(block) +
                    ", expected an image and 1 to 2^15");
}

LogicalResult npu::buildTfliteSpaceToDepth(TfliteNode &node) {
  Value x = node.input(0);
  const auto *options = node.op.options<tflite::SpaceToDepthOptions>();
  int64_t block = options ? options->block_size() : 0;
  if (failed(checkBlock(node, block)))
    return failure();
  ArrayRef<int64_t> shape = shapeOf(x);
  int64_t rows = shape[1] / block, columns = shape[2] / block;
  if (rows * block != shape[1] || columns * block != shape[2])
    return node.error("found data of shape " + shapes::text(shape) +
                      ", expected whole blocks of " + Twine(block));
  x = node.reshape(x, {shape[0], rows, block, columns, block, shape[3]});
  return node.setResult(
      node.reshape(node.transpose(x, {0, 1, 3, 2, 4, 5}),
                   {shape[0], rows, columns, block * block * shape[3]}));
}

LogicalResult npu::buildTfliteDepthToSpace(TfliteNode &node) {
  Value x = node.input(0);
  const auto *options = node.op.options<tflite::DepthToSpaceOptions>();
  int64_t block = options ? options->block_size() : 0;
  if (failed(checkBlock(node, block)))
    return failure();
  ArrayRef<int64_t> shape = shapeOf(x);
  int64_t depth = shape[3] / (block * block);
  if (depth * block * block != shape[3])
    return node.error("found data of shape " + shapes::text(shape) +
                      ", expected channels for blocks of " + Twine(block));
  x = node.reshape(x, {shape[0], shape[1], shape[2], block, block, depth});
  return node.setResult(
      node.reshape(node.transpose(x, {0, 1, 3, 2, 4, 5}),
                   {shape[0], shape[1] * block, shape[2] * block, depth}));
}

namespace {
/// Blocks of the dimensions between the batch and the rest, and what is added
/// to or taken from each of them.
struct Blocks {
  Ints sides, before, behind;
  int64_t count = 1; // places of a block
};
} // namespace

static FailureOr<Blocks> readBlocks(TfliteNode &node) {
  FailureOr<Ints> sides = node.numbers(1, "blocks"),
                  borders = node.numbers(2, "borders");
  if (failed(sides) || failed(borders))
    return failure();
  int64_t rank = rankOf(node.input(0));
  auto spatial = static_cast<int64_t>(sides->size());
  if (spatial + 1 > rank || rank + spatial > NPU_MAX_RANK ||
      borders->size() != 2 * sides->size())
    return node.error("found " + Twine(spatial) + " blocks and " +
                      Twine(borders->size()) + " borders for data of rank " +
                      Twine(rank) + ", expected two borders for each");
  Blocks blocks{*sides, {}, {}};
  for (int64_t side : *sides) {
    if (side < 1 || side > INT16_MAX)
      return node.error("has a block of " + Twine(side) +
                        ", expected 1 to 32767");
    blocks.count = std::min(blocks.count * side, int64_t(1) << 40);
  }
  for (auto [i, border] : llvm::enumerate(*borders)) {
    if (border < 0 || border > INT32_MAX)
      return node.error("has the border " + Twine(border) +
                        ", expected 0 to 2^31");
    (i % 2 ? blocks.behind : blocks.before).push_back(border);
  }
  return blocks;
}

/// Elements of the border are 0 as a number.
LogicalResult npu::buildTfliteSpaceToBatch(TfliteNode &node) {
  Value x = node.input(0);
  FailureOr<Blocks> blocks = readBlocks(node);
  if (failed(blocks))
    return failure();
  auto spatial = static_cast<int64_t>(blocks->sides.size());
  int64_t rank = rankOf(x);
  Ints pads(2 * rank, 0);
  for (int64_t i = 0; i < spatial; ++i) {
    pads[1 + i] = blocks->before[i];
    pads[rank + 1 + i] = blocks->behind[i];
  }
  x = node.pad(x, pads, PadMode::Constant, tflitePadding(node));
  if (!x)
    return failure();
  Ints apart{shapeOf(x)[0]}, order, result{shapeOf(x)[0] * blocks->count};
  for (int64_t i = 0; i < spatial; ++i) {
    int64_t extent = shapeOf(x)[1 + i], side = blocks->sides[i];
    if (extent % side != 0)
      return node.error("has " + Twine(extent) + " elements in dimension " +
                        Twine(1 + i) + ", expected whole blocks of " +
                        Twine(side));
    apart.append({extent / side, side});
    order.push_back(2 * i + 2);
    result.push_back(extent / side);
  }
  order.push_back(0);
  for (int64_t i = 0; i < spatial; ++i)
    order.push_back(2 * i + 1);
  order.append(countFrom(2 * spatial + 1, rank + spatial));
  for (int64_t extent : shapeOf(x).drop_front(spatial + 1)) {
    apart.push_back(extent);
    result.push_back(extent);
  }
  x = node.transpose(node.reshape(x, apart), order);
  return node.setResult(node.reshape(x, result));
}

LogicalResult npu::buildTfliteBatchToSpace(TfliteNode &node) {
  Value x = node.input(0);
  FailureOr<Blocks> blocks = readBlocks(node);
  if (failed(blocks))
    return failure();
  auto spatial = static_cast<int64_t>(blocks->sides.size());
  int64_t rank = rankOf(x), batch = shapeOf(x)[0] / blocks->count;
  if (batch * blocks->count != shapeOf(x)[0])
    return node.error("has the batch " + Twine(shapeOf(x)[0]) +
                      ", expected whole blocks of " + Twine(blocks->count));
  Ints apart(blocks->sides), order{spatial}, whole{batch}, starts(rank, 0);
  apart.push_back(batch);
  apart.append(shapeOf(x).begin() + 1, shapeOf(x).end());
  for (int64_t i = 0; i < spatial; ++i) {
    order.append({spatial + 1 + i, i});
    whole.push_back(shapeOf(x)[1 + i] * blocks->sides[i]);
    starts[1 + i] = blocks->before[i];
  }
  order.append(countFrom(2 * spatial + 1, rank + spatial));
  whole.append(shapeOf(x).begin() + 1 + spatial, shapeOf(x).end());
  x = node.reshape(node.transpose(node.reshape(x, apart), order), whole);
  for (int64_t i = 0; i < spatial; ++i) {
    whole[1 + i] -= blocks->before[i] + blocks->behind[i];
    if (whole[1 + i] < 0)
      return node.error("crops more than dimension " + Twine(1 + i) + " has");
  }
  return node.setResult(node.slice(x, starts, Ints(rank, 1), whole));
}
