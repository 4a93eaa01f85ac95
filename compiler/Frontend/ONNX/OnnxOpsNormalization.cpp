// SPDX-License-Identifier: Apache-2.0
//
// Normalizations: npu.tensornorm, or reductions and scalar functions.
#include "compiler/Frontend/ONNX/OnnxOps.h"

#include "compiler/Dialect/NPU/ShapeInference.h"
#include "compiler/Frontend/ONNX/OnnxArithmetic.h"

using namespace npu;

/// A vector of channels as (C, 1, ...), so that it broadcasts over N, C,
/// spatial.
static Value perChannel(OnnxNode &node, Value vector, Value data) {
  if (!vector)
    return vector;
  // Data of one dimension have one channel.
  int64_t channels = rankOf(data) > 1 ? shapeOf(data)[1] : 1;
  if (rankOf(vector) != 1 || shapeOf(vector)[0] != channels)
    return node.fail("found a parameter of shape " +
                     shapes::text(shapeOf(vector)) + ", expected " +
                     Twine(channels) + ", the number of channels");
  Ints shape(std::max<int64_t>(rankOf(data) - 1, 1), 1);
  shape[0] = channels;
  return node.reshape(vector, shape);
}

/// Old forms whose other setting means training, or statistics per element.
static LogicalResult checkBatchNorm(OnnxNode &node, bool isTraining) {
  node.ignore({"consumed_inputs", "is_test", "momentum"});
  if (node.getInt("spatial", 1) == 0)
    return node.unsupported(
        "attribute 'spatial' is 0, expected 1: statistics for "
        "each channel");
  if (node.version < 14 && node.hasOutput(1))
    return node.unsupported(
        "runs in training mode, expected an inference model; "
        "export it with training=False");
  if (isTraining != node.hasOutput(1) || isTraining != node.hasOutput(2))
    return node.error(isTraining ? "lacks the mean or the variance, expected "
                                   "three results in training mode"
                                 : "gives the mean or the variance, expected "
                                   "one result outside of training mode");
  if (rankOf(node.getInput(0)) < 1)
    return node.error("found a scalar, expected N, C and more");
  return success();
}

/// x - mean over `axes`.
static Value centered(OnnxNode &node, Value x, ArrayRef<int64_t> axes) {
  return subtract(node, x, node.reduce(x, ReduceKind::Mean, axes, true));
}

/// 1 / sqrt(mean(x * x) + eps) over `axes`.
static Value inverseDeviation(OnnxNode &node, Value x, ArrayRef<int64_t> axes,
                              double epsilon) {
  Value squares = multiply(node, x, x);
  return node.eltwise(
      NPU_INSTR_rsqrt,
      plus(node, node.reduce(squares, ReduceKind::Mean, axes, true), epsilon));
}

/// (x - mean) / deviation * scale + bias in one kernel; bias may be null.
static Value tensornorm(OnnxNode &node, Value x, Value scale, Value bias,
                        ArrayRef<int64_t> axes, double epsilon,
                        int64_t groups = 1, bool isCentered = true) {
  if (!x || !scale || node.hasFailed())
    return Value();
  OpBuilder &builder = node.getBuilder();
  return node.create<TensornormOp>(
      shapeOf(x), elementOf(x), x, scale, bias, node.intArray(axes),
      builder.getF64FloatAttr(epsilon), builder.getI64IntegerAttr(groups),
      builder.getBoolAttr(isCentered));
}

/// The parameter and what it is in this batch, by momentum.
static LogicalResult setRunning(OnnxNode &node, size_t place, Value current,
                                double momentum) {
  Value before = node.getInput(place + 2);
  current =
      node.cast(node.reshape(current, shapeOf(before)), elementOf(before));
  return node.setResult(place, add(node, times(node, before, momentum),
                                   times(node, current, 1 - momentum)));
}

/// Of the data's own mean and variance, for each channel: what networks that
/// standardize their weights do to these.
static LogicalResult normalizeBatch(OnnxNode &node, Value x, Value scale,
                                    Value bias, double epsilon) {
  double momentum = node.getFloat("momentum", 0.9);
  Ints axes = countFrom(0, rankOf(x));
  if (rankOf(x) > 1)
    axes.erase(axes.begin() + 1);
  if (failed(
          node.setResult(0, tensornorm(node, x, scale, bias, axes, epsilon))))
    return failure();
  Value mean = node.reduce(x, ReduceKind::Mean, axes, true);
  Value away = subtract(node, x, mean);
  Value variance =
      node.reduce(multiply(node, away, away), ReduceKind::Mean, axes, true);
  return failure(failed(setRunning(node, 1, mean, momentum)) ||
                 failed(setRunning(node, 2, variance, momentum)));
}

