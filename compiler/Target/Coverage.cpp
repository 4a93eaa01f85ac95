// SPDX-License-Identifier: Apache-2.0
#include "compiler/Target/Coverage.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <limits>
#include <set>

using namespace npu;

namespace {

/// What a fact answers: numbers, or one word.
struct Value {
  SmallVector<int64_t, 2> numbers;
  StringRef word;

  bool isTakenBy(const Condition &condition, Among among) const {
    return condition.fact->numbers ? condition.takes(numbers, among)
                                   : condition.takes(word, among);
  }
  std::string text() const {
    std::string text = word.str();
    for (int64_t number : numbers)
      text += (text.empty() ? "" : "x") + std::to_string(number);
    return text;
  }
};

/// A fact, and the values that the conditions tell apart.
struct Axis {
  const OpFact *fact;
  std::vector<Value> values;
};

/// One value of each axis.
using Case = SmallVector<const Value *>;

class OpCases {
public:
  OpCases(const TargetSpec &target, StringRef op)
      : words(*lookupOpWords(op)), demands(target.signatures(op)) {
    auto lacks = target.unsupported.find(op.str());
    if (lacks != target.unsupported.end())
      unsupported = lacks->second;
    for (const Signature &signature : demands)
      addAxes(signature.when);
    for (const Unsupported &entry : unsupported)
      addAxes(entry.when);
  }

  OpCoverage look() {
    OpCoverage found;
    found.op = words.name.str();
    std::vector<bool> everHolds(demands.size());
    visit(found, everHolds);
    for (auto [signature, holds] : llvm::zip(demands, everHolds))
      if (!holds && !found.isCut)
        found.never.push_back(conditionsText(signature.when));
    return found;
  }

private:
  static constexpr int64_t mostCases = 100000;
  static constexpr size_t mostTold = 3;

  void addAxes(const Conditions &conditions) {
    for (const Condition &condition : conditions)
      if (llvm::none_of(axes, [&](const Axis &axis) {
            return axis.fact == condition.fact;
          }))
        axes.push_back({condition.fact, valuesOf(*condition.fact)});
  }

  template <class Visit>
  void visitConditions(const OpFact &fact, Visit visit) const {
    auto look = [&](const Conditions &conditions) {
      for (const Condition &condition : conditions)
        if (condition.fact == &fact)
          visit(condition);
    };
    for (const Signature &signature : demands)
      look(signature.when);
    for (const Unsupported &entry : unsupported)
      look(entry.when);
  }

  /// Numbers on both sides of each limit, and in pairs where an op has
  /// several: 3x9 is neither up to 3 nor from 4.
  std::vector<Value> valuesOf(const OpFact &fact) const {
    std::vector<Value> values;
    if (!fact.numbers) {
      for (StringRef word : fact.allowed(words))
        values.push_back({{}, word});
      return values;
    }
    std::set<int64_t> numbers = {1};
    auto add = [&](int64_t number) {
      if (number >= 1)
        numbers.insert(number);
    };
    visitConditions(fact, [&](const Condition &condition) {
      for (const Condition::Range &range : condition.ranges) {
        add(range.least - 1);
        add(range.least);
        add(range.multiple);
        add(range.multiple > 1 ? range.multiple + 1 : 1);
        add(range.most);
        if (range.most < std::numeric_limits<int64_t>::max())
          add(range.most + 1);
      }
    });
    numbers.erase(std::numeric_limits<int64_t>::max());
    for (int64_t number : numbers)
      values.push_back({{number}, {}});
    if (fact.isSeveral)
      for (int64_t one : numbers)
        for (int64_t other : numbers)
          if (one < other)
            values.push_back({{one, other}, {}});
    return values;
  }

  bool hold(const Conditions &conditions, const Case &at, Among among) const {
    return llvm::all_of(conditions, [&](const Condition &condition) {
      for (auto [axis, value] : llvm::zip(axes, at))
        if (axis.fact == condition.fact)
          return value->isTakenBy(condition, among);
      return false;
    });
  }

