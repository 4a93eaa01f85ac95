// SPDX-License-Identifier: Apache-2.0
//
// Products of floats with packed integers as sums of integers: each thread
// makes bytes of some rows of the data, multiplies them by one panel of columns
// after the other, and the fused instructions run on the sums of a few rows
// while they are warm. A copy of the bytes for all products of one value would
// be a kernel more, which costs more than the few passes over rows that are in
// a cache.

#include "kernels/matmul/panel_result.h"
#include "kernels/matmul/quantized_weights.h"
#include "kernels/parallel.h"
#include "kernels/registry.h"
#include "kernels/support/tile_scope.h"
#include "kernels/validate.h"

#include <algorithm>
#include <optional>

namespace npu::kernels {

/// Bytes of rows that wait in the second-level cache for all panels.
constexpr int64_t bytesAtOnce = 192 * 1024;
/// Rows that are worth it that a thread reads all weights for itself.
constexpr int64_t rowsPerThread = 16;
/// Multiply-adds that are worth waking another thread for.
constexpr int64_t minWorkPerThread = 128 * 1024;

namespace {

class MatmulQuantized : public Kernel {
public:
  explicit MatmulQuantized(const Problem &p)
      : problem(p), weights(p), proper(properInputs(p)), result(p) {}

  /// False with a reason where an operand cannot be read row by row.
  bool prepare(std::string &whyNot) {
    if (!mapData(problem, data)) {
      whyNot = "data whose rows have no one step";
      return false;
    }
    const int64_t some = bytesAtOnce / weights.rowCut().rowBytes();
    rowsAtOnce = std::clamp<int64_t>(some / strip * strip, strip,
                                     (rowCount() + strip - 1) / strip * strip);
    return result.prepare(whyNot);
  }

  std::string implementation() const override { return "native:quantized"; }

  size_t scratchBytes() const override {
    return static_cast<size_t>(problem.threads) * partsOf(nullptr).bytes;
  }

  size_t pack(const void *const *operands) override {
    return weights.pack(problem, operands);
  }
  bool isPacked(size_t input) const override {
    return input >= 1 && static_cast<int>(input) < proper;
  }

  int run(void *const *operands, void *scratch) const override {
    const int64_t rows = rowCount(), panels = weights.panels();
    const int team =
        teamFor(rows * weights.rowCut().depth * panels * panelColumns,
                minWorkPerThread, problem.threads);
    const bool isByRows = rows >= rowsPerThread * team;
    const size_t each = partsOf(nullptr).bytes;
    parallelFor(team, [&](int thread, int threads) {
      const Parts parts = partsOf(static_cast<char *>(scratch) +
                                  static_cast<size_t>(thread) * each);
      const Range all = {0, isByRows ? panels : rows};
      const Range own = shareOf(isByRows ? rows : panels, thread, threads);
      const Range mine = isByRows ? own : all, columns = isByRows ? all : own;
      for (int64_t row = mine.begin; row < mine.end; row += rowsAtOnce)
        runRows(operands, parts, {row, std::min(row + rowsAtOnce, mine.end)},
                columns);
    });
    return 0;
  }

private:
  /// Scratch of one thread.
  struct Parts {
    void *values = nullptr, *panel = nullptr;
    float *line = nullptr, *tileSums = nullptr;
    QuantizedRows rows = {};
    size_t bytes = 0;
  };

  Parts partsOf(void *scratch) const {
    Parts parts;
    auto take = [&](size_t bytes) {
      char *at = scratch ? static_cast<char *>(scratch) + parts.bytes : nullptr;
      parts.bytes += (bytes + NPU_VALUE_ALIGNMENT - 1) / NPU_VALUE_ALIGNMENT *
                     NPU_VALUE_ALIGNMENT;
      return at;
    };
    const auto count = static_cast<size_t>(rowsAtOnce);
    parts.values = take(result.valueBytes());
    parts.panel = take(weights.panelBytes());
    parts.line = reinterpret_cast<float *>(
        take(sizeof(float) * static_cast<size_t>(weights.rowCut().depth)));
    const auto cuts = static_cast<size_t>(weights.rowCut().parts());
    parts.rows.bytes = reinterpret_cast<int8_t *>(
        take(count * static_cast<size_t>(weights.rowCut().rowBytes())));
    parts.rows.sums =
        reinterpret_cast<int32_t *>(take(sizeof(int32_t) * count * cuts));
    parts.rows.scales =
        reinterpret_cast<float *>(take(sizeof(float) * count * cuts));
    parts.rows.inverses = reinterpret_cast<float *>(take(sizeof(float) * cuts));
    if (weights.tileSteps() > 0)
      parts.tileSums = reinterpret_cast<float *>(
          take(sizeof(float) * byteTileRows * panelColumns));
    return parts;
  }

