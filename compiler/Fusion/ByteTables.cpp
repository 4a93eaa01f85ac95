// SPDX-License-Identifier: Apache-2.0
//
// What is a function of one byte: elementwise steps with single numbers, whose
// results for all 256 bytes the reference kernels give while compiling.
#include "compiler/Fusion/Integers.h"
#include "compiler/Kernel/Evaluator.h"

using namespace npu;
using namespace npu::integers;
using namespace npu::rewrites;

/// What a table of a byte's numbers is looked up with, or null.
static Value indexOf(Value value) {
  auto op = value.getDefiningOp<GatherOp>();
  bool isTable = op && constantOf(op.getData()) &&
                 shapeOf(op.getData()) == ArrayRef<int64_t>(byteEntries);
  return isTable ? op.getIndices() : Value();
}

static bool isOneNumber(Value value) {
  return constantOf(value) && shapeOf(value).empty();
}

namespace {

/// Finds the byte that a value is a function of.
struct ByteFunction {
  Value byte;

  bool find(Value value, ArrayRef<int64_t> shape, int depth = longestChain) {
    if (constantOf(value))
      return isOneNumber(value) || scalarOf(value).has_value();
    if (isByte(value) && depth < longestChain) {
      // A function of a function of one byte is one of that byte.
      Value before = byte;
      if (findBehind(value, shape, depth))
        return true;
      byte = value;
      return (!before || before == value) && shapeOf(value) == shape;
    }
    return findBehind(value, shape, depth);
  }

  /// Of the operands of what defines the value.
  bool findBehind(Value value, ArrayRef<int64_t> shape, int depth) {
    if (depth == 0)
      return false;
    if (Value index = indexOf(value))
      return find(index, shape, depth - 1);
    Operation *op = value.getDefiningOp();
    return isElementwise(op) && shapeOf(value) == shape &&
           llvm::all_of(op->getOperands(), [&](Value input) {
             return find(input, shape, depth - 1);
           });
  }
};

/// Makes tables out of ops that belong to no function, and takes them away.
class TableMaker {
public:
  TableMaker(Value byte, ElementsAttr numbers)
      : builder(byte.getContext()), byte(byte), numbers(numbers) {}
  ~TableMaker() {
    for (Operation *op : llvm::reverse(made))
      op->destroy();
  }

  /// The function of each number that the byte can be.
  FailureOr<ElementsAttr> tableOf(Value value) {
    if (value == byte)
      return numbers;
    if (isOneNumber(value))
      return constantOf(value);
    if (constantOf(value)) {
      float number = *scalarOf(value);
      return makeElements(
          RankedTensorType::get({}, builder.getF32Type()),
          ArrayRef(reinterpret_cast<const char *>(&number), sizeof(number)));
    }
    Operation *op = value.getDefiningOp(); // it was found before
    bool isLookUp = !!indexOf(value);
    SmallVector<Value> inputs;
    SmallVector<ElementsAttr> constants;
    for (Value input : op->getOperands()) {
      FailureOr<ElementsAttr> table =
          isLookUp && inputs.empty() ? constantOf(input) : tableOf(input);
      if (failed(table))
        return failure();
      constants.push_back(*table);
      made.push_back(ConstantOp::create(builder, op->getLoc(),
                                        table->getShapedType(), *table));
      inputs.push_back(made.back()->getResult(0));
    }
    auto type = RankedTensorType::get({byteEntries}, elementOf(value));
    made.push_back(cloneWith(builder, op->getLoc(), op, inputs, type));
    FailureOr<SmallVector<ElementsAttr>> results =
        evaluate(made.back(), constants);
    if (failed(results))
      return failure();
    return results->front();
  }

private:
  OpBuilder builder;
  Value byte;
  ElementsAttr numbers;
  SmallVector<Operation *> made;
};

} // namespace

/// All numbers of a byte, from the least on.
static ElementsAttr allBytes(Type element) {
  bool isUnsigned = element.isUnsignedInteger();
  std::vector<char> bytes;
  for (int64_t i = 0; i < byteEntries; ++i)
    bytes.push_back(static_cast<char>(isUnsigned ? i : i - byteEntries / 2));
  return makeElements(RankedTensorType::get({byteEntries}, element),
                      std::move(bytes));
}

bool integers::isFunctionOfByte(Value value) {
  ByteFunction function;
  return function.find(value, shapeOf(value)) && function.byte;
}

std::optional<ByteTable> integers::tableOfByte(Value value) {
  ByteFunction function;
  if (!function.find(value, shapeOf(value)) || !function.byte)
    return std::nullopt;
  TableMaker maker(function.byte, allBytes(elementOf(function.byte)));
  FailureOr<ElementsAttr> table = maker.tableOf(value);
  if (failed(table))
    return std::nullopt;
  return ByteTable{function.byte, *table};
}
