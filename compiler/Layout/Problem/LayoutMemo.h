// SPDX-License-Identifier: Apache-2.0
//
// What was found out about the ops of a problem, by all that it depends on.
#ifndef NPU_COMPILER_LAYOUT_PROBLEM_LAYOUTMEMO_H
#define NPU_COMPILER_LAYOUT_PROBLEM_LAYOUTMEMO_H

#include "compiler/Layout/Problem/AlikeOps.h"
#include "compiler/Layout/Problem/Cost.h"
#include "compiler/Layout/Problem/Placement.h"
#include "cost/kernel_work.h"

#include "llvm/ADT/StringMap.h"

namespace npu {

/// What an answer depends on, besides the problem.
class Question {
public:
  Question &add(uint64_t word) {
    words.push_back(word);
    return *this;
  }
  Question &add(const void *uniqued) {
    return add(static_cast<uint64_t>(reinterpret_cast<uintptr_t>(uniqued)));
  }
  Question &add(LayoutAttr layout) { return add(layout.getAsOpaquePointer()); }
  StringRef bytes() const {
    return {reinterpret_cast<const char *>(words.data()),
            words.size() * sizeof(uint64_t)};
  }

private:
  SmallVector<uint64_t, 20> words;
};

template <class Answer>
class Answers {
public:
  /// Valid until the next question.
  template <class Find>
  const Answer &of(const Question &question, Find find) {
    auto at = known.find(question.bytes());
    if (at != known.end())
      return at->second;
    Answer answer = find();
    // What is forgotten is found again.
    if (known.size() >= mostAnswers)
      known.clear();
    return known.try_emplace(question.bytes(), std::move(answer)).first->second;
  }

private:
  static constexpr size_t mostAnswers = 1 << 16;
  llvm::StringMap<Answer> known;
};

/// A placement, or why there is none.
struct Placed {
  std::optional<Placement> placement;
  std::string whyNot;
};

/// What a kernel does, and what that takes.
struct PricedWork {
  cost::KernelWork work;
  TiledCost tiled;
};

struct LayoutMemo {
  LayoutMemo(const ImageAxesAnalysis &axes, bool countsValueAxes,
             const DimensionCuts *cuts)
      : alike(axes, countsValueAxes, cuts) {}

  AlikeOps alike;
  /// Numbers of what surroundingsOf found.
  llvm::DenseMap<Operation *, uint64_t> surroundings;
  llvm::StringMap<uint64_t> surroundingsKnown;
  Answers<SmallVector<LayoutAttr>> demanded;
  Answers<SmallVector<bool, 4>> independent;
  Answers<SmallVector<unsigned>> fitting;
  Answers<Placed> placed;
  /// With all memory, and with what is left.
  Answers<PricedWork> alone, priced;
  /// Of one operand or result.
  Answers<cost::Transfer> moved;
  Answers<double> factors;
  /// Of an op by a set of others.
  Answers<std::optional<LayoutCost>> sets;
};

/// All that what an op that computes does depends on, but for the memory that
/// is left to it. `whole`: `layouts` with those that do not count.
Question workQuestion(const ResidentProblem &problem, LayoutMemo &memo,
                      LayoutOpInterface op, ArrayRef<LayoutAttr> layouts,
                      const Alternative *algorithm, ArrayRef<LayoutAttr> whole);

/// Whether a kernel finds so much memory beside values that stay on the chip.
bool findsMemory(const LayoutProblem &problem, double needs, double reserved);

/// All that the cost of an op that computes depends on besides layouts,
/// algorithm, and memory.
Question surroundingsOf(LayoutMemo &memo, LayoutOpInterface op);
/// The same with memory: its values on the chip, and what is left beside them.
Question circumstancesOf(const ResidentProblem &problem, LayoutMemo &memo,
                         LayoutOpInterface op);

} // namespace npu

#endif // NPU_COMPILER_LAYOUT_PROBLEM_LAYOUTMEMO_H
