// SPDX-License-Identifier: Apache-2.0
#include "compiler/Search/OddCycles.h"

#include <map>
#include <queue>
#include <set>

namespace npu::search {

namespace {

using Row = LinearModel::Row;

/// Sums of values below this are none.
constexpr double tiny = 1e-6;
constexpr double leastViolation = 0.01;

/// A column's distance to the next integer.
double fraction(double value) { return std::min(value, 1 - value); }

/// A row as factors of columns, each named once.
std::map<int, int> factorsOf(const Row &row) {
  std::map<int, int> factors;
  for (int column : row.plus)
    ++factors[column];
  for (int column : row.minus)
    --factors[column];
  return factors;
}

/// Half the sum of rows, rounded up.
class Sum {
public:
  void add(const Row &row) {
    least += row.least;
    for (int column : row.plus)
      ++factors[column];
    for (int column : row.minus)
      --factors[column];
  }

  /// Makes all factors even by adding bounds, 0 or 1, that the values are near.
  /// Empty if then nothing can be rounded.
  Row half(const std::vector<double> &values) {
    Row row;
    for (auto &[column, factor] : factors) {
      bool upper = values[column] > 0.5;
      if (factor % 2 != 0) {
        factor += upper ? -1 : 1;
        least -= upper;
      }
      std::vector<int> &side = factor > 0 ? row.plus : row.minus;
      side.insert(side.end(), std::abs(factor) / 2, column);
    }
    if (least % 2 == 0)
      return {};
    row.least = (least + 1) / 2;
    return row;
  }

private:
  std::map<int, int> factors;
  int least = 0;
};

class Finder {
public:
  Finder(const LinearModel &model, const std::vector<double> &values)
      : model(model), values(values), edges(model.columns()),
        covered(model.columns(), 0) {
    for (size_t r = 0; r < model.rows.size(); ++r)
      addRow(static_cast<int>(r));
    distance.resize(2 * edges.size(), unreached);
    from.resize(2 * edges.size());
  }

  /// First what is near, which is quick; then, if that is little, all.
  std::vector<Row> run(const Deadline &deadline) {
    constexpr size_t near = 2000, far = 8000, little = 10;
    for (size_t reach : {near, far, distance.size()}) {
      std::fill(covered.begin(), covered.end(), 0);
      for (size_t start = 0; start < edges.size() && !deadline.over(); ++start)
        if (!edges[start].empty() && !covered[start])
          search(static_cast<int>(start), reach);
      if (found.size() >= little)
        break;
    }
    return std::move(found);
  }

private:
  struct Edge {
    int to = 0, row = 0;
    bool odd = false;
    double weight = 0;
  };
  static constexpr double unreached = 1e9, longest = 0.95;

  /// An edge for each two columns, all others brought to their bounds.
  void addRow(int index) {
    const Row &row = model.rows[index];
    double slack = -row.least, others = 0;
    bool odd = row.least % 2 != 0;
    std::vector<int> ends;
    for (auto [column, factor] : factorsOf(row)) {
      slack += factor * values[column];
      if (factor % 2 == 0)
        continue;
      odd ^= values[column] > 0.5;
      if (fraction(values[column]) > tiny) {
        ends.push_back(column);
        others += fraction(values[column]);
      }
    }
    slack = std::max(slack, 0.0) + others;
    for (size_t i = 0; i < ends.size(); ++i)
      for (size_t k = i + 1; k < ends.size(); ++k) {
        int a = ends[i], b = ends[k];
        double weight = slack - fraction(values[a]) - fraction(values[b]);
        if (weight >= longest)
          continue;
        bool parity = odd ^ (values[a] > 0.5) ^ (values[b] > 0.5);
        edges[a].push_back({b, index, parity, std::max(weight, 0.0)});
        edges[b].push_back({a, index, parity, std::max(weight, 0.0)});
      }
  }

  /// The shortest odd way from a column back to it makes a row. Looks at no
  /// more than `reach` nodes.
  void search(int start, size_t reach) {
    // Short ways first: their rows have few columns.
    constexpr double step = 0.01;
    using Entry = std::pair<double, int>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
    const int source = 2 * start, goal = source + 1;
    std::vector<int> touched = {source};
    distance[source] = 0;
    queue.push({0, source});
    while (!queue.empty() && queue.top().second != goal &&
           touched.size() < reach) {
      auto [length, node] = queue.top();
      queue.pop();
      if (length > distance[node])
        continue;
      for (const Edge &edge : edges[node / 2]) {
        int next = 2 * edge.to + ((node & 1) ^ edge.odd);
        double there = length + edge.weight + step;
        if (there >= longest || there >= distance[next])
          continue;
        if (distance[next] == unreached)
          touched.push_back(next);
        distance[next] = there;
        from[next] = {node, edge.row};
        queue.push({there, next});
      }
    }
    if (distance[goal] < unreached)
      addRowsTo(goal, source);
    for (int node : touched)
      distance[node] = unreached;
  }

  void addRowsTo(int goal, int source) {
    std::vector<int> rows;
    Sum sum;
    for (int node = goal; node != source; node = from[node].first) {
      covered[node / 2] = 1;
      rows.push_back(from[node].second);
      sum.add(model.rows[rows.back()]);
    }
    std::sort(rows.begin(), rows.end());
    if (!known.insert(rows).second)
      return;
    Row row = sum.half(values);
    if (row.excess(values) < -leastViolation)
      found.push_back(std::move(row));
  }

  const LinearModel &model;
  const std::vector<double> &values;
  std::vector<std::vector<Edge>> edges; // by column
  std::vector<char> covered;            // columns of the rows found
  std::vector<double> distance;         // of column and parity
  std::vector<std::pair<int, int>> from;
  std::set<std::vector<int>> known; // rows of the cycles found
  std::vector<Row> found;
};

} // namespace

std::vector<Row> violatedRows(const LinearModel &model,
                              const std::vector<double> &values,
                              const Deadline &deadline) {
  return Finder(model, values).run(deadline);
}

} // namespace npu::search
