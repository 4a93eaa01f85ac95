// SPDX-License-Identifier: Apache-2.0
#include "test/compiler/Layout/LayoutProperties.h"

#include "compiler/Fusion/Passes.h"
#include "compiler/Layout/Apply/CheckElements.h"
#include "compiler/Layout/Apply/FoldLayout.h"
#include "compiler/Layout/Apply/VerifyLayout.h"
#include "compiler/Layout/Explain/RelayoutReport.h"
#include "compiler/Layout/LayoutStage.h"
#include "compiler/Layout/Problem/Boundary.h"
#include "compiler/Layout/Problem/LayoutPlan.h"
#include "compiler/Layout/Problem/LayoutProblem.h"
#include "compiler/Layout/Strategies/SearchProblem.h"
#include "test/compiler/Layout/Placeable.h"
#include "test/compiler/Layout/RandomPlan.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include <set>

using namespace npu;
using test::Coverage;
using test::Finding;

Coverage &Coverage::operator+=(const Coverage &other) {
  cases += other.cases;
  ops += other.ops;
  plans += other.plans;
  infeasible += other.infeasible;
  searches += other.searches;
  proved += other.proved;
  bruteForced += other.bruteForced;
  randomPlans += other.randomPlans;
  cheaperRandomPlans += other.cheaperRandomPlans;
  runs += other.runs;
  onProcessor += other.onProcessor;
  return *this;
}

static std::string textOf(Operation *op) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  op->print(stream);
  return text;
}

static mlir::func::FuncOp mainOf(mlir::ModuleOp module) {
  return *module.getOps<mlir::func::FuncOp>().begin();
}

namespace {

/// A function after the layout stage.
struct Finished {
  std::string name; // "optimal (bytes)"
  mlir::OwningOpRef<mlir::func::FuncOp> function;
  LayoutCost cost;
  std::optional<SearchOutcome> search;
  Objective objective = Objective::Time;
};

class Checker {
public:
  Checker(MLIRContext &context, const test::LayoutCase &problem,
          const test::CheckOptions &options, Coverage &coverage)
      : context(context), problem(problem), options(options),
        random(static_cast<unsigned>(options.seed)), coverage(coverage) {}

  std::optional<Finding> run() {
    if (prepare() && runStrategies() && compareCosts() && reportedCosts() &&
        bruteForce() && bruteForceResidencies())
      randomPlans();
    return std::move(finding);
  }

private:
  bool fail(StringRef property, const Twine &detail) {
    finding = {property.str(), detail.str()};
    return false;
  }

  bool prepare();
  Objective drawObjective();
  bool runStrategies();
  bool runStrategy(const Strategy &strategy, Objective objective);
  bool mayRefuse(const Strategy &strategy, const std::string &name,
                 const std::string &why);
  bool checkFinished(const std::string &name, mlir::func::FuncOp function,
                     const std::string &text);
  bool checkFunction(const std::string &name, mlir::func::FuncOp function,
                     const std::string &text, const LayoutCost &cost);
  bool checkBoundary(const std::string &name, mlir::func::FuncOp function);
  bool checkReport(const std::string &name, mlir::func::FuncOp function,
                   const LayoutCost &cost);
  bool checkFolding(const std::string &name, mlir::func::FuncOp function,
                    const std::string &text, const LayoutCost &cost);
  bool checkSearch(const Finished &finished);
  bool compareCosts();
  bool reportedCosts();
  bool bruteForce();
  bool bruteForceResidencies();
  bool randomPlans();
  bool judgeRandomPlan(const LayoutProblem &bound, LayoutPlan plan);
  const Finished *provedYetDearer(const LayoutCost &cost) const;

  LayoutCost costOfFinished(mlir::func::FuncOp function,
                            Objective objective = Objective::Time) {
    ImageAxesAnalysis axes(function);
    LayoutProblem problem(function, *target, axes);
    problem.objective = objective;
    return costOf(problem).cost;
  }
  LayoutOptions optionsFor(StringRef strategy, Objective objective) {
    LayoutOptions options;
    options.strategy = strategy.str();
    options.io = io;
    options.objective = objective;
    // One graph of 400 would take the usual ten seconds for each objective, and
    // be open all the same.
    options.searchSeconds = 1;
    return options;
  }
  mlir::func::FuncOp source() { return mainOf(*module); }

