// SPDX-License-Identifier: Apache-2.0
//
// Measured kernels of a chip (docs/measured-costs.md): what stands in the table
// is taken from it, what does not is scaled by what stands nearest.
#ifndef NPU_COST_COST_TABLE_H
#define NPU_COST_COST_TABLE_H

#include "cost/kernel_work.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace npu::cost {

/// The columns of a table, as its first line has them.
inline constexpr std::string_view tableHeader =
    "op,layouts,sizes,types,model_cycles,cycles";
/// Between operands and results, and what an operand has in place of a layout
/// if it is read in whatever order it is stored in.
inline constexpr std::string_view resultsFollow = ">", anyLayout = "-";

/// An operand or a result of a kernel.
struct TableValue {
  std::string layout; ///< letters, or "-"
  std::vector<int64_t> sizes;
  std::string type;
};

/// Which kernel a row speaks of.
struct TableKey {
  std::string op;
  std::vector<TableValue> operands, results;
};

/// The first four columns.
std::string textOf(const TableKey &key);

struct TableRow {
  TableKey key;
  double modelCycles = 0, cycles = 0;
};

class CostTable {
public:
  /// False, and nothing is added, if the kernel has a row already.
  bool add(TableRow row);
  bool isEmpty() const { return rows.empty(); }

  /// The kernel's own row; else the ratio of the rows of the same op and the
  /// same number of dimensions that are nearest. Nothing where there are none.
  ///
  /// Rows with the same types and layouts go before those with the same types,
  /// these before all others. Of those that are left, up to three of the least
  /// distance count: the sum of |log2| of the ratios of all sizes. Their
  /// ratios' logarithms are averaged, weighted by 1 / distance; a row of
  /// distance 0 counts alone.
  std::optional<Measurement> find(const TableKey &key) const;

private:
  std::vector<TableRow> rows;
  std::map<std::string, size_t, std::less<>> byKey;
  std::map<std::string, std::vector<size_t>, std::less<>> byOp;
};

} // namespace npu::cost

#endif // NPU_COST_COST_TABLE_H
