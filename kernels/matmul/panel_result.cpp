// SPDX-License-Identifier: Apache-2.0

#include "kernels/matmul/panel_result.h"

#include "kernels/support/interpreter.h"
#include "kernels/support/reference.h"

#include <algorithm>

namespace npu::kernels {

static_assert(rowLength == strip * panelColumns,
              "the instructions run on a strip as on one row of values");

bool mapRows(const npu_tensor_desc &tensor, const npu_tensor_desc &target,
             RowMap &map) {
  std::vector<DimMap> maps = broadcastMaps(tensor, target);
  const int last = target.rank - 1;
  if (!maps.back().isLinear())
    return false;
  map.step = maps.back().stride;
  map.at = {0};
  for (int d = 0; d < last; ++d)
    map.at = withDim(map.at, maps[static_cast<size_t>(d)], target.dims[d]);
  return true;
}

void reorder(RowMap &map, const std::vector<int64_t> &order) {
  if (map.at.empty())
    return;
  std::vector<int64_t> at;
  at.reserve(order.size());
  for (int64_t row : order)
    at.push_back(map.at[static_cast<size_t>(row)]);
  map.at = std::move(at);
}

bool isOfColumns(const npu_tensor_desc &tensor, int64_t columns) {
  return tensor.dtype == NPU_F32 && tensor.block_count == 0 &&
         (elementCount(tensor) == 1 ||
          (elementCount(tensor) == columns &&
           tensor.dims[tensor.rank - 1] == columns));
}

void loadColumns(const npu_tensor_desc &tensor, const void *operand,
                 Range columns, float *to) {
  const auto *from = static_cast<const float *>(operand);
  if (elementCount(tensor) == 1)
    std::fill_n(to, columns.end - columns.begin, *from);
  else
    std::copy(from + columns.begin, from + columns.end, to);
}

bool mapData(const Problem &problem, RowMap &data) {
  const npu_tensor_desc &a = problem.inputs[0];
  npu_tensor_desc x = problem.outputs[0];
  x.dims[x.rank - 1] = a.dims[a.rank - 1];
  return mapRows(a, x, data);
}

bool PanelResult::prepareOperand(int16_t value) {
  if (value >= static_cast<int16_t>(problem.inputs.size()))
    return true;
  auto input = static_cast<size_t>(value);
  Slot &slot = slots[input];
  slot.dtype = problem.inputs[input].dtype;
  slot.input = value;
  if (!mapRows(problem.inputs[input], problem.outputs[0], slot.rows))
    return false;
  const std::vector<int64_t> &at = slot.rows.at;
  slot.isOneRow = std::all_of(at.begin(), at.end(),
                              [&](int64_t row) { return row == at[0]; });
  return true;
}

bool PanelResult::prepare(std::string &whyNot) {
  const npu_tensor_desc &y = problem.outputs[0];
  bool isPlain =
      mapRows(y, y, result) && (result.step == 1 || y.dims[y.rank - 1] == 1);
  slots.resize(problem.inputs.size() + 1 + problem.instrs.size());
  for (const npu_instr &instr : problem.instrs)
    for (int16_t value : {instr.a, instr.b, instr.c})
      isPlain = isPlain && (value < 0 || prepareOperand(value));
  for (size_t k = 0; k < problem.instrs.size(); ++k)
    slots[problem.inputs.size() + 1 + k].dtype = problem.instrs[k].dtype;
  if (!isPlain)
    whyNot = "operands whose rows have no one step";
  return isPlain;
}

void PanelResult::reorder(const std::vector<int64_t> &order) {
  kernels::reorder(result, order);
  for (Slot &slot : slots)
    kernels::reorder(slot.rows, order);
}

size_t PanelResult::valueBytes() const { return sizeof(Row) * slots.size(); }

int PanelResult::columnsOf(int64_t panel) const {
  const npu_tensor_desc &y = problem.outputs[0];
  return static_cast<int>(
      std::min(panelColumns, y.dims[y.rank - 1] - panel * panelColumns));
}

/// `n` elements of a row to row `i` of a strip.
static void loadRow(int32_t dtype, const void *operand, int64_t offset,
                    int64_t step, int n, Row &to, int64_t i) {
  if (dtype == NPU_F32 && step == 1)
    return copyColumns(static_cast<const float *>(operand) + offset, n,
                       to.f + i * panelColumns);
  int64_t offsets[panelColumns];
  offsets[0] = offset;
  Walk::Run run = step == 1   ? Walk::Run::Contiguous
                  : step == 0 ? Walk::Run::Constant
                              : Walk::Run::Listed;
  for (int64_t k = 1; run == Walk::Run::Listed && k < n; ++k)
    offsets[k] = offset + k * step;
  if (isFloat(dtype))
    load(dtype, operand, run, offsets, n, to.f + i * panelColumns);
  else
    load(dtype, operand, run, offsets, n, to.i + i * panelColumns);
}

void PanelResult::begin(void *const *operands, void *own, int64_t panel) const {
  auto *values = static_cast<Row *>(own);
  const int64_t first = panel * panelColumns;
  for (size_t s = 0; s < problem.inputs.size(); ++s)
    for (int64_t i = 0; slots[s].isOneRow && i < strip; ++i)
      loadRow(slots[s].dtype, operands[s],
              slots[s].rows.at[0] + first * slots[s].rows.step,
              slots[s].rows.step, columnsOf(panel), values[s], i);
}

float *PanelResult::sumsIn(void *values) const {
  return static_cast<Row *>(values)[problem.inputs.size()].f;
}

void PanelResult::store(void *const *operands, void *own, int64_t panel,
                        int64_t row, int64_t count) const {
  const npu_tensor_desc &y = problem.outputs[0];
  const int64_t first = panel * panelColumns;
  const int n = columnsOf(panel);
  auto *values = static_cast<Row *>(own);
  for (size_t s = 0; s < problem.inputs.size(); ++s) {
    const Slot &slot = slots[s];
    for (int64_t i = 0; slot.input >= 0 && !slot.isOneRow && i < count; ++i)
      loadRow(slot.dtype, operands[s],
              slot.rows.at[static_cast<size_t>(row + i)] +
                  first * slot.rows.step,
              slot.rows.step, n, values[s], i);
  }
  size_t made = problem.inputs.size();
  for (const npu_instr &instr : problem.instrs) {
    auto at = [&](int16_t value) {
      return value < 0 ? nullptr : values + value;
    };
    interpret(instr, slots[static_cast<size_t>(instr.a)].dtype, at(instr.a),
              at(instr.b), at(instr.c), values + ++made,
              static_cast<int>(count * panelColumns));
  }
  void *out = operands[problem.inputs.size()];
  const Row &last = values[made];
  for (int64_t i = 0; i < count; ++i) {
    int64_t to = result.at[static_cast<size_t>(row + i)] + first;
    if (y.dtype == NPU_F32)
      copyColumns(last.f + i * panelColumns, n, static_cast<float *>(out) + to);
    else if (isFloat(y.dtype))
      kernels::store(y.dtype, out, Walk::Run::Contiguous, &to, n,
                     last.f + i * panelColumns);
    else
      kernels::store(y.dtype, out, Walk::Run::Contiguous, &to, n,
                     last.i + i * panelColumns);
  }
}

} // namespace npu::kernels