  MLIRContext &context;
  const test::LayoutCase &problem;
  const test::CheckOptions options;
  std::mt19937 random;
  Coverage &coverage;
  std::optional<Finding> finding;
  Objective drawn = Objective::Time;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::optional<TargetSpec> target;
  IoLayouts io;
  std::vector<Finished> finished;
  std::vector<std::string> refused;
  /// Functions that hold what has to hold: strategies often agree.
  std::set<std::string> good;
};

/// The last one of chips that say their energy.
constexpr Objective objectives[] = {Objective::Count, Objective::Bytes,
                                    Objective::Time, Objective::Energy};

} // namespace

bool Checker::prepare() {
  QuietDiagnostics quiet(&context);
  module = mlir::parseSourceString<mlir::ModuleOp>(problem.graph, &context);
  if (!module)
    return fail("bad-graph", quiet.first());
  std::string again = textOf(*module);
  if (StringRef(again).trim() != StringRef(problem.graph).trim())
    return fail("parse-print", "the printed graph reads as\n" + again);
  std::string error;
  target = test::targetOf(problem, error);
  std::optional<IoLayouts> parsed = IoLayouts::parse(problem.io, error);
  if (!target || !parsed)
    return fail("bad-options", error);
  io = *parsed;
  FailureOr<int64_t> placed = placeOps(source(), *target);
  if (failed(placed))
    return fail("placement", quiet.first());
  if (failed(readyBoundary(source(), *target, io)))
    return fail("bad-options", quiet.first());
  coverage.onProcessor += *placed;
  ++coverage.cases;
  for (Operation &op : source().getBody().front())
    coverage.ops += isa<LayoutOpInterface>(op);
  return true;
}

Objective Checker::drawObjective() {
  return objectives[random() % (target->saysEnergy() ? 4 : 3)];
}

bool Checker::runStrategies() {
  drawn = options.thorough ? Objective::Time : drawObjective();
  for (const Strategy &strategy : strategies()) {
    size_t before = finished.size();
    if (!runStrategy(strategy, drawn))
      return false;
    bool searches = finished.size() > before && finished.back().search;
    for (Objective objective : objectives)
      if (options.thorough && searches && objective != drawn &&
          (objective != Objective::Energy || target->saysEnergy()) &&
          !runStrategy(strategy, objective))
        return false;
  }
  return true;
}

bool Checker::runStrategy(const Strategy &strategy, Objective objective) {
  std::string name =
      (strategy.name + " (" + objectiveName(objective) + ")").str();
  LayoutOptions options = optionsFor(strategy.name, objective);
  std::string first;
  for (int time = 0; time < 2; ++time) {
    Finished made;
    made.name = name;
    made.objective = objective;
    made.function = source().clone();
    QuietDiagnostics quiet(&context);
    if (failed(
            runLayoutStage(*made.function, *target, options, &made.search))) {
      if (StringRef(quiet.first()).starts_with("--io-layout"))
        return fail("bad-options", quiet.first());
      return mayRefuse(strategy, name, quiet.first());
    }
    std::string text = textOf(*made.function);
    // What a search has found when its time is up depends on the machine.
    bool isTimed = made.search && !made.search->settled;
    if (time == 1)
      return text == first || isTimed ||
             fail("two-runs-differ",
                  name + ": first\n" + first + "then\n" + text);
    first = text;
    made.cost = costOfFinished(*made.function, objective);
    ++coverage.plans;
    if (!checkSearch(made) || !checkFunction(name, *made.function, text,
                                             costOfFinished(*made.function)))
      return false;
    bool again = !isTimed && (this->options.thorough || random() % 3 == 0);
    finished.push_back(std::move(made));
    if (!again)
      return true;
  }
  return true;
}

/// Disagreeing ops are no reason: there is a relayout.
bool Checker::mayRefuse(const Strategy &strategy, const std::string &name,
                        const std::string &why) {
  if (!StringRef(why).contains("infeasible:"))
    return fail("stage-fails", name + ": " + why);
  ImageAxesAnalysis axes(source());
  if (test::mustSucceed(LayoutProblem(source(), *target, axes), strategy.name))
    return fail("refused", name + ": " + why);
  refused.push_back(name);
  ++coverage.infeasible;
  return true;
}

/// What holds of a function behind the stage, whatever made it.
bool Checker::checkFunction(const std::string &name,
                            mlir::func::FuncOp function,
                            const std::string &text, const LayoutCost &cost) {
  if (good.count(text))
    return true;
  if (!checkFinished(name, function, text) ||
      !checkReport(name, function, cost) ||
      !checkFolding(name, function, text, cost))
    return false;
  good.insert(text);
  return true;
}

