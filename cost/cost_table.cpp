// SPDX-License-Identifier: Apache-2.0
#include "cost/cost_table.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace npu::cost {
namespace {

constexpr size_t mostNeighbours = 3;

/// "1x3x224x224"; "-" of a number, which has no sizes.
std::string sizesText(const TableValue &value) {
  std::string text;
  for (int64_t size : value.sizes)
    text += (text.empty() ? "" : "x") + std::to_string(size);
  return text.empty() ? "-" : text;
}

/// One cell: the words of the operands, ">", those of the results.
template <class Word>
std::string cellOf(const TableKey &key, Word word) {
  std::string text;
  for (const TableValue &value : key.operands)
    text += word(value) + " ";
  text += resultsFollow;
  for (const TableValue &value : key.results)
    text += " " + word(value);
  return text;
}

std::string layoutsText(const TableKey &key) {
  return cellOf(key, [](const TableValue &value) { return value.layout; });
}

std::string typesText(const TableKey &key) {
  return cellOf(key, [](const TableValue &value) { return value.type; });
}

/// How far apart the sizes are; nothing where the ranks differ.
std::optional<double> distance(const std::vector<TableValue> &a,
                               const std::vector<TableValue> &b) {
  if (a.size() != b.size())
    return std::nullopt;
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i].sizes.size() != b[i].sizes.size())
      return std::nullopt;
    for (size_t dim = 0; dim < a[i].sizes.size(); ++dim)
      sum += std::abs(std::log2(static_cast<double>(
                          std::max<int64_t>(a[i].sizes[dim], 1))) -
                      std::log2(static_cast<double>(
                          std::max<int64_t>(b[i].sizes[dim], 1))));
  }
  return sum;
}

std::optional<double> distance(const TableKey &a, const TableKey &b) {
  std::optional<double> operands = distance(a.operands, b.operands),
                        results = distance(a.results, b.results);
  if (!operands || !results)
    return std::nullopt;
  return *operands + *results;
}

struct Neighbour {
  int unlike;      // 0: types and layouts are the same, 1: types are
  double distance; // of the sizes
  size_t row;

  bool operator<(const Neighbour &other) const {
    return std::tie(unlike, distance, row) <
           std::tie(other.unlike, other.distance, other.row);
  }
};

} // namespace

std::string textOf(const TableKey &key) {
  return key.op + "," + layoutsText(key) + "," + cellOf(key, sizesText) + "," +
         typesText(key);
}

bool CostTable::add(TableRow row) {
  if (!byKey.try_emplace(textOf(row.key), rows.size()).second)
    return false;
  byOp[row.key.op].push_back(rows.size());
  rows.push_back(std::move(row));
  return true;
}

std::optional<Measurement> CostTable::find(const TableKey &key) const {
  auto sameOp = byOp.find(key.op);
  if (sameOp == byOp.end())
    return std::nullopt;
  auto own = byKey.find(textOf(key));
  if (own != byKey.end())
    return Measurement{rows[own->second].cycles, 1};
  std::string layouts = layoutsText(key), types = typesText(key);
  std::vector<Neighbour> near;
  for (size_t row : sameOp->second) {
    const TableKey &other = rows[row].key;
    int unlike = typesText(other) != types       ? 2
                 : layoutsText(other) != layouts ? 1
                                                 : 0;
    if (std::optional<double> apart = distance(key, other))
      near.push_back({unlike, *apart, row});
  }
  if (near.empty())
    return std::nullopt;
  std::sort(near.begin(), near.end());
  double weights = 0, sum = 0;
  for (size_t i = 0; i < std::min(near.size(), mostNeighbours); ++i) {
    const Neighbour &other = near[i];
    if (other.unlike != near[0].unlike ||
        (near[0].distance == 0 && other.distance > 0))
      break;
    const TableRow &row = rows[other.row];
    double weight = other.distance > 0 ? 1 / other.distance : 1;
    weights += weight;
    sum += weight * std::log(row.cycles / row.modelCycles);
  }
  return Measurement{0, std::exp(sum / weights)};
}

} // namespace npu::cost
