// SPDX-License-Identifier: Apache-2.0
//
// MaxPool, AveragePool and their global forms; LpPool, MaxUnpool.
#include "compiler/Frontend/ONNX/OnnxArithmetic.h"
#include "compiler/Frontend/ONNX/OnnxOps.h"

#include "compiler/Dialect/NPU/ShapeInference.h"
#include "compiler/Frontend/ONNX/OnnxWindow.h"

#include "llvm/Support/MathExtras.h"

using namespace npu;

/// Rounded up, a last window that would start behind the data and its first
/// padding is dropped.
static void roundUp(MutableArrayRef<int64_t> extents, const OnnxWindow &window,
                    ArrayRef<int64_t> spatial) {
  size_t rank = spatial.size();
  for (size_t i = 0; i < rank; ++i) {
    int64_t room = spatial[i] + window.pads[i] + window.pads[rank + i] -
                   dilatedKernel(window, i);
    int64_t stride = window.strides[i];
    extents[i] = (room + stride - 1) / stride + 1;
    if ((extents[i] - 1) * stride >= spatial[i] + window.pads[i])
      --extents[i];
  }
}

static Value createPool(OnnxNode &node, Value data, npu_op kind,
                        ArrayRef<int64_t> shape, const OnnxWindow &window,
                        bool countsPads) {
  ArrayAttr kernel = node.intArray(window.kernel);
  ArrayAttr strides = node.intArray(window.strides);
  ArrayAttr pads = node.intArray(window.pads);
  ArrayAttr dilations = node.intArray(window.dilations);
  if (kind == NPU_OP_MAX_POOL)
    return node.create<MaxPoolOp>(shape, elementOf(data), data, kernel, strides,
                                  pads, dilations);
  return node.create<AvgPoolOp>(shape, elementOf(data), data, kernel, strides,
                                pads, dilations,
                                node.getBuilder().getBoolAttr(countsPads));
}

/// The window as the node states it, for `rank` spatial dimensions.
static FailureOr<OnnxWindow> readPoolWindow(OnnxNode &node, size_t rank) {
  std::optional<Ints> kernel = node.getInts("kernel_shape");
  if (!kernel || kernel->size() != rank)
    return node.error("attribute 'kernel_shape' must have " + Twine(rank) +
                      " entries");
  return readWindow(node, *kernel);
}

/// Rounded up, a window may reach over the padding by less than a stride: even
/// the only one. Pads with which such a window fits.
static Ints padsOfOnlyWindow(const OnnxWindow &window,
                             ArrayRef<int64_t> spatial) {
  Ints pads = window.pads;
  size_t rank = spatial.size();
  for (size_t i = 0; i < rank; ++i) {
    int64_t over =
        dilatedKernel(window, i) - spatial[i] - pads[i] - pads[rank + i];
    if (over > 0 && over < window.strides[i])
      pads[rank + i] += over;
  }
  return pads;
}

/// The result's shape for data of this shape; resolves the window's auto_pad.
static FailureOr<Ints> pooledShape(OnnxNode &node, ArrayRef<int64_t> data,
                                   OnnxWindow &window) {
  ArrayRef<int64_t> spatial = data.drop_front(2);
  resolveAutoPad(window, spatial);
  bool roundsUp = node.getFlag("ceil_mode", false);
  std::string reason;
  FailureOr<shapes::Shape> extents = shapes::windowed(
      spatial,
      {window.kernel, window.strides, window.dilations,
       roundsUp ? padsOfOnlyWindow(window, spatial) : window.pads},
      reason);
  if (failed(extents))
    return node.error(reason);
  if (roundsUp)
    roundUp(*extents, window, spatial);
  Ints shape{data[0], data[1]};
  shape.append(*extents);
  return shape;
}

Value npu::pool(OnnxNode &node, Value input, npu_op kind) {
  if (!input || failed(checkSpatial(node, input)))
    return Value();
  ArrayRef<int64_t> data = shapeOf(input);
  FailureOr<OnnxWindow> window = readPoolWindow(node, data.size() - 2);
  bool countsPads = node.getFlag("count_include_pad", false);
  bool isColumnMajor = node.getFlag("storage_order", false);
  if (failed(window))
    return Value();
  FailureOr<Ints> shape = pooledShape(node, data, *window);
  if (failed(shape))
    return Value();
  OpBuilder &builder = node.getBuilder();
  if (kind == NPU_OP_MAX_POOL && node.hasOutput(1) &&
      failed(node.setResult(
          1, node.create<MaxPoolIndicesOp>(
                 *shape, builder.getI64Type(), input,
                 node.intArray(window->kernel), node.intArray(window->strides),
                 node.intArray(window->pads), node.intArray(window->dilations),
                 builder.getBoolAttr(isColumnMajor)))))
    return Value();
  return createPool(node, input, kind, *shape, *window, countsPads);
}

LogicalResult npu::buildPool(OnnxNode &node) {
  return node.setResult(
      pool(node, node.getInput(0), static_cast<npu_op>(node.op.kind)));
}

Value npu::globalPool(OnnxNode &node, Value input, npu_op kind) {
  if (!input || failed(checkSpatial(node, input)))
    return Value();
  ArrayRef<int64_t> data = shapeOf(input);
  size_t rank = data.size() - 2;
  OnnxWindow window{Ints(data.drop_front(2)), Ints(rank, 1), Ints(rank, 1),
                    Ints(2 * rank, 0), "NOTSET"};
  Ints shape{data[0], data[1]};
  shape.append(rank, 1);
  return createPool(node, input, kind, shape, window, false);
}

