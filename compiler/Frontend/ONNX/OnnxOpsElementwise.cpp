// SPDX-License-Identifier: Apache-2.0
//
// Scalar functions: rows of the table where the dialect has the function,
// compositions where it does not.
#include "compiler/Frontend/ONNX/OnnxArithmetic.h"
#include "compiler/Frontend/ONNX/OnnxOps.h"
#include "compiler/Frontend/ONNX/OnnxQuantize.h"

#include "compiler/Dialect/NPU/Constants.h"
#include "compiler/Dialect/NPU/ShapeInference.h"
#include "kernels/tensor.h"

#include <cmath>
#include <limits>

using namespace npu;

static npu_instr_kind kindOf(OnnxNode &node) {
  return static_cast<npu_instr_kind>(node.op.kind);
}

LogicalResult npu::buildUnary(OnnxNode &node) {
  node.ignore({"consumed_inputs"});
  return node.setResult(node.eltwise(kindOf(node), node.getInput(0)));
}

/// The dialect's sign of -0.0 is -0.0, ONNX's is 0.
LogicalResult npu::buildSign(OnnxNode &node) {
  Value sign = node.eltwise(NPU_INSTR_sign, node.getInput(0));
  bool isReal = sign && isa<mlir::FloatType>(elementOf(sign));
  return node.setResult(isReal ? plus(node, sign, 0) : sign);
}

LogicalResult npu::buildActivation(OnnxNode &node) {
  struct Row {
    npu_instr_kind kind;
    double alpha, beta;
  };
  static const Row rows[] = {{NPU_INSTR_leaky_relu, 0.01, 0},
                             {NPU_INSTR_elu, 1, 0},
                             {NPU_INSTR_hard_sigmoid, 0.2, 0.5},
                             {NPU_INSTR_swish, 1, 0}};
  const Row *row = llvm::find_if(
      rows, [&](const Row &row) { return row.kind == kindOf(node); });
  node.ignore({"consumed_inputs"});
  double alpha = node.getFloat("alpha", row->alpha);
  double beta = row->kind == NPU_INSTR_hard_sigmoid
                    ? node.getFloat("beta", row->beta)
                    : 0;
  return node.setResult(
      node.eltwise(kindOf(node), node.getInput(0), alpha, beta));
}

LogicalResult npu::buildHardSwish(OnnxNode &node) {
  return node.setResult(
      node.eltwise(NPU_INSTR_hard_swish, node.getInput(0), 1.0 / 6, 0.5));
}

LogicalResult npu::buildGelu(OnnxNode &node) {
  bool isTanh = node.getWord("approximate", "none", {"none", "tanh"}) == "tanh";
  return node.setResult(node.eltwise(
      isTanh ? NPU_INSTR_gelu_tanh : NPU_INSTR_gelu_erf, node.getInput(0)));
}

LogicalResult npu::buildSelu(OnnxNode &node) {
  node.ignore({"consumed_inputs"});
  bool isOld = node.version < 6;
  double alpha =
      node.getFloat("alpha", isOld ? 1.6732 : 1.67326319217681884765625);
  double gamma =
      node.getFloat("gamma", isOld ? 1.0507 : 1.05070102214813232421875);
  Value x = node.getInput(0);
  return node.setResult(
      node.eltwise(NPU_INSTR_mul, {node.eltwise(NPU_INSTR_elu, x, alpha),
                                   node.scalar(gamma, elementOf(x))}));
}

/// max(x, 0) + min(0, alpha * (exp(x / alpha) - 1))
LogicalResult npu::buildCelu(OnnxNode &node) {
  Value x = node.getInput(0);
  double alpha = node.getFloat("alpha", 1);
  if (alpha == 0)
    return node.error("attribute 'alpha' is 0, expected another number");
  Type type = elementOf(x);
  Value zero = node.scalar(0, type);
  // Not times 1 / alpha, which may be infinite: at 0 that is NaN.
  Value scaled = node.eltwise(NPU_INSTR_div, {x, node.scalar(alpha, type)});
  Value curve = node.eltwise(
      NPU_INSTR_mul,
      {node.eltwise(NPU_INSTR_sub, {node.eltwise(NPU_INSTR_exp, scaled),
                                    node.scalar(1, type)}),
       node.scalar(alpha, type)});
  return node.setResult(node.eltwise(
      NPU_INSTR_add, {node.eltwise(NPU_INSTR_relu, x),
                      node.eltwise(NPU_INSTR_min, {curve, zero})}));
}

