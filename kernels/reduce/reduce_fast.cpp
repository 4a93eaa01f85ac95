// SPDX-License-Identifier: Apache-2.0
//
// Reductions in any plain or blocked layout: kept loops outside, reduced loops
// inside, the innermost stored dimension as a vector. Each result belongs to
// one thread, so the order of its sum does not depend on the team.

#include "kernels/parallel.h"
#include "kernels/registry.h"
#include "kernels/support/copy.h"
#include "kernels/support/functions.h"
#include "kernels/support/interpreter.h"
#include "kernels/support/sort.h"
#include "kernels/support/vectors.h"
#include "kernels/support/wrapping.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

// Sanitisers and builds without optimisation vectorise nothing; only slower.
#pragma clang diagnostic ignored "-Wpass-failed"

namespace npu::kernels {

constexpr int64_t vectorLength = 512;
constexpr int64_t minElementsPerThread = 8192;

/// sums[i] += exp(x[i step] - shift[i]); the exponents are at most 0 where the
/// sum counts.
static NPU_WIDE_CLONES(void, addExponentials,
                       (const float *x, int64_t step, int64_t count,
                        const float *shift, float *sums),
                       (x, step, count, shift, sums)) {
  if (step == 1)
    for (int64_t i = 0; i < count; ++i)
      sums[i] += functions::exponentialOfNegative(x[i] - shift[i]);
  else
    for (int64_t i = 0; i < count; ++i)
      sums[i] += functions::exponentialOfNegative(x[i * step] - shift[i]);
}

/// The same with partial sums along x.
static NPU_WIDE_CLONES(void, addLineExponentials,
                       (const float *x, int64_t step, int64_t count,
                        float shift, float *sums),
                       (x, step, count, shift, sums)) {
  int64_t i = 0;
  if (step == 1)
    for (; i + lanes <= count; i += lanes) {
      float powers[lanes];
      for (int64_t k = 0; k < lanes; ++k)
        powers[k] = functions::exponentialOfNegative(x[i + k] - shift);
      for (int64_t k = 0; k < lanes; ++k)
        sums[k] += powers[k];
    }
  for (; i < count; ++i)
    sums[i % lanes] += functions::exponentialOfNegative(x[i * step] - shift);
}

/// Largest and sum to the result; an infinity is the result itself.
static NPU_WIDE_CLONES(void, addLogarithms,
                       (const float *sums, int64_t count, float *results),
                       (sums, count, results)) {
  for (int64_t i = 0; i < count; ++i)
    if (!std::isinf(results[i]))
      results[i] += functions::logarithm(sums[i]);
}

namespace {
struct Loop {
  int64_t extent = 1, from = 0, to = 0;
  bool isReduced = false;
};

template <typename T>
struct Sum {
  static T start() { return 0; }
  static T step(T a, T v) { return plus(a, v); }
  static T join(T a, T b) { return plus(a, b); }
};
template <typename T>
struct SumSquare : Sum<T> {
  static T step(T a, T v) { return plus(a, times(v, v)); }
};
template <typename T>
struct SumAbs : Sum<T> {
  static T step(T a, T v) { return plus(a, v < 0 ? times(v, T(-1)) : v); }
};
template <typename T>
struct Max {
  static T start() {
    if constexpr (std::is_integral_v<T>)
      return std::numeric_limits<T>::lowest();
    else
      return -std::numeric_limits<T>::infinity();
  }
  static T step(T a, T v) { return v > a || v != v ? v : a; }
  static T join(T a, T b) { return step(a, b); }
};
template <typename T>
struct Min {
  static T start() {
    if constexpr (std::is_integral_v<T>)
      return std::numeric_limits<T>::max();
    else
      return std::numeric_limits<T>::infinity();
  }
  static T step(T a, T v) { return v < a || v != v ? v : a; }
  static T join(T a, T b) { return step(a, b); }
};

/// Of floats: the largest, then exponentials.
struct LogSumExp {};

template <typename T>
class ReduceFast : public Kernel {
public:
  ReduceFast(const Problem &p, const std::vector<Piece> &pieces) : problem(p) {
    for (const Piece &piece : pieces)
      boxes.push_back(makeBox(piece));
    for (int d = 0; d < p.inputs[0].rank; ++d)
      if (p.attrs.reduce.axes_mask >> d & 1)
        count *= p.inputs[0].dims[d];
  }

