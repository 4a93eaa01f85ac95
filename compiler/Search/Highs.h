// SPDX-License-Identifier: Apache-2.0
//
// The linear programmes' solver, HiGHS.
#ifndef NPU_COMPILER_SEARCH_HIGHS_H
#define NPU_COMPILER_SEARCH_HIGHS_H

#include "compiler/Search/LinearModel.h"

#include <memory>

namespace npu::search {

/// The model's relaxation. The model may get new rows in between; the solver
/// then starts from its last solution.
class Relaxation {
public:
  explicit Relaxation(const LinearModel &model);
  ~Relaxation();

  LinearSolution solve(const Deadline &until);

private:
  bool addNewRows();

  const LinearModel &model;
  struct State;
  std::unique_ptr<State> state;
};

/// Ways whole; starts from ways that are known.
LinearSolution solveInteger(const LinearModel &model, const Deadline &until,
                            const std::vector<int> &ways);

} // namespace npu::search

#endif // NPU_COMPILER_SEARCH_HIGHS_H
