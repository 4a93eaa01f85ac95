// SPDX-License-Identifier: Apache-2.0
//
// The least or the largest of all elements: whatever their order is, so that
// threads share them.

#include "kernels/parallel.h"
#include "kernels/registry.h"
#include "kernels/support/vectors.h"
#include "kernels/tensor.h"

#include <limits>
#include <vector>

namespace npu::kernels {

constexpr int64_t minElementsPerThread = 32768;
/// So many comparisons are under way at once.
constexpr int64_t wide = 64;

static NPU_INLINE float larger(float a, float b) {
  return b > a || b != b ? b : a;
}
static NPU_INLINE float smaller(float a, float b) {
  return b < a || b != b ? b : a;
}

/// What is NaN wins, as it does in a step.
template <float (*step)(float, float)>
static NPU_INLINE float extremumOf(const float *x, int64_t n, float start) {
  float found[wide];
  for (float &each : found)
    each = start;
  int64_t i = 0;
  for (; i + wide <= n; i += wide)
    for (int64_t k = 0; k < wide; ++k)
      found[k] = step(found[k], x[i + k]);
  for (; i < n; ++i)
    found[0] = step(found[0], x[i]);
  for (int64_t k = 1; k < wide; ++k)
    found[0] = step(found[0], found[k]);
  return found[0];
}

static NPU_CLONES(float, largestOf, (const float *x, int64_t n), (x, n)) {
  return extremumOf<larger>(x, n, -std::numeric_limits<float>::infinity());
}
static NPU_CLONES(float, smallestOf, (const float *x, int64_t n), (x, n)) {
  return extremumOf<smaller>(x, n, std::numeric_limits<float>::infinity());
}

namespace {
class ReduceExtremum : public Kernel {
public:
  explicit ReduceExtremum(const Problem &p)
      : isMax(p.attrs.reduce.kind == NPU_REDUCE_MAX), threads(p.threads),
        count(elementCount(p.inputs[0])), result(p.inputs.size()) {}

  std::string implementation() const override { return "native:extremum"; }

  int run(void *const *operands, void *) const override {
    const auto *from = static_cast<const float *>(operands[0]);
    auto find = isMax ? largestOf : smallestOf;
    int team = teamFor(count, minElementsPerThread, threads);
    std::vector<float> found(static_cast<size_t>(team), from[0]);
    parallelFor(team, [&](int thread, int members) {
      Range range = shareOf(count, thread, members);
      if (range.begin < range.end)
        found[static_cast<size_t>(thread)] =
            find(from + range.begin, range.end - range.begin);
    });
    *static_cast<float *>(operands[result]) =
        find(found.data(), static_cast<int64_t>(found.size()));
    return 0;
  }

private:
  bool isMax;
  int threads;
  int64_t count;
  size_t result; // among the operands
};
} // namespace

std::unique_ptr<Kernel> createReduceExtremum(const Problem &problem,
                                             std::string &whyNot) {
  const npu_tensor_desc &x = problem.inputs[0], &y = problem.outputs[0];
  int64_t kind = problem.attrs.reduce.kind;
  if (kind != NPU_REDUCE_MAX && kind != NPU_REDUCE_MIN)
    whyNot = "no least or largest element";
  else if (x.dtype != NPU_F32 || y.dtype != NPU_F32)
    whyNot = std::string("extremum of ") + dtypeName(x.dtype);
  else if (!problem.instrs.empty())
    whyNot = "fused instructions";
  else if (elementCount(y) != 1 || storedElements(y) != 1)
    whyNot = "more than one result";
  else if (elementCount(x) == 0 || storedElements(x) != elementCount(x))
    whyNot = "padding, or no elements";
  return whyNot.empty() ? std::make_unique<ReduceExtremum>(problem) : nullptr;
}

} // namespace npu::kernels
