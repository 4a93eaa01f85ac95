// SPDX-License-Identifier: Apache-2.0
#include "compiler/Frontend/Support/Emitter.h"

#include "compiler/Frontend/Support/Doubles.h"
#include "compiler/Frontend/Support/FoldMemo.h"
#include "compiler/Frontend/Support/NodeBudget.h"
#include "compiler/Frontend/Support/Unsupported.h"

#include "compiler/Dialect/NPU/Constants.h"
#include "compiler/Dialect/NPU/ShapeInference.h"
#include "compiler/Dialect/NPU/Work.h"
#include "compiler/Kernel/Evaluator.h"
#include "kernels/tensor.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"

#include "llvm/ADT/APSInt.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Support/raw_ostream.h"

#include <numeric>
#include <utility>

using namespace npu;

static bool anyNull(ArrayRef<Value> values) {
  return llvm::any_of(values, [](Value value) { return !value; });
}

std::string npu::typeText(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

std::optional<int64_t> npu::constantInt(Value value) {
  ElementsAttr known = constantOf(value);
  if (!known || known.getNumElements() != 1 ||
      !isa<mlir::IntegerType>(known.getElementType()))
    return std::nullopt;
  return elementInts(known).front();
}

Ints npu::countFrom(int64_t first, int64_t end) {
  Ints result(std::max<int64_t>(end - first, 0));
  std::iota(result.begin(), result.end(), first);
  return result;
}

FailureOr<RankedTensorType> npu::makeTensorType(Location location,
                                                const Twine &what,
                                                ArrayRef<int64_t> shape,
                                                Type elementType) {
  if (shape.size() > NPU_MAX_RANK)
    return emitUnsupported(location)
           << what << " has " << shape.size()
           << " dimensions, expected at most " << NPU_MAX_RANK;
  std::string error;
  FailureOr<int64_t> count = shapes::elements(shape, error);
  if (failed(count))
    return mlir::emitError(location) << what << ": " << error;
  int64_t bytes = *count * kernels::dtypeBytes(dtypeOf(elementType));
  if (bytes >= int64_t(1) << 31)
    return emitUnsupported(location)
           << what << " (" << shapes::text(shape) << ") takes " << bytes
           << " bytes; a tensor must be smaller than 2 GB";
  return RankedTensorType::get(shape, elementType);
}

LogicalResult Emitter::error(const Twine &message) {
  // What follows from the first error says nothing new.
  if (std::exchange(sawError, true))
    return failure();
  return mlir::emitError(location, message);
}

LogicalResult Emitter::unsupported(const Twine &message) {
  if (std::exchange(sawError, true))
    return failure();
  return emitUnsupported(location) << message;
}

Value Emitter::fail(const Twine &message) {
  (void)error(message);
  return Value();
}

LogicalResult npu::take(Emitter &node, Budget kind, int64_t amount) {
  BudgetUse *use = BudgetUse::current();
  std::string over = use ? use->take(kind, amount) : "";
  return over.empty() ? success() : node.unsupported(over);
}

LogicalResult npu::checkLeft(Emitter &node, Budget kind, int64_t amount) {
  const BudgetUse *use = BudgetUse::current();
  std::string over = use ? use->ifTaken(kind, amount) : "";
  return over.empty() ? success() : node.unsupported(over);
}

/// As a budget counts what may be more than a number holds.
static int64_t countOf(double amount) {
  return static_cast<int64_t>(std::min(amount, 0x1p62));
}

LogicalResult npu::takeNumbers(Emitter &node, double count) {
  return take(node, Budget::Constants, countOf(count * sizeof(int64_t)));
}

static int64_t bytesOf(RankedTensorType type) {
  return kernels::storedBytes(describeTensor(type));
}

/// Counts what computing an op of constants takes, before it is computed.
static LogicalResult takeFold(Emitter &node, Operation *op) {
  bool isKnown = llvm::all_of(op->getOperands(),
                              [](Value value) { return constantOf(value); });
  if (!isKnown || isa<ReshapeOp>(op) || inflates(op))
    return success();
  double work = workOf(op).macs();
  int64_t made = 0;
  // What it is made of may be gone afterwards; but only once.
  llvm::SmallPtrSet<void *, 4> sources;
  for (Value value : op->getOperands()) {
    work += double(tensorType(value).getNumElements());
    if (sources.insert(value.getAsOpaquePointer()).second)
      made -= bytesOf(tensorType(value));
  }
  for (Value value : op->getResults()) {
    work += double(tensorType(value).getNumElements());
    made += bytesOf(tensorType(value));
  }
  if (failed(take(node, Budget::Fold, countOf(work))))
    return failure();
  return take(node, Budget::Constants, std::max<int64_t>(made, 0));
}

Value Emitter::giveUp(Operation *op) {
  sawError = true;
  Type type = op->getResult(0).getType();
  op->erase();
  return mlir::UnrealizedConversionCastOp::create(builder, location, type,
                                                  ValueRange())
      .getResult(0);
}

FailureOr<RankedTensorType>
Emitter::typeOf(const Twine &what, ArrayRef<int64_t> shape, Type element) {
  std::optional<mlir::ScopedDiagnosticHandler> quiet;
  if (sawError)
    quiet.emplace(location.getContext(),
                  [](mlir::Diagnostic &) { return success(); });
  return makeTensorType(location, what, shape, element);
}

/// Whether nothing but constants is behind the op, and it is computed of them
/// exactly.
static bool isKnownInF64(Operation *op) {
  mlir::ScopedDiagnosticHandler quiet(
      op->getContext(), [](mlir::Diagnostic &) { return success(); });
  return llvm::all_of(op->getOperands(),
                      [](Value value) { return constantOf(value); }) &&
         succeeded(mlir::verify(op, /*verifyRecursively=*/false));
}

Value Emitter::finishIn(Type type, Operation *op, Type given,
                        function_ref<Value(Value)> there,
                        function_ref<Value(Value)> back) {
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(op);
    // Once, where it is an operand twice.
    llvm::SmallDenseMap<Value, Value> converted;
    for (mlir::OpOperand &operand : op->getOpOperands()) {
      if (elementOf(operand.get()) != given)
        continue;
      auto [known, isNew] = converted.try_emplace(operand.get());
      if (isNew)
        known->second = there(operand.get());
      if (known->second)
        operand.set(known->second);
    }
  }
  Value result = op->getResult(0);
  bool isGiven = elementOf(result) == given;
  if (isGiven)
    result.setType(RankedTensorType::get(shapeOf(result), type));
  Value made = finish(op);
  return isGiven ? back(made) : made;
}

