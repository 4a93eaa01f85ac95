// SPDX-License-Identifier: Apache-2.0
#include "compiler/Search/LinearModel.h"

#include <cmath>
#include <map>
#include <numeric>

namespace npu::search {

namespace {

bool reads(const Op &op, const Way &way, int value, int layout) {
  for (size_t k = 0; k < op.operands.size(); ++k)
    if (op.operands[k] == value && way.layouts[k] == layout)
      return true;
  return false;
}

} // namespace

LinearModel::LinearModel(const Problem &problem) : uses(problem.values.size()) {
  for (size_t i = 0; i < problem.ops.size(); ++i) {
    const Op &op = problem.ops[i];
    for (size_t k = 0; k < op.results.size(); ++k) {
      uses[op.results[k]].producer = static_cast<int>(i);
      uses[op.results[k]].result = static_cast<int>(k);
    }
    for (int value : op.operands)
      if (uses[value].readers.empty() ||
          uses[value].readers.back() != static_cast<int>(i))
        uses[value].readers.push_back(static_cast<int>(i));
    bool choice = op.ways.size() > 1;
    firstWay.push_back(choice ? columns() : -1);
    if (!choice) {
      constant += op.ways.front().cost;
      continue;
    }
    Row one;
    one.least = 1;
    for (const Way &way : op.ways) {
      one.plus.push_back(columns());
      costs.push_back(way.cost);
    }
    rows.push_back(std::move(one));
  }
  choices = static_cast<int>(rows.size());
  firstCopy = columns();
  for (size_t value = 0; value < problem.values.size(); ++value)
    for (int layout = 0; layout < problem.values[value].layouts; ++layout)
      addCopies(problem, static_cast<int>(value), layout);
}

void LinearModel::addCopies(const Problem &problem, int value, int layout) {
  const Use &use = uses[value];
  const Value &moved = problem.values[value];
  const Op &producer = problem.ops[use.producer];
  int first = firstWay[use.producer];
  // The producer's ways by what a copy then costs.
  std::map<Cost, std::vector<int>> from;
  for (size_t way = 0; way < producer.ways.size(); ++way) {
    int stored =
        producer.ways[way].layouts[producer.operands.size() + use.result];
    from[moved.move[stored * moved.layouts + layout]].push_back(
        first + static_cast<int>(way));
  }
  std::vector<Row> demands;
  for (int reader : use.readers) {
    const Op &op = problem.ops[reader];
    Row row;
    for (size_t way = 0; way < op.ways.size(); ++way)
      if (reads(op, op.ways[way], value, layout))
        row.minus.push_back(firstWay[reader] + static_cast<int>(way));
    if (row.minus.empty())
      continue;
    if (row.minus.size() == op.ways.size()) {
      row.minus.clear();
      row.least = 1;
    }
    demands.push_back(std::move(row));
  }
  if (demands.empty() || from.rbegin()->first == 0)
    return;
  for (auto &[cost, ways] : from) {
    std::vector<int> supply = ways;
    if (cost > 0) {
      int copy = columns();
      costs.push_back(cost);
      // The dearest needs no row: what the cheaper ones may not do, it does.
      if (cost != from.rbegin()->first)
        rows.push_back({0, ways, {copy}});
      supply = {copy};
    }
    for (Row &row : demands)
      row.plus.insert(row.plus.end(), supply.begin(), supply.end());
  }
  for (Row &row : demands)
    rows.push_back(std::move(row));
}

std::vector<int> LinearModel::round(const Problem &problem,
                                    const std::vector<double> &values) const {
  std::vector<int> ways(problem.ops.size(), 0);
  for (size_t i = 0; i < ways.size(); ++i) {
    if (firstWay[i] < 0)
      continue;
    auto first = values.begin() + firstWay[i];
    ways[i] = static_cast<int>(
        std::max_element(first, first + problem.ops[i].ways.size()) - first);
  }
  return ways;
}

namespace {

using Wide = __int128;

/// Every cost of a choice is a multiple of this.
Cost unitOf(const LinearModel &model) {
  Cost unit = 0;
  for (Cost cost : model.costs)
    unit = std::gcd(unit, cost);
  return std::max<Cost>(unit, 1);
}

/// The bound of duals that are multiples of 1/denominator, and the reduced
/// costs of the columns, both times the denominator.
Wide boundOf(const Problem &problem, const LinearModel &model,
             const std::vector<double> &duals, int64_t denominator,
             std::vector<Wide> &reduced) {
  Wide bound = 0;
  reduced.clear();
  for (Cost cost : model.costs)
    reduced.push_back(Wide(cost) * denominator);
  for (size_t r = model.choices; r < model.rows.size(); ++r) {
    // A dual of the wrong sign proves nothing; nor does one that is not a
    // number or too large for one.
    double scaled = duals[r] * static_cast<double>(denominator);
    if (!(scaled > 0) || scaled > 1e30)
      continue;
    Wide dual = static_cast<Wide>(std::round(scaled));
    const LinearModel::Row &row = model.rows[r];
    bound += dual * row.least;
    for (int column : row.plus)
      reduced[column] -= dual;
    for (int column : row.minus)
      reduced[column] += dual;
  }
  for (size_t i = 0; i < problem.ops.size(); ++i)
    if (int first = model.firstWay[i]; first >= 0)
      bound += *std::min_element(reduced.begin() + first,
                                 reduced.begin() + first +
                                     problem.ops[i].ways.size());
  for (size_t c = model.wayColumns(); c < reduced.size(); ++c)
    bound += std::min<Wide>(reduced[c], 0);
  return bound;
}

/// The least multiple of `unit` that is not below value / denominator, nor 0.
Cost roundUp(Wide value, int64_t denominator, Cost unit) {
  if (value <= 0)
    return 0;
  Wide step = Wide(denominator) * unit;
  Wide steps = value / step;
  if (value % step != 0)
    ++steps;
  return static_cast<Cost>(steps * unit);
}

} // namespace

DualBound proveBound(const Problem &problem, const LinearModel &model,
                     const std::vector<double> &duals) {
  // Duals of vertices are fractions with small denominators; which, is tried.
  Cost unit = unitOf(model);
  Wide best = 0;
  int64_t denominator = 1;
  std::vector<Wide> reduced, bestReduced;
  for (int64_t candidate : {int64_t(1), int64_t(12), int64_t(1) << 20}) {
    Wide bound = boundOf(problem, model, duals, candidate, reduced);
    if (bestReduced.empty() || bound * denominator > best * candidate) {
      best = bound;
      denominator = candidate;
      bestReduced = reduced;
    }
  }
  DualBound result;
  result.bound = model.constant + roundUp(best, denominator, unit);
  for (size_t i = 0; i < problem.ops.size(); ++i) {
    size_t ways = problem.ops[i].ways.size();
    result.withWay.emplace_back(ways, result.bound);
    int first = model.firstWay[i];
    if (first < 0)
      continue;
    Wide least = *std::min_element(bestReduced.begin() + first,
                                   bestReduced.begin() + first + ways);
    for (size_t way = 0; way < ways; ++way)
      result.withWay[i][way] =
          model.constant +
          roundUp(best + bestReduced[first + way] - least, denominator, unit);
  }
  return result;
}

} // namespace npu::search
