// SPDX-License-Identifier: Apache-2.0
//
// Products of floats with packed weights: a panel of columns becomes floats in
// scratch, some of its depth at a time, all rows are multiplied by it, and the
// fused instructions run on the sums of a few rows while they are warm. Few
// rows are multiplied by numbers that never leave the registers.

#include "kernels/matmul/packed_weights.h"
#include "kernels/parallel.h"
#include "kernels/registry.h"
#include "kernels/support/interpreter.h"
#include "kernels/support/reference.h"
#include "kernels/validate.h"

#include <algorithm>

namespace npu::kernels {

static_assert(rowLength == strip * panelColumns,
              "the instructions run on a strip as on one row of values");

/// Depth that is unpacked at once: with the sums within the second-level cache.
constexpr int64_t depthAtOnce = 512;
/// Rows whose sums wait for the rest of the depth.
constexpr int64_t rowsAtOnce = 256;
/// Multiply-adds that are worth waking another thread for.
constexpr int64_t minWorkPerThread = 32 * 1024;

namespace {
/// Where the rows of a tensor begin, and the step along a row.
struct RowMap {
  std::vector<int64_t> at;
  int64_t step = 0;
};
} // namespace

/// Rows of `tensor` as `target` has them; false where a row has no one step.
static bool mapRows(const npu_tensor_desc &tensor,
                    const npu_tensor_desc &target, RowMap &map) {
  std::vector<DimMap> maps = broadcastMaps(tensor, target);
  const int last = target.rank - 1;
  if (!maps.back().isLinear())
    return false;
  map.step = maps.back().stride;
  map.at = {0};
  for (int d = 0; d < last; ++d) {
    std::vector<int64_t> next;
    next.reserve(map.at.size() * static_cast<size_t>(target.dims[d]));
    for (int64_t before : map.at)
      for (int64_t i = 0; i < target.dims[d]; ++i)
        next.push_back(before + maps[static_cast<size_t>(d)].at(i));
    map.at = std::move(next);
  }
  return true;
}

namespace {

/// A value that instructions read or make.
struct Slot {
  int32_t dtype = NPU_F32;
  int input = -1; // the operand that it is loaded from
  RowMap rows;
};

class MatmulPacked : public Kernel {
public:
  explicit MatmulPacked(const Problem &p)
      : problem(p), weights(p), proper(properInputs(p)) {}

