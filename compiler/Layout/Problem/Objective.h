// SPDX-License-Identifier: Apache-2.0
//
// What the layout stage makes small.
#ifndef NPU_COMPILER_LAYOUT_PROBLEM_OBJECTIVE_H
#define NPU_COMPILER_LAYOUT_PROBLEM_OBJECTIVE_H

#include "compiler/Target/TargetSpec.h"
#include "cost/tile_search.h"

#include <optional>
#include <string>

namespace npu {

enum class Objective {
  Count, // relayouts
  Bytes, // stored bytes that relayouts move
  Time,  // cycles of relayouts and kernels
  Energy // pJ of relayouts and kernels
};

/// What tiles are chosen by.
cost::Goal tileGoal(Objective objective);
std::optional<Objective> parseObjective(StringRef text);
StringRef objectiveName(Objective objective);
/// Whether relayouts alone make it up, whatever stays on the chip.
bool countsRelayouts(Objective objective);
/// What it counts: "relayouts", "bytes", "cycles", "pJ".
StringRef objectiveUnit(Objective objective);
/// What an objective asks of a target that it does not say; empty: nothing.
std::string whyNot(Objective objective, const TargetSpec &target);
/// "count, bytes, time, energy": for messages.
std::string objectiveNames();

} // namespace npu

#endif // NPU_COMPILER_LAYOUT_PROBLEM_OBJECTIVE_H
