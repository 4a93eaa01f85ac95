// SPDX-License-Identifier: Apache-2.0
//
// Verifiers of ops that address elements by index, or find where they lie.
#include "compiler/Dialect/NPU/LayoutUse.h"
#include "compiler/Dialect/NPU/VerifyHelpers.h"

using namespace npu;
using namespace npu::verify;
using shapes::Shape;

static LogicalResult verifyIndices(Operation *op, Value indices) {
  Type index = elementOf(indices);
  if (index.isSignlessInteger(32) || index.isSignlessInteger(64))
    return success();
  return op->emitOpError() << "indices are " << index
                           << ", expected i32 or i64";
}

static LogicalResult verifySameElements(Operation *op, Value a, Value b) {
  if (elementOf(a) == elementOf(b))
    return success();
  return op->emitOpError() << "element types " << elementOf(a) << " and "
                           << elementOf(b) << " differ";
}

LogicalResult GatherOp::verify() {
  if (failed(verifyAxis(getOperation(), getAxis(),
                        tensorType(getData()).getRank()))) // gather_c1
    return failure();
  if (failed(verifyIndices(getOperation(), getIndices()))) // gather_c2
    return failure();
  if (elementOf(getData()) != elementOf(getResult())) // gather_c3
    return emitOpError() << "element types " << elementOf(getData()) << " and "
                         << elementOf(getResult()) << " differ";
  std::string error;
  if (failed(
          verifyShape(getOperation(),
                      shapes::gather(shapeOf(getData()), shapeOf(getIndices()),
                                     getAxis(), error),
                      error))) // gather_c4
    return failure();
  return verifyLayouts(getOperation());
}

LogicalResult GatherElementsOp::verify() {
  Operation *op = getOperation();
  std::string error;
  if (failed(verifyIndices(op, getIndices())) || // gather_elements_c1
      failed(verifySameElements(op, getData(),
                                getResult())) || // gather_elements_c2
      failed(verifyShape(op,
                         shapes::gatherElements(shapeOf(getData()),
                                                shapeOf(getIndices()),
                                                getAxis(), error),
                         error))) // gather_elements_c3
    return failure();
  return verifyLayouts(op);
}

LogicalResult GatherNdOp::verify() {
  Operation *op = getOperation();
  std::string error;
  if (failed(verifyIndices(op, getIndices())) ||                // gather_nd_c1
      failed(verifySameElements(op, getData(), getResult())) || // gather_nd_c2
      failed(verifyShape(op,
                         shapes::gatherNd(shapeOf(getData()),
                                          shapeOf(getIndices()), getBatchDims(),
                                          error),
                         error))) // gather_nd_c3
    return failure();
  return verifyLayouts(op);
}

/// What both scatters share: the updates are what the gather would give.
template <typename OpTy>
static LogicalResult verifyScatter(OpTy op, const FailureOr<Shape> &updates,
                                   const std::string &error) {
  if (failed(verifyIndices(op, op.getIndices())) || // scatter_c1
      failed(verifySameElements(op, op.getData(),
                                op.getUpdates())) || // scatter_c2
      failed(verifySameElements(op, op.getData(),
                                op.getResult()))) // scatter_c3
    return failure();
  if (failed(updates)) // scatter_c4
    return op.emitOpError() << error;
  if (shapeOf(op.getUpdates()) != ArrayRef<int64_t>(*updates)) // scatter_c5
    return op.emitOpError()
           << "updates have shape " << shapes::text(shapeOf(op.getUpdates()))
           << ", expected " << shapes::text(*updates);
  if (shapeOf(op.getResult()) != shapeOf(op.getData())) // scatter_c6
    return op.emitOpError()
           << "result shape is " << shapes::text(shapeOf(op.getResult()))
           << ", expected " << shapes::text(shapeOf(op.getData()));
  return verifyLayouts(op);
}

LogicalResult ScatterElementsOp::verify() {
  std::string error;
  return verifyScatter(*this,
                       shapes::gatherElements(shapeOf(getData()),
                                              shapeOf(getIndices()), getAxis(),
                                              error),
                       error);
}

LogicalResult ScatterNdOp::verify() {
  std::string error;
  return verifyScatter(
      *this,
      shapes::gatherNd(shapeOf(getData()), shapeOf(getIndices()), 0, error),
      error);
}

LogicalResult TopKOp::verify() {
  Operation *op = getOperation();
  ArrayRef<int64_t> input = shapeOf(getInput()), result = shapeOf(getResult());
  if (failed(verifyAxis(op, getAxis(), input.size()))) // top_k_c1
    return failure();
  if (!elementOf(getResult()).isSignlessInteger(64)) // top_k_c2
    return emitOpError() << "element type " << elementOf(getResult())
                         << ", expected i64";
  Shape expected(input);
  if (result.size() == input.size())
    expected[getAxis()] = std::min(result[getAxis()], input[getAxis()]);
  if (result != ArrayRef<int64_t>(expected)) // top_k_c3
    return emitOpError() << "result shape is " << shapes::text(result)
                         << ", expected " << shapes::text(expected);
  return verifyLayouts(op);
}

LogicalResult CumulateOp::verify() {
  Operation *op = getOperation();
  if (failed(verifyAxis(op, getAxis(),
                        tensorType(getInput()).getRank())) || // cumulate_c1
      failed(verifyOneType(op, "accumulation")))              // cumulate_c2
    return failure();
  if (elementOf(getResult()).isInteger(1)) // cumulate_c3
    return emitOpError() << "element type i1, expected numbers";
  if (shapeOf(getInput()) != shapeOf(getResult())) // cumulate_c4
    return emitOpError() << "result shape is "
                         << shapes::text(shapeOf(getResult())) << ", expected "
                         << shapes::text(shapeOf(getInput()));
  return verifyLayouts(op);
}
