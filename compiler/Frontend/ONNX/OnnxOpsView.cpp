// SPDX-License-Identifier: Apache-2.0
//
// Ops that keep the elements: new shapes, permutations, nothing at all.
#include "compiler/Frontend/ONNX/OnnxOps.h"

#include "compiler/Dialect/NPU/ShapeInference.h"

using namespace npu;

/// 0 copies the input's extent, -1 takes what is left.
static FailureOr<Ints> resolveShape(OnnxNode &node, ArrayRef<int64_t> wanted,
                                    bool allowsZero) {
  ArrayRef<int64_t> input = shapeOf(node.getInput(0));
  Ints shape(wanted);
  int open = -1;
  int64_t known = 1;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 0 && !allowsZero) {
      if (i >= input.size())
        return node.error(
            "shape " + shapes::text(wanted) + " copies dimension " + Twine(i) +
            ", which the input " + shapes::text(input) + " does not have");
      shape[i] = input[i];
    }
    if (shape[i] < -1 || (shape[i] == -1 && open >= 0))
      return node.error("found the shape " + shapes::text(wanted) +
                        ", expected extents and at most one -1");
    if (shape[i] == -1)
      open = static_cast<int>(i);
    else if (llvm::MulOverflow(known, shape[i], known))
      return node.error("shape " + shapes::text(wanted) + " overflows");
  }
  int64_t count = tensorType(node.getInput(0)).getNumElements();
  if (open >= 0 && (known == 0 || count % known != 0))
    return node.error("cannot reshape " + shapes::text(input) + " to " +
                      shapes::text(wanted) +
                      ": the number of elements does not divide");
  if (open >= 0)
    shape[open] = count / known;
  return shape;
}

LogicalResult npu::buildReshape(OnnxNode &node) {
  node.ignore({"consumed_inputs"});
  bool allowsZero = node.getFlag("allowzero", false);
  FailureOr<std::optional<Ints>> wanted = node.intsOf("shape", 1, 5);
  if (failed(wanted))
    return failure();
  if (!*wanted) // opset 1 does not require it
    return node.error("has no shape, expected attribute 'shape'");
  if (node.version >= 5 && rankOf(node.getInput(1)) != 1)
    return node.error("found a shape of rank " +
                      Twine(rankOf(node.getInput(1))) + ", expected a vector");
  FailureOr<Ints> shape = resolveShape(node, **wanted, allowsZero);
  if (failed(shape))
    return failure();
  return node.setResult(node.reshape(node.getInput(0), *shape));
}

LogicalResult npu::buildFlatten(OnnxNode &node) {
  Value x = node.getInput(0);
  int64_t axis = node.getInt("axis", 1);
  if (axis < -rankOf(x) || axis > rankOf(x))
    return node.error("attribute 'axis' is " + Twine(axis) + ", expected " +
                      Twine(-rankOf(x)) + " to " + Twine(rankOf(x)));
  axis += axis < 0 ? rankOf(x) : 0;
  Ints shape{1, 1};
  for (auto [i, extent] : llvm::enumerate(shapeOf(x)))
    shape[int64_t(i) >= axis] *= extent;
  return node.setResult(node.reshape(x, shape));
}

LogicalResult npu::buildSqueeze(OnnxNode &node) {
  Value x = node.getInput(0);
  FailureOr<std::optional<Ints>> axes = node.intsOf("axes", 1, 13);
  if (failed(axes))
    return failure();
  FailureOr<Ints> squeezed =
      node.normalizeAxes(axes->value_or(Ints()), rankOf(x));
  if (failed(squeezed))
    return failure();
  Ints shape;
  for (auto [i, extent] : llvm::enumerate(shapeOf(x))) {
    bool isNamed = llvm::is_contained(*squeezed, int64_t(i));
    if (isNamed && extent != 1)
      return node.error("cannot squeeze dimension " + Twine(i) + " of " +
                        shapes::text(shapeOf(x)) + ", expected extent 1");
    if (*axes ? !isNamed : extent != 1)
      shape.push_back(extent);
  }
  return node.setResult(node.reshape(x, shape));
}

LogicalResult npu::buildUnsqueeze(OnnxNode &node) {
  Value x = node.getInput(0);
  FailureOr<std::optional<Ints>> axes = node.intsOf("axes", 1, 13);
  if (failed(axes))
    return failure();
  int64_t rank = rankOf(x) + static_cast<int64_t>((*axes)->size());
  FailureOr<Ints> added = node.normalizeAxes(**axes, rank);
  if (failed(added))
    return failure();
  Ints shape;
  ArrayRef<int64_t> left = shapeOf(x);
  for (int64_t i = 0; i < rank; ++i) {
    if (llvm::is_contained(*added, i)) {
      shape.push_back(1);
      continue;
    }
    shape.push_back(left.front());
    left = left.drop_front();
  }
  return node.setResult(node.reshape(x, shape));
}

