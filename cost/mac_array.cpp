// SPDX-License-Identifier: Apache-2.0
#include "cost/mac_array.h"

#include <cmath>

namespace npu::cost {
namespace {

/// A product laid on the array: `folds` times it is filled, run and drained.
struct Mapping {
  double rowFolds, columnFolds, streamed;
  /// Cycles before the first column has what stays in place.
  double fill;
};

Mapping mappingOf(const Product &p, const Machine &machine) {
  double rows = machine.macRows, columns = machine.macColumns;
  auto parts = [](int64_t extent, double size) {
    return std::ceil(static_cast<double>(extent) / size);
  };
  auto m = static_cast<double>(p.m), k = static_cast<double>(p.k),
       n = static_cast<double>(p.n);
  switch (machine.dataFlow) {
  case DataFlow::WeightStationary:
    return {parts(p.k, rows), parts(p.n, columns), m, rows};
  case DataFlow::InputStationary:
    return {parts(p.k, rows), parts(p.m, columns), n, rows};
  case DataFlow::OutputStationary:
    return {parts(p.m, rows), parts(p.n, columns), k, 0};
  case DataFlow::DotProduct:
    break;
  }
  return {};
}

} // namespace

double arrayCycles(const Product &product, const Machine &machine) {
  if (machine.dataFlow == DataFlow::DotProduct)
    return product.macs() / (machine.macRows * machine.macColumns);
  if (product.macs() == 0)
    return 0;
  Mapping map = mappingOf(product, machine);
  double skew = machine.macRows + machine.macColumns - 2;
  return static_cast<double>(product.count) * map.rowFolds * map.columnFolds *
         (map.streamed + map.fill + skew);
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
