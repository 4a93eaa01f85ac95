// SPDX-License-Identifier: Apache-2.0
//
// A set of ops that may become one npu.fused: closed, because nothing outside
// reads a value of it but the last one. So no path leaves the group and comes
// back, and its kernel can stand where its last op stands.
#ifndef NPU_COMPILER_FUSION_FUSIONGROUP_H
#define NPU_COMPILER_FUSION_FUSIONGROUP_H

#include "compiler/Dialect/NPU/NPUDialect.h"

namespace npu {

class FusionGroup {
public:
  /// `root` and the elementwise ops of its shape behind it, as many as are
  /// closed. Every op in between joins too: x -> sigmoid -> mul(x, .).
  static FusionGroup growDown(Operation *root);

  /// `last` and the elementwise ops of its shape before it that only the group
  /// reads.
  static FusionGroup growUp(EltwiseOp last);

  size_t size() const { return ops.size(); }

  /// Leaves ops out, down to the next smaller closed group: the last of those
  /// behind a root, the first of a chain.
  void shrink();

  /// The kernel, in front of the group's last op, read by nobody yet. Its
  /// operands are the root's in order, then what else the ops read.
  FusedOp create() const;

  /// Lets `fused` take the group's place.
  void replaceBy(FusedOp fused);

private:
  void takeJoined();

  SmallVector<Operation *> ops;    // in the block's order, a root first
  SmallVector<size_t> closedSizes; // behind a root: at which it was closed
  SmallVector<Operation *> joined; // of a chain: as they joined, the last first
};

} // namespace npu

#endif // NPU_COMPILER_FUSION_FUSIONGROUP_H
