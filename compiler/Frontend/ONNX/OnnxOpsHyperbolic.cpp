// SPDX-License-Identifier: Apache-2.0
//
// Hyperbolic functions and their inverses, in float32, with relative accuracy
// near 0.
#include "compiler/Frontend/ONNX/OnnxArithmetic.h"
#include "compiler/Frontend/ONNX/OnnxOps.h"

using namespace npu;

/// Computes on float32, whatever float type the node has.
static LogicalResult inSinglePrecision(OnnxNode &node,
                                       Value (*function)(OnnxNode &, Value)) {
  Value x = node.getInput(0);
  Value wide = node.cast(x, node.getBuilder().getF32Type());
  return node.setResult(node.cast(function(node, wide), elementOf(x)));
}

/// ln(1 + x): what rounding 1 + x lost is a factor, which large numbers do not
/// need and infinity does not have.
static Value log1p(OnnxNode &node, Value x) {
  Value sum = plus(node, x, 1), logarithm = node.eltwise(NPU_INSTR_log, sum);
  Value factor = divide(node, x, plus(node, sum, -1));
  Value isLarge =
      node.eltwise(NPU_INSTR_greater, {x, node.scalar(1e8, elementOf(x))});
  return select(
      node, equal(node, sum, 1), x,
      select(node, isLarge, logarithm, multiply(node, logarithm, factor)));
}

static Value magnitude(OnnxNode &node, Value x) {
  return node.eltwise(NPU_INSTR_abs, x);
}
static Value withSignOf(OnnxNode &node, Value magnitude, Value x) {
  return multiply(node, node.eltwise(NPU_INSTR_sign, x), magnitude);
}

/// (exp(x) + sign * exp(-x)) / 2
static Value exponentials(OnnxNode &node, Value x, double sign) {
  Value up = node.eltwise(NPU_INSTR_exp, plus(node, x, -0.69314718055994531));
  Value down = divide(node, node.scalar(0.25 * sign, elementOf(x)), up);
  return add(node, up, down);
}

LogicalResult npu::buildCosh(OnnxNode &node) {
  return inSinglePrecision(node, [](OnnxNode &node, Value x) {
    return exponentials(node, magnitude(node, x), 1);
  });
}

LogicalResult npu::buildSinh(OnnxNode &node) {
  return inSinglePrecision(node, [](OnnxNode &node, Value x) {
    Value y = magnitude(node, x), square = multiply(node, x, x);
    // x + x^3 / 6 + x^5 / 120 + x^7 / 5040
    Value series = node.scalar(1, elementOf(x));
    for (double divisor : {42.0, 20.0, 6.0})
      series = plus(
          node, multiply(node, times(node, square, 1 / divisor), series), 1);
    Value isSmall =
        node.eltwise(NPU_INSTR_less, {y, node.scalar(0.5, elementOf(x))});
    return select(node, isSmall, multiply(node, x, series),
                  withSignOf(node, exponentials(node, y, -1), x));
  });
}

LogicalResult npu::buildAsinh(OnnxNode &node) {
  return inSinglePrecision(node, [](OnnxNode &node, Value x) {
    Value y = magnitude(node, x), square = multiply(node, y, y);
    Value root = node.eltwise(NPU_INSTR_sqrt, plus(node, square, 1));
    Value near =
        log1p(node, add(node, y, divide(node, square, plus(node, root, 1))));
    // The square of a large number overflows.
    Value far = plus(node, node.eltwise(NPU_INSTR_log, y), 0.69314718055994531);
    Value isFar =
        node.eltwise(NPU_INSTR_greater, {y, node.scalar(1e8, elementOf(x))});
    return withSignOf(node, select(node, isFar, far, near), x);
  });
}

LogicalResult npu::buildAcosh(OnnxNode &node) {
  return inSinglePrecision(node, [](OnnxNode &node, Value x) {
    Value above = plus(node, x, -1);
    Value root = multiply(node, node.eltwise(NPU_INSTR_sqrt, above),
                          node.eltwise(NPU_INSTR_sqrt, plus(node, x, 1)));
    // Twice the largest number overflows.
    Value far = plus(node, node.eltwise(NPU_INSTR_log, x), 0.69314718055994531);
    Value isFar =
        node.eltwise(NPU_INSTR_greater, {x, node.scalar(1e8, elementOf(x))});
    return select(node, isFar, far, log1p(node, add(node, above, root)));
  });
}

LogicalResult npu::buildAtanh(OnnxNode &node) {
  return inSinglePrecision(node, [](OnnxNode &node, Value x) {
    Value y = magnitude(node, x);
    Value below = subtract(node, node.scalar(1, elementOf(x)), y);
    Value half =
        times(node, log1p(node, divide(node, times(node, y, 2), below)), 0.5);
    return withSignOf(node, half, x);
  });
}