  std::string text(const Case &at) const {
    std::string text;
    for (auto [axis, value] : llvm::zip(axes, at))
      text += (text.empty() ? "" : ", ") + axis.fact->name.str() + " " +
              value->text();
    return text;
  }

  /// Counts through all cases like through the digits of a number.
  void visit(OpCoverage &found, std::vector<bool> &everHolds) const {
    SmallVector<size_t> digits(axes.size());
    while (!found.isCut) {
      Case at;
      for (auto [axis, digit] : llvm::zip(axes, digits))
        at.push_back(&axis.values[digit]);
      judge(at, found, everHolds);
      found.isCut = ++found.cases == mostCases;
      size_t place = 0;
      while (place < digits.size() &&
             ++digits[place] == axes[place].values.size())
        digits[place++] = 0;
      if (place == digits.size())
        return;
    }
  }

  void judge(const Case &at, OpCoverage &found,
             std::vector<bool> &everHolds) const {
    size_t special = 0;
    bool hasPlain = demands.empty();
    for (auto [index, signature] : llvm::enumerate(demands)) {
      bool holds = hold(signature.when, at, Among::Each);
      hasPlain |= signature.when.empty();
      special += holds && !signature.when.empty();
      everHolds[index] = everHolds[index] || holds;
    }
    bool isLacking = llvm::any_of(unsupported, [&](const Unsupported &entry) {
      return hold(entry.when, at, Among::Any);
    });
    auto add = [&](std::vector<std::string> &told, int64_t &count) {
      ++count;
      if (told.size() < mostTold)
        told.push_back(text(at));
    };
    if (isLacking || (special == 0 && !hasPlain))
      add(found.lacking, found.lackingCases);
    else if (special > 1)
      add(found.shared, found.sharedCases);
  }

  const OpWords &words;
  ArrayRef<Signature> demands;
  ArrayRef<Unsupported> unsupported;
  std::vector<Axis> axes;
};

} // namespace

std::vector<OpCoverage> npu::coverageOf(const TargetSpec &target) {
  std::set<std::string> ops;
  for (auto &[op, signatures] : target.demands)
    if (llvm::any_of(signatures,
                     [](auto &signature) { return !signature.when.empty(); }))
      ops.insert(op);
  for (auto &[op, entries] : target.unsupported)
    ops.insert(op);
  std::vector<OpCoverage> all;
  for (const std::string &op : ops)
    all.push_back(OpCases(target, op).look());
  return all;
}

/// "3 of 12 cases: window 8, stride 3; ...".
static std::string casesText(StringRef what, ArrayRef<std::string> told,
                             int64_t count, const OpCoverage &op) {
  if (count == 0)
    return "";
  std::string text = ("  " + what + " in " + Twine(count) + " of " +
                      Twine(op.cases) + (op.cases == 1 ? " case" : " cases"))
                         .str();
  std::string cases = llvm::join(told, "; ");
  if (!cases.empty())
    text += ": " + cases;
  return text + (count > static_cast<int64_t>(told.size()) ? "; ...\n" : "\n");
}

std::string npu::coverageText(const TargetSpec &target) {
  std::string text;
  for (const OpCoverage &op : coverageOf(target)) {
    std::string lines =
        casesText("not the chip's", op.lacking, op.lackingCases, op) +
        casesText("several entries hold", op.shared, op.sharedCases, op);
    for (const std::string &conditions : op.never)
      lines += "  an entry of `demands` never holds: " + conditions + "\n";
    if (op.isCut)
      lines += "  there are more cases, which nobody looked at\n";
    if (lines.empty())
      lines = "  one entry in each of " + std::to_string(op.cases) + " cases\n";
    text += op.op + ":\n" + lines;
  }
  if (text.empty())
    return "no entry has conditions: every op is the chip's\n";
  return text;
}
