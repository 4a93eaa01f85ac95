// SPDX-License-Identifier: Apache-2.0
#include "compiler/Layout/Apply/CheckSet.h"

#include "compiler/Dialect/NPU/Constants.h"
#include "compiler/Kernel/Evaluator.h"
#include "compiler/Target/CompilerPlugins.h"
#include "kernels/support/convert.h"
#include "kernels/tensor.h"

#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace npu;

/// Numbers that look like a network's: reals from -1 to 1, bytes of every
/// value, other integers that are valid as indices of any extent.
static ElementsAttr makeUp(RankedTensorType type, unsigned seed) {
  int dtype = dtypeOf(type.getElementType());
  std::vector<char> bytes(type.getNumElements() * kernels::dtypeBytes(dtype));
  uint32_t state = seed * 2654435761U + 12345U;
  auto fill = [&](auto zero, auto make) {
    for (size_t at = 0; at < bytes.size(); at += sizeof(zero)) {
      state = state * 1664525U + 1013904223U;
      decltype(zero) value = make(state >> 8);
      std::memcpy(bytes.data() + at, &value, sizeof(value));
    }
  };
  auto real = [](uint32_t bits) {
    return static_cast<float>(bits) / (1 << 23) - 1;
  };
  switch (dtype) {
  case NPU_F32:
    fill(0.0F, real);
    break;
  case NPU_F64:
    fill(0.0, real);
    break;
  case NPU_F16:
    fill(uint16_t(0),
         [&](uint32_t bits) { return kernels::floatToHalf(real(bits)); });
    break;
  case NPU_BF16:
    fill(uint16_t(0),
         [&](uint32_t bits) { return kernels::floatToBfloat(real(bits)); });
    break;
  case NPU_I8:
  case NPU_U8:
    fill(uint8_t(0), [](uint32_t bits) { return static_cast<uint8_t>(bits); });
    break;
  default: // little-endian: the first byte of each is 0 or 1
    for (size_t at = 0; at < bytes.size(); at += kernels::dtypeBytes(dtype))
      bytes[at] = static_cast<char>((at * 2654435761U + seed) >> 7 & 1);
    break;
  }
  return makeElements(type, std::move(bytes));
}

static std::vector<double> numbersOf(ElementsAttr elements) {
  std::vector<char> storage;
  const char *bytes = elementBytes(elements, storage).data();
  npu_tensor_desc rows =
      describeTensor(cast<RankedTensorType>(elements.getType()));
  auto read = [&](auto zero) {
    std::vector<decltype(zero)> numbers(kernels::elementCount(rows));
    kernels::toDense(rows, bytes, numbers.data());
    return std::vector<double>(numbers.begin(), numbers.end());
  };
  if (rows.dtype == NPU_F64)
    return read(0.0);
  return kernels::isFloat(rows.dtype) ? read(0.0F) : read(int64_t(0));
}

/// How far two numbers may be apart: of results whose largest is `largest`.
static double allowed(Type element, double largest) {
  if (!isa<mlir::FloatType>(element))
    return 1;
  return largest * (element.isF32() ? 1e-3 : element.isF16() ? 1e-2 : 5e-2);
}

/// The first element that differs, as a clause; empty: none does.
static std::string difference(ElementsAttr wanted, ElementsAttr found) {
  std::vector<double> want = numbersOf(wanted), have = numbersOf(found);
  double largest = 0;
  for (double number : want)
    if (std::isfinite(number))
      largest = std::max(largest, std::abs(number));
  double most = allowed(wanted.getElementType(), largest);
  for (size_t i = 0; i < want.size(); ++i)
    if (!(want[i] == have[i] || std::abs(want[i] - have[i]) <= most ||
          (std::isnan(want[i]) && std::isnan(have[i]))))
      return llvm::formatv("element {0} of its result is {1:g}, expected {2:g}",
                           i, have[i], want[i]);
  return "";
}

/// What the set returns for the values of its arguments.
static FailureOr<ElementsAttr> run(Block &block,
                                   llvm::DenseMap<Value, ElementsAttr> values) {
  for (Operation &op : block.without_terminator()) {
    if (auto constant = dyn_cast<ConstantOp>(op)) {
      values[constant.getResult()] = constant.getValue();
      continue;
    }
    SmallVector<ElementsAttr> operands;
    for (Value operand : op.getOperands())
      operands.push_back(values.lookup(operand));
    auto results = evaluate(&op, operands);
    if (failed(results))
      return failure();
    values[op.getResult(0)] = results->front();
  }
  return values.lookup(block.getTerminator()->getOperand(0));
}

LogicalResult npu::checkSet(const Alternative &alternative, Operation *op,
                            const Replacement &set) {
  SmallVector<ElementsAttr> operands;
  for (auto [index, operand] : llvm::enumerate(op->getOperands())) {
    ConstantOp constant = constantBehind(operand);
    operands.push_back(
        constant ? constant.getValue()
                 : makeUp(withLayout(tensorType(operand), {}), index));
  }
  llvm::DenseMap<Value, ElementsAttr> values;
  mlir::func::FuncOp function = set.function;
  Block &block = function.getBody().front();
  for (auto [argument, operand] : llvm::zip(block.getArguments(), set.operands))
    values[argument] = operands[operand];
  auto wanted = evaluate(op, operands);
  if (failed(wanted))
    return failure();
  auto found = run(block, std::move(values));
  if (failed(found))
    return failure();
  std::string differs = difference(wanted->front(), *found);
  if (differs.empty())
    return success();
  return op->emitOpError() << alternative.blame(
             "does not compute what its op does: " + differs +
             " (--verify-layout)");
}
