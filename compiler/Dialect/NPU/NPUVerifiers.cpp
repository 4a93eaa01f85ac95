// SPDX-License-Identifier: Apache-2.0
//
// What each op must satisfy before a kernel may rely on it. Every check has a
// label (`// conv_c1`), and every label a negative case in
// test/compiler/Dialect/NPU/verification*.mlir.
#include "compiler/Dialect/NPU/Constants.h"
#include "compiler/Dialect/NPU/LayoutUse.h"
#include "compiler/Dialect/NPU/NPUDialect.h"
#include "compiler/Dialect/NPU/ShapeInference.h"
#include "compiler/Dialect/NPU/VerifyHelpers.h"
#include "kernels/support/interpreter.h"
#include "kernels/tensor.h"

#include "mlir/IR/Verifier.h"

#include "llvm/Support/MathExtras.h"

using namespace npu;
using namespace npu::verify;
using shapes::Shape;

/// Whether data of the type can have this zero point.
static bool holds(Type type, int64_t zeroPoint) {
  auto integer = dyn_cast<mlir::IntegerType>(type);
  if (!integer)
    return zeroPoint == 0;
  return integer.isUnsigned() ? llvm::isUIntN(integer.getWidth(), zeroPoint)
                              : llvm::isIntN(integer.getWidth(), zeroPoint);
}

/// Types of a sum of products: bytes times bytes give i32, and what is added to
/// them is i32; bf16 may give f32 likewise; floats, i32 and i64 stay what they
/// are.
static LogicalResult verifySumTypes(Operation *op, const char *what) {
  Value result = op->getResult(0);
  if (!isByte(op->getOperand(0)) && !isByte(op->getOperand(1))) {
    if (elementOf(result).isInteger(1))
      return op->emitOpError() << what << ": element type i1, expected numbers";
    bool isWide = elementOf(result).isF32() &&
                  elementOf(op->getOperand(0)).isBF16() &&
                  elementOf(op->getOperand(1)).isBF16();
    if (!isWide)
      return verifyOneType(op, what);
    for (Value added : op->getOperands().drop_front(2))
      if (!elementOf(added).isF32())
        return op->emitOpError() << what << ": adds " << elementOf(added)
                                 << ", expected f32 like the result";
    return success();
  }
  for (OpOperand &operand : op->getOpOperands())
    if (operand.getOperandNumber() < 2
            ? !isByte(operand.get())
            : elementOf(operand.get()) != elementOf(result))
      return op->emitOpError()
             << what << ": operand " << operand.getOperandNumber() << " is "
             << elementOf(operand.get()) << ", expected "
             << (operand.getOperandNumber() < 2
                     ? "8 bits like the other operand"
                     : "i32 like the result");
  if (!elementOf(result).isSignlessInteger(32))
    return op->emitOpError() << what << ": element type " << elementOf(result)
                             << ", expected i32 from bytes";
  return success();
}

/// Whether the constant may be what npu.winograd_weight gives of the taps.
static LogicalResult verifyTaps(ConstantOp op, ElementsAttr taps,
                                int64_t tile) {
  std::string error;
  auto given = dyn_cast<RankedTensorType>(taps.getType());
  RankedTensorType have = tensorType(op.getResult());
  FailureOr<Shape> shape =
      given ? shapes::winogradWeight(given.getShape(), tile, error)
            : FailureOr<Shape>(failure());
  if (failed(shape) || *shape != Shape(have.getShape()) ||
      !given.getElementType().isF32() || !have.getElementType().isF32())
    return op.emitOpError() << "taps of " << taps.getType() << " with tile "
                            << tile << " do not give " << have;
  return success();
}

LogicalResult ConstantOp::verify() {
  RankedTensorType have = dyn_cast<RankedTensorType>(getValue().getType());
  RankedTensorType want = tensorType(getResult());
  // constant_c1
  if (!have || have.getShape() != want.getShape() ||
      have.getElementType() != want.getElementType())
    return emitOpError() << "elements of " << getValue().getType()
                         << " do not fit the result " << want;
  // constant_c2
  if (!isa<DenseElementsAttr, mlir::DenseResourceElementsAttr>(getValue()))
    return emitOpError("has elements that are neither dense nor a resource");
  // constant_c3
  if (getTaps().has_value() != getTile().has_value())
    return emitOpError("has one of 'taps' and 'tile', expected both or none");
  if (getTaps() && failed(verifyTaps(*this, *getTaps(), *getTile())))
    return failure(); // constant_c4
  return verifyLayouts(getOperation());
}

