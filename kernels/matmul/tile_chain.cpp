// SPDX-License-Identifier: Apache-2.0

#include "kernels/matmul/tile_chain.h"

#include "kernels/matmul/panel_parameter.h"
#include "kernels/tensor.h"

#include <algorithm>
#include <cstring>

namespace npu::kernels {

/// Rows of a tile that one row of values holds, and values that hold a tile.
constexpr int64_t rowsTogether = rowLength / panelColumns;
constexpr int64_t parts = mostTileRows / rowsTogether;

TileChain::TileChain(const Problem &problem, int64_t columns)
    : instrs(problem.instrs), shared(problem.inputs.size(), -1),
      isNumber(problem.inputs.size(), false) {
  auto value = static_cast<int>(problem.inputs.size());
  auto add = [&](int operand) {
    if (operand < 0 || operand == value)
      return true;
    if (operand > value || operand >= static_cast<int>(shared.size()))
      return false;
    const auto index = static_cast<size_t>(operand);
    const npu_tensor_desc &tensor = problem.inputs[index];
    isNumber[index] = elementCount(tensor) == 1;
    if (shared[index] < 0)
      shared[index] = static_cast<int>(sharedCount++);
    return tensor.dtype == NPU_F32 && tensor.block_count == 0 &&
           (isNumber[index] || (elementCount(tensor) == columns &&
                                tensor.dims[tensor.rank - 1] == columns));
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

void TileChain::begin(void *const *operands, void *values, int64_t first,
                      int64_t count) const {
  if (sharedCount == 0)
    return; // without instructions there are no values either
  auto *rows = static_cast<Row *>(values) + 2 * parts;
  for (size_t i = 0; i < shared.size(); ++i) {
    if (shared[i] < 0)
      continue;
    const auto *from = static_cast<const float *>(operands[i]);
    float *to = rows[shared[i]].f;
    if (isNumber[i])
      std::fill_n(to, rowsTogether * count, *from);
    else
      for (int64_t row = 0; row < rowsTogether; ++row)
        std::copy_n(from + first, count, to + row * count);
  }
}

float *TileChain::sumsIn(void *values, int64_t i, int64_t columns) const {
  return static_cast<Row *>(values)[i / rowsTogether].f +
         i % rowsTogether * columns;
}

/// A call for each row of a tile would take as long as the copy.
static void copyRow(const float *from, int64_t count, float *to) {
  if (count == panelColumns)
    std::memcpy(to, from, panelColumns * sizeof(float));
  else
    std::copy_n(from, count, to);
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
  for (int64_t first = 0; first < count; first += rowsTogether) {
    Row *from = values + first / rowsTogether, *to = from + parts;
    const int64_t some = std::min(rowsTogether, count - first);
    for (const npu_instr &instr : instrs) {
      interpret(instr, NPU_F32, valueOf(values, from, instr.a),
                valueOf(values, from, instr.b), valueOf(values, from, instr.c),
                to, static_cast<int>(some * columns));
      std::swap(from, to);
    }
    for (int64_t i = 0; i < some; ++i)
      copyRow(from->f + i * columns, columns, results[first + i]);
  }
}

} // namespace npu::kernels
