// SPDX-License-Identifier: Apache-2.0
#include "compiler/Layout/Problem/Names.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

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

std::string npu::bytesText(int64_t bytes) {
  if (bytes > -10000 && bytes < 10000)
    return std::to_string(bytes) + " bytes";
  std::string text;
  llvm::raw_string_ostream out(text);
  static const char *const units[] = {"kB", "MB", "GB", "TB"};
  double amount = static_cast<double>(bytes) / 1000;
  size_t unit = 0;
  for (; unit < 3 && (amount >= 1000 || amount <= -1000); ++unit)
    amount /= 1000;
  out << llvm::format("%.1f ", amount) << units[unit];
  return text;
}