LogicalResult npu::buildSwiGlu(OnnxNode &node) {
  Value gate = node.eltwise(NPU_INSTR_swish, node.getInput(0),
                            node.getFloat("alpha", 1));
  return node.setResult(node.eltwise(NPU_INSTR_mul, {gate, node.getInput(1)}));
}

LogicalResult npu::buildSoftsign(OnnxNode &node) {
  Value x = node.getInput(0);
  Value below = node.eltwise(NPU_INSTR_add, {node.eltwise(NPU_INSTR_abs, x),
                                             node.scalar(1, elementOf(x))});
  return node.setResult(node.eltwise(NPU_INSTR_div, {x, below}));
}

LogicalResult npu::buildMish(OnnxNode &node) {
  Value x = node.getInput(0);
  Value gate =
      node.eltwise(NPU_INSTR_tanh, node.eltwise(NPU_INSTR_softplus, x));
  return node.setResult(node.eltwise(NPU_INSTR_mul, {x, gate}));
}

LogicalResult npu::buildThresholdedRelu(OnnxNode &node) {
  Value x = node.getInput(0);
  Value bound = node.scalar(node.getFloat("alpha", 1), elementOf(x));
  return node.setResult(node.eltwise(
      NPU_INSTR_select, {node.eltwise(NPU_INSTR_greater, {x, bound}), x,
                         node.scalar(0, elementOf(x))}));
}

/// x < -lambd ? x + bias : x > lambd ? x - bias : 0. Integers are compared and
/// moved as f32, as onnxruntime does: lambd and bias may have fractions.
LogicalResult npu::buildShrink(OnnxNode &node) {
  Value data = node.getInput(0);
  Type type = elementOf(data);
  if (!isa<mlir::FloatType>(type))
    type = node.getBuilder().getF32Type();
  Value x = node.cast(data, type);
  double lambda = node.getFloat("lambd", 0.5);
  Value bias = node.scalar(node.getFloat("bias", 0), type);
  Value above = node.eltwise(NPU_INSTR_greater, {x, node.scalar(lambda, type)});
  Value upper = node.eltwise(
      NPU_INSTR_select,
      {above, node.eltwise(NPU_INSTR_sub, {x, bias}), node.scalar(0, type)});
  Value below = node.eltwise(NPU_INSTR_less, {x, node.scalar(-lambda, type)});
  Value result = node.eltwise(
      NPU_INSTR_select, {below, node.eltwise(NPU_INSTR_add, {x, bias}), upper});
  return node.setResult(node.cast(result, elementOf(data)));
}

/// Before opset 7 the second operand is aligned at attribute `axis`, not at the
/// right.
static Value alignOld(OnnxNode &node, Value a, Value b) {
  bool broadcasts = node.getFlag("broadcast", false);
  bool hasAxis = node.hasAttribute("axis");
  int64_t axis = node.getInt("axis", 0);
  if (!broadcasts || !hasAxis)
    return b;
  FailureOr<int64_t> start = node.normalizeAxis(axis, rankOf(a));
  if (failed(start))
    return Value();
  int64_t behind = rankOf(a) - *start - rankOf(b);
  if (behind < 0)
    return node.fail("attribute 'axis' is " + Twine(axis) +
                     ", where the second operand " + shapes::text(shapeOf(b)) +
                     " does not fit the first, " + shapes::text(shapeOf(a)));
  Ints shape(shapeOf(b));
  shape.append(behind, 1);
  return node.reshape(b, shape);
}

LogicalResult npu::buildBinary(OnnxNode &node) {
  Value a = node.getInput(0), b = node.getInput(1);
  node.ignore({"consumed_inputs"});
  if (node.version < 7)
    b = alignOld(node, a, b);
  Value result = node.eltwise(kindOf(node), {a, b});
  noteStep(node, result, a, b);
  return node.setResult(result);
}

/// Shifts by more than the type has bits give 0.
LogicalResult npu::buildBitShift(OnnxNode &node) {
  bool isLeft = node.getWord("direction", "", {"LEFT", "RIGHT"}) == "LEFT";
  return node.setResult(node.eltwise(
      isLeft ? NPU_INSTR_shift_left : NPU_INSTR_shift_right, node.getInputs()));
}

