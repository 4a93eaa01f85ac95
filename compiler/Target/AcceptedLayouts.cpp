// SPDX-License-Identifier: Apache-2.0
#include "compiler/Target/AcceptedLayouts.h"

#include "compiler/Dialect/NPU/LayoutUse.h"

using namespace npu;

SmallVector<LayoutAttr>
npu::acceptedLayouts(const TargetSpec &target, LayoutOpInterface op,
                     StringRef role, Value value,
                     llvm::function_ref<ImageAxes()> axes) {
  ArrayRef<LayoutPattern> patterns = target.accepted(op.getDemandName(), role);
  if (patterns.empty())
    return {};
  size_t rank = tensorType(value).getRank();
  ImageAxes known = axes();
  SmallVector<LayoutAttr> layouts;
  for (const LayoutPattern &pattern : patterns) {
    if (pattern.kind == LayoutPattern::Kind::Any)
      return {};
    if (std::optional<StoredOrder> order = pattern.resolve(rank, known))
      layouts.push_back(toLayout(op->getContext(), *order));
  }
  return layouts;
}
