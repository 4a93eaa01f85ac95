// SPDX-License-Identifier: Apache-2.0
//
// What one call may take of time and memory for what a file asks for: the only
// place with such limits. npuc --budget=NAME=N raises one of them. Limits are a
// thread's: compilations side by side have their own.
#ifndef NPU_COMPILER_SUPPORT_BUDGET_H
#define NPU_COMPILER_SUPPORT_BUDGET_H

#include "compiler/Support/LLVM.h"

#include <array>
#include <string>

namespace npu {

enum class Budget { Nodes, Fold, Constants, File, Text, Nesting, Name };

/// A row of the table that --help prints; its place is the enum's number.
struct BudgetRow {
  const char *name;
  int64_t usual;
  const char *what; // of which there may be that many
};
ArrayRef<BudgetRow> budgetRows();

/// By the enum's number.
using BudgetLimits = std::array<int64_t, 7>;
BudgetLimits usualLimits();
/// "nodes=100000"; what is wrong with it, or an empty string.
std::string setBudget(StringRef text, BudgetLimits &limits);

/// This thread's limits while it lives; without one, they are the usual ones.
class BudgetScope {
public:
  explicit BudgetScope(const BudgetLimits &limits);
  ~BudgetScope();
  BudgetScope(const BudgetScope &) = delete;
  BudgetScope &operator=(const BudgetScope &) = delete;

private:
  BudgetLimits outer;
};

/// The limit of this thread.
int64_t limitOf(Budget budget);

/// "takes at least 5000000 nodes that ..., the budget is 50000; raise it with
/// ...", or empty if `amount` fits.
std::string overBudget(Budget budget, int64_t amount);

/// What one import has taken so far. Whatever this thread imports while it
/// lives is counted here.
class BudgetUse {
public:
  BudgetUse();
  ~BudgetUse();
  BudgetUse(const BudgetUse &) = delete;
  BudgetUse &operator=(const BudgetUse &) = delete;
  /// Null where nothing is counted.
  static BudgetUse *current();

  /// As overBudget(), counted with what was taken before.
  std::string take(Budget budget, int64_t amount);
  std::string ifTaken(Budget budget, int64_t amount) const;

  /// The model itself has so many bytes of constants: what they are converted
  /// to is no more than it asks for. Not those in loops, which each step reads.
  void noteModel(int64_t bytes);

  /// A node begins: an op of it is counted if it is one of very many, or stands
  /// in a loop, branch or function.
  void beginNode() { opsOfNode = 0; }
  bool isWritingOut();

  /// How many loops, branches and functions are open.
  int depth = 0;

private:
  BudgetLimits used = {};
  int64_t modelBytes = 0;
  int opsOfNode = 0;
  BudgetUse *outer;
};

/// overBudget() of the brackets that stand inside each other in a text, or the
/// dimensions of a type, outside of strings and comments: parsers go into them
/// one by one. `comment` is what a comment begins with.
std::string tooDeep(StringRef text, StringRef comment);

} // namespace npu

#endif // NPU_COMPILER_SUPPORT_BUDGET_H
