// SPDX-License-Identifier: Apache-2.0
//
// Normalisation in any plain or fully blocked layout: sums in one pass over the
// data as it lies in memory, the result in another. Each set of numbers with
// one mean belongs to one thread, so sums do not depend on the team. They are
// double, which is exact enough for the variance as a difference of sums. Short
// rows: norm_rows.h.

#include "kernels/parallel.h"
#include "kernels/registry.h"
#include "kernels/support/access.h"
#include "kernels/support/convert.h"
#include "kernels/support/reference.h"
#include "kernels/support/sort.h"
#include "kernels/support/vectors.h"
#include "kernels/tensornorm/norm_rows.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace npu::kernels {

constexpr int64_t minElementsPerThread = 8192;
/// Shorter runs of numbers with one mean add up column by column.
constexpr int64_t shortRun = 128;

namespace {
struct Loop {
  int64_t extent = 1;
  int64_t data = 0, scale = 0, bias = 0; // steps in elements
  bool isReduced = false;
  int64_t set = 0;  // step in sets of numbers with one mean
  int64_t unit = 1; // neighbouring sets that have one mean together
};

/// Positions in all operands.
struct Place {
  int64_t data = 0, scale = 0, bias = 0, set = 0;
  void advance(const Loop &loop, int64_t by) {
    data += by * loop.data;
    scale += by * loop.scale;
    bias += by * loop.bias;
    set += by * loop.set;
  }
};
} // namespace

namespace {
/// Rows of `length` numbers that lie one after the other.
struct Rows {
  int64_t count, length;
  Loop step; // from row to row
};
} // namespace

/// Each row belongs to one set.
static NPU_CLONES(void, addRuns,
                  (const Rows &rows, const float *x, double *sums,
                   double *squares),
                  (rows, x, sums, squares)) {
  constexpr int lanes = 16;
  for (int64_t r = 0; r < rows.count; ++r, x += rows.step.data) {
    double s[lanes] = {}, q[lanes] = {};
    int64_t i = 0;
    for (; i + lanes <= rows.length; i += lanes)
      for (int k = 0; k < lanes; ++k) {
        double v = x[i + k];
        s[k] += v;
        q[k] += v * v;
      }
    for (int k = 0; i < rows.length; ++i, ++k) {
      double v = x[i];
      s[k] += v;
      q[k] += v * v;
    }
    for (int width = lanes / 2; width > 0; width /= 2)
      for (int k = 0; k < width; ++k) {
        s[k] += s[k + width];
        q[k] += q[k + width];
      }
    sums[r * rows.step.set] += s[0];
    squares[r * rows.step.set] += q[0];
  }
}

/// Each number of a row belongs to a set of its own, the same in all rows.
static NPU_CLONES(void, addColumns,
                  (const Rows &rows, const float *x, double *sums,
                   double *squares),
                  (rows, x, sums, squares)) {
  constexpr int lanes = 16;
  int64_t first = 0;
  for (; first + lanes <= rows.length; first += lanes) {
    double s[lanes] = {}, q[lanes] = {};
    const float *row = x + first;
    for (int64_t r = 0; r < rows.count; ++r, row += rows.step.data)
      for (int k = 0; k < lanes; ++k) {
        double v = row[k];
        s[k] += v;
        q[k] += v * v;
      }
    for (int k = 0; k < lanes; ++k) {
      sums[first + k] += s[k];
      squares[first + k] += q[k];
    }
  }
  for (int64_t r = 0; r < rows.count; ++r, x += rows.step.data)
    for (int64_t i = first; i < rows.length; ++i) {
      double v = x[i];
      sums[i] += v;
      squares[i] += v * v;
    }
}

namespace {
/// What rows are normalised with, at their first number.
struct Parameters {
  const float *mean, *factor, *scale, *bias;
};
} // namespace

template <int Set, int Scale, int Bias>
static inline __attribute__((always_inline)) void
normalize(const Rows &rows, const float *x, float *y, Parameters p) {
  for (int64_t r = 0; r < rows.count; ++r) {
    for (int64_t i = 0; i < rows.length; ++i)
      y[i] =
          (x[i] - p.mean[i * Set]) * (p.factor[i * Set] * p.scale[i * Scale]) +
          p.bias[i * Bias];
    x += rows.step.data;
    y += rows.step.data;
    p.mean += rows.step.set;
    p.factor += rows.step.set;
    p.scale += rows.step.scale;
    p.bias += rows.step.bias;
  }
}

