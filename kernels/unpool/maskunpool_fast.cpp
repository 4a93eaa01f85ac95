// SPDX-License-Identifier: Apache-2.0
//
// Places as a pooling gives them: each in the plane (batch and channel) that
// its element is in. So planes are independent and threads share them. A place
// in another plane sends the whole run to the reference.

#include "kernels/parallel.h"
#include "kernels/registry.h"
#include "kernels/support/access.h"
#include "kernels/support/convert.h"

#include <algorithm>
#include <atomic>
#include <cstring>

namespace npu::kernels {

constexpr int64_t minElementsPerThread = 8192;

namespace {
class MaskunpoolFast : public Kernel {
public:
  MaskunpoolFast(const Problem &p, std::unique_ptr<Kernel> plain)
      : problem(p), reference(std::move(plain)),
        walk({p.inputs[0].dims, p.inputs[0].dims + p.inputs[0].rank}),
        strides(stridesOf(p.outputs[0])) {
    const npu_tensor_desc &from = p.inputs[0], &to = p.outputs[0];
    walk.add(dimMaps(from));
    walk.add(dimMaps(p.inputs[1]));
    planes = from.dims[0] * from.dims[1];
    for (int d = 2; d < to.rank; ++d) {
      each *= from.dims[d];
      places *= to.dims[d];
      if (to.dims[d] > 1)
        step = strides.outer[d];
    }
  }

  std::string implementation() const override { return "native:unpool"; }
  size_t scratchBytes() const override { return reference->scratchBytes(); }

  int run(void *const *operands, void *scratch) const override {
    bool isDone = false;
    switch (dtypeBytes(problem.outputs[0].dtype)) {
    case 1:
      isDone = runAs<uint8_t>(operands);
      break;
    case 2:
      isDone = runAs<uint16_t>(operands);
      break;
    case 4:
      isDone = runAs<uint32_t>(operands);
      break;
    default:
      isDone = runAs<uint64_t>(operands);
      break;
    }
    return isDone ? 0 : reference->run(operands, scratch);
  }

private:
  template <typename T>
  bool runAs(void *const *operands) const {
    auto *to = static_cast<T *>(operands[2]);
    int64_t stored = storedElements(problem.outputs[0]);
    int team = teamFor(stored, minElementsPerThread, problem.threads);
    parallelFor(team, [&](int thread, int threads) {
      Range range = shareOf(stored, thread, threads);
      std::memset(to + range.begin, 0,
                  static_cast<size_t>(range.end - range.begin) * sizeof(T));
    });
    std::atomic<bool> isOwn{true};
    parallelFor(team, [&](int thread, int threads) {
      Range range = shareOf(planes, thread, threads);
      for (int64_t p = range.begin; p < range.end; ++p)
        if (!onePlane(static_cast<const T *>(operands[0]), operands[1], p, to))
          isOwn = false;
    });
    return isOwn;
  }

  template <typename T>
  bool onePlane(const T *data, const void *indices, int64_t plane,
                T *to) const {
    constexpr int chunk = 256;
    int64_t from[chunk], where[chunk], place[chunk];
    int64_t index[NPU_MAX_RANK] = {plane / problem.inputs[0].dims[1],
                                   plane % problem.inputs[0].dims[1]};
    T *out = to + offsetOf(problem.outputs[0], strides, index);
    for (int64_t done = 0; done < each; done += chunk) {
      int n = static_cast<int>(std::min<int64_t>(chunk, each - done));
      walk.list(0, plane * each + done, n, from);
      walk.list(1, plane * each + done, n, where);
      load(problem.inputs[1].dtype, indices, Walk::Run::Listed, where, n,
           place);
      for (int i = 0; i < n; ++i) {
        int64_t own = place[i] - plane * places;
        if (own < 0 || own >= places)
          return false;
        out[own * step] = data[from[i]];
      }
    }
    return true;
  }

  Problem problem;
  std::unique_ptr<Kernel> reference;
  Walk walk;
  Strides strides;
  int64_t planes, each = 1, places = 1, step = 1;
};
} // namespace

/// Whether the places of a plane are one step apart.
static bool isPlaneLinear(const npu_tensor_desc &tensor) {
  Strides strides = stridesOf(tensor);
  int64_t expected = 0;
  for (int d = tensor.rank - 1; d >= 2; --d) {
    if (blockOf(tensor, d) > 1)
      return false;
    if (tensor.dims[d] == 1)
      continue;
    if (expected && strides.outer[d] != expected)
      return false;
    expected = strides.outer[d] * tensor.dims[d];
  }
  return true;
}

std::unique_ptr<Kernel> createMaskunpoolFast(const Problem &problem,
                                             std::string &whyNot) {
  if (!problem.instrs.empty())
    whyNot = "fused instructions";
  else if (!isPlaneLinear(problem.outputs[0]))
    whyNot = "places of a plane that are not one step apart";
  if (!whyNot.empty())
    return nullptr;
  return std::make_unique<MaskunpoolFast>(
      problem, createMaskunpoolReference(problem, whyNot));
}

} // namespace npu::kernels
