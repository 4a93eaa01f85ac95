// SPDX-License-Identifier: Apache-2.0
//
// The mean over dimensions in the middle of memory, with vectors of results
// behind them: an image with its channels last, or in blocks. Threads divide
// the rows and not the results, as kernels before and behind divide pixels: so
// each reads what lies in its own cache, and takes no line away from another.

#include "kernels/parallel.h"
#include "kernels/registry.h"
#include "kernels/support/access.h"
#include "kernels/support/vectors.h"

#include <algorithm>
#include <cstring>
#include <utility>

// Sanitisers and builds without optimisation vectorise nothing; only slower.
#pragma clang diagnostic ignored "-Wpass-failed"

namespace npu::kernels {

constexpr int64_t minElementsPerThread = 8192;

namespace {
/// `count` rows, each `stride` behind the one before.
struct Rows {
  const float *from;
  int64_t count, stride;
};

/// Sums of `Vectors` vectors from column `first` on.
template <int64_t Vectors>
NPU_INLINE void sumColumns(const Rows &rows, int64_t first, float *sums) {
  Vector sum[Vectors] = {};
  for (int64_t row = 0; row < rows.count; ++row) {
    const float *from = rows.from + row * rows.stride + first;
#pragma clang loop unroll(full)
    for (int64_t v = 0; v < Vectors; ++v)
      sum[v] += loadVector(from + v * lanes);
  }
  std::memcpy(sums + first, sum, sizeof(sum));
}
} // namespace

/// sums[c] = the sum of column c.
static NPU_CLONES(void, sumRows, (const Rows &rows, float *sums),
                  (rows, sums)) {
  constexpr int64_t wide = 16, narrow = 4;
  int64_t first = 0, columns = rows.stride;
  for (; first + wide * lanes <= columns; first += wide * lanes)
    sumColumns<wide>(rows, first, sums);
  for (; first + narrow * lanes <= columns; first += narrow * lanes)
    sumColumns<narrow>(rows, first, sums);
  for (; first + lanes <= columns; first += lanes)
    sumColumns<1>(rows, first, sums);
  std::fill(sums + first, sums + columns, 0.0f);
  for (int64_t row = 0; row < rows.count; ++row)
    for (int64_t c = first; c < columns; ++c)
      sums[c] += rows.from[row * rows.stride + c];
}

namespace {
/// [outer][middle][inner] to [outer][inner].
struct Extents {
  int64_t outer = 1, middle = 1, inner = 1;
};

class ReduceRows : public Kernel {
public:
  ReduceRows(const Problem &p, Extents all)
      : extents(all), inputs(p.inputs.size()), threads(p.threads) {}

  std::string implementation() const override { return "native:rows"; }

  size_t scratchBytes() const override {
    return static_cast<size_t>(2 * threads * extents.inner) * sizeof(float);
  }

  int run(void *const *operands, void *scratch) const override {
    const auto *from = static_cast<const float *>(operands[0]);
    auto *to = static_cast<float *>(operands[inputs]);
    auto *parts = static_cast<float *>(scratch);
    int64_t rows = extents.outer * extents.middle;
    int team = teamFor(rows * extents.inner, minElementsPerThread, threads);
    int members = 1;
    parallelFor(team, [&](int thread, int count) {
      if (thread == 0)
        members = count;
      forParts(thread, count, [&](const Part &part) {
        float *sums = part.isWhole ? to + part.outer * extents.inner
                                   : parts + part.slot * extents.inner;
        sumRows({from + part.first * extents.inner, part.count, extents.inner},
                sums);
        if (part.isWhole)
          scale(sums);
      });
    });
    for (int thread = 0; thread < members; ++thread)
      forParts(thread, members, [&](const Part &part) {
        if (!part.isWhole)
          join(part, parts + part.slot * extents.inner,
               to + part.outer * extents.inner);
      });
    return 0;
  }

private:
  /// Rows that one thread sums up for one index of the outer dimensions.
  struct Part {
    int64_t outer, first, count;
    bool isWhole, isFirst, isLast; // of the rows with this index
    int64_t slot;                  // for its sums, where it is not whole
  };

