// SPDX-License-Identifier: Apache-2.0
//
// Max pooling that keeps NaN: the fast kernels drop it, because comparisons
// with it are false. Data without NaN, which is nearly all, is only looked
// through once more.

#include "kernels/conv/window.h"
#include "kernels/parallel.h"
#include "kernels/registry.h"
#include "kernels/support/convert.h"
#include "kernels/tensor.h"

#include <algorithm>
#include <atomic>

namespace npu::kernels {

/// The bits of a float type: what is larger than infinity, but for the sign, is
/// NaN.
struct FloatBits {
  uint32_t infinity, nan;
};

static FloatBits bitsOf(int32_t dtype) {
  if (dtype == NPU_F16)
    return {0x7c00, 0x7e00};
  return dtype == NPU_BF16 ? FloatBits{0x7f80, 0x7fc0}
                           : FloatBits{0x7f800000, 0x7fc00000};
}

template <typename T>
static bool hasNan(const void *data, Range range, T infinity) {
  const T *bits = static_cast<const T *>(data);
  const T magnitude = static_cast<T>(~T{0}) >> 1;
  unsigned found = 0;
  for (int64_t i = range.begin; i < range.end; ++i)
    found |= (bits[i] & magnitude) > infinity;
  return found != 0;
}

namespace {

class PoolKeepingNan : public ComposedKernel, PoolWindows {
public:
  PoolKeepingNan(const Problem &p, std::unique_ptr<Kernel> made)
      : ComposedKernel(std::move(made)), PoolWindows(p), problem(p) {}

  bool losesNan() const override { return false; }

  int run(void *const *operands, void *scratch) const override {
    int status = inner->run(operands, scratch);
    if (status == 0 && findsNan(operands[0]))
      spread(operands[0], operands[1]);
    return status;
  }

private:
  bool findsNan(const void *data) const {
    const npu_tensor_desc &x = problem.inputs[0];
    int64_t count = storedElements(x);
    FloatBits bits = bitsOf(x.dtype);
    std::atomic<bool> found{false};
    constexpr int64_t each = 1 << 14;
    parallelFor(teamFor(count, each, problem.threads), [&](int thread,
                                                           int threads) {
      Range range = shareOf(count, thread, threads);
      bool here = x.dtype == NPU_F32
                      ? hasNan<uint32_t>(data, range, bits.infinity)
                      : hasNan<uint16_t>(data, range,
                                         static_cast<uint16_t>(bits.infinity));
      if (here)
        found.store(true, std::memory_order_relaxed);
    });
    return found;
  }

  /// The element at spatial position `at` of a plane.
  static int64_t place(const npu_tensor_desc &tensor, const Strides &strides,
                       int64_t plane, const Extents3 &at) {
    int64_t index[NPU_MAX_RANK] = {plane / tensor.dims[1],
                                   plane % tensor.dims[1]};
    int spatial = tensor.rank - 2;
    for (int i = 0; i < spatial; ++i)
      index[2 + i] = at.d[3 - spatial + i];
    return offsetOf(tensor, strides, index);
  }

  template <typename Function>
  static void eachPosition(const Extents3 &begin, const Extents3 &end,
                           Function function) {
    for (int64_t z = begin.d[0]; z < end.d[0]; ++z)
      for (int64_t y = begin.d[1]; y < end.d[1]; ++y)
        for (int64_t x = begin.d[2]; x < end.d[2]; ++x)
          function(Extents3{{z, y, x}});
  }

  /// The results whose windows, which have no holes, see the position.
  void resultsOf(const Extents3 &at, Extents3 &begin, Extents3 &end) const {
    for (int i = 0; i < 3; ++i) {
      int64_t last = at.d[i] + padsBegin.d[i];
      int64_t first = last - kernel.d[i] + 1;
      begin.d[i] = first <= 0 ? 0 : (first + strides.d[i] - 1) / strides.d[i];
      end.d[i] = std::min(out.d[i], last / strides.d[i] + 1);
    }
  }

  void spread(const void *data, void *result) const {
    const npu_tensor_desc &x = problem.inputs[0], &y = problem.outputs[0];
    Strides from = stridesOf(x), to = stridesOf(y);
    FloatBits in = bitsOf(x.dtype);
    uint32_t nan = bitsOf(y.dtype).nan;
    bool isWide = x.dtype == NPU_F32, storesWide = y.dtype == NPU_F32;
    for (int64_t plane = 0; plane < planes(problem); ++plane)
      eachPosition({{0, 0, 0}}, this->in, [&](const Extents3 &at) {
        int64_t i = place(x, from, plane, at);
        uint32_t bits = isWide ? static_cast<const uint32_t *>(data)[i]
                               : static_cast<const uint16_t *>(data)[i];
        const int sign = isWide ? 1 : 17; // bits up to the sign and with it
        if (bits << sign <= in.infinity << sign)
          return;
        Extents3 begin, end;
        resultsOf(at, begin, end);
        eachPosition(begin, end, [&](const Extents3 &seen) {
          int64_t j = place(y, to, plane, seen);
          if (storesWide)
            static_cast<uint32_t *>(result)[j] = nan;
          else
            static_cast<uint16_t *>(result)[j] = static_cast<uint16_t>(nan);
        });
      });
  }

  Problem problem;
};

} // namespace

std::unique_ptr<Kernel> createPoolKeepingNan(const Problem &problem,
                                             std::string &whyNot) {
  if (!problem.attrs.pool.keep_nan || !isFloat(problem.inputs[0].dtype)) {
    whyNot = "there is no NaN to be kept";
    return nullptr;
  }
  if (!problem.instrs.empty()) {
    whyNot = "NaN is kept before the fused chain";
    return nullptr;
  }
  Problem dropping = problem;
  dropping.attrs.pool.keep_nan = 0;
  std::unique_ptr<Kernel> inner = createPoolOnednn(dropping, whyNot);
  if (!inner)
    return nullptr;
  return std::make_unique<PoolKeepingNan>(problem, std::move(inner));
}

} // namespace npu::kernels
