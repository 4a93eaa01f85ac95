// SPDX-License-Identifier: Apache-2.0
//
// MaxPool, AveragePool and their global forms; MaxUnpool.
#include "compiler/Frontend/ONNX/OnnxOps.h"

#include "compiler/Dialect/NPU/ShapeInference.h"
#include "compiler/Frontend/ONNX/OnnxWindow.h"

#include "llvm/Support/MathExtras.h"

using namespace npu;

static LogicalResult checkData(OnnxNode &node, Value data) {
  if (rankOf(data) < 3 || rankOf(data) > 2 + NPU_MAX_SPATIAL)
    return node.error("found data of shape " + shapes::text(shapeOf(data)) +
                      ", expected N, C and 1 to 3 spatial dimensions");
  return success();
}

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

Value npu::pool(OnnxNode &node, Value input, npu_op kind) {
  if (!input || failed(checkData(node, input)))
    return Value();
  ArrayRef<int64_t> data = shapeOf(input);
  ArrayRef<int64_t> spatial = data.drop_front(2);
  std::optional<Ints> kernel = node.getInts("kernel_shape");
  if (!kernel || kernel->size() != spatial.size())
    return node.fail("attribute 'kernel_shape' must have " +
                     Twine(spatial.size()) + " entries");
  bool countsPads = node.getFlag("count_include_pad", false);
  bool rounds = node.getFlag("ceil_mode", false);
  bool isColumnMajor = node.getFlag("storage_order", false);
  FailureOr<OnnxWindow> window = readWindow(node, *kernel);
  if (failed(window))
    return Value();
  resolveAutoPad(*window, spatial);
  std::string reason;
  FailureOr<shapes::Shape> extents = shapes::windowed(
      spatial,
      {window->kernel, window->strides, window->dilations, window->pads},
      reason);
  if (failed(extents))
    return node.fail(reason);
  if (rounds)
    roundUp(*extents, *window, spatial);
  Ints shape{data[0], data[1]};
  shape.append(*extents);
  OpBuilder &builder = node.getBuilder();
  if (kind == NPU_OP_MAX_POOL && node.hasOutput(1) &&
      failed(node.setResult(
          1, node.create<MaxPoolIndicesOp>(
                 shape, builder.getI64Type(), input,
                 node.intArray(window->kernel), node.intArray(window->strides),
                 node.intArray(window->pads), node.intArray(window->dilations),
                 builder.getBoolAttr(isColumnMajor)))))
    return Value();
  return createPool(node, input, kind, shape, *window, countsPads);
}

LogicalResult npu::buildPool(OnnxNode &node) {
  return node.setResult(
      pool(node, node.getInput(0), static_cast<npu_op>(node.op.kind)));
}

Value npu::globalPool(OnnxNode &node, Value input, npu_op kind) {
  if (!input || failed(checkData(node, input)))
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

/// The shape that the pooling's windows cover: what the indices count in.
static FailureOr<Ints> unpooledShape(OnnxNode &node, ArrayRef<int64_t> data) {
  std::optional<Ints> kernel = node.getInts("kernel_shape");
  size_t rank = data.size() - 2;
  if (!kernel || kernel->size() != rank)
    return node.error("attribute 'kernel_shape' must have " + Twine(rank) +
                      " entries");
  FailureOr<OnnxWindow> window = readWindow(node, *kernel);
  if (failed(window))
    return failure();
  Ints shape{data[0], data[1]};
  for (size_t i = 0; i < rank; ++i) {
    int64_t extent = 0;
    if (llvm::MulOverflow(data[i + 2] - 1, window->strides[i], extent) ||
        extent > INT32_MAX)
      return node.error("found the stride " + Twine(window->strides[i]) +
                        ", expected a smaller one");
    extent += (*kernel)[i] - window->pads[i] - window->pads[rank + i];
    if (extent < 1)
      return node.error("pads leave nothing of spatial dimension " + Twine(i));
    shape.push_back(extent);
  }
  return shape;
}

LogicalResult npu::buildMaxUnpool(OnnxNode &node) {
  Value x = node.getInput(0), indices = node.getInput(1);
  if (failed(checkData(node, x)))
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
  return node.setResult(result ? node.pad(result, pads, "constant", 0)
                               : result);
}
