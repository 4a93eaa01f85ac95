// SPDX-License-Identifier: Apache-2.0
//
// What has been computed of constants during an import. Nodes that are written
// out in steps, and nodes that read one weight, ask for the same again and
// again: a transposed weight, its sums, its bytes in another form. They get the
// same constant, which is computed, counted and stored once.
#ifndef NPU_COMPILER_FRONTEND_SUPPORT_FOLDMEMO_H
#define NPU_COMPILER_FRONTEND_SUPPORT_FOLDMEMO_H

#include "compiler/Dialect/NPU/NPUDialect.h"

#include <map>
#include <optional>
#include <vector>

namespace npu {

/// Of one import: whatever this thread folds while it lives.
class FoldMemo {
public:
  FoldMemo();
  ~FoldMemo();
  FoldMemo(const FoldMemo &) = delete;
  FoldMemo &operator=(const FoldMemo &) = delete;
  /// Null where nothing is remembered.
  static FoldMemo *current();

  /// What makes two ops of constants the same; nothing where an operand is no
  /// constant.
  using Key = std::vector<const void *>;
  static std::optional<Key> keyOf(Operation *op);

  /// Null where it was not computed yet.
  ElementsAttr find(const Key &key) const;
  void add(Key key, ElementsAttr value);

private:
  std::map<Key, ElementsAttr> known;
  FoldMemo *outer;
};

} // namespace npu

#endif // NPU_COMPILER_FRONTEND_SUPPORT_FOLDMEMO_H