LogicalResult RelayoutOp::verify() {
  // relayout_c1
  if (shapeOf(getInput()) != shapeOf(getResult()))
    return emitOpError() << "changes the shape from "
                         << shapes::text(shapeOf(getInput())) << " to "
                         << shapes::text(shapeOf(getResult()));
  if (failed(verifyOneType(getOperation(), "relayout"))) // relayout_c2
    return failure();
  return verifyLayouts(getOperation());
}

LogicalResult TransposeOp::verify() {
  std::string error;
  // transpose_c1, transpose_c2
  if (failed(verifyShape(getOperation(),
                         shapes::transpose(shapeOf(getInput()),
                                           toInts(getPermutation()), error),
                         error)) ||
      failed(verifyOneType(getOperation(), "transpose"))) // transpose_c3
    return failure();
  return verifyLayouts(getOperation());
}

LogicalResult ReshapeOp::verify() {
  int64_t from = tensorType(getInput()).getNumElements();
  if (from != tensorType(getResult()).getNumElements()) // reshape_c1
    return emitOpError() << from << " elements do not fit shape "
                         << shapes::text(shapeOf(getResult()));
  if (failed(verifyOneType(getOperation(), "reshape"))) // reshape_c2
    return failure();
  return verifyLayouts(getOperation());
}

// Elementwise functions.

static LogicalResult verifyEltwiseTypes(EltwiseOp op) {
  npu_instr instr = {};
  instr.kind = static_cast<int16_t>(op.getKind());
  instr.dtype = dtypeOf(elementOf(op.getResult()));
  SmallVector<int32_t, 3> types;
  for (Value input : op.getInputs())
    types.push_back(dtypeOf(elementOf(input)));
  std::string why = kernels::checkInstr(instr, types.data());
  return why.empty() ? success() : op.emitOpError() << why;
}

LogicalResult EltwiseOp::verify() {
  const InstrKind *row = lookupInstr(static_cast<int64_t>(getKind()));
  if (!row) // eltwise_c1
    return emitOpError() << "number " << getKind()
                         << " is not an elementwise function";
  if (static_cast<int>(getInputs().size()) != row->arity) // eltwise_c2
    return emitOpError() << StringRef(row->name) << " takes " << row->arity
                         << " operands, found " << getInputs().size();
  SmallVector<Shape> inputs;
  for (Value input : getInputs())
    inputs.push_back(Shape(shapeOf(input)));
  std::string error;
  // eltwise_c3
  if (failed(verifyShape(getOperation(), shapes::broadcast(inputs, error),
                         error)) ||
      failed(verifyEltwiseTypes(*this))) // eltwise_c4
    return failure();
  if (row->kind == NPU_INSTR_clip &&
      getAlpha().convertToFloat() > getBeta().convertToFloat()) // eltwise_c5
    return emitOpError() << "clips to an empty range";
  return verifyLayouts(getOperation());
}

// Fused kernels.

/// Whether values of the two types are the same bytes, however their layouts
/// are spelled: acdb and aBcd16b are one layout of 1x16x8x8.
static bool isSameType(Type a, Type b) {
  LayoutAttr layout = getLayout(a), other = getLayout(b);
  if (a == b || !layout || !other)
    return a == b;
  auto one = cast<RankedTensorType>(a), two = cast<RankedTensorType>(b);
  return withLayout(one, {}) == withLayout(two, {}) &&
         layout.getRank() == one.getRank() &&
         layout.isEquivalent(other, one.getShape());
}

/// The checks of npu.fused ask the ops of its body, whose own checks would come
/// later.
static LogicalResult verifyBody(FusedOp fused) {
  Block &body = fused.getBody().front();
  if (body.empty() || !isa<YieldOp>(body.back())) // fused_c8
    return fused.emitOpError("has a body that does not end in npu.yield");
  for (Operation &op : body)
    if (failed(mlir::verify(&op, /*verifyRecursively=*/false)))
      return failure();
  return success();
}

