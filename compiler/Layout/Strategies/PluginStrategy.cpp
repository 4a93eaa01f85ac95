// SPDX-License-Identifier: Apache-2.0
//
// Strategies of plugins: the search's problem as plain data, and their choice,
// checked.
#include "compiler/Layout/Strategies/SearchProblem.h"
#include "compiler/Layout/Strategies/Strategies.h"
#include "compiler/Target/CompilerPlugins.h"
#include "kernels/plugin/plugin_problem.h"

#include <cstddef>
#include <deque>

using namespace npu;

namespace {

/// The problem in the plugin's structs; `get` is what it is given.
class PluginProblem {
public:
  PluginProblem(const LayoutProblem &problem, const SearchProblem &searched);
  PluginProblem(const PluginProblem &) = delete;
  PluginProblem &operator=(const PluginProblem &) = delete;

  const npuc_problem *get() const { return &given.problem; }
  const char *nameOf(size_t op) const { return ops[op].name; }
  const char *nodeOf(size_t op) const { return ops[op].node; }

private:
  /// What `cost` finds its object by.
  struct Given {
    npuc_problem problem;
    const SearchProblem *searched;
  };

  static int64_t cost(const npuc_problem *problem, const int32_t *ways);
  void addValue(const search::Value &value, ArrayRef<LayoutAttr> layouts);
  void addOp(const search::Op &op, StringRef name, StringRef node);
  const char *kept(StringRef text) {
    return texts.emplace_back(text.str()).c_str();
  }

  Given given = {};
  std::deque<std::string> texts; // stay where they are, as those below do
  std::deque<std::vector<const char *>> layoutTexts;
  std::deque<std::vector<npuc_way>> ways;
  std::deque<std::vector<int32_t>> numbers;
  std::vector<npuc_problem_value> values;
  std::vector<npuc_problem_op> ops;
};

} // namespace

PluginProblem::PluginProblem(const LayoutProblem &problem,
                             const SearchProblem &searched) {
  const search::Problem &known = searched.numbers();
  for (auto [index, value] : llvm::enumerate(known.values))
    addValue(value, searched.layoutsOf(index));
  for (auto [index, op] : llvm::enumerate(known.ops)) {
    auto [name, node] = searched.namesOf(index);
    addOp(op, name, node);
  }
  given.searched = &searched;
  npuc_problem &result = given.problem;
  result.struct_size = sizeof(result);
  result.target = kept(problem.target.name);
  result.objective = kept(objectiveName(problem.objective));
  result.values = values.data();
  result.ops = ops.data();
  result.value_count = static_cast<int32_t>(values.size());
  result.op_count = static_cast<int32_t>(ops.size());
  result.seconds = problem.searchSeconds;
  result.cost = cost;
}

void PluginProblem::addValue(const search::Value &value,
                             ArrayRef<LayoutAttr> layouts) {
  auto &list = layoutTexts.emplace_back();
  for (LayoutAttr layout : layouts)
    list.push_back(kept(layout.getLetters()));
  values.push_back({list.data(), value.layouts, value.move.data()});
}

void PluginProblem::addOp(const search::Op &op, StringRef name,
                          StringRef node) {
  auto &list = numbers.emplace_back(op.operands.begin(), op.operands.end());
  list.insert(list.end(), op.results.begin(), op.results.end());
  auto &all = ways.emplace_back();
  for (const search::Way &way : op.ways) {
    static_assert(search::asStored == NPUC_AS_STORED);
    static_assert(sizeof(int) == sizeof(int32_t));
    all.push_back({way.cost, way.layouts.data()});
  }
  ops.push_back({kept(name), kept(node), list.data(), all.data(),
                 static_cast<int32_t>(op.operands.size()),
                 static_cast<int32_t>(op.results.size()),
                 static_cast<int32_t>(all.size())});
}

/// The op of which there is no such way; nothing: it is a choice.
static std::optional<size_t> firstWrong(const search::Problem &problem,
                                        ArrayRef<int> ways) {
  for (auto [index, op] : llvm::enumerate(problem.ops))
    if (ways[index] < 0 || ways[index] >= static_cast<int>(op.ways.size()))
      return index;
  return std::nullopt;
}

int64_t PluginProblem::cost(const npuc_problem *problem, const int32_t *ways) {
  static_assert(offsetof(Given, problem) == 0);
  const SearchProblem &searched =
      *reinterpret_cast<const Given *>(problem)->searched;
  std::vector<int> chosen(ways, ways + searched.numbers().ops.size());
  return firstWrong(searched.numbers(), chosen) ? -1 : searched.cost(chosen);
}

static FailureOr<std::vector<int>> choose(const plugin::Plugin &plugin,
                                          const npuc_strategy &strategy,
                                          const LayoutProblem &problem,
                                          const SearchProblem &searched) {
  PluginProblem data(problem, searched);
  // What is left out is no way.
  std::vector<int> chosen(searched.numbers().ops.size(), -1);
  char reason[NPU_PLUGIN_TEXT] = {};
  std::string what = std::string("strategy '") + strategy.name + "'";
  int32_t status = kernels::callPlugin(plugin, what.c_str(), [&] {
    return strategy.choose(data.get(), chosen.data(), reason);
  });
  auto refuse = [&](const Twine &what) {
    return problem.function->emitError()
           << blame(plugin,
                    "strategy '" + nameIn(plugin, strategy.name) + "' " + what);
  };
  if (status != 0)
    return refuse("cannot decide: " + shownReason(reason));
  std::optional<size_t> wrong = firstWrong(searched.numbers(), chosen);
  if (!wrong)
    return chosen;
  return refuse("chose way " + Twine(chosen[*wrong]) + " of op " +
                Twine(*wrong) + " (" + data.nodeOf(*wrong) + ", " +
                data.nameOf(*wrong) + "), which has ways 0 to " +
                Twine(searched.numbers().ops[*wrong].ways.size() - 1));
}

std::vector<Strategy> npu::strategiesIn(const plugin::Plugin &plugin) {
  std::vector<Strategy> rows;
  for (const npuc_strategy *row : strategiesOf(plugin)) {
    auto decide = [&plugin, row](const LayoutProblem &problem,
                                 LayoutPlan &plan) {
      return decideByNumbers(
          problem, strategies(),
          [&](const SearchProblem &searched) {
            return choose(plugin, *row, problem, searched);
          },
          plan);
    };
    rows.push_back({nameIn(plugin, row->name), row->summary, decide,
                    /*folds=*/false, /*searches=*/true});
  }
  return rows;
}