  /// A thread has at most two parts that are not whole.
  template <typename Visit>
  void forParts(int thread, int count, Visit visit) const {
    Range range = shareOf(extents.outer * extents.middle, thread, count);
    for (int64_t row = range.begin; row < range.end;) {
      int64_t outer = row / extents.middle,
              end = std::min((outer + 1) * extents.middle, range.end);
      bool isFirst = row == outer * extents.middle,
           isLast = end == (outer + 1) * extents.middle;
      visit({outer, row, end - row, isFirst && isLast, isFirst, isLast,
             2 * thread + (isFirst ? 1 : 0)});
      row = end;
    }
  }

  /// In the order of the threads, so that a team of the same size gives the
  /// same bits.
  void join(const Part &part, const float *sums, float *to) const {
    for (int64_t c = 0; c < extents.inner; ++c)
      to[c] = part.isFirst ? sums[c] : to[c] + sums[c];
    if (part.isLast)
      scale(to);
  }

  void scale(float *sums) const {
    for (int64_t c = 0; c < extents.inner; ++c)
      sums[c] /= static_cast<float>(extents.middle);
  }

  Extents extents;
  size_t inputs;
  int threads;
};

/// One dimension in memory: which it is, and its extent there.
using Stored = std::pair<int, int64_t>;
} // namespace

/// From the outermost to the innermost, without those of one element.
static std::vector<Stored> storedDims(const npu_tensor_desc &tensor) {
  std::vector<Stored> dims;
  for (int i = 0; i < tensor.rank; ++i) {
    int dim = tensor.order[i];
    int64_t block = blockOf(tensor, dim);
    dims.emplace_back(dim, (tensor.dims[dim] + block - 1) / block);
  }
  for (int i = 0; i < tensor.block_count; ++i)
    dims.emplace_back(tensor.block_dims[i], tensor.block_sizes[i]);
  dims.erase(std::remove_if(dims.begin(), dims.end(),
                            [](const Stored &d) { return d.second == 1; }),
             dims.end());
  return dims;
}

/// False unless reduced dimensions lie side by side with others behind them,
/// and the result has these others in the same order.
static bool isInTheMiddle(const Problem &problem, Extents &extents) {
  const npu_reduce_attrs &a = problem.attrs.reduce;
  auto isReduced = [&](int dim) { return (a.axes_mask >> dim & 1) != 0; };
  std::vector<Stored> kept;
  bool isBehind = false;
  for (const Stored &stored : storedDims(problem.inputs[0])) {
    auto [dim, extent] = stored;
    if (isReduced(dim)) {
      if (isBehind || blockOf(problem.inputs[0], dim) > 1)
        return false;
      extents.middle *= extent;
      continue;
    }
    isBehind = extents.middle > 1;
    (isBehind ? extents.inner : extents.outer) *= extent;
    int removed = 0;
    for (int d = 0; d < dim && !a.keep_dims; ++d)
      removed += isReduced(d);
    kept.emplace_back(dim - removed, extent);
  }
  return isBehind && kept == storedDims(problem.outputs[0]);
}

std::unique_ptr<Kernel> createReduceRows(const Problem &problem,
                                         std::string &whyNot) {
  Extents extents;
  if (problem.attrs.reduce.kind != NPU_REDUCE_MEAN ||
      problem.inputs[0].dtype != NPU_F32 ||
      problem.outputs[0].dtype != NPU_F32 || !problem.instrs.empty())
    whyNot = "not a mean of f32 alone";
  else if (elementCount(problem.inputs[0]) == 0)
    whyNot = "empty tensor";
  else if (!isInTheMiddle(problem, extents))
    whyNot = "no vectors of results behind what is reduced";
  if (!whyNot.empty())
    return nullptr;
  return std::make_unique<ReduceRows>(problem, extents);
}

} // namespace npu::kernels