Value Emitter::finishDouble(Operation *op) {
  Doubles *doubles = Doubles::current();
  if (!doubles || !doubles->asF32) {
    (void)unsupported("computes in f64, which npuc does not; export the model "
                      "in float32, or let it be computed in f32: --f64=f32");
    return giveUp(op);
  }
  doubles->nodes += !std::exchange(isCounted, true);
  Type f32 = builder.getF32Type(), f64 = builder.getF64Type();
  return finishIn(
      f32, op, f64, [&](Value value) { return cast(value, f32); },
      [&](Value value) { return cast(value, f64); });
}

/// Whether numbers that are all moved by one give the same.
static bool onlyOrders(Operation *op) {
  if (auto reduce = dyn_cast<ReduceOp>(op))
    return reduce.getKind() == ReduceKind::Max ||
           reduce.getKind() == ReduceKind::Min;
  return !isa<AvgPoolOp>(op);
}

Value Emitter::finishU64(Operation *op) {
  if (!onlyOrders(op)) {
    (void)unsupported("divides numbers of uint64 along axes, expected int64");
    return giveUp(op);
  }
  Type i64 = builder.getI64Type();
  Type u64 = builder.getIntegerType(64, /*isSigned=*/false);
  // The order of what lacks 2^63 is that of i64.
  auto moved = [&](Value value) {
    return eltwise(NPU_INSTR_bit_xor, {value, scalar(0x1p63, u64)});
  };
  return finishIn(
      i64, op, u64, [&](Value value) { return cast(moved(value), i64); },
      [&](Value value) { return moved(cast(value, u64)); });
}

namespace {
/// What the emitter makes, computed at once.
struct EmittedSteps : StepBuilder {
  explicit EmittedSteps(Emitter &emitter) : emitter(emitter) {}

  Value step(npu_instr_kind kind, ArrayRef<Value> operands, double alpha,
             double beta) override {
    return emitter.eltwise(kind, operands, alpha, beta);
  }
  Value cast(Value value, Type element) override {
    return emitter.cast(value, element);
  }
  Value constant(ElementsAttr elements) override {
    return emitter.constant(elements);
  }

