// SPDX-License-Identifier: Apache-2.0
//
// Running sums and products in any layout. What follows an element along the
// axis waits for it, so several lines go on at once: those whose elements lie
// side by side as vectors, else a few in registers. The sums are those of the
// reference, to the bit: doubles of floats, integers that wrap.

#include "kernels/parallel.h"
#include "kernels/registry.h"
#include "kernels/support/movement.h"
#include "kernels/support/vectors.h"

#include <algorithm>
#include <type_traits>

// Sanitisers and builds without optimisation vectorise nothing; only slower.
#pragma clang diagnostic ignored "-Wpass-failed"

namespace npu::kernels {

constexpr int64_t minElementsPerThread = 8192;
/// Lines at once, side by side and apart. Of the latter more would lie in the
/// same places of the nearest cache, where lines are a power of two long.
constexpr int wide = 256, narrow = 4;

/// What a sum of elements of type T is kept in.
template <typename T>
using SumOf = std::conditional_t<std::is_floating_point_v<T>, double, T>;

template <typename T, bool isProduct, bool isExclusive>
static NPU_INLINE void step(T x, T &y, SumOf<T> &sum) {
  SumOf<T> before = sum;
  auto value = static_cast<SumOf<T>>(x);
  sum = static_cast<SumOf<T>>(isProduct ? sum * value : sum + value);
  y = static_cast<T>(isExclusive ? before : sum);
}

/// One element of each of `count` lines that lie side by side.
template <typename T, bool isProduct, bool isExclusive>
static NPU_INLINE void stepRow(const T *x, T *y, SumOf<T> *sums, int count) {
  for (int i = 0; i < count; ++i)
    step<T, isProduct, isExclusive>(x[i], y[i], sums[i]);
}

/// The same for sums of floats, which networks have.
static NPU_CLONES(void, addRow,
                  (const float *x, float *y, double *sums, int count),
                  (x, y, sums, count)) {
  stepRow<float, false, false>(x, y, sums, count);
}

namespace {
/// Where lines lie, whatever is done along them.
class CumulateLines : public Kernel {
public:
  explicit CumulateLines(const Problem &p);

  std::string implementation() const override { return "native:cumulate"; }

protected:
  npu_tensor_desc result;
  size_t inputs;
  int threads;
  bool isReverse;
  int64_t extent;
  DimMap from, to; // along the axis
  Walk lines;      // data, result
};

CumulateLines::CumulateLines(const Problem &p)
    : result(p.outputs[0]), inputs(p.inputs.size()), threads(p.threads),
      isReverse(p.attrs.cumulate.reverse != 0), lines({}) {
  const npu_tensor_desc &data = p.inputs[0];
  auto axis = static_cast<int>(p.attrs.cumulate.axis);
  extent = data.dims[axis];
  from = dimMap(data, axis, extent);
  to = dimMap(result, axis, extent);
  std::vector<int64_t> extents;
  std::vector<DimMap> reads, writes;
  for (int place = 0; place < result.rank; ++place) {
    int dim = result.order[place];
    if (dim == axis)
      continue;
    extents.push_back(result.dims[dim]);
    reads.push_back(dimMap(data, dim, data.dims[dim]));
    writes.push_back(dimMap(result, dim, result.dims[dim]));
  }
  lines = Walk(extents);
  lines.add(reads);
  lines.add(writes);
  lines.coalesce();
}

/// T: float, or the unsigned type of as many bytes as the integers have.
template <typename T, bool isProduct, bool isExclusive>
class CumulateFast : public CumulateLines {
public:
  using CumulateLines::CumulateLines;

  int run(void *const *operands, void *) const override {
    const auto *data = static_cast<const T *>(operands[0]);
    auto *out = static_cast<T *>(operands[inputs]);
    int team = teamFor(lines.size() * extent, minElementsPerThread, threads);
    parallelFor(team, [&](int thread, int all) {
      Range range = shareOf(lines.size(), thread, all);
      for (int64_t at = range.begin; at < range.end;)
        at += runSome(data, out, at, range.end - at);
    });
    zeroPadding(result, out);
    return 0;
  }

private:
  using Sum = SumOf<T>;

