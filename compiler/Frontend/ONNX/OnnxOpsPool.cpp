// SPDX-License-Identifier: Apache-2.0
//
// MaxPool, AveragePool and their global forms.
#include "compiler/Frontend/ONNX/OnnxOps.h"

#include "compiler/Dialect/NPU/ShapeInference.h"
#include "compiler/Frontend/ONNX/OnnxWindow.h"

using namespace npu;

static LogicalResult checkData(OnnxNode &node) {
  Value data = node.getInput(0);
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

static Value createPool(OnnxNode &node, ArrayRef<int64_t> shape,
                        const OnnxWindow &window, bool countsPads) {
  Value data = node.getInput(0);
  ArrayAttr kernel = node.intArray(window.kernel);
  ArrayAttr strides = node.intArray(window.strides);
  ArrayAttr pads = node.intArray(window.pads);
  ArrayAttr dilations = node.intArray(window.dilations);
  if (node.op.kind == NPU_OP_MAX_POOL)
    return node.create<MaxPoolOp>(shape, elementOf(data), data, kernel, strides,
                                  pads, dilations);
  return node.create<AvgPoolOp>(shape, elementOf(data), data, kernel, strides,
                                pads, dilations,
                                node.getBuilder().getBoolAttr(countsPads));
}

LogicalResult npu::buildPool(OnnxNode &node) {
  if (failed(checkData(node)))
    return failure();
  ArrayRef<int64_t> data = shapeOf(node.getInput(0));
  ArrayRef<int64_t> spatial = data.drop_front(2);
  std::optional<Ints> kernel = node.getInts("kernel_shape");
  if (!kernel || kernel->size() != spatial.size())
    return node.error("attribute 'kernel_shape' must have " +
                      Twine(spatial.size()) + " entries");
  bool countsPads = node.getFlag("count_include_pad", false);
  bool rounds = node.getFlag("ceil_mode", false);
  bool isColumnMajor = node.getFlag("storage_order", false);
  FailureOr<OnnxWindow> window = readWindow(node, *kernel);
  if (failed(window))
    return failure();
  resolveAutoPad(*window, spatial);
  std::string reason;
  FailureOr<shapes::Shape> extents = shapes::windowed(
      spatial,
      {window->kernel, window->strides, window->dilations, window->pads},
      reason);
  if (failed(extents))
    return node.error(reason);
  if (rounds)
    roundUp(*extents, *window, spatial);
  Ints shape{data[0], data[1]};
  shape.append(*extents);
  OpBuilder &builder = node.getBuilder();
  if (node.hasOutput(1) &&
      failed(node.setResult(
          1, node.create<MaxPoolIndicesOp>(
                 shape, builder.getI64Type(), node.getInput(0),
                 node.intArray(window->kernel), node.intArray(window->strides),
                 node.intArray(window->pads), node.intArray(window->dilations),
                 builder.getBoolAttr(isColumnMajor)))))
    return failure();
  return node.setResult(createPool(node, shape, *window, countsPads));
}

LogicalResult npu::buildGlobalPool(OnnxNode &node) {
  if (failed(checkData(node)))
    return failure();
  ArrayRef<int64_t> data = shapeOf(node.getInput(0));
  size_t rank = data.size() - 2;
  OnnxWindow window{Ints(data.drop_front(2)), Ints(rank, 1), Ints(rank, 1),
                    Ints(2 * rank, 0), "NOTSET"};
  Ints shape{data[0], data[1]};
  shape.append(rank, 1);
  return node.setResult(createPool(node, shape, window, false));
}
