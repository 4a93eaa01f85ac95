// SPDX-License-Identifier: Apache-2.0
#include "compiler/Dialect/NPU/OpNames.h"

using namespace npu;

std::string npu::nodeName(Location location) {
  if (auto named = dyn_cast<mlir::NameLoc>(location))
    return named.getName().str();
  if (auto fused = dyn_cast<mlir::FusedLoc>(location))
    for (Location part : fused.getLocations()) {
      std::string name = nodeName(part);
      if (!name.empty())
        return name;
    }
  return {};
}

std::string npu::opName(Operation *op) {
  std::string node = nodeName(op->getLoc());
  if (!node.empty())
    return node;
  if (auto rule = dyn_cast<LayoutOpInterface>(op))
    return rule.getDemandName().str();
  return op->getName().getStringRef().str();
}

std::string npu::opText(Operation *op) {
  std::string node = nodeName(op->getLoc());
  auto rule = dyn_cast<LayoutOpInterface>(op);
  if (node.empty() || !rule)
    return opName(op);
  return node + " (" + rule.getDemandName().str() + ")";
}
