// SPDX-License-Identifier: Apache-2.0
//
// A layout problem as a linear programme, and the bound that its duals prove.
#ifndef NPU_COMPILER_SEARCH_LINEARMODEL_H
#define NPU_COMPILER_SEARCH_LINEARMODEL_H

#include "compiler/Search/CostNetwork.h"

namespace npu::search {

/// minimise constant + cost x, where each row's sum is at least `least` (and
/// exactly 1 in the first rows, one for each op with a choice), 0 <= x <= 1.
///
/// A column for each way of such an op; a column for each copy: value v, made
/// in layout l out of one of the layouts from which that costs the same. A row
/// for each value, layout and reader: if the reader reads l, v is stored in it
/// or copied. Where copies to l differ in cost, a row for each cheaper one: it
/// is there only if v is stored so.
class LinearModel {
public:
  explicit LinearModel(const Problem &problem);

  struct Row {
    int least = 0;
    /// Columns whose factor is 1, or -1; those with a larger one come often.
    std::vector<int> plus, minus;

    /// What the sum is more than it must be.
    double excess(const std::vector<double> &values) const {
      double sum = -least;
      for (int column : plus)
        sum += values[column];
      for (int column : minus)
        sum -= values[column];
      return sum;
    }
  };

  int columns() const { return static_cast<int>(costs.size()); }
  int wayColumns() const { return firstCopy; }

  /// The first column of the op's ways; -1: it has only one.
  std::vector<int> firstWay;
  std::vector<Cost> costs;
  std::vector<Row> rows;
  int choices = 0; // rows that say: exactly one way
  Cost constant = 0;

  /// The ways that have the largest share in a solution.
  std::vector<int> round(const Problem &problem,
                         const std::vector<double> &values) const;

private:
  void addCopies(const Problem &problem, int value, int layout);

  struct Use {
    int producer = -1;
    int result = 0;
    std::vector<int> readers;
  };
  std::vector<Use> uses;
  int firstCopy = 0;
};

/// What the duals of the rows prove, in exact integers: whatever they are, the
/// bound holds.
struct DualBound {
  Cost bound = 0;
  /// No choice with this way costs less, for each way of each op.
  std::vector<std::vector<Cost>> withWay;
};
DualBound proveBound(const Problem &problem, const LinearModel &model,
                     const std::vector<double> &duals);

} // namespace npu::search

#endif // NPU_COMPILER_SEARCH_LINEARMODEL_H
