// SPDX-License-Identifier: Apache-2.0
//
// Each key, checked.
#include "compiler/Target/TargetReader.h"

#include "compiler/Dialect/NPU/CustomOp.h"
#include "compiler/Target/FusesReader.h"
#include "compiler/Target/Plugins.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"

#include <cmath>

using namespace npu;
namespace yaml = llvm::yaml;

namespace {

constexpr double maxMachineNumber = 1e12;
/// Of rates and energies by type.
constexpr double leastRate = 1e-6, mostOfType = 1e6;
/// Of one op: each is tried wherever the op stands.
constexpr size_t mostSignatures = 64;
/// Keys of costs that `when` says since.
constexpr StringRef formerCosts[] = {"depthwise_cost", "pointwise_cost"};

std::string formatted(double number) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%g", number);
  return text;
}

/// Reads the document once, front to back; the first error stops it.
class TargetReader : FusesReader {
public:
  TargetReader(StringRef text, StringRef file, std::string &error,
               const AllowedPlugins &allowed)
      : FusesReader(text, file, error), file(file), allowed(allowed) {}

  std::optional<TargetSpec> read() {
    spec.file = file.str();
    if (!readDocument("a target", keys()) || !checkMachine() ||
        !checkStorageTypes() || !finishFuses(spec))
      return std::nullopt;
    return spec;
  }

private:
  /// Those of a file; a new one is a row here.
  std::vector<Key> keys() {
    using Item = bool (TargetReader::*)(Node *);
    auto each = [this](StringRef key, Item read) {
      return [=](Node *list) {
        return readList(list, key,
                        [&](Node *item) { return (this->*read)(item); });
      };
    };
    return {
        {"name", [&](Node *node) { return readName(node); }, true},
        {"summary",
         [&](Node *node) { return readText(node, "summary", spec.summary); },
         true},
        {"types", [&](Node *node) { return readTypes(node); }, true},
        {"blocks", each("blocks", &TargetReader::readBlock), true},
        {"machine", [&](Node *node) { return readMachine(node); }, true},
        {"demands", each("demands", &TargetReader::readDemand), true},
        {"runs", each("runs", &TargetReader::readRun)},
        {"algorithms", each("algorithms", &TargetReader::readAlgorithm)},
        {"measured", [&](Node *node) { return readMeasured(node); }},
        {"unsupported", each("unsupported", &TargetReader::readUnsupported)},
        {"fallback", [&](Node *node) { return readFallback(node); }},
        {"output_stage", each("output_stage", &TargetReader::readOutputStep)},
        {"fuses", [&](Node *node) { return readFuses(node, spec.fuses); }},
        {"costs", [&](Node *node) { return readCosts(node); }},
        {"plugins", each("plugins", &TargetReader::readPlugin)},
        {"storage_types", [&](Node *node) { return readStorageTypes(node); }},
    };
  }

  bool readTypes(Node *node) {
    return readList(node, "types",
                    [&](Node *item) {
                      return readType(item, "types", spec.types);
                    }) &&
           (!spec.types.empty() ||
            fail(node, "types are none, expected one or more"));
  }

  bool readStorageTypes(Node *node) {
    storageLine = lineOf(node);
    return readList(node, "storage_types", [&](Node *item) {
      return readType(item, "storage_types", spec.storageTypes);
    });
  }

  bool readCosts(Node *node) {
    spec.costs.emplace();
    spec.costs->line = lineOf(node);
    return readText(node, "costs", spec.costs->file);
  }

  bool readPlugin(yaml::Node *node) {
    std::string file;
    if (!readText(node, "plugins", file))
      return false;
    // At once: demands behind it may speak of its ops.
    std::string why;
    spec.plugins.push_back(loadTargetPlugin(spec.pathOf(file), allowed, why));
    return spec.plugins.back() || fail(node, why);
  }

  bool readName(yaml::Node *node) {
    if (!readText(node, "name", spec.name))
      return false;
    // A name that differs from its file's could never be asked for.
    StringRef stem = llvm::sys::path::stem(file);
    return spec.name == stem ||
           fail(node,
                "name '" + spec.name + "' is not the file's, '" + stem + "'");
  }

  /// When all is read: keys stand in any order.
  bool checkStorageTypes() {
    const std::string wrong = wrongStorageType(spec);
    return wrong.empty() || failAt(storageLine, "storage_types: " + wrong);
  }