/// An integer to a power that may have a fraction. Where it has none the result
/// is one of integers, which float32 would round; elsewhere it is cut off.
static Value integerToReal(OnnxNode &node, Value base, Value exponent) {
  auto isWhole = [](float number) { return number == std::floor(number); };
  Type type = elementOf(base), f32 = node.getBuilder().getF32Type();
  Value real = node.cast(exponent, f32);
  Value whole = node.eltwise(NPU_INSTR_pow, {base, node.cast(exponent, type)});
  if (!real || !whole)
    return Value();
  std::optional<std::vector<float>> known = floatsOf(real);
  if (known && llvm::all_of(*known, isWhole))
    return whole;
  Value power = node.cast(
      node.eltwise(NPU_INSTR_pow, {node.cast(base, f32), real}), type);
  Value rounded = node.eltwise(NPU_INSTR_floor, real);
  return node.eltwise(
      NPU_INSTR_select,
      {node.eltwise(NPU_INSTR_equal, {rounded, real}), whole, power});
}

LogicalResult npu::buildPow(OnnxNode &node) {
  Value a = node.getInput(0), b = node.getInput(1);
  if (node.version < 7)
    b = alignOld(node, a, b);
  if (b && !isa<mlir::FloatType>(elementOf(a)) &&
      isa<mlir::FloatType>(elementOf(b)))
    return node.setResult(integerToReal(node, a, b));
  return node.setResult(
      node.eltwise(NPU_INSTR_pow, {a, node.cast(b, elementOf(a))}));
}

LogicalResult npu::buildMod(OnnxNode &node) {
  bool isFmod = node.getFlag("fmod", false);
  return node.setResult(node.eltwise(
      NPU_INSTR_mod, {node.getInput(0), node.getInput(1)}, isFmod ? 1 : 0));
}

LogicalResult npu::buildPRelu(OnnxNode &node) {
  Value x = node.getInput(0), slope = node.getInput(1);
  node.ignore({"consumed_inputs"});
  // Before opset 7 the slope is one for each channel, or one for all.
  if (node.version < 7 && rankOf(slope) == 1 && rankOf(x) > 2 &&
      shapeOf(slope)[0] != 1) {
    Ints shape(rankOf(x) - 1, 1);
    shape[0] = shapeOf(slope)[0];
    slope = node.reshape(slope, shape);
  }
  std::string reason;
  FailureOr<shapes::Shape> shape = shapes::broadcast(
      {shapes::Shape(shapeOf(x)), shapes::Shape(shapeOf(slope))}, reason);
  if (failed(shape) || ArrayRef<int64_t>(*shape) != shapeOf(x))
    return node.error("found a slope of shape " + shapes::text(shapeOf(slope)) +
                      ", expected one that broadcasts to the data, " +
                      shapes::text(shapeOf(x)));
  if (isa<mlir::FloatType>(elementOf(x)))
    return node.setResult(node.eltwise(NPU_INSTR_prelu, {x, slope}));
  Value isNegative =
      node.eltwise(NPU_INSTR_less, {x, node.scalar(0, elementOf(x))});
  Value scaled = node.eltwise(NPU_INSTR_mul, {x, slope});
  return node.setResult(
      node.eltwise(NPU_INSTR_select, {isNegative, scaled, x}));
}

LogicalResult npu::buildVariadic(OnnxNode &node) {
  node.ignore({"consumed_inputs"});
  Value result = node.getInput(0);
  for (Value input : node.getInputs().drop_front())
    result = node.eltwise(kindOf(node), {result, input});
  return node.setResult(result);
}

LogicalResult npu::buildMean(OnnxNode &node) {
  if (failed(buildVariadic(node)))
    return failure();
  Value sum = node.getResults()[0];
  return node.setResult(node.eltwise(
      NPU_INSTR_mul,
      {sum, node.scalar(1.0 / double(node.getInputCount()), elementOf(sum))}));
}

LogicalResult npu::buildIsNaN(OnnxNode &node) {
  return node.setResult(node.isNan(node.getInput(0)));
}

LogicalResult npu::buildIsInf(OnnxNode &node) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Value x = node.getInput(0);
  bool finds[] = {node.getFlag("detect_negative", true),
                  node.getFlag("detect_positive", true)};
  Value found;
  for (bool isPositive : {false, true}) {
    if (!finds[isPositive])
      continue;
    Value end = node.scalar(isPositive ? infinity : -infinity, elementOf(x));
    Value isEnd = node.eltwise(NPU_INSTR_equal, {x, end});
    found = found ? node.eltwise(NPU_INSTR_logical_or, {found, isEnd}) : isEnd;
  }
  if (!found && !node.hasFailed())
    found = node.filled(0, shapeOf(x), node.getBuilder().getI1Type());
  return node.setResult(found);
}

