// SPDX-License-Identifier: Apache-2.0
#include "compiler/Fusion/Rewrites.h"

#include "compiler/Dialect/NPU/Constants.h"
#include "compiler/Dialect/NPU/ShapeInference.h"
#include "compiler/Fusion/Boxes.h"
#include "compiler/Kernel/Evaluator.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#include "llvm/Support/ErrorHandling.h"

using namespace npu;
using namespace npu::rewrites;

/// The constants under `root`, and what they were made of.
static SmallVector<ElementsAttr> collectConstants(Operation *root) {
  SmallVector<ElementsAttr> constants;
  root->walk([&](ConstantOp op) {
    constants.push_back(op.getValue());
    if (op.getTaps())
      constants.push_back(*op.getTaps());
  });
  return constants;
}

#if __has_feature(address_sanitizer)
namespace {
/// Ends where a pattern has made something and then fails: it would be tried
/// again for as long as what it has made goes away.
struct FailsUnchanged : mlir::RewriterBase::Listener {
  void notifyPatternBegin(const mlir::Pattern &, Operation *) override {
    hasMade = false;
  }
  void notifyOperationInserted(Operation *, OpBuilder::InsertPoint) override {
    hasMade = true;
  }
  void notifyPatternEnd(const mlir::Pattern &pattern,
                        LogicalResult result) override {
    if (succeeded(result) || !hasMade)
      return;
    std::string root = pattern.getRootKind()
                           ? pattern.getRootKind()->getStringRef().str()
                           : "any op";
    std::string why = "a pattern of " + root + " has made ops and failed";
    llvm::report_fatal_error(why.c_str()); // NOLINT(a defect of ours)
  }
  bool hasMade = false;
};
} // namespace
#endif

LogicalResult rewrites::apply(Operation *root,
                              mlir::RewritePatternSet &&patterns) {
  mlir::GreedyRewriteConfig config;
  // Folding would hoist and hash every constant; the patterns do what is
  // needed.
  config.enableFolding(false).enableConstantCSE(false);
  config.setRegionSimplificationLevel(
      mlir::GreedySimplifyRegionLevel::Disabled);
  config.setMaxIterations(mlir::GreedyRewriteConfig::kNoLimit);
#if __has_feature(address_sanitizer)
  FailsUnchanged listener;
  config.setListener(&listener);
#endif
  SmallVector<ElementsAttr> before = collectConstants(root);
  bool changed = false;
  LogicalResult result =
      mlir::applyPatternsGreedily(root, std::move(patterns), config, &changed);
  // Bytes can be shared between functions: with several, they stay.
  auto module = root->getParentOfType<mlir::ModuleOp>();
  if (changed && module &&
      llvm::hasSingleElement(module.getOps<mlir::func::FuncOp>()))
    releaseUnused(root->getContext(), before, collectConstants(module));
  return result;
}

EltwiseOp rewrites::definedBy(Value value, npu_instr_kind kind) {
  auto op = value.getDefiningOp<EltwiseOp>();
  return isKind(op, kind) ? op : EltwiseOp();
}

std::optional<float> rewrites::scalarOf(Value value) {
  ElementsAttr elements = constantOf(value);
  // A weight is never looked at for being all the same.
  if (!elements || (!elements.isSplat() && elements.getNumElements() != 1))
    return std::nullopt;
  std::optional<std::vector<float>> floats = floatsOf(value);
  if (!floats || floats->empty())
    return std::nullopt;
  return floats->front();
}

std::optional<int64_t> rewrites::integerOf(Value value) {
  ElementsAttr elements = constantOf(value);
  if (!elements || !isa<mlir::IntegerType>(elements.getElementType()) ||
      (!elements.isSplat() && elements.getNumElements() != 1))
    return std::nullopt;
  return elementInts(elements).front();
}

bool rewrites::isModestScale(float scale) {
  return scale == 0 ||
         (std::fabs(scale) >= 0x1p-40f && std::fabs(scale) <= 0x1p40f);
}

bool rewrites::isModestOffset(float offset) {
  return std::fabs(offset) <= 1024; // four times a pixel's largest value
}

bool rewrites::isModestWeight(float weight) {
  return std::fabs(weight) <= 0x1p40f;
}

