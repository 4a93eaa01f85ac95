// SPDX-License-Identifier: Apache-2.0
//
// A few rows of floats times signed bytes, with data that is quantized by its
// range: each thread finds the range and makes bytes of all rows, which takes
// less than to meet the others, and multiplies them by its panels of columns,
// whose sums stay in registers until they are scaled.

#include "kernels/matmul/panel_result.h"
#include "kernels/matmul/ranged_rows.h"
#include "kernels/packed.h"
#include "kernels/parallel.h"
#include "kernels/registry.h"
#include "kernels/support/access.h"
#include "kernels/support/reference.h"
#include "kernels/support/vectors.h"
#include "kernels/validate.h"

#include <algorithm>
#include <functional>
#include <immintrin.h>

namespace npu::kernels {

/// Multiply-adds that are worth waking another thread for.
constexpr int64_t minWorkPerThread = 100000;
/// Numbers of the depth that an instruction adds up, and bytes of those of a
/// panel.
constexpr int64_t together = 4, groupBytes = panelColumns * together;

namespace {

/// Up to `strip` rows of bytes and a panel, whose groups are an even number.
struct ByteTile {
  const int8_t *panel; // [group][column][together]
  const uint8_t *bytes;
  int64_t rowBytes, groups;
  int32_t *sums; // [row][column]
};

#define NPU_VNNI __attribute__((target("avx512f,avx512vnni")))
constexpr int64_t vectors = panelColumns / lanes;

/// `Sets`: sums of a row that do not wait for each other.
template <int Rows, int Sets>
NPU_VNNI void multiplyRows(const ByteTile &t) {
  __m512i sums[Sets][Rows][vectors];
  for (auto &set : sums)
    for (auto &row : set)
      for (__m512i &sum : row)
        sum = _mm512_setzero_si512();
  const int8_t *panel = t.panel;
  const uint8_t *bytes = t.bytes;
  for (int64_t g = 0; g < t.groups; g += Sets)
    for (int s = 0; s < Sets; ++s, panel += groupBytes, bytes += together)
      for (int r = 0; r < Rows; ++r) {
        int32_t four;
        std::memcpy(&four, bytes + r * t.rowBytes, sizeof(four));
        for (int v = 0; v < vectors; ++v)
          sums[s][r][v] = _mm512_dpbusd_epi32(
              sums[s][r][v], _mm512_set1_epi32(four),
              _mm512_loadu_si512(panel + v * lanes * together));
      }
  for (int r = 0; r < Rows; ++r)
    for (int v = 0; v < vectors; ++v) {
      __m512i sum = sums[0][r][v];
      for (int s = 1; s < Sets; ++s)
        sum = _mm512_add_epi32(sum, sums[s][r][v]);
      _mm512_storeu_si512(t.sums + r * panelColumns + v * lanes, sum);
    }
}

/// The same on any processor.
NPU_WIDE_CLONES(void, multiplyPlainly, (const ByteTile &t, int64_t count),
                (t, count)) {
  for (int64_t r = 0; r < count; ++r) {
    int32_t sums[panelColumns] = {};
    const uint8_t *bytes = t.bytes + r * t.rowBytes;
    const int8_t *panel = t.panel;
    for (int64_t g = 0; g < t.groups; ++g, bytes += together)
      for (int64_t n = 0; n < panelColumns; ++n, panel += together)
        sums[n] += panel[0] * bytes[0] + panel[1] * bytes[1] +
                   panel[2] * bytes[2] + panel[3] * bytes[3];
    std::copy(sums, sums + panelColumns, t.sums + r * panelColumns);
  }
}

void multiply(const ByteTile &tile, int64_t count) {
  if (!processor().hasVnni)
    return multiplyPlainly(tile, count);
  switch (count) {
  case 1:
    return multiplyRows<1, 2>(tile);
  case 2:
    return multiplyRows<2, 1>(tile);
  case 3:
    return multiplyRows<3, 1>(tile);
  default:
    return multiplyRows<4, 1>(tile);
  }
}

/// What scales the sums of a panel, column by column.
struct Factors {
  const int32_t *columnSums;
  const float *scales;
  ByteSteps steps;
};

NPU_INLINE float realOf(const int32_t *sums, const Factors &factors,
                        int64_t n) {
  const auto whole =
      static_cast<float>(sums[n] - factors.steps.zero * factors.columnSums[n]);
  const float scale = factors.steps.scale * factors.scales[n];
  return whole * scale;
}

/// What the sums of a row of a panel stand for, and what is added to it; null:
/// nothing.
NPU_WIDE_CLONES(void, makeReal,
                (const int32_t *sums, const Factors &factors,
                 const float *added, float *to),
                (sums, factors, added, to)) {
  if (added)
    for (int64_t n = 0; n < panelColumns; ++n) {
      const float real = realOf(sums, factors, n);
      to[n] = added[n] + real;
    }
  else
    for (int64_t n = 0; n < panelColumns; ++n)
      to[n] = realOf(sums, factors, n);
}

NPU_WIDE_CLONES(void, addRow,
                (const float *from, int64_t step, int64_t count, float *to),
                (from, step, count, to)) {
  for (int64_t n = 0; n < count; ++n)
    to[n] += from[n * step];
}

/// A fused instruction that needs no interpreter.
struct Step {
  int operand = -1; // that is added; without one negative numbers become 0
  RowMap rows;
};

class MatmulRanged : public Kernel {
public:
  explicit MatmulRanged(const Problem &p)
      : problem(p), depth(p.inputs[0].dims[p.inputs[0].rank - 1]),
        columns(p.inputs[1].dims[1]),
        groups((depth + 2 * together - 1) / (2 * together) * 2),
        panels((columns + panelColumns - 1) / panelColumns),
        rowBytes((depth + lanes - 1) / lanes * lanes), result(p) {}