LogicalResult npu::buildTranspose(OnnxNode &node) {
  Value x = node.getInput(0);
  Ints reversed = countFrom(0, rankOf(x));
  std::reverse(reversed.begin(), reversed.end());
  return node.setResult(
      node.transpose(x, node.getInts("perm").value_or(reversed)));
}

/// Depth <-> space: split into six dimensions, permute, merge.
static LogicalResult rearrange(OnnxNode &node, ArrayRef<int64_t> split,
                               ArrayRef<int64_t> permutation,
                               ArrayRef<int64_t> merged) {
  Value x = node.reshape(node.getInput(0), split);
  return node.setResult(node.reshape(node.transpose(x, permutation), merged));
}

static FailureOr<int64_t> readBlock(OnnxNode &node) {
  int64_t block = node.getInt("blocksize", 0, 1, INT32_MAX);
  if (rankOf(node.getInput(0)) != 4)
    return node.error("found data of shape " +
                      shapes::text(shapeOf(node.getInput(0))) +
                      ", expected N, C, H and W");
  if (node.hasFailed())
    return failure();
  return block;
}

LogicalResult npu::buildDepthToSpace(OnnxNode &node) {
  FailureOr<int64_t> block = readBlock(node);
  bool isCrd = node.getWord("mode", "DCR", {"DCR", "CRD"}) == "CRD";
  if (failed(block))
    return failure();
  int64_t b = *block;
  ArrayRef<int64_t> x = shapeOf(node.getInput(0));
  int64_t depth = x[1] / (b * b);
  if (depth * b * b != x[1])
    return node.error("found " + Twine(x[1]) +
                      " channels, expected a multiple of the squared block, " +
                      Twine(b * b));
  Ints merged{x[0], depth, x[2] * b, x[3] * b};
  if (isCrd)
    return rearrange(node, {x[0], depth, b, b, x[2], x[3]}, {0, 1, 4, 2, 5, 3},
                     merged);
  return rearrange(node, {x[0], b, b, depth, x[2], x[3]}, {0, 3, 4, 1, 5, 2},
                   merged);
}

LogicalResult npu::buildSpaceToDepth(OnnxNode &node) {
  FailureOr<int64_t> block = readBlock(node);
  bool isCrd = node.getWord("mode", "DCR", {"DCR", "CRD"}) == "CRD";
  if (failed(block))
    return failure();
  int64_t b = *block;
  ArrayRef<int64_t> x = shapeOf(node.getInput(0));
  if (x[2] % b != 0 || x[3] % b != 0)
    return node.error("found " + Twine(x[2]) + "x" + Twine(x[3]) +
                      " pixels, expected multiples of the block, " + Twine(b));
  Ints split{x[0], x[1], x[2] / b, b, x[3] / b, b};
  Ints merged{x[0], x[1] * b * b, x[2] / b, x[3] / b};
  if (isCrd)
    return rearrange(node, split, {0, 1, 3, 5, 2, 4}, merged);
  return rearrange(node, split, {0, 3, 5, 1, 2, 4}, merged);
}

LogicalResult npu::buildIdentity(OnnxNode &node) {
  node.ignore({"consumed_inputs"});
  return node.setResult(node.getInput(0));
}

LogicalResult npu::buildDropout(OnnxNode &node) {
  node.ignore({"consumed_inputs", "is_test", "ratio", "seed"});
  if (node.version >= 12 && node.hasInput(2)) {
    FailureOr<Ints> trains = node.constantInts(2, "the training mode");
    if (failed(trains))
      return failure();
    if (llvm::is_contained(*trains, 1))
      return node.unsupported(
          "runs in training mode, expected an inference model; "
          "export it with training=False");
  }
  Value x = node.getInput(0);
  // The mask was a number before it was a truth value.
  Type mask = node.version < 10 ? elementOf(x) : node.getBuilder().getI1Type();
  // And it was 0 where nothing is dropped, as onnxruntime has it.
  double kept = node.version < 12 ? 0 : 1;
  if (node.hasOutput(1) &&
      failed(node.setResult(1, node.filled(kept, shapeOf(x), mask))))
    return failure();
  return node.setResult(x);
}
