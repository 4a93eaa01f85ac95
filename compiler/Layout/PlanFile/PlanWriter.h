// SPDX-License-Identifier: Apache-2.0
//
// --write-layout-plan: what was decided as a file, and the names and the
// fingerprint by which a file knows its graph.
#ifndef NPU_COMPILER_LAYOUT_PLANFILE_PLANWRITER_H
#define NPU_COMPILER_LAYOUT_PLANFILE_PLANWRITER_H

#include "compiler/Dialect/NPU/NPUDialect.h"
#include "compiler/Layout/Problem/OnChip.h"
#include "compiler/Target/TargetSpec.h"

namespace npu {

/// The names by which a plan speaks of the ops of a function, in their order:
/// the model's nodes, the op's own name where there is none, "#2" behind the
/// second of a name. Constants and relayouts have none.
std::vector<std::pair<Operation *, std::string>>
planNames(mlir::func::FuncOp function);

/// What tells one graph from another: ops, attributes and shapes, not weights.
std::string graphFingerprint(mlir::func::FuncOp function);

/// Writes the plan that the stage arrives at.
class PlanWriter {
public:
  /// Takes note of the source's names, before the stage.
  explicit PlanWriter(mlir::func::FuncOp source);

  /// The plan of the same function behind the stage. Without `onChip` it does
  /// not list which values stay on the chip.
  std::string print(mlir::func::FuncOp decided, StringRef model,
                    const TargetSpec &target, StringRef strategy,
                    const OnChipValues *onChip) const;

private:
  std::string graph;
};

} // namespace npu

#endif // NPU_COMPILER_LAYOUT_PLANFILE_PLANWRITER_H