/// The same without the report and folding.
bool Checker::checkFinished(const std::string &name,
                            mlir::func::FuncOp function,
                            const std::string &text) {
  QuietDiagnostics quiet(&context);
  if (failed(mlir::verify(function)))
    return fail("verifier", name + ": " + quiet.first());
  if (failed(checkLayouts(function, *target)))
    return fail("demands", name + ": " + quiet.first());
  if (failed(checkExactly(source(), function)))
    return fail("exact", name + ": " + quiet.first());
  auto again = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  if (!again)
    return fail("parse-print", name + ": " + quiet.first());
  // Inside a module it would be printed further to the right.
  mlir::OwningOpRef<mlir::func::FuncOp> alone = mainOf(*again).clone();
  if (textOf(*alone) != text)
    return fail("parse-print", name + " reads as another text:\n" + text);
  return checkBoundary(name, function);
}

bool Checker::checkBoundary(const std::string &name,
                            mlir::func::FuncOp function) {
  ImageAxesAnalysis axes(source());
  LayoutProblem bound(source(), *target, axes);
  if (failed(bindBoundary(bound, io)))
    return fail("bad-options", problem.io);
  auto holds = [&](Value value, LayoutAttr held) {
    return !held ||
           getLayout(value).isEquivalent(held, tensorType(value).getShape()) ||
           fail("boundary", name + ": stored as " +
                                getLayout(value).getLetters() + ", held to " +
                                held.getLetters());
  };
  for (auto [from, to] :
       llvm::zip(source().getArguments(), function.getArguments()))
    if (!holds(to, bound.inputs.lookup(from)))
      return false;
  Operation *end = function.getBody().front().getTerminator();
  for (auto [value, held] : llvm::zip(end->getOperands(), bound.outputs))
    if (!holds(value, held))
      return false;
  return true;
}

bool Checker::checkReport(const std::string &name, mlir::func::FuncOp function,
                          const LayoutCost &cost) {
  RelayoutReport report = reportLayouts(function, *target);
  if (report.count() != cost.count || report.bytes() != cost.bytes)
    return fail("report", name + ": reports " + Twine(report.count()) +
                              " relayouts of " + Twine(report.bytes()) +
                              " bytes, the cost function " + Twine(cost.count) +
                              " of " + Twine(cost.bytes));
  return true;
}

/// Folding keeps everything, never moves more bytes, and a second run does
/// nothing.
bool Checker::checkFolding(const std::string &name, mlir::func::FuncOp function,
                           const std::string &text, const LayoutCost &before) {
  mlir::OwningOpRef<mlir::func::FuncOp> folded = function.clone();
  foldLayouts(*folded, *target);
  LayoutCost after = costOfFinished(*folded);
  if (after.bytes > before.bytes)
    return fail("fold-adds-bytes", name + ": from " + Twine(before.bytes) +
                                       " to " + Twine(after.bytes) +
                                       " bytes:\n" + textOf(*folded));
  std::string once = textOf(*folded);
  if (once == text || good.count(once))
    return true; // a run on what a run left behind, or known
  if (!checkFinished(name + ", folded", *folded, once))
    return false;
  foldLayouts(*folded, *target);
  return textOf(*folded) == once ||
         fail("fold-twice",
              name + ": first\n" + once + "then\n" + textOf(*folded));
}

bool Checker::checkSearch(const Finished &made) {
  if (!made.search)
    return true;
  const SearchOutcome &search = *made.search;
  ++coverage.searches;
  coverage.proved += search.proved;
  int64_t cost = made.cost.of(made.objective);
  if (search.cost != cost)
    return fail("search-reports-another-cost",
                made.name + ": reports " + Twine(search.cost) +
                    ", the finished function costs " + Twine(cost) + ":\n" +
                    textOf(*made.function));
  bool isLeast = search.cost == search.lowerBound && search.capped == 0;
  if (search.lowerBound > search.cost || search.proved != isLeast)
    return fail("search-bound", made.name + ": cost " + Twine(search.cost) +
                                    ", lower bound " +
                                    Twine(search.lowerBound) +
                                    (search.proved ? ", proved" : ""));
  return true;
}

