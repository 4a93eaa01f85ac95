// SPDX-License-Identifier: Apache-2.0
//
// Winograd's products with weights that lie at the points, in panels in the
// order in which they are read.

#include "kernels/conv_winograd/point_products.h"
#include "kernels/conv_winograd/point_tile.h"
#include "kernels/packed.h"
#include "kernels/tensor.h"

#include <algorithm>
#include <cstring>

namespace npu::kernels {

/// Of a panel; the last may have half as many.
constexpr int64_t columns = 64;

namespace {
class FloatProducts : public PointProducts {
public:
  explicit FloatProducts(const Problem &problem)
      : side(problem.attrs.winograd.tile + 2),
        channels(problem.inputs[1].dims[1]), filters(problem.inputs[1].dims[0]),
        count((filters + columns - 1) / columns) {}

  size_t pack(const Problem &problem, const void *const *operands) override {
    const npu_tensor_desc &w = problem.inputs[1];
    size_t made = 0;
    packed = packOnce(
        operands[1], "points of panels, " + describe(w),
        static_cast<size_t>(side * side * channels * productStep(filters)) *
            sizeof(float),
        [&](void *to) {
          parallelFor(problem.threads, [&](int thread, int threads) {
            Range range = shareOf(count * side * side, thread, threads);
            for (int64_t i = range.begin; i < range.end; ++i)
              packPoint(w, static_cast<const float *>(operands[1]),
                        i / (side * side), i % (side * side),
                        static_cast<float *>(to));
          });
          return true;
        },
        made);
    return made;
  }

  /// Threads share points, so that each reads its own part of the data.
  void multiply(const PointTiles &tiles, PointShare share, Kernel::Bytes next,
                char * /*scratch*/) const override {
    const Range mine =
        shareOf(side * side * count, share.thread, share.threads);
    PointProduct one = {};
    one.depth = channels;
    one.isFirst = true;
    one.dataStep = channels;
    one.sumStep = tiles.step;
    for (int64_t i = mine.begin; i < mine.end; ++i) {
      const int64_t point = i / count, panel = i % count;
      one.weights = weightsOf(panel, point);
      one.data = tiles.data + point * tiles.count * channels;
      one.sums =
          tiles.products + point * tiles.count * tiles.step + panel * columns;
      one.next = i + 1 < mine.end ? bytesOf(i + 1) : next;
      multiplyPoint(one, tiles.used, widthOf(panel));
    }
  }

  Kernel::Bytes readsFirst(PointShare share) const override {
    return bytesOf(
        shareOf(side * side * count, share.thread, share.threads).begin);
  }

private:
  int64_t widthOf(int64_t panel) const {
    return std::min(columns, productStep(filters) - panel * columns);
  }
  int64_t placeOf(int64_t panel, int64_t point) const {
    return channels * (side * side * panel * columns + point * widthOf(panel));
  }
  const float *weightsOf(int64_t panel, int64_t point) const {
    return static_cast<const float *>(packed.get()) + placeOf(panel, point);
  }
  /// Of a point's panel: they are counted point by point.
  Kernel::Bytes bytesOf(int64_t number) const {
    if (number >= side * side * count)
      return {};
    const int64_t panel = number % count;
    return {reinterpret_cast<const char *>(weightsOf(panel, number / count)),
            static_cast<size_t>(channels * widthOf(panel)) * sizeof(float)};
  }

  /// The weights of a panel at a point: a row for each channel.
  void packPoint(const npu_tensor_desc &w, const float *from, int64_t panel,
                 int64_t point, float *to) const {
    const Strides strides = stridesOf(w);
    const int64_t width = widthOf(panel), first = panel * columns,
                  mine = std::min(width, filters - first);
    from += first * strides.outer[0] + point / side * strides.outer[2] +
            point % side * strides.outer[3];
    to += placeOf(panel, point);
    if (mine < width)
      std::fill_n(to, channels * width, 0.0f);
    // Some at once: those of one filter are next to each other, or of one
    // channel.
    constexpr int64_t together = 16;
    for (int64_t c = 0; c < channels; c += together)
      for (int64_t n = 0; n < mine; ++n)
        for (int64_t k = c; k < std::min(c + together, channels); ++k)
          to[k * width + n] = from[n * strides.outer[0] + k * strides.outer[1]];
  }

  int64_t side, channels, filters, count;
  /// [point][panel][channel][width of the panel]
  std::shared_ptr<void> packed;
};
} // namespace

std::unique_ptr<PointProducts> createFloatProducts(const Problem &problem) {
  const npu_tensor_desc &w = problem.inputs[1];
  if (w.dtype == NPU_F32 && w.block_count == 0 && problem.isConstant(1))
    return std::make_unique<FloatProducts>(problem);
  return nullptr;
}

} // namespace npu::kernels
