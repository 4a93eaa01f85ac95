// SPDX-License-Identifier: Apache-2.0
//
// What a search chose among, its choice and why nothing is cheaper, as a text
// that npu-check-certificate checks: docs/certificate.md.
#ifndef NPU_COMPILER_LAYOUT_STRATEGIES_CERTIFICATE_H
#define NPU_COMPILER_LAYOUT_STRATEGIES_CERTIFICATE_H

#include "compiler/Layout/Strategies/SearchProblem.h"

namespace npu {

/// A choice of ways with these values on the chip (one of the problem's
/// residencies), and its total in the objective's unit.
struct CertifiedChoice {
  const OnChipValues *onChip = nullptr;
  std::vector<int> ways;
  int64_t cost = 0;
};

/// Empty where the checker does not find shown that no choice costs less, in no
/// residency.
std::string certificateOf(const LayoutProblem &problem, const OpWays &ways,
                          SearchPrices &prices, const CertifiedChoice &choice);

} // namespace npu

#endif // NPU_COMPILER_LAYOUT_STRATEGIES_CERTIFICATE_H
