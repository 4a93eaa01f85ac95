// SPDX-License-Identifier: Apache-2.0
//
// Conv and ConvTranspose.
#include "compiler/Frontend/ONNX/OnnxOps.h"

#include "compiler/Dialect/NPU/ShapeInference.h"
#include "compiler/Frontend/ONNX/OnnxArithmetic.h"
#include "compiler/Frontend/ONNX/OnnxQuantize.h"
#include "compiler/Frontend/ONNX/OnnxWindow.h"

using namespace npu;

/// Ranks, bias, kernel_shape: the same for both directions. `outputs` is the
/// number of output channels.
static LogicalResult checkOperands(OnnxNode &node, const ConvOperands &operands,
                                   int64_t outputs) {
  Value data = operands.data, weight = operands.weight;
  if (rankOf(data) != rankOf(weight))
    return node.error("found data " + shapes::text(shapeOf(data)) +
                      " and weight " + shapes::text(shapeOf(weight)) +
                      ", expected the same rank");
  if (failed(checkSpatial(node, data)))
    return failure();
  if (operands.bias && shapeOf(operands.bias) != ArrayRef(outputs))
    return node.error("found a bias of shape " +
                      shapes::text(shapeOf(operands.bias)) + ", expected " +
                      Twine(outputs) + ", the number of output channels");
  ArrayRef<int64_t> kernel = shapeOf(weight).drop_front(2);
  std::optional<Ints> declared = node.getInts("kernel_shape");
  if (declared && ArrayRef<int64_t>(*declared) != kernel)
    return node.error("attribute 'kernel_shape' is " + shapes::text(*declared) +
                      ", expected " + shapes::text(kernel) +
                      " as the weight has it");
  return success();
}

/// As onnxruntime has it, pads of 0 beside auto_pad are pads, too.
static FailureOr<OnnxWindow> readConvWindow(OnnxNode &node, Value weight) {
  FailureOr<OnnxWindow> window =
      readWindow(node, shapeOf(weight).drop_front(2));
  if (succeeded(window) && window->autoPad != "NOTSET" &&
      node.hasAttribute("pads"))
    return node.error("attribute 'auto_pad' is '" + window->autoPad +
                      "', expected NOTSET beside 'pads'");
  return window;
}

static ConvOperands floatOperands(OnnxNode &node) {
  Value data = node.getInput(0);
  return {data, node.getInput(1), node.getInput(2), elementOf(data)};
}

template <typename OpTy>
static Value createConv(OnnxNode &node, const ConvOperands &operands,
                        ArrayRef<int64_t> shape, const OnnxWindow &window,
                        int64_t groups) {
  OpBuilder &builder = node.getBuilder();
  return node.create<OpTy>(
      shape, operands.result, operands.data, operands.weight, operands.bias,
      node.intArray(window.strides), node.intArray(window.pads),
      node.intArray(window.dilations), builder.getI64IntegerAttr(groups),
      builder.getI64IntegerAttr(operands.dataZeroPoint));
}

static Value convolveIn(OnnxNode &node, const ConvOperands &operands,
                        const OnnxWindow &window, int64_t groups) {
  std::string reason;
  FailureOr<shapes::Shape> shape = shapes::conv(
      shapeOf(operands.data), shapeOf(operands.weight), window.strides,
      window.dilations, window.pads, groups, reason);
  if (failed(shape))
    return node.fail(reason);
  switch (rankOf(operands.data)) {
  case 3:
    return createConv<Conv1dOp>(node, operands, *shape, window, groups);
  case 4:
    return createConv<Conv2dOp>(node, operands, *shape, window, groups);
  default:
    return createConv<Conv3dOp>(node, operands, *shape, window, groups);
  }
}

/// The window's pads as those of the data, which the window has no more.
static Ints takePads(OnnxWindow &window) {
  size_t rank = window.kernel.size();
  Ints pads{0, 0};
  pads.append(window.pads.begin(), window.pads.begin() + rank);
  pads.append({0, 0});
  pads.append(window.pads.begin() + rank, window.pads.end());
  window.pads.assign(2 * rank, 0);
  return pads;
}

/// Kernels read data; where there is none, its padding may still give results.
static Value padEmptyData(OnnxNode &node, const ConvOperands &operands,
                          OnnxWindow &window) {
  return padDequantized(node, operands.data, takePads(window),
                        PadMode::Constant,
                        static_cast<double>(operands.dataZeroPoint));
}

