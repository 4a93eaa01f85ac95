// SPDX-License-Identifier: Apache-2.0

#include "kernels/matmul/tile_chain.h"

#include "kernels/matmul/panel_result.h"

#include <algorithm>

namespace npu::kernels {

/// Rows of values, of `strip` rows each, that hold a tile.
constexpr int64_t parts = mostTileRows / strip;

TileChain::TileChain(const Problem &problem, int64_t columns)
    : instrs(problem.instrs), inputs(problem.inputs),
      shared(problem.inputs.size(), -1) {
  auto value = static_cast<int>(problem.inputs.size());
  auto add = [&](int operand) {
    if (operand < 0 || operand == value)
      return true;
    if (operand > value || operand >= static_cast<int>(shared.size()))
      return false;
    const auto index = static_cast<size_t>(operand);
    if (shared[index] < 0)
      shared[index] = static_cast<int>(sharedCount++);
    return isOfColumns(inputs[index], columns);
  };
  for (const npu_instr &instr : instrs) {
    isChain = isChain && instr.dtype == NPU_F32 && add(instr.a) &&
              add(instr.b) && add(instr.c);
    ++value;
  }
}

size_t TileChain::valueBytes() const {
  return instrs.empty()
             ? 0
             : static_cast<size_t>(2 * parts + sharedCount) * sizeof(Row);
}

void TileChain::begin(void *const *operands, void *values,
                      Range columns) const {
  if (sharedCount == 0)
    return; // without instructions there are no values either
  auto *rows = static_cast<Row *>(values) + 2 * parts;
  const int64_t count = columns.end - columns.begin;
  for (size_t i = 0; i < shared.size(); ++i)
    for (int64_t row = 0; shared[i] >= 0 && row < strip; ++row)
      loadColumns(inputs[i], operands[i], columns,
                  rows[shared[i]].f + row * count);
}

float *TileChain::sumsIn(void *values, int64_t i, int64_t columns) const {
  return static_cast<Row *>(values)[i / strip].f + i % strip * columns;
}

const Row *TileChain::valueOf(const Row *values, const Row *sums,
                              int16_t value) const {
  if (value < 0)
    return nullptr;
  const auto index = static_cast<size_t>(value);
  return index < shared.size() ? values + 2 * parts + shared[index] : sums;
}

void TileChain::run(void *room, int64_t columns, int64_t count,
                    float *const *results) const {
  auto *values = static_cast<Row *>(room);
  for (int64_t first = 0; first < count; first += strip) {
    Row *from = values + first / strip, *to = from + parts;
    const int64_t some = std::min(strip, count - first);
    for (const npu_instr &instr : instrs) {
      interpret(instr, NPU_F32, valueOf(values, from, instr.a),
                valueOf(values, from, instr.b), valueOf(values, from, instr.c),
                to, static_cast<int>(some * columns));
      std::swap(from, to);
    }
    for (int64_t i = 0; i < some; ++i)
      copyColumns(from->f + i * columns, columns, results[first + i]);
  }
}

} // namespace npu::kernels
