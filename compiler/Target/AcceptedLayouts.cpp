// SPDX-License-Identifier: Apache-2.0
#include "compiler/Target/AcceptedLayouts.h"

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

static bool agree(const ListedValue &a, LayoutAttr layoutA,
                  const ListedValue &b, LayoutAttr layoutB) {
  return layoutsAgree(a.value, toStoredOrder(layoutA), b.value,
                      toStoredOrder(layoutB));
}

/// Whether none of the orders that are listed for `b` agrees with that of `a`.
static bool isSingle(const ListedValue &a, const ListedValue &b) {
  return llvm::none_of(b.listed, [&](LayoutAttr layout) {
    return agree(a, a.layout, b, layout);
  });
}

static bool isListed(const ListedValue &value) {
  return llvm::any_of(value.listed, [&](LayoutAttr layout) {
    return layout.isEquivalent(value.layout, value.value.shape);
  });
}

bool npu::goTogether(const ListedValue &a, const ListedValue &b) {
  if (agree(a, a.layout, b, b.layout))
    return true;
  return isListed(a) && isListed(b) && (isSingle(a, b) || isSingle(b, a));
}
