// SPDX-License-Identifier: Apache-2.0
//
// Variables with a few states each, a cost for each state and for pairs of
// states: the form in which a layout problem is solved by elimination.
#ifndef NPU_COMPILER_SEARCH_COSTNETWORK_H
#define NPU_COMPILER_SEARCH_COSTNETWORK_H

#include "compiler/Search/LayoutSearch.h"

#include <algorithm>
#include <ctime>

namespace npu::search {

/// What may not be chosen costs this; sums never go beyond it.
constexpr Cost forbidden = (Cost(1) << 62) - 1;

inline Cost add(Cost a, Cost b) { return std::min(a + b, forbidden); }

/// A cost for each pair of states: table[i * size(second) + j].
struct PairCost {
  int first = 0, second = 0;
  std::vector<Cost> table;
};

struct CostNetwork {
  /// The cost of each state of each variable.
  std::vector<std::vector<Cost>> variables;
  std::vector<PairCost> pairs;

  int size(int variable) const {
    return static_cast<int>(variables[variable].size());
  }
};

/// Until when to work, in processor time of the calling thread, which does all
/// of a search: one that waits for a processor, or is stopped, loses nothing.
class Deadline {
public:
  /// `cut`: what becomes true once time decides anything.
  explicit Deadline(double seconds, bool *cut = nullptr)
      : begin(now()), allowed(std::max(0.0, seconds)), cut(cut) {}
  double spent() const { return now() - begin; }
  double left() const { return allowed - spent(); }
  /// Whether more than so many seconds are left.
  bool allows(double seconds) const {
    const bool is = left() > seconds;
    if (!is && cut)
      *cut = true;
    return is;
  }
  bool over() const { return !allows(0); }

private:
  static double now() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) +
           1e-9 * static_cast<double>(time.tv_nsec);
  }

  double begin, allowed;
  bool *cut;
};

} // namespace npu::search

#endif // NPU_COMPILER_SEARCH_COSTNETWORK_H
