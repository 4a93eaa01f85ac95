// SPDX-License-Identifier: Apache-2.0
//
// The layout problem of a function as numbers (Search/LayoutSearch.h), and the
// way back.
#ifndef NPU_COMPILER_LAYOUT_STRATEGIES_SEARCHPROBLEM_H
#define NPU_COMPILER_LAYOUT_STRATEGIES_SEARCHPROBLEM_H

#include "compiler/Layout/Problem/Cost.h"
#include "compiler/Layout/Problem/LayoutPlan.h"
#include "compiler/Layout/Problem/LayoutProblem.h"
#include "compiler/Layout/Strategies/Candidates.h"
#include "compiler/Search/RelayoutTrees.h"

namespace npu {

class SearchProblem {
public:
  /// Priced with the values on the chip that the problem keeps. Where the ops'
  /// cheapest ways, and so every choice, cost more than `most` in the
  /// objective's unit, it is not built: there is nothing else to ask of it.
  SearchProblem(const LayoutProblem &problem, const Candidates &candidates,
                int64_t most = std::numeric_limits<int64_t>::max());
  bool isTooDear() const { return !trees; }
  /// Ops that have more ways than are looked at.
  int cutOps() const { return static_cast<int>(cut.size()); }

  const search::Problem &numbers() const { return built; }
  search::Cost cost(const std::vector<int> &ways) const {
    return search::totalCost(built, *trees, ways);
  }
  /// The ways that a plan amounts to; empty if some op of it has no such way.
  std::vector<int> waysOf(const LayoutPlan &plan) const;
  /// The plan that a choice of ways means.
  LayoutPlan planOf(const std::vector<int> &ways) const;
  /// The part of a total of the search that is in the objective's unit.
  int64_t primary(search::Cost total) const { return total / weights[0]; }
  /// The same and the first tie-break: totals of problems whose numbers are
  /// weighed in another way can be compared so.
  std::pair<int64_t, int64_t> comparable(search::Cost total) const;

private:
  /// A way of an op by its layouts (null: as stored), with the algorithm that
  /// is the fastest in them: others in the same layouts could not be better.
  struct NamedWay {
    OpLayouts layouts;
    LayoutCost cost;
    const Alternative *algorithm = nullptr; // null: the op's own
  };
  /// An op of the search: one of the function's, an input or an output.
  struct NamedOp {
    const OpSlots *slots = nullptr;
    Value input;
    OpOperand *output = nullptr;
    std::vector<NamedWay> ways;
  };

  void addValue(Value value);
  void addInput(Value argument);
  void addDemandedMove(const OpSlots &slots, std::vector<NamedWay> &ways) const;
  void addMovingWays(const OpSlots &slots, std::vector<NamedWay> &ways) const;
  void addKernel(const OpSlots &slots);
  void addOutput(OpOperand &output);
  void addOp(NamedOp op, ArrayRef<Value> operands, ArrayRef<Value> results);
  std::vector<NamedWay> waysOf(const OpSlots &slots) const;
  std::vector<NamedWay> viewWays(const OpSlots &slots) const;
  LayoutCost movingView(const OpSlots &slots, const OpLayouts &layouts) const;
  void extend(const OpSlots &slots, OpLayouts &layouts,
              std::vector<NamedWay> &ways) const;
  SmallVector<LayoutAttr> choices(const OpSlots &slots, LayoutAttr anchor,
                                  unsigned slot) const;
  int indexOf(Value value, LayoutAttr layout) const;
  void planCopies(const std::vector<int> &ways, LayoutPlan &plan) const;
  bool matches(const NamedOp &op, const NamedWay &way,
               const LayoutPlan &plan) const;
  int64_t leastOf(const NamedOp &op) const;
  void weigh();
  search::Cost weighed(const LayoutCost &cost) const;

  const LayoutProblem &problem;
  const Candidates &candidates;
  llvm::DenseMap<Value, int> numberOf;
  mutable llvm::DenseSet<Operation *> cut;
  std::vector<NamedOp> ops;                   // beside built.ops
  std::vector<std::vector<LayoutCost>> moves; // beside built.values
  search::Problem built;
  std::unique_ptr<search::RelayoutTrees> trees; // of what is built
  /// What one unit of the objective, of the first tie-break and of the second
  /// weigh in a total; the tie-breaks may be dropped or made coarser.
  search::Cost weights[3] = {1, 0, 0};
  int shift = 0;
};

} // namespace npu

#endif // NPU_COMPILER_LAYOUT_STRATEGIES_SEARCHPROBLEM_H
