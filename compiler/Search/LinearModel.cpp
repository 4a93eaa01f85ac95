// SPDX-License-Identifier: Apache-2.0
#include "compiler/Search/LinearModel.h"

#include <cmath>
#include <map>
#include <numeric>
#include <set>

namespace npu::search {

namespace {

bool reads(const Op &op, const Way &way, int value, int layout) {
  for (size_t k = 0; k < op.operands.size(); ++k)
    if (op.operands[k] == value && way.layouts[k] == layout)
      return true;
  return false;
}

/// More sets of layouts of one value than this are not listed.
constexpr size_t mostSets = 64;

} // namespace

void LinearModel::findUses(const Problem &problem) {
  uses.resize(problem.values.size());
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
  }
}

LinearModel::LinearModel(const Problem &problem, const RelayoutTrees &trees) {
  findUses(problem);
  for (const Op &op : problem.ops) {
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
  firstBundle = columns();
  std::vector<Valued> values;
  for (size_t v = 0; v < problem.values.size(); ++v) {
    values.push_back(describe(problem, static_cast<int>(v)));
    if (!trees.shares(static_cast<int>(v)))
      continue;
    std::vector<LayoutSet> sets = neededSets(problem, static_cast<int>(v));
    values.back().bundled = sets.size() <= mostSets;
    if (values.back().bundled)
      addBundles(trees, sets, values.back());
    else
      listed = false;
  }
  firstCopy = columns();
  for (const Valued &valued : values)
    for (int layout = 0; layout < problem.values[valued.value].layouts;
         ++layout)
      addCopies(problem, trees, valued, layout);
  if (!listed)
    return;
  Cost common = 0;
  for (Cost cost : costs)
    common = std::gcd(common, cost);
  unit = std::max<Cost>(common, 1);
}

LinearModel::Valued LinearModel::describe(const Problem &problem,
                                          int value) const {
  const Use &use = uses[value];
  const Op &producer = problem.ops[use.producer];
  Valued valued;
  valued.value = value;
  valued.storing.resize(problem.values[value].layouts);
  for (size_t way = 0; way < producer.ways.size(); ++way)
    valued
        .storing[producer.ways[way]
                     .layouts[producer.operands.size() + use.result]]
        .push_back(firstWay[use.producer] + static_cast<int>(way));
  return valued;
}

/// All subsets of what the readers may need at once; too many: some of them.
std::vector<LayoutSet> LinearModel::neededSets(const Problem &problem,
                                               int value) const {
  std::set<LayoutSet> sets = {0};
  for (int reader : uses[value].readers) {
    const Op &op = problem.ops[reader];
    std::set<LayoutSet> larger = sets;
    for (const Way &way : op.ways) {
      LayoutSet needs = 0;
      for (size_t k = 0; k < op.operands.size(); ++k)
        if (op.operands[k] == value && way.layouts[k] != asStored)
          needs |= setOf(way.layouts[k]);
      for (LayoutSet part = needs; part != 0; part = (part - 1) & needs)
        for (LayoutSet set : sets)
          larger.insert(set | part);
      if (larger.size() > mostSets)
        return {larger.begin(), larger.end()};
    }
    sets = std::move(larger);
  }
  return {sets.begin(), sets.end()};
}

/// A bundle for each set whose tree is cheaper than trees to parts of it.
void LinearModel::addBundles(const RelayoutTrees &trees,
                             const std::vector<LayoutSet> &sets,
                             Valued &valued) {
  for (int stored = 0; stored < static_cast<int>(valued.storing.size());
       ++stored)
    for (LayoutSet set : sets) {
      if (valued.storing[stored].empty() || (set & setOf(stored)) ||
          (set & (set - 1)) == 0)
        continue;
      Cost whole = trees.cost(valued.value, stored, set), parts = INT64_MAX;
      for (LayoutSet part = (set - 1) & set; part != 0; part = (part - 1) & set)
        parts =
            std::min(parts, trees.cost(valued.value, stored, part) +
                                trees.cost(valued.value, stored, set ^ part));
      if (whole >= parts)
        continue;
      valued.bundles.push_back({stored, set, columns()});
      costs.push_back(whole);
    }
}

/// The layout comes in one bundle at most, and that from where the value is.
/// A producer without a choice needs no such row.
void LinearModel::limitBundles(const Valued &valued, int layout) {
  if (firstWay[uses[valued.value].producer] < 0)
    return;
  std::map<int, Row> limits;
  for (const Bundle &bundle : valued.bundles)
    if (bundle.copies & setOf(layout))
      limits[bundle.stored].minus.push_back(bundle.column);
  for (auto &[stored, row] : limits) {
    row.plus = valued.storing[stored];
    rows.push_back(std::move(row));
  }
}

/// A row for each reader that may read the layout; who supplies it is open.
std::vector<LinearModel::Row>
LinearModel::demandsFor(const Problem &problem, int value, int layout) const {
  std::vector<Row> demands;
  for (int reader : uses[value].readers) {
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
  return demands;
}

/// No relayout to the layout costs less.
static Cost nearestOf(const Value &value, int layout) {
  Cost nearest = INT64_MAX;
  for (int from = 0; from < value.layouts; ++from)
    if (from != layout)
      nearest = std::min(nearest, value.move[from * value.layouts + layout]);
  return nearest;
}

void LinearModel::addCopies(const Problem &problem, const RelayoutTrees &trees,
                            const Valued &valued, int layout) {
  const int value = valued.value;
  const bool underpriced = trees.shares(value) && !valued.bundled;
  // The producer's ways by what a copy then costs.
  std::map<Cost, std::vector<int>> from;
  for (int stored = 0; stored < static_cast<int>(valued.storing.size());
       ++stored) {
    const std::vector<int> &ways = valued.storing[stored];
    if (ways.empty())
      continue;
    Cost cost = stored == layout ? 0
                : underpriced    ? nearestOf(problem.values[value], layout)
                                 : trees.cost(value, stored, setOf(layout));
    from[cost].insert(from[cost].end(), ways.begin(), ways.end());
  }
  std::vector<Row> demands = demandsFor(problem, value, layout);
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
  for (const Bundle &bundle : valued.bundles)
    if (bundle.copies & setOf(layout))
      for (Row &row : demands)
        row.plus.push_back(bundle.column);
  for (Row &row : demands)
    rows.push_back(std::move(row));
  limitBundles(valued, layout);
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
  result.bound = model.constant + roundUp(best, denominator, model.unit);
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
          model.constant + roundUp(best + bestReduced[first + way] - least,
                                   denominator, model.unit);
  }
  return result;
}

} // namespace npu::search