  bool readBlock(yaml::Node *node) {
    std::string text;
    int64_t size = 0;
    if (!readText(node, "blocks", text))
      return false;
    if (StringRef(text).getAsInteger(10, size) || size < 2 || size > 1024)
      return fail(node, "block size '" + text +
                            "', allowed are whole numbers from 2 to 1024");
    return addOnce(node, "blocks", text, size, spec.blocks);
  }

  bool readAlgorithm(yaml::Node *node) {
    std::string text;
    if (!readText(node, "algorithms", text))
      return false;
    // Of a plugin's nobody knows yet whether it has it.
    auto [plugin, own] = StringRef(text).split('.');
    const bool isPlugins =
        plugin::isName(plugin.str()) && plugin::isName(own.str());
    if (!isPlugins && !llvm::is_contained(algorithmVocabulary(), text))
      return fail(node, "unknown algorithm '" + text + "', allowed are " +
                            llvm::join(algorithmVocabulary(), ", ") +
                            ", and PLUGIN.NAME of a plugin's");
    return addOnce(node, "algorithms", text, text, spec.algorithms);
  }

  bool readOutputStep(yaml::Node *node) {
    std::string text;
    if (!readText(node, "output_stage", text))
      return false;
    std::optional<OutputStep> step = findOutputStep(text);
    if (!step)
      return fail(node, "output_stage: unknown step '" + text +
                            "', allowed are " + outputStepNames());
    if (spec.array.outputStage & *step)
      return fail(node, "output_stage: '" + text + "' stands twice");
    spec.array.outputStage |= *step;
    return true;
  }

  static Key required(Key key) {
    key.isRequired = true;
    return key;
  }
  Key textOf(StringRef map, StringRef key, std::string &text) {
    return {key, [=, &text](Node *node) {
              return readText(node, map + ": " + key, text);
            }};
  }
  Key numberOf(StringRef map, StringRef key, StringRef unit, double &number) {
    return {key, [=, &number](Node *node) {
              return readNumber(map + ": " + key, unit, node, number);
            }};
  }

  bool readMeasured(yaml::Node *node) {
    Measured measured;
    const Key keys[] = {
        required(textOf("measured", "processor", measured.processor)),
        required(textOf("measured", "library", measured.library)),
        required(numberOf("measured", "threads", "threads", measured.threads))};
    if (!readMap(node, "measured", keys))
      return false;
    spec.measured = std::move(measured);
    return true;
  }

  /// The numbers, and what is no number of its own.
  bool readMachine(yaml::Node *node) {
    cost::Machine &machine = spec.machine;
    std::vector<Key> keys;
    auto add = [&](StringRef key, auto read, bool isRequired = false) {
      keys.push_back({key,
                      [=](Node *value) {
                        machineLines[key.str()] = lineOf(value);
                        return read(key, value);
                      },
                      isRequired});
    };
    for (const cost::MachineNumber &number : cost::machineNumbers)
      add(
          number.key,
          [this, &number](StringRef, Node *value) {
            return readMachineNumber(number, value);
          },
          !number.optional);
    auto addWord = [&](StringRef key, auto &word, auto find, StringRef names) {
      add(key, [=, &word](StringRef key, Node *value) {
        return readWord(key, value, find, names, word);
      });
    };
    cost::visitWords(machine, addWord);
    add("mac_rates", [this](StringRef key, Node *value) {
      return readByType(key, "times", leastRate, value, spec.array.rates);
    });
    add("mac_energy", [this](StringRef key, Node *value) {
      return readByType(key, "pJ", 0, value, spec.array.energies);
    });
    return readMap(node, "machine", keys);
  }

  /// `{i8: 4 times}`: numbers of element types that the chip has.
  bool readByType(StringRef key, StringRef unit, double least, yaml::Node *node,
                  NumbersByType &numbers) {
    auto *map = dyn_cast<yaml::MappingNode>(node);
    if (!map)
      return fail(node, key + ": expected TYPE: NUMBER " + unit +
                            ", in braces or on lines");
    SmallVector<StringRef> names;
    for (const TypeWord &word : typeVocabulary())
      names.push_back(word.name);
    auto read = [&](StringRef name, yaml::Node *value) {
      std::string text;
      double number = 0;
      if (!readQuantity(key + " of " + name, unit, value, text, number))
        return false;
      if (!(number >= least && number <= mostOfType))
        return fail(value, key + " of " + name + ": '" + text +
                               "', expected a number from " + formatted(least) +
                               " to " + formatted(mostOfType));
      const TypeWord &word =
          *llvm::find_if(typeVocabulary(),
                         [&](const TypeWord &row) { return row.name == name; });
      numbers[word.type] = number;
      return true;
    };
    return readMap(node, key, names, {}, read) &&
           (!numbers.empty() || fail(node, key + ": is empty; leave it out"));
  }

