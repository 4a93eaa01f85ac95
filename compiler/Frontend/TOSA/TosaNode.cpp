// SPDX-License-Identifier: Apache-2.0
#include "compiler/Frontend/TOSA/TosaNode.h"

#include "compiler/Dialect/NPU/Constants.h"
#include "compiler/Dialect/NPU/ShapeInference.h"

using namespace npu;

Type npu::dialectElement(Type element) {
  // Integer arithmetic on 16 bits saturates at a rescale; until then it fits.
  if (element.isInteger(16))
    return mlir::IntegerType::get(element.getContext(), 32);
  return dtypeOf(element) < 0 ? Type() : element;
}

Ints TosaNode::getInts(StringRef name) const {
  return Ints(attribute<mlir::DenseI64ArrayAttr>(name).asArrayRef());
}

int64_t TosaNode::getAxis() const {
  return attribute<mlir::IntegerAttr>("axis").getInt();
}

Type TosaNode::resultElement() const { return dialectElement(sourceResult()); }

bool TosaNode::keepsNan() const {
  auto mode = attribute<mlir::tosa::NanPropagationModeAttr>("nan_mode");
  return !mode || mode.getValue() != mlir::tosa::NanPropagationMode::IGNORE;
}

Value TosaNode::withoutNan(Value value, Value instead) {
  if (!value || !isa<mlir::FloatType>(elementOf(value)) || keepsNan())
    return value;
  return eltwise(NPU_INSTR_select, {isNan(value), instead, value});
}

LogicalResult TosaNode::setResult(Value value) {
  if (!value)
    return failure();
  auto declared = mlir::cast<mlir::ShapedType>(source->getResult(0).getType());
  if (elementOf(value) != resultElement())
    return error("gives " + typeText(elementOf(value)) +
                 ", but the file says " + typeText(declared.getElementType()));
  if (declared.hasRank() &&
      failed(mlir::verifyCompatibleShape(declared.getShape(), shapeOf(value))))
    return error("gives a result of shape " + shapes::text(shapeOf(value)) +
                 ", but the file says " + typeText(declared));
  results[0] = value;
  return success();
}
