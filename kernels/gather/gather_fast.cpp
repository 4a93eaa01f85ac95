// SPDX-License-Identifier: Apache-2.0

#include "kernels/parallel.h"
#include "kernels/registry.h"
#include "kernels/support/convert.h"

#include <algorithm>
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

  int run(void *const *operands, void *) const override {
    std::atomic<bool> isOutside{false};
    // A copy of a few bytes takes as long as one of some more.
    constexpr int64_t leastBytes = 8, minBytesPerThread = 32 * 1024;
    const int team = teamFor(before * count * std::max(runBytes, leastBytes),
                             minBytesPerThread, threads);
    parallelFor(team, [&](int thread, int all) {
      if (!copy(operands, shareOf(before * count, thread, all)))
        isOutside = true;
    });
    return isOutside ? 1 : 0;
  }

private:
  /// Runs of the result; false where an index is outside of the data.
  bool copy(void *const *operands, Range range) const {
    constexpr int64_t chunk = 256;
    int64_t places[chunk];
    for (int64_t i = range.begin; i < range.end;) {
      const int64_t at = i % count, position = i / count;
      const auto some =
          static_cast<int>(std::min({chunk, range.end - i, count - at}));
      load(indices.dtype, operands[1], Walk::Run::Contiguous, &at, some,
           places);
      bool isInside = true;
      for (int k = 0; k < some; ++k) {
        places[k] += places[k] < 0 ? extent : 0;
        isInside &= places[k] >= 0 && places[k] < extent;
      }
      if (!isInside)
        return false;
      const auto *from =
          static_cast<const char *>(operands[0]) + position * extent * runBytes;
      copyRuns(from, places, some,
               static_cast<char *>(operands[inputs]) + i * runBytes);
      i += some;
    }
    return true;
  }

  void copyRuns(const char *from, const int64_t *places, int some,
                char *to) const {
    switch (runBytes) {
    case 1:
      return pick<uint8_t>(from, places, some, to);
    case 2:
      return pick<uint16_t>(from, places, some, to);
    case 4:
      return pick<uint32_t>(from, places, some, to);
    case 8:
      return pick<uint64_t>(from, places, some, to);
    default:
      for (int k = 0; k < some; ++k)
        std::memcpy(to + k * runBytes, from + places[k] * runBytes,
                    static_cast<size_t>(runBytes));
    }
  }

  /// Runs of one element.
  template <class T>
  static void pick(const char *from, const int64_t *places, int some,
                   char *to) {
    for (int k = 0; k < some; ++k)
      reinterpret_cast<T *>(to)[k] =
          reinterpret_cast<const T *>(from)[places[k]];
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

/// Whether indices and result are stored alike, so that an element of the one
/// lies where that of the other does: of data of one dimension.
static bool isElementwise(const Problem &problem) {
  const npu_tensor_desc &indices = problem.inputs[1];
  return problem.inputs[0].rank == 1 && !indices.block_count &&
         sameStorage(indices, problem.outputs[0]);
}

std::unique_ptr<Kernel> createGatherFast(const Problem &problem,
                                         std::string &whyNot) {
  if (!problem.instrs.empty())
    whyNot = "fused instructions";
  else if (problem.outputs[0].dtype != problem.inputs[0].dtype)
    whyNot = "a result of another type";
  else if (!isRowMajor(problem.inputs[0]) ||
           !(isElementwise(problem) ||
             (isRowMajor(problem.inputs[1]) && isRowMajor(problem.outputs[0]))))
    whyNot = "a layout that is not row-major";
  if (!whyNot.empty())
    return nullptr;
  return std::make_unique<GatherFast>(problem);
}

} // namespace npu::kernels
