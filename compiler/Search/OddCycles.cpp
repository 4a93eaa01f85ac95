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
/// Of a column that is looked at, an entry that is put in order, and a column
/// of a sum of rows.
constexpr double lookSteps = 2, sortSteps = 20, sumSteps = 30;

/// A column's distance to the next integer.
double fraction(double value) { return std::min(value, 1 - value); }

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

  /// How many columns it has.
  double size() const { return static_cast<double>(factors.size()); }

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
        factor(model.columns(), 0), uses(model.columns(), 0),
        nodes(model.columns()) {
    for (size_t r = 0; r < model.rows.size(); ++r)
      addRow(static_cast<int>(r));
  }

  /// From all columns what is near; from some all that can be reached, from
  /// more if that is nothing.
  std::vector<Row> run(const Deadline &deadline) {
    constexpr size_t near = 300, some = 150;
    std::vector<int> starts;
    for (size_t column = 0; column < edges.size(); ++column)
      if (!edges[column].empty())
        starts.push_back(static_cast<int>(column));
    for (int start : starts)
      if (uses[start] == 0 && !deadline.over())
        search(start, near, deadline);
    searchFrom(starts, some, deadline);
    if (found.empty())
      searchFrom(starts, 4 * some, deadline);
    return std::move(found);
  }

private:
  struct Edge {
    int to = 0, row = 0;
    bool odd = false;
    double weight = 0;
  };
  /// A column in the tree of shortest ways from the start.
  struct Node {
    double distance = unreached;
    int before = -1, row = -1, depth = 0;
    bool odd = false, settled = false;
  };
  /// An edge that makes an odd cycle with the tree's ways to both ends.
  struct Closing {
    double length = 0;
    int a = 0, b = 0, row = 0;
  };
  static constexpr double unreached = 1e9, longest = 0.95;
  static constexpr int mostUses = 30; // cycles through one column

  /// Looks at all that can be reached from about `count` of the columns.
  void searchFrom(const std::vector<int> &starts, size_t count,
                  const Deadline &deadline) {
    const size_t step = (starts.size() + count - 1) / count;
    for (size_t i = 0; i < starts.size() && !deadline.over(); i += step)
      search(starts[i], nodes.size(), deadline);
  }

  /// An edge for each two columns, all others brought to their bounds.
  void addRow(int index) {
    const Row &row = model.rows[index];
    int open = 0;
    for (int column : row.plus)
      open += fraction(values[column]) > tiny;
    for (int column : row.minus)
      open += fraction(values[column]) > tiny;
    if (open < 2)
      return;
    for (int column : row.plus)
      ++factor[column];
    for (int column : row.minus)
      --factor[column];
    double slack = row.excess(values), others = 0;
    bool odd = row.least % 2 != 0;
    std::vector<int> ends;
    for (const std::vector<int> *side : {&row.plus, &row.minus})
      for (int column : *side) {
        bool isOdd = factor[column] % 2 != 0;
        factor[column] = 0; // named again, it is not looked at again
        if (!isOdd)
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

  /// The tree of shortest ways from a column to at most `reach` others; the
  /// shortest odd cycles that one more edge makes become rows.
  void search(int start, size_t reach, const Deadline &deadline) {
    // Short ways first: their rows have few columns.
    constexpr double step = 0.01;
    using Entry = std::pair<double, int>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
    std::vector<int> touched = {start};
    std::vector<Closing> closings;
    nodes[start].distance = 0;
    queue.push({0, start});
    while (!queue.empty() && touched.size() < reach) {
      auto [length, column] = queue.top();
      queue.pop();
      Node &here = nodes[column];
      if (here.settled)
        continue;
      here.settled = true;
      deadline.count(static_cast<double>(edges[column].size()));
      for (const Edge &edge : edges[column]) {
        Node &there = nodes[edge.to];
        bool odd = here.odd ^ edge.odd;
        double distance = length + edge.weight + step;
        if (there.settled) {
          if (odd != there.odd)
            closings.push_back(
                {distance + there.distance, column, edge.to, edge.row});
          continue;
        }
        if (distance >= there.distance || distance >= longest)
          continue;
        if (there.distance == unreached)
          touched.push_back(edge.to);
        there = {distance, column, edge.row, here.depth + 1, odd, false};
        queue.push({distance, edge.to});
      }
    }
    std::sort(
        closings.begin(), closings.end(),
        [](const Closing &a, const Closing &b) { return a.length < b.length; });
    deadline.count(sortSteps * static_cast<double>(closings.size()));
    for (const Closing &closing : closings) {
      if (deadline.over())
        break;
      close(closing, deadline);
    }
    for (int column : touched)
      nodes[column] = {};
  }

  void close(const Closing &closing, const Deadline &deadline) {
    int a = closing.a, b = closing.b;
    double length = closing.length;
    rows.assign(1, closing.row);
    columns.clear();
    while (a != b) {
      int &deeper = nodes[a].depth >= nodes[b].depth ? a : b;
      deadline.count(lookSteps);
      if (uses[deeper] >= mostUses)
        return;
      columns.push_back(deeper);
      rows.push_back(nodes[deeper].row);
      deeper = nodes[deeper].before;
    }
    columns.push_back(a);
    if (uses[a] >= mostUses || length - 2 * nodes[a].distance >= longest)
      return;
    std::sort(rows.begin(), rows.end());
    deadline.count(sortSteps * static_cast<double>(rows.size()));
    if (!known.insert(rows).second)
      return;
    Sum sum;
    for (int row : rows)
      sum.add(model.rows[row]);
    deadline.count(sumSteps * sum.size());
    Row row = sum.half(values);
    if (row.excess(values) >= -leastViolation)
      return;
    for (int column : columns)
      ++uses[column];
    found.push_back(std::move(row));
  }

  const LinearModel &model;
  const std::vector<double> &values;
  std::vector<std::vector<Edge>> edges; // by column
  std::vector<int> factor;              // of the columns of one row
  std::vector<int> uses;                // cycles found through a column
  std::vector<Node> nodes;
  std::vector<int> rows, columns;   // of one cycle
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
