// SPDX-License-Identifier: Apache-2.0
//
// The checks of the ops in NPUChipOps.td; labels as in NPUVerifiers.cpp.
#include "compiler/Dialect/NPU/LayoutUse.h"
#include "compiler/Dialect/NPU/NPUDialect.h"
#include "compiler/Dialect/NPU/ShapeInference.h"
#include "compiler/Dialect/NPU/VerifyHelpers.h"

using namespace npu;
using namespace npu::verify;
using shapes::Shape;

static LogicalResult verifyImageRank(Operation *op, Value data) {
  int64_t rank = tensorType(data).getRank();
  if (rank >= 3 && rank <= 2 + NPU_MAX_SPATIAL)
    return success();
  return op->emitOpError() << "data has rank " << rank
                           << ", expected 3, 4 or 5";
}

static LogicalResult verifySame(Operation *op, ArrayRef<int64_t> found,
                                ArrayRef<int64_t> want, const char *what) {
  if (found == want)
    return success();
  return op->emitOpError() << what << " has shape " << shapes::text(found)
                           << ", expected " << shapes::text(want);
}

/// The convolution of `data` with `weight` must give `result`.
template <typename GradientOp>
static LogicalResult verifyGradient(GradientOp op, Value data, Value weight,
                                    Value result) {
  if (failed(verifyImageRank(op, op.getData()))) // conv_bpa_c1, conv_bpw_c1
    return failure();
  size_t spatial = tensorType(op.getData()).getRank() - 2;
  if (failed(verifyInts(op, "strides", op.getStrides(), spatial, 1)) ||
      failed(verifyInts(op, "dilations", op.getDilations(), spatial, 1)) ||
      failed(verifyInts(op, "pads", op.getPads(), 2 * spatial,
                        0))) // conv_bpa_c2, conv_bpw_c2
    return failure();
  std::string error;
  FailureOr<Shape> shape = shapes::conv(
      shapeOf(data), shapeOf(weight), toInts(op.getStrides()),
      toInts(op.getDilations()), toInts(op.getPads()), op.getGroups(), error);
  if (failed(shape)) // conv_bpa_c3, conv_bpw_c3
    return op.emitOpError() << error;
  if (failed(verifySame(op, shapeOf(result), *shape,
                        "the gradient"))) // conv_bpa_c4, conv_bpw_c4
    return failure();
  if (elementOf(op.getResult()).isInteger(1)) // conv_bpa_c5, conv_bpw_c5
    return op.emitOpError() << "element type i1, expected numbers";
  if (failed(verifyOneType(op, "gradient"))) // conv_bpa_c6, conv_bpw_c6
    return failure();
  return verifyLayouts(op);
}

LogicalResult ConvBpaOp::verify() {
  return verifyGradient(*this, getResult(), getWeight(), getData());
}

LogicalResult ConvBpwOp::verify() {
  return verifyGradient(*this, getData(), getResult(), getGradient());
}

LogicalResult Img2colOp::verify() {
  Operation *op = getOperation();
  if (failed(verifyImageRank(op, getData()))) // img2col_c1
    return failure();
  SmallVector<int64_t> kernel = toInts(getKernel()),
                       strides = toInts(getStrides()),
                       dilations = toInts(getDilations()),
                       pads = toInts(getPads());
  std::string error;
  // img2col_c2, img2col_c3
  if (failed(verifyShape(op,
                         shapes::img2col(shapeOf(getData()),
                                         {kernel, strides, dilations, pads},
                                         error),
                         error)) ||
      failed(verifyOneType(op, "img2col"))) // img2col_c4
    return failure();
  return verifyLayouts(op);
}

LogicalResult UnpoolOp::verify() {
  Operation *op = getOperation();
  if (failed(verifyImageRank(op, getData()))) // unpool_c1
    return failure();
  size_t spatial = tensorType(getData()).getRank() - 2;
  if (failed(verifyInts(op, "kernel", getKernel(), spatial, 1))) // unpool_c2
    return failure();
  std::string error;
  // unpool_c3
  if (failed(verifyShape(
          op, shapes::unpool(shapeOf(getData()), toInts(getKernel()), error),
          error)) ||
      failed(verifyOneType(op, "unpooling"))) // unpool_c4
    return failure();
  return verifyLayouts(op);
}

