// SPDX-License-Identifier: Apache-2.0
#include "compiler/Target/OpEntryReader.h"

#include "compiler/Dialect/NPU/CustomOp.h"

#include "llvm/ADT/StringExtras.h"

using namespace npu;

bool OpEntryReader::readOps(Node *node, std::vector<std::string> &ops) {
  return readList(node, "ops", [&](Node *item) {
    std::string op;
    if (!readText(item, "ops", op))
      return false;
    if (lookupOpWords(op))
      return addOnce(item, "ops", op, op, ops);
    SmallVector<StringRef> names;
    for (const OpWords &words : opVocabulary())
      names.push_back(words.name);
    return fail(item, "unknown op '" + op + "', allowed are " +
                          llvm::join(names, ", "));
  });
}

bool OpEntryReader::readWhen(Node *node, std::vector<RawCondition> &when) {
  SmallVector<StringRef> allowed;
  for (const OpFact &fact : opFacts())
    allowed.push_back(fact.name);
  auto read = [&](StringRef key, Node *value) {
    RawCondition raw = {lineOf(value), key.str(), {}};
    auto add = [&](Node *item) {
      raw.texts.emplace_back();
      return readText(item, key, raw.texts.back());
    };
    bool good = isa<llvm::yaml::SequenceNode>(value) ? readList(value, key, add)
                                                     : add(value);
    when.push_back(std::move(raw));
    return good;
  };
  return readMap(node, "when", allowed, {}, read) &&
         (!when.empty() || fail(node, "when: is empty; leave it out"));
}

bool OpEntryReader::readConditions(StringRef op, ArrayRef<RawCondition> when,
                                   Conditions &conditions) {
  conditions.clear();
  for (const RawCondition &raw : when) {
    std::string why;
    std::optional<Condition> condition =
        parseCondition(raw.fact, raw.texts, *lookupOpWords(op), why);
    if (!condition)
      return failAt(raw.line, "when: " + why);
    conditions.push_back(std::move(*condition));
  }
  return true;
}

bool OpEntryReader::readType(Node *node, StringRef key,
                             SmallVectorImpl<npu_dtype> &types) {
  std::string text;
  if (!readText(node, key, text))
    return false;
  std::string names;
  for (const TypeWord &word : typeVocabulary()) {
    if (word.name == text)
      return addOnce(node, key, text, word.type, types);
    names += (names.empty() ? "" : ", ") + word.name.str();
  }
  return fail(node, "unknown type '" + text + "', allowed are " + names);
}
