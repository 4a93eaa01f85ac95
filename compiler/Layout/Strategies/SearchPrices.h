// SPDX-License-Identifier: Apache-2.0
//
// What the search's ops and the relayouts of its values cost, each question
// answered once.
#ifndef NPU_COMPILER_LAYOUT_STRATEGIES_SEARCHPRICES_H
#define NPU_COMPILER_LAYOUT_STRATEGIES_SEARCHPRICES_H

#include "compiler/Layout/Problem/Cost.h"
#include "compiler/Layout/Problem/LayoutMemo.h"
#include "compiler/Layout/Problem/LayoutProblem.h"
#include "compiler/Layout/Problem/Residencies.h"
#include "compiler/Layout/Strategies/OpWays.h"

#include <deque>

namespace npu {

using CheapestAlgorithms = std::vector<std::optional<PricedAlgorithm>>;

/// A network repeats its layers, and most values stay where they are in the
/// next choice of what stays on the chip: what costs depend on is the same.
class SearchPrices {
public:
  /// From each of the value's layouts (row by row) to each.
  const std::vector<LayoutCost> &relayouts(const ResidentProblem &problem,
                                           Value value,
                                           ArrayRef<LayoutAttr> layouts);

  /// The cheapest algorithm in each way of an op that computes, with the values
  /// on the chip that the problem keeps; nothing where none does it, and for
  /// ways that cost what their `firstAlike` does. Valid until the next call.
  const CheapestAlgorithms &ways(const ResidentProblem &problem,
                                 const WaysOfOp &op);

private:
  /// An op's ways, priced with so many bytes of the chip reserved. With more
  /// they cost the same as long as these are left: `needs`.
  struct PricedWays {
    CheapestAlgorithms cheapest;
    double reserved = 0, needs = 0;
  };
  /// Of one operand or result in the ways of ops that are alike.
  struct ReadOrWritten {
    SmallVector<int64_t> bytes; // stored, of each layout that counts, sorted
    bool inAnyLayout = false;
  };
  struct Kind {
    SmallVector<ReadOrWritten> values;
    bool isPlain = true; // it runs as one kernel, whatever way it runs
  };

  /// `before`: with less reserved, or null.
  static PricedWays priceOf(const ResidentProblem &problem, const WaysOfOp &op,
                            const PricedWays *before = nullptr);
  static Kind makeKind(const LayoutProblem &problem, const WaysOfOp &op);
  Question waysQuestion(const ResidentProblem &problem, LayoutMemo &memo,
                        const WaysOfOp &op);

  // Nobody's answer moves.
  llvm::StringMap<RelayoutCosts> alike; // where all of a value fits
  llvm::StringMap<std::vector<LayoutCost>> known;
  llvm::StringMap<std::deque<PricedWays>> priced;
  llvm::DenseMap<unsigned, Kind> kinds; // by WaysOfOp's
  PricedWays alone;                     // of an op that is like no other
};

/// What it takes to price all ways once, with one choice of what stays on the
/// chip.
double pricingStepsOf(const OpWays &ways);

/// Of what may stay on the chip, those that a search looks at, in the order in
/// which it does. Where relayouts alone make up the objective they are as many
/// whatever stays: then only those that have a place for each copy, and bounds
/// of 0.
std::vector<ResidencyBound> residencyBounds(const LayoutProblem &problem,
                                            const OpWays &ways,
                                            SearchPrices &prices);

} // namespace npu

#endif // NPU_COMPILER_LAYOUT_STRATEGIES_SEARCHPRICES_H