  Emitter &emitter;
};
} // namespace

Value Emitter::finishSteps(StepsOpInterface op) {
  EmittedSteps steps(*this);
  Value made = op.makeSteps(steps);
  op->erase();
  return made;
}

Value Emitter::finish(Operation *op) {
  if (sawError) // one error for each node
    return giveUp(op);
  if (computesInF64(op) && !isKnownInF64(op))
    return finishDouble(op);
  if (ordersU64(op))
    return finishU64(op);
  if (BudgetUse *use = BudgetUse::current();
      use && use->isWritingOut() && failed(take(*this, Budget::Nodes, 1)))
    return giveUp(op);
  if (failed(mlir::verify(op, /*verifyRecursively=*/false)))
    return giveUp(op);
  // Nothing is left to compute of a tensor without elements.
  RankedTensorType type = tensorType(op->getResult(0));
  if (type.getNumElements() == 0) {
    op->erase();
    return constant(makeElements(type, ArrayRef<char>()));
  }
  // With a scale that depends on data npu-match-ranges reads the steps.
  auto steps = dyn_cast<StepsOpInterface>(op);
  auto isKnown = [](Value value) { return !!constantOf(value); };
  if (steps && (isKnown(op->getOperand(0)) ||
                !llvm::all_of(llvm::drop_begin(op->getOperands()), isKnown)))
    return finishSteps(steps);
  FoldMemo *memo = FoldMemo::current();
  std::optional<FoldMemo::Key> key = memo ? FoldMemo::keyOf(op) : std::nullopt;
  if (ElementsAttr known = key ? memo->find(*key) : ElementsAttr()) {
    op->erase();
    return constant(known);
  }
  Operation *before = op->getPrevNode();
  Block *block = op->getBlock();
  if (failed(takeFold(*this, op)))
    return giveUp(op);
  FailureOr<bool> folded = foldIfConstant(builder, op);
  if (failed(folded))
    return giveUp(op);
  if (!*folded)
    return op->getResult(0);
  Value made = (before ? before->getNextNode() : &block->front())->getResult(0);
  if (key)
    memo->add(std::move(*key), constantOf(made));
  return made;
}

Value Emitter::constant(ElementsAttr elements) {
  return ConstantOp::create(builder, location, elements.getType(), elements);
}

Value Emitter::filled(double number, ArrayRef<int64_t> shape, Type element) {
  FailureOr<RankedTensorType> type = typeOf("the result", shape, element);
  if (failed(type))
    return noteFailure();
  if (isa<mlir::FloatType>(element))
    return constant(DenseElementsAttr::get(
        *type, Attribute(builder.getFloatAttr(element, number))));
  // As npu.cast does: towards zero, at most the type's largest.
  unsigned width = element.getIntOrFloatBitWidth();
  llvm::APSInt whole(width, width == 1 || element.isUnsignedInteger());
  bool isExact = false;
  (void)llvm::APFloat(number).convertToInteger(
      whole, llvm::APFloat::rmTowardZero, &isExact);
  return constant(
      DenseElementsAttr::get(*type, static_cast<const llvm::APInt &>(whole)));
}

Value Emitter::ints(ArrayRef<int64_t> numbers) {
  auto type = RankedTensorType::get({static_cast<int64_t>(numbers.size())},
                                    builder.getI64Type());
  return constant(DenseElementsAttr::get(type, numbers));
}

Value Emitter::floats(ArrayRef<double> numbers, ArrayRef<int64_t> shape) {
  FailureOr<RankedTensorType> type =
      typeOf("a constant", shape, builder.getF32Type());
  if (failed(type))
    return noteFailure();
  std::vector<float> narrow(numbers.begin(), numbers.end());
  return constant(makeElements(
      *type, ArrayRef(reinterpret_cast<const char *>(narrow.data()),
                      narrow.size() * sizeof(float))));
}

Value Emitter::countAlong(int64_t extent, int64_t axis, int64_t rank,
                          Type element) {
  if (failed(takeNumbers(*this, double(extent))))
    return noteFailure();
  Ints shape(rank - axis, 1);
  shape[0] = extent;
  return reshape(cast(ints(countFrom(0, extent)), element), shape);
}

