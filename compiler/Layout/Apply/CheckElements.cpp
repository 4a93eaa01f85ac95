// SPDX-License-Identifier: Apache-2.0
#include "compiler/Layout/Apply/CheckElements.h"

#include "compiler/Dialect/NPU/Constants.h"
#include "compiler/Kernel/KernelProblem.h"
#include "compiler/Layout/Apply/SplitGroups.h"
#include "compiler/Layout/Problem/Alternatives.h"
#include "kernels/tensor.h"

#include <memory>

using namespace npu;

namespace {

/// The tags of a value in logical row-major order. A fresh value's tags are
/// (origin, element number) and need no memory.
struct Tags {
  const void *origin = nullptr;
  int64_t number = 0; // of the op or argument; with origin null
  std::shared_ptr<std::vector<int64_t>> order; // null: 0, 1, 2, ...

  bool operator==(const Tags &other) const {
    if (origin != other.origin || number != other.number)
      return false;
    if (order && other.order)
      return *order == *other.order;
    const auto &some = order ? order : other.order;
    if (some)
      for (size_t i = 0; i < some->size(); ++i)
        if ((*some)[i] != static_cast<int64_t>(i))
          return false;
    return true;
  }
};

/// Calls `visit(logical number, stored offset)` for each element.
template <typename Visit>
void forEachElement(const npu_tensor_desc &tensor, Visit visit) {
  kernels::Strides strides = kernels::stridesOf(tensor);
  int64_t index[NPU_MAX_RANK] = {};
  int64_t count = kernels::elementCount(tensor);
  for (int64_t number = 0; number < count; ++number) {
    visit(number, kernels::offsetOf(tensor, strides, index));
    for (int dim = tensor.rank - 1; dim >= 0; --dim) {
      if (++index[dim] < tensor.dims[dim])
        break;
      index[dim] = 0;
    }
  }
}

class TagInterpreter {
public:
  explicit TagInterpreter(mlir::func::FuncOp function) {
    Block &block = function.getBody().front();
    for (BlockArgument argument : block.getArguments())
      tags[argument] = {nullptr, -1 - int64_t(argument.getArgNumber()), {}};
    for (Operation &op : block)
      visit(op);
  }

  /// What each computing op and the return see, in order.
  struct Reading {
    Operation *op;
    SmallVector<Tags> operands;
  };
  std::vector<Reading> readings;

private:
  void visit(Operation &op) {
    auto rule = dyn_cast<LayoutOpInterface>(op);
    if (auto constant = dyn_cast<ConstantOp>(op)) {
      tags[op.getResult(0)] = {constant.getValue().getAsOpaquePointer(), 0, {}};
    } else if (rule && rule.getSensitivity() == Sensitivity::Data) {
      tags[op.getResult(0)] = move(op);
    } else {
      Reading reading{&op, {}};
      for (Value operand : op.getOperands())
        reading.operands.push_back(tags.lookup(operand));
      for (Value result : op.getResults())
        tags[result] = {nullptr, static_cast<int64_t>(readings.size()), {}};
      readings.push_back(std::move(reading));
    }
  }

  Tags move(Operation &op) {
    Tags moved = tags.lookup(op.getOperand(0));
    if (isa<RelayoutOp>(op))
      return moved;
    if (getLayout(op.getOperand(0)) && isFreeView(&op))
      return reread(op, moved);
    if (auto transpose = dyn_cast<TransposeOp>(op))
      return permute(transpose, moved);
    return moved;
  }

  static int64_t tagAt(const Tags &tags, int64_t number) {
    return tags.order ? (*tags.order)[number] : number;
  }

  /// The operand's memory, read in the result's layout.
  static Tags reread(Operation &op, const Tags &tags) {
    npu_tensor_desc from = describeTensor(tensorType(op.getOperand(0)));
    npu_tensor_desc to = describeTensor(tensorType(op.getResult(0)));
    std::vector<int64_t> memory(
        std::max(kernels::storedElements(from), kernels::storedElements(to)),
        -1);
    forEachElement(from, [&](int64_t number, int64_t offset) {
      memory[offset] = tagAt(tags, number);
    });
    Tags result = tags;
    result.order =
        std::make_shared<std::vector<int64_t>>(kernels::elementCount(to));
    forEachElement(to, [&](int64_t number, int64_t offset) {
      (*result.order)[number] = memory[offset];
    });
    return result;
  }

