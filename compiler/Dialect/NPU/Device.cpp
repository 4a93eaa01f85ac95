// SPDX-License-Identifier: Apache-2.0
#include "compiler/Dialect/NPU/Device.h"

using namespace npu;

static constexpr StringRef whyKey = "why", changeKey = "change";

void npu::putOnProcessor(Operation *op, StringRef why, StringRef change) {
  MLIRContext *context = op->getContext();
  auto text = [&](StringRef key, StringRef value) {
    return NamedAttribute(StringAttr::get(context, key),
                          StringAttr::get(context, value));
  };
  op->setAttr(onProcessorAttr,
              mlir::DictionaryAttr::get(
                  context, {text(changeKey, change), text(whyKey, why)}));
}

ReasonBesideChip npu::reasonBesideChip(Operation *op) {
  auto told = op->getAttrOfType<mlir::DictionaryAttr>(onProcessorAttr);
  auto text = [&](StringRef key) {
    auto attribute = told ? told.getAs<StringAttr>(key) : StringAttr();
    return attribute ? attribute.getValue() : StringRef();
  };
  return {text(whyKey), text(changeKey)};
}

SmallVector<Operation *> npu::opsOnProcessor(mlir::func::FuncOp function) {
  SmallVector<Operation *> placed;
  function.walk<mlir::WalkOrder::PreOrder>([&](Operation *op) {
    // A fused kernel has what its ops have.
    if (isOnProcessor(op) && op->getNumRegions() == 0)
      placed.push_back(op);
  });
  return placed;
}