Value Emitter::at(Value value, int64_t axis, int64_t index) {
  if (!value)
    return noteFailure();
  Ints extents(shapeOf(value)), starts(extents.size(), 0);
  Ints steps(extents.size(), 1);
  starts[axis] = index;
  extents[axis] = 1;
  Value part = slice(value, starts, steps, extents);
  extents.erase(extents.begin() + axis);
  return reshape(part, extents);
}

static bool isComparison(npu_instr_kind kind) {
  return kind == NPU_INSTR_equal || kind == NPU_INSTR_less ||
         kind == NPU_INSTR_less_equal || kind == NPU_INSTR_greater ||
         kind == NPU_INSTR_greater_equal;
}

FailureOr<Ints> Emitter::broadcastShape(ArrayRef<Value> operands) {
  if (anyNull(operands)) {
    noteFailure();
    return failure();
  }
  SmallVector<shapes::Shape> inputs;
  for (Value operand : operands)
    inputs.emplace_back(shapeOf(operand));
  std::string reason;
  FailureOr<shapes::Shape> shape = shapes::broadcast(inputs, reason);
  if (failed(shape)) {
    (void)fail(reason);
    return failure();
  }
  return Ints(*shape);
}

Value Emitter::eltwise(npu_instr_kind kind, ArrayRef<Value> operands,
                       double alpha, double beta) {
  if (anyNull(operands))
    return noteFailure();
  ArrayRef<Value> typed = operands;
  if (kind == NPU_INSTR_select)
    typed = typed.drop_front();
  Type element = elementOf(typed.front());
  for (Value operand : typed)
    if (elementOf(operand) != element)
      return fail("operands have the element types " + typeText(element) +
                  " and " + typeText(elementOf(operand)) +
                  ", expected the same");
  FailureOr<Ints> shape = broadcastShape(operands);
  if (failed(shape))
    return Value();
  if (isComparison(kind))
    element = builder.getI1Type();
  return create<EltwiseOp>(*shape, element, builder.getI32IntegerAttr(kind),
                           ValueRange(operands),
                           builder.getF32FloatAttr(static_cast<float>(alpha)),
                           builder.getF32FloatAttr(static_cast<float>(beta)));
}

Value Emitter::convert(Value value, Type element, npu_instr_kind kind) {
  if (!value || elementOf(value) == element)
    return value ? value : noteFailure();
  return create<EltwiseOp>(shapeOf(value), element,
                           builder.getI32IntegerAttr(kind), ValueRange(value),
                           builder.getF32FloatAttr(0),
                           builder.getF32FloatAttr(0));
}

/// What the value was before it became f64, if nothing is lost on the way back.
static Value beforeF64(Value value, Type element) {
  auto cast = value ? value.getDefiningOp<EltwiseOp>() : EltwiseOp();
  if (!cast || cast.getKind() != NPU_INSTR_cast || !elementOf(value).isF64())
    return value;
  Value before = cast.getInputs()[0];
  bool isExact = element.getIntOrFloatBitWidth() < 64;
  return elementOf(before) == element && isExact ? before : value;
}

Value Emitter::cast(Value value, Type element) {
  return convert(beforeF64(value, element), element, NPU_INSTR_cast);
}

Value Emitter::bitcast(Value value, Type element) {
  return convert(value, element, NPU_INSTR_bitcast);
}

Value Emitter::reshape(Value value, ArrayRef<int64_t> shape) {
  if (!value || shapeOf(value) == shape)
    return value ? value : noteFailure();
  std::string reason;
  FailureOr<int64_t> count = shapes::elements(shape, reason);
  if (failed(count))
    return fail(reason);
  if (*count != tensorType(value).getNumElements())
    return fail("cannot reshape " + shapes::text(shapeOf(value)) + " to " +
                shapes::text(shape) + ": the number of elements differs");
  return create<ReshapeOp>(shape, elementOf(value), value);
}

Value Emitter::reshapeOpen(Value value, ArrayRef<int64_t> shape) {
  if (!value)
    return noteFailure();
  int64_t known = 1, open = 0, count = tensorType(value).getNumElements();
  for (int64_t extent : shape) {
    open += extent == -1;
    known = extent == -1 ? known : std::min(known * extent, int64_t(1) << 40);
  }
  if (open > 1 || (open == 1 && (known == 0 || count % known != 0)))
    return fail("cannot reshape " + shapes::text(shapeOf(value)) + " to " +
                shapes::text(shape));
  Ints closed(shape);
  for (int64_t &extent : closed)
    if (extent == -1)
      extent = count / known;
  return reshape(value, closed);
}