Value rewrites::makeFloats(OpBuilder &builder, Location location,
                           ArrayRef<int64_t> shape, ArrayRef<float> elements) {
  auto type = RankedTensorType::get(shape, builder.getF32Type());
  const char *bytes = reinterpret_cast<const char *>(elements.data());
  ElementsAttr value =
      makeElements(type, ArrayRef(bytes, elements.size() * sizeof(float)));
  return ConstantOp::create(builder, location, type, value);
}

/// Inserts `op`, or the constant that it gives. It is not inserted yet, so that
/// no rewriter has heard of it when it goes.
static FailureOr<Value> insertFolded(OpBuilder &builder, Operation *op) {
  SmallVector<ElementsAttr> operands;
  for (Value operand : op->getOperands())
    operands.push_back(constantOf(operand));
  if (!llvm::all_of(operands, [](ElementsAttr operand) { return operand; }))
    return builder.insert(op)->getResult(0);
  FailureOr<SmallVector<ElementsAttr>> results = evaluate(op, operands);
  Location location = op->getLoc();
  Type type = op->getResult(0).getType();
  op->destroy();
  if (failed(results))
    return failure();
  return Value(ConstantOp::create(builder, location, type, results->front()));
}

FailureOr<Value> rewrites::makeEltwise(OpBuilder &builder, Location location,
                                       npu_instr_kind kind, ValueRange inputs,
                                       float alpha, float beta) {
  SmallVector<shapes::Shape> operands;
  for (Value input : inputs)
    operands.push_back(shapes::Shape(shapeOf(input)));
  std::string error;
  FailureOr<shapes::Shape> shape = shapes::broadcast(operands, error);
  if (failed(shape))
    return failure();
  auto type = RankedTensorType::get(
      *shape, tensorType(inputs.front()).getElementType());
  OpBuilder detached(builder.getContext());
  auto op = EltwiseOp::create(
      detached, location, type, builder.getI32IntegerAttr(kind), inputs,
      builder.getF32FloatAttr(alpha), builder.getF32FloatAttr(beta));
  return insertFolded(builder, op);
}

FailureOr<Value> rewrites::sumWindows(OpBuilder &builder, Location location,
                                      Value bytes, const Windows &windows,
                                      int64_t zero) {
  int64_t channels = shapeOf(bytes)[1];
  SmallVector<int64_t> shape = {channels, 1};
  llvm::append_range(shape, windows.extents);
  std::string error;
  FailureOr<shapes::Shape> result =
      shapes::conv(shapeOf(bytes), shape, windows.strides, windows.dilations,
                   windows.pads, channels, error);
  if (failed(result))
    return failure();
  auto type = RankedTensorType::get(shape, builder.getI8Type());
  std::vector<char> ones(static_cast<size_t>(type.getNumElements()), 1);
  Value weight = ConstantOp::create(builder, location, type,
                                    makeElements(type, std::move(ones)));
  return Conv2dOp::create(builder, location,
                          RankedTensorType::get(*result, builder.getI32Type()),
                          bytes, weight, Value(),
                          builder.getI64ArrayAttr(windows.strides),
                          builder.getI64ArrayAttr(windows.pads),
                          builder.getI64ArrayAttr(windows.dilations),
                          builder.getI64IntegerAttr(channels),
                          builder.getI64IntegerAttr(zero))
      .getResult();
}

Value rewrites::makeCast(OpBuilder &builder, Location location, Value value,
                         Type element) {
  auto type = tensorType(value).clone(element);
  if (type == value.getType())
    return value;
  return EltwiseOp::create(
      builder, location, type, builder.getI32IntegerAttr(NPU_INSTR_cast), value,
      builder.getF32FloatAttr(0), builder.getF32FloatAttr(0));
}

FailureOr<Value> rewrites::makeReshape(OpBuilder &builder, Location location,
                                       Value input, ArrayRef<int64_t> shape) {
  if (shapeOf(input) == shape)
    return input;
  auto type = RankedTensorType::get(shape, tensorType(input).getElementType());
  OpBuilder detached(builder.getContext());
  return insertFolded(builder,
                      ReshapeOp::create(detached, location, type, input));
}

