// SPDX-License-Identifier: Apache-2.0
#include "compiler/Frontend/Support/DataBehind.h"

#include "files/shown_text.h"
#include "format/program_format.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <set>

using namespace npu;

DataBehind npu::dataBehind(Value value) {
  if (!value)
    return {};
  std::set<unsigned> arguments; // in the model's order
  llvm::DenseSet<Value> seen{value};
  SmallVector<Value> open{value};
  mlir::func::FuncOp function;
  while (!open.empty()) {
    Value next = open.pop_back_val();
    if (auto argument = dyn_cast<mlir::BlockArgument>(next)) {
      arguments.insert(argument.getArgNumber());
      function = cast<mlir::func::FuncOp>(argument.getOwner()->getParentOp());
      continue;
    }
    for (Value operand : next.getDefiningOp()->getOperands())
      if (seen.insert(operand).second)
        open.push_back(operand);
  }
  DataBehind behind;
  for (unsigned number : arguments) {
    auto type = cast<RankedTensorType>(function.getArgument(number).getType());
    auto name = function.getArgAttrOfType<mlir::StringAttr>(number, "npu.name");
    (type.getNumElements() <= NPU_MAX_RANK ? behind.settings : behind.data)
        .push_back(name.str());
  }
  return behind;
}

std::string npu::adviceAbout(const DataBehind &behind) {
  auto quoted = [](ArrayRef<std::string> names) {
    return llvm::join(
        llvm::map_range(
            names, [](const std::string &name) { return "'" + name + "'"; }),
        ", ");
  };
  if (!behind.data.empty())
    return "the network's steps or shapes depend on what is in " +
           quoted(behind.data) +
           ": cut the model before this node, or put a constant in the place "
           "of what it reads";
  if (behind.settings.empty()) // of constants that were too large to compute
    return "put a constant in its place";
  std::string options;
  for (const std::string &name : behind.settings)
    options += " --bind-input=" + files::shownName(name) + "=FILE.npy";
  return "it is computed from " + quoted(behind.settings) +
         ", which can be made constant: use" + options;
}
