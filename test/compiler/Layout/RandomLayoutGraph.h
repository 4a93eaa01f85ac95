// SPDX-License-Identifier: Apache-2.0
//
// Random problems for the layout stage: a graph, a chip and a boundary. Kept as
// text, so that each can be printed, made smaller and run again.
#ifndef NPU_TEST_COMPILER_LAYOUT_RANDOMLAYOUTGRAPH_H
#define NPU_TEST_COMPILER_LAYOUT_RANDOMLAYOUTGRAPH_H

#include "compiler/Target/TargetSpec.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace npu::test {

struct LayoutCase {
  std::string graph; // a module of one function @main
  /// The name of a shipped target, or the text of a target file (which names
  /// its chip "random").
  std::string target;
  std::string io; // as --io-layout
};

/// What kind of graph is drawn.
struct GraphKind {
  /// Only functions whose numbers stay small and do not jump, so that it can be
  /// compiled and compared.
  bool runnable = false;
  /// Images are transposed between the ops, so that what is the channel to one
  /// is something else to the next.
  bool permuted = false;
  /// Extents that blocks divide, heads of matrices, and a chip of tiles, sticks
  /// and doubly blocked weights.
  bool tiled = false;
};

/// The same for the same seed and kind.
LayoutCase randomLayoutCase(MLIRContext &context, uint64_t seed,
                            GraphKind kind);

/// A module with one function @main of f32 tensors: any op of the dialect, any
/// rank, several users of a value, any of its values as results.
mlir::OwningOpRef<mlir::ModuleOp> randomLayoutGraph(MLIRContext &context,
                                                    unsigned seed, int steps,
                                                    GraphKind kind);

/// The text of a target file with random demands and machine numbers. `tiled`:
/// most orders have blocks, of one or two dimensions, some twice.
std::string randomTarget(unsigned seed, bool tiled);

/// The target of a case; empty with the reason in `error`.
std::optional<TargetSpec> targetOf(const LayoutCase &problem,
                                   std::string &error);

} // namespace npu::test

#endif // NPU_TEST_COMPILER_LAYOUT_RANDOMLAYOUTGRAPH_H
