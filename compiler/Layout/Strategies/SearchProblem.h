// SPDX-License-Identifier: Apache-2.0
//
// The layout problem of a function as numbers (Search/LayoutSearch.h), and the
// way back.
#ifndef NPU_COMPILER_LAYOUT_STRATEGIES_SEARCHPROBLEM_H
#define NPU_COMPILER_LAYOUT_STRATEGIES_SEARCHPROBLEM_H

#include "compiler/Layout/Problem/Cost.h"
#include "compiler/Layout/Problem/LayoutPlan.h"
#include "compiler/Layout/Problem/LayoutProblem.h"
#include "compiler/Layout/Strategies/OpWays.h"
#include "compiler/Layout/Strategies/SearchPrices.h"
#include "compiler/Search/RelayoutTrees.h"

namespace npu {

class SearchProblem {
public:
  /// Where the ops' cheapest ways, and so every choice, cost more than `most`
  /// in the objective's unit, it is not built: there is nothing else to ask of
  /// it.
  SearchProblem(const ResidentProblem &problem, const OpWays &ways,
                SearchPrices &prices,
                int64_t most = std::numeric_limits<int64_t>::max());
  bool isTooDear() const { return !trees; }
  /// Whether a choice of this total needs a place on the chip that is not
  /// there: then the others of the problem that do not cost less, too.
  bool isBeyond(search::Cost total) const {
    return beyond > 0 && primary(total) >= beyond;
  }
  /// The sum of the ops' cheapest ways, in the objective's unit: no choice
  /// costs less.
  int64_t least() const { return sum; }

  const search::Problem &numbers() const { return built; }
  /// What a value's layouts are, by their numbers.
  ArrayRef<LayoutAttr> layoutsOf(size_t value) const;
  /// What targets call an op ("input" and "output" of the network), and what
  /// messages do.
  std::pair<std::string, std::string> namesOf(size_t op) const;
  search::Cost cost(const std::vector<int> &ways) const {
    return search::totalCost(built, *trees, ways);
  }
  /// The ways that a plan amounts to; empty if some op of it has no such way.
  std::vector<int> waysOf(const LayoutPlan &plan) const;
  /// The plan that a choice of ways means.
  LayoutPlan planOf(const std::vector<int> &ways) const;
  /// Bytes of the tiles of each op in a choice of ways; 0 of what is no kernel.
  std::vector<int64_t> tileBytes(const std::vector<int> &ways) const;
  /// The part of a total of the search that is in the objective's unit.
  int64_t primary(search::Cost total) const { return total / weights[0]; }
  /// The same and the first tie-break: totals of problems whose numbers are
  /// weighed in another way can be compared so.
  std::pair<int64_t, int64_t> comparable(search::Cost total) const;

private:
  /// A way of an op, with the algorithm that is the fastest in its layouts:
  /// others in the same layouts could not be better.
  struct NamedWay {
    const OpWay *way = nullptr;
    LayoutCost cost;
    const Alternative *algorithm = nullptr; // null: the op's own
  };
  struct NamedOp {
    const WaysOfOp *known = nullptr;
    std::vector<NamedWay> ways;
  };

  void addValue(Value value);
  void addStateOrder(const WaysOfOp &op);
  void priceStateOrder(const WaysOfOp &op);
  void addOp(const WaysOfOp &op);
  std::vector<NamedWay> pricedWays(const WaysOfOp &op) const;
  LayoutCost movingCost(const WaysOfOp &op, const OpWay &way) const;
  void planCopies(const std::vector<int> &ways, LayoutPlan &plan) const;
  bool matches(const WaysOfOp &op, const OpWay &way,
               const LayoutPlan &plan) const;
  int64_t leastOf(const NamedOp &op) const;
  void priceBeyond(int64_t most);
  void weigh();
  search::Cost weighed(const LayoutCost &cost) const;

  const ResidentProblem problem;
  const Candidates &candidates;
  SearchPrices &prices;
  llvm::DenseMap<Value, int> numberOf;
  std::vector<NamedOp> ops;                           // beside built.ops
  std::vector<const std::vector<LayoutCost> *> moves; // beside built.values
  std::vector<std::unique_ptr<std::vector<LayoutCost>>> limited; // moves
  struct StateOrder {
    int number = -1; // of its value
    std::vector<LayoutCost> *moves = nullptr;
  };
  llvm::DenseMap<Value, StateOrder> stateOrders; // by a state's input
  std::vector<Value> values;                     // beside built.values
  search::Problem built;
  std::unique_ptr<search::RelayoutTrees> trees; // of what is built
  /// What one unit of the objective, of the first tie-break and of the second
  /// weigh in a total; the tie-breaks may be dropped or made coarser.
  search::Cost weights[3] = {1, 0, 0};
  int64_t sum = 0; // of the ops' cheapest ways
  /// In place of what cannot be done for want of a place on the chip: more than
  /// all choices that can. 0: all can, or it is not in the objective's unit.
  int64_t beyond = 0;
  int shift = 0;
};

} // namespace npu

#endif // NPU_COMPILER_LAYOUT_STRATEGIES_SEARCHPROBLEM_H