LogicalResult npu::buildGlobalPool(OnnxNode &node) {
  return node.setResult(
      globalPool(node, node.getInput(0), static_cast<npu_op>(node.op.kind)));
}

/// (the sum of |x|^p)^(1/p), given the sum of powers.
static Value rootOf(OnnxNode &node, Value sum, double p) {
  if (p == 1)
    return sum;
  if (p == 2)
    return node.eltwise(NPU_INSTR_sqrt, sum);
  return sum ? node.eltwise(NPU_INSTR_pow,
                            {sum, node.scalar(1 / p, elementOf(sum))})
             : sum;
}

static Value powersOf(OnnxNode &node, Value x, double p) {
  if (p == 2)
    return multiply(node, x, x);
  Value size = node.eltwise(NPU_INSTR_abs, x);
  return p == 1 ? size
                : node.eltwise(NPU_INSTR_pow,
                               {size, node.scalar(p, elementOf(x))});
}

/// The attribute was a float in opset 1.
static double readNorm(OnnxNode &node) {
  double p =
      node.version < 2 ? node.getFloat("p", 2) : double(node.getInt("p", 2));
  if (!(p > 0))
    node.fail("attribute 'p' is " + std::to_string(p) +
              ", expected a positive number");
  return p;
}

/// The average of all powers times how many they are.
LogicalResult npu::buildGlobalLpPool(OnnxNode &node) {
  Value x = node.getInput(0);
  double p = readNorm(node);
  if (node.hasFailed() || failed(checkSpatial(node, x)))
    return failure();
  double count = 1;
  for (int64_t extent : shapeOf(x).drop_front(2))
    count *= double(extent);
  Value mean = globalPool(node, powersOf(node, x, p), NPU_OP_AVG_POOL);
  return node.setResult(rootOf(node, times(node, mean, count), p));
}

/// Powers padded with zeros, so that every window is whole: their average times
/// its size is the sum.
LogicalResult npu::buildLpPool(OnnxNode &node) {
  Value x = node.getInput(0);
  double p = readNorm(node);
  if (node.hasFailed() || failed(checkSpatial(node, x)))
    return failure();
  ArrayRef<int64_t> data = shapeOf(x), spatial = data.drop_front(2);
  auto rank = static_cast<int64_t>(spatial.size());
  FailureOr<OnnxWindow> window = readPoolWindow(node, spatial.size());
  if (failed(window))
    return failure();
  FailureOr<Ints> shape = pooledShape(node, data, *window);
  if (failed(shape))
    return failure();
  Ints pads(2 * (rank + 2), 0);
  double count = 1;
  for (int64_t i = 0; i < rank; ++i) {
    int64_t used =
        ((*shape)[2 + i] - 1) * window->strides[i] + dilatedKernel(*window, i);
    pads[2 + i] = window->pads[i];
    pads[rank + 4 + i] =
        std::max<int64_t>(used - window->pads[i] - spatial[i], 0);
    count *= double(window->kernel[i]);
  }
  window->pads.assign(2 * rank, 0);
  Value powers = node.pad(powersOf(node, x, p), pads, PadMode::Constant, 0);
  if (!powers)
    return failure();
  Value mean =
      createPool(node, powers, NPU_OP_AVG_POOL, *shape, *window, false);
  return node.setResult(rootOf(node, times(node, mean, count), p));
}

/// The shape that the pooling's windows cover: what the indices count in.
static FailureOr<Ints> unpooledShape(OnnxNode &node, ArrayRef<int64_t> data) {
  size_t rank = data.size() - 2;
  FailureOr<OnnxWindow> window = readPoolWindow(node, rank);
  if (failed(window))
    return failure();
  Ints shape{data[0], data[1]};
  for (size_t i = 0; i < rank; ++i) {
    int64_t extent = 0;
    if (llvm::MulOverflow(data[i + 2] - 1, window->strides[i], extent) ||
        extent > INT32_MAX)
      return node.unsupported("found the stride " + Twine(window->strides[i]) +
                              ", expected a smaller one");
    extent += window->kernel[i] - window->pads[i] - window->pads[rank + i];
    if (extent < 1)
      return node.error("pads leave nothing of spatial dimension " + Twine(i));
    shape.push_back(extent);
  }
  return shape;
}

LogicalResult npu::buildMaxUnpool(OnnxNode &node) {
  Value x = node.getInput(0), indices = node.getInput(1);
  if (failed(checkSpatial(node, x)))
    return failure();
  if (shapeOf(indices) != shapeOf(x))
    return node.error("found indices of shape " +
                      shapes::text(shapeOf(indices)) + ", expected " +
                      shapes::text(shapeOf(x)) + ", the data's");
  FailureOr<Ints> shape = unpooledShape(node, shapeOf(x));
  if (failed(shape))
    return failure();
  Value result = node.create<MaskunpoolOp>(*shape, elementOf(x), x, indices);
  if (!node.hasInput(2))
    return node.setResult(result);
  FailureOr<Ints> wanted = node.constantInts(2, "the output shape");
  if (failed(wanted))
    return failure();
  Ints pads(shape->size(), 0);
  for (size_t i = 0; i < shape->size() && wanted->size() == shape->size(); ++i)
    pads.push_back((*wanted)[i] - (*shape)[i]);
  if (wanted->size() != shape->size() || pads[shape->size()] != 0 ||
      pads[shape->size() + 1] != 0 ||
      llvm::any_of(pads, [](int64_t pad) { return pad < 0; }))
    return node.error("found the output shape " + shapes::text(*wanted) +
                      ", expected " + shapes::text(*shape) +
                      " or larger spatial extents");
  return node.setResult(result ? node.pad(result, pads, PadMode::Constant, 0)
                               : result);
}