  std::string implementation() const override { return "native:reduce"; }

  int run(void *const *operands, void *) const override {
    const auto *from = static_cast<const T *>(operands[0]);
    auto *to = static_cast<T *>(operands[problem.inputs.size()]);
    switch (problem.attrs.reduce.kind) {
    case NPU_REDUCE_MAX:
      runAs<Max<T>>(from, to);
      break;
    case NPU_REDUCE_MIN:
      runAs<Min<T>>(from, to);
      break;
    case NPU_REDUCE_L1:
      runAs<SumAbs<T>>(from, to);
      break;
    case NPU_REDUCE_L2:
    case NPU_REDUCE_SUM_SQUARE:
      runAs<SumSquare<T>>(from, to);
      break;
    case NPU_REDUCE_LOG_SUM_EXP:
      if constexpr (std::is_floating_point_v<T>)
        runAs<LogSumExp>(from, to);
      break;
    default:
      runAs<Sum<T>>(from, to);
      break;
    }
    zeroPadding(problem.outputs[0], to);
    return 0;
  }

private:
  /// One piece: kept loops, reduced loops, and the innermost of all, which is
  /// a vector of results if it is kept.
  struct Box {
    std::vector<Loop> kept, reduced;
    Loop inner;
    int64_t from = 0, to = 0, units = 1, vectors = 1;
  };

  static Box makeBox(const Piece &piece) {
    Box box;
    std::vector<Loop> loops;
    for (size_t d = 0; d < piece.extents.size(); ++d) {
      Loop loop;
      loop.extent = piece.extents[d];
      loop.from = piece.from[d].stride;
      loop.to = piece.to[d].stride;
      loop.isReduced = loop.to == 0;
      if (loop.extent > 1)
        loops.push_back(loop);
    }
    sortFew(loops,
            [](const Loop &a, const Loop &b) { return a.from > b.from; });
    for (size_t d = loops.size(); d-- > 1;) {
      Loop &outer = loops[d - 1], &in = loops[d];
      if (outer.isReduced != in.isReduced ||
          outer.from != in.from * in.extent || outer.to != in.to * in.extent)
        continue;
      in.extent *= outer.extent;
      loops.erase(loops.begin() + static_cast<long>(d) - 1);
    }
    box.from = piece.fromBase;
    box.to = piece.toBase;
    if (!loops.empty()) {
      box.inner = loops.back();
      loops.pop_back();
    }
    for (const Loop &loop : loops)
      (loop.isReduced ? box.reduced : box.kept).push_back(loop);
    if (!box.inner.isReduced)
      box.vectors = (box.inner.extent + vectorLength - 1) / vectorLength;
    for (const Loop &loop : box.kept)
      box.units *= loop.extent;
    box.units *= box.vectors;
    return box;
  }

  template <typename Kind>
  void runAs(const T *from, T *to) const {
    int64_t elements = elementCount(problem.inputs[0]);
    int team = teamFor(elements, minElementsPerThread, problem.threads);
    parallelFor(team, [&](int thread, int threads) {
      for (const Box &box : boxes) {
        Range range = shareOf(box.units, thread, threads);
        if constexpr (std::is_base_of_v<Sum<float>, Kind>)
          if (hasShortLines(box)) {
            runShort<Kind>(box, range, from, to);
            continue;
          }
        for (int64_t u = range.begin; u < range.end; ++u)
          runUnit<Kind>(box, unitOf(box, u, from, to));
      }
    });
  }

  /// Results of one unit: a vector of `n`, the first of which is the `first` of
  /// the innermost loop, or one that has `n` partial results.
  struct Unit {
    const T *from;
    T *to;
    int64_t first, n;
  };

  static Unit unitOf(const Box &box, int64_t unit, const T *from, T *to) {
    int64_t first = unit % box.vectors * vectorLength;
    int64_t rest = unit / box.vectors;
    from += box.from;
    to += box.to;
    for (size_t d = box.kept.size(); d-- > 0;) {
      from += rest % box.kept[d].extent * box.kept[d].from;
      to += rest % box.kept[d].extent * box.kept[d].to;
      rest /= box.kept[d].extent;
    }
    int64_t n = box.inner.isReduced
                    ? lanes
                    : std::min(vectorLength, box.inner.extent - first);
    return {from, to, first, n};
  }

