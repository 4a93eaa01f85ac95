// SPDX-License-Identifier: Apache-2.0
#include "compiler/Kernel/Evaluator.h"

#include "compiler/Dialect/NPU/Constants.h"
#include "compiler/Dialect/NPU/ShapeInference.h"
#include "compiler/Kernel/KernelProblem.h"
#include "kernels/tensor.h"

#include "mlir/IR/DialectResourceBlobManager.h"

using namespace npu;

using Evaluated = FailureOr<SmallVector<ElementsAttr>>;

static RankedTensorType logicalType(Type type) {
  return withLayout(cast<RankedTensorType>(type), LayoutAttr());
}

/// The same bytes under another shape, shared where they are a resource.
static ElementsAttr reshaped(RankedTensorType type, ElementsAttr elements) {
  if (auto resource = dyn_cast<mlir::DenseResourceElementsAttr>(elements))
    return mlir::DenseResourceElementsAttr::get(type, resource.getRawHandle());
  return cast<DenseElementsAttr>(elements).reshape(type);
}

/// What the kernel computes does not depend on how operands will be stored.
static void forgetLayouts(std::vector<npu_tensor_desc> &tensors) {
  for (npu_tensor_desc &tensor : tensors)
    tensor = kernels::makeTensor(tensor.dtype, tensor.dims, tensor.rank);
}

/// Moving bytes leaves kernels nothing to disagree about: there the fastest
/// does, for weights are transposed at import. Where something is computed the
/// reference decides.
static std::unique_ptr<kernels::Kernel>
kernelFor(Operation *op, const kernels::Problem &problem) {
  auto rule = dyn_cast<LayoutOpInterface>(op);
  return rule && rule.getSensitivity() == Sensitivity::Data
             ? kernels::create(problem)
             : kernels::createReference(problem);
}

static Evaluated runKernel(Operation *op, ArrayRef<ElementsAttr> operands) {
  kernels::Problem problem = makeProblem(op, /*threads=*/1);
  forgetLayouts(problem.inputs);
  forgetLayouts(problem.outputs);
  if (problem.op != NPU_OP_CUSTOM) // others stand on our own kernels
    problem.plugins = nullptr;
  std::string invalid = kernels::validate(problem);
  if (!invalid.empty())
    return op->emitOpError("cannot be computed: ") << invalid;
  std::unique_ptr<kernels::Kernel> kernel = kernelFor(op, problem);
  if (!kernel)
    return op->emitOpError("has no kernel for these types");

  std::vector<std::vector<char>> storage(operands.size());
  std::vector<std::vector<char>> results;
  std::vector<void *> pointers;
  for (auto [i, operand] : llvm::enumerate(operands))
    pointers.push_back(
        const_cast<char *>(elementBytes(operand, storage[i]).data()));
  for (const npu_tensor_desc &output : problem.outputs)
    results.emplace_back(kernels::storedBytes(output));
  for (std::vector<char> &result : results)
    pointers.push_back(result.data());
  std::vector<char> scratch(kernel->scratchBytes() + NPU_VALUE_ALIGNMENT);
  if (int status = kernel->run(pointers.data(), scratch.data())) {
    std::string fault = kernels::describeFault(problem, pointers.data());
    return op->emitOpError("could not be computed: ")
           << (fault.empty() ? "status " + std::to_string(status) : fault);
  }

  SmallVector<ElementsAttr> values;
  for (auto [result, type] : llvm::zip(results, op->getResultTypes()))
    values.push_back(makeElements(logicalType(type), std::move(result)));
  return values;
}

namespace {
/// Steps of constants, each computed as it is made; null after a failure.
class ComputedSteps : public StepBuilder {
public:
  explicit ComputedSteps(Location location)
      : builder(location.getContext()), location(location) {}
  ~ComputedSteps() override {
    for (Operation *op : llvm::reverse(made))
      op->destroy();
  }

