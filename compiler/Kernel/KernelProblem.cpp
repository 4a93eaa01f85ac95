// SPDX-License-Identifier: Apache-2.0
#include "compiler/Kernel/KernelProblem.h"
#include "compiler/Dialect/NPU/OutputCopy.h"

#include "compiler/Dialect/NPU/Constants.h"
#include "compiler/Dialect/NPU/CustomOp.h"
#include "compiler/Dialect/NPU/LayoutUse.h"
#include "kernels/support/team.h"
#include "kernels/tensor.h"
#include "kernels/validate.h"

#include "llvm/ADT/DenseMap.h"

using namespace npu;

bool npu::isKernel(Operation *op) {
  if (isa<FusedOp>(op))
    return true;
  return isa<KernelOpInterface>(op) && (!isFreeView(op) || isCopy(op));
}

/// The row of a value that a kernel reads. A block argument of npu.fused
/// stands for the operand outside.
static npu_tensor_desc describeOperand(Value value) {
  npu_tensor_desc tensor = describeTensor(tensorType(value));
  tensor.weights_offset = constantOf(value) ? 0 : -1;
  return tensor;
}

/// The instruction of an elementwise op that reads operands 0, 1, 2.
static npu_instr makeInstr(EltwiseOp op) {
  npu_instr instr = {};
  instr.kind = static_cast<int16_t>(op.getKind());
  int16_t arity = static_cast<int16_t>(op.getInputs().size());
  instr.a = arity > 0 ? 0 : -1;
  instr.b = arity > 1 ? 1 : -1;
  instr.c = arity > 2 ? 2 : -1;
  instr.alpha = op.getAlpha().convertToFloat();
  instr.beta = op.getBeta().convertToFloat();
  instr.dtype = dtypeOf(tensorType(op.getResult()).getElementType());
  return instr;
}

/// The number of the last value that instructions can read.
static int lastNumber(const kernels::Problem &problem) {
  size_t isRooted = problem.op != NPU_OP_ELTWISE;
  return static_cast<int>(problem.inputs.size() + isRooted +
                          problem.instrs.size()) -
         1;
}

/// Appends the instruction of an elementwise op in a fused body.
static void addInstr(EltwiseOp op, llvm::DenseMap<Value, int> &numbers,
                     kernels::Problem &problem) {
  npu_instr instr = makeInstr(op);
  int16_t *slots[] = {&instr.a, &instr.b, &instr.c};
  for (auto [slot, input] : llvm::zip(slots, op.getInputs()))
    *slot = static_cast<int16_t>(numbers.lookup(input));
  problem.instrs.push_back(instr);
  numbers[op.getResult()] = lastNumber(problem);
}

/// The result of the kernel proper. The library's is an exact integer: where
/// other functions than conversions read it, they read it as the dialect's.
static void addRoot(Operation *root, llvm::DenseMap<Value, int> &numbers,
                    kernels::Problem &problem) {
  problem.op = cast<KernelOpInterface>(root).getKernel(problem.attrs);
  Value result = root->getResult(0);
  int32_t type = dtypeOf(tensorType(result).getElementType());
  bool isConverted = llvm::all_of(root->getUsers(), [](Operation *user) {
    auto step = dyn_cast<EltwiseOp>(user);
    return !step || step.getKind() == NPU_INSTR_cast;
  });
  if (type != kernels::properType(problem) && !isConverted) {
    npu_instr instr = {};
    instr.kind = NPU_INSTR_cast;
    instr.a = static_cast<int16_t>(problem.inputs.size());
    instr.b = instr.c = -1;
    instr.dtype = type;
    problem.instrs.push_back(instr);
  }
  numbers[result] = lastNumber(problem);
}

