// SPDX-License-Identifier: Apache-2.0
//
// Rows that every choice obeys and a fractional solution does not.
#ifndef NPU_COMPILER_SEARCH_ODDCYCLES_H
#define NPU_COMPILER_SEARCH_ODDCYCLES_H

#include "compiler/Search/LinearModel.h"

namespace npu::search {

/// Rows that cut the values off. Each is half the sum of some rows and bounds
/// of the model, chosen so that all factors of the sum are even; then the right
/// side, if odd, may be rounded up, for in a choice all columns are integers.
///
/// Which rows to add is a shortest path: columns are nodes, a row links two of
/// them (its others are bounded away), and the way around must be odd.
std::vector<LinearModel::Row> violatedRows(const LinearModel &model,
                                           const std::vector<double> &values,
                                           const Deadline &deadline);

} // namespace npu::search

#endif // NPU_COMPILER_SEARCH_ODDCYCLES_H