  /// False with a reason where an operand cannot be read row by row.
  bool prepare(std::string &whyNot) {
    if (!mapData(problem, data) || (data.step != 1 && depth != 1)) {
      whyNot = "data whose rows are not in one piece";
      return false;
    }
    const bool canStore = result.prepare(whyNot);
    mapRows(problem.outputs[0], problem.outputs[0], places);
    areSteps = canStore && foldSteps();
    for (size_t s = 1; s < steps.size(); ++s)
      goesStraight &=
          steps[s].operand < 0 || steps[s].operand != problem.inPlaceInput;
    return canStore;
  }

  std::string implementation() const override { return "native:ranged"; }

  size_t scratchBytes() const override {
    return static_cast<size_t>(problem.threads) * threadBytes();
  }

  size_t pack(const void *const *operands) override {
    const npu_tensor_desc &b = problem.inputs[1];
    const auto bytes = static_cast<size_t>(panels * panelBytes());
    size_t made = 0;
    packed = packOnce(
        operands[1], "signed bytes and their sums, " + describe(b), bytes,
        [&](void *to) {
          std::memset(to, 0, bytes);
          parallelFor(problem.threads, [&](int thread, int threads) {
            const Range mine = shareOf(panels, thread, threads);
            for (int64_t panel = mine.begin; panel < mine.end; ++panel)
              packPanel(static_cast<const int8_t *>(operands[1]), panel,
                        static_cast<int8_t *>(to) + panel * panelBytes());
          });
          return true;
        },
        made);
    return made + scales.pack(problem.inputs[2], operands[2]);
  }
  bool isPacked(size_t input) const override {
    return input == 1 || input == 2;
  }

  int run(void *const *operands, void *scratch) const override {
    const auto rows = static_cast<int64_t>(data.at.size());
    auto body = [&](int thread, int threads) {
      char *own = static_cast<char *>(scratch) +
                  static_cast<size_t>(thread) * threadBytes();
      auto *bytes = reinterpret_cast<uint8_t *>(own + valueBytes());
      const ByteSteps steps = quantize(operands[0], bytes);
      const Range mine = shareOf(panels, thread, threads);
      for (int64_t panel = mine.begin; panel < mine.end; ++panel)
        runPanel(operands, own, bytes, steps, panel);
    };
    // By reference: a copy would take memory.
    parallelFor(
        teamFor(rows * depth * columns, minWorkPerThread, problem.threads),
        std::ref(body));
    return 0;
  }

private:
  int64_t panelBytes() const {
    return groups * groupBytes +
           panelColumns * static_cast<int64_t>(sizeof(int32_t));
  }
  size_t valueBytes() const { return areSteps ? 0 : result.valueBytes(); }
  size_t threadBytes() const {
    const auto rows = static_cast<int64_t>(data.at.size());
    return valueBytes() + aligned(static_cast<size_t>(rows * rowBytes));
  }

  /// Whether all instructions are steps, which it then knows.
  bool foldSteps() {
    const auto inputs = static_cast<int>(problem.inputs.size());
    int value = inputs;
    for (const npu_instr &instr : problem.instrs) {
      Step step;
      const bool isSum = instr.kind == NPU_INSTR_add &&
                         (instr.a == value) != (instr.b == value);
      if (isSum)
        step.operand = instr.a == value ? instr.b : instr.a;
      const auto input = static_cast<size_t>(step.operand);
      if (instr.dtype != NPU_F32 || step.operand >= inputs ||
          (!isSum && (instr.kind != NPU_INSTR_relu || instr.a != value)) ||
          (isSum &&
           (!mapRows(problem.inputs[input], problem.outputs[0], step.rows) ||
            (step.rows.step != 1 && step.rows.step != 0))))
        return false;
      steps.push_back(std::move(step));
      ++value;
    }
    return problem.outputs[0].dtype == NPU_F32;
  }

