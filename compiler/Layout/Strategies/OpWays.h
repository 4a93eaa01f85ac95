// SPDX-License-Identifier: Apache-2.0
//
// The ways in which ops may run, by the layouts of their values: what a search
// chooses among, before anything is priced.
#ifndef NPU_COMPILER_LAYOUT_STRATEGIES_OPWAYS_H
#define NPU_COMPILER_LAYOUT_STRATEGIES_OPWAYS_H

#include "compiler/Layout/Problem/Cost.h"
#include "compiler/Layout/Problem/LayoutProblem.h"
#include "compiler/Layout/Strategies/Candidates.h"

namespace npu {

/// An op's two kernels, and their layouts.
struct SplitWay {
  const SplitKernels *kernels;
  SplitLayouts layouts;
};

struct OpWay {
  OpLayouts layouts; // null: as stored
  /// A view that moves its data.
  bool moves = false;
  /// The layouts' places among each value's candidates, without constants.
  std::vector<int> places = {};
  /// As two kernels; null: as one.
  std::shared_ptr<const SplitWay> split = nullptr;
};

/// An op of the search: one of the function's, an input, or a reader.
struct WaysOfOp {
  const OpSlots *slots = nullptr;
  Value input;
  /// Of a state that is free: what it holds before a run, of that input and of
  /// the output that it is after one.
  BlockArgument state;
  /// What only reads: an output, or an operand of an op whose order neither
  /// another of the op's values nor its cost depends on. As a part of the op's
  /// ways each such operand would multiply their number.
  OpOperand *read = nullptr;
  std::vector<OpWay> ways;
  /// Ways whose own layouts cost alike, by the first of them: they differ in
  /// operands that may be read in any layout.
  std::vector<unsigned> firstAlike;
  /// The same number for ops that are alike and have the same ways.
  unsigned kind = 0;
  /// The op in the source's orders: what is left where no way fits.
  OpWay source;

  bool isOutput() const {
    return read && read->getOwner()->hasTrait<mlir::OpTrait::IsTerminator>();
  }
};

class OpWays {
public:
  OpWays(const LayoutProblem &problem, const Candidates &candidates);

  /// Inputs, then the function's ops with their readers, then outputs.
  ArrayRef<WaysOfOp> all() const { return ops; }
  const Candidates &candidates() const { return known; }
  /// Values and ops that have more layouts or ways than are looked at.
  int capped() const { return known.capped() + static_cast<int>(cut.size()); }
  /// Which layouts are looked at, in words.
  std::string space() const;

private:
  void addInput(Value argument);
  void addOp(const OpSlots &slots);
  void addOutput(OpOperand &output, BlockArgument state);
  void addReaders(const OpSlots &slots);
  bool hasReaders(const OpSlots &slots) const;
  void addKernelWays(const OpSlots &slots, WaysOfOp &op);
  void addSplitWays(const OpSlots &slots, WaysOfOp &op);
  void findAlike(const OpSlots &slots, WaysOfOp &op) const;
  void keep(WaysOfOp op);
  size_t mostWaysOfNext() const;
  unsigned kindOf(const WaysOfOp &op);
  void findPlaces(const WaysOfOp &op, OpWay &way) const;
  std::vector<OpWay> viewWays(const OpSlots &slots) const;
  bool moves(const OpSlots &slots, const OpLayouts &layouts) const;
  void addMovingWays(const OpSlots &slots, std::vector<OpWay> &ways) const;
  void addDemandedMove(const OpSlots &slots, std::vector<OpWay> &ways) const;

  const LayoutProblem &problem;
  const Candidates &known;
  const size_t most; // ways of all ops
  std::vector<WaysOfOp> ops;
  size_t looked = 0, waysOfAll = 0; // of the function's ops, and of all ways
  llvm::StringMap<unsigned> kinds;
  llvm::DenseSet<Operation *> cut;
  llvm::DenseSet<Operation *> withReaders;
  llvm::DenseSet<Value> states; // that are free, before a run
};

/// The same with null for each operand that may be read in any layout: what an
/// op's cost depends on.
OpLayouts countedLayouts(const OpSlots &slots, const OpLayouts &layouts);

} // namespace npu

#endif // NPU_COMPILER_LAYOUT_STRATEGIES_OPWAYS_H
