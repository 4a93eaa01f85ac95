// SPDX-License-Identifier: Apache-2.0
//
// In which layouts each value might be stored or read: what a search chooses
// among.
#ifndef NPU_COMPILER_LAYOUT_STRATEGIES_CANDIDATES_H
#define NPU_COMPILER_LAYOUT_STRATEGIES_CANDIDATES_H

#include "compiler/Layout/Problem/LayoutPlan.h"
#include "compiler/Layout/Problem/LayoutProblem.h"
#include "compiler/Layout/Problem/OpSlots.h"
#include "compiler/Layout/Problem/SplitGroup.h"

#include <deque>
#include <map>

namespace npu {

/// Each of an op's operands may be padded or not where blocks of another size
/// or another spelling explain it; of more than so many the combinations
/// explode, and they are read as the result's order is spelled.
constexpr unsigned fewOperands = 4;

/// One way to split an op, with the slots of its kernels.
struct SplitSlots {
  std::shared_ptr<const SplitKernels> kernels;
  OpSlots first, rest;
};

/// Whether ops that are several fused into one may be split by the search.
enum class Groups { Whole, MaySplit };

/// For each value that is not a constant a list of layouts, no two of which
/// store it alike: the source's order first, then what its boundary, its
/// producer, its readers and other strategies' plans want, and all that follows
/// from any of them through views and through ops, forward and backward. Where
/// an op leaves a part of an order open, that part is taken from each of the
/// value's other layouts.
class Candidates {
public:
  /// `others`: plans of other strategies, whose orders are candidates too.
  Candidates(const LayoutProblem &problem, ArrayRef<LayoutPlan> others,
             Groups groups = Groups::Whole);

  /// Each op that knows layouts.
  ArrayRef<OpSlots> slots() const { return ops; }
  /// In which two kernels an op may be computed.
  ArrayRef<SplitSlots> splitsOf(Operation *op) const;
  ArrayRef<LayoutAttr> of(Value value) const;
  /// The place in of(value) of the layout that stores it alike; -1: none.
  int find(Value value, LayoutAttr layout) const;
  /// A layout of of(value), then as it was spelled elsewhere. Whose the padding
  /// is makes no difference to what is stored, but to what goes with it.
  SmallVector<LayoutAttr, 2> spellings(Value value, int place) const;
  /// Whether some layout of the value has several.
  bool hasSpellings(Value value) const { return respelled.contains(value); }
  /// Values for which more layouts followed than are kept.
  int capped() const { return static_cast<int>(full.size()); }

private:
  /// An order in which some dimensions' places are known; the others' are not
  /// the op's affair.
  struct Ask {
    StoredOrder order;
    SmallVector<bool, 6> known;
  };

  LayoutAttr merged(const Ask &ask, LayoutAttr open) const;
  void findSplits();
  void addPlaces(unsigned number);
  /// An op, or a kernel of a split one.
  const OpSlots &slotsAt(unsigned number) const {
    return number < ops.size() ? ops[number] : *parts[number - ops.size()];
  }
  void seed(ArrayRef<LayoutPlan> others);
  void add(Value value, LayoutAttr layout);
  int compare(Value value, LayoutAttr layout) const;
  int compareDigits(Value value, LayoutAttr layout) const;
  void ask(Value value, const TransferResult &carried);
  void close();
  void spread(unsigned op, unsigned from, LayoutAttr layout);
  void spreadRespelled(unsigned op, unsigned from, LayoutAttr layout);
  bool goesWith(const OpSlots &op, unsigned from, LayoutAttr layout,
                unsigned to, LayoutAttr other) const;

  const LayoutProblem &problem;
  std::vector<OpSlots> ops;
  llvm::DenseMap<Operation *, std::vector<SplitSlots>> split;
  std::vector<const OpSlots *> parts; // of all that may be split
  llvm::DenseMap<Value, SmallVector<LayoutAttr, 4>> layouts;
  /// How those of values that have some in blocks are stored, one by one.
  mutable llvm::DenseMap<Value, SmallVector<Digits, 0>> storage;
  /// Other spellings of these: (place, layout).
  llvm::DenseMap<Value, SmallVector<std::pair<int, LayoutAttr>, 2>> respelled;
  /// Where each value stands: (op or part, slot).
  llvm::DenseMap<Value, SmallVector<std::pair<unsigned, unsigned>, 4>> places;
  /// What ops of many operands have: read as the result's order is spelled.
  llvm::DenseSet<Value> ofWideOps;
  std::deque<std::pair<Value, LayoutAttr>> fresh;
  /// Spellings that were met, of layouts that are alike too (what they mean for
  /// values of other extents differs), and where find() has them.
  llvm::DenseMap<std::pair<Value, LayoutAttr>, int> seen;
  /// What an op asks of a value and leaves partly open.
  llvm::DenseMap<Value, SmallVector<Ask, 2>> asks;
  /// The other side of a state that is free: stored as this one.
  llvm::DenseMap<Value, SmallVector<Value, 1>> otherSides;
  llvm::DenseSet<Value> full;
  /// What was spread already: from which of an op's slots that are alike.
  llvm::DenseSet<std::pair<std::pair<unsigned, unsigned>, LayoutAttr>> known;
};

} // namespace npu

#endif // NPU_COMPILER_LAYOUT_STRATEGIES_CANDIDATES_H
