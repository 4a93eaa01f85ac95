// SPDX-License-Identifier: Apache-2.0
//
// `fuses:` of a target's file.
#ifndef NPU_COMPILER_TARGET_FUSESREADER_H
#define NPU_COMPILER_TARGET_FUSESREADER_H

#include "compiler/Target/Fuses.h"
#include "compiler/Target/OpEntryReader.h"

namespace npu {

class FusesReader : protected OpEntryReader {
protected:
  using OpEntryReader::OpEntryReader;

  /// A list of entries, or `library`.
  bool readFuses(Node *node, Fuses &fuses);
  /// When all is read: keys stand in any order. What the file does not say
  /// follows from its output stage.
  bool finishFuses(TargetSpec &spec);

private:
  bool readEntry(Node *node, Fuses &fuses);
  bool readWord(Node *node, FuseEntry &entry);
  bool readOrder(Node *node, FuseEntry &entry);
  bool readOperands(Node *node, FuseEntry &entry);
  bool addEntry(Node *node, const std::string &op, const FuseEntry &entry,
                Fuses &fuses);

  int fusesLine = 0; // nodes end with the document
};

} // namespace npu

#endif // NPU_COMPILER_TARGET_FUSESREADER_H