  /// Calls visit(where) for each element of the reduced loops but the innermost
  /// of all.
  template <typename Visit>
  static void forSteps(const Box &box, Visit visit) {
    int64_t steps = 1;
    for (const Loop &loop : box.reduced)
      steps *= loop.extent;
    for (int64_t s = 0; s < steps; ++s) {
      int64_t left = s, offset = 0;
      for (size_t d = box.reduced.size(); d-- > 0;) {
        offset += left % box.reduced[d].extent * box.reduced[d].from;
        left /= box.reduced[d].extent;
      }
      visit(offset);
    }
  }

  template <typename Kind>
  static void reduceUnit(const Box &box, const Unit &unit, T *sums) {
    std::fill(sums, sums + unit.n, Kind::start());
    forSteps(box, [&](int64_t offset) {
      if (box.inner.isReduced)
        addLine<Kind>(box.inner, unit.from + offset, sums);
      else
        addVector<Kind>(box.inner, unit.from + offset, unit.first, unit.n,
                        sums);
    });
    if (box.inner.isReduced)
      joinLanes<Kind>(sums);
  }

  /// Halves with halves: one after the other would each wait for the one
  /// before.
  template <typename Kind>
  static void joinLanes(T *sums) {
    for (int64_t half = lanes / 2; half > 0; half /= 2)
      for (int64_t i = 0; i < half; ++i)
        sums[i] = Kind::join(sums[i], sums[i + half]);
  }

  /// Whether a unit is a few elements: less than to say which ones. Of sums of
  /// floats (norms of heads): other kinds would be code that nobody runs.
  static bool hasShortLines(const Box &box) {
    return box.inner.isReduced && box.reduced.empty() && !box.kept.empty() &&
           box.inner.extent < 2 * lanes;
  }

  /// Units of one line each, as many in one go as lie behind each other.
  template <typename Kind>
  void runShort(const Box &box, Range range, const T *from, T *to) const {
    const Loop &rows = box.kept.back(), &line = box.inner;
    for (int64_t u = range.begin; u < range.end;) {
      const Unit first = unitOf(box, u, from, to);
      const int64_t n = std::min(range.end - u, rows.extent - u % rows.extent);
      for (int64_t row = 0; row < n; ++row) {
        const T *data = first.from + row * rows.from;
        T sum = Kind::start();
        for (int64_t i = 0; i < line.extent; ++i)
          sum = Kind::step(sum, data[i * line.from]);
        first.to[row * rows.to] = finish(sum);
      }
      u += n;
    }
  }

  template <typename Kind>
  void runUnit(const Box &box, const Unit &unit) const {
    T sums[vectorLength];
    if constexpr (std::is_same_v<Kind, LogSumExp>)
      logSumExp(box, unit, sums);
    else
      reduceUnit<Kind>(box, unit, sums);
    if (box.inner.isReduced)
      *unit.to = finish(sums[0]);
    else
      for (int64_t i = 0; i < unit.n; ++i)
        unit.to[(unit.first + i) * box.inner.to] = finish(sums[i]);
  }

  /// Relative to the largest, so that nothing overflows; an infinity, or NaN,
  /// is the result itself.
  static void logSumExp(const Box &box, const Unit &unit, float *results) {
    const Loop &inner = box.inner;
    float sums[vectorLength], shift[vectorLength];
    std::fill(sums, sums + unit.n, 0.0f);
    reduceUnit<Max<float>>(box, unit, results);
    for (int64_t i = 0; i < unit.n; ++i) {
      float largest = results[inner.isReduced ? 0 : i];
      shift[i] = std::isinf(largest) ? 0 : largest;
    }
    forSteps(box, [&](int64_t offset) {
      const float *x = unit.from + offset;
      if (!inner.isReduced)
        addExponentials(x + unit.first * inner.from, inner.from, unit.n, shift,
                        sums);
      else
        addLineExponentials(x, inner.from, inner.extent, shift[0], sums);
    });
    if (inner.isReduced)
      joinLanes<Sum<float>>(sums);
    addLogarithms(sums, inner.isReduced ? 1 : unit.n, results);
  }

