// SPDX-License-Identifier: Apache-2.0
#include "compiler/Search/Highs.h"

#include <interfaces/highs_c_api.h>

#include <cmath>
#include <memory>

namespace npu::search {

namespace {

struct Destroy {
  void operator()(void *highs) const { Highs_destroy(highs); }
};
using Handle = std::unique_ptr<void, Destroy>;

/// The model in the solver's own arrays.
struct Arrays {
  std::vector<double> cost, lower, upper, rowLower, rowUpper, factors;
  std::vector<HighsInt> starts, columns, integer;
  double scale = 1;

  explicit Arrays(const LinearModel &model)
      : lower(model.columns(), 0), upper(model.columns(), 1) {
    // Costs of a size for which the solver's absolute tolerances are made.
    std::vector<Cost> sorted = model.costs;
    std::sort(sorted.begin(), sorted.end());
    Cost middle = sorted.empty() ? 0 : sorted[sorted.size() / 2];
    while (scale * 64 < static_cast<double>(middle))
      scale *= 2;
    for (Cost value : model.costs)
      cost.push_back(static_cast<double>(value) / scale);
    for (int c = 0; c < model.columns(); ++c)
      integer.push_back(c < model.wayColumns() ? kHighsVarTypeInteger
                                               : kHighsVarTypeContinuous);
    for (size_t r = 0; r < model.rows.size(); ++r) {
      const LinearModel::Row &row = model.rows[r];
      starts.push_back(static_cast<HighsInt>(columns.size()));
      columns.insert(columns.end(), row.plus.begin(), row.plus.end());
      columns.insert(columns.end(), row.minus.begin(), row.minus.end());
      factors.resize(factors.size() + row.plus.size(), 1);
      factors.resize(factors.size() + row.minus.size(), -1);
      rowLower.push_back(row.least);
      rowUpper.push_back(static_cast<int>(r) < model.choices ? 1 : INFINITY);
    }
  }
};

Handle create(double seconds) {
  Handle highs(Highs_create());
  Highs_setBoolOptionValue(highs.get(), "output_flag", 0);
  Highs_setDoubleOptionValue(highs.get(), "time_limit", std::max(0.0, seconds));
  // One thread, so that the answer is the same every time.
  Highs_setIntOptionValue(highs.get(), "threads", 1);
  Highs_setStringOptionValue(highs.get(), "parallel", "off");
  return highs;
}

bool pass(void *highs, const LinearModel &model, Arrays &arrays, bool integer) {
  return Highs_passModel(
             highs, model.columns(), static_cast<HighsInt>(model.rows.size()),
             static_cast<HighsInt>(arrays.columns.size()), 0,
             kHighsMatrixFormatRowwise, kHighsHessianFormatTriangular,
             kHighsObjSenseMinimize, 0, arrays.cost.data(), arrays.lower.data(),
             arrays.upper.data(), arrays.rowLower.data(),
             arrays.rowUpper.data(), arrays.starts.data(),
             arrays.columns.data(), arrays.factors.data(), nullptr, nullptr,
             nullptr,
             integer ? arrays.integer.data() : nullptr) != kHighsStatusError;
}

bool hasSolution(void *highs) {
  HighsInt status = 0;
  Highs_getIntInfoValue(highs, "primal_solution_status", &status);
  return status == kHighsSolutionStatusFeasible;
}

} // namespace

LinearSolution solveRelaxation(const LinearModel &model, double seconds) {
  Arrays arrays(model);
  Handle highs = create(seconds);
  // Without presolve the dual simplex is twice as fast here, and what it knows
  // when time runs out is a bound.
  Highs_setStringOptionValue(highs.get(), "presolve", "off");
  Highs_setStringOptionValue(highs.get(), "solver", "simplex");
  LinearSolution solution;
  if (!pass(highs.get(), model, arrays, false) ||
      Highs_run(highs.get()) == kHighsStatusError)
    return solution;
  solution.values.resize(model.columns(), 0);
  solution.duals.resize(model.rows.size(), 0);
  std::vector<double> columnDuals(model.columns()), rows(model.rows.size());
  Highs_getSolution(highs.get(), solution.values.data(), columnDuals.data(),
                    rows.data(), solution.duals.data());
  for (double &dual : solution.duals)
    dual *= arrays.scale;
  return solution;
}

LinearSolution solveInteger(const LinearModel &model, double seconds,
                            const std::vector<int> &ways) {
  Arrays arrays(model);
  Handle highs = create(seconds);
  LinearSolution solution;
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
  if (Highs_run(highs.get()) == kHighsStatusError || !hasSolution(highs.get()))
    return solution;
  solution.values.resize(model.columns(), 0);
  std::vector<double> rows(model.rows.size());
  Highs_getSolution(highs.get(), solution.values.data(), nullptr, rows.data(),
                    nullptr);
  return solution;
}

} // namespace npu::search
