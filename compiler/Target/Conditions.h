// SPDX-License-Identifier: Apache-2.0
//
// `when:` in a target's file: of which ops an entry speaks.
#ifndef NPU_COMPILER_TARGET_CONDITIONS_H
#define NPU_COMPILER_TARGET_CONDITIONS_H

#include "compiler/Dialect/NPU/OpFacts.h"
#include "compiler/Support/LLVM.h"

#include <optional>
#include <string>
#include <vector>

namespace npu {

/// How many of a fact's numbers or words a condition is about.
enum class Among { Each, Any };

/// What one fact of an op must be: its numbers or words are among those that
/// are listed.
struct Condition {
  /// Numbers from `least` to `most` that `multiple` divides.
  struct Range {
    int64_t least, most, multiple = 1;
    bool contains(int64_t number) const {
      return least <= number && number <= most && number % multiple == 0;
    }
  };

  const OpFact *fact;
  std::vector<Range> ranges;      // of numbers
  std::vector<std::string> words; // of words
  std::string text;               // as the file has it: "up to 7"

  bool takes(ArrayRef<int64_t> numbers, Among among = Among::Each) const;
  bool takes(ArrayRef<StringRef> words, Among among = Among::Each) const;
  /// False where the op has no such fact.
  bool holds(LayoutOpInterface op, Among among = Among::Each) const;
};

/// All of an entry's; none: it speaks of every op.
using Conditions = std::vector<Condition>;

/// Reads one: "7", "up to 7", "from 2", "2 to 7", "multiple of 16", or a word;
/// several: any of them. Empty with a reason in `error` where an op of `words`
/// has no such fact, or never one like this.
std::optional<Condition> parseCondition(StringRef fact,
                                        ArrayRef<std::string> texts,
                                        const OpWords &words,
                                        std::string &error);

/// Whether all hold of the op.
bool allHold(const Conditions &conditions, LayoutOpInterface op,
             Among among = Among::Each);

/// "window is 9x9".
std::string factText(const OpFact &fact, LayoutOpInterface op);

/// "window: up to 7, stride: 1"; empty if there are none.
std::string conditionsText(const Conditions &conditions);

} // namespace npu

#endif // NPU_COMPILER_TARGET_CONDITIONS_H
