// SPDX-License-Identifier: Apache-2.0
//
// Layouts that nobody names, but that pass through more views at once than any
// that somebody does.
#ifndef NPU_COMPILER_LAYOUT_STRATEGIES_OPENREGIONS_H
#define NPU_COMPILER_LAYOUT_STRATEGIES_OPENREGIONS_H

#include "compiler/Layout/Problem/OpSlots.h"

namespace npu {

struct NamedLayout {
  Value value;
  LayoutAttr layout;
};

struct OpenLayouts {
  std::vector<NamedLayout> layouts;
  /// Values around which more might pass than was looked at.
  std::vector<Value> cut;
};

/// A region is what ops join that no list of the target is for: views, sums.
/// Where no known layout of one of its values passes through all of its ops,
/// those orders of its finest digits that pass through the most do: each view
/// cuts digits where dimensions meet, here or behind other views.
/// `known`: the layouts of a value that somebody names, or that follow.
OpenLayouts openLayouts(ArrayRef<OpSlots> ops,
                        llvm::function_ref<ArrayRef<LayoutAttr>(Value)> known);

} // namespace npu

#endif // NPU_COMPILER_LAYOUT_STRATEGIES_OPENREGIONS_H
