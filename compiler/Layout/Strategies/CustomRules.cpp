// SPDX-License-Identifier: Apache-2.0
#include "compiler/Layout/Strategies/CustomRules.h"

#include "compiler/Layout/Problem/PluginOp.h"
#include "compiler/Target/CompilerPlugins.h"
#include "kernels/plugin/plugin_problem.h"

using namespace npu;

static std::vector<LayoutRule> &rules() {
  static std::vector<LayoutRule> list;
  return list;
}

void npu::registerLayoutRule(LayoutRule rule) {
  rules().push_back(std::move(rule));
}

void npu::clearLayoutRules() { rules().clear(); }

using Wishes = std::vector<DesiredLayouts::Wish>;

/// A rule's answer as wishes; `who` it is, for messages.
static FailureOr<Wishes> readAnswer(Operation *op, StringRef name,
                                    ArrayRef<std::string> layouts,
                                    StringRef who) {
  SmallVector<StringRef> texts(layouts.begin(), layouts.end());
  std::string error;
  std::optional<Wishes> wishes = parseWishes(name, texts, error);
  if (!wishes)
    return op->emitOpError() << who << "'s answer makes no sense: " << error;
  return *wishes;
}

static SmallVector<std::string> ask(const plugin::Plugin &plugin,
                                    const npuc_layout_rule &rule,
                                    const PluginOp &op) {
  SmallVector<std::string> layouts;
  auto answer = [](void *answers, const char *layout) {
    static_cast<SmallVector<std::string> *>(answers)->push_back(layout ? layout
                                                                       : "");
  };
  kernels::callPlugin(plugin, "layout rule", [&] {
    rule.layouts(op.get(), answer, &layouts);
    return 0;
  });
  return layouts;
}

/// What the rules of plugins say, the last plugin's first.
static FailureOr<Wishes> askPlugins(StringRef strategy, Operation *op,
                                    StringRef name, const TargetSpec &target) {
  const plugin::Use *use = pluginsOf(op->getContext());
  if (!use)
    return Wishes();
  std::optional<PluginOp> described;
  for (const plugin::Plugin *plugin : llvm::reverse(use->plugins))
    for (const npuc_layout_rule *rule : rulesOf(*plugin)) {
      if (strategy != rule->strategy || name != rule->op ||
          (rule->target && target.name != rule->target))
        continue;
      if (!described)
        described.emplace(cast<LayoutOpInterface>(op), target.name);
      SmallVector<std::string> layouts = ask(*plugin, *rule, *described);
      if (!layouts.empty())
        return readAnswer(op, name, layouts, blame(*plugin, "its layout rule"));
    }
  return Wishes();
}

FailureOr<Wishes> npu::askLayoutRules(StringRef strategy, LayoutOpInterface op,
                                      const LayoutProblem &problem) {
  const std::string name = op.getDemandName().str();
  const TargetSpec &target = problem.target;
  SmallVector<std::string> layouts;
  if (problem.decision.rule && !desirableRoles(name).empty())
    problem.decision.rule(*PluginOp(op, target.name).get(), layouts);
  if (!layouts.empty())
    return readAnswer(op, name, layouts, "the caller's layout rule");
  for (const LayoutRule &rule : llvm::reverse(rules())) {
    if (rule.strategy != strategy || rule.op != name ||
        (!rule.target.empty() && rule.target != target.name))
      continue;
    layouts = rule.layouts(op, target);
    if (!layouts.empty())
      return readAnswer(op, name, layouts, "a registered layout rule");
  }
  return askPlugins(strategy, op, name, target);
}
