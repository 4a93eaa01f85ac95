// SPDX-License-Identifier: Apache-2.0
//
// Which cases of its ops a target's conditions leave to nobody.
#ifndef NPU_COMPILER_TARGET_COVERAGE_H
#define NPU_COMPILER_TARGET_COVERAGE_H

#include "compiler/Target/TargetSpec.h"

namespace npu {

/// Of an op that has entries with conditions. A case is one value of each fact
/// that these speak of: numbers around each limit, and each word.
struct OpCoverage {
  std::string op;
  int64_t cases = 0;
  /// Entries of `demands`, as they stand there, that hold in no case.
  std::vector<std::string> never;
  /// Cases in which none holds, or `unsupported` does: "window 8, stride 3".
  /// The first few, and how many there are.
  std::vector<std::string> lacking;
  int64_t lackingCases = 0;
  /// The same of cases in which several hold.
  std::vector<std::string> shared;
  int64_t sharedCases = 0;
  bool isCut = false; ///< there are more cases than are looked at
};

/// In alphabetical order.
std::vector<OpCoverage> coverageOf(const TargetSpec &target);

/// Lines for people.
std::string coverageText(const TargetSpec &target);

} // namespace npu

#endif // NPU_COMPILER_TARGET_COVERAGE_H