LogicalResult FusedOp::verify() {
  if (failed(verifyBody(*this)))
    return failure();
  Block &body = getBody().front();
  if (body.getNumArguments() != getInputs().size()) // fused_c1
    return emitOpError() << "body takes " << body.getNumArguments()
                         << " arguments, the op has " << getInputs().size()
                         << " operands";
  for (auto [argument, input] : llvm::zip(body.getArguments(), getInputs()))
    if (!isSameType(argument.getType(), input.getType())) // fused_c2
      return emitOpError() << "argument " << argument.getArgNumber() << " is "
                           << argument.getType() << ", its operand "
                           << input.getType();
  if (body.without_terminator().empty()) // fused_c3
    return emitOpError() << "has an empty body";
  if (Operation *root = getRoot()) {
    auto rule = dyn_cast<LayoutOpInterface>(root);
    if (!rule || !isa<KernelOpInterface>(root) ||
        rule.getSensitivity() == Sensitivity::Data) // fused_c4
      return root->emitOpError() << "cannot be the root of npu.fused";
    for (auto [index, operand] : llvm::enumerate(root->getOperands()))
      if (index >= body.getNumArguments() ||
          operand != body.getArgument(index)) // fused_c9
        return root->emitOpError()
               << "must read the first operands of npu.fused, in order";
  }
  for (Operation &op : body.without_terminator()) {
    if (&op != getRoot() && !isa<EltwiseOp>(op)) // fused_c5
      return op.emitOpError()
             << "stands behind the first op of npu.fused, where only "
                "elementwise ops may stand";
    if (shapeOf(op.getResult(0)) != shapeOf(getResult())) // fused_c6
      return op.emitOpError()
             << "inside npu.fused has shape "
             << shapes::text(shapeOf(op.getResult(0)))
             << ", the kernel's result " << shapes::text(shapeOf(getResult()));
  }
  if (!isSameType(getYielded().getType(), getResult().getType())) // fused_c7
    return emitOpError() << "yields " << getYielded().getType()
                         << ", its result is " << getResult().getType();
  return verifyLayouts(getOperation());
}

// Windows: convolutions and pooling.

template <typename ConvOp>
static LogicalResult verifyConvAttrs(ConvOp op, int64_t spatial) {
  auto bad = [&](Value value, const char *name) -> LogicalResult {
    return op.emitOpError()
           << name << " has rank " << tensorType(value).getRank()
           << ", expected " << spatial + 2;
  };
  if (tensorType(op.getData()).getRank() != spatial + 2) // conv_c1
    return bad(op.getData(), "data");
  if (tensorType(op.getWeight()).getRank() != spatial + 2) // conv_c2
    return bad(op.getWeight(), "weight");
  if (failed(verifyInts(op, "strides", op.getStrides(), spatial, 1)) ||
      failed(verifyInts(op, "dilations", op.getDilations(), spatial, 1)) ||
      failed(verifyInts(op, "pads", op.getPads(), 2 * spatial, 0))) // conv_c3
    return failure();
  if (op.getGroups() < 1) // conv_c4
    return op.emitOpError() << "groups must be at least 1, found "
                            << static_cast<int64_t>(op.getGroups());
  int64_t outputs = shapeOf(op.getWeight()).front();
  if (op.getBias() && shapeOf(op.getBias()) != ArrayRef<int64_t>(outputs))
    return op.emitOpError()
           << "bias has shape " // conv_c5
           << shapes::text(shapeOf(op.getBias())) << ", expected " << outputs;
  int64_t zero = static_cast<int64_t>(op.getDataZeroPoint());
  if (!holds(elementOf(op.getData()), zero)) // conv_c6
    return op.emitOpError() << "zero point " << zero << " does not fit data of "
                            << elementOf(op.getData());
  return verifySumTypes(op, "convolution"); // conv_c7, conv_c9
}

template <typename ConvOp>
static LogicalResult verifyConv(ConvOp op, int64_t spatial) {
  if (failed(verifyConvAttrs(op, spatial)))
    return failure();
  std::string error;
  FailureOr<Shape> shape = shapes::conv(
      shapeOf(op.getData()), shapeOf(op.getWeight()), toInts(op.getStrides()),
      toInts(op.getDilations()), toInts(op.getPads()), op.getGroups(), error);
  if (failed(verifyShape(op, shape, error))) // conv_c8
    return failure();
  return verifyLayouts(op);
}

