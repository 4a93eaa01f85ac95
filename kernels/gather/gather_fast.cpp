// SPDX-License-Identifier: Apache-2.0

#include "kernels/parallel.h"
#include "kernels/registry.h"
#include "kernels/support/convert.h"

#include <atomic>
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
    const auto *from = static_cast<const char *>(operands[0]);
    auto *to = static_cast<char *>(operands[inputs]);
    std::atomic<bool> isOutside{false};
    constexpr int64_t minBytesPerThread = 32 * 1024;
    int team = teamFor(before * count * runBytes, minBytesPerThread, threads);
    parallelFor(team, [&](int thread, int all) {
      Range range = shareOf(before * count, thread, all);
      for (int64_t i = range.begin; i < range.end; ++i) {
        int64_t index, at = i % count;
        load(indices.dtype, operands[1], Walk::Run::Contiguous, &at, 1, &index);
        index += index < 0 ? extent : 0;
        if (index < 0 || index >= extent) {
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
