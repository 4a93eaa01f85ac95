// SPDX-License-Identifier: Apache-2.0
//
// A layout problem as a linear programme, and the bound that its duals prove.
#ifndef NPU_COMPILER_SEARCH_LINEARMODEL_H
#define NPU_COMPILER_SEARCH_LINEARMODEL_H

#include "compiler/Search/CostNetwork.h"
#include "compiler/Search/RelayoutTrees.h"

namespace npu::search {

/// minimise constant + cost x, where each row's sum is at least `least` (and
/// exactly 1 in the first rows, one for each op with a choice), 0 <= x <= 1.
///
/// A column for each way of such an op; a column for each copy: value v, made
/// in layout l out of one of the layouts from which that costs the same. A row
/// for each value, layout and reader: if the reader reads l, v is stored in it
/// or copied. Where copies to l differ in cost, a row for each cheaper one: it
/// is there only if v is stored so.
///
/// Where a tree of relayouts to a set of layouts costs less than trees to its
/// parts, the tree is a column, too, a bundle of copies; a row for each layout
/// that v is stored in and each of its copies: at most one of the bundles with
/// the copy is there, and only if v is stored so. A value with too many sets
/// pays for each copy no more than the cheapest relayout to it: then the model
/// may cost less than the problem.
class LinearModel {
public:
  LinearModel(const Problem &problem, const RelayoutTrees &trees);

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
  /// The columns of ways come first.
  int wayColumns() const { return firstBundle; }
  /// Then those of bundles; in a choice they are whole, and so are, by
  /// themselves, the copies that come last.
  int wholeColumns() const { return firstCopy; }

  /// Whether its choices cost what they cost in the problem, and not less.
  bool exact() const { return listed; }

  /// The first column of the op's ways; -1: it has only one.
  std::vector<int> firstWay;
  std::vector<Cost> costs;
  std::vector<Row> rows;
  int choices = 0; // rows that say: exactly one way
  Cost constant = 0;
  /// Every cost of a choice is a multiple of this.
  Cost unit = 1;

  /// The ways that have the largest share in a solution.
  std::vector<int> round(const Problem &problem,
                         const std::vector<double> &values) const;

private:
  struct Use {
    int producer = -1;
    int result = 0;
    std::vector<int> readers;
  };
  /// A tree of relayouts from one layout to several.
  struct Bundle {
    int stored = 0;
    LayoutSet copies = 0;
    int column = 0;
  };
  /// A value while its columns and rows are added.
  struct Valued {
    int value = 0;
    bool bundled = false; // else shared copies, if any, are underpriced
    /// The producer's way columns by the layout that they store it in.
    std::vector<std::vector<int>> storing;
    std::vector<Bundle> bundles;
  };

  void findUses(const Problem &problem);
  Valued describe(const Problem &problem, int value) const;
  std::vector<LayoutSet> neededSets(const Problem &problem, int value) const;
  void addBundles(const RelayoutTrees &trees,
                  const std::vector<LayoutSet> &sets, Valued &valued);
  void limitBundles(const Valued &valued, int layout);
  std::vector<Row> demandsFor(const Problem &problem, int value,
                              int layout) const;
  void addCopies(const Problem &problem, const RelayoutTrees &trees,
                 const Valued &valued, int layout);

  std::vector<Use> uses;
  int firstBundle = 0, firstCopy = 0;
  bool listed = true; // no copy is underpriced
};

/// Floating-point answers: advice, never a proof.
struct LinearSolution {
  std::vector<double> values; // of the columns; empty: none was found
  std::vector<double> duals;  // of the rows; empty for integer programmes
  bool isCut = false;         // by time that passed
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
