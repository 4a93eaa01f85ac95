// SPDX-License-Identifier: Apache-2.0
//
// What relayouts of the search's values cost, each question answered once.
#ifndef NPU_COMPILER_LAYOUT_STRATEGIES_RELAYOUTPRICES_H
#define NPU_COMPILER_LAYOUT_STRATEGIES_RELAYOUTPRICES_H

#include "compiler/Layout/Problem/Cost.h"
#include "compiler/Layout/Problem/LayoutProblem.h"

#include <map>

namespace npu {

/// A network repeats its layers, and most values stay where they are in the
/// next choice of what stays on the chip: what costs depend on is the same.
class RelayoutPrices {
public:
  /// From each of the value's layouts (row by row) to each, with the values on
  /// the chip that the problem keeps.
  const std::vector<LayoutCost> &of(const LayoutProblem &problem, Value value,
                                    ArrayRef<LayoutAttr> layouts);

private:
  /// All that a relayout's cost depends on, besides the target.
  struct Question {
    const void *type;
    std::vector<const void *> layouts;
    std::string axes; // a letter each; only where the target asks for them
    bool onChip;
    double reserved;
    bool operator<(const Question &other) const;
  };

  std::map<Question, std::vector<LayoutCost>> known;
};

} // namespace npu

#endif // NPU_COMPILER_LAYOUT_STRATEGIES_RELAYOUTPRICES_H
