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
  /// Begins with the `likely` columns (one flag for each; empty: all) and
  /// takes up others as their reduced costs ask for them: the fewer there are,
  /// the faster, and the solution is one of all.
  explicit Relaxation(const LinearModel &model,
                      const std::vector<char> &likely = {});
  ~Relaxation();

  LinearSolution solve(double seconds);

private:
  bool addNewRows();
  void raiseDuals(std::vector<double> &reduced,
                  std::vector<double> &duals) const;
  bool openColumns(const std::vector<double> &reduced);

  const LinearModel &model;
  struct State;
  std::unique_ptr<State> state;
};

/// Ways whole; starts from ways that are known.
LinearSolution solveInteger(const LinearModel &model, double seconds,
                            const std::vector<int> &ways);

} // namespace npu::search

#endif // NPU_COMPILER_SEARCH_HIGHS_H
