// SPDX-License-Identifier: Apache-2.0
//
// Linear and cubic interpolation under every coordinate rule: per row of the
// result the taps of all other resized dimensions multiplied out, along a loop
// that is as long as the layout allows; then the taps along the row.

#include "kernels/parallel.h"
#include "kernels/registry.h"
#include "kernels/resize/resize.h"
#include "kernels/support/access.h"
#include "kernels/support/vectors.h"

#include <algorithm>

namespace npu::kernels {

constexpr int64_t minWorkPerThread = 8192;
/// Taps of one result element: cubic over two dimensions, linear over four.
constexpr int maxTaps = 16;
/// Of the input, such that a line stays in the nearest caches.
constexpr int64_t maxLineElements = 65536;

/// to[i] = or += weight * from[i]
static NPU_CLONES(void, addTap,
                  (float *to, const float *from, float weight, int64_t n,
                   bool isFirst),
                  (to, from, weight, n, isFirst)) {
  if (isFirst)
    for (int64_t i = 0; i < n; ++i)
      to[i] = weight * from[i];
  else
    for (int64_t i = 0; i < n; ++i)
      to[i] += weight * from[i];
}

template <int Count>
NPU_INLINE void alongTaps(const float *line, const std::vector<Tap> &taps,
                          int64_t inner, float *to, int64_t step) {
  for (size_t first = 0; first < taps.size(); first += Count, to += step) {
    const float *from[Count];
    float weights[Count];
    for (size_t k = 0; k < Count; ++k) {
      from[k] = line + taps[first + k].index * inner;
      weights[k] = taps[first + k].weight;
    }
    for (int64_t i = 0; i < inner; ++i) {
      float sum = 0;
      for (size_t k = 0; k < Count; ++k)
        sum += weights[k] * from[k][i];
      to[i] = sum;
    }
  }
}

/// to[i * step ..] = the sum of the taps' weight * line[index * inner ..]
static NPU_CLONES(void, alongLine,
                  (const float *line, const Taps &taps, int64_t inner,
                   float *to, int64_t step),
                  (line, taps, inner, to, step)) {
  if (taps.tapCount == 2)
    alongTaps<2>(line, taps.taps, inner, to, step);
  else
    alongTaps<4>(line, taps.taps, inner, to, step);
}

namespace {
struct Axis {
  int dim;
  int64_t extent, fromStride, toStride;
  Taps taps;
};

class ResizeLinear : public Kernel {
public:
  explicit ResizeLinear(const Problem &p)
      : output(p.outputs[0]), inputs(p.inputs.size()), threads(p.threads) {
    const npu_tensor_desc &x = p.inputs[0];
    Strides from = stridesOf(x), to = stridesOf(output);
    for (int place = 0; place < output.rank; ++place) {
      int d = output.order[place];
      axes.push_back(
          {d, output.dims[d], from.outer[d], to.outer[d],
           interpolationTaps(p.attrs.resize, d, x.dims[d], output.dims[d])});
      rows *= output.dims[d];
    }
    const size_t n = axes.size();
    if (n > 1 && isWholeInside(axes[n - 1], axes[n - 2]) &&
        lineOf(x, axes[n - 2], axes[n - 1].extent)) {
      inner = axes.back().extent;
      axes.pop_back();
    }
    last = axes.back();
    axes.pop_back();
    lineElements = lineOf(x, last, inner);
    rows /= last.extent * inner;
  }

  std::string implementation() const override { return "native:resize"; }

  size_t scratchBytes() const override {
    return static_cast<size_t>(lineElements * threads) * sizeof(float);
  }

  int run(void *const *operands, void *scratch) const override {
    const auto *from = static_cast<const float *>(operands[0]);
    auto *to = static_cast<float *>(operands[inputs]);
    int team = teamFor(rows * last.extent * inner, minWorkPerThread, threads);
    parallelFor(team, [&](int thread, int count) {
      Range range = shareOf(rows, thread, count);
      float *line = static_cast<float *>(scratch) + lineElements * thread;
      for (int64_t row = range.begin; row < range.end; ++row)
        oneRow(row, from, to, line);
    });
    return 0;
  }

private:
  /// Whether a dimension lies inside of the next, and is not interpolated.
  static bool isWholeInside(const Axis &axis, const Axis &next) {
    return axis.taps.tapCount == 1 && axis.fromStride == 1 &&
           axis.toStride == 1 && next.fromStride == axis.extent;
  }

