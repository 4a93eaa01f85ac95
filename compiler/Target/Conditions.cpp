// SPDX-License-Identifier: Apache-2.0
#include "compiler/Target/Conditions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <limits>

using namespace npu;

static constexpr int64_t unlimited = std::numeric_limits<int64_t>::max();

template <class Items, class Listed>
static bool isListed(const Items &items, Among among, Listed listed) {
  return among == Among::Each ? llvm::all_of(items, listed)
                              : llvm::any_of(items, listed);
}

bool Condition::takes(ArrayRef<int64_t> numbers, Among among) const {
  return isListed(numbers, among, [&](int64_t number) {
    return llvm::any_of(
        ranges, [&](const Range &range) { return range.contains(number); });
  });
}

bool Condition::takes(ArrayRef<StringRef> given, Among among) const {
  return isListed(given, among, [&](StringRef word) {
    return llvm::is_contained(words, word);
  });
}

static bool hasFact(const OpFact &fact, LayoutOpInterface op) {
  const OpWords *words = lookupOpWords(op.getDemandName());
  return words && fact.isOf(*words);
}

bool Condition::holds(LayoutOpInterface op, Among among) const {
  return hasFact(*fact, op) &&
         (fact->numbers ? takes(ArrayRef<int64_t>(fact->numbers(op)), among)
                        : takes(ArrayRef<StringRef>(fact->words(op)), among));
}

/// A whole number of at least `least` at the front of `text`, which loses it.
static bool takeNumber(StringRef &text, int64_t least, int64_t &number) {
  text = text.ltrim();
  return !text.consumeInteger(10, number) && number >= least;
}

static std::optional<Condition::Range> parseRange(StringRef text) {
  Condition::Range range = {0, unlimited};
  bool good = false;
  if (text.consume_front("up to "))
    good = takeNumber(text, 0, range.most);
  else if (text.consume_front("from "))
    good = takeNumber(text, 0, range.least);
  else if (text.consume_front("multiple of "))
    good = takeNumber(text, 1, range.multiple);
  else if (takeNumber(text, 0, range.least)) {
    range.most = range.least;
    good = !text.consume_front(" to ") || takeNumber(text, 0, range.most);
  }
  if (!good || !text.trim().empty() || range.least > range.most)
    return std::nullopt;
  return range;
}

static bool addText(Condition &condition, StringRef text, const OpWords &words,
                    std::string &error) {
  if (condition.fact->numbers) {
    std::optional<Condition::Range> range = parseRange(text);
    if (range)
      condition.ranges.push_back(*range);
    else
      error = ("'" + text +
               "', expected a whole number, `up to N`, `from N`, `M to N` or "
               "`multiple of N`")
                  .str();
    return range.has_value();
  }
  SmallVector<StringRef> allowed = condition.fact->allowed(words);
  if (!llvm::is_contained(allowed, text)) {
    error =
        ("'" + text + "', expected one of " + llvm::join(allowed, ", ")).str();
    return false;
  }
  condition.words.push_back(text.str());
  return true;
}

/// The names of the facts that ops of this kind have.
static std::string factNames(const OpWords &words) {
  std::string names;
  for (const OpFact &fact : opFacts())
    if (fact.isOf(words))
      names += (names.empty() ? "" : ", ") + fact.name.str();
  return names;
}

std::optional<Condition> npu::parseCondition(StringRef name,
                                             ArrayRef<std::string> texts,
                                             const OpWords &words,
                                             std::string &error) {
  Condition condition = {};
  condition.fact = lookupOpFact(name);
  if (!condition.fact || !condition.fact->isOf(words)) {
    error = ("op '" + words.name + "' has no '" + name + "', it has " +
             factNames(words))
                .str();
    return std::nullopt;
  }
  if (texts.empty()) {
    error = (name + ": is never true; name one or more").str();
    return std::nullopt;
  }
  condition.text = llvm::join(texts, " or ");
  for (const std::string &text : texts)
    if (!addText(condition, text, words, error)) {
      error = (name + ": " + error).str();
      return std::nullopt;
    }
  return condition;
}

bool npu::allHold(const Conditions &conditions, LayoutOpInterface op,
                  Among among) {
  return llvm::all_of(conditions, [&](const Condition &condition) {
    return condition.holds(op, among);
  });
}

/// At most a few: some ops have hundreds of operands.
template <class Items>
static std::string joined(const Items &items, StringRef between) {
  constexpr size_t most = 8;
  std::string text;
  for (auto [index, item] : llvm::enumerate(items)) {
    if (index == most)
      return text + " ...";
    text += index ? between.str() : "";
    if constexpr (std::is_same_v<std::decay_t<decltype(item)>, int64_t>)
      text += std::to_string(item);
    else
      text += StringRef(item).str();
  }
  return text;
}

std::string npu::factText(const OpFact &fact, LayoutOpInterface op) {
  if (!hasFact(fact, op))
    return "has no " + fact.name.str();
  std::string values = fact.numbers ? joined(fact.numbers(op), "x")
                                    : joined(fact.words(op), ", ");
  return (fact.name + " is " + values).str();
}

std::string npu::conditionsText(const Conditions &conditions) {
  std::string text;
  for (const Condition &condition : conditions)
    text += (text.empty() ? "" : ", ") + condition.fact->name.str() + ": " +
            condition.text;
  return text;
}
