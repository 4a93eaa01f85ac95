// SPDX-License-Identifier: Apache-2.0
//
// Certificates as text, as whoever does not know npuc would write them.
#ifndef NPU_TEST_CERTIFICATE_CERTIFICATETEXT_H
#define NPU_TEST_CERTIFICATE_CERTIFICATETEXT_H

#include "compiler/Search/LayoutSearch.h"
#include "compiler/Search/Prices.h"

#include <nlohmann/json.hpp>

namespace npu::certificate::test {

/// The certificate of a choice of ways, in one case.
nlohmann::json certificateOf(const search::Problem &problem,
                             const std::vector<int> &ways,
                             const search::Prices &prices);

/// Empty if it holds; "malformed: ..." or "refuted: ..." if not.
std::string verdictOn(const std::string &text);

} // namespace npu::certificate::test

#endif // NPU_TEST_CERTIFICATE_CERTIFICATETEXT_H
