// SPDX-License-Identifier: Apache-2.0
#include "compiler/Frontend/ONNX/OnnxHeads.h"

#include "compiler/Dialect/NPU/ShapeInference.h"
#include "compiler/Frontend/ONNX/OnnxArithmetic.h"

using namespace npu;

Value npu::separateHeads(OnnxNode &node, Value x, int64_t heads) {
  if (!x)
    return x;
  ArrayRef<int64_t> shape = shapeOf(x);
  if (heads < 1 || shape[2] % heads != 0)
    return node.fail("found data of shape " + shapes::text(shape) +
                     ", expected a last dimension that " + Twine(heads) +
                     " heads divide");
  return node.reshape(x, {shape[0], shape[1], heads, shape[2] / heads});
}

Value npu::splitHeads(OnnxNode &node, Value x, int64_t heads) {
  return node.transpose(separateHeads(node, x, heads), {0, 2, 1, 3});
}

Value npu::joinHeads(OnnxNode &node, Value x) {
  if (!x)
    return x;
  ArrayRef<int64_t> shape = shapeOf(x);
  return node.reshape(node.transpose(x, {0, 2, 1, 3}),
                      {shape[0], shape[2], shape[1] * shape[3]});
}

Value npu::repeatHeads(OnnxNode &node, Value x, int64_t count) {
  Ints shape(shapeOf(x));
  if (shape[1] == count)
    return x;
  Ints split{shape[0], shape[1], 1, shape[2], shape[3]}, wide = split;
  wide[2] = count / shape[1];
  return node.reshape(node.broadcast(node.reshape(x, split), wide),
                      {shape[0], count, shape[2], shape[3]});
}

Value npu::transposeKeys(OnnxNode &node, Value keys) {
  return node.transpose(keys, {0, 1, 3, 2});
}

Value npu::rowsAt(OnnxNode &node, Value table, Value indices) {
  if (!table || !indices)
    return Value();
  if (rankOf(table) != 2)
    return node.fail("found a table of shape " + shapes::text(shapeOf(table)) +
                     ", expected two dimensions");
  Ints shape(shapeOf(indices));
  shape.push_back(shapeOf(table)[1]);
  return node.create<GatherOp>(shape, elementOf(table), table, indices,
                               node.getBuilder().getI64IntegerAttr(0));
}

/// The last dimension, (x, y) behind each other or in turns, as (-y, x).
static Value quarterTurn(OnnxNode &node, Value x, bool isInterleaved) {
  const Ints shape(shapeOf(x));
  const int64_t half = shape[3] / 2;
  auto part = [&](int64_t start) {
    return node.slice(x, {0, 0, 0, start}, {1, 1, 1, isInterleaved ? 2 : 1},
                      {shape[0], shape[1], shape[2], half});
  };
  Value first = part(0),
        second = node.eltwise(NPU_INSTR_neg, part(isInterleaved ? 1 : half));
  if (!isInterleaved)
    return node.concat({second, first}, 3);
  const Ints pairs{shape[0], shape[1], shape[2], half, 1};
  return node.reshape(
      node.concat({node.reshape(second, pairs), node.reshape(first, pairs)}, 4),
      shape);
}

/// Each number of the last dimension for both of a pair.
static Value forPairs(OnnxNode &node, Value x, bool isInterleaved) {
  if (!isInterleaved)
    return node.concat({x, x}, 3);
  Ints shape(shapeOf(x)), apart(shape);
  apart.push_back(1);
  shape.back() *= 2;
  Value each = node.reshape(x, apart);
  return node.reshape(node.concat({each, each}, 4), shape);
}

Value npu::turnedBy(OnnxNode &node, Value x, const Angles &angles) {
  if (!x || !angles.cosines || !angles.sines)
    return Value();
  Ints shape(shapeOf(x));
  const int64_t size = shape[3], turning = 2 * shapeOf(angles.cosines)[3];
  auto part = [&](int64_t start, int64_t count) {
    Ints extents(shape);
    extents[3] = count;
    return node.slice(x, {0, 0, 0, start}, {1, 1, 1, 1}, extents);
  };
  Value pairs = turning == size ? x : part(0, turning);
  const bool isInterleaved = angles.isInterleaved;
  Value result =
      add(node,
          multiply(node, pairs, forPairs(node, angles.cosines, isInterleaved)),
          multiply(node, quarterTurn(node, pairs, isInterleaved),
                   forPairs(node, angles.sines, isInterleaved)));
  return turning == size
             ? result
             : node.concat({result, part(turning, size - turning)}, 3);
}
