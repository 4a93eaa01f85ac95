// SPDX-License-Identifier: Apache-2.0
//
// Reading a YAML file that people write, once, front to back: the first error
// stops it and says "FILE:LINE: what was found, what is allowed".
#ifndef NPU_COMPILER_SUPPORT_YAMLREADER_H
#define NPU_COMPILER_SUPPORT_YAMLREADER_H

#include "compiler/Support/LLVM.h"

#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/YAMLParser.h"

#include <functional>
#include <optional>
#include <string>

namespace npu {

/// What readers of a kind of file derive from. Every read returns false once
/// `error` is set.
class YamlReader {
protected:
  using Node = llvm::yaml::Node;
  using Entry = function_ref<bool(StringRef key, Node *value)>;

  /// A key of a map and what reads its value.
  struct Key {
    StringRef name;
    std::function<bool(Node *value)> read;
    bool isRequired = false;
  };

  YamlReader(StringRef text, StringRef file, std::string &error);

  /// The one document of the file, a map.
  bool readDocument(const Twine &what, ArrayRef<Key> keys);
  /// A map with known keys, each at most once.
  bool readMap(Node *node, const Twine &what, ArrayRef<Key> keys);
  /// The same where one function reads them all.
  bool readMap(Node *node, const Twine &what, ArrayRef<StringRef> allowed,
               ArrayRef<StringRef> required, Entry entry);
  bool readList(Node *node, const Twine &what, function_ref<bool(Node *)> item);
  bool readText(Node *node, const Twine &what, std::string &text);
  /// "1000 MHz": any number, a space, the unit; `text` is all of it.
  bool readQuantity(const Twine &what, StringRef expected, Node *node,
                    std::string &text, double &value);

  /// Sets the error at the node's line, unless there is one; false.
  bool fail(Node *node, const Twine &what);
  bool failAt(int line, const Twine &what);
  bool failed() const { return !error.empty(); }
  int lineOf(Node *node) const;

private:
  bool checkText();
  static void onDiagnostic(const llvm::SMDiagnostic &diagnostic, void *self);

  StringRef text;
  std::string file;
  std::string &error;
  std::string tooDeepReason;
  llvm::SourceMgr sources;
  llvm::yaml::Stream stream;
};

} // namespace npu

#endif // NPU_COMPILER_SUPPORT_YAMLREADER_H
