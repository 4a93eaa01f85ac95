// SPDX-License-Identifier: Apache-2.0
//
// Inputs and outputs of quantized numbers, told to people.
#ifndef NPU_COMPILER_PIPELINE_QUANTIZED_H
#define NPU_COMPILER_PIPELINE_QUANTIZED_H

#include "compiler/Support/LLVM.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <string>
#include <vector>

namespace npu {

/// An input or output of quantized numbers: (number - zeroPoint) * scale.
struct ReportedQuantized {
  std::string name, type;
  bool isInput;
  size_t index; ///< of the inputs, or outputs
  double scale;
  int64_t zeroPoint;
};

/// Which inputs and outputs are quantized numbers, and of which real ones.
std::vector<ReportedQuantized> quantizedOf(mlir::func::FuncOp function);

} // namespace npu

#endif // NPU_COMPILER_PIPELINE_QUANTIZED_H
