// SPDX-License-Identifier: Apache-2.0
//
// Softmax of rows that lie one after the other: each is in the nearest cache
// from its maximum to its last division. oneDNN's takes two to four times as
// long on the rows of attention and loses NaN, for which a run has to look.

#include "kernels/parallel.h"
#include "kernels/registry.h"
#include "kernels/support/functions.h"
#include "kernels/support/interpreter.h"
#include "kernels/tensor.h"

#include <algorithm>
#include <cmath>

// Sanitisers and builds without optimisation vectorise nothing; only slower.
#pragma clang diagnostic ignored "-Wpass-failed"

namespace npu::kernels {

constexpr int64_t minElementsPerThread = 4096;

/// The largest number, for which NaN does not count unless all are.
static NPU_INLINE float largestOf(const float *x, int64_t n) {
  float best = x[0];
  int64_t i = 0;
  if (n >= lanes) {
    Vector wide = loadVector(x);
    for (i = lanes; i + lanes <= n; i += lanes) {
      Vector next = loadVector(x + i);
      wide = next > wide ? next : wide;
    }
    for (int64_t k = 0; k < lanes; ++k)
      best = wide[k] > best ? wide[k] : best;
  }
  for (; i < n; ++i)
    best = x[i] > best ? x[i] : best;
  return best;
}

/// Floats are added for a while only: rows may have many thousand elements.
static NPU_INLINE double sumOf(const float *x, int64_t n) {
  constexpr int64_t stretch = 64 * lanes;
  double sum = 0;
  int64_t i = 0;
  while (i + lanes <= n) {
    Vector wide = {};
    for (int64_t end = std::min(n, i + stretch); i + lanes <= end; i += lanes)
      wide += loadVector(x + i);
    for (int64_t k = 0; k < lanes; ++k)
      sum += wide[k];
  }
  for (; i < n; ++i)
    sum += x[i];
  return sum;
}

static NPU_WIDE_CLONES void softmaxRow(const float *x, float *y, int64_t n) {
  float largest = largestOf(x, n);
  for (int64_t i = 0; i < n; ++i)
    y[i] = functions::exponentialOfNegative(x[i] - largest);
  auto factor = static_cast<float>(1 / sumOf(y, n));
  for (int64_t i = 0; i < n; ++i)
    y[i] *= factor;
}

/// `room` holds a row.
static NPU_WIDE_CLONES void logSoftmaxRow(const float *x, float *y, int64_t n,
                                          float *room) {
  float largest = largestOf(x, n);
  for (int64_t i = 0; i < n; ++i)
    room[i] = functions::exponentialOfNegative(x[i] - largest);
  auto less = static_cast<float>(std::log(sumOf(room, n)));
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] - largest - less;
}

namespace {
class SoftmaxRows : public Kernel {
public:
  explicit SoftmaxRows(const Problem &p)
      : chain(p.instrs), operands(p.inputs.size()),
        length(p.inputs[0].dims[p.attrs.axis.axis]),
        rows(elementCount(p.inputs[0]) / length), threads(p.threads),
        isLog(p.attrs.axis.is_log != 0) {}

  std::string implementation() const override { return "native:softmax"; }

  size_t scratchBytes() const override {
    return isLog ? static_cast<size_t>(threads * length) * sizeof(float) : 0;
  }

  int run(void *const *places, void *scratch) const override {
    const auto *x = static_cast<const float *>(places[0]);
    auto *y = static_cast<float *>(places[operands]);
    int team = teamFor(rows * length, minElementsPerThread, threads);
    parallelFor(team, [&](int thread, int count) {
      Range range = shareOf(rows, thread, count);
      float *room = static_cast<float *>(scratch) + thread * length;
      for (int64_t at = range.begin * length; at < range.end * length;
           at += length) {
        if (isLog)
          logSoftmaxRow(x + at, y + at, length, room);
        else
          softmaxRow(x + at, y + at, length);
        if (!chain.empty())
          interpretChain(chain, y + at, length);
      }
    });
    return 0;
  }

private:
  std::vector<npu_instr> chain;
  size_t operands;
  int64_t length, rows;
  int threads;
  bool isLog;
};
} // namespace

/// The innermost dimension in memory of those that are more than one element.
/// An axis of one element is anywhere: each is a row, 1 or NaN.
static bool isInnermost(const npu_tensor_desc &tensor, int64_t axis) {
  if (tensor.dims[axis] == 1)
    return true;
  int i = tensor.rank - 1;
  while (i > 0 && tensor.order[i] != axis && tensor.dims[tensor.order[i]] == 1)
    --i;
  return tensor.order[i] == axis;
}

std::unique_ptr<Kernel> createSoftmaxRows(const Problem &problem,
                                          std::string &whyNot) {
  const npu_tensor_desc &x = problem.inputs[0], &y = problem.outputs[0];
  if (x.dtype != NPU_F32 || y.dtype != NPU_F32)
    whyNot = "not f32";
  else if (elementCount(x) == 0)
    whyNot = "nothing to compute";
  else if (x.block_count || !isInnermost(x, problem.attrs.axis.axis))
    whyNot = "softmax over an axis that is not the innermost";
  else if (!sameStorage(x, y))
    whyNot = "result in another order";
  else if (!isUnaryChain(problem.instrs, problem.inputs.size()))
    whyNot = "a fused chain that is not unary";
  return whyNot.empty() ? std::make_unique<SoftmaxRows>(problem) : nullptr;
}

} // namespace npu::kernels
