// SPDX-License-Identifier: Apache-2.0
#include "compiler/Layout/Problem/Objective.h"

#include "llvm/ADT/StringExtras.h"

using namespace npu;

static constexpr StringRef names[] = {"count", "bytes", "time"};
static constexpr StringRef units[] = {"relayouts", "bytes", "cycles"};

std::optional<Objective> npu::parseObjective(StringRef text) {
  const StringRef *found = llvm::find(names, text);
  if (found == std::end(names))
    return std::nullopt;
  return static_cast<Objective>(found - names);
}

StringRef npu::objectiveName(Objective objective) {
  return names[static_cast<int>(objective)];
}

StringRef npu::objectiveUnit(Objective objective) {
  return units[static_cast<int>(objective)];
}

std::string npu::objectiveNames() {
  return llvm::join(ArrayRef<StringRef>(names), ", ");
}
