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

SmallVector<PlacedOp> npu::opsOnProcessor(mlir::func::FuncOp function) {
  SmallVector<PlacedOp> placed;
  function.walk<mlir::WalkOrder::PreOrder>([&](Operation *op) {
    auto told = op->getAttrOfType<mlir::DictionaryAttr>(onProcessorAttr);
    // A fused kernel has what its ops have.
    if (!told || op->getNumRegions() > 0)
      return;
    auto text = [&](StringRef key) {
      auto attribute = told.getAs<StringAttr>(key);
      return attribute ? attribute.getValue() : StringRef();
    };
    placed.push_back({op, text(whyKey), text(changeKey)});
  });
  return placed;
}