FailureOr<Value> rewrites::makeTranspose(OpBuilder &builder, Location location,
                                         Value input,
                                         ArrayRef<int64_t> permutation) {
  if (isIdentity(permutation))
    return input;
  std::string error;
  FailureOr<shapes::Shape> shape =
      shapes::transpose(shapeOf(input), permutation, error);
  if (failed(shape))
    return failure();
  auto type = RankedTensorType::get(*shape, tensorType(input).getElementType());
  OpBuilder detached(builder.getContext());
  return insertFolded(
      builder, TransposeOp::create(detached, location, type, input,
                                   builder.getI64ArrayAttr(permutation)));
}

/// Of a dimension that has one stretch.
static FailureOr<Value> makeRun(OpBuilder &builder, Location location,
                                Value input, const Part &part) {
  SmallVector<int64_t> shape(shapeOf(input)), starts(shape.size(), 0);
  shape[part.dim] = part.extent;
  starts[part.dim] = part.begin;
  OpBuilder detached(builder.getContext());
  Value made = makeSlice(detached, location, input, {starts, shape});
  return insertFolded(builder, made.getDefiningOp());
}

FailureOr<Value> rewrites::makePart(OpBuilder &builder, Location location,
                                    Value input, const Part &part) {
  SmallVector<int64_t> shape(shapeOf(input));
  if (shape[part.dim] == part.size())
    return input;
  if (part.stretches == 1)
    return makeRun(builder, location, input, part);
  SmallVector<int64_t> apart(shape);
  apart[part.dim] /= part.stretches;
  apart.insert(apart.begin() + part.dim, part.stretches);
  FailureOr<Value> made = makeReshape(builder, location, input, apart);
  if (succeeded(made))
    made = makeRun(builder, location, *made,
                   {part.dim + 1, part.begin, part.extent});
  if (failed(made))
    return failure();
  shape[part.dim] = part.size();
  return makeReshape(builder, location, *made, shape);
}

FailureOr<Value> rewrites::makeConcat(OpBuilder &builder, Location location,
                                      ValueRange inputs, size_t axis) {
  if (inputs.size() == 1)
    return inputs.front();
  SmallVector<int64_t> shape(shapeOf(inputs.front()));
  for (Value input : inputs.drop_front())
    shape[axis] += shapeOf(input)[axis];
  OpBuilder detached(builder.getContext());
  return insertFolded(
      builder,
      ConcatOp::create(detached, location,
                       tensorType(inputs.front()).clone(shape), inputs,
                       builder.getI64IntegerAttr(static_cast<int64_t>(axis))));
}

Operation *rewrites::cloneWith(OpBuilder &builder, Location location,
                               Operation *op, ValueRange operands,
                               Type result) {
  mlir::OperationState state(location, op->getName(), operands, {result},
                             op->getAttrs());
  return builder.create(state);
}

FailureOr<Value> rewrites::cloneFolded(OpBuilder &builder, Location location,
                                       Operation *op, ValueRange operands,
                                       Type result) {
  OpBuilder detached(builder.getContext());
  return insertFolded(builder,
                      cloneWith(detached, location, op, operands, result));
}

Location rewrites::fuseLocations(ArrayRef<Operation *> ops) {
  SmallVector<Location> locations;
  for (Operation *op : ops)
    locations.push_back(op->getLoc());
  return mlir::FusedLoc::get(locations, Attribute(), ops.front()->getContext());
}

SmallVector<int64_t>
rewrites::inversePermutation(ArrayRef<int64_t> permutation) {
  SmallVector<int64_t> inverse(permutation.size());
  for (auto [index, dim] : llvm::enumerate(permutation))
    inverse[dim] = static_cast<int64_t>(index);
  return inverse;
}

bool rewrites::isIdentity(ArrayRef<int64_t> permutation) {
  return llvm::all_of(llvm::enumerate(permutation), [](auto entry) {
    return static_cast<int64_t>(entry.index()) == entry.value();
  });
}

SmallVector<size_t> rewrites::longDims(ArrayRef<int64_t> shape) {
  SmallVector<size_t> dims;
  for (auto [dim, extent] : llvm::enumerate(shape))
    if (extent != 1)
      dims.push_back(dim);
  return dims;
}