  template <typename Kind>
  static void addVector(const Loop &inner, const T *from, int64_t first,
                        int64_t n, T *sums) {
    if (inner.from == 1)
      for (int64_t i = 0; i < n; ++i)
        sums[i] = Kind::step(sums[i], from[first + i]);
    else
      for (int64_t i = 0; i < n; ++i)
        sums[i] = Kind::step(sums[i], from[(first + i) * inner.from]);
  }

  template <typename Kind>
  static void addLine(const Loop &inner, const T *from, T *sums) {
    int64_t i = 0;
    if (inner.from == 1)
      for (; i + lanes <= inner.extent; i += lanes)
        for (int k = 0; k < lanes; ++k)
          sums[k] = Kind::step(sums[k], from[i + k]);
    for (; i < inner.extent; ++i)
      sums[i % lanes] = Kind::step(sums[i % lanes], from[i * inner.from]);
  }

  T finish(T sum) const {
    if constexpr (std::is_floating_point_v<T>) {
      if (problem.attrs.reduce.kind == NPU_REDUCE_MEAN)
        return sum / static_cast<T>(count);
      if (problem.attrs.reduce.kind == NPU_REDUCE_L2)
        return std::sqrt(sum);
    }
    return sum;
  }

  Problem problem;
  std::vector<Box> boxes;
  int64_t count = 1;
};
} // namespace

/// The input's index space with the result's maps: reduced dimensions stand
/// still.
static Piece makePiece(const Problem &problem) {
  const npu_tensor_desc &x = problem.inputs[0], &y = problem.outputs[0];
  const npu_reduce_attrs &a = problem.attrs.reduce;
  Piece piece;
  piece.input = 0;
  int to = 0;
  for (int d = 0; d < x.rank; ++d) {
    bool isReduced = a.axes_mask >> d & 1;
    piece.extents.push_back(x.dims[d]);
    piece.from.push_back(dimMap(x, d, x.dims[d]));
    piece.to.push_back(isReduced ? DimMap() : dimMap(y, to, y.dims[to]));
    to += !isReduced || a.keep_dims;
  }
  return piece;
}

std::unique_ptr<Kernel> createReduceFast(const Problem &problem,
                                         std::string &whyNot) {
  int64_t kind = problem.attrs.reduce.kind;
  const npu_tensor_desc &x = problem.inputs[0];
  bool isInteger = x.dtype == NPU_I32 || x.dtype == NPU_I64;
  if ((x.dtype != NPU_F32 && !isInteger) || problem.outputs[0].dtype != x.dtype)
    whyNot = std::string("reduction of ") + dtypeName(x.dtype);
  else if (!problem.instrs.empty())
    whyNot = "fused instructions";
  else if (elementCount(x) == 0)
    whyNot = "empty tensor";
  else if (kind == NPU_REDUCE_PROD || kind == NPU_REDUCE_LOG_SUM ||
           (isInteger && (kind == NPU_REDUCE_MEAN || kind == NPU_REDUCE_L2 ||
                          kind == NPU_REDUCE_LOG_SUM_EXP)))
    whyNot = "this kind of reduction";
  for (int d = 0; d < x.rank; ++d)
    if ((problem.attrs.reduce.axes_mask >> d & 1) && blockOf(x, d) > 1 &&
        x.dims[d] % blockOf(x, d))
      whyNot = "reduction over a blocked dimension with padding";
  if (!whyNot.empty())
    return nullptr;
  std::vector<Piece> pieces = splitBlocks(makePiece(problem));
  for (const Piece &piece : pieces)
    for (size_t d = 0; d < piece.extents.size(); ++d)
      if (!piece.from[d].isLinear() || !piece.to[d].isLinear()) {
        whyNot = "nested blocks";
        return nullptr;
      }
  if (x.dtype == NPU_I32)
    return std::make_unique<ReduceFast<int32_t>>(problem, pieces);
  if (x.dtype == NPU_I64)
    return std::make_unique<ReduceFast<int64_t>>(problem, pieces);
  return std::make_unique<ReduceFast<float>>(problem, pieces);
}

} // namespace npu::kernels
