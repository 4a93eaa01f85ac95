// SPDX-License-Identifier: Apache-2.0
//
// The linear programmes' solver, HiGHS, behind two functions.
#ifndef NPU_COMPILER_SEARCH_HIGHS_H
#define NPU_COMPILER_SEARCH_HIGHS_H

#include "compiler/Search/LinearModel.h"

namespace npu::search {

/// Floating-point answers: advice, never a proof.
struct LinearSolution {
  std::vector<double> values; // of the columns; empty: none was found
  std::vector<double> duals;  // of the rows; empty for integer programmes
};

LinearSolution solveRelaxation(const LinearModel &model, double seconds);

/// Ways whole; starts from ways that are known.
LinearSolution solveInteger(const LinearModel &model, double seconds,
                            const std::vector<int> &ways);

} // namespace npu::search

#endif // NPU_COMPILER_SEARCH_HIGHS_H