/// `kind`: whether sets, scale and bias change along a row (4, 2, 1).
static NPU_CLONES(void, normalizeRows,
                  (int kind, const Rows &rows, const float *x, float *y,
                   const Parameters &p),
                  (kind, rows, x, y, p)) {
  switch (kind) {
  case 0:
    return normalize<0, 0, 0>(rows, x, y, p);
  case 1:
    return normalize<0, 0, 1>(rows, x, y, p);
  case 2:
    return normalize<0, 1, 0>(rows, x, y, p);
  case 3:
    return normalize<0, 1, 1>(rows, x, y, p);
  case 4:
    return normalize<1, 0, 0>(rows, x, y, p);
  case 5:
    return normalize<1, 0, 1>(rows, x, y, p);
  case 6:
    return normalize<1, 1, 0>(rows, x, y, p);
  default:
    return normalize<1, 1, 1>(rows, x, y, p);
  }
}

namespace {
class TensornormFast : public Kernel {
public:
  TensornormFast(const Problem &p, std::vector<Loop> all)
      : attrs(p.attrs.norm), inputs(p.inputs.size()), threads(p.threads),
        elements(elementCount(p.inputs[0])),
        isRounded(p.outputs[0].dtype == NPU_BF16), loops(std::move(all)) {
    joinColumns();
    size_t inside = 0; // the first reduced loop, or the last of all
    while (inside + 1 < loops.size() && !loops[inside].isReduced)
      ++inside;
    for (size_t i = loops.size(); i-- > 0;) {
      Loop &loop = loops[i];
      count *= loop.isReduced ? loop.extent : loop.unit;
      if (loop.isReduced || i < inside)
        continue;
      loop.set = sets;
      sets *= loop.extent;
    }
    outer = inside;
    // Threads share the outermost kept loop, or the largest if that is small.
    for (size_t i = 0; i < loops.size(); ++i)
      if (!loops[i].isReduced &&
          (shared < 0 ||
           (loops[static_cast<size_t>(shared)].extent < threads &&
            loops[i].extent > loops[static_cast<size_t>(shared)].extent)))
        shared = static_cast<int>(i);
  }

  std::string implementation() const override { return "native:norm"; }
  size_t scratchBytes() const override {
    return static_cast<size_t>(threads) * perThread();
  }

  int run(void *const *operands, void *scratch) const override {
    int team =
        shared < 0 ? 1 : teamFor(elements, minElementsPerThread, threads);
    parallelFor(team, [&](int thread, int threadCount) {
      std::vector<Loop> mine = loops;
      Place start;
      if (shared >= 0) {
        Loop &loop = mine[static_cast<size_t>(shared)];
        Range range = shareOf(loop.extent / loop.unit, thread, threadCount);
        start.advance(loop, range.begin * loop.unit);
        loop.extent = (range.end - range.begin) * loop.unit;
        if (loop.extent == 0)
          return;
      }
      char *own = static_cast<char *>(scratch) +
                  static_cast<size_t>(thread) * perThread();
      if (isOfRows())
        return forLoops(mine, 0, outer - 1, start, [&](const Place &place) {
          runRows(mine, place, operands, own);
        });
      forLoops(mine, 0, outer, start, [&](const Place &place) {
        runUnit(mine, place, start.set, operands, own);
      });
    });
    return 0;
  }

  /// Whether each row in one piece has a mean of its own, and is read again
  /// from the nearest cache.
  bool isOfRows() const {
    return outer > 0 && outer + 1 == loops.size() && loops.back().isReduced &&
           loops.back().scale == 1 && loops.back().extent <= longestRow;
  }

private:
  /// Short runs inside of groups inside of what else has the groups' means
  /// (channels last): columns are sets of their own, and sums of them joined.
  void joinColumns() {
    if (loops.size() < 3)
      return;
    const Loop run = loops.back();
    Loop &groups = loops[loops.size() - 2];
    if (!run.isReduced || groups.isReduced || run.extent >= shortRun ||
        groups.data != run.extent || groups.scale != run.scale * run.extent ||
        groups.bias != run.bias * run.extent ||
        std::none_of(loops.begin(), loops.end() - 2,
                     [](const Loop &loop) { return loop.isReduced; }))
      return;
    groups.extent *= run.extent;
    groups.data = run.data;
    groups.scale = run.scale;
    groups.bias = run.bias;
    groups.unit = run.extent;
    loops.pop_back();
  }

  size_t perThread() const {
    if (isRounded)
      return aligned(longestRow * sizeof(float));
    return aligned(static_cast<size_t>(sets) *
                   (2 * sizeof(double) + 2 * sizeof(float)));
  }

  template <typename Body>
  static void forLoops(const std::vector<Loop> &all, size_t from, size_t to,
                       Place place, const Body &body) {
    if (from == to)
      return body(place);
    for (int64_t i = 0; i < all[from].extent; ++i) {
      forLoops(all, from + 1, to, place, body);
      place.advance(all[from], 1);
    }
  }