LogicalResult npu::buildWhere(OnnxNode &node) {
  return node.setResult(node.eltwise(NPU_INSTR_select, node.getInputs()));
}

/// A bound of Clip that is constant and one number, or none.
static std::optional<double> constantBound(OnnxNode &node, size_t index,
                                           double open) {
  if (!node.hasInput(index))
    return open;
  Value bound = node.getInput(index);
  if (!constantOf(bound) || tensorType(bound).getNumElements() != 1)
    return std::nullopt;
  FailureOr<SmallVector<double>> number =
      node.constantFloats(index, "the bound");
  return failed(number) ? open : number->front();
}

/// What the type holds: without bounds, infinities become its ends.
static double largestOf(Type element) {
  auto type = dyn_cast<mlir::FloatType>(element);
  return type ? llvm::APFloat::getLargest(type.getFloatSemantics())
                    .convertToDouble()
              : std::numeric_limits<double>::infinity();
}

/// What is beyond a bound becomes the bound; a bound that is NaN limits
/// nothing.
static Value boundedBy(OnnxNode &node, Value x, npu_instr_kind beyond,
                       Value bound) {
  return select(node, node.eltwise(beyond, {x, bound}), bound, x);
}

LogicalResult npu::buildClip(OnnxNode &node) {
  Value x = node.getInput(0);
  const double largest = largestOf(elementOf(x));
  if (node.version < 11) {
    node.ignore({"consumed_inputs"});
    double least = node.getFloat("min", -largest);
    double most = node.getFloat("max", largest);
    return node.setResult(node.eltwise(NPU_INSTR_clip, x, least, most));
  }
  if (isa<mlir::FloatType>(elementOf(x))) {
    std::optional<double> least = constantBound(node, 1, -largest);
    std::optional<double> most = constantBound(node, 2, largest);
    // Comparisons alone are what f64 has.
    if (least && most && *least <= *most && !elementOf(x).isF64())
      return node.setResult(node.eltwise(NPU_INSTR_clip, x, *least, *most));
    // Bounds that depend on data or are NaN, an empty range.
    if (node.hasInput(1))
      x = boundedBy(node, x, NPU_INSTR_less, node.getInput(1));
    if (node.hasInput(2))
      x = boundedBy(node, x, NPU_INSTR_greater, node.getInput(2));
    return node.setResult(x);
  }
  // Integers that no float holds.
  if (node.hasInput(1))
    x = node.eltwise(NPU_INSTR_max, {x, node.getInput(1)});
  if (node.hasInput(2))
    x = node.eltwise(NPU_INSTR_min, {x, node.getInput(2)});
  return node.setResult(x);
}

LogicalResult npu::buildCast(OnnxNode &node) {
  int64_t type = onnx::TensorProto::FLOAT;
  node.ignore({"saturate", "round_mode"});
  if (node.version < 6) {
    onnx::TensorProto::DataType parsed;
    std::string name = node.getString("to", "");
    if (!onnx::TensorProto::DataType_Parse(name, &parsed))
      return node.error("attribute 'to' is '" + name +
                        "', expected the name of an element type");
    type = parsed;
  } else {
    type = node.getInt("to", type);
  }
  FailureOr<Type> element = node.typeOf(type);
  if (failed(element))
    return failure();
  Value real = node.cast(node.getInput(0), *element);
  noteStored(node, real);
  return node.setResult(real);
}

LogicalResult npu::buildBitCast(OnnxNode &node) {
  FailureOr<Type> element = node.typeOf(node.getInt("to", 0));
  if (failed(element))
    return failure();
  Value x = node.getInput(0);
  if (kernels::dtypeBytes(dtypeOf(*element)) !=
      kernels::dtypeBytes(dtypeOf(elementOf(x))))
    return node.error("found the bits of " + typeText(elementOf(x)) + " as " +
                      typeText(*element) +
                      ", expected a type of the same width");
  return node.setResult(node.bitcast(x, *element));
}

LogicalResult npu::buildCastLike(OnnxNode &node) {
  node.ignore({"saturate", "round_mode"});
  return node.setResult(
      node.cast(node.getInput(0), elementOf(node.getInput(1))));
}