  /// False with a reason where an operand cannot be read row by row.
  bool prepare(std::string &whyNot) {
    npu_tensor_desc y = problem.outputs[0], x = y;
    x.dims[x.rank - 1] = weights.depth();
    bool isPlain = mapRows(problem.inputs[0], x, data) &&
                   mapRows(y, y, result) &&
                   (result.step == 1 || y.dims[y.rank - 1] == 1);
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

  std::string implementation() const override { return "native:packed"; }

  size_t scratchBytes() const override {
    return static_cast<size_t>(problem.threads) * threadBytes();
  }

  size_t pack(const void *const *operands) override {
    return weights.pack(problem, operands);
  }
  bool isPacked(size_t input) const override {
    return input >= 1 && static_cast<int>(input) < proper;
  }

  int run(void *const *operands, void *scratch) const override {
    const auto rows = static_cast<int64_t>(data.at.size());
    const int64_t columns =
        problem.outputs[0].dims[problem.outputs[0].rank - 1];
    const int team = teamFor(rows * weights.depth() * columns, minWorkPerThread,
                             problem.threads);
    // Panels are unpacked once if they go round, else by each thread.
    const bool isDivided =
        weights.panels() < 2 * team && weights.panels() % team != 0;
    const int64_t parts = isDivided && rows > strip ? team : 1;
    parallelFor(team, [&](int thread, int threads) {
      char *own = static_cast<char *>(scratch) +
                  static_cast<size_t>(thread) * threadBytes();
      Range range = shareOf(weights.panels() * parts, thread, threads);
      for (int64_t i = range.begin; i < range.end; ++i) {
        Range share =
            shareOf(rows, static_cast<int>(i % parts), static_cast<int>(parts));
        for (int64_t row = share.begin; row < share.end; row += rowsAtOnce)
          runPanel(operands, own, i / parts,
                   {row, std::min(row + rowsAtOnce, share.end)});
      }
    });
    return 0;
  }

private:
  bool prepareOperand(int16_t value) {
    if (value >= static_cast<int16_t>(problem.inputs.size()))
      return true;
    auto input = static_cast<size_t>(value);
    slots[input].dtype = problem.inputs[input].dtype;
    slots[input].input = value;
    return mapRows(problem.inputs[input], problem.outputs[0],
                   slots[input].rows);
  }

  size_t unpackedBytes() const {
    return sizeof(float) * static_cast<size_t>(panelColumns) *
           static_cast<size_t>(std::min(depthAtOnce, weights.depth()));
  }
  size_t sumBytes() const {
    auto rows = static_cast<int64_t>(data.at.size());
    return sizeof(float) * static_cast<size_t>(panelColumns) *
           static_cast<size_t>(std::min(rowsAtOnce, rows + strip));
  }
  size_t threadBytes() const {
    return sizeof(Row) * slots.size() + unpackedBytes() + sumBytes();
  }

  DataRows rowsFrom(void *const *operands, int64_t row, int64_t end,
                    int64_t depth) const {
    DataRows from = {};
    from.step = data.step;
    from.count = std::min(strip, end - row);
    for (int64_t i = 0; i < from.count; ++i)
      from.rows[i] = static_cast<const float *>(operands[0]) +
                     data.at[static_cast<size_t>(row + i)] + depth * data.step;
    return from;
  }

  void runPanel(void *const *operands, char *own, int64_t panel,
                Range range) const {
    auto *values = reinterpret_cast<Row *>(own);
    auto *unpacked =
        reinterpret_cast<float *>(own + sizeof(Row) * slots.size());
    float *sums = unpacked + unpackedBytes() / sizeof(float);
    if (range.end - range.begin <= strip) {
      DataRows from = rowsFrom(operands, range.begin, range.end, 0);
      weights.multiply(panel, from, sums);
      finish(operands, values, panel, range.begin, from.count, sums);
      return;
    }
    const int64_t depth = weights.depth();
    for (int64_t first = 0; first < depth; first += depthAtOnce) {
      const int64_t last = std::min(first + depthAtOnce, depth);
      weights.unpack(panel, first, last, unpacked);
      for (int64_t row = range.begin; row < range.end; row += strip) {
        DataRows from = rowsFrom(operands, row, range.end, first);
        float *to = sums + (row - range.begin) * panelColumns;
        multiplyPanel(unpacked, last - first, from, first == 0, to);
        if (last == depth)
          finish(operands, values, panel, row, from.count, to);
      }
    }
  }

  /// The instructions on sums of some rows of a panel, and the store.
  void finish(void *const *operands, Row *values, int64_t panel, int64_t row,
              int64_t count, const float *sums) const {
    const npu_tensor_desc &y = problem.outputs[0];
    const int64_t first = panel * panelColumns;
    const auto n =
        static_cast<int>(std::min(panelColumns, y.dims[y.rank - 1] - first));
    for (size_t s = 0; s < problem.inputs.size(); ++s)
      if (slots[s].input >= 0)
        for (int64_t i = 0; i < count; ++i)
          loadRow(slots[s], operands[s], row + i, first, n, values[s],
                  i * panelColumns);
    Row &sumsRow = values[problem.inputs.size()];
    std::copy(sums, sums + count * panelColumns, sumsRow.f);
    size_t made = problem.inputs.size();
    for (const npu_instr &instr : problem.instrs) {
      auto at = [&](int16_t value) {
        return value < 0 ? nullptr : values + value;
      };
      interpret(instr, slots[static_cast<size_t>(instr.a)].dtype, at(instr.a),
                at(instr.b), at(instr.c), values + ++made,
                static_cast<int>(count * panelColumns));
    }
    for (int64_t i = 0; i < count; ++i) {
      int64_t to = result.at[static_cast<size_t>(row + i)] + first;
      const Row &last = values[made];
      void *out = operands[problem.inputs.size()];
      if (isFloat(y.dtype))
        store(y.dtype, out, Walk::Run::Contiguous, &to, n,
              last.f + i * panelColumns);
      else
        store(y.dtype, out, Walk::Run::Contiguous, &to, n,
              last.i + i * panelColumns);
    }
  }

  static void loadRow(const Slot &slot, const void *operand, int64_t row,
                      int64_t first, int n, Row &to, int64_t at) {
    int64_t offsets[panelColumns];
    offsets[0] =
        slot.rows.at[static_cast<size_t>(row)] + first * slot.rows.step;
    Walk::Run run = slot.rows.step == 1   ? Walk::Run::Contiguous
                    : slot.rows.step == 0 ? Walk::Run::Constant
                                          : Walk::Run::Listed;
    for (int64_t i = 1; run == Walk::Run::Listed && i < n; ++i)
      offsets[i] = offsets[0] + i * slot.rows.step;
    if (isFloat(slot.dtype))
      load(slot.dtype, operand, run, offsets, n, to.f + at);
    else
      load(slot.dtype, operand, run, offsets, n, to.i + at);
  }

  Problem problem;
  PackedWeights weights;
  int proper;
  RowMap data, result;
  std::vector<Slot> slots; // by value number
};

} // namespace

std::unique_ptr<Kernel> createMatmulPacked(const Problem &problem,
                                           std::string &whyNot) {
  if (!hasPackedWeights(problem)) {
    whyNot = "weights that are not packed";
    return nullptr;
  }
  for (int i = 1; i < properInputs(problem); ++i)
    if (!problem.isConstant(static_cast<size_t>(i)))
      whyNot = "packed numbers that are no constants";
  if (elementCount(problem.outputs[0]) == 0 ||
      problem.inputs[0].dims[problem.inputs[0].rank - 1] == 0)
    whyNot = "nothing to multiply";
  if (!whyNot.empty())
    return nullptr;
  auto made = std::make_unique<MatmulPacked>(problem);
  return made->prepare(whyNot) ? std::move(made) : nullptr;
}

} // namespace npu::kernels
