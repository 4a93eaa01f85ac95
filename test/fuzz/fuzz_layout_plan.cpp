// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a layout plan: an error or a plan, never both, never a crash.

#include "compiler/Layout/PlanFile/PlanFile.h"

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string error;
  llvm::StringRef text(reinterpret_cast<const char *>(data), size);
  std::optional<npu::PlanFile> plan =
      npu::parsePlanFile(text, "plan.yaml", error);
  if (plan.has_value() == !error.empty())
    abort();
  if (plan)
    for (const npu::PlanEntry &entry : plan->entries)
      if (entry.name.empty() || entry.line < 1)
        abort();
  return 0;
}
