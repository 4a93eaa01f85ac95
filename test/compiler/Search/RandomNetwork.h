// SPDX-License-Identifier: Apache-2.0
//
// Small cost networks, the same for the same seed, and what their states cost.
#ifndef NPU_TEST_COMPILER_SEARCH_RANDOMNETWORK_H
#define NPU_TEST_COMPILER_SEARCH_RANDOMNETWORK_H

#include "compiler/Search/CostNetwork.h"

namespace npu::search::test {

/// Messages are rounded: what they lose is small beside a cost.
constexpr Cost unit = 1000;

/// Variables with up to four states, linked at random; some costs are
/// forbidden, some pairs named twice.
CostNetwork randomNetwork(uint64_t seed);

Cost costOf(const CostNetwork &network, const std::vector<int> &states);

/// The least cost where `variable` has `state`; -1: of all choices.
Cost leastOf(const CostNetwork &network, int variable = -1, int state = 0);

} // namespace npu::search::test

#endif // NPU_TEST_COMPILER_SEARCH_RANDOMNETWORK_H