Value Emitter::transpose(Value value, ArrayRef<int64_t> permutation) {
  if (!value)
    return noteFailure();
  std::string reason;
  FailureOr<shapes::Shape> shape =
      shapes::transpose(shapeOf(value), permutation, reason);
  if (failed(shape))
    return fail(reason);
  if (llvm::is_sorted(permutation))
    return value;
  return create<TransposeOp>(*shape, elementOf(value), value,
                             intArray(permutation));
}

Value Emitter::broadcast(Value value, ArrayRef<int64_t> shape) {
  if (!value || shapeOf(value) == shape)
    return value ? value : noteFailure();
  return create<BroadcastOp>(shape, elementOf(value), value);
}

Value Emitter::reduce(Value value, ReduceKind kind, ArrayRef<int64_t> axes,
                      bool keepDims) {
  if (!value)
    return noteFailure();
  std::string reason;
  FailureOr<shapes::Shape> shape =
      shapes::reduce(shapeOf(value), axes, keepDims, reason);
  if (failed(shape))
    return fail(reason);
  Ints sorted(axes);
  llvm::sort(sorted);
  return create<ReduceOp>(*shape, elementOf(value), value,
                          ReduceKindAttr::get(builder.getContext(), kind),
                          intArray(sorted), builder.getBoolAttr(keepDims));
}

Value Emitter::matmul(Value a, Value b) {
  if (!a || !b)
    return noteFailure();
  bool hasBytes = isByte(elementOf(a)) && isByte(elementOf(b));
  if (elementOf(a) != elementOf(b) && !hasBytes)
    return fail("operands have the element types " + typeText(elementOf(a)) +
                " and " + typeText(elementOf(b)) + ", expected the same");
  std::string reason;
  FailureOr<shapes::Shape> shape =
      shapes::matmul(shapeOf(a), shapeOf(b), reason);
  if (failed(shape))
    return fail(reason);
  Type element = hasBytes ? builder.getI32Type() : elementOf(a);
  return create<MatmulOp>(*shape, element, a, b);
}

Value Emitter::packedMatmul(Value a, const PackedMatrix &b) {
  if (!a || !b.numbers || anyNull(b.parameters))
    return noteFailure();
  shapes::Shape shape(shapeOf(a));
  shape.back() = shapeOf(b.numbers).back();
  return create<MatmulOp>(
      shape, elementOf(a), a, b.numbers, ValueRange(b.parameters),
      builder.getI64IntegerAttr(b.bits), builder.getI64IntegerAttr(b.block),
      builder.getI64IntegerAttr(b.zeroPoint), builder.getI64IntegerAttr(0));
}

Value Emitter::softmax(Value value, int64_t axis, bool isLog) {
  if (!value)
    return noteFailure();
  return create<SoftmaxOp>(shapeOf(value), elementOf(value), value,
                           builder.getI64IntegerAttr(axis),
                           builder.getBoolAttr(isLog));
}

Value Emitter::concat(ArrayRef<Value> values, int64_t axis) {
  if (anyNull(values))
    return noteFailure();
  if (values.size() == 1)
    return values.front();
  SmallVector<shapes::Shape> inputs;
  for (Value value : values) {
    inputs.emplace_back(shapeOf(value));
    if (elementOf(value) != elementOf(values.front()))
      return fail("operands have the element types " +
                  typeText(elementOf(values.front())) + " and " +
                  typeText(elementOf(value)) + ", expected the same");
  }
  std::string reason;
  FailureOr<shapes::Shape> shape = shapes::concat(inputs, axis, reason);
  if (failed(shape))
    return fail(reason);
  return create<ConcatOp>(*shape, elementOf(values.front()), ValueRange(values),
                          builder.getI64IntegerAttr(axis));
}

Value Emitter::slice(Value value, ArrayRef<int64_t> starts,
                     ArrayRef<int64_t> steps, ArrayRef<int64_t> extents) {
  if (!value)
    return noteFailure();
  if (extents == shapeOf(value) && llvm::all_equal(steps) &&
      (steps.empty() || steps.front() == 1))
    return value;
  return create<SliceOp>(extents, elementOf(value), value, intArray(starts),
                         intArray(steps));
}