  /// The kernel's logical permutation.
  static Tags permute(TransposeOp op, const Tags &tags) {
    SmallVector<int64_t> permutation = toInts(op.getPermutation());
    ArrayRef<int64_t> from = tensorType(op.getInput()).getShape();
    ArrayRef<int64_t> to = tensorType(op.getResult()).getShape();
    SmallVector<int64_t> strides(from.size(), 1);
    for (int64_t i = static_cast<int64_t>(from.size()) - 2; i >= 0; --i)
      strides[i] = strides[i + 1] * from[i + 1];
    npu_tensor_desc shape =
        kernels::makeTensor(NPU_F32, to.data(), static_cast<int>(to.size()));
    Tags result = tags;
    result.order =
        std::make_shared<std::vector<int64_t>>(kernels::elementCount(shape));
    SmallVector<int64_t> index(to.size(), 0);
    for (int64_t &tag : *result.order) {
      int64_t number = 0;
      for (size_t i = 0; i < to.size(); ++i)
        number += index[i] * strides[permutation[i]];
      tag = tagAt(tags, number);
      for (int64_t i = static_cast<int64_t>(to.size()) - 1; i >= 0; --i) {
        if (++index[i] < to[i])
          break;
        index[i] = 0;
      }
    }
    return result;
  }

  llvm::DenseMap<Value, Tags> tags;
};

} // namespace

/// The name of the op that a kernel is, or is built around.
static mlir::OperationName kernelName(Operation *op) {
  if (auto fused = dyn_cast<FusedOp>(op))
    if (Operation *root = fused.getRoot())
      return root->getName();
  return op->getName();
}

static bool sameBytes(Value a, Value b) {
  ElementsAttr first = constantOf(a), second = constantOf(b);
  std::vector<char> storage[2];
  return first && second &&
         elementBytes(first, storage[0]) == elementBytes(second, storage[1]);
}

/// Whether `have` is `want` by another algorithm: the operands that are as they
/// were see the same tags, new constants have the bytes that the replacement
/// makes. It is done once more for that, on a copy.
static bool isAlternative(const TagInterpreter::Reading &want,
                          const TagInterpreter::Reading &have) {
  for (const Alternative &row : alternatives()) {
    if (!row.isReplacement || !row.isReplacement(have.op) ||
        !row.applies(want.op))
      continue;
    OpBuilder builder(want.op);
    Operation *made = row.replace(builder, builder.clone(*want.op));
    if (!made)
      continue;
    bool isSame = kernelName(made) == kernelName(have.op) &&
                  made->getNumOperands() == have.op->getNumOperands();
    SmallVector<Operation *> constants;
    for (unsigned i = 0; i < made->getNumOperands(); ++i) {
      Value operand = made->getOperand(i);
      if (operand == want.op->getOperand(i)) {
        isSame = isSame && want.operands[i] == have.operands[i];
        continue;
      }
      isSame = isSame && sameBytes(operand, have.op->getOperand(i));
      constants.push_back(operand.getDefiningOp());
    }
    made->erase();
    for (Operation *constant : constants)
      constant->erase();
    if (isSame)
      return true;
  }
  return false;
}

LogicalResult npu::checkExactly(mlir::func::FuncOp source,
                                mlir::func::FuncOp laidOut) {
  mlir::OwningOpRef<mlir::func::FuncOp> split;
  if (hasSplits(laidOut)) {
    split = source.clone();
    splitAlike(*split, laidOut);
    source = *split;
  }
  TagInterpreter before(source), after(laidOut);
  if (before.readings.size() != after.readings.size())
    return laidOut.emitError()
           << "exact layout check: " << before.readings.size()
           << " computing ops became " << after.readings.size();
  for (auto [want, have] : llvm::zip(before.readings, after.readings)) {
    if (kernelName(want.op) != kernelName(have.op) && isAlternative(want, have))
      continue;
    if (kernelName(want.op) != kernelName(have.op))
      return have.op->emitOpError()
             << "exact layout check: stands where the source has "
             << kernelName(want.op);
    for (size_t i = 0; i < want.operands.size(); ++i)
      if (!(want.operands[i] == have.operands[i]))
        return have.op->emitOpError()
               << "exact layout check: operand " << i
               << " does not see its elements in logical order";
  }
  return success();
}
