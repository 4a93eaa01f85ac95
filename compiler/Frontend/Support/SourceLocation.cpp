// SPDX-License-Identifier: Apache-2.0
#include "compiler/Frontend/Support/SourceLocation.h"

#include "mlir/IR/Location.h"

#include "llvm/Support/JSON.h"

using namespace npu;

Location npu::fileLocation(MLIRContext &context, StringRef path) {
  return mlir::NameLoc::get(
      StringAttr::get(&context, llvm::json::fixUTF8(path)));
}

Location npu::nodeLocation(Location file, StringRef op, StringRef name) {
  std::string text = (op + " '" + name + "'").str();
  return mlir::NameLoc::get(
      StringAttr::get(file.getContext(), llvm::json::fixUTF8(text)), file);
}

std::string npu::describeLocation(Location location) {
  // A fused kernel is named after its first op.
  if (auto fused = dyn_cast<mlir::FusedLoc>(location))
    return fused.getLocations().empty()
               ? ""
               : describeLocation(fused.getLocations().front());
  auto named = dyn_cast<mlir::NameLoc>(location);
  if (!named)
    return "";
  std::string outer = describeLocation(named.getChildLoc());
  return outer.empty() ? named.getName().str()
                       : outer + ": " + named.getName().str();
}
