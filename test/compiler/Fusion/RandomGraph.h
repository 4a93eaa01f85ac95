// SPDX-License-Identifier: Apache-2.0
//
// Random functions of small convolutions, transposes, pads, affine steps and
// activations: what the fusion passes rewrite, and what they must leave alone.
#ifndef NPU_TEST_COMPILER_FUSION_RANDOMGRAPH_H
#define NPU_TEST_COMPILER_FUSION_RANDOMGRAPH_H

#include "compiler/Dialect/NPU/NPUDialect.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace npu::test {

/// A module with one function @main of f32 tensors, the same for the same seed.
mlir::OwningOpRef<mlir::ModuleOp> randomGraph(MLIRContext &context,
                                              unsigned seed, int steps);

} // namespace npu::test

#endif // NPU_TEST_COMPILER_FUSION_RANDOMGRAPH_H
