// SPDX-License-Identifier: Apache-2.0
#include "compiler/Layout/Problem/Objective.h"

#include "llvm/ADT/StringExtras.h"

using namespace npu;

static constexpr StringRef names[] = {"count", "bytes", "time", "energy"};
static constexpr StringRef units[] = {"relayouts", "bytes", "cycles", "pJ"};

cost::Goal npu::tileGoal(Objective objective) {
  return objective == Objective::Energy ? cost::Goal::Energy : cost::Goal::Time;
}

std::optional<Objective> npu::parseObjective(StringRef text) {
  const StringRef *found = llvm::find(names, text);
  if (found == std::end(names))
    return std::nullopt;
  return static_cast<Objective>(found - names);
}

StringRef npu::objectiveName(Objective objective) {
  return names[static_cast<int>(objective)];
}

bool npu::countsRelayouts(Objective objective) {
  return objective == Objective::Count || objective == Objective::Bytes;
}

StringRef npu::objectiveUnit(Objective objective) {
  return units[static_cast<int>(objective)];
}

std::string npu::whyNot(Objective objective, const TargetSpec &target) {
  if (objective != Objective::Energy || target.saysEnergy())
    return "";
  return "--objective=energy: target '" + target.name +
         "' says nothing of energy; its `machine` needs `mac_energy`, "
         "`dram_energy`" +
         (target.machine.sramKiB > 0 ? " and `sram_energy`" : "") +
         " (targets/README.md)";
}

std::string npu::objectiveNames() {
  return llvm::join(ArrayRef<StringRef>(names), ", ");
}
