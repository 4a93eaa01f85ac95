// SPDX-License-Identifier: Apache-2.0
#include "compiler/Search/SoftDuals.h"

#include <cmath>

namespace npu::search {

namespace {

class Ascent {
public:
  explicit Ascent(const LinearModel &model)
      : model(model), rows(model.rows.size() - model.choices),
        scale(model.columns(), 0), step(rows, 0), duals(rows, 0),
        ahead(rows, 0), reduced(model.columns()), shares(model.columns()) {
    for (int first : model.firstWay)
      if (first >= 0)
        firsts.push_back(first);
    firsts.push_back(model.wayColumns());
    starts.push_back(0);
    for (size_t r = 0; r < rows; ++r) {
      for (int column : row(r).plus)
        entries.push_back({column, 1});
      for (int column : row(r).minus)
        entries.push_back({column, -1});
      starts.push_back(entries.size());
    }
    findScales();
  }

  /// False if time ran out.
  bool run(const Deadline &deadline) {
    // Softness at the start and at the end, as parts of the scales. The rest of
    // the steps stay at the end's.
    constexpr int steps = 500;
    constexpr double first = 0.2, last = 0.001, falling = 0.8;
    double momentum = 1;
    for (int i = 0; i < steps; ++i) {
      if (i % 16 == 0 && deadline.over())
        return false;
      double done = std::min(1.0, i / (falling * steps));
      double softness = first * std::pow(last / first, done);
      findShares(ahead, softness);
      momentum = climb(softness, momentum);
    }
    findShares(duals, last);
    return true;
  }

  LinearSolution solution() const {
    LinearSolution result;
    result.values = shares;
    result.duals.resize(model.choices, 0);
    result.duals.insert(result.duals.end(), duals.begin(), duals.end());
    return result;
  }

private:
  struct Entry {
    int column = 0;
    double factor = 0;
  };

  const LinearModel::Row &row(size_t r) const {
    return model.rows[model.choices + r];
  }

  /// What a column's reduced cost is measured in: of a copy its cost, of an
  /// op's ways what the copies in their rows cost on average. A row's step is
  /// as long as the curvature of its columns allows.
  void findScales() {
    const int ways = model.wayColumns();
    std::vector<double> times(model.columns(), 0);
    for (size_t r = 0; r < rows; ++r) {
      double sum = 0, copies = 0;
      for (size_t e = starts[r]; e < starts[r + 1]; ++e)
        if (int column = entries[e].column; column >= ways) {
          sum += static_cast<double>(model.costs[column]);
          ++copies;
        }
      for (size_t e = starts[r]; e < starts[r + 1]; ++e) {
        int column = entries[e].column;
        ++times[column];
        if (column < ways && copies > 0)
          scale[column] += sum / copies;
      }
    }
    for (size_t i = 0; i + 1 < firsts.size(); ++i) {
      double sum = 0, all = 0;
      for (int way = firsts[i]; way < firsts[i + 1]; ++way) {
        sum += scale[way];
        all += times[way];
      }
      double mean = all > 0 ? std::max(1.0, sum / all) : 1;
      std::fill(scale.begin() + firsts[i], scale.begin() + firsts[i + 1], mean);
    }
    for (int copy = ways; copy < model.columns(); ++copy)
      scale[copy] = std::max(1.0, static_cast<double>(model.costs[copy]));
    for (size_t r = 0; r < rows; ++r) {
      double curvature = 0;
      for (size_t e = starts[r]; e < starts[r + 1]; ++e)
        curvature += times[entries[e].column] / (4 * scale[entries[e].column]);
      step[r] = curvature > 0 ? 1 / curvature : 0;
    }
  }

  /// The soft minima's shares for these duals.
  void findShares(const std::vector<double> &at, double softness) {
    for (int column = 0; column < model.columns(); ++column)
      reduced[column] = static_cast<double>(model.costs[column]);
    for (size_t r = 0; r < rows; ++r)
      for (size_t e = starts[r]; at[r] > 0 && e < starts[r + 1]; ++e)
        reduced[entries[e].column] -= entries[e].factor * at[r];
    for (size_t i = 0; i + 1 < firsts.size(); ++i) {
      const int begin = firsts[i], end = firsts[i + 1];
      double least =
          *std::min_element(reduced.begin() + begin, reduced.begin() + end);
      double sum = 0;
      for (int way = begin; way < end; ++way)
        sum += shares[way] =
            std::exp((least - reduced[way]) / (softness * scale[way]));
      for (int way = begin; way < end; ++way)
        shares[way] /= sum;
    }
    constexpr double farthest = 700; // exp(farthest) is still a number
    for (int copy = model.wayColumns(); copy < model.columns(); ++copy)
      shares[copy] =
          1 / (1 + std::exp(std::min(farthest, reduced[copy] /
                                                   (softness * scale[copy]))));
  }

  /// A step along the gradient at `ahead`, then ahead in the same direction
  /// (Nesterov), from the beginning again where that leads down. Returns the
  /// momentum of the next step.
  double climb(double softness, double momentum) {
    double progress = 0;
    std::vector<double> before = duals;
    for (size_t r = 0; r < rows; ++r) {
      double gradient = row(r).least;
      for (size_t e = starts[r]; e < starts[r + 1]; ++e)
        gradient -= entries[e].factor * shares[entries[e].column];
      duals[r] = std::max(0.0, ahead[r] + softness * step[r] * gradient);
      progress += gradient * (duals[r] - before[r]);
    }
    momentum = progress < 0 ? 1 : momentum;
    double next = (1 + std::sqrt(1 + 4 * momentum * momentum)) / 2;
    for (size_t r = 0; r < rows; ++r)
      ahead[r] = std::max(0.0, duals[r] + (momentum - 1) / next *
                                              (duals[r] - before[r]));
    return next;
  }

  const LinearModel &model;
  const size_t rows;       // those that are no choice
  std::vector<int> firsts; // way columns of each op, and the end
  std::vector<size_t> starts;
  std::vector<Entry> entries; // of the rows, one row after the other
  std::vector<double> scale;  // of the columns
  std::vector<double> step;   // of the rows
  std::vector<double> duals, ahead;
  std::vector<double> reduced, shares; // of the columns
};

} // namespace

LinearSolution softSolution(const LinearModel &model,
                            const Deadline &deadline) {
  Ascent ascent(model);
  return ascent.run(deadline) ? ascent.solution() : LinearSolution();
}

} // namespace npu::search