/// With a number that is known when the network runs: zeros, and there that
/// number times one.
static Value padWith(OnnxNode &node, Value data, Value number,
                     OnnxWindow &window) {
  Ints pads = takePads(window), inside(shapeOf(data));
  inside[0] = inside[1] = 1;
  Value zeros = node.broadcast(node.scalar(0, elementOf(data)), inside);
  Value border = node.pad(zeros, pads, PadMode::Constant, 1);
  return add(node, node.pad(data, pads, PadMode::Constant, 0),
             multiply(node, border, number));
}

Value npu::convolve(OnnxNode &node, const ConvOperands &operands) {
  Value data = operands.data, weight = operands.weight;
  if (!data || !weight)
    return Value();
  int64_t groups = node.getInt("group", 1, 1, INT32_MAX);
  if (failed(checkOperands(node, operands, shapeOf(weight)[0])))
    return Value();
  FailureOr<OnnxWindow> window = readConvWindow(node, weight);
  if (failed(window))
    return Value();
  resolveAutoPad(*window, shapeOf(data).drop_front(2));
  ConvOperands read = operands;
  bool hasPads =
      llvm::any_of(window->pads, [](int64_t pad) { return pad > 0; });
  if (hasPads && operands.padding)
    read.data = padWith(node, data, operands.padding, *window);
  else if (hasPads && tensorType(data).getNumElements() == 0)
    read.data = padEmptyData(node, operands, *window);
  return read.data ? convolveIn(node, read, *window, groups) : Value();
}

Value npu::convolutionOf(OnnxNode &node) {
  Value weight = node.getInput(1);
  if (rankOf(weight) < 3)
    return node.fail("found a weight of shape " +
                     shapes::text(shapeOf(weight)) +
                     ", expected 1 to 3 spatial dimensions");
  return convolveDequantized(node, floatOperands(node));
}

LogicalResult npu::buildConv(OnnxNode &node) {
  return node.setResult(convolutionOf(node));
}

/// ONNX has (C, M / groups, kernel), the dialect (M, C / groups, kernel).
static Value canonicalWeight(OnnxNode &node, Value weight, int64_t groups) {
  ArrayRef<int64_t> shape = shapeOf(weight);
  Ints kernel(shape.drop_front(2));
  Ints split{groups, shape[0] / groups, shape[1]};
  Ints merged{shape[1] * groups, shape[0] / groups};
  split.append(kernel);
  merged.append(kernel);
  Ints permutation{0, 2, 1};
  permutation.append(countFrom(3, 3 + kernel.size()));
  return node.reshape(node.transpose(node.reshape(weight, split), permutation),
                      merged);
}

/// The pads that give `wanted`; what no padding gives is left to the result's
/// shape.
static void padsFor(OnnxWindow &window, ArrayRef<int64_t> unpadded,
                    ArrayRef<int64_t> wanted) {
  size_t rank = wanted.size();
  for (size_t i = 0; i < rank; ++i) {
    int64_t total = std::max<int64_t>(unpadded[i] - wanted[i], 0);
    int64_t smaller = total / 2, larger = total - total / 2;
    bool isUpper = window.autoPad == "SAME_UPPER";
    window.pads[i] = isUpper ? smaller : larger;
    window.pads[rank + i] = isUpper ? larger : smaller;
  }
}

/// The spatial result extents that output_shape, output_padding and auto_pad
/// ask for; sets the pads that go with them.
static FailureOr<Ints> resolveTransposed(OnnxNode &node, OnnxWindow &window,
                                         ArrayRef<int64_t> spatial) {
  size_t rank = spatial.size();
  Ints extra = node.getInts("output_padding").value_or(Ints(rank, 0));
  std::optional<Ints> declared = node.getInts("output_shape");
  if (declared && declared->size() == rank + 2)
    declared->erase(declared->begin(), declared->begin() + 2);
  if (extra.size() != rank || (declared && declared->size() != rank))
    return node.error("attributes 'output_padding' and 'output_shape' must "
                      "have " +
                      Twine(rank) + " entries");
  if (declared)
    for (int64_t extent : *declared)
      if (extent < 0)
        return node.error("attribute 'output_shape' has the entry " +
                          Twine(extent) + ", expected no less than 0");
  Ints unpadded, result;
  for (size_t i = 0; i < rank; ++i) {
    if (extra[i] < 0 ||
        extra[i] >= std::max(window.strides[i], window.dilations[i]))
      return node.error("attribute 'output_padding' has the entry " +
                        Twine(extra[i]) +
                        ", expected less than stride or dilation");
    unpadded.push_back((spatial[i] - 1) * window.strides[i] + extra[i] +
                       dilatedKernel(window, i));
  }
  if (!declared && StringRef(window.autoPad).starts_with("SAME")) {
    declared.emplace();
    for (size_t i = 0; i < rank; ++i)
      declared->push_back(spatial[i] * window.strides[i]);
  }
  if (declared) {
    padsFor(window, unpadded, *declared);
    return *declared;
  }
  if (window.autoPad == "VALID")
    window.pads.assign(2 * rank, 0);
  for (size_t i = 0; i < rank; ++i)
    result.push_back(unpadded[i] - window.pads[i] - window.pads[rank + i]);
  for (auto [i, extent] : llvm::enumerate(result))
    if (extent < 1)
      return node.error("pads " + Twine(window.pads[i]) + " and " +
                        Twine(window.pads[rank + i]) +
                        " leave nothing of spatial dimension " + Twine(i));
  return result;
}

