// SPDX-License-Identifier: Apache-2.0
#include "compiler/Pipeline/Quantized.h"

#include "compiler/Dialect/NPU/Constants.h"
#include "compiler/Fusion/Passes.h"
#include "kernels/tensor.h"

using namespace npu;

std::vector<ReportedQuantized> npu::quantizedOf(mlir::func::FuncOp function) {
  std::vector<ReportedQuantized> found;
  auto add = [&](mlir::DictionaryAttr attributes, Type type, bool isInput,
                 size_t index) {
    auto name = attributes ? attributes.getAs<StringAttr>("npu.name") : nullptr;
    auto meaning = attributes
                       ? attributes.getAs<mlir::DictionaryAttr>(quantizedAttr)
                       : nullptr;
    if (!meaning)
      return;
    Type element = cast<RankedTensorType>(type).getElementType();
    found.push_back({name ? name.str() : "",
                     kernels::dtypeName(dtypeOf(element)), isInput, index,
                     meaning.getAs<mlir::FloatAttr>("scale").getValueAsDouble(),
                     meaning.getAs<mlir::IntegerAttr>("zero_point").getInt()});
  };
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes()))
    add(function.getArgAttrDict(i), type, true, i);
  for (auto [i, type] : llvm::enumerate(function.getResultTypes()))
    add(function.getResultAttrDict(i), type, false, i);
  return found;
}