/// No plan is cheaper than that of a strategy that searches; where such a
/// strategy finds none, nobody does. A search that ran out of time (which hangs
/// on how busy the machine is) has seen what strategies that do not search
/// plan.
bool Checker::compareCosts() {
  for (const Finished &best : finished)
    for (const Finished &other : finished)
      if (best.search && (best.search->proved || !other.search) &&
          other.cost.of(best.objective) < best.cost.of(best.objective))
        return fail(
            "search-costs-more",
            best.name + " costs " + Twine(best.cost.of(best.objective)) + ", " +
                other.name + " " + Twine(other.cost.of(best.objective)) +
                ":\n" + textOf(*best.function) + textOf(*other.function));
  bool searchRefuses = llvm::any_of(
      refused, [](StringRef name) { return name.starts_with("optimal"); });
  if (searchRefuses && !finished.empty())
    return fail("search-finds-no-plan",
                "optimal is infeasible, " + finished.front().name + " is not");
  return true;
}

/// --explain-layout and the report say of the others what they do by
/// themselves. A search that leaves some candidates out may leave out others
/// where it knows the other strategies' plans.
bool Checker::reportedCosts() {
  if (random() % 4)
    return true;
  QuietDiagnostics quiet(&context);
  auto results =
      compareStrategies(source(), *target, optionsFor("none", drawn));
  if (failed(results))
    return fail("comparison", quiet.first());
  // What a search has found when its time is up depends on the machine, and on
  // what else it does: a proved cost is not undercut, that is all.
  auto differs = [&](const StrategyResult &result, const Finished &alone) {
    if (alone.search)
      return alone.search->proved &&
             (!result.feasible || result.cost.of(drawn) < alone.cost.of(drawn));
    return !result.feasible ||
           result.cost.kernels.cycles != alone.cost.kernels.cycles ||
           result.cost.bytes != alone.cost.bytes;
  };
  for (const StrategyResult &result : *results)
    for (const Finished &alone : finished)
      if (alone.objective == drawn &&
          StringRef(alone.name).starts_with((result.name + " (").str()) &&
          differs(result, alone))
        return fail("comparison", alone.name + ": alone " +
                                      Twine(alone.cost.kernels.cycles) +
                                      " cycles, beside the others " +
                                      Twine(result.cost.kernels.cycles) + " " +
                                      result.whyNot);
  return true;
}

/// The search against every choice of ways, where there are few.
bool Checker::bruteForce() {
  ImageAxesAnalysis axes(source());
  LayoutProblem bound(source(), *target, axes);
  bound.objective = drawObjective();
  if (failed(bindBoundary(bound, io)))
    return fail("bad-options", problem.io);
  Candidates candidates(bound, {}, Groups::MaySplit);
  OpWays known(bound, candidates);
  SearchPrices prices;
  SearchProblem searched(ResidentProblem::withMost(bound), known, prices);
  const search::Problem &numbers = searched.numbers();
  if (std::string wrong = search::check(numbers); !wrong.empty())
    return fail("search-problem", wrong);
  double choices = 1;
  for (const search::Op &op : numbers.ops)
    choices *= static_cast<double>(op.ways.size());
  if (choices > 3000)
    return true;
  std::vector<int> ways(numbers.ops.size(), 0);
  search::Cost least = searched.cost(ways);
  for (size_t at = 0; at < ways.size();) {
    if (++ways[at] == static_cast<int>(numbers.ops[at].ways.size())) {
      ways[at++] = 0;
      continue;
    }
    at = 0;
    least = std::min(least, searched.cost(ways));
  }
  search::Solution solution = search::solve(numbers);
  ++coverage.bruteForced;
  if (!solution.proved || solution.cost != least)
    return fail("brute-force", "the search finds " + Twine(solution.cost) +
                                   (solution.proved ? ", proved, " : ", ") +
                                   "the best of all choices is " +
                                   Twine(least));
  return true;
}

/// What the cheapest choice of ways costs in the objective's unit, of all that
/// can be executed.
static std::optional<int64_t> leastOfAll(const SearchProblem &searched) {
  const search::Problem &numbers = searched.numbers();
  std::optional<search::Cost> least;
  std::vector<int> ways(numbers.ops.size(), 0);
  for (size_t at = 0; at < ways.size();) {
    if (at == 0) {
      search::Cost cost = searched.cost(ways);
      if (!searched.isBeyond(cost) && (!least || cost < *least))
        least = cost;
    }
    if (++ways[at] == static_cast<int>(numbers.ops[at].ways.size())) {
      ways[at++] = 0;
      continue;
    }
    at = 0;
  }
  return least ? std::optional(searched.primary(*least)) : std::nullopt;
}