template <typename ConvOp>
static LogicalResult verifyConvTranspose(ConvOp op, int64_t spatial) {
  if (failed(verifyConvAttrs(op, spatial)))
    return failure();
  std::string error;
  SmallVector<int64_t> strides = toInts(op.getStrides());
  SmallVector<int64_t> dilations = toInts(op.getDilations());
  FailureOr<Shape> least = shapes::convTranspose(
      shapeOf(op.getData()), shapeOf(op.getWeight()), strides, dilations,
      toInts(op.getPads()), op.getGroups(), error);
  if (failed(least)) // conv_transpose_c1
    return op.emitOpError() << error;
  ArrayRef<int64_t> have = shapeOf(op.getResult());
  if (have.size() != least->size() ||
      have.take_front(2) != ArrayRef<int64_t>(*least).take_front(2))
    return verifyShape(op, least, error); // conv_transpose_c2
  for (int64_t i = 0; i < spatial; ++i) {
    int64_t extra = have[i + 2] - (*least)[i + 2];
    if (extra < 0 || extra >= std::max(strides[i], dilations[i]))
      return op.emitOpError() // conv_transpose_c3
             << "result extent " << have[i + 2] << " of dimension " << i + 2
             << " is not in [" << (*least)[i + 2] << ", "
             << (*least)[i + 2] + std::max(strides[i], dilations[i]) - 1 << "]";
  }
  return verifyLayouts(op);
}

LogicalResult Conv1dOp::verify() { return verifyConv(*this, 1); }
LogicalResult Conv2dOp::verify() { return verifyConv(*this, 2); }
LogicalResult Conv3dOp::verify() { return verifyConv(*this, 3); }
LogicalResult ConvTranspose1dOp::verify() {
  return verifyConvTranspose(*this, 1);
}
LogicalResult ConvTranspose2dOp::verify() {
  return verifyConvTranspose(*this, 2);
}
LogicalResult ConvTranspose3dOp::verify() {
  return verifyConvTranspose(*this, 3);
}

LogicalResult WinogradWeightOp::verify() {
  std::string error;
  FailureOr<Shape> shape =
      shapes::winogradWeight(shapeOf(getWeight()), getTile(), error);
  if (failed(verifyShape(getOperation(), shape, error))) // winograd_weight_c1
    return failure();
  if (!isFloat(getResult())) // winograd_weight_c2
    return emitOpError() << "element type " << elementOf(getResult())
                         << ", expected a float type";
  if (failed(verifyOneType(getOperation(), "weight"))) // winograd_weight_c3
    return failure();
  return verifyLayouts(getOperation());
}

LogicalResult Conv2dWinogradOp::verify() {
  if (failed(verifyInts(getOperation(), "pads", getPads(), 4, 0)))
    return failure(); // conv_winograd_c1
  std::string error;
  FailureOr<Shape> shape =
      shapes::convWinograd(shapeOf(getData()), shapeOf(getWeight()),
                           toInts(getPads()), getTile(), error);
  if (failed(verifyShape(getOperation(), shape, error))) // conv_winograd_c2
    return failure();
  int64_t outputs = shapeOf(getWeight()).front();
  if (getBias() && shapeOf(getBias()) != ArrayRef<int64_t>(outputs))
    return emitOpError() // conv_winograd_c3
           << "bias has shape " << shapes::text(shapeOf(getBias()))
           << ", expected " << outputs;
  if (!isFloat(getResult())) // conv_winograd_c4
    return emitOpError() << "element type " << elementOf(getResult())
                         << ", expected a float type";
  if (failed(verifyOneType(getOperation(), "convolution")))
    return failure(); // conv_winograd_c5
  return verifyLayouts(getOperation());
}