  int64_t rowCount() const { return static_cast<int64_t>(data.at.size()); }

  void runRows(void *const *operands, const Parts &parts, Range range,
               Range panels) const {
    const int64_t depth = weights.rowCut().depth;
    for (int64_t row = range.begin; row < range.end; ++row) {
      const float *from = static_cast<const float *>(operands[0]) +
                          data.at[static_cast<size_t>(row)];
      for (int64_t k = 0; data.step != 1 && k < depth; ++k)
        parts.line[k] = from[k * data.step];
      quantizeRow(data.step == 1 ? from : parts.line, weights.rowCut(),
                  parts.rows, row - range.begin);
    }
    const bool isInTiles =
        weights.tileSteps() > 0 && range.end - range.begin >= byteTileRows;
    std::optional<TileScope> tiles;
    if (isInTiles)
      tiles.emplace(weights.tileSteps());
    for (int64_t panel = panels.begin; panel < panels.end; ++panel) {
      const QuantizedWeights::Panel ready =
          weights.prepare(panel, range.end - range.begin <= strip, parts.panel);
      result.begin(operands, parts.values, panel);
      int64_t row = range.begin;
      for (; isInTiles && row + byteTileRows <= range.end; row += byteTileRows)
        runTiles(operands, parts, ready, panel, row, row - range.begin);
      for (; row < range.end; row += strip) {
        const int64_t count = std::min(strip, range.end - row);
        weights.multiply(ready, parts.rows, row - range.begin, count,
                         result.sumsIn(parts.values));
        result.store(operands, parts.values, panel, row, count);
      }
    }
  }

  /// Of byteTileRows rows, the first of which is number `place` of those at
  /// hand.
  void runTiles(void *const *operands, const Parts &parts,
                const QuantizedWeights::Panel &ready, int64_t panel,
                int64_t row, int64_t place) const {
    weights.multiplyByTiles(ready, parts.rows, place, parts.tileSums);
    for (int64_t i = 0; i < byteTileRows; i += strip) {
      std::copy_n(parts.tileSums + i * panelColumns, strip * panelColumns,
                  result.sumsIn(parts.values));
      result.store(operands, parts.values, panel, row + i, strip);
    }
  }

  Problem problem;
  QuantizedWeights weights;
  int proper;
  int64_t rowsAtOnce = strip;
  RowMap data;
  PanelResult result;
};

} // namespace

std::unique_ptr<Kernel> createMatmulQuantized(const Problem &problem,
                                              std::string &whyNot) {
  if (!hasPackedWeights(problem) || problem.attrs.matmul.quantize <= 0) {
    whyNot = "data that is not quantized in groups";
    return nullptr;
  }
  const int64_t depth = problem.inputs[0].dims[problem.inputs[0].rank - 1];
  const int64_t block = problem.attrs.matmul.block,
                group = problem.attrs.matmul.quantize;
  whyNot = whyNotInPanels(problem);
  if (!whyNot.empty())
    return nullptr;
  if (depth > deepestSum)
    whyNot = "sums beyond 31 bits";
  else if ((block != 0 && block < depth && block % bytesTogether != 0) ||
           (group < depth && group % bytesTogether != 0))
    whyNot = "blocks that are no groups of four";
  if (!whyNot.empty())
    return nullptr;
  auto made = std::make_unique<MatmulQuantized>(problem);
  return made->prepare(whyNot) ? std::move(made) : nullptr;
}

} // namespace npu::kernels