/// Values that are stored as if in the blocks of another one (a vector of
/// channels) are described so: a library knows orders by their letters.
static void spellAlike(Operation *op, kernels::Problem &problem) {
  auto rule = dyn_cast<LayoutOpInterface>(op);
  if (!rule || rule.getSensitivity() == Sensitivity::Data)
    return;
  SmallVector<Value> values(op->getOperands());
  values.append(op->result_begin(), op->result_end());
  auto *blocked = llvm::find_if(values, [](Value value) {
    LayoutAttr layout = getLayout(value);
    return layout && layout.isBlocked();
  });
  if (blocked == values.end())
    return;
  LayoutRelation relation = rule.getLayoutRelation();
  auto related = [&](size_t index) {
    unsigned operands = op->getNumOperands();
    return index < operands ? relatedOperand(relation, op, index)
                            : relatedResult(relation, op, index - operands);
  };
  RelatedValue from = related(blocked - values.begin());
  StoredOrder spelled = toStoredOrder(getLayout(*blocked));
  for (auto [index, value] : llvm::enumerate(values)) {
    LayoutAttr layout = getLayout(value);
    if (!layout || layout.isBlocked())
      continue;
    TransferResult carried = transferLayout(from, spelled, related(index));
    if (!carried.layout || !carried.complete ||
        !sameStorage(*carried.layout, toStoredOrder(layout),
                     tensorType(value).getShape()))
      continue;
    npu_tensor_desc &tensor =
        index < problem.inputs.size()
            ? problem.inputs[index]
            : problem.outputs[index - problem.inputs.size()];
    int64_t weights = tensor.weights_offset;
    tensor = describeTensor(withLayout(
        tensorType(value), toLayout(op->getContext(), *carried.layout)));
    tensor.weights_offset = weights;
  }
}

/// Operands and results of the op, and the number of each value: operands
/// first, then the root's result.
static void addOperands(Operation *op, kernels::Problem &problem) {
  for (Value operand : op->getOperands())
    problem.inputs.push_back(describeOperand(operand));
  for (Value result : op->getResults())
    problem.outputs.push_back(describeTensor(tensorType(result)));
  spellAlike(op, problem);
}

static void addBody(FusedOp fused, kernels::Problem &problem) {
  llvm::DenseMap<Value, int> numbers;
  Block &body = fused.getBody().front();
  for (BlockArgument argument : body.getArguments())
    numbers[argument] = static_cast<int>(argument.getArgNumber());
  if (Operation *root = fused.getRoot())
    addRoot(root, numbers, problem);
  for (EltwiseOp op : body.getOps<EltwiseOp>())
    addInstr(op, numbers, problem);
}

kernels::Problem npu::makeProblem(Operation *op, int threads) {
  kernels::Problem problem;
  problem.threads = threads;
  problem.plugins = pluginsOf(op->getContext());
  addOperands(op, problem);
  if (auto fused = dyn_cast<FusedOp>(op)) {
    addBody(fused, problem);
  } else {
    problem.op = cast<KernelOpInterface>(op).getKernel(problem.attrs);
    if (auto custom = dyn_cast<CustomOp>(op))
      describeCustom(custom, problem);
    if (auto eltwise = dyn_cast<EltwiseOp>(op))
      problem.instrs.push_back(makeInstr(eltwise));
  }
  problem.threads = kernels::teamFor(problem);
  return problem;
}

kernels::Problem npu::makeProblem(Operation *op, int threads,
                                  ArrayRef<LayoutAttr> layouts) {
  kernels::Problem problem = makeProblem(op, threads);
  auto store = [&](Value value, LayoutAttr layout, npu_tensor_desc &tensor) {
    int64_t weights = tensor.weights_offset;
    tensor = describeTensor(withLayout(tensorType(value), layout));
    tensor.weights_offset = weights;
  };
  unsigned operands = op->getNumOperands();
  for (auto [index, layout] : llvm::enumerate(layouts)) {
    bool isOperand = index < operands;
    store(isOperand ? op->getOperand(index) : op->getResult(index - operands),
          layout,
          isOperand ? problem.inputs[index]
                    : problem.outputs[index - operands]);
  }
  return problem;
}
