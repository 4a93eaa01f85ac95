// SPDX-License-Identifier: Apache-2.0
//
// A report of `npuc --report` as far as a comparison needs it.
#ifndef NPU_COMPILER_TOOLS_NPU_LAYOUT_DIFF_REPORT_H
#define NPU_COMPILER_TOOLS_NPU_LAYOUT_DIFF_REPORT_H

#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace npu::diff {

struct Relayout {
  std::string kind, value, node, from, to, reason;
  int64_t bytes = 0;
};

struct Kernel {
  std::string name, op, implementation, node;
  std::vector<std::string> layouts;
};

/// What `optimal` says of itself.
struct Proof {
  int64_t lowerBound = 0;
  bool proved = false;
};

struct Report {
  std::string target, layout, objective;
  int64_t cost = 0; // in the objective's unit
  std::vector<Relayout> relayouts;
  int64_t count = 0, bytes = 0, boundaryCount = 0;
  std::vector<Kernel> kernels;
  int64_t arenaBytes = 0, weightBytes = 0;
  std::optional<Proof> optimal;
};

/// Says what is wrong with which file.
struct ReportError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Reads a report; throws ReportError.
Report readReport(const std::string &path);

} // namespace npu::diff

#endif // NPU_COMPILER_TOOLS_NPU_LAYOUT_DIFF_REPORT_H
