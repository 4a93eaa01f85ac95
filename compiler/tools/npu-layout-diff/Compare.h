// SPDX-License-Identifier: Apache-2.0
//
// What changed from one report to another.
#ifndef NPU_COMPILER_TOOLS_NPU_LAYOUT_DIFF_COMPARE_H
#define NPU_COMPILER_TOOLS_NPU_LAYOUT_DIFF_COMPARE_H

#include "compiler/tools/npu-layout-diff/Report.h"

#include <ostream>

namespace npu::diff {

/// The same relayout in both, not alike.
struct ChangedRelayout {
  Relayout before, after;
};

/// Kernels of the same nodes, op and turn.
struct ChangedKernel {
  Kernel before, after;
};

/// A text or number that differs, "key": before, after.
struct ChangedFact {
  std::string key, before, after;
};

struct Difference {
  /// What the two were compiled for; the layouts may be the same.
  std::vector<ChangedFact> settings;
  std::vector<ChangedFact> facts;
  std::vector<Relayout> gone, added;
  std::vector<ChangedRelayout> relayouts;
  std::vector<Kernel> goneKernels, addedKernels;
  std::vector<ChangedKernel> kernels;

  bool empty() const {
    return facts.empty() && gone.empty() && added.empty() &&
           relayouts.empty() && goneKernels.empty() && addedKernels.empty() &&
           kernels.empty();
  }
};

Difference compare(const Report &before, const Report &after);

/// One line for each change; a sentence if there is none.
void printText(std::ostream &out, const Report &before,
               const Difference &difference);

/// The same as one JSON object.
std::string toJson(const Difference &difference);

} // namespace npu::diff

#endif // NPU_COMPILER_TOOLS_NPU_LAYOUT_DIFF_COMPARE_H