Value Emitter::gatherElements(Value data, Value indices, int64_t axis) {
  if (!data || !indices)
    return noteFailure();
  std::string reason;
  FailureOr<shapes::Shape> shape =
      shapes::gatherElements(shapeOf(data), shapeOf(indices), axis, reason);
  if (failed(shape))
    return fail(reason);
  return create<GatherElementsOp>(*shape, elementOf(data), data, indices,
                                  builder.getI64IntegerAttr(axis));
}

Value Emitter::pick(Value value, int64_t dim, ArrayRef<int64_t> indices) {
  if (!value || indices == ArrayRef(countFrom(0, shapeOf(value)[dim])))
    return value;
  Ints shape(shapeOf(value));
  shape[dim] = static_cast<int64_t>(indices.size());
  return create<GatherOp>(shape, elementOf(value), value, ints(indices),
                          builder.getI64IntegerAttr(dim));
}

Value Emitter::vectorAlong(ArrayRef<int32_t> numbers, int64_t dim,
                           int64_t rank) {
  Ints shape(rank - dim, 1);
  shape[0] = static_cast<int64_t>(numbers.size());
  return constant(
      makeElements(RankedTensorType::get(shape, builder.getI32Type()),
                   ArrayRef(reinterpret_cast<const char *>(numbers.data()),
                            numbers.size() * sizeof(int32_t))));
}

Value Emitter::reverseFirst(Value value, Value counts, int64_t axis) {
  if (!value || !counts)
    return noteFailure();
  Type element = elementOf(counts);
  Value place = countAlong(shapeOf(value)[axis], axis, rankOf(value), element);
  Value mirrored =
      eltwise(NPU_INSTR_add,
              {eltwise(NPU_INSTR_sub, {counts, place}), scalar(-1, element)});
  Value isWithin = eltwise(NPU_INSTR_less, {place, counts});
  Value indices = eltwise(NPU_INSTR_select, {isWithin, mirrored, place});
  return gatherElements(value, broadcast(indices, shapeOf(value)), axis);
}

Value Emitter::pad(Value value, ArrayRef<int64_t> pads, PadMode mode,
                   double number) {
  if (!value)
    return noteFailure();
  std::string reason;
  FailureOr<shapes::Shape> shape = shapes::pad(shapeOf(value), pads, reason);
  if (failed(shape))
    return fail(reason);
  if (llvm::all_of(pads, [](int64_t amount) { return amount == 0; }))
    return value;
  return create<PadOp>(*shape, elementOf(value), value, intArray(pads),
                       PadModeAttr::get(builder.getContext(), mode),
                       builder.getF64FloatAttr(number));
}

Value Emitter::isNan(Value value) {
  return eltwise(NPU_INSTR_logical_not,
                 {eltwise(NPU_INSTR_equal, {value, value})});
}

Value Emitter::repeat(Value value, int64_t dim, int64_t times) {
  if (!value || times == 1)
    return value;
  Ints merged(shapeOf(value));
  Ints split(shapeOf(value));
  merged[dim] *= times;
  split.insert(split.begin() + dim, 1);
  Value apart = reshape(value, split);
  split[dim] = times;
  return reshape(broadcast(apart, split), merged);
}

Value Emitter::placeOfBest(Value value, int64_t axis, bool isLargest,
                           bool isLast) {
  if (!value)
    return noteFailure();
  Type i32 = builder.getI32Type();
  int64_t extent = shapeOf(value)[axis];
  Value best = reduce(value, isLargest ? ReduceKind::Max : ReduceKind::Min,
                      {axis}, true);
  Value holds = eltwise(NPU_INSTR_equal, {value, best});
  if (isa<mlir::FloatType>(elementOf(value)))
    holds = eltwise(NPU_INSTR_logical_or, {holds, isNan(value)});
  Value places = eltwise(NPU_INSTR_select,
                         {holds, countAlong(extent, axis, rankOf(value), i32),
                          scalar(isLast ? -1 : double(extent), i32)});
  return reduce(places, isLast ? ReduceKind::Max : ReduceKind::Min, {axis},
                true);
}
