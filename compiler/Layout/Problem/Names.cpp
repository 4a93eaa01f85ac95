// SPDX-License-Identifier: Apache-2.0
#include "compiler/Layout/Problem/Names.h"

using namespace npu;

std::vector<std::string>
npu::boundaryLayoutNames(mlir::func::FuncOp function,
                         const ImageAxesAnalysis &axes) {
  std::vector<std::string> names;
  auto add = [&](Value value) {
    names.push_back(layoutName(getLayout(value), axes.of(value)));
  };
  llvm::for_each(function.getArguments(), add);
  llvm::for_each(function.front().getTerminator()->getOperands(), add);
  return names;
}

std::string npu::boundaryName(mlir::func::FuncOp function, unsigned index,
                              bool output) {
  auto name = output
                  ? function.getResultAttrOfType<StringAttr>(index, "npu.name")
                  : function.getArgAttrOfType<StringAttr>(index, "npu.name");
  if (name)
    return name.str();
  return (output ? "output " : "input ") + std::to_string(index);
}

std::string npu::layoutNames(ArrayRef<LayoutAttr> layouts,
                             const ImageAxes &axes) {
  std::string text;
  for (LayoutAttr layout : layouts) {
    std::string name = layoutName(layout, axes);
    text += (text.empty() ? "" : " or ") + name;
    if (name != layout.getLetters())
      text += " (" + layout.getLetters() + ")";
  }
  return text;
}

OpOperand *npu::returnedBy(Operation *op) {
  for (OpOperand &use : op->getResult(0).getUses())
    if (isa<mlir::func::ReturnOp>(use.getOwner()))
      return &use;
  return nullptr;
}