/// The search against every choice of ways with every choice of what stays on
/// the chip, where there are few.
bool Checker::bruteForceResidencies() {
  ImageAxesAnalysis axes(source());
  LayoutProblem bound(source(), *target, axes);
  if (failed(bindBoundary(bound, io)))
    return fail("bad-options", problem.io);
  ArrayRef<OnChipValues> choices = bound.residencies();
  Candidates candidates(bound, {}, Groups::MaySplit);
  OpWays known(bound, candidates);
  SearchPrices prices;
  std::optional<int64_t> least;
  for (const OnChipValues &values : choices) {
    SearchProblem searched({bound, values}, known, prices);
    double all = static_cast<double>(choices.size());
    for (const search::Op &op : searched.numbers().ops)
      all *= static_cast<double>(op.ways.size());
    if (all > 20000)
      return true;
    if (auto one = leastOfAll(searched); one && (!least || *one < *least))
      least = one;
  }
  LayoutPlan plan;
  if (failed(decideOptimal(bound, {}, plan)))
    return fail("brute-force", "no plan");
  ++coverage.bruteForced;
  // Of an op with more ways than the search looks at, nothing is proved.
  bool isProved = plan.search->proved || plan.search->capped > 0;
  if (!isProved || !least || plan.search->cost != *least)
    return fail("brute-force-residencies",
                "the search finds " + Twine(plan.search->cost) +
                    (plan.search->proved ? ", proved" : "") + " (bound " +
                    Twine(plan.search->lowerBound) + ", capped " +
                    Twine(plan.search->capped) +
                    "); the best with any values on the chip is " +
                    Twine(least.value_or(-1)));
  return true;
}

/// What a search has proved to be the least, and is not. `proved` is said of
/// the candidates; a random order may be none of them.
const Finished *Checker::provedYetDearer(const LayoutCost &cost) const {
  for (Objective objective : objectives)
    for (const Finished &best : finished)
      if (best.objective == objective && best.search && best.search->proved &&
          cost.of(objective) < best.cost.of(objective))
        return &best;
  return nullptr;
}

/// Plans drawn at random: exact after applying and folding; where they are
/// feasible, so is the search.
bool Checker::randomPlans() {
  for (int number = 0; number < 4; ++number) {
    mlir::OwningOpRef<mlir::func::FuncOp> copy = source().clone();
    ImageAxesAnalysis axes(*copy);
    LayoutProblem bound(*copy, *target, axes);
    if (failed(bindBoundary(bound, io)))
      return fail("bad-options", problem.io);
    std::optional<LayoutPlan> plan = test::randomPlan(bound, random);
    if (plan && !judgeRandomPlan(bound, std::move(*plan)))
      return false;
  }
  return true;
}

bool Checker::judgeRandomPlan(const LayoutProblem &bound, LayoutPlan plan) {
  mlir::func::FuncOp function = bound.function;
  Strategy strategy{"random plan", "", nullptr, /*folds=*/false};
  {
    QuietDiagnostics quiet(&context);
    if (failed(finishLayouts(bound, strategy, plan)))
      return StringRef(quiet.first()).contains("infeasible:") ||
             fail("stage-fails", "random plan: " + quiet.first());
  }
  ++coverage.randomPlans;
  LayoutCost cost = costOfFinished(function);
  if (!checkFunction("random plan", function, textOf(function), cost))
    return false;
  if (const Finished *dearer = provedYetDearer(cost)) {
    ++coverage.cheaperRandomPlans;
    if (options.cheaperFails)
      return fail(
          ("random-plan-has-less-" + objectiveName(dearer->objective)).str(),
          dearer->name + " is proved, and costs " +
              Twine(dearer->cost.of(dearer->objective)) + ", a random plan " +
              Twine(cost.of(dearer->objective)) + ":\n" +
              textOf(*dearer->function) + textOf(function));
  }
  if (!refused.empty() && finished.empty())
    return fail("search-finds-no-plan",
                "optimal is infeasible, a random plan is not:\n" +
                    textOf(function));
  return true;
}

std::optional<Finding> test::checkLayoutCase(MLIRContext &context,
                                             const LayoutCase &problem,
                                             const CheckOptions &options,
                                             Coverage &coverage) {
  return Checker(context, problem, options, coverage).run();
}
