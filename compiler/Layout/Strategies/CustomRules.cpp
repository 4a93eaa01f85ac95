// SPDX-License-Identifier: Apache-2.0
#include "compiler/Layout/Strategies/CustomRules.h"

using namespace npu;

static std::vector<LayoutRule> &rules() {
  static std::vector<LayoutRule> list;
  return list;
}

void npu::registerLayoutRule(LayoutRule rule) {
  rules().push_back(std::move(rule));
}

void npu::clearLayoutRules() { rules().clear(); }

FailureOr<std::vector<DesiredLayouts::Wish>>
npu::askLayoutRules(StringRef strategy, Operation *op, StringRef name,
                    const TargetSpec &target) {
  for (const LayoutRule &rule : llvm::reverse(rules())) {
    if (rule.strategy != strategy || rule.op != name ||
        (!rule.target.empty() && rule.target != target.name))
      continue;
    SmallVector<std::string> layouts = rule.layouts(op, target);
    if (layouts.empty())
      continue;
    SmallVector<StringRef> texts(layouts.begin(), layouts.end());
    std::string error;
    std::optional<std::vector<DesiredLayouts::Wish>> wishes =
        parseWishes(name, texts, error);
    if (!wishes)
      return op->emitOpError()
             << "a registered layout rule's answer makes no sense: " << error;
    return *wishes;
  }
  return std::vector<DesiredLayouts::Wish>();
}