  /// When all is read: what the numbers may be depends on `measured`.
  bool checkMachine() {
    auto wrong = cost::contradictionIn(spec.machine, spec.measured.has_value());
    if (!wrong)
      wrong = contradictionIn(spec.array, spec.types, spec.machine,
                              spec.fallback
                                  ? std::optional(spec.fallback->linkEnergy)
                                  : std::nullopt);
    return !wrong || failAt(machineLines.at(std::string(wrong->key)),
                            StringRef(wrong->key) + ": " + wrong->text);
  }

  bool readMachineNumber(const cost::MachineNumber &number, Node *node) {
    StringRef key = number.key;
    double &value = spec.machine.*number.member;
    std::string text;
    if (!readQuantity(key, number.unit, node, text, value))
      return false;
    std::string expected = cost::expectedOf(number, value);
    // Memory has whole bytes.
    if (number.member == &cost::Machine::sramKiB)
      value = std::floor(value * 1024) / 1024;
    return expected.empty() ||
           fail(node, key + ": '" + text + "', expected " + expected);
  }

  /// One entry: `layouts`, and the least and most bytes of a transfer.
  bool readRun(yaml::Node *node) {
    TransferRun run;
    auto layouts = [&](Node *value) {
      return readPatterns("runs: layouts", value, run.layouts);
    };
    const Key keys[] = {required({"layouts", layouts}),
                        required(numberOf("runs", "min", "B", run.least)),
                        required(numberOf("runs", "max", "B", run.most))};
    if (!readMap(node, "runs", keys))
      return false;
    if (run.least > run.most)
      return fail(node, "runs: min, " + formatted(run.least) +
                            " B, is more than max, " + formatted(run.most) +
                            " B");
    spec.runs.push_back(std::move(run));
    return true;
  }

  /// One of an enumeration's names.
  template <class Enum>
  bool readWord(StringRef key, yaml::Node *node,
                std::optional<Enum> (*find)(std::string_view), StringRef names,
                Enum &result) {
    std::string text;
    if (!readText(node, key, text))
      return false;
    std::optional<Enum> found = find(text);
    if (!found)
      return fail(node, key + ": '" + text + "', expected one of: " + names);
    result = *found;
    return true;
  }

  /// "1000 MHz": a positive number, a space, the unit.
  bool readNumber(const Twine &what, StringRef expected, yaml::Node *node,
                  double &value) {
    std::string text;
    if (!readQuantity(what, expected, node, text, value))
      return false;
    return (value > 0 && value <= maxMachineNumber) ||
           fail(node, what + ": '" + text +
                          "', expected a positive number and its unit, " +
                          expected);
  }

  /// Cycles before something begins: also none.
  bool readStart(const Twine &what, yaml::Node *node, double &value) {
    std::string text;
    if (!readQuantity(what, "cycles", node, text, value))
      return false;
    return (value >= 0 && value <= maxMachineNumber) ||
           fail(node, what + ": '" + text +
                          "', expected a number of cycles, 0 or more");
  }

  /// One entry: `ops`, layouts for each operand role, and what they cost.
  bool readDemand(yaml::Node *node) {
    std::vector<std::string> ops;
    Signature signature;
    std::vector<RawFactor> factors;
    llvm::StringSet<> known;
    std::vector<RawCondition> when;
    SmallVector<StringRef> allowed = {"ops", "when", "cost"};
    llvm::append_range(allowed, formerCosts);
    auto allow = [&](const OpWords &words) {
      for (StringRef role : demandRoles(words))
        if (known.insert(role).second)
          allowed.push_back(role);
    };
    llvm::for_each(opVocabulary(), allow);
    for (const OpWords *words : pluginVocabulary())
      allow(*words);
    if (!readMap(node, "demand", allowed, {"ops"},
                 [&](StringRef key, yaml::Node *value) {
                   if (key == "ops")
                     return readOps(value, ops);
                   if (key == "when")
                     return readWhen(value, when);
                   if (llvm::is_contained(formerCosts, key))
                     return failFormerCost(key, value);
                   if (key != "cost")
                     return readLayouts(key, value, signature.roles);
                   return isa<yaml::ScalarNode>(value)
                              ? readNumber("cost", "times", value,
                                           signature.cost)
                              : readFactors(value, factors);
                 }) ||
        !addFactors(factors, signature))
      return false;
    for (const std::string &op : ops)
      if (!readConditions(op, when, signature.when) ||
          !addDemand(node, op, signature))
        return false;
    return true;
  }

