// SPDX-License-Identifier: Apache-2.0

#include "kernels/registry.h"
#include "kernels/support/reference.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

namespace npu::kernels {

template <typename T>
using Wide = std::conditional_t<std::is_same_v<T, float>, double, T>;

/// Integers wrap; unsigned arithmetic has no overflow.
static double add(double a, double b) { return a + b; }
static int64_t add(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) +
                              static_cast<uint64_t>(b));
}
static double multiply(double a, double b) { return a * b; }
static int64_t multiply(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) *
                              static_cast<uint64_t>(b));
}

static bool isNan(double value) { return std::isnan(value); }
static bool isNan(int64_t) { return false; }

/// Infinity, or of integers the type's own end: what is left where nothing is
/// reduced.
template <typename T>
static T endOf(int32_t dtype, float sign) {
  float infinity = sign * std::numeric_limits<float>::infinity();
  if constexpr (std::is_integral_v<T>)
    return dtype == NPU_BOOL ? sign > 0 : floatToInteger(dtype, infinity);
  else
    return infinity;
}

template <typename T>
static T startOf(int64_t kind, int32_t dtype) {
  if (kind == NPU_REDUCE_PROD)
    return 1;
  if (kind == NPU_REDUCE_MAX || kind == NPU_REDUCE_LOG_SUM_EXP)
    return endOf<T>(dtype, -1);
  return kind == NPU_REDUCE_MIN ? endOf<T>(dtype, 1) : T{0};
}

template <typename T>
static T combine(int64_t kind, T sum, T value) {
  switch (kind) {
  case NPU_REDUCE_MAX:
  case NPU_REDUCE_LOG_SUM_EXP: // first pass: the largest
    return value > sum || isNan(value) ? value : sum;
  case NPU_REDUCE_MIN:
    return value < sum || isNan(value) ? value : sum;
  case NPU_REDUCE_PROD:
    return multiply(sum, value);
  case NPU_REDUCE_L1:
    return add(sum, value < 0 ? multiply(value, T{-1}) : value);
  case NPU_REDUCE_L2:
  case NPU_REDUCE_SUM_SQUARE:
    return add(sum, multiply(value, value));
  default:
    return add(sum, value);
  }
}

template <typename T>
static T finishKind(int64_t kind, T sum, int64_t count) {
  if (kind == NPU_REDUCE_MEAN)
    return count ? sum / static_cast<T>(count) : T{};
  if (kind == NPU_REDUCE_L2)
    return static_cast<T>(std::sqrt(static_cast<double>(sum)));
  if (kind == NPU_REDUCE_LOG_SUM)
    return static_cast<T>(std::log(static_cast<double>(sum)));
  return sum;
}

namespace {
class ReduceReference : public ArithmeticReference {
public:
  explicit ReduceReference(const Problem &p) : ArithmeticReference(p, 1) {}

protected:
  void compute(const float *const *inputs, float *result) const override {
    run(inputs[0], result);
  }
  void compute(const int64_t *const *inputs, int64_t *result) const override {
    run(inputs[0], result);
  }

private:
  template <typename T>
  void run(const T *data, T *result) const {
    const npu_tensor_desc &x = problem.inputs[0];
    int64_t kind = problem.attrs.reduce.kind;
    int64_t count = elementCount(problem.outputs[0]);
    // The result's offset of each input element: reduced dimensions stand
    // still.
    npu_tensor_desc kept = makeTensor(NPU_F32, x.dims, x.rank);
    int64_t reduced = 1;
    for (int d = 0; d < x.rank; ++d)
      if (problem.attrs.reduce.axes_mask >> d & 1) {
        reduced *= x.dims[d];
        kept.dims[d] = 1;
      }
    Walk walk({x.dims, x.dims + x.rank});
    walk.add(broadcastMaps(kept, x));
    walk.coalesce();
    std::vector<Wide<T>> sums(static_cast<size_t>(count),
                              startOf<Wide<T>>(kind, x.dtype));
    forElements(walk, [&](int64_t from, size_t to) {
      sums[to] = combine<Wide<T>>(kind, sums[to], data[from]);
    });
    if (kind == NPU_REDUCE_LOG_SUM_EXP)
      addExponentials(walk, data, sums);
    for (int64_t i = 0; i < count; ++i)
      result[i] = static_cast<T>(
          finishKind(kind, sums[static_cast<size_t>(i)], reduced));
  }

  template <typename Body>
  static void forElements(const Walk &walk, Body body) {
    constexpr int chunk = 256;
    int64_t to[chunk];
    for (int64_t start = 0; start < walk.size(); start += chunk) {
      int n = static_cast<int>(std::min<int64_t>(chunk, walk.size() - start));
      Walk::Run run = walk.offsets(0, start, n, to);
      for (int i = 0; i < n; ++i) {
        int64_t offset = run == Walk::Run::Listed       ? to[i]
                         : run == Walk::Run::Contiguous ? to[0] + i
                                                        : to[0];
        body(start + i, static_cast<size_t>(offset));
      }
    }
  }

  /// Second pass of log-sum-exp, relative to the largest so that nothing
  /// overflows.
  template <typename T>
  static void addExponentials(const Walk &walk, const T *data,
                              std::vector<Wide<T>> &largest) {
    std::vector<double> sums(largest.size());
    auto finite = [](double v) { return std::isinf(v) ? 0.0 : v; };
    forElements(walk, [&](int64_t from, size_t to) {
      sums[to] += std::exp(static_cast<double>(data[from]) -
                           finite(static_cast<double>(largest[to])));
    });
    for (size_t i = 0; i < sums.size(); ++i)
      largest[i] = static_cast<Wide<T>>(
          finite(static_cast<double>(largest[i])) + std::log(sums[i]));
  }
};
} // namespace

std::unique_ptr<Kernel> createReduceReference(const Problem &problem,
                                              std::string &) {
  return std::make_unique<ReduceReference>(problem);
}

} // namespace npu::kernels
