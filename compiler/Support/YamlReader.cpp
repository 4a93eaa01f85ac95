// SPDX-License-Identifier: Apache-2.0
#include "compiler/Support/YamlReader.h"

#include "compiler/Support/Budget.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/JSON.h"

#include <cmath>

using namespace npu;
namespace yaml = llvm::yaml;

YamlReader::YamlReader(StringRef text, StringRef file, std::string &error)
    : text(text), file(file.str()), error(error),
      tooDeepReason(tooDeep(text, "#")), stream(text, sources) {
  sources.setDiagHandler(onDiagnostic, this);
}

void YamlReader::onDiagnostic(const llvm::SMDiagnostic &diagnostic,
                              void *self) {
  static_cast<YamlReader *>(self)->failAt(diagnostic.getLineNo(),
                                          diagnostic.getMessage());
}

bool YamlReader::failAt(int line, const Twine &what) {
  if (error.empty())
    error = (file + ":" + Twine(line) + ": " + what).str();
  return false;
}

int YamlReader::lineOf(Node *node) const {
  llvm::SMLoc at = node ? node->getSourceRange().Start : llvm::SMLoc();
  return at.isValid() ? sources.getLineAndColumn(at).first : 1;
}

bool YamlReader::fail(Node *node, const Twine &what) {
  return failAt(lineOf(node), what);
}

/// The parser calls a byte that is no UTF-8 an empty scalar. Of UTF-16 without
/// its mark every second byte is 0.
bool YamlReader::checkText() {
  size_t wrong = text.find('\0'), notUtf8 = text.size();
  if (!llvm::json::isUTF8(text, &notUtf8))
    wrong = std::min(wrong, notUtf8);
  return wrong == StringRef::npos ||
         failAt(int(text.take_front(wrong).count('\n')) + 1,
                "is not UTF-8 text, expected a file in UTF-8");
}

bool YamlReader::readDocument(const Twine &what, ArrayRef<Key> keys) {
  if (!tooDeepReason.empty())
    return fail(nullptr, tooDeepReason);
  if (!checkText())
    return false;
  yaml::document_iterator document = stream.begin();
  if (document == stream.end() || !document->getRoot())
    return fail(nullptr, "is empty or not YAML");
  if (!readMap(document->getRoot(), what, keys))
    return fail(nullptr, "is not YAML");
  if (++document != stream.end())
    return fail(nullptr, "holds more than one document");
  return (!stream.failed() && error.empty()) || fail(nullptr, "is not YAML");
}

bool YamlReader::readText(Node *node, const Twine &what, std::string &text) {
  auto *scalar = dyn_cast_or_null<yaml::ScalarNode>(node);
  if (!scalar)
    return fail(node, what + ": expected a word or number");
  llvm::SmallString<32> storage;
  text = scalar->getValue(storage).str();
  // A name of a file would end there.
  return !StringRef(text).contains('\0') ||
         fail(node, what + ": a word with a zero character");
}

bool YamlReader::readQuantity(const Twine &what, StringRef expected, Node *node,
                              std::string &text, double &value) {
  if (!readText(node, what, text))
    return false;
  auto [number, unit] = StringRef(text).split(' ');
  if (number.getAsDouble(value) || !std::isfinite(value))
    return fail(node, what + ": '" + text +
                          "', expected a number and its unit, " + expected);
  if (unit.trim() != expected)
    return fail(node, what + ": '" + text + "', expected the unit " + expected);
  return true;
}

bool YamlReader::readMap(Node *node, const Twine &what, ArrayRef<Key> keys) {
  SmallVector<StringRef> allowed, required;
  for (const Key &key : keys) {
    allowed.push_back(key.name);
    if (key.isRequired)
      required.push_back(key.name);
  }
  return readMap(
      node, what, allowed, required, [&](StringRef name, Node *value) {
        return llvm::find_if(keys,
                             [&](const Key &key) { return key.name == name; })
            ->read(value);
      });
}

bool YamlReader::readMap(Node *node, const Twine &what,
                         ArrayRef<StringRef> allowed,
                         ArrayRef<StringRef> required, Entry entry) {
  auto *map = dyn_cast_or_null<yaml::MappingNode>(node);
  if (!map)
    return fail(node, what + ": expected `key: value` lines");
  int line = lineOf(node);
  llvm::StringSet<> seen;
  for (yaml::KeyValueNode &pair : *map) {
    std::string key;
    if (!pair.getKey() || !readText(pair.getKey(), what + ": key", key))
      return false;
    if (!llvm::is_contained(allowed, key))
      return fail(pair.getKey(), what + ": unknown key '" + key +
                                     "', allowed are " +
                                     llvm::join(allowed, ", "));
    if (!seen.insert(key).second)
      return fail(pair.getKey(), what + ": key '" + key + "' stands twice");
    if (!pair.getValue() || !entry(key, pair.getValue()) || !error.empty())
      return false;
  }
  for (StringRef key : required)
    if (!seen.contains(key))
      return failAt(line, what + ": key '" + key + "' is missing");
  return error.empty();
}

bool YamlReader::readList(Node *node, const Twine &what,
                          function_ref<bool(Node *)> item) {
  auto *list = dyn_cast_or_null<yaml::SequenceNode>(node);
  if (!list)
    return fail(node, what + ": expected a list such as [a, b]");
  for (yaml::Node &element : *list)
    if (!item(&element))
      return false;
  return error.empty();
}
