// SPDX-License-Identifier: Apache-2.0
//
// Ops that move elements.
#include "compiler/Frontend/TOSA/TosaOps.h"

#include "compiler/Dialect/NPU/Constants.h"
#include "compiler/Dialect/NPU/ShapeInference.h"

using namespace npu;

LogicalResult npu::buildTosaIdentity(TosaNode &node) {
  return node.setResult(node.getInput(0));
}

LogicalResult npu::buildTosaConcat(TosaNode &node) {
  SmallVector<Value> inputs;
  for (size_t i = 0; i < node.getInputCount(); ++i)
    inputs.push_back(node.getInput(i));
  return node.setResult(node.concat(inputs, node.getAxis()));
}

/// The numbers of a shape operand, one for each dimension of the data.
static FailureOr<Ints> perDimension(TosaNode &node, size_t index,
                                    StringRef what, size_t count) {
  Ints numbers = node.getShape(index);
  if (numbers.size() != count)
    return node.error("found " + Twine(numbers.size()) + " numbers as the " +
                      what + ", expected " + Twine(count));
  return numbers;
}

LogicalResult npu::buildTosaReshape(TosaNode &node) {
  Value x = node.getInput(0);
  Ints shape = node.getShape(1);
  for (int64_t extent : shape)
    if (extent < -1 || extent == 0 || extent > INT32_MAX)
      return node.error("reshapes to " + shapes::text(shape) +
                        ", expected positive sizes");
  return node.setResult(node.reshapeOpen(x, shape));
}

LogicalResult npu::buildTosaTranspose(TosaNode &node) {
  Ints permutation;
  for (int32_t dim :
       node.attribute<mlir::DenseI32ArrayAttr>("perms").asArrayRef())
    permutation.push_back(dim);
  return node.setResult(node.transpose(node.getInput(0), permutation));
}

LogicalResult npu::buildTosaReverse(TosaNode &node) {
  Value x = node.getInput(0);
  int64_t axis = node.getAxis();
  Ints starts(rankOf(x), 0), steps(rankOf(x), 1);
  starts[axis] = shapeOf(x)[axis] - 1;
  steps[axis] = -1;
  return node.setResult(node.slice(x, starts, steps, shapeOf(x)));
}

LogicalResult npu::buildTosaSlice(TosaNode &node) {
  Value x = node.getInput(0);
  FailureOr<Ints> starts = perDimension(node, 1, "start", rankOf(x));
  FailureOr<Ints> sizes = perDimension(node, 2, "size", rankOf(x));
  if (failed(starts) || failed(sizes))
    return failure();
  for (int64_t i = 0; i < rankOf(x); ++i) {
    int64_t extent = shapeOf(x)[i];
    int64_t &size = (*sizes)[i];
    if (size == -1 && (*starts)[i] >= 0) // of a size that was open
      size = extent - (*starts)[i];
    if ((*starts)[i] < 0 || size < 1 || (*starts)[i] > extent ||
        size > extent - (*starts)[i])
      return node.error("slices " + Twine(size) + " elements from " +
                        Twine((*starts)[i]) + " on of dimension " + Twine(i) +
                        ", which has " + Twine(extent));
  }
  return node.setResult(node.slice(x, *starts, Ints(rankOf(x), 1), *sizes));
}

LogicalResult npu::buildTosaTile(TosaNode &node) {
  Value x = node.getInput(0);
  FailureOr<Ints> multiples = perDimension(node, 1, "multiples", rankOf(x));
  if (failed(multiples))
    return failure();
  for (auto [dim, times] : llvm::enumerate(*multiples)) {
    if (times < 1 || times > INT32_MAX)
      return node.error("found " + Twine(times) +
                        " repeats, expected 1 to 2^31");
    x = node.repeat(x, static_cast<int64_t>(dim), times);
  }
  return node.setResult(x);
}

/// A constant of one number, as npu.pad takes it.
static FailureOr<double> padNumber(TosaNode &node, Value value) {
  ElementsAttr known = constantOf(value);
  if (!known || known.getNumElements() != 1)
    return node.unsupported(
        "the value to pad with must be one constant number");
  if (std::optional<int64_t> number = constantInt(value))
    return double(*number);
  Value wide = node.cast(value, node.getBuilder().getF32Type());
  if (!wide)
    return failure();
  return double(floatsOf(wide)->front());
}

LogicalResult npu::buildTosaPad(TosaNode &node) {
  Value x = node.getInput(0);
  FailureOr<Ints> pairs = perDimension(node, 1, "padding", 2 * rankOf(x));
  if (failed(pairs))
    return failure();
  FailureOr<double> number = padNumber(node, node.getInput(2));
  if (failed(number))
    return failure();
  Ints pads(pairs->size());
  for (auto [i, amount] : llvm::enumerate(*pairs)) {
    if (amount < 0 || amount > INT32_MAX)
      return node.error("pads by " + Twine(amount) +
                        ", expected numbers that are not negative");
    pads[i / 2 + (i % 2 ? rankOf(x) : 0)] = amount;
  }
  return node.setResult(node.pad(x, pads, PadMode::Constant, *number));
}

/// (N, W) indices as npu.gather_nd takes them, with a last dimension.
static Value withLast(TosaNode &node, Value indices) {
  Ints shape(shapeOf(indices));
  shape.push_back(1);
  return node.reshape(indices, shape);
}

LogicalResult npu::buildTosaGather(TosaNode &node) {
  Value data = node.getInput(0), indices = node.getInput(1);
  if (shapeOf(indices)[0] != shapeOf(data)[0])
    return node.error("found values " + shapes::text(shapeOf(data)) +
                      " and indices " + shapes::text(shapeOf(indices)) +
                      ", expected the same batch");
  Ints shape{shapeOf(data)[0], shapeOf(indices)[1], shapeOf(data)[2]};
  Value last = withLast(node, indices);
  if (!last)
    return failure();
  return node.setResult(
      node.create<GatherNdOp>(shape, elementOf(data), data, last,
                              node.getBuilder().getI64IntegerAttr(1)));
}

LogicalResult npu::buildTosaScatter(TosaNode &node) {
  Value data = node.getInput(0), indices = node.getInput(1);
  Value updates = node.getInput(2);
  int64_t batch = shapeOf(data)[0], count = shapeOf(indices)[1];
  if (shapeOf(indices)[0] != batch || elementOf(updates) != elementOf(data) ||
      shapeOf(updates) != ArrayRef<int64_t>{batch, count, shapeOf(data)[2]})
    return node.error("found values " + shapes::text(shapeOf(data)) +
                      ", indices " + shapes::text(shapeOf(indices)) +
                      " and input " + shapes::text(shapeOf(updates)) +
                      ", expected (N, K, C), (N, W) and (N, W, C)");
  // npu.scatter_nd wants the batch as an index, too.
  Value batches =
      node.cast(node.reshape(node.ints(countFrom(0, batch)), {batch, 1, 1}),
                elementOf(indices));
  Value places = node.concat(
      {node.broadcast(batches, {batch, count, 1}), withLast(node, indices)}, 2);
  if (!places)
    return failure();
  return node.setResult(node.create<ScatterNdOp>(
      shapeOf(data), elementOf(data), data, places, updates,
      ScatterReductionAttr::get(node.getBuilder().getContext(),
                                ScatterReduction::None)));
}