/// The extents of one spatial dimension of pooling: every window holds at least
/// one element of the data, and the result ends where the pads say (ceil mode
/// may add a last window that starts inside).
template <typename PoolOp>
static LogicalResult verifyPoolDim(PoolOp op, int64_t i) {
  int64_t spatial = tensorType(op.getData()).getRank() - 2;
  SmallVector<int64_t> pads = toInts(op.getPads());
  int64_t stride = toInts(op.getStrides())[i];
  int64_t window =
      (toInts(op.getKernel())[i] - 1) * toInts(op.getDilations())[i] + 1;
  int64_t in = shapeOf(op.getData())[i + 2];
  int64_t out = shapeOf(op.getResult())[i + 2];
  int64_t begin = pads[i], end = pads[i + spatial];
  if (begin >= window || end >= window + stride) // pool_c4
    return op.emitOpError() << "pads of spatial dimension " << i
                            << " leave a window without data";
  int64_t slack = in + begin + end - window;
  int64_t least = slack < 0 ? 1 : slack / stride + 1;
  int64_t most = slack < 0 ? 1 : (slack + stride - 1) / stride + 1;
  bool lastStartsInside = (out - 1) * stride - begin < in;
  // A result one shorter drops a last window that would hold only padding.
  if (out < std::max<int64_t>(1, least - 1) || out > most || !lastStartsInside)
    return op.emitOpError() // pool_c5
           << "result extent " << out << " of spatial dimension " << i
           << " is not what " << in << " elements give";
  return success();
}

template <typename PoolOp>
static LogicalResult verifyPoolWindows(PoolOp op) {
  int64_t rank = tensorType(op.getData()).getRank();
  if (rank < 3 || rank > 5) // pool_c1
    return op.emitOpError()
           << "data has rank " << rank << ", expected 3, 4 or 5";
  size_t spatial = rank - 2;
  if (failed(verifyInts(op, "kernel", op.getKernel(), spatial, 1)) ||
      failed(verifyInts(op, "strides", op.getStrides(), spatial, 1)) ||
      failed(verifyInts(op, "dilations", op.getDilations(), spatial, 1)) ||
      failed(verifyInts(op, "pads", op.getPads(), 2 * spatial, 0))) // pool_c2
    return failure();
  ArrayRef<int64_t> data = shapeOf(op.getData());
  ArrayRef<int64_t> result = shapeOf(op.getResult());
  if (data.size() != result.size() ||
      data.take_front(2) != result.take_front(2)) // pool_c3
    return op.emitOpError()
           << "result shape " << shapes::text(result)
           << " does not keep batch and channels of " << shapes::text(data);
  for (size_t i = 0; i < spatial; ++i)
    if (failed(verifyPoolDim(op, i)))
      return failure();
  return verifyLayouts(op);
}

template <typename PoolOp>
static LogicalResult verifyPool(PoolOp op) {
  if (failed(verifyOneType(op, "pooling"))) // pool_c6
    return failure();
  return verifyPoolWindows(op);
}

LogicalResult MaxPoolOp::verify() { return verifyPool(*this); }
LogicalResult AvgPoolOp::verify() {
  if (!isFloat(getResult())) // avg_pool_c1
    return emitOpError() << "element type " << elementOf(getResult())
                         << ", expected a float type";
  if (!isByte(getData()))
    return verifyPool(*this);
  if (!elementOf(getResult()).isF32()) // avg_pool_c2
    return emitOpError() << "element type " << elementOf(getResult())
                         << ", expected f32 from bytes";
  return verifyPoolWindows(*this);
}

LogicalResult MaxPoolIndicesOp::verify() {
  if (!elementOf(getResult()).isSignlessInteger(64)) // max_pool_indices_c1
    return emitOpError() << "element type " << elementOf(getResult())
                         << ", expected i64";
  return verifyPoolWindows(*this);
}

LogicalResult MatmulOp::verify() {
  for (Value operand : {getA(), getB()})
    if (tensorType(operand).getRank() < 2) // matmul_c1
      return emitOpError() << "operand of rank "
                           << tensorType(operand).getRank()
                           << ", expected at least 2";
  if (isPacked())
    return verifyPacked(*this);
  if (getQuantize() != 0) // matmul_c12
    return emitOpError() << "quantizes data for an operand that is not packed";
  std::string error;
  // matmul_c2
  if (failed(verifyShape(
          getOperation(),
          shapes::matmul(shapeOf(getA()), shapeOf(getB()), error), error)) ||
      failed(verifySumTypes(getOperation(), "matrix product"))) // matmul_c3
    return failure();
  return verifyLayouts(getOperation());
}

