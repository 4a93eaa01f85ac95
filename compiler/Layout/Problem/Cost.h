// SPDX-License-Identifier: Apache-2.0
//
// What layouts cost on a target: one function for the search, the report and
// whoever else asks.
#ifndef NPU_COMPILER_LAYOUT_PROBLEM_COST_H
#define NPU_COMPILER_LAYOUT_PROBLEM_COST_H

#include "compiler/Layout/Problem/LayoutPins.h"
#include "compiler/Layout/Problem/LayoutProblem.h"
#include "cost/kernel_time.h"

namespace npu {

struct Placement;

/// What a kernel takes on the chip. Whole numbers, so that sums are exact and
/// can be compared.
struct KernelCost {
  int64_t cycles = 0;
  int64_t energy = 0; // pJ; 0 where the target says nothing of it

  /// Of the objective what kernels have: energy, else cycles.
  int64_t of(Objective objective) const {
    return objective == Objective::Energy ? energy : cycles;
  }
};

/// What a kernel costs in the objective's best tiles, and bytes of on-chip
/// memory for them: with less memory it costs the same as long as it finds so
/// many.
struct TiledCost {
  KernelCost cost;
  double needs = 0;
};

/// The total of one function, or a part of it.
struct LayoutCost {
  int64_t count = 0;  // relayouts, and views that move data
  int64_t bytes = 0;  // stored bytes of their results
  KernelCost kernels; // relayouts, too

  int64_t of(Objective objective) const;
  LayoutCost &operator+=(const LayoutCost &other);
};

/// What a relayout adds from each of a value's layouts (row by row) to each;
/// nothing to the same.
struct RelayoutCosts {
  std::vector<LayoutCost> costs;
  double needs = 0; // as of a TiledCost
};
RelayoutCosts relayoutCosts(const ResidentProblem &problem, Value value,
                            ArrayRef<LayoutAttr> layouts);

/// The same with all memory.
RelayoutCosts relayoutCostsAlone(const ResidentProblem &problem, Value value,
                                 ArrayRef<LayoutAttr> layouts);

/// Of a view that moves data: what a relayout of its operand to the order that
/// would have made it free takes.
KernelCost viewCost(const ResidentProblem &problem, LayoutOpInterface op,
                    LayoutAttr from, LayoutAttr to);

/// An op's layouts: one for each operand, then one for each result. Null for an
/// operand that is read in whatever order it is stored in.
using OpLayouts = SmallVector<LayoutAttr>;

/// The layouts that an op has, or would have.
OpLayouts layoutsOf(Operation *op);
/// Where an op's result lies in its operand, in bytes, if it is no kernel of
/// the target: a slice in one piece, which costs nothing where kernels read
/// from memory. What a chip keeps in memory of its own is moved there by each
/// kernel.
std::optional<int64_t> freePartOf(const LayoutProblem &problem, Operation *op,
                                  ArrayRef<LayoutAttr> layouts);
OpLayouts layoutsOf(const Placement &placement);

/// Of an op that computes, in these layouts (cost/kernel_time.h).
/// `algorithm`: as if it were replaced by that. `whole`: the layouts by which
/// the target's signature is found, where `layouts` leaves out those of
/// operands whose transfers are not counted; empty: the same.
TiledCost kernelCost(const ResidentProblem &problem, LayoutOpInterface op,
                     ArrayRef<LayoutAttr> layouts,
                     const Alternative *algorithm = nullptr,
                     ArrayRef<LayoutAttr> whole = {});

/// Bytes of on-chip memory that the same op's best tiles take.
int64_t tileBytes(const ResidentProblem &problem, LayoutOpInterface op,
                  ArrayRef<LayoutAttr> layouts, const Alternative *algorithm,
                  ArrayRef<LayoutAttr> whole);

struct PricedAlgorithm {
  LayoutCost cost; // with relayouts between the ops of a set
  const Alternative *algorithm = nullptr; // null: the op's own
  double needs = 0; // as of a TiledCost, of all that were compared
};

/// The cheapest of an op's own algorithm and the others that the target has for
/// it in these layouts, by the problem's objective: cycles, or energy. A pinned
/// one is the only one; none where that does not fit. `whole`: as above.
std::optional<PricedAlgorithm>
cheapestAlgorithm(const ResidentProblem &problem, LayoutOpInterface op,
                  ArrayRef<LayoutAttr> layouts,
                  ArrayRef<LayoutAttr> whole = {});

/// What one op of a laid-out function does on the chip; nothing where it is
/// free: constants, and views that move no data.
std::optional<cost::KernelWork>
kernelWorkOf(const ResidentProblem &problem, Operation *op,
             const Alternative *algorithm = nullptr);

/// What one op of a laid-out function adds. Constants and free views: nothing.
LayoutCost costOf(const ResidentProblem &problem, Operation *op,
                  const Alternative *algorithm = nullptr);

/// What a laid-out function costs, with the values on the chip that make it
/// least.
struct FunctionCost {
  LayoutCost cost;
  const OnChipValues *onChip = nullptr; // one of the problem's residencies
};

/// The sum over the function; with `algorithms`, what it is when they are in.
FunctionCost costOf(const LayoutProblem &problem,
                    const Algorithms &algorithms = Algorithms());

/// The algorithms of a laid-out function's ops, with what stays on the chip,
/// that make the sum over kernels least: an op that is the cheapest while a
/// value stays may not be without it.
Algorithms cheapestAlgorithms(const LayoutProblem &problem);

} // namespace npu

#endif // NPU_COMPILER_LAYOUT_PROBLEM_COST_H
