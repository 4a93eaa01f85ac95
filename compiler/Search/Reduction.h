// SPDX-License-Identifier: Apache-2.0
//
// A problem without the ways that a cheapest choice does not need.
#ifndef NPU_COMPILER_SEARCH_REDUCTION_H
#define NPU_COMPILER_SEARCH_REDUCTION_H

#include "compiler/Search/Deadline.h"
#include "compiler/Search/RelayoutTrees.h"

namespace npu::search {

class Reduction {
public:
  /// The whole problem.
  explicit Reduction(const Problem &whole);

  const Problem &problem() const { return reduced; }

  /// Leaves out ways that another way of the same op can stand in for: cheaper
  /// even if every relayout that the change may cause has to be paid. As many
  /// of them as there is time for.
  void dropDominated(const RelayoutTrees &trees, const Deadline &deadline);

  /// Leaves out the ways of op i whose flag in keep[i] is not set. At least
  /// one way of each op must stay.
  void keepOnly(const std::vector<std::vector<char>> &keep);

  /// From ways of the reduced problem to ways of the whole, and back. Instead
  /// of a way that was left out comes the first that was not.
  std::vector<int> toWhole(std::vector<int> ways) const;
  std::vector<int> fromWhole(std::vector<int> ways) const;

private:
  Problem reduced;
  std::vector<std::vector<int>> original; // way of the whole, of each way left
};

} // namespace npu::search

#endif // NPU_COMPILER_SEARCH_REDUCTION_H
