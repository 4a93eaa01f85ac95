// SPDX-License-Identifier: Apache-2.0
//
// What entries of a target's lists have in common: of which ops they speak,
// under which conditions, and element types.
#ifndef NPU_COMPILER_TARGET_OPENTRYREADER_H
#define NPU_COMPILER_TARGET_OPENTRYREADER_H

#include "compiler/Dialect/NPU/OpVocabulary.h"
#include "compiler/Support/YamlReader.h"
#include "compiler/Target/Conditions.h"

#include "llvm/ADT/STLExtras.h"

namespace npu {

class OpEntryReader : protected YamlReader {
protected:
  using YamlReader::YamlReader;

  /// One line of `when`, before it is known of which ops.
  struct RawCondition {
    int line;
    std::string fact;
    std::vector<std::string> texts;
  };

  bool readOps(Node *node, std::vector<std::string> &ops);
  bool readWhen(Node *node, std::vector<RawCondition> &when);
  /// What is wrong with it for ops of this name is an error at its line.
  bool readConditions(StringRef op, ArrayRef<RawCondition> when,
                      Conditions &conditions);
  bool readType(Node *node, StringRef key, SmallVectorImpl<npu_dtype> &types);

  /// An entry of a list that may hold it once: the second is a slip of the
  /// hand, and another word was meant.
  template <class Item, class List>
  bool addOnce(Node *node, StringRef what, StringRef text, Item item,
               List &list) {
    if (llvm::is_contained(list, item))
      return fail(node, what + ": '" + text + "' stands twice");
    list.push_back(item);
    return true;
  }
};

} // namespace npu

#endif // NPU_COMPILER_TARGET_OPENTRYREADER_H
