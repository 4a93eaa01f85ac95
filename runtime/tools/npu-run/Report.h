// SPDX-License-Identifier: Apache-2.0
//
// What a session measured, as text, JSON and a trace.
#ifndef NPU_RUNTIME_TOOLS_NPU_RUN_REPORT_H
#define NPU_RUNTIME_TOOLS_NPU_RUN_REPORT_H

#include "cost/chip_figures.h"
#include "npu/npu.hpp"

#include <string>
#include <vector>

namespace npu::tools {

/// One timed run; times of kernels only where they were asked for.
struct RunTime {
  double startMs = 0; ///< since the session began
  double ms = 0;
  std::vector<npu_kernel_time> kernels; ///< last_ns, start_ns of this run
};

struct Session {
  npu_load_stats load = {};
  npu_chip_info chip = {};
  std::vector<npu_kernel_info> kernels;
  std::vector<RunTime> runs;
  double convertMs = 0;

  /// No kernel was made, so nothing is known of this machine: reports leave it
  /// out.
  bool isSimulatedOnly() const { return runs.empty(); }
  double minMs() const;
  double medianMs() const;
  /// Median over runs of kernel `index`; 0 where none was timed.
  double kernelMs(size_t index) const;
  /// The chip's: kernels run one after the other.
  cost::ChipTotals totals() const;
};

/// The object that `npu-run --json` prints.
std::string jsonReport(const Session &session);
/// Latency, load and memory in a few lines.
std::string summary(const Session &session);
/// One row per kernel, slowest first; on the chip where nothing ran.
std::string profileTable(const Session &session);
/// Chrome trace events.
std::string traceJson(const Session &session);

} // namespace npu::tools

#endif // NPU_RUNTIME_TOOLS_NPU_RUN_REPORT_H