  /// The innermost kept loop.
  void runRows(const std::vector<Loop> &mine, const Place &at,
               void *const *operands, char *own) const {
    const Loop &each = mine[outer - 1], &inner = mine.back();
    const float zero = 0;
    NormRows rows;
    rows.count = each.extent;
    rows.length = inner.extent;
    rows.epsilon = attrs.epsilon;
    rows.isCentered = attrs.centered != 0;
    rows.data = {static_cast<const float *>(operands[0]) + at.data, each.data};
    rows.scale = {static_cast<const float *>(operands[1]) + at.scale,
                  each.scale};
    rows.isBiasAlong = inner.bias != 0;
    rows.bias = {&zero, 0};
    if (attrs.has_bias)
      rows.bias = {static_cast<const float *>(operands[2]) + at.bias,
                   each.bias};
    rows.resultStep = each.data;
    if (isRounded)
      roundRows(rows, static_cast<uint16_t *>(operands[inputs]) + at.data, own);
    else
      normalizeEach(rows, static_cast<float *>(operands[inputs]) + at.data);
  }

  /// By way of floats, some rows at a time.
  static void roundRows(NormRows rows, uint16_t *to, char *own) {
    auto *floats = reinterpret_cast<float *>(own);
    const int64_t most = longestRow / rows.length, all = rows.count,
                  step = rows.resultStep;
    rows.resultStep = rows.length;
    for (int64_t first = 0; first < all; first += most) {
      rows.count = std::min(most, all - first);
      normalizeEach(rows, floats);
      for (int64_t r = 0; r < rows.count; ++r, to += step)
        narrow(NPU_BF16, floats + r * rows.length, to, rows.length);
      for (OfRows *part : {&rows.data, &rows.scale, &rows.bias})
        part->first += rows.count * part->step;
    }
  }

  /// All that lies inside the outermost kept loops.
  void runUnit(const std::vector<Loop> &mine, const Place &unit,
               int64_t firstSet, void *const *operands, char *own) const {
    const auto *x = static_cast<const float *>(operands[0]);
    auto *y = static_cast<float *>(operands[inputs]);
    auto *sums = reinterpret_cast<double *>(own), *squares = sums + sets;
    auto *mean = reinterpret_cast<float *>(squares + sets),
         *factor = mean + sets;
    std::fill(sums, sums + 2 * sets, 0.0);
    const Loop &inner = mine.back();
    size_t last = mine.size() - 1;
    Rows rows = {1, inner.extent, {}};
    // Columns add up where the loop around them is reduced; else row by row.
    if (last > outer && (inner.isReduced || mine[last - 1].isReduced)) {
      rows.step = mine[--last];
      rows.count = rows.step.extent;
    }
    forLoops(mine, outer, last, unit, [&](const Place &at) {
      (inner.isReduced ? addRuns : addColumns)(rows, x + at.data, sums + at.set,
                                               squares + at.set);
    });
    const int64_t joined = inner.unit;
    for (int64_t i = firstSet; i < sets; i += joined) {
      double sum = 0, square = 0;
      for (int64_t k = i; k < i + joined; ++k) {
        sum += sums[k];
        square += squares[k];
      }
      double m = attrs.centered ? sum / static_cast<double>(count) : 0;
      double variance = square / static_cast<double>(count) - m * m;
      std::fill_n(mean + i, joined, static_cast<float>(m));
      std::fill_n(factor + i, joined,
                  static_cast<float>(
                      1 / std::sqrt(std::max(variance, 0.0) + attrs.epsilon)));
    }
    const float zero = 0;
    const auto *scale = static_cast<const float *>(operands[1]);
    const auto *bias =
        attrs.has_bias ? static_cast<const float *>(operands[2]) : &zero;
    int kind = (inner.isReduced ? 0 : 4) + (inner.scale ? 2 : 0) +
               (inner.bias ? 1 : 0);
    forLoops(mine, outer, last, unit, [&](const Place &at) {
      normalizeRows(
          kind, rows, x + at.data, y + at.data,
          {mean + at.set, factor + at.set, scale + at.scale, bias + at.bias});
    });
  }

  npu_norm_attrs attrs;
  size_t inputs;
  int threads;
  int64_t elements;
  bool isRounded;          // the result, to bf16
  std::vector<Loop> loops; // in the order of memory
  size_t outer = 0;        // kept loops around all reduced ones
  int64_t sets = 1;        // inside of those
  int64_t count = 1;       // numbers with one mean
  int shared = -1;
};
} // namespace

namespace {
/// Steps of a parameter along a dimension of the data.
struct Steps {
  int64_t element = 0; // inside a block of the data
  int64_t block = 0;   // from block to block
};
} // namespace

