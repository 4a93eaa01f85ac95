// SPDX-License-Identifier: Apache-2.0
#include "cost/mac_array.h"

#include <cmath>

namespace npu::cost {
namespace {

/// A product laid on the array, in as many folds as it takes: each is filled,
/// run and drained.
struct Mapping {
  double rows, columns; ///< of the product, over all folds
  double rowFolds, columnFolds, streamed;
  /// How often a fold passes by its rows: what stays in place has to come in
  /// before, and the results have to leave.
  double passes;
};

Mapping mappingOf(const Product &p, const Machine &machine) {
  auto laid = [&](int64_t rows, int64_t columns, int64_t streamed,
                  double passes) {
    auto r = static_cast<double>(rows), c = static_cast<double>(columns);
    return Mapping{r,
                   c,
                   std::ceil(r / machine.macRows),
                   std::ceil(c / machine.macColumns),
                   static_cast<double>(streamed),
                   passes};
  };
  switch (machine.dataFlow) {
  case DataFlow::WeightStationary:
    return laid(p.k, p.n, p.m, 2);
  case DataFlow::InputStationary:
    return laid(p.k, p.m, p.n, 2);
  case DataFlow::OutputStationary:
    return laid(p.m, p.n, p.k, 1);
  case DataFlow::DotProduct:
    break;
  }
  return {};
}

/// No fill, no drain. A depthwise channel has nothing else to sum up than its
/// kernel area.
double dotProductCycles(const Product &p, const Machine &machine) {
  auto k = static_cast<double>(p.k), n = static_cast<double>(p.n);
  bool onSome = p.depthwise && machine.depthwiseRows > 0;
  double rows = onSome ? machine.depthwiseRows : machine.macRows;
  if (machine.arrayUse == ArrayUse::Whole)
    return static_cast<double>(p.m) * static_cast<double>(p.count) *
           std::ceil(k / rows) * std::ceil(n / machine.macColumns);
  double cycles = p.macs() / (rows * machine.macColumns);
  return p.depthwise && k > 0 ? cycles * std::ceil(k / rows) * rows / k
                              : cycles;
}

} // namespace

double arrayCycles(const Product &product, const Machine &machine) {
  if (machine.dataFlow == DataFlow::DotProduct)
    return dotProductCycles(product, machine) / product.rate;
  if (product.macs() == 0)
    return 0;
  Mapping map = mappingOf(product, machine);
  // A fold of r rows and c columns takes streamed + passes * r + c - 2 cycles.
  bool whole = machine.arrayUse == ArrayUse::Whole;
  double rows = whole ? map.rowFolds * machine.macRows : map.rows;
  double columns = whole ? map.columnFolds * machine.macColumns : map.columns;
  return static_cast<double>(product.count) *
         (map.rowFolds * map.columnFolds * (map.streamed - 2) +
          map.passes * rows * map.columnFolds + columns * map.rowFolds) /
         product.rate;
}

OnChipAccess onChipAccess(const Product &p, const Machine &machine) {
  auto m = static_cast<double>(p.m), k = static_cast<double>(p.k),
       n = static_cast<double>(p.n), count = static_cast<double>(p.count);
  if (p.macs() == 0)
    return {};
  // How often each operand passes by.
  double inputs = 1, weights = 1, sums = 1;
  Mapping map = mappingOf(p, machine);
  switch (machine.dataFlow) {
  case DataFlow::OutputStationary:
    inputs = map.columnFolds;
    weights = map.rowFolds;
    break;
  case DataFlow::InputStationary:
    weights = map.columnFolds;
    sums = map.rowFolds;
    break;
  case DataFlow::WeightStationary:
    inputs = map.columnFolds;
    sums = map.rowFolds;
    break;
  case DataFlow::DotProduct:
    break;
  }
  return {count * m * k * (p.depthwise ? n : inputs), count * k * n * weights,
          count * m * n * sums};
}

} // namespace npu::cost