  void packPanel(const int8_t *from, int64_t panel, int8_t *to) const {
    const npu_tensor_desc &b = problem.inputs[1];
    const DimMap down = dimMap(b, 0, depth), along = dimMap(b, 1, columns);
    const int64_t first = panel * panelColumns;
    int32_t sums[panelColumns] = {};
    for (int64_t k = 0; k < depth; ++k)
      for (int64_t n = 0; n < std::min(panelColumns, columns - first); ++n) {
        const int8_t number = from[down.at(k) + along.at(first + n)];
        to[k / together * groupBytes + n * together + k % together] = number;
        sums[n] += number;
      }
    std::memcpy(to + groups * groupBytes, sums, sizeof(sums));
  }

  ByteSteps quantize(const void *operand, uint8_t *bytes) const {
    const auto *from = static_cast<const float *>(operand);
    ByteRange range;
    for (int64_t row : data.at)
      widenRange(from + row, depth, range);
    const ByteSteps found = stepsOf(range);
    for (int64_t row : data.at) {
      bytesByRange(from + row, depth, found, bytes);
      bytes += rowBytes;
    }
    return found;
  }

  void runPanel(void *const *operands, void *values, const uint8_t *bytes,
                const ByteSteps &found, int64_t panel) const {
    const auto rows = static_cast<int64_t>(data.at.size());
    const auto *numbers =
        static_cast<const int8_t *>(packed.get()) + panel * panelBytes();
    int32_t sums[strip * panelColumns];
    float columnScales[panelColumns];
    scales.load(panel, 0, columnScales);
    const Factors factors = {
        reinterpret_cast<const int32_t *>(numbers + groups * groupBytes),
        columnScales, found};
    if (!areSteps)
      result.begin(operands, values, panel);
    for (int64_t row = 0; row < rows; row += strip) {
      const int64_t count = std::min(strip, rows - row);
      multiply({numbers, bytes + row * rowBytes, rowBytes, groups, sums},
               count);
      for (int64_t i = 0; i < count; ++i) {
        const int32_t *from = sums + i * panelColumns;
        if (areSteps)
          finishRow(operands, from, factors, panel, row + i);
        else
          makeReal(from, factors, nullptr,
                   result.sumsIn(values) + i * panelColumns);
      }
      if (!areSteps)
        result.store(operands, values, panel, row, count);
    }
  }

  const float *operandOf(void *const *operands, const Step &step, int64_t panel,
                         int64_t row) const {
    return static_cast<const float *>(operands[step.operand]) +
           step.rows.at[static_cast<size_t>(row)] +
           panel * panelColumns * step.rows.step;
  }

  /// A whole row of a panel goes from its sums right to the result.
  void finishRow(void *const *operands, const int32_t *sums,
                 const Factors &factors, int64_t panel, int64_t row) const {
    float room[panelColumns];
    const int64_t first = panel * panelColumns;
    const int64_t count = std::min(panelColumns, columns - first);
    float *to = static_cast<float *>(operands[problem.inputs.size()]) +
                places.at[static_cast<size_t>(row)] + first;
    float *real = goesStraight && count == panelColumns ? to : room;
    const bool addsFirst = !steps.empty() && steps[0].operand >= 0 &&
                           steps[0].rows.step == 1 && real == to;
    makeReal(sums, factors,
             addsFirst ? operandOf(operands, steps[0], panel, row) : nullptr,
             real);
    for (size_t s = addsFirst ? 1 : 0; s < steps.size(); ++s)
      if (steps[s].operand >= 0)
        addRow(operandOf(operands, steps[s], panel, row), steps[s].rows.step,
               count, real);
      else
        std::transform(real, real + count, real,
                       [](float x) { return x < 0 ? 0 : x; });
    if (real != to)
      std::copy_n(real, count, to);
  }

  Problem problem;
  int64_t depth, columns, groups, panels, rowBytes;
  RowMap data, places;
  PanelResult result; // where there are other instructions than steps
  std::vector<Step> steps;
  bool areSteps = false;
  bool goesStraight = true;     // no later step reads what the first overwrites
  std::shared_ptr<void> packed; // [panel], and sums of its columns behind each
  PanelParameter scales;
};

} // namespace

std::unique_ptr<Kernel> createMatmulRanged(const Problem &problem,
                                           std::string &whyNot) {
  if (problem.attrs.matmul.quantize != NPU_QUANTIZE_BY_RANGE) {
    whyNot = "data that is not quantized by its range";
    return nullptr;
  }
  whyNot = whyNotInPanels(problem);
  const npu_tensor_desc &a = problem.inputs[0];
  if (whyNot.empty() && a.dims[a.rank - 1] > deepestByteSum)
    whyNot = "sums beyond 31 bits";
  if (!whyNot.empty())
    return nullptr;
  auto made = std::make_unique<MatmulRanged>(problem);
  return made->prepare(whyNot) ? std::move(made) : nullptr;
}

} // namespace npu::kernels
