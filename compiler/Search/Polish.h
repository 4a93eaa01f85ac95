// SPDX-License-Identifier: Apache-2.0
//
// Improves a choice by solving large parts of the problem exactly.
#ifndef NPU_COMPILER_SEARCH_POLISH_H
#define NPU_COMPILER_SEARCH_POLISH_H

#include "compiler/Search/Encoding.h"

namespace npu::search {

/// Freezes as many ops as it takes for the rest to be eliminated with small
/// tables, solves the rest, and again with others frozen, until several rounds
/// in a row bring nothing. Never returns a dearer choice.
std::vector<int> polish(const Problem &problem, const RelayoutTrees &trees,
                        const Encoding &encoding, std::vector<int> ways,
                        const Deadline &deadline);

} // namespace npu::search

#endif // NPU_COMPILER_SEARCH_POLISH_H
