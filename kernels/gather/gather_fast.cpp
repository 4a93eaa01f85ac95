// SPDX-License-Identifier: Apache-2.0

#include "kernels/parallel.h"
#include "kernels/registry.h"
#include "kernels/support/convert.h"

#include <atomic>
#include <cstdint>
#include <cstring>

namespace npu::kernels {

namespace {
/// Row-major data: each index copies one run per position before the axis.
class GatherFast : public Kernel {
public:
  explicit GatherFast(const Problem &p)
      : indices(p.inputs[1]), inputs(p.inputs.size()), threads(p.threads) {
    const npu_tensor_desc &data = p.inputs[0];
    int axis = static_cast<int>(p.attrs.axis.axis);
    extent = data.dims[axis];
    runBytes = dtypeBytes(data.dtype);
    for (int d = 0; d < data.rank; ++d)
      (d < axis ? before : runBytes) *= d == axis ? 1 : data.dims[d];
    count = elementCount(indices);
  }

  std::string implementation() const override { return "native:gather"; }

  size_t scratchBytes() const override {
    return takesElements() ? static_cast<size_t>(count) * sizeof(int64_t) : 0;
  }

  int run(void *const *operands, void *scratch) const override {
    if (takesElements())
      return runElements(operands, static_cast<int64_t *>(scratch));
    const auto *from = static_cast<const char *>(operands[0]);
    auto *to = static_cast<char *>(operands[inputs]);
    std::atomic<bool> isOutside{false};
    constexpr int64_t minBytesPerThread = 32 * 1024;
    int team = teamFor(before * count * runBytes, minBytesPerThread, threads);
    parallelFor(team, [&](int thread, int all) {
      Range range = shareOf(before * count, thread, all);
      for (int64_t i = range.begin; i < range.end; ++i) {
        const int64_t index = indexAt(operands[1], i % count);
        if (index < 0) {
          isOutside = true;
          return;
        }
        std::memcpy(to + i * runBytes,
                    from + (i / count * extent + index) * runBytes,
                    static_cast<size_t>(runBytes));
      }
    });
    return isOutside ? 1 : 0;
  }

private:
  /// Single elements of several positions before the axis (windows of a signal,
  /// channel by channel): each index is looked at once.
  bool takesElements() const {
    return before > 1 &&
           (runBytes == 1 || runBytes == 2 || runBytes == 4 || runBytes == 8);
  }

  /// From the front; below 0: outside.
  int64_t indexAt(const void *of, int64_t at) const {
    int64_t index;
    load(indices.dtype, of, Walk::Run::Contiguous, &at, 1, &index);
    index += index < 0 ? extent : 0;
    return index < extent ? index : -1;
  }

  int runElements(void *const *operands, int64_t *places) const {
    for (int64_t i = 0; i < count; ++i) {
      places[i] = indexAt(operands[1], i);
      if (places[i] < 0)
        return 1;
    }
    switch (runBytes) {
    case 1:
      return pick<uint8_t>(operands, places);
    case 2:
      return pick<uint16_t>(operands, places);
    case 4:
      return pick<uint32_t>(operands, places);
    default:
      return pick<uint64_t>(operands, places);
    }
  }

  template <class T>
  int pick(void *const *operands, const int64_t *places) const {
    const auto *from = static_cast<const T *>(operands[0]);
    auto *to = static_cast<T *>(operands[inputs]);
    constexpr int64_t minElementsPerThread = 16 * 1024;
    const int team = teamFor(before * count, minElementsPerThread, threads);
    parallelFor(team, [&](int thread, int all) {
      const Range range = shareOf(before, thread, all);
      for (int64_t row = range.begin; row < range.end; ++row)
        for (int64_t i = 0; i < count; ++i)
          to[row * count + i] = from[row * extent + places[i]];
    });
    return 0;
  }

  npu_tensor_desc indices;
  size_t inputs;
  int threads;
  int64_t extent, before = 1, runBytes, count;
};
} // namespace

static bool isRowMajor(const npu_tensor_desc &tensor) {
  return sameStorage(tensor,
                     makeTensor(tensor.dtype, tensor.dims, tensor.rank));
}

std::unique_ptr<Kernel> createGatherFast(const Problem &problem,
                                         std::string &whyNot) {
  if (!problem.instrs.empty())
    whyNot = "fused instructions";
  else if (problem.outputs[0].dtype != problem.inputs[0].dtype)
    whyNot = "a result of another type";
  else if (!isRowMajor(problem.inputs[0]) || !isRowMajor(problem.inputs[1]) ||
           !isRowMajor(problem.outputs[0]))
    whyNot = "a layout that is not row-major";
  if (!whyNot.empty())
    return nullptr;
  return std::make_unique<GatherFast>(problem);
}

} // namespace npu::kernels
