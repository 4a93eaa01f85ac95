// SPDX-License-Identifier: Apache-2.0
#include "compiler/Search/Highs.h"

#include <interfaces/highs_c_api.h>

#include <cmath>
#include <map>

namespace npu::search {

namespace {

struct Destroy {
  void operator()(void *highs) const { Highs_destroy(highs); }
};
using Handle = std::unique_ptr<void, Destroy>;

/// Rows in the solver's own arrays.
struct RowArrays {
  std::vector<double> lower, upper, factors;
  std::vector<HighsInt> starts, columns;

  RowArrays(const LinearModel &model, size_t first) {
    for (size_t r = first; r < model.rows.size(); ++r) {
      const LinearModel::Row &row = model.rows[r];
      std::map<int, int> sums;
      for (int column : row.plus)
        ++sums[column];
      for (int column : row.minus)
        --sums[column];
      starts.push_back(static_cast<HighsInt>(columns.size()));
      for (auto [column, factor] : sums) {
        columns.push_back(column);
        factors.push_back(factor);
      }
      lower.push_back(row.least);
      upper.push_back(static_cast<int>(r) < model.choices ? 1 : INFINITY);
    }
  }
  HighsInt count() const { return static_cast<HighsInt>(lower.size()); }
};

/// The model in the solver's own arrays.
struct Arrays {
  std::vector<double> cost, lower, upper;
  std::vector<HighsInt> integer;
  RowArrays rows;
  double scale = 1;

  explicit Arrays(const LinearModel &model)
      : lower(model.columns(), 0), upper(model.columns(), 1), rows(model, 0) {
    // Costs of a size for which the solver's absolute tolerances are made.
    std::vector<Cost> sorted = model.costs;
    std::sort(sorted.begin(), sorted.end());
    Cost middle = sorted.empty() ? 0 : sorted[sorted.size() / 2];
    while (scale * 64 < static_cast<double>(middle))
      scale *= 2;
    for (Cost value : model.costs)
      cost.push_back(static_cast<double>(value) / scale);
    for (int c = 0; c < model.columns(); ++c)
      integer.push_back(c < model.wholeColumns() ? kHighsVarTypeInteger
                                                 : kHighsVarTypeContinuous);
  }
};

Handle create() {
  Handle highs(Highs_create());
  Highs_setBoolOptionValue(highs.get(), "output_flag", 0);
  // One thread, so that the answer is the same every time.
  Highs_setIntOptionValue(highs.get(), "threads", 1);
  Highs_setStringOptionValue(highs.get(), "parallel", "off");
  return highs;
}

bool pass(void *highs, const LinearModel &model, const Arrays &arrays,
          bool integer) {
  const RowArrays &rows = arrays.rows;
  return Highs_passModel(
             highs, model.columns(), rows.count(),
             static_cast<HighsInt>(rows.columns.size()), 0,
             kHighsMatrixFormatRowwise, kHighsHessianFormatTriangular,
             kHighsObjSenseMinimize, 0, arrays.cost.data(), arrays.lower.data(),
             arrays.upper.data(), rows.lower.data(), rows.upper.data(),
             rows.starts.data(), rows.columns.data(), rows.factors.data(),
             nullptr, nullptr, nullptr,
             integer ? arrays.integer.data() : nullptr) != kHighsStatusError;
}

double entriesOf(const LinearModel &model) {
  double sum = 0;
  for (const LinearModel::Row &row : model.rows)
    sum += static_cast<double>(row.plus.size() + row.minus.size());
  return sum;
}

/// What one of the simplex method's iterations is counted as.
double stepsOf(const LinearModel &model) {
  return static_cast<double>(model.columns() + model.rows.size());
}

/// One run of the solver. It has limits of its own, but of time that passes, or
/// that say nothing of an integer programme's parts; it asks here instead.
struct Run {
  const Deadline &until;
  double iterationSteps;
  /// Between two questions it separates, probes or propagates, mostly without
  /// an iteration.
  double questionSteps = 0;
  double counted = 0; // of this run, for iterations

  Run(const LinearModel &model, const Deadline &until)
      : until(until), iterationSteps(stepsOf(model)) {}

  void count(double iterations) {
    const double steps = iterations * iterationSteps;
    until.count(questionSteps + std::max(0.0, steps - counted));
    counted = std::max(counted, steps);
  }

  static void ask(int type, const char * /*message*/,
                  const HighsCallbackDataOut *now, HighsCallbackDataIn *in,
                  void *run) {
    auto &self = *static_cast<Run *>(run);
    self.count(type == kHighsCallbackMipInterrupt
                   ? static_cast<double>(now->mip_total_lp_iterations)
                   : static_cast<double>(now->simplex_iteration_count));
    in->user_interrupt = self.until.over();
  }