/// What is added to the scores, or says which of them count.
static LogicalResult verifyMask(AttentionOp op) {
  Value mask = op.getMask();
  Type element = elementOf(op.getResult());
  const bool isWider = element.isBF16() && elementOf(mask).isF32();
  if (elementOf(mask) != element && !isWider &&
      !elementOf(mask).isInteger(1)) // attention_c5
    return op.emitOpError()
           << "mask is " << elementOf(mask) << ", expected i1 or " << element;
  Shape scores(shapeOf(op.getQuery()));
  scores.back() = shapeOf(op.getKey())[scores.size() - 2];
  std::string error;
  FailureOr<Shape> wide =
      shapes::broadcast({scores, Shape(shapeOf(mask))}, error);
  if (failed(wide) || *wide != scores) // attention_c6
    return op.emitOpError()
           << "mask of shape " << shapes::text(shapeOf(mask))
           << " does not broadcast to the scores' " << shapes::text(scores);
  return success();
}

LogicalResult AttentionOp::verify() {
  std::string error;
  if (failed(
          verifyShape(getOperation(),
                      shapes::attention(shapeOf(getQuery()), shapeOf(getKey()),
                                        shapeOf(getValue()), error),
                      error))) // attention_c1
    return failure();
  Type element = elementOf(getResult());
  if (!isFloat(getResult())) // attention_c2
    return emitOpError() << "element type " << element
                         << ", expected a float type";
  for (Value operand : {getQuery(), getKey(), getValue()})
    if (elementOf(operand) != element) // attention_c3
      return emitOpError() << "element types " << elementOf(operand) << " and "
                           << element << " differ";
  if (!getScale().isFinite() || getFill().isNaN()) // attention_c4
    return emitOpError() << "scale is " << getScale().convertToDouble()
                         << " and fill " << getFill().convertToDouble()
                         << ", expected a finite scale and numbers";
  if (getMask() && failed(verifyMask(*this)))
    return failure();
  return verifyLayouts(getOperation());
}

// Ops along axes.

LogicalResult ConcatOp::verify() {
  if (getInputs().empty()) // concat_c1
    return emitOpError() << "has no operand";
  if (failed(verifyAxis(getOperation(), getAxis(),
                        tensorType(getResult()).getRank()))) // concat_c2
    return failure();
  SmallVector<Shape> inputs;
  for (Value input : getInputs())
    inputs.push_back(Shape(shapeOf(input)));
  std::string error;
  // concat_c3
  if (failed(verifyShape(getOperation(),
                         shapes::concat(inputs, getAxis(), error), error)) ||
      failed(verifyOneType(getOperation(), "concatenation"))) // concat_c4
    return failure();
  return verifyLayouts(getOperation());
}

/// Reflection reads up to extent - 1 elements away, wrapping up to the extent;
/// an edge needs an element.
static LogicalResult verifyPadReach(PadOp op) {
  SmallVector<int64_t> pads = toInts(op.getPads());
  ArrayRef<int64_t> input = shapeOf(op.getInput());
  PadMode mode = op.getMode();
  for (auto [index, amount] : llvm::enumerate(pads)) {
    int64_t extent = input[index % input.size()];
    bool tooFar = mode == PadMode::Reflect ? amount > extent - 1
                  : mode == PadMode::Wrap  ? amount > extent
                  : mode == PadMode::Edge  ? extent == 0
                                           : false;
    if (amount > 0 && tooFar) // pad_c3
      return op.emitOpError()
             << "mode '" << stringifyEnum(mode) << "' cannot add " << amount
             << " elements to an extent of " << extent;
  }
  return success();
}

LogicalResult PadOp::verify() {
  size_t rank = tensorType(getInput()).getRank();
  if (failed(verifyInts(getOperation(), "pads", getPads(), 2 * rank,
                        anyInt))) // pad_c1
    return failure();
  std::string error;
  // pad_c2
  if (failed(verifyShape(
          getOperation(),
          shapes::pad(shapeOf(getInput()), toInts(getPads()), error), error)) ||
      failed(verifyPadReach(*this)) ||
      failed(verifyOneType(getOperation(), "padding"))) // pad_c4
    return failure();
  return verifyLayouts(getOperation());
}