/// x * (scale / sqrt(var + eps)) + (bias - mean * that). Both factors are
/// constants if the parameters are; fusion folds them into a convolution.
LogicalResult npu::buildBatchNormalization(OnnxNode &node) {
  double epsilon = node.getFloat("epsilon", 1e-5);
  const bool isTraining =
      node.version >= 14 && node.getFlag("training_mode", false);
  if (failed(checkBatchNorm(node, isTraining)))
    return failure();
  Value x = node.getInput(0);
  SmallVector<Value> parameters; // scale, bias, mean, variance
  for (size_t i = 1; i < 5; ++i)
    parameters.push_back(
        node.cast(perChannel(node, node.getInput(i), x), elementOf(x)));
  if (node.hasFailed())
    return failure();
  if (isTraining)
    return normalizeBatch(node, x, parameters[0], parameters[1], epsilon);
  Value deviation =
      node.eltwise(NPU_INSTR_sqrt, plus(node, parameters[3], epsilon));
  Value factor = node.eltwise(NPU_INSTR_div, {parameters[0], deviation});
  Value offset =
      subtract(node, parameters[1], multiply(node, parameters[2], factor));
  return node.setResult(add(node, multiply(node, x, factor), offset));
}

Value npu::normed(OnnxNode &node, Value x, Value scale, Value bias,
                  double epsilon, bool isCentered) {
  if (!x)
    return x;
  Type type = elementOf(x);
  for (Value *parameter : {&scale, &bias}) {
    if (!*parameter)
      continue;
    if (shapeOf(*parameter) != shapeOf(x).take_back(1))
      return node.fail("found a scale or bias of shape " +
                       shapes::text(shapeOf(*parameter)) + ", expected " +
                       shapes::text(shapeOf(x).take_back(1)) +
                       ", the last dimension of the data");
    *parameter = node.cast(*parameter, type);
  }
  return tensornorm(node, x, scale, bias, rankOf(x) - 1, epsilon, /*groups=*/1,
                    isCentered);
}

LogicalResult npu::buildInstanceNormalization(OnnxNode &node) {
  double epsilon = node.getFloat("epsilon", 1e-5);
  node.ignore({"consumed_inputs"});
  Value x = node.getInput(0);
  if (rankOf(x) < 3)
    return node.error("found data of shape " + shapes::text(shapeOf(x)) +
                      ", expected N, C and spatial dimensions");
  Value scale = perChannel(node, node.getInput(1), x);
  Value bias = perChannel(node, node.getInput(2), x);
  return node.setResult(
      tensornorm(node, x, scale, bias, countFrom(2, rankOf(x)), epsilon));
}

/// Mean (of centered data) and the inverse of the deviation, where they are
/// results.
static LogicalResult setStatistics(OnnxNode &node, Value x,
                                   ArrayRef<int64_t> axes, double epsilon,
                                   bool isCentered) {
  size_t place = isCentered ? 2 : 1; // of the inverse
  if (!node.hasOutput(1) && !node.hasOutput(place))
    return success();
  Type f32 = node.getBuilder().getF32Type();
  if (isCentered) {
    Value mean = node.reduce(x, ReduceKind::Mean, axes, true);
    if (failed(node.setResult(1, node.cast(mean, f32))))
      return failure();
    x = subtract(node, x, mean);
  }
  return node.setResult(
      place, node.cast(inverseDeviation(node, x, axes, epsilon), f32));
}

LogicalResult npu::buildLayerNormalization(OnnxNode &node) {
  double epsilon = node.getFloat("epsilon", 1e-5);
  node.ignore({"stash_type"});
  Value x = node.getInput(0), scale = node.getInput(1), bias = node.getInput(2);
  FailureOr<int64_t> axis = node.getAxis("axis", -1, rankOf(x));
  if (failed(axis))
    return failure();
  Ints axes = countFrom(*axis, rankOf(x));
  bool isCentered = StringRef(node.op.word) == "centered";
  // onnxruntime's version 1 has parameters, and with them a result, of a type
  // of their own.
  Type result = elementOf(scale);
  if (elementOf(x) != result) {
    Type f32 = node.getBuilder().getF32Type();
    x = node.cast(x, f32);
    scale = node.cast(scale, f32);
    bias = bias ? node.cast(bias, f32) : bias;
  }
  if (failed(setStatistics(node, x, axes, epsilon, isCentered)))
    return failure();
  return node.setResult(node.cast(
      tensornorm(node, x, scale, bias, axes, epsilon, /*groups=*/1, isCentered),
      result));
}

/// A vector of groups as one of channels: opset 18's scale and bias.
static Value perGroup(OnnxNode &node, Value vector, int64_t groups,
                      Value data) {
  if (rankOf(vector) != 1 || shapeOf(vector)[0] != groups)
    return node.fail("found a parameter of shape " +
                     shapes::text(shapeOf(vector)) + ", expected " +
                     Twine(groups) + ", the number of groups");
  int64_t channels = shapeOf(data)[1];
  Value column = node.reshape(vector, {groups, 1});
  return node.reshape(node.broadcast(column, {groups, channels / groups}),
                      {channels});
}