  /// Whether it ended without an error.
  bool go(void *highs, int askedOf) {
    Highs_setCallback(highs, ask, this);
    Highs_startCallback(highs, askedOf);
    const HighsInt status = Highs_run(highs);
    Highs_stopCallback(highs, askedOf);
    return status != kHighsStatusError;
  }
};

bool hasSolution(void *highs) {
  HighsInt status = 0;
  Highs_getIntInfoValue(highs, "primal_solution_status", &status);
  return status == kHighsSolutionStatusFeasible;
}

} // namespace

struct Relaxation::State {
  Handle highs;
  double scale = 1;
  size_t rows = 0; // of the model, that the solver knows
};

Relaxation::Relaxation(const LinearModel &model)
    : model(model), state(std::make_unique<State>()) {
  Arrays arrays(model);
  state->scale = arrays.scale;
  state->rows = model.rows.size();
  state->highs = create();
  // Without presolve the dual simplex is twice as fast here, and what it knows
  // when time runs out is a bound.
  Highs_setStringOptionValue(state->highs.get(), "presolve", "off");
  Highs_setStringOptionValue(state->highs.get(), "solver", "simplex");
  if (!pass(state->highs.get(), model, arrays, false))
    state->highs.reset();
}

Relaxation::~Relaxation() = default;

bool Relaxation::addNewRows() {
  RowArrays rows(model, state->rows);
  state->rows = model.rows.size();
  return rows.count() == 0 ||
         Highs_addRows(state->highs.get(), rows.count(), rows.lower.data(),
                       rows.upper.data(),
                       static_cast<HighsInt>(rows.columns.size()),
                       rows.starts.data(), rows.columns.data(),
                       rows.factors.data()) != kHighsStatusError;
}

LinearSolution Relaxation::solve(const Deadline &until) {
  LinearSolution solution;
  if (!state->highs || !addNewRows())
    return solution;
  if (!Run(model, until).go(state->highs.get(), kHighsCallbackSimplexInterrupt))
    return solution;
  solution.values.resize(model.columns(), 0);
  solution.duals.resize(model.rows.size(), 0);
  std::vector<double> columnDuals(model.columns()), rows(model.rows.size());
  Highs_getSolution(state->highs.get(), solution.values.data(),
                    columnDuals.data(), rows.data(), solution.duals.data());
  for (double &dual : solution.duals)
    dual *= state->scale;
  return solution;
}

LinearSolution solveInteger(const LinearModel &model, const Deadline &until,
                            const std::vector<int> &ways) {
  LinearSolution solution;
  // What an integer programme begins with asks for nothing, and is counted
  // before. Only on a machine that is ten times as slow as others is the time
  // that passes its guard.
  constexpr double stepsToBegin = 1000, stepsOfQuestion = 500, patience = 6;
  const double entries = entriesOf(model), steps = stepsToBegin * entries;
  if (!until.allows(steps))
    return solution;
  Arrays arrays(model);
  Handle highs = create();
  Highs_setDoubleOptionValue(highs.get(), "time_limit",
                             patience * until.left() /
                                 Deadline::stepsPerSecond);
  until.count(steps);
  if (!pass(highs.get(), model, arrays, true))
    return solution;
  // A copy's part of the start is found by the solver.
  std::vector<HighsInt> columns;
  std::vector<double> values;
  for (size_t i = 0; i < ways.size(); ++i) {
    if (model.firstWay[i] < 0)
      continue;
    columns.push_back(model.firstWay[i] + ways[i]);
    values.push_back(1);
  }
  Highs_setDoubleOptionValue(highs.get(), "mip_rel_gap", 0);
  Highs_setSparseSolution(highs.get(), static_cast<HighsInt>(columns.size()),
                          columns.data(), values.data());
  Run run(model, until);
  run.questionSteps = stepsOfQuestion * entries;
  const bool isRun = run.go(highs.get(), kHighsCallbackMipInterrupt);
  solution.isCut =
      Highs_getModelStatus(highs.get()) == kHighsModelStatusTimeLimit;
  if (!isRun || !hasSolution(highs.get()))
    return solution;
  solution.values.resize(model.columns(), 0);
  std::vector<double> rows(model.rows.size());
  Highs_getSolution(highs.get(), solution.values.data(), nullptr, rows.data(),
                    nullptr);
  return solution;
}

} // namespace npu::search