  /// What changes no element: -0.0 is itself after -0.0, and 0 after 0. Ahead
  /// of an exclusive sum's first element is nothing, which is 0.
  static Sum first() {
    if constexpr (isProduct)
      return 1;
    else if constexpr (isExclusive || !std::is_floating_point_v<T>)
      return 0;
    else
      return -0.0;
  }

  /// Runs some of the lines from `line` on; how many.
  int64_t runSome(const T *data, T *out, int64_t line, int64_t left) const {
    int64_t reads[wide], writes[wide];
    auto count = static_cast<int>(std::min<int64_t>(wide, left));
    lines.list(0, line, count, reads);
    lines.list(1, line, count, writes);
    int row = 1; // so many lie side by side
    while (row < count && reads[row] == reads[0] + row &&
           writes[row] == writes[0] + row)
      ++row;
    if (row > narrow) {
      runRow(data + reads[0], out + writes[0], row);
      return row;
    }
    count = std::min(count, narrow);
    int done = 0;
    for (; done + narrow <= count; done += narrow)
      runFew<narrow>(data, out, reads + done, writes + done);
    for (; done < count; ++done)
      runFew<1>(data, out, reads + done, writes + done);
    return count;
  }

  int64_t placeOf(int64_t k) const { return isReverse ? extent - 1 - k : k; }

  void runRow(const T *data, T *out, int count) const {
    Sum sums[wide];
    std::fill(sums, sums + count, first());
    for (int64_t k = 0; k < extent; ++k) {
      const T *x = data + from.at(placeOf(k));
      T *y = out + to.at(placeOf(k));
      if constexpr (std::is_same_v<T, float> && !isProduct && !isExclusive)
        addRow(x, y, sums, count);
      else
        stepRow<T, isProduct, isExclusive>(x, y, sums, count);
    }
  }

  template <int count>
  void runFew(const T *data, T *out, const int64_t *reads,
              const int64_t *writes) const {
    Sum sums[count];
    std::fill(sums, sums + count, first());
    for (int64_t k = 0; k < extent; ++k) {
      const T *x = data + from.at(placeOf(k));
      T *y = out + to.at(placeOf(k));
#pragma clang loop unroll(full)
      for (int i = 0; i < count; ++i)
        step<T, isProduct, isExclusive>(x[reads[i]], y[writes[i]], sums[i]);
    }
  }
};

template <typename T>
std::unique_ptr<Kernel> createFor(const Problem &p) {
  const npu_cumulate_attrs &a = p.attrs.cumulate;
  bool isProduct = a.kind == NPU_CUMULATE_PROD;
  if (isProduct && a.exclusive)
    return std::make_unique<CumulateFast<T, true, true>>(p);
  if (isProduct)
    return std::make_unique<CumulateFast<T, true, false>>(p);
  if (a.exclusive)
    return std::make_unique<CumulateFast<T, false, true>>(p);
  return std::make_unique<CumulateFast<T, false, false>>(p);
}
} // namespace

std::unique_ptr<Kernel> createCumulateFast(const Problem &problem,
                                           std::string &whyNot) {
  int32_t type = problem.inputs[0].dtype;
  whyNot = whyNotAsStored(problem);
  if (!whyNot.empty())
    return nullptr;
  switch (type) {
  case NPU_F32:
    return createFor<float>(problem);
  case NPU_I32:
    return createFor<uint32_t>(problem);
  case NPU_I64:
    return createFor<uint64_t>(problem);
  default:
    whyNot = std::string("sums of ") + dtypeName(type);
    return nullptr;
  }
}

} // namespace npu::kernels