LogicalResult npu::buildGroupNormalization(OnnxNode &node) {
  double epsilon = node.getFloat("epsilon", 1e-5);
  int64_t groups = node.getInt("num_groups", 0, 1, INT32_MAX);
  node.ignore({"stash_type"});
  Value x = node.getInput(0);
  if (node.hasFailed())
    return failure();
  if (rankOf(x) < 3 || groups < 1 || shapeOf(x)[1] % groups != 0)
    return node.error("found data of shape " + shapes::text(shapeOf(x)) +
                      " and num_groups = " + Twine(groups) +
                      ", expected N, channels that the groups divide, and "
                      "spatial dimensions");
  Value factors[2];
  for (size_t i : {0, 1}) {
    Value input = node.getInput(i + 1);
    factors[i] = perChannel(
        node, node.version < 21 ? perGroup(node, input, groups, x) : input, x);
    if (!factors[i])
      return failure();
  }
  return node.setResult(tensornorm(node, x, factors[0], factors[1],
                                   countFrom(1, rankOf(x)), epsilon, groups));
}

LogicalResult npu::buildMeanVarianceNormalization(OnnxNode &node) {
  Value x = node.getInput(0);
  FailureOr<Ints> axes = node.normalizeAxes(
      node.getInts("axes").value_or(Ints{0, 2, 3}), rankOf(x));
  if (failed(axes))
    return failure();
  Value difference = centered(node, x, *axes);
  Value squares = multiply(node, difference, difference);
  Value deviation = node.eltwise(
      NPU_INSTR_sqrt, node.reduce(squares, ReduceKind::Mean, *axes, true));
  return node.setResult(
      node.eltwise(NPU_INSTR_div, {difference, plus(node, deviation, 1e-9)}));
}

LogicalResult npu::buildLpNormalization(OnnxNode &node) {
  Value x = node.getInput(0);
  int64_t order = node.getInt("p", 2, 1, 2);
  FailureOr<int64_t> axis = node.getAxis("axis", -1, rankOf(x));
  if (failed(axis))
    return failure();
  Value norm =
      node.reduce(x, order == 1 ? ReduceKind::L1 : ReduceKind::L2, *axis, true);
  if (!norm)
    return failure();
  // A vector of zeros stays one.
  Value isZero =
      node.eltwise(NPU_INSTR_equal, {norm, node.scalar(0, elementOf(x))});
  Value divisor = node.eltwise(NPU_INSTR_select,
                               {isZero, node.scalar(1, elementOf(x)), norm});
  return node.setResult(node.eltwise(NPU_INSTR_div, {x, divisor}));
}

/// Squares summed over a window of channels: an average pool over (N, 1, C,
/// pixels) that counts its padding, so that it is the sum divided by size.
LogicalResult npu::buildLrn(OnnxNode &node) {
  Value x = node.getInput(0);
  int64_t size = node.getInt("size", 0, 1, INT32_MAX);
  double alpha = node.getFloat("alpha", 1e-4),
         beta = node.getFloat("beta", 0.75);
  double bias = node.getFloat("bias", 1);
  if (node.hasFailed())
    return failure();
  if (rankOf(x) < 3 || size < 1)
    return node.error("found data of shape " + shapes::text(shapeOf(x)) +
                      " and size = " + Twine(size) +
                      ", expected N, C, spatial dimensions and a size");
  if (tensorType(x).getNumElements() == 0)
    return node.setResult(x);
  Ints shape(shapeOf(x));
  int64_t pixels = 1;
  for (int64_t extent : ArrayRef<int64_t>(shape).drop_front(2))
    pixels *= extent;
  Ints flat{shape[0], 1, shape[1], pixels};
  Value squares = node.reshape(multiply(node, x, x), flat);
  if (!squares)
    return failure();
  Value mean = node.create<AvgPoolOp>(
      flat, elementOf(x), squares, node.intArray({size, 1}),
      node.intArray({1, 1}),
      node.intArray({(size - 1) / 2, 0, size - 1 - (size - 1) / 2, 0}),
      node.intArray({1, 1}), node.getBuilder().getBoolAttr(true));
  mean = node.reshape(mean, shape);
  if (!mean)
    return failure();
  Value scaled = multiply(node, mean, node.scalar(alpha, elementOf(x)));
  Value divisor =
      node.eltwise(NPU_INSTR_pow,
                   {plus(node, scaled, bias), node.scalar(beta, elementOf(x))});
  return node.setResult(node.eltwise(NPU_INSTR_div, {x, divisor}));
}