LogicalResult npu::buildConvTranspose(OnnxNode &node) {
  Value data = node.getInput(0), weight = node.getInput(1);
  int64_t groups = node.getInt("group", 1, 1, INT32_MAX);
  if (rankOf(weight) < 3 || shapeOf(weight)[0] % groups != 0)
    return node.error(
        "found a weight of shape " + shapes::text(shapeOf(weight)) +
        " for group = " + Twine(groups) + ", expected (C, M / group, kernel)");
  ConvOperands operands = floatOperands(node);
  if (failed(checkOperands(node, operands, shapeOf(weight)[1] * groups)))
    return failure();
  FailureOr<OnnxWindow> window = readConvWindow(node, weight);
  if (failed(window))
    return failure();
  FailureOr<Ints> spatial =
      resolveTransposed(node, *window, shapeOf(data).drop_front(2));
  if (failed(spatial))
    return failure();
  auto convolve = [&](ConvOperands parts) -> Value {
    parts.weight = canonicalWeight(node, parts.weight, groups);
    if (!parts.weight)
      return Value();
    std::string reason;
    FailureOr<shapes::Shape> shape = shapes::convTranspose(
        shapeOf(data), shapeOf(parts.weight), window->strides,
        window->dilations, window->pads, groups, reason);
    if (failed(shape))
      return node.fail(reason);
    std::copy(spatial->begin(), spatial->end(), shape->begin() + 2);
    switch (rankOf(data)) {
    case 3:
      return createConv<ConvTranspose1dOp>(node, parts, *shape, *window,
                                           groups);
    case 4:
      return createConv<ConvTranspose2dOp>(node, parts, *shape, *window,
                                           groups);
    default:
      return createConv<ConvTranspose3dOp>(node, parts, *shape, *window,
                                           groups);
    }
  };
  return node.setResult(
      convolveTransposedDequantized(node, operands, groups, convolve));
}

/// A depthwise convolution that sees what came before: the state in front of
/// the data, and the last of both as the next state.
LogicalResult npu::buildCausalConv(OnnxNode &node) {
  Value x = node.getInput(0), weight = node.getInput(1);
  std::string activation =
      node.getWord("activation", "none", {"none", "silu", "swish"});
  if (node.hasFailed())
    return failure();
  ArrayRef<int64_t> shape = shapeOf(x);
  if (shape.size() != 3 || rankOf(weight) != 3 ||
      shapeOf(weight).drop_back() != ArrayRef<int64_t>({shape[1], 1}))
    return node.error("found data of shape " + shapes::text(shape) +
                      " and a weight of shape " +
                      shapes::text(shapeOf(weight)) +
                      ", expected N, C, L and C, 1, k");
  int64_t before = shapeOf(weight)[2] - 1;
  Ints state{shape[0], shape[1], before};
  Value past =
      node.hasInput(3) ? node.getInput(3) : node.filled(0, state, elementOf(x));
  if (!past || shapeOf(past) != ArrayRef<int64_t>(state))
    return node.error("found a state of another shape than " +
                      shapes::text(state));
  Value all = before > 0 ? node.concat({past, x}, 2) : x;
  if (!all)
    return failure();
  OnnxWindow window{Ints{before + 1}, Ints{1}, Ints{1}, Ints{0, 0}, "NOTSET"};
  ConvOperands operands{all, weight, node.getInput(2), elementOf(x)};
  Value result = createConv<Conv1dOp>(node, operands, shape, window, shape[1]);
  if (activation != "none")
    result = node.eltwise(NPU_INSTR_swish, result, 1);
  if (node.hasOutput(1) &&
      failed(node.setResult(
          1, node.slice(all, {0, 0, shape[2]}, {1, 1, 1}, state))))
    return failure();
  return node.setResult(result);
}
