// SPDX-License-Identifier: Apache-2.0
//
// A set of ops that a plugin's alternative puts in place of one: a small
// function, its layouts, what it costs.
#ifndef NPU_COMPILER_LAYOUT_PROBLEM_REPLACEMENT_H
#define NPU_COMPILER_LAYOUT_PROBLEM_REPLACEMENT_H

#include "compiler/Layout/Problem/Alternatives.h"
#include "compiler/Layout/Problem/Cost.h"
#include "compiler/Layout/Problem/LayoutPlan.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace npu {

/// The set as a function of the op's operands that are no constants; what it
/// makes of constants is folded. What else is fused into the op is fused into
/// the last of the set.
struct Replacement {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp function;
  /// The op's operand that each argument stands for.
  SmallVector<unsigned> operands;
};

/// Asks the plugin. `withData`: constants have their elements; else the set is
/// good for its price only. Null where the op's kernel cannot follow; fails,
/// with an error at the op that names the plugin, where the set is no good.
FailureOr<std::unique_ptr<Replacement>>
makeReplacement(const Alternative &alternative, LayoutOpInterface op,
                bool withData);

/// Of a set between values in the op's layouts (one for each operand, then the
/// result; null: in any).
struct PricedReplacement {
  LayoutCost cost;
  LayoutPlan plan; // for the function
};

/// Each op of the set in turn in the layouts that are the cheapest after those
/// before it. What stays on the chip around the op does around the set, what is
/// within it does not. Nothing where the target has no layouts for some op.
std::optional<PricedReplacement> layOut(const Replacement &replacement,
                                        const ResidentProblem &around,
                                        Operation *op,
                                        ArrayRef<LayoutAttr> layouts);

/// What stays on the chip in a function that stands in place of one op: those
/// of `same`, pairs of a value of the op and the function's own for it, that
/// stay around the op. As much is held as while the op runs, and `between`, if
/// it is given. `ranges` are the function's.
OnChipValues onChipAround(const OnChipValues &outside, Operation *op,
                          ArrayRef<std::pair<Value, Value>> same,
                          std::shared_ptr<const LiveRanges> ranges,
                          const OnChipSlot *between = nullptr);

/// What the set costs in place of the op; nothing where it cannot stand there.
std::optional<LayoutCost> costOfSet(const ResidentProblem &problem,
                                    const Alternative &alternative,
                                    LayoutOpInterface op,
                                    ArrayRef<LayoutAttr> layouts);

/// Asks for the set of each op that some plugin's alternative is for, so that
/// one that is no good is an error before anything is decided.
LogicalResult checkReplacements(const LayoutProblem &problem);

} // namespace npu

#endif // NPU_COMPILER_LAYOUT_PROBLEM_REPLACEMENT_H