LogicalResult SliceOp::verify() {
  ArrayRef<int64_t> input = shapeOf(getInput());
  ArrayRef<int64_t> result = shapeOf(getResult());
  SmallVector<int64_t> starts = toInts(getStarts()), steps = toInts(getSteps());
  if (result.size() != input.size()) // slice_c1
    return emitOpError() << "result has rank " << result.size()
                         << ", the input " << input.size();
  if (failed(verifyInts(getOperation(), "starts", getStarts(), input.size(),
                        0)) || // slice_c2
      failed(verifyInts(getOperation(), "steps", getSteps(), input.size(),
                        anyInt))) // slice_c3
    return failure();
  for (size_t i = 0; i < input.size(); ++i) {
    if (steps[i] == 0) // slice_c4
      return emitOpError() << "step of dimension " << i << " is 0";
    int64_t way = 0;
    bool far = llvm::MulOverflow(result[i] - 1, steps[i], way) ||
               way < -maxInt || way > maxInt;
    int64_t last = starts[i] + (far ? maxInt : way);
    if (result[i] > 0 && (far || starts[i] >= input[i] || last < 0 ||
                          last >= input[i])) // slice_c5
      return emitOpError() << "reads elements " << starts[i] << " to " << last
                           << " of dimension " << i << ", which has "
                           << input[i];
  }
  if (failed(verifyOneType(getOperation(), "slice"))) // slice_c6
    return failure();
  return verifyLayouts(getOperation());
}

LogicalResult ReduceOp::verify() {
  SmallVector<int64_t> axes = toInts(getAxes());
  int64_t rank = tensorType(getInput()).getRank();
  for (auto [index, axis] : llvm::enumerate(axes)) {
    if (failed(verifyAxis(getOperation(), axis, rank))) // reduce_c1
      return failure();
    if (llvm::is_contained(ArrayRef<int64_t>(axes).take_front(index), axis))
      return emitOpError() << "reduces axis " << axis << " twice"; // reduce_c2
  }
  std::string error;
  // reduce_c3
  if (failed(verifyShape(
          getOperation(),
          shapes::reduce(shapeOf(getInput()), axes, getKeepDims(), error),
          error)) ||
      failed(verifyOneType(getOperation(), "reduction"))) // reduce_c4
    return failure();
  return verifyLayouts(getOperation());
}

LogicalResult SoftmaxOp::verify() {
  if (failed(verifyAxis(getOperation(), getAxis(),
                        tensorType(getInput()).getRank()))) // softmax_c1
    return failure();
  if (shapeOf(getInput()) != shapeOf(getResult())) // softmax_c2
    return emitOpError() << "result shape is "
                         << shapes::text(shapeOf(getResult())) << ", expected "
                         << shapes::text(shapeOf(getInput()));
  if (!isFloat(getResult())) // softmax_c3
    return emitOpError() << "element type " << elementOf(getResult())
                         << ", expected a float type";
  if (failed(verifyOneType(getOperation(), "softmax"))) // softmax_c4
    return failure();
  return verifyLayouts(getOperation());
}

LogicalResult ResizeOp::verify() {
  Operation *op = getOperation();
  ArrayRef<int64_t> input = shapeOf(getInput()), result = shapeOf(getResult());
  if (input.size() != result.size() ||
      getScales().size() != input.size()) // resize_c1
    return emitOpError() << "has " << getScales().size()
                         << " scales and a result of rank " << result.size()
                         << " for an input of rank " << input.size();
  for (Attribute scale : getScales()) {
    double value = cast<mlir::FloatAttr>(scale).getValueAsDouble();
    if (!(value > 0) || !std::isfinite(value)) // resize_c2
      return emitOpError() << "scales must be positive, found " << value;
  }
  if (llvm::is_contained(input, 0) != llvm::is_contained(result, 0))
    return emitOpError() << "resizes an empty tensor"; // resize_c3
  if (failed(verifyOneType(op, "resize")))             // resize_c4
    return failure();
  return verifyLayouts(op);
}

LogicalResult BroadcastOp::verify() {
  std::string error;
  FailureOr<Shape> shape = shapes::broadcast(
      {Shape(shapeOf(getInput())), Shape(shapeOf(getResult()))}, error);
  if (failed(verifyShape(getOperation(), shape, error)) || // broadcast_c1
      failed(verifyOneType(getOperation(), "broadcast")))  // broadcast_c2
    return failure();
  return verifyLayouts(getOperation());
}