  bool failFormerCost(StringRef key, yaml::Node *node) {
    StringRef fact = key.take_until([](char letter) { return letter == '_'; });
    return fail(node, key +
                          ": is no key any more; give these ops a demand of "
                          "their own with `when: {" +
                          fact + ": true}`, its layouts and `cost`");
  }

  bool readUnsupported(yaml::Node *node) {
    std::vector<std::string> ops;
    std::vector<RawCondition> when;
    const Key keys[] = {
        {"ops", [&](Node *value) { return readOps(value, ops); }, true},
        {"when", [&](Node *value) { return readWhen(value, when); }}};
    if (!readMap(node, "unsupported", keys))
      return false;
    for (const std::string &op : ops) {
      if (op == "relayout")
        return fail(node, "unsupported: 'relayout' is what npuc itself puts "
                          "between layouts; say in `demands` which ones the "
                          "chip's ops take");
      Unsupported entry;
      if (!readConditions(op, when, entry.when))
        return false;
      std::vector<Unsupported> &all = spec.unsupported[op];
      if (llvm::any_of(all, [&](const Unsupported &other) {
            return conditionsText(other.when) == conditionsText(entry.when);
          }))
        return fail(node, "unsupported: op '" + op +
                              "' stands twice with the same conditions");
      all.push_back(std::move(entry));
    }
    return true;
  }

  bool readFallback(yaml::Node *node) {
    Fallback fallback;
    auto start = [&](Node *value) {
      return readStart("fallback: link_start", value, fallback.linkStart);
    };
    const Key keys[] = {
        required(textOf("fallback", "target", fallback.target)),
        required(
            numberOf("fallback", "link_bandwidth", "GB/s", fallback.linkGBs)),
        required({"link_start", start}),
        numberOf("fallback", "link_energy", "pJ/B", fallback.linkEnergy)};
    if (!readMap(node, "fallback", keys))
      return false;
    spec.fallback = std::move(fallback);
    return true;
  }

  /// `{NCHW: 1.4 times}`, before the result's layouts may be known.
  struct RawFactor {
    int line;
    std::string layout;
    double factor;
  };

  bool readFactors(yaml::Node *node, std::vector<RawFactor> &factors) {
    auto *map = dyn_cast<yaml::MappingNode>(node);
    if (!map)
      return fail(node, "cost: expected LAYOUT: FACTOR times, in braces or on "
                        "lines, or FACTOR times of them all");
    for (yaml::KeyValueNode &pair : *map) {
      std::string layout;
      double factor = 0;
      if (!pair.getKey() || !readText(pair.getKey(), "cost: layout", layout))
        return false;
      int line = lineOf(pair.getKey());
      for (const RawFactor &other : factors)
        if (other.layout == layout)
          return fail(pair.getKey(), "cost: " + layout + " stands twice");
      if (!pair.getValue() ||
          !readNumber("cost of " + layout, "times", pair.getValue(), factor))
        return false;
      factors.push_back({line, layout, factor});
    }
    return !failed();
  }

  /// A cost speaks of one of the layouts that the same entry accepts; of any
  /// where it does not say.
  bool addFactors(ArrayRef<RawFactor> factors, Signature &signature) {
    auto result = signature.roles.find("result");
    ArrayRef<LayoutPattern> accepted;
    if (result != signature.roles.end())
      accepted = result->second;
    for (const RawFactor &raw : factors) {
      std::string why;
      std::optional<LayoutPattern> layout =
          LayoutPattern::parse(raw.layout, why);
      if (!layout)
        return failAt(raw.line, "cost: " + why);
      auto found = llvm::find_if(accepted, [&](const LayoutPattern &layout) {
        return layout.text == raw.layout;
      });
      if (!accepted.empty() && found == accepted.end())
        return failAt(raw.line, "cost: " + raw.layout +
                                    " is not one of the layouts that `result` "
                                    "accepts here");
      signature.factors.push_back({*layout, raw.factor});
    }
    return true;
  }

