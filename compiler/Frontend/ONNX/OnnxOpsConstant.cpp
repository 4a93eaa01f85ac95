// SPDX-License-Identifier: Apache-2.0
//
// Ops whose result is known while importing: constants and shapes.
#include "compiler/Frontend/ONNX/OnnxOps.h"
#include "compiler/Frontend/ONNX/OnnxQuantize.h"

#include "compiler/Dialect/NPU/Constants.h"
#include "compiler/Dialect/NPU/ShapeInference.h"
#include "compiler/Frontend/Support/NodeBudget.h"
#include "kernels/tensor.h"

#include <cmath>

using namespace npu;

LogicalResult npu::buildConstant(OnnxNode &node) {
  OpBuilder &builder = node.getBuilder();
  if (onnx::TensorProto *tensor = node.getTensor("value")) {
    bool hasFewBits = isFourBits(*tensor);
    FailureOr<ElementsAttr> elements = node.takeTensor(*tensor);
    if (failed(elements))
      return failure();
    Value value = node.constant(*elements);
    if (hasFewBits)
      value.getDefiningOp()->setAttr(fourBitsAttr, builder.getUnitAttr());
    return node.setResult(value);
  }
  if (node.hasAttribute("value_float"))
    return node.setResult(
        node.scalar(node.getFloat("value_float", 0), builder.getF32Type()));
  if (node.hasAttribute("value_int")) {
    auto type = RankedTensorType::get({}, builder.getI64Type());
    return node.setResult(node.constant(DenseElementsAttr::get(
        type, ArrayRef<int64_t>(node.getInt("value_int", 0)))));
  }
  if (std::optional<SmallVector<double>> numbers =
          node.getFloats("value_floats"))
    return node.setResult(
        node.floats(*numbers, static_cast<int64_t>(numbers->size())));
  if (std::optional<Ints> numbers = node.getInts("value_ints"))
    return node.setResult(node.ints(*numbers));
  if (node.hasFailed())
    return failure();
  for (StringRef name : {"sparse_value", "value_string", "value_strings"})
    if (node.hasAttribute(name))
      return node.unsupported("attribute '" + name + "' is not supported");
  return node.error("has no value, expected attribute 'value', 'value_float', "
                    "'value_floats', 'value_int' or 'value_ints'");
}

LogicalResult npu::buildConstantOfShape(OnnxNode &node) {
  FailureOr<Ints> shape = node.constantInts(0, "the shape");
  if (failed(shape))
    return failure();
  Value number = node.scalar(0, node.getBuilder().getF32Type());
  if (onnx::TensorProto *tensor = node.getTensor("value")) {
    FailureOr<ElementsAttr> elements = node.takeTensor(*tensor);
    if (failed(elements))
      return failure();
    if (elements->getNumElements() != 1)
      return node.error("attribute 'value' has " +
                        Twine(elements->getNumElements()) +
                        " elements, expected 1");
    number = node.constant(*elements);
  }
  FailureOr<RankedTensorType> type = makeTensorType(
      node.getLocation(), "the result", *shape, elementOf(number));
  if (failed(type) || failed(take(node, Budget::Constants,
                                  kernels::storedBytes(describeTensor(*type)))))
    return failure();
  auto splat = cast<DenseElementsAttr>(constantOf(number));
  return node.setResult(node.constant(
      DenseElementsAttr::get(*type, splat.getSplatValue<Attribute>())));
}

/// The numbers of a Range.
template <typename Number>
static FailureOr<SmallVector<Number>> countRange(OnnxNode &node, Number start,
                                                 Number limit, Number delta) {
  double count = std::ceil((double(limit) - double(start)) / double(delta));
  if (delta == 0 || std::isnan(count))
    return node.error("found a range with a delta of 0 or an end that is not a "
                      "number, expected a delta that reaches the end");
  if (failed(takeNumbers(node, std::max(0.0, count))))
    return failure();
  SmallVector<Number> numbers;
  for (int64_t i = 0; i < int64_t(count); ++i)
    numbers.push_back(static_cast<Number>(start + Number(i) * delta));
  return numbers;
}

LogicalResult npu::buildRange(OnnxNode &node) {
  node.ignore({"stash_type"});
  Type element = elementOf(node.getInput(0));
  if (isa<mlir::FloatType>(element)) {
    SmallVector<double> ends;
    for (size_t i = 0; i < 3; ++i) {
      auto number = node.constantFloats(i, "the range");
      if (failed(number) || number->size() != 1)
        return failed(number) ? failure()
                              : node.error("found a range end that is no "
                                           "number, expected scalars");
      ends.push_back(number->front());
    }
    auto numbers = countRange<double>(node, ends[0], ends[1], ends[2]);
    if (failed(numbers))
      return failure();
    auto count = static_cast<int64_t>(numbers->size());
    if (element.isF64())
      return node.setResult(node.constant(
          makeElements(RankedTensorType::get({count}, element),
                       ArrayRef(reinterpret_cast<const char *>(numbers->data()),
                                numbers->size() * sizeof(double)))));
    return node.setResult(node.cast(node.floats(*numbers, count), element));
  }
  Ints ends;
  for (size_t i = 0; i < 3; ++i) {
    FailureOr<Ints> number = node.constantInts(i, "the range");
    if (failed(number) || number->size() != 1)
      return failed(number) ? failure()
                            : node.error("found a range end that is no "
                                         "number, expected scalars");
    ends.push_back(number->front());
  }
  auto numbers = countRange<int64_t>(node, ends[0], ends[1], ends[2]);
  if (failed(numbers))
    return failure();
  return node.setResult(node.cast(node.ints(*numbers), element));
}

LogicalResult npu::buildShape(OnnxNode &node) {
  ArrayRef<int64_t> shape = shapeOf(node.getInput(0));
  int64_t rank = static_cast<int64_t>(shape.size());
  auto clamp = [rank](int64_t place) {
    return std::clamp<int64_t>(place < 0 ? place + rank : place, 0, rank);
  };
  int64_t start = clamp(node.getInt("start", 0));
  int64_t end = clamp(node.getInt("end", rank));
  return node.setResult(
      node.ints(shape.slice(start, std::max<int64_t>(end - start, 0))));
}

LogicalResult npu::buildSize(OnnxNode &node) {
  Value count = node.ints(tensorType(node.getInput(0)).getNumElements());
  return node.setResult(node.reshape(count, {}));
}