  Value step(npu_instr_kind kind, ArrayRef<Value> operands, double alpha,
             double beta) override {
    if (llvm::is_contained(operands, Value()))
      return Value();
    Type element = tensorType(operands.front()).getElementType();
    return compute(kind, operands, element, alpha, beta);
  }
  Value cast(Value value, Type element) override {
    if (!value || tensorType(value).getElementType() == element)
      return value;
    return compute(NPU_INSTR_cast, value, element, 0, 0);
  }
  Value constant(ElementsAttr elements) override {
    made.push_back(ConstantOp::create(builder, location,
                                      elements.getShapedType(), elements));
    return made.back()->getResult(0);
  }

private:
  Value compute(npu_instr_kind kind, ArrayRef<Value> operands, Type element,
                double alpha, double beta) {
    SmallVector<shapes::Shape> inputs;
    SmallVector<ElementsAttr> constants;
    for (Value operand : operands) {
      inputs.emplace_back(tensorType(operand).getShape());
      constants.push_back(constantOf(operand));
    }
    std::string error; // none: the op's verifier has seen to that
    auto type =
        RankedTensorType::get(*shapes::broadcast(inputs, error), element);
    made.push_back(
        EltwiseOp::create(builder, location, type,
                          builder.getI32IntegerAttr(kind), ValueRange(operands),
                          builder.getF32FloatAttr(static_cast<float>(alpha)),
                          builder.getF32FloatAttr(static_cast<float>(beta))));
    Evaluated results = runKernel(made.back(), constants);
    return failed(results) ? Value() : constant(results->front());
  }

  OpBuilder builder;
  Location location;
  SmallVector<Operation *> made;
};
} // namespace

static Evaluated computeSteps(StepsOpInterface op,
                              ArrayRef<ElementsAttr> operands) {
  ComputedSteps steps(op->getLoc());
  Operation *known = op->clone();
  for (auto [i, operand] : llvm::enumerate(operands))
    known->setOperand(static_cast<unsigned>(i), steps.constant(operand));
  Value last = cast<StepsOpInterface>(known).makeSteps(steps);
  known->destroy();
  if (!last)
    return failure();
  return SmallVector<ElementsAttr>{constantOf(last)};
}

Evaluated npu::evaluate(Operation *op, ArrayRef<ElementsAttr> operands) {
  if (auto steps = dyn_cast<StepsOpInterface>(op))
    return computeSteps(steps, operands);
  if (isa<ReshapeOp, RelayoutOp>(op))
    return SmallVector<ElementsAttr>{
        reshaped(logicalType(op->getResult(0).getType()), operands[0])};
  return runKernel(op, operands);
}

bool npu::inflates(Operation *op) {
  constexpr int64_t harmless = int64_t(64) << 20;
  auto bytesOf = [](mlir::ValueRange values) {
    int64_t bytes = 0;
    for (Value value : values) {
      RankedTensorType type = tensorType(value);
      bytes += type.getNumElements() *
               kernels::dtypeBytes(dtypeOf(type.getElementType()));
    }
    return bytes;
  };
  int64_t bytes = bytesOf(op->getResults());
  return bytes > harmless && bytes > 2 * bytesOf(op->getOperands());
}

FailureOr<bool> npu::foldIfConstant(OpBuilder &builder, Operation *op) {
  SmallVector<ElementsAttr> operands;
  for (Value operand : op->getOperands()) {
    operands.push_back(constantOf(operand));
    if (!operands.back())
      return false;
  }
  if (!isa<KernelOpInterface>(op) || inflates(op))
    return false;
  FailureOr<SmallVector<ElementsAttr>> values = evaluate(op, operands);
  if (failed(values))
    return failure();
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(op);
  for (auto [result, value] : llvm::zip(op->getResults(), *values)) {
    auto constant =
        ConstantOp::create(builder, op->getLoc(), result.getType(), value);
    result.replaceAllUsesWith(constant.getResult());
  }
  op->erase();
  return true;
}
