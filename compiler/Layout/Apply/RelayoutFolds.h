// SPDX-License-Identifier: Apache-2.0
//
// Which relayouts are superfluous by what stands next to them. Only what a
// change has touched is looked at again.
#ifndef NPU_COMPILER_LAYOUT_APPLY_RELAYOUTFOLDS_H
#define NPU_COMPILER_LAYOUT_APPLY_RELAYOUTFOLDS_H

#include "compiler/Dialect/NPU/NPUDialect.h"

#include <functional>
#include <set>

namespace npu {

/// Ops of one block, in the block's order, each once.
struct InBlockOrder {
  bool operator()(Operation *a, Operation *b) const {
    return a->isBeforeInBlock(b);
  }
};
using OpsInOrder = std::set<Operation *, InBlockOrder>;

class RelayoutFolds {
public:
  /// Whether an op may read and write what its values are stored as.
  using Takes = std::function<bool(LayoutOpInterface)>;

  /// All relayouts and ops of the function wait for a look.
  explicit RelayoutFolds(mlir::func::FuncOp function, Takes takes = nullptr);

  /// Folds the waiting relayouts, and those that come to wait thereby: of
  /// constants, chains, those that change nothing, duplicates. Ends: each fold
  /// shortens the relayouts' total way to their sources.
  void run();
  /// Of constants alone, all that wait.
  void foldConstants();

  /// The first op that is no relayout around which something has changed since
  /// it was taken; null: there is none.
  Operation *takeOp();

  /// The value's producer or its readers have changed.
  void touch(Value value);
  /// A reader is gone: nothing may be left to read it.
  void dropped(Value value);

private:
  void wake(Operation *op);
  void foldConstant(RelayoutOp op);
  bool foldChain(RelayoutOp op);
  bool foldIdentity(RelayoutOp op);
  bool mayRead(OpOperand &use, Value value);
  bool mayAllRead(RelayoutOp op, Value value);
  bool foldDuplicate(RelayoutOp op);
  void replaceReads(RelayoutOp from, Value to);
  void eraseDead();

  Takes takes;
  OpsInOrder relayouts, ops;
  llvm::DenseSet<Operation *> waiting; // those of `ops`: mostly, one is there
  SmallVector<Operation *> perhapsDead;
};

} // namespace npu

#endif // NPU_COMPILER_LAYOUT_APPLY_RELAYOUTFOLDS_H