/// Along dimension `d` of the data, which is stored in blocks of `block`; none
/// where the parameter's own blocks, of one dimension at most, do not fit
/// these.
static std::optional<Steps> stepsOf(const npu_tensor_desc &parameter, int d,
                                    int rank, int64_t block) {
  int dim = d - (rank - parameter.rank);
  if (dim < 0 || parameter.dims[dim] == 1)
    return Steps{};
  Strides strides = stridesOf(parameter);
  int64_t outer = strides.outer[dim], own = blockOf(parameter, dim);
  int64_t inner = own == 1 ? outer : strides.block[0];
  if (outer == inner * own) // as if it had no blocks
    return Steps{inner, inner * block};
  return own == block ? std::optional(Steps{inner, outer}) : std::nullopt;
}

/// The loops of dimension `d`: groups, outer part, block.
static std::string addLoops(const Problem &p, int d, const Strides &strides,
                            std::vector<Loop> &loops) {
  const npu_tensor_desc &x = p.inputs[0];
  const npu_norm_attrs &a = p.attrs.norm;
  bool isReduced = a.axes_mask >> d & 1;
  int64_t groups = isReduced && d == a.group_axis ? a.groups : 1;
  int64_t extent = x.dims[d] / groups, block = blockOf(x, d);
  if (extent % block)
    return "blocks that are not full";
  std::optional<Steps> scale = stepsOf(p.inputs[1], d, x.rank, block);
  std::optional<Steps> bias = a.has_bias
                                  ? stepsOf(p.inputs[2], d, x.rank, block)
                                  : std::optional(Steps{});
  if (!scale || !bias)
    return "scale or bias in other blocks than the data";
  int64_t blocks = extent / block;
  loops.push_back({groups, strides.outer[d] * blocks, scale->block * blocks,
                   bias->block * blocks, false});
  loops.push_back(
      {blocks, strides.outer[d], scale->block, bias->block, isReduced});
  for (int k = 0; k < x.block_count; ++k)
    if (x.block_dims[k] == d)
      loops.push_back(
          {block, strides.block[k], scale->element, bias->element, isReduced});
  return "";
}

/// Sorted by memory, neighbours merged, units left out.
static void tidy(std::vector<Loop> &loops) {
  loops.erase(std::remove_if(loops.begin(), loops.end(),
                             [](const Loop &l) { return l.extent == 1; }),
              loops.end());
  sortFew(loops, [](const Loop &a, const Loop &b) { return a.data > b.data; });
  for (size_t i = loops.size(); i-- > 1;) {
    Loop &before = loops[i - 1], &in = loops[i];
    if (before.isReduced != in.isReduced ||
        before.data != in.data * in.extent ||
        before.scale != in.scale * in.extent ||
        before.bias != in.bias * in.extent)
      continue;
    in.extent *= before.extent;
    loops.erase(loops.begin() + static_cast<long>(i) - 1);
  }
}

std::unique_ptr<Kernel> createTensornormFast(const Problem &problem,
                                             std::string &whyNot) {
  const npu_tensor_desc &x = problem.inputs[0];
  bool isPlain = x.block_count <= 1 && elementCount(x) > 0;
  for (size_t i = 1; i < (problem.attrs.norm.has_bias ? 3 : 2); ++i)
    isPlain &= problem.inputs[i].dtype == NPU_F32 &&
               problem.inputs[i].block_count <= 1;
  if (!problem.instrs.empty())
    whyNot = "fused instructions";
  else if (x.dtype != NPU_F32 || (problem.outputs[0].dtype != NPU_F32 &&
                                  problem.outputs[0].dtype != NPU_BF16))
    whyNot = "types other than f32";
  else if (!isPlain || !sameStorage(x, problem.outputs[0]))
    whyNot = "several blocks, or another layout of the result";
  std::vector<Loop> loops;
  Strides strides = stridesOf(x);
  for (int d = 0; whyNot.empty() && d < x.rank; ++d)
    whyNot = addLoops(problem, d, strides, loops);
  if (!whyNot.empty())
    return nullptr;
  tidy(loops);
  if (loops.empty())
    loops.push_back({1, 1, 0, 0, true});
  const Loop &inner = loops.back();
  if (inner.data != 1 || inner.scale > 1 || inner.bias > 1) {
    whyNot = "scale or bias in another order than the data";
    return nullptr;
  }
  auto kernel = std::make_unique<TensornormFast>(problem, std::move(loops));
  if (kernel->isOfRows() || problem.outputs[0].dtype == NPU_F32)
    return kernel;
  whyNot = "bf16 of what are no rows with a mean each";
  return nullptr;
}

} // namespace npu::kernels