LogicalResult MaskunpoolOp::verify() {
  Operation *op = getOperation();
  if (failed(verifyImageRank(op, getData()))) // maskunpool_c1
    return failure();
  ArrayRef<int64_t> data = shapeOf(getData()), result = shapeOf(getResult());
  if (failed(verifySame(op, shapeOf(getIndices()), data,
                        "indices"))) // maskunpool_c2
    return failure();
  Type index = elementOf(getIndices());
  if (!index.isSignlessInteger(64) &&
      !index.isSignlessInteger(32)) // maskunpool_c3
    return emitOpError() << "indices of type " << index
                         << ", expected i64 or i32";
  if (result.size() != data.size() ||
      result.take_front(2) != data.take_front(2)) // maskunpool_c4
    return emitOpError() << "result shape " << shapes::text(result)
                         << " does not keep batch and channels of "
                         << shapes::text(data);
  if (elementOf(getData()) != elementOf(getResult())) // maskunpool_c5
    return emitOpError() << "element types " << elementOf(getData()) << " and "
                         << elementOf(getResult()) << " differ";
  return verifyLayouts(op);
}

/// Dimensions of the rank, none of them twice.
static LogicalResult verifyAxes(Operation *op, ArrayRef<int64_t> axes,
                                int64_t rank) {
  for (auto [index, axis] : llvm::enumerate(axes)) {
    if (failed(verifyAxis(op, axis, rank)))
      return failure();
    if (llvm::is_contained(axes.take_front(index), axis))
      return op->emitOpError() << "names axis " << axis << " twice";
  }
  return success();
}

LogicalResult MirrorOp::verify() {
  Operation *op = getOperation();
  if (failed(verifyAxes(
          op, toInts(getAxes()),
          tensorType(getInput()).getRank())) || // mirror_c1, mirror_c2
      failed(verifySame(op, shapeOf(getResult()), shapeOf(getInput()),
                        "the result")) ||     // mirror_c3
      failed(verifyOneType(op, "mirroring"))) // mirror_c4
    return failure();
  return verifyLayouts(op);
}

LogicalResult RotateOp::verify() {
  Operation *op = getOperation();
  SmallVector<int64_t> axes = toInts(getAxes());
  if (axes.size() != 2) // rotate_c1
    return emitOpError() << "axes has " << axes.size()
                         << " entries, expected 2";
  if (failed(
          verifyAxes(op, axes,
                     tensorType(getInput()).getRank()))) // rotate_c2, rotate_c3
    return failure();
  int64_t turns = static_cast<int64_t>(getTurns());
  if (turns < 1 || turns > 3) // rotate_c4
    return emitOpError() << "turns is " << turns << ", expected 1, 2 or 3";
  if (failed(verifySame(op, shapeOf(getResult()),
                        shapes::rotate(shapeOf(getInput()), axes, turns),
                        "the result")) ||    // rotate_c5
      failed(verifyOneType(op, "rotation"))) // rotate_c6
    return failure();
  return verifyLayouts(op);
}

/// The first axis is cut into `groups` parts of one size.
static LogicalResult verifyGroups(TensornormOp op, ArrayRef<int64_t> axes) {
  int64_t groups = static_cast<int64_t>(op.getGroups());
  int64_t extent = shapeOf(op.getInput())[axes.front()];
  if (groups >= 1 && extent % groups == 0)
    return success();
  return op.emitOpError() << "groups = " << groups
                          << " does not divide the extent " << extent
                          << " of axis " << axes.front();
}

LogicalResult TensornormOp::verify() {
  Operation *op = getOperation();
  SmallVector<int64_t> axes = toInts(getAxes());
  if (axes.empty()) // tensornorm_c1
    return emitOpError() << "normalises over no axis";
  if (failed(verifyAxes(
          op, axes,
          tensorType(getInput()).getRank())) || // tensornorm_c2, tensornorm_c3
      failed(verifyGroups(*this, axes)) ||      // tensornorm_c4
      failed(verifySame(op, shapeOf(getResult()), shapeOf(getInput()),
                        "the result"))) // tensornorm_c5
    return failure();
  for (Value parameter : getOperands().drop_front()) {
    std::string error;
    FailureOr<Shape> wide = shapes::broadcast(
        {Shape(shapeOf(getInput())), Shape(shapeOf(parameter))}, error);
    if (failed(wide) || ArrayRef(*wide) != shapeOf(getInput())) // tensornorm_c6
      return emitOpError() << "scale or bias of shape "
                           << shapes::text(shapeOf(parameter))
                           << " does not broadcast to "
                           << shapes::text(shapeOf(getInput()));
  }
  if (!getEpsilon().isFinite()) // tensornorm_c7
    return emitOpError() << "epsilon is " << getEpsilon().convertToDouble()
                         << ", expected a finite number";
  if (!isFloat(getResult())) // tensornorm_c8
    return emitOpError() << "element type " << elementOf(getResult())
                         << ", expected a float type";
  Type data = elementOf(getInput());
  const bool isRounded = data.isF32() && elementOf(getResult()).isBF16();
  if (failed(verifyOneType(
          op, "normalisation",
          isRounded ? data : elementOf(getResult())))) // tensornorm_c9
    return failure();
  return verifyLayouts(op);
}
