// SPDX-License-Identifier: Apache-2.0
#include "compiler/Frontend/TOSA/TosaConstants.h"

#include "compiler/Dialect/NPU/Constants.h"
#include "compiler/Dialect/NPU/ShapeInference.h"
#include "kernels/tensor.h"

#include "mlir/IR/DialectResourceBlobManager.h"

#include <cstring>

using namespace npu;

/// Elements of i16 from a dense attribute or the bytes of a resource.
static std::vector<int32_t> wideNumbers(ElementsAttr elements,
                                        ArrayRef<char> bytes) {
  std::vector<int32_t> numbers;
  if (auto dense = dyn_cast<DenseElementsAttr>(elements)) {
    for (const llvm::APInt &number : dense.getValues<llvm::APInt>())
      numbers.push_back(static_cast<int32_t>(number.getSExtValue()));
    return numbers;
  }
  for (size_t at = 0; at < bytes.size(); at += sizeof(int16_t)) {
    int16_t number = 0;
    std::memcpy(&number, bytes.data() + at, sizeof(number));
    numbers.push_back(number);
  }
  return numbers;
}

FailureOr<ElementsAttr> npu::dialectElements(Emitter &emitter,
                                             ElementsAttr elements) {
  auto type = cast<RankedTensorType>(elements.getShapedType());
  bool isWide = type.getElementType().isInteger(16);
  if (!isWide && dtypeOf(type.getElementType()) < 0)
    return emitter.unsupported(
        "has elements of " + typeText(type.getElementType()) +
        ", expected f32, f16, bf16, i8, i16, i32, i64 or i1");
  FailureOr<RankedTensorType> checked = makeTensorType(
      emitter.getLocation(), "the constant", type.getShape(),
      isWide ? emitter.getBuilder().getI32Type() : type.getElementType());
  if (failed(checked))
    return failure();
  ArrayRef<char> bytes;
  if (auto resource = dyn_cast<mlir::DenseResourceElementsAttr>(elements)) {
    mlir::AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    if (blob)
      bytes = blob->getData();
    size_t wanted =
        static_cast<size_t>(type.getNumElements()) *
        (isWide ? sizeof(int16_t)
                : kernels::dtypeBytes(dtypeOf(type.getElementType())));
    if (bytes.size() != wanted)
      return emitter.error(
          "has " + Twine(bytes.size()) + " bytes in resource '" +
          resource.getRawHandle().getKey() + "', expected " + Twine(wanted));
  } else if (!isa<DenseElementsAttr>(elements)) {
    return emitter.unsupported(
        "has elements that are neither dense nor a resource");
  }
  if (!isWide)
    return elements;
  std::vector<int32_t> numbers = wideNumbers(elements, bytes);
  return makeElements(*checked,
                      ArrayRef(reinterpret_cast<const char *>(numbers.data()),
                               numbers.size() * sizeof(int32_t)));
}