  /// Elements of a line of the input that is made first; 0: none is.
  static int64_t lineOf(const npu_tensor_desc &x, const Axis &axis,
                        int64_t inner) {
    const int64_t elements = x.dims[axis.dim] * inner;
    const bool isWorthIt =
        axis.taps.tapCount > 1 && axis.fromStride == inner &&
        elements <= axis.extent * inner * axis.taps.tapCount &&
        elements <= maxLineElements;
    return isWorthIt ? elements : 0;
  }

  void oneRow(int64_t row, const float *from, float *to, float *line) const {
    int64_t offsets[maxTaps] = {0};
    float weights[maxTaps] = {1};
    int count = 1;
    for (size_t a = axes.size(); a-- > 0;) {
      const Axis &axis = axes[a];
      int64_t index = row % axis.extent;
      row /= axis.extent;
      to += index * axis.toStride;
      const Tap *taps =
          &axis.taps.taps[static_cast<size_t>(index * axis.taps.tapCount)];
      for (int k = axis.taps.tapCount; k-- > 0;)
        for (int i = 0; i < count; ++i) {
          offsets[k * count + i] = offsets[i] + taps[k].index * axis.fromStride;
          weights[k * count + i] = weights[i] * taps[k].weight;
        }
      count *= axis.taps.tapCount;
    }
    if (last.taps.tapCount == 1 && last.fromStride == 1) {
      for (int i = 0; i < count; ++i)
        addTap(to, from + offsets[i], weights[i], last.extent, i == 0);
      return;
    }
    if (lineElements) {
      for (int i = 0; i < count; ++i)
        addTap(line, from + offsets[i], weights[i], lineElements, i == 0);
      alongLine(line, last.taps, inner, to, last.toStride);
      return;
    }
    for (int64_t x = 0; x < last.extent; ++x) {
      const Tap *taps =
          &last.taps.taps[static_cast<size_t>(x * last.taps.tapCount)];
      float sum = 0;
      for (int k = 0; k < last.taps.tapCount; ++k) {
        const float *at = from + taps[k].index * last.fromStride;
        float partial = 0;
        for (int i = 0; i < count; ++i)
          partial += weights[i] * at[offsets[i]];
        sum += taps[k].weight * partial;
      }
      to[x * last.toStride] = sum;
    }
  }

  npu_tensor_desc output;
  size_t inputs;
  int threads;
  std::vector<Axis> axes; // all but the innermost of the result
  Axis last = {};
  int64_t rows = 1;
  int64_t inner = 1;        // elements at each place of a line
  int64_t lineElements = 0; // of a thread's line of the input; 0: none
};
} // namespace

std::unique_ptr<Kernel> createResizeLinear(const Problem &problem,
                                           std::string &whyNot) {
  const npu_tensor_desc &x = problem.inputs[0], &y = problem.outputs[0];
  int taps = 1;
  for (int d = 0; d < x.rank; ++d)
    if (x.dims[d] != y.dims[d] || problem.attrs.resize.scales[d] != 1.0)
      taps *= problem.attrs.resize.mode == NPU_RESIZE_CUBIC ? 4 : 2;
  if (problem.attrs.resize.mode == NPU_RESIZE_NEAREST)
    whyNot = "not an interpolation";
  else if (!problem.instrs.empty())
    whyNot = "fused instructions";
  else if (x.dtype != NPU_F32 || y.dtype != NPU_F32)
    whyNot = std::string("interpolation of ") + dtypeName(x.dtype);
  else if (x.block_count || y.block_count)
    whyNot = "blocked layout";
  else if (x.rank == 0 || elementCount(y) == 0 || taps > maxTaps)
    whyNot = "nothing or too much to interpolate";
  if (!whyNot.empty())
    return nullptr;
  return std::make_unique<ResizeLinear>(problem);
}

} // namespace npu::kernels
