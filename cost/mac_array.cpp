// SPDX-License-Identifier: Apache-2.0
#include "cost/mac_array.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace npu::cost {
namespace {

/// Parts of K that lie on the rows at a time.
double rowFoldsOf(const Product &p, const Machine &machine) {
  auto k = static_cast<double>(p.k),
       window = static_cast<double>(std::max<int64_t>(1, p.window));
  switch (machine.kRows) {
  case KRows::Channels:
    return window * std::ceil(k / window / machine.macRows);
  case KRows::Window:
    return std::ceil(k / window) * std::ceil(window / machine.macRows);
  case KRows::Either:
    break;
  }
  return std::ceil(k / machine.macRows);
}

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
  auto laid = [&](int64_t rows, double rowFolds, int64_t columns,
                  int64_t streamed, double passes) {
    auto c = static_cast<double>(columns);
    return Mapping{static_cast<double>(rows),
                   c,
                   rowFolds,
                   std::ceil(c / machine.macColumns),
                   static_cast<double>(streamed),
                   passes};
  };
  switch (machine.dataFlow) {
  case DataFlow::WeightStationary:
    return laid(p.k, rowFoldsOf(p, machine), p.n, p.m, 2);
  case DataFlow::InputStationary:
    return laid(p.k, rowFoldsOf(p, machine), p.m, p.n, 2);
  case DataFlow::OutputStationary:
    return laid(p.m, std::ceil(static_cast<double>(p.m) / machine.macRows), p.n,
                p.k, 1);
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
  bool isWhole = machine.arrayUse == ArrayUse::Whole;
  auto results = static_cast<double>(p.m) * static_cast<double>(p.count);
  if (machine.kRows != KRows::Either && !p.depthwise)
    return results * rowFoldsOf(p, machine) *
           (isWhole ? std::ceil(n / machine.macColumns)
                    : n / machine.macColumns);
  if (isWhole)
    return results * std::ceil(k / rows) * std::ceil(n / machine.macColumns);
  double cycles = p.macs() / (rows * machine.macColumns);
  return p.depthwise && k > 0 ? cycles * std::ceil(k / rows) * rows / k
                              : cycles;
}

/// Of an array that takes the weights of a fold while the one before runs: only
/// the first ones are waited for. With fewer rows in use than there are, these
/// are fewer, and folds more.
double preloadedCycles(const Mapping &map, bool isWhole,
                       const Machine &machine) {
  double rows = isWhole ? map.rowFolds * machine.macRows : map.rows;
  double columns = isWhole ? map.columnFolds * machine.macColumns : map.columns;
  double ofFold = map.columnFolds * (map.streamed - 2) + columns;
  auto cycles = [&](double folds) {
    return folds * ofFold + rows * map.columnFolds + std::ceil(rows / folds);
  };
  double least = cycles(map.rowFolds);
  if (isWhole || ofFold <= 0)
    return least;
  double folds = std::floor(std::sqrt(rows / ofFold));
  for (double some : {folds, folds + 1})
    if (some > map.rowFolds && some <= rows)
      least = std::min(least, cycles(some));
  return least;
}

} // namespace

/// A product for each channel, where the array has no other way.
static std::optional<Product> eachChannel(const Product &product,
                                          const Machine &machine) {
  if (!product.depthwise || machine.depthwise != DepthwiseUnit::Channels)
    return std::nullopt;
  Product each = product;
  each.depthwise = false;
  each.n = 1;
  // Also of a damaged file whose channels are more than there can be.
  if (__builtin_mul_overflow(product.count, product.n, &each.count))
    each.count = std::numeric_limits<int64_t>::max();
  return each;
}

double arrayCycles(const Product &product, const Machine &machine) {
  if (auto each = eachChannel(product, machine))
    return arrayCycles(*each, machine);
  if (machine.dataFlow == DataFlow::DotProduct)
    return dotProductCycles(product, machine) / product.rate;
  if (product.macs() == 0)
    return 0;
  Mapping map = mappingOf(product, machine);
  // A fold of r rows and c columns takes streamed + passes * r + c - 2 cycles.
  bool whole = machine.arrayUse == ArrayUse::Whole;
  if (machine.dataFlow == DataFlow::WeightStationary &&
      machine.weightLoad == WeightLoad::Preload)
    return static_cast<double>(product.count) *
           preloadedCycles(map, whole, machine) / product.rate;
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
  if (auto each = eachChannel(p, machine))
    return onChipAccess(*each, machine);
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
