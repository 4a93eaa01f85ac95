// SPDX-License-Identifier: Apache-2.0
//
// The exact search for a layout assignment, on plain structs: no MLIR, no LLVM.
// Layouts, values and ops are numbers; what they mean is the caller's business.
#ifndef NPU_COMPILER_SEARCH_LAYOUTSEARCH_H
#define NPU_COMPILER_SEARCH_LAYOUTSEARCH_H

#include "compiler/Search/Deadline.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace npu::search {

/// Costs are integers (cycles, bytes or relayouts), so that sums are exact and
/// a proof is one. Every total of a problem must stay below 2^62.
using Cost = int64_t;

/// In Way::layouts: the operand is read in whatever order it is stored in.
constexpr int asStored = -1;

/// A tensor: the layouts it may be stored or read in are 0 .. layouts-1; at
/// most 64.
struct Value {
  int layouts = 1;
  /// move[from * layouts + to]: what a relayout costs; 0 where from == to.
  std::vector<Cost> move;
};

/// One way to run an op: a layout for each operand, then for each result.
/// Operands may be `asStored`, results may not. An op that reads one value
/// several times may read it in several layouts.
struct Way {
  Cost cost = 0;
  std::vector<int> layouts;
};

/// Graph inputs are ops without operands, graph outputs ops without results.
struct Op {
  std::vector<int> operands, results; // values
  std::vector<Way> ways;              // at least one
};

/// Ops in topological order; each value is the result of exactly one op.
struct Problem {
  std::vector<Value> values;
  std::vector<Op> ops;
};

/// A choice of one way for each op costs the sum of the ways' costs, and for
/// each value the cheapest tree of relayouts from the layout it is stored in to
/// all that some operand reads it in, however many operands do. A relayout may
/// start from any copy that is there, and copies may be made that nobody reads.
Cost totalCost(const Problem &problem, const std::vector<int> &ways);

/// Empty if the problem is well formed, else what is wrong and where.
std::string check(const Problem &problem);

struct Options {
  /// When the best solution found so far is returned.
  double seconds = 10;
  /// A limit of other work, too, of which this may take what is left.
  std::optional<Deadline> within;
  /// Entries of the largest table that elimination may allocate, and of all
  /// that messages pass between; beyond it the linear programme is solved.
  int64_t tableEntries = int64_t(1) << 24;
  /// A known solution (ways), to start from; empty: none.
  std::vector<int> incumbent;
};

struct Solution {
  std::vector<int> ways; // one for each op
  Cost cost = 0;
  /// No choice costs less than this. Equal to `cost` where `proved`.
  Cost lowerBound = 0;
  bool proved = false;
  /// No part of the search was ended by the clock: the same ways every time.
  bool settled = false;
  /// "elimination", "message passing", "prices", "linear relaxation" or "branch
  /// and bound".
  std::string method;
  int64_t largestTable = 0; // entries, where elimination was planned
  double seconds = 0;
};

/// The cheapest choice. Always returns one that is valid; `proved` says whether
/// it is known to be the cheapest. The problem must be well formed.
Solution solve(const Problem &problem, const Options &options = {});

} // namespace npu::search

#endif // NPU_COMPILER_SEARCH_LAYOUTSEARCH_H
