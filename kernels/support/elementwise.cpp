// SPDX-License-Identifier: Apache-2.0

#include "kernels/support/elementwise.h"
#include "kernels/support/movement.h"

#include "kernels/parallel.h"

#include <algorithm>

namespace npu::kernels {

/// Less work than this is done faster by one thread than by waking a team.
constexpr int64_t minElementsPerThread = 8192;

/// Whether one loop over the stored elements serves all values that are read.
static bool isOneLoop(const std::vector<npu_tensor_desc> &values,
                      const std::vector<int> &used,
                      const npu_tensor_desc &output) {
  return std::all_of(used.begin(), used.end(), [&](int v) {
    const npu_tensor_desc &value = values[static_cast<size_t>(v)];
    return elementCount(value) == 1 || sameStorage(value, output);
  });
}

static std::vector<int> usedValues(size_t count,
                                   const std::vector<npu_instr> &instrs) {
  std::vector<bool> isUsed(count);
  for (const npu_instr &instr : instrs) {
    const int16_t operands[3] = {instr.a, instr.b, instr.c};
    for (int i = 0; i < lookupInstr(instr.kind)->arity; ++i)
      if (static_cast<size_t>(operands[i]) < count)
        isUsed[static_cast<size_t>(operands[i])] = true;
  }
  if (instrs.empty())
    isUsed.back() = true;
  std::vector<int> used;
  for (size_t v = 0; v < count; ++v)
    if (isUsed[v])
      used.push_back(static_cast<int>(v));
  return used;
}

Elementwise::Elementwise(std::vector<npu_tensor_desc> allValues,
                         std::vector<npu_instr> chain,
                         const npu_tensor_desc &result)
    : values(std::move(allValues)), instrs(std::move(chain)), output(result),
      operandOf(values.size(), -1), walk({}) {
  std::vector<int> used = usedValues(values.size(), instrs);
  if (isOneLoop(values, used, output)) {
    walk = Walk({storedElements(output)});
    for (int v : used) {
      DimMap map;
      map.stride = elementCount(values[static_cast<size_t>(v)]) == 1 ? 0 : 1;
      operandOf[static_cast<size_t>(v)] = walk.add({map});
    }
    DimMap map;
    map.stride = 1;
    outputOperand = walk.add({map});
    return;
  }
  walk = walkOf(output);
  for (int v : used)
    operandOf[static_cast<size_t>(v)] = walk.add(
        inOrder(output, broadcastMaps(values[static_cast<size_t>(v)], output)));
  outputOperand = walk.add(inOrder(output, dimMaps(output)));
  walk.coalesce();
}

size_t Elementwise::scratchBytes(int threads) const {
  return (values.size() + instrs.size()) * sizeof(Row) *
         static_cast<size_t>(std::max(threads, 1));
}

void Elementwise::runRange(const void *const *data, void *to, Row *rows,
                           int64_t begin, int64_t end) const {
  int64_t offsets[rowLength];
  for (int64_t start = begin; start < end; start += rowLength) {
    int n = static_cast<int>(std::min<int64_t>(rowLength, end - start));
    for (size_t v = 0; v < values.size(); ++v) {
      if (operandOf[v] < 0)
        continue;
      Walk::Run run = walk.offsets(operandOf[v], start, n, offsets);
      if (values[v].dtype == NPU_F64)
        load(values[v].dtype, data[v], run, offsets, n, rows[v].d);
      else if (isFloat(values[v].dtype))
        load(values[v].dtype, data[v], run, offsets, n, rows[v].f);
      else
        load(values[v].dtype, data[v], run, offsets, n, rows[v].i);
    }
    const Row *result = &rows[values.size() - 1];
    for (size_t k = 0; k < instrs.size(); ++k) {
      const npu_instr &instr = instrs[k];
      auto first = static_cast<size_t>(instr.a);
      int32_t typeA = first < values.size()
                          ? values[first].dtype
                          : instrs[first - values.size()].dtype;
      Row *out = &rows[values.size() + k];
      interpret(instr, typeA, &rows[instr.a], &rows[std::max<int>(instr.b, 0)],
                &rows[std::max<int>(instr.c, 0)], out, n);
      result = out;
    }
    Walk::Run run = walk.offsets(outputOperand, start, n, offsets);
    if (output.dtype == NPU_F64)
      store(output.dtype, to, run, offsets, n, result->d);
    else if (isFloat(output.dtype))
      store(output.dtype, to, run, offsets, n, result->f);
    else
      store(output.dtype, to, run, offsets, n, result->i);
  }
}

void Elementwise::run(const void *const *data, void *to, void *scratch,
                      int threads) const {
  int64_t chunks = (walk.size() + rowLength - 1) / rowLength;
  int team = teamFor(walk.size(), minElementsPerThread, threads);
  size_t rowsEach = values.size() + instrs.size();
  parallelFor(team, [&](int thread, int count) {
    Range range = shareOf(chunks, thread, count);
    runRange(
        data, to,
        static_cast<Row *>(scratch) + rowsEach * static_cast<size_t>(thread),
        range.begin * rowLength, std::min(range.end * rowLength, walk.size()));
  });
  zeroPadding(output, to);
}

} // namespace npu::kernels
