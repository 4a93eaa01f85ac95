// SPDX-License-Identifier: Apache-2.0
#include "test/compiler/Support/Interpreter.h"

#include "compiler/Dialect/NPU/Constants.h"
#include "compiler/Kernel/Evaluator.h"

#include "llvm/ADT/DenseMap.h"

#include <cstring>
#include <random>

using namespace npu;

static std::vector<float> toFloats(ElementsAttr elements) {
  std::vector<char> storage;
  ArrayRef<char> bytes = elementBytes(elements, storage);
  std::vector<float> floats(bytes.size() / sizeof(float));
  std::memcpy(floats.data(), bytes.data(), bytes.size());
  return floats;
}

std::vector<std::vector<float>>
test::interpret(mlir::func::FuncOp function, ArrayRef<ElementsAttr> arguments) {
  llvm::DenseMap<Value, ElementsAttr> values;
  for (auto [argument, elements] :
       llvm::zip(function.getArguments(), arguments))
    values[argument] = elements;
  std::vector<std::vector<float>> results;
  for (Operation &op : function.getBody().front()) {
    SmallVector<ElementsAttr> operands;
    for (Value operand : op.getOperands())
      operands.push_back(values.lookup(operand));
    if (isa<mlir::func::ReturnOp>(op)) {
      for (ElementsAttr operand : operands)
        results.push_back(toFloats(operand));
      return results;
    }
    if (auto constant = dyn_cast<ConstantOp>(op)) {
      values[constant.getResult()] = constant.getValue();
      continue;
    }
    auto evaluated = evaluate(&op, operands);
    if (failed(evaluated))
      return {};
    values[op.getResult(0)] = evaluated->front();
  }
  return {};
}

ElementsAttr test::randomElements(RankedTensorType type, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<float> floats(static_cast<size_t>(type.getNumElements()));
  for (float &value : floats) // no distribution: they differ between libraries
    value = static_cast<float>(static_cast<int>(random() % 2001) - 1000) / 1000;
  const char *bytes = reinterpret_cast<const char *>(floats.data());
  return makeElements(type, ArrayRef(bytes, floats.size() * sizeof(float)));
}
