// SPDX-License-Identifier: Apache-2.0
//
// Runs a function of the npu dialect op by op with the reference evaluator.
#ifndef NPU_TEST_COMPILER_SUPPORT_INTERPRETER_H
#define NPU_TEST_COMPILER_SUPPORT_INTERPRETER_H

#include "compiler/Dialect/NPU/NPUDialect.h"

#include <vector>

namespace npu::test {

/// The f32 results of `function` on these arguments, one list for each result;
/// empty if an op could not be evaluated.
std::vector<std::vector<float>> interpret(mlir::func::FuncOp function,
                                          ArrayRef<ElementsAttr> arguments);

/// Elements between -1 and 1 that depend on the seed alone.
ElementsAttr randomElements(RankedTensorType type, unsigned seed);

} // namespace npu::test

#endif // NPU_TEST_COMPILER_SUPPORT_INTERPRETER_H
