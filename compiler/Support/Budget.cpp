// SPDX-License-Identifier: Apache-2.0
#include "compiler/Support/Budget.h"

#include "files/shown_text.h"
#include "files/words.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace npu;

static const BudgetRow rows[] = {
    {"nodes", 50000,
     "nodes that loops, recurrent nets and functions are written out to"},
    {"fold", int64_t(1) << 30,
     "elements and products that are computed while compiling"},
    {"constants", int64_t(1) << 28,
     "bytes of constants that are made of smaller ones, over 16 times the "
     "model's"},
    {"file", (int64_t(1) << 31) - 1, "bytes of a model, module or array"},
    {"text", int64_t(1) << 24, "bytes of a target or plan"},
    {"nesting", 256,
     "brackets, graphs or calls inside each other, or dimensions of a type"},
    {"name", files::usualShownLength, "bytes of a name in messages"},
};

static_assert(std::size(rows) == std::tuple_size_v<BudgetLimits>,
              "every budget has a row");

BudgetLimits npu::usualLimits() {
  BudgetLimits usual = {};
  for (auto [limit, row] : llvm::zip(usual, rows))
    limit = row.usual;
  return usual;
}

static thread_local BudgetLimits currentLimits = usualLimits();

/// Names are shortened where there is no compiler, too.
static void setLimits(const BudgetLimits &limits) {
  currentLimits = limits;
  files::setShownLength(limitOf(Budget::Name));
}

BudgetScope::BudgetScope(const BudgetLimits &limits) : outer(currentLimits) {
  setLimits(limits);
}

BudgetScope::~BudgetScope() { setLimits(outer); }

ArrayRef<BudgetRow> npu::budgetRows() { return rows; }

static std::vector<std::string> budgetNames() {
  std::vector<std::string> names;
  for (const BudgetRow &row : rows)
    names.push_back(row.name);
  return names;
}

int64_t npu::limitOf(Budget budget) {
  return currentLimits[static_cast<size_t>(budget)];
}

std::string npu::setBudget(StringRef text, BudgetLimits &limits) {
  auto [name, number] = text.split('=');
  const BudgetRow *row = llvm::find_if(
      rows, [name = name](const BudgetRow &row) { return row.name == name; });
  if (row == std::end(rows))
    return files::unknownName(name.str(), budgetNames());
  int64_t limit = 0;
  if (number.getAsInteger(10, limit) || limit < 1)
    return ("'" + text + "' has no number of 1 or more; write " + name + "=" +
            Twine(row->usual))
        .str();
  limits[row - rows] = limit;
  return "";
}

static int64_t saturatedSum(int64_t a, int64_t b) {
  int64_t sum = 0;
  return llvm::AddOverflow(a, b, sum) ? INT64_MAX : sum;
}

/// `allowed`: beside the budget.
static std::string overBoth(Budget budget, int64_t amount, int64_t allowed) {
  int64_t limit = limitOf(budget);
  if (amount <= saturatedSum(limit, allowed))
    return "";
  const BudgetRow &row = rows[static_cast<size_t>(budget)];
  return ("takes at least " + Twine(amount) + " " + row.what +
          ", the budget is " + Twine(limit) +
          "; if that is meant, raise it with --budget=" + row.name + "=N")
      .str();
}

std::string npu::overBudget(Budget budget, int64_t amount) {
  return overBoth(budget, amount, 0);
}

static thread_local BudgetUse *currentUse = nullptr;

BudgetUse::BudgetUse() : outer(currentUse) { currentUse = this; }
BudgetUse::~BudgetUse() { currentUse = outer; }
BudgetUse *BudgetUse::current() { return currentUse; }

bool BudgetUse::isWritingOut() {
  // No node has as many ops, but for one that is written out step by step.
  constexpr int fewOps = 256;
  return ++opsOfNode > fewOps || depth > 0;
}

void BudgetUse::noteModel(int64_t bytes) {
  if (depth == 0)
    modelBytes = saturatedSum(modelBytes, bytes);
}

std::string BudgetUse::ifTaken(Budget budget, int64_t amount) const {
  // Numbers of 4 bits become bytes, i32 and f32 on their ways to what reads
  // them: 2 + 6 + 8 times their size.
  constexpr int64_t conversions = 16;
  int64_t allowed =
      budget == Budget::Constants
          ? std::min(modelBytes, INT64_MAX / conversions) * conversions
          : 0;
  return overBoth(
      budget, saturatedSum(used[static_cast<size_t>(budget)], amount), allowed);
}

std::string BudgetUse::take(Budget budget, int64_t amount) {
  std::string over = ifTaken(budget, amount);
  int64_t &sum = used[static_cast<size_t>(budget)];
  sum = saturatedSum(sum, amount);
  return over;
}

/// Where the string or comment that begins at `at` ends; `at` if none does.
static size_t skipped(StringRef text, size_t at, StringRef comment) {
  if (text.substr(at).starts_with(comment))
    return std::min(text.find('\n', at), text.size());
  if (text[at] != '"')
    return at;
  for (++at; at < text.size() && text[at] != '"' && text[at] != '\n'; ++at)
    at += text[at] == '\\';
  return at;
}

std::string npu::tooDeep(StringRef text, StringRef comment) {
  int64_t depth = 0, deepest = 0, signs = 0, dims = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '"' || text[at] == comment.front())
      at = skipped(text, at, comment);
    char c = at < text.size() ? text[at] : '\n';
    char next = at + 1 < text.size() ? text[at + 1] : '\n';
    if (next == '=' || (c == '-' && next == '>')) { // no bracket
      ++at;
      continue;
    }
    if (c == '(' || c == '[' || c == '{' || c == '<')
      deepest = std::max(deepest, ++depth);
    else if (c == ')' || c == ']' || c == '}' || c == '>')
      depth = std::max<int64_t>(0, depth - 1);
    // Signs in front of one value; lists in lists on one line of YAML.
    signs = c == '-' || c == '?' ? signs + 1 : c == ' ' ? signs : 0;
    deepest = std::max(deepest, signs);
    // 1x2x?xf32
    dims = c == 'x' ? dims + 1 : llvm::isDigit(c) || c == '?' ? dims : 0;
    deepest = std::max(deepest, dims);
  }
  return overBudget(Budget::Nesting, deepest);
}
