// SPDX-License-Identifier: Apache-2.0
#include "compiler/Target/FusesReader.h"

#include "compiler/Target/TargetSpec.h"
#include "format/instr_kinds.h"

#include "llvm/ADT/STLExtras.h"

using namespace npu;
namespace yaml = llvm::yaml;

bool FusesReader::readFuses(Node *node, Fuses &fuses) {
  fusesLine = lineOf(node);
  if (!isa<yaml::ScalarNode>(node)) {
    fuses.source = Fuses::Source::Listed;
    return readList(node, "fuses",
                    [&](Node *item) { return readEntry(item, fuses); });
  }
  std::string text;
  if (!readText(node, "fuses", text))
    return false;
  fuses.source = Fuses::Source::Library;
  return text == "library" ||
         fail(node, "fuses: '" + text + "', expected a list, or `library`");
}

bool FusesReader::readEntry(Node *node, Fuses &fuses) {
  std::vector<std::string> ops;
  std::vector<RawCondition> when;
  FuseEntry entry;
  auto list = [this](StringRef key, auto read) {
    return [=](Node *value) { return readList(value, key, read); };
  };
  const Key keys[] = {
      {"ops", [&](Node *value) { return readOps(value, ops); }, true},
      {"when", [&](Node *value) { return readWhen(value, when); }},
      {"then",
       list("fuses: then", [&](Node *item) { return readWord(item, entry); }),
       true},
      {"order", [&](Node *value) { return readOrder(value, entry); }},
      {"operands", [&](Node *value) { return readOperands(value, entry); }},
      {"types", list("fuses: types", [&](Node *item) {
         return readType(item, "fuses: types", entry.types);
       })}};
  if (!readMap(node, "fuses", keys))
    return false;
  if (entry.then.empty())
    return fail(node, "fuses: `then` is empty: an op without others is always "
                      "a kernel; leave the entry out");
  for (const std::string &op : ops)
    if (!readConditions(op, when, entry.when) ||
        !addEntry(node, op, entry, fuses))
      return false;
  return true;
}

bool FusesReader::readWord(Node *node, FuseEntry &entry) {
  FuseWord word;
  if (!readText(node, "fuses: then", word.text))
    return false;
  std::optional<OutputStep> step = findOutputStep(word.text);
  const InstrKind *function = lookupInstr(std::string_view(word.text));
  if (step)
    word.steps = *step;
  else if (function)
    word.function = function->kind;
  else if (word.text != "eltwise")
    return fail(node, "fuses: then: unknown word '" + word.text +
                          "', allowed are " + outputStepNames() +
                          ", eltwise (any elementwise function), and names of "
                          "elementwise functions (relu, clip, ...)");
  if (llvm::any_of(entry.then, [&](const FuseWord &other) {
        return other.text == word.text;
      }))
    return fail(node, "fuses: then: '" + word.text + "' stands twice");
  entry.then.push_back(std::move(word));
  return true;
}

bool FusesReader::readOrder(Node *node, FuseEntry &entry) {
  std::string text;
  if (!readText(node, "fuses: order", text))
    return false;
  entry.isListed = text == "listed";
  return entry.isListed || text == "any" ||
         fail(node,
              "fuses: order: '" + text + "', expected one of: listed, any");
}

bool FusesReader::readOperands(Node *node, FuseEntry &entry) {
  std::string text;
  if (!readText(node, "fuses: operands", text))
    return false;
  StringRef rest = text;
  int64_t most = 0;
  if (!rest.consume_front("up to ") || rest.trim().getAsInteger(10, most) ||
      most < 0)
    return fail(node, "fuses: operands: '" + text + "', expected `up to N`");
  entry.operands = most;
  return true;
}

static bool isSame(const FuseEntry &one, const FuseEntry &other) {
  return conditionsText(one.when) == conditionsText(other.when) &&
         one.isListed == other.isListed && one.operands == other.operands &&
         one.types == other.types &&
         llvm::equal(one.then, other.then,
                     [](const FuseWord &a, const FuseWord &b) {
                       return a.text == b.text;
                     });
}

bool FusesReader::addEntry(Node *node, const std::string &op,
                           const FuseEntry &entry, Fuses &fuses) {
  if (!canBeMainOp(*lookupOpWords(op))) {
    std::string names;
    for (const OpWords &words : opVocabulary())
      if (canBeMainOp(words))
        names += (names.empty() ? "" : ", ") + words.name.str();
    return fail(node, "fuses: nothing is fused behind '" + op +
                          "', allowed are " + names);
  }
  std::vector<FuseEntry> &all = fuses.entries[op];
  if (llvm::any_of(
          all, [&](const FuseEntry &other) { return isSame(other, entry); }))
    return fail(node,
                "fuses: op '" + op + "' stands twice with the same group");
  all.push_back(entry);
  return true;
}

bool FusesReader::finishFuses(TargetSpec &spec) {
  switch (spec.fuses.source) {
  case Fuses::Source::OutputStage:
    spec.fuses = fusesOfOutputStage(spec.array.outputStage);
    return true;
  case Fuses::Source::Library:
    return spec.measured.has_value() ||
           failAt(fusesLine,
                  "fuses: `library` is what this machine runs, of "
                  "targets that were measured on it (key "
                  "`measured`); list what is one kernel on the chip");
  case Fuses::Source::Listed:
    break;
  }
  for (auto &[op, entries] : spec.fuses.entries)
    for (const FuseEntry &entry : entries)
      for (npu_dtype type : entry.types)
        if (!llvm::is_contained(spec.types, type)) {
          const TypeWord &word =
              *llvm::find_if(typeVocabulary(), [&](const TypeWord &row) {
                return row.type == type;
              });
          return failAt(fusesLine, "fuses: types: '" + word.name.str() +
                                       "' is not one of the chip's `types`");
        }
  return true;
}
