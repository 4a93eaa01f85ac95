// SPDX-License-Identifier: Apache-2.0
//
// What a choice that is cheaper than the best one known can still be.
#ifndef NPU_COMPILER_SEARCH_NARROWING_H
#define NPU_COMPILER_SEARCH_NARROWING_H

#include "compiler/Search/Messages.h"

#include <memory>

namespace npu::search {

/// Raises the bound of a network by messages, and leaves out states with which
/// it reaches the best choice known. Variables that are left without a choice
/// bring their neighbours together, so the network becomes smaller and each
/// pass faster.
class Narrowing {
public:
  /// Choices that cost `best` or more do not matter.
  Narrowing(const CostNetwork &whole, Cost best);

  void pass(const Deadline &deadline) {
    deadline.count(messages->work());
    messages->pass();
  }

  /// Leaves out the states with which no choice costs less than `best`. Returns
  /// a bound of all choices; `best` if none is cheaper.
  Cost narrow(Cost best);

  /// States that are left, of variables that have not been eliminated.
  size_t size() const;
  /// Whether each state of the whole network is left.
  const std::vector<std::vector<char>> &left() const { return stays; }

  /// The cheapest of the choices that are left; empty if elimination needs a
  /// larger table than that, or more time.
  std::vector<int> solve(int64_t tableEntries, const Deadline &deadline) const;

  /// A choice as the messages suggest it: states of the first `candidates`
  /// variables are left out, the dearest first, with messages in between, until
  /// each has one. Empty if time ran out.
  std::vector<int> guess(int candidates, const Deadline &deadline) const;

private:
  /// Goes on from another, and eliminates variables with as many neighbours.
  Narrowing(const Narrowing &other, int neighbours);
  void begin(CostNetwork next);
  bool leaveOutDearest(int candidates);
  Cost rounded(Cost bound, Cost best) const;
  void keepOnly(const std::vector<std::vector<char>> &keep);

  const CostNetwork &whole;
  Cost most = 0;
  int shift = 0; // of the costs here: they are 2^shift times those of `whole`
  int neighbours = 2; // of variables that are eliminated
  std::vector<std::vector<char>> stays;
  Cost constant = 0;   // what is paid besides `network`
  CostNetwork network; // what is left
  /// Its variables and their states, as the whole network names them.
  std::vector<int> names;
  std::vector<std::vector<int>> states;
  std::unique_ptr<Messages> messages;
};

} // namespace npu::search

#endif // NPU_COMPILER_SEARCH_NARROWING_H
