// SPDX-License-Identifier: Apache-2.0
#include "compiler/Frontend/ONNX/OnnxNode.h"

#include "compiler/Dialect/NPU/Constants.h"
#include "compiler/Frontend/Support/DataBehind.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace npu;
using onnx::AttributeProto;

LogicalResult OnnxNode::setResult(size_t index, Value value) {
  if (!value) {
    sawError = true;
    return failure();
  }
  if (index < results.size())
    results[index] = value;
  return success();
}

Value OnnxNode::shared(const Twine &what, ArrayRef<Value> values,
                       function_ref<Value()> make) {
  std::vector<void *> opaque;
  for (Value value : values)
    opaque.push_back(value.getAsOpaquePointer());
  Value &made = (*sharedValues)[{what.str(), opaque}];
  return made ? made : made = make();
}

AttributeProto *OnnxNode::find(StringRef name) {
  read.insert(name);
  for (AttributeProto &attribute : *proto.mutable_attribute())
    if (attribute.name() == name)
      return &attribute;
  return nullptr;
}

int64_t OnnxNode::getInt(StringRef name, int64_t otherwise, int64_t least,
                         int64_t most) {
  AttributeProto *attribute = find(name);
  if (!attribute)
    return otherwise;
  if (attribute->i() >= least && attribute->i() <= most)
    return attribute->i();
  (void)error("attribute '" + name + "' is " + Twine(attribute->i()) +
              ", expected " + Twine(least) +
              (most == INT64_MAX ? Twine(" or more") : " to " + Twine(most)));
  return otherwise;
}

double OnnxNode::getFloat(StringRef name, double otherwise) {
  AttributeProto *attribute = find(name);
  return attribute ? attribute->f() : otherwise;
}

std::string OnnxNode::getString(StringRef name, StringRef otherwise) {
  AttributeProto *attribute = find(name);
  return attribute ? attribute->s() : otherwise.str();
}

std::string OnnxNode::getWord(StringRef name, StringRef otherwise,
                              ArrayRef<StringRef> words) {
  std::string word = getString(name, otherwise);
  if (llvm::is_contained(words, word))
    return word;
  (void)error("attribute '" + name + "' is '" + word + "', expected one of " +
              llvm::join(words, ", "));
  return otherwise.str();
}

std::optional<Ints> OnnxNode::getInts(StringRef name) {
  AttributeProto *attribute = find(name);
  if (!attribute)
    return std::nullopt;
  return Ints(attribute->ints().begin(), attribute->ints().end());
}

std::optional<SmallVector<double>> OnnxNode::getFloats(StringRef name) {
  AttributeProto *attribute = find(name);
  if (!attribute)
    return std::nullopt;
  return SmallVector<double>(attribute->floats().begin(),
                             attribute->floats().end());
}

std::vector<std::string> OnnxNode::getStrings(StringRef name) {
  AttributeProto *attribute = find(name);
  if (!attribute)
    return {};
  return {attribute->strings().begin(), attribute->strings().end()};
}

onnx::TensorProto *OnnxNode::getTensor(StringRef name) {
  AttributeProto *attribute = find(name);
  return attribute ? attribute->mutable_t() : nullptr;
}

onnx::GraphProto *OnnxNode::getGraph(StringRef name) {
  AttributeProto *attribute = find(name);
  return attribute ? attribute->mutable_g() : nullptr;
}

void OnnxNode::ignore(std::initializer_list<StringRef> names) {
  for (StringRef name : names)
    read.insert(name);
}

LogicalResult OnnxNode::checkAllRead() {
  for (const AttributeProto &attribute : proto.attribute())
    if (!isPrivate(attribute) && !read.contains(attribute.name()))
      return unsupported("has the attribute '" + attribute.name() +
                         "', which npuc does not take into account; expected "
                         "a node without it");
  return success();
}

FailureOr<ElementsAttr> OnnxNode::constantInput(size_t index, StringRef what) {
  if (ElementsAttr elements = constantOf(inputs[index]))
    return elements;
  return unsupported(
      "takes " + what + " from '" + proto.input(static_cast<int>(index)) +
      "', which depends on the model's data, expected a constant; " +
      adviceAbout(dataBehind(inputs[index])));
}

