// SPDX-License-Identifier: Apache-2.0
//
// Softmax of rows that lie one after the other: each is in the nearest cache
// from its maximum to its last division. oneDNN's takes two to four times as
// long on the rows of attention and loses NaN, for which a run has to look.

#include "kernels/parallel.h"
#include "kernels/registry.h"
#include "kernels/support/exponentials.h"
#include "kernels/support/functions.h"
#include "kernels/support/interpreter.h"
#include "kernels/support/vectors.h"
#include "kernels/tensor.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace npu::kernels {

constexpr int64_t minElementsPerThread = 4096;

static NPU_INLINE float largestLaneOf(const float *x, int64_t n) {
  Vector largest = loadVector(x + n - lanes);
  for (int64_t i = 0; i + lanes < n; i += lanes)
    largest = larger(largest, loadVector(x + i));
  return largestLane(largest);
}

/// The largest number. A NaN may not count: it makes the whole row NaN later.
static NPU_WIDE_CLONES(float, largestOf, (const float *x, int64_t n), (x, n)) {
  return n < lanes ? *std::max_element(x, x + n) : largestLaneOf(x, n);
}

static NPU_WIDE_CLONES(void, scale, (float *y, int64_t n, float factor),
                       (y, n, factor)) {
  for (int64_t i = 0; i < n; ++i)
    y[i] *= factor;
}

/// One call: three take longer than a few exponentials.
static NPU_WIDE_CLONES(void, softmaxOfFew,
                       (const float *x, float *y, int64_t n), (x, y, n)) {
  const float largest = *std::max_element(x, x + n);
  for (int64_t i = 0; i < n; ++i)
    y[i] = functions::exponentialOfNegative(x[i] - largest);
  const auto factor = static_cast<float>(1 / std::accumulate(y, y + n, 0.0));
  for (int64_t i = 0; i < n; ++i)
    y[i] *= factor;
}

static void softmaxRow(const float *x, float *y, int64_t n) {
  if (n < lanes)
    return softmaxOfFew(x, y, n);
  const double sum = exponentials(x, largestOf(x, n), y, n);
  scale(y, n, static_cast<float>(1 / sum));
}

static NPU_WIDE_CLONES(void, reduceBy,
                       (const float *x, float largest, float less, float *y,
                        int64_t n),
                       (x, largest, less, y, n)) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] - largest - less;
}

/// `room` holds a row.
static void logSoftmaxRow(const float *x, float *y, int64_t n, float *room) {
  const float largest = largestOf(x, n);
  const double sum = exponentials(x, largest, room, n);
  reduceBy(x, largest, static_cast<float>(std::log(sum)), y, n);
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
