// SPDX-License-Identifier: Apache-2.0
#include "compiler/Layout/PlanFile/PlanFile.h"

#include "compiler/Support/InputText.h"
#include "compiler/Support/YamlReader.h"

#include "llvm/ADT/StringSwitch.h"

#include <map>

using namespace npu;

static constexpr StringRef planVersion = "1";

namespace {

class PlanReader : YamlReader {
public:
  PlanReader(StringRef text, StringRef file, std::string &error)
      : YamlReader(text, file, error), file(file) {}

  std::optional<PlanFile> read() {
    plan.file = file.str();
    // Who wrote it, and for what, is for people.
    auto word = [&](StringRef key) {
      return [this, key](Node *value) {
        std::string text;
        return readText(value, key, text);
      };
    };
    auto entries = [&](StringRef key, bool pinned) {
      return [=](Node *list) {
        return readList(list, key,
                        [&](Node *item) { return readEntry(item, pinned); });
      };
    };
    const Key keys[] = {
        {"version", [&](Node *value) { return readVersion(value); }, true},
        {"npuc", word("npuc")},
        {"model", word("model")},
        {"graph",
         [&](Node *value) {
           plan.graphLine = lineOf(value);
           return readText(value, "graph", plan.graph);
         }},
        {"strategy", word("strategy")},
        {"target",
         [&](Node *value) {
           plan.targetLine = lineOf(value);
           return readText(value, "target", plan.target);
         },
         true},
        {"layouts", entries("layouts", /*pinned=*/false)},
        {"pins", entries("pins", /*pinned=*/true)}};
    if (!readDocument("a layout plan", keys))
      return std::nullopt;
    return plan;
  }

private:
  bool readVersion(Node *node) {
    std::string text;
    if (!readText(node, "version", text))
      return false;
    return text == planVersion ||
           fail(node, "version " + text +
                          " of a layout plan; this npuc reads version " +
                          planVersion);
  }

  bool readEntry(Node *node, bool pinned) {
    static const StringRef listed[] = {"input",    "op",     "output",
                                       "reads",    "stored", "algorithm",
                                       "resident", "pin"};
    PlanEntry entry;
    entry.line = lineOf(node);
    entry.pin = pinned;
    // In `pins` there is nothing else to say than what is pinned.
    ArrayRef<StringRef> keys = ArrayRef(listed).drop_back(pinned ? 1 : 0);
    if (!readMap(node, pinned ? "pin" : "layout", keys, {},
                 [&](StringRef key, Node *value) {
                   return readField(key, value, entry);
                 }))
      return false;
    return check(node, entry, pinned) && add(node, std::move(entry), pinned);
  }

  bool readField(StringRef key, Node *value, PlanEntry &entry) {
    if (key == "reads")
      return readList(value, "reads", [&](Node *item) {
        return readOrder(item, "reads", entry.reads.emplace_back());
      });
    if (key == "stored")
      return readOrder(value, "stored", entry.stored.emplace());
    std::string text;
    if (!readText(value, key, text))
      return false;
    if (key == "pin" || key == "resident") {
      if (text != "true" && text != "false")
        return fail(value, key + ": '" + text + "', expected true or false");
      if (key == "pin") {
        entry.pin = text == "true";
      } else {
        entry.resident = text == "true";
        entry.residentLine = lineOf(value);
      }
      return true;
    }
    if (key == "algorithm") {
      entry.algorithm = text;
      entry.algorithmLine = lineOf(value);
      return text != "" || fail(value, "algorithm: the name is empty");
    }
    if (!entry.name.empty())
      return fail(value, "an entry speaks of one input, op or output; it has "
                         "two of them");
    if (text.empty())
      return fail(value, key + ": the name is empty");
    entry.name = text;
    entry.kind = llvm::StringSwitch<PlanEntry::Kind>(key)
                     .Case("input", PlanEntry::Kind::Input)
                     .Case("output", PlanEntry::Kind::Output)
                     .Default(PlanEntry::Kind::Op);
    return true;
  }

  bool readOrder(Node *node, StringRef what, PlanEntry::Order &order) {
    std::string text, why;
    if (!readText(node, what, text))
      return false;
    std::optional<LayoutPattern> pattern = LayoutPattern::parse(text, why);
    if (!pattern)
      return fail(node, what + ": " + why);
    order.pattern = *pattern;
    order.line = lineOf(node);
    return true;
  }

  bool check(Node *node, const PlanEntry &entry, bool pinned) {
    if (entry.name.empty())
      return fail(node, "an entry needs one of input, op and output");
    if (entry.kind != PlanEntry::Kind::Op &&
        (!entry.reads.empty() || !entry.algorithm.empty() || entry.resident))
      return fail(node, "'" + entry.name +
                            "' is at the graph's boundary, reads nothing, "
                            "computes nothing and is in DRAM; say `stored`");
    if (pinned && !entry.stored && entry.reads.empty() &&
        entry.algorithm.empty() && !entry.resident)
      return fail(node, "the pin of '" + entry.name +
                            "' names no layout; say `stored` or `reads` (or "
                            "`algorithm`, or `resident`)");
    return true;
  }

  bool add(Node *node, PlanEntry entry, bool pinned) {
    auto [first, isNew] = seen.emplace(
        std::make_tuple(entry.kind, entry.name, pinned), entry.line);
    if (!isNew)
      return fail(node, "'" + entry.name + "' stands twice, first in line " +
                            Twine(first->second));
    plan.entries.push_back(std::move(entry));
    return true;
  }

  StringRef file;
  PlanFile plan;
  std::map<std::tuple<PlanEntry::Kind, std::string, bool>, int> seen;
};

} // namespace

std::optional<PlanFile> npu::parsePlanFile(StringRef text, StringRef file,
                                           std::string &error) {
  error.clear();
  return PlanReader(text, file, error).read();
}

std::optional<PlanFile> npu::loadPlanFile(StringRef path, std::string &error) {
  std::string why;
  auto buffer = readInput(path, Budget::Text, why);
  if (!buffer) {
    error = ("layout plan '" + path + "' " + why).str();
    return std::nullopt;
  }
  return parsePlanFile(buffer->getBuffer(), path, error);
}
