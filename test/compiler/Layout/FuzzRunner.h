// SPDX-License-Identifier: Apache-2.0
//
// Runs many cases side by side in processes, so that a crash or an endless loop
// is a finding like any other.
#ifndef NPU_TEST_COMPILER_LAYOUT_FUZZRUNNER_H
#define NPU_TEST_COMPILER_LAYOUT_FUZZRUNNER_H

#include "test/compiler/Layout/LayoutProperties.h"

#include <functional>
#include <vector>

namespace npu::test {

struct FuzzOptions {
  uint64_t seed = 0;  // of the first graph; each next has the next
  int64_t graphs = 0; // how many; 0: as many as the time allows
  double seconds = 0; // 0: no limit
  int jobs = 1;       // processes
  int mostFindings = 1;
  /// A case takes milliseconds, of the processor's time; a few have searches
  /// that give up after a second each. One that takes this long hangs.
  double hangSeconds = 20;
  bool progress = false;
};

struct SeedFinding {
  uint64_t seed;
  Finding finding;
};

struct FuzzResult {
  Coverage coverage;
  double seconds = 0;
  /// Of the processor, for cases that ended, and how many these were.
  double endedSeconds = 0;
  int64_t ended = 0;
  uint64_t nextSeed = 0; // the first that was not tried
  std::vector<uint64_t> givenUp;
  std::vector<SeedFinding> findings;
};

/// What one process does with one seed.
using CheckSeed =
    std::function<std::optional<Finding>(uint64_t seed, Coverage &coverage)>;

/// How long a smaller case may take: ten times as long as those that ended, a
/// second at least, as long as any case at most. Where none ended, a tenth of
/// that: what hangs is no measure of what does not.
double trialSeconds(const FuzzOptions &options, const FuzzResult &result);

/// Findings of one property are reported once. When the time is over, cases
/// that are not done a second later are given up.
FuzzResult fuzz(const FuzzOptions &options, const CheckSeed &check);

/// Runs the check in a process of its own; a signal is the finding "crash",
/// more time than `hangSeconds` "hangs".
std::optional<Finding>
checkIsolated(const std::function<std::optional<Finding>()> &check,
              double hangSeconds);

} // namespace npu::test

#endif // NPU_TEST_COMPILER_LAYOUT_FUZZRUNNER_H