  bool readLayouts(StringRef role, yaml::Node *node, OperandDemands &roles) {
    return readPatterns(role, node, roles[role.str()]);
  }

  bool readPatterns(StringRef role, yaml::Node *node,
                    std::vector<LayoutPattern> &layouts) {
    bool good = readList(node, role, [&](yaml::Node *item) {
      std::string text, why;
      if (!readText(item, role, text))
        return false;
      std::optional<LayoutPattern> layout = LayoutPattern::parse(text, why);
      if (!layout)
        return fail(item, role + ": " + why);
      if (llvm::any_of(layouts, [&](const LayoutPattern &other) {
            return other.text == text;
          }))
        return fail(item, role + ": '" + text + "' stands twice");
      layouts.push_back(*layout);
      return true;
    });
    if (good && layouts.empty())
      return fail(node, role + ": accepts no layout at all; name one, or any");
    return good;
  }

  static bool sameLayouts(const OperandDemands &a, const OperandDemands &b) {
    return llvm::equal(a, b, [](auto &one, auto &other) {
      return one.first == other.first &&
             llvm::equal(one.second, other.second,
                         [](const LayoutPattern &x, const LayoutPattern &y) {
                           return x.text == y.text;
                         });
    });
  }

  bool addDemand(yaml::Node *node, const std::string &op,
                 const Signature &signature) {
    SmallVector<StringRef> known = demandRoles(*lookupOpWords(op));
    for (auto &[role, layouts] : signature.roles)
      if (!llvm::is_contained(known, role))
        return fail(node, "demand: op '" + op + "' has no operand '" + role +
                              "', it has " + llvm::join(known, ", "));
    if (lookupOpWords(op)->sensitivity == Sensitivity::Data &&
        (signature.cost != 1 || !signature.factors.empty()))
      return fail(node, "demand: `cost` of '" + op +
                            "', which only moves data; its time follows from "
                            "the machine's numbers");
    std::vector<Signature> &all = spec.demands[op];
    // The second would never be taken, or never the first: another layout was
    // meant, or another cost.
    if (llvm::any_of(all, [&](const Signature &other) {
          return sameLayouts(other.roles, signature.roles) &&
                 conditionsText(other.when) == conditionsText(signature.when);
        }))
      return fail(node, "demand: op '" + op +
                            "' stands in two demands with the same layouts");
    if (all.size() == mostSignatures)
      return fail(node, "demand: op '" + op + "' stands in more than " +
                            Twine(mostSignatures) + " demands");
    all.push_back(signature);
    return true;
  }

  StringRef file;
  const AllowedPlugins &allowed;
  TargetSpec spec;
  // Of keys that are checked when all is read: nodes end with the document.
  std::map<std::string, int> machineLines; // by key
  int storageLine = 0;
};

} // namespace

/// Every block that a demand uses must be one of the chip's.
static bool checkBlocks(const TargetSpec &spec, std::string &error) {
  auto check = [&](const std::string &op, const std::string &role,
                   const LayoutPattern &layout) {
    SmallVector<int64_t> sizes;
    for (auto &block : layout.roleBlocks)
      sizes.push_back(block.size);
    for (auto &block : layout.letters.blocks)
      sizes.push_back(block.size);
    for (int64_t size : sizes)
      if (!llvm::is_contained(spec.blocks, size)) {
        error = spec.file + ":1: " + op + " " + role + ": layout " +
                layout.text + " has a block of " + std::to_string(size) +
                ", which `blocks` does not list";
        return false;
      }
    return true;
  };
  for (auto &[op, signatures] : spec.demands)
    for (const Signature &signature : signatures)
      for (auto &[role, layouts] : signature.roles)
        for (const LayoutPattern &layout : layouts)
          if (!check(op, role, layout))
            return false;
  return true;
}

std::optional<TargetSpec> npu::readTarget(StringRef text, StringRef file,
                                          std::string &error,
                                          const AllowedPlugins &allowed) {
  error.clear();
  std::optional<TargetSpec> spec =
      TargetReader(text, file, error, allowed).read();
  if (!spec || !checkBlocks(*spec, error))
    return std::nullopt;
  return spec;
}