static SmallVector<double> realNumbers(ElementsAttr elements) {
  SmallVector<double> numbers;
  auto type = mlir::cast<mlir::FloatType>(elements.getElementType());
  std::vector<char> storage;
  ArrayRef<char> bytes = elementBytes(elements, storage);
  for (size_t i = 0; i < bytes.size(); i += type.getWidth() / 8) {
    uint64_t bits = 0;
    std::memcpy(&bits, bytes.data() + i, type.getWidth() / 8);
    llvm::APFloat wide(type.getFloatSemantics(),
                       llvm::APInt(type.getWidth(), bits));
    bool losesInfo = false;
    wide.convert(llvm::APFloat::IEEEdouble(),
                 llvm::APFloat::rmNearestTiesToEven, &losesInfo);
    numbers.push_back(wide.convertToDouble());
  }
  return numbers;
}

FailureOr<Ints> OnnxNode::constantInts(size_t index, StringRef what) {
  FailureOr<ElementsAttr> elements = constantInput(index, what);
  if (failed(elements))
    return failure();
  if (isa<mlir::IntegerType>(elements->getElementType()))
    return elementInts(*elements);
  // The first opsets had floats for numbers of elements.
  Ints numbers;
  for (double number : realNumbers(*elements)) {
    if (number != std::floor(number) || std::fabs(number) >= 0x1p62)
      return error(what + " has the entry " + std::to_string(number) +
                   ", expected whole numbers");
    numbers.push_back(static_cast<int64_t>(number));
  }
  return numbers;
}

FailureOr<SmallVector<double>> OnnxNode::constantFloats(size_t index,
                                                        StringRef what) {
  FailureOr<ElementsAttr> elements = constantInput(index, what);
  if (failed(elements))
    return failure();
  if (isa<mlir::FloatType>(elements->getElementType()))
    return realNumbers(*elements);
  bool isU64 = elements->getElementType().isUnsignedInteger(64);
  SmallVector<double> numbers;
  for (int64_t number : elementInts(*elements))
    numbers.push_back(isU64 ? double(static_cast<uint64_t>(number))
                            : double(number));
  return numbers;
}

FailureOr<int64_t> OnnxNode::constantInt(size_t index, StringRef what,
                                         StringRef several) {
  FailureOr<Ints> numbers = constantInts(index, what);
  if (failed(numbers))
    return failure();
  if (numbers->size() != 1)
    return error("found " + Twine(numbers->size()) + " " + several +
                 ", expected 1");
  return numbers->front();
}

FailureOr<double> OnnxNode::constantFloat(size_t index, StringRef what,
                                          StringRef several) {
  FailureOr<SmallVector<double>> numbers = constantFloats(index, what);
  if (failed(numbers))
    return failure();
  if (numbers->size() != 1)
    return error("found " + Twine(numbers->size()) + " " + several +
                 ", expected 1");
  return numbers->front();
}

FailureOr<std::optional<Ints>> OnnxNode::intsOf(StringRef name, size_t index,
                                                int sinceInput) {
  if (version < sinceInput)
    return getInts(name);
  if (!hasInput(index))
    return std::optional<Ints>();
  FailureOr<Ints> numbers = constantInts(index, name);
  if (failed(numbers))
    return failure();
  return std::optional<Ints>(std::move(*numbers));
}

FailureOr<int64_t> OnnxNode::normalizeAxis(int64_t axis, int64_t rank) {
  if (axis < -rank || axis >= rank)
    return error("axis " + Twine(axis) + " is out of range, expected " +
                 Twine(-rank) + " to " + Twine(rank - 1));
  return axis < 0 ? axis + rank : axis;
}

FailureOr<Ints> OnnxNode::normalizeAxes(ArrayRef<int64_t> axes, int64_t rank) {
  Ints result;
  for (int64_t axis : axes) {
    FailureOr<int64_t> normal = normalizeAxis(axis, rank);
    if (failed(normal))
      return failure();
    if (llvm::is_contained(result, *normal))
      return error("axis " + Twine(axis) + " is named twice");
    result.push_back(*normal);
  }
  return result;
}
