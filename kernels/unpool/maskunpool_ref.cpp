// SPDX-License-Identifier: Apache-2.0

#include "kernels/registry.h"
#include "kernels/support/convert.h"
#include "kernels/support/reference.h"

#include <algorithm>
#include <cstring>

namespace npu::kernels {

namespace {

/// Elements in row-major order, each to where its index says; 0 elsewhere.
class MaskunpoolReference : public MovementReference {
public:
  explicit MaskunpoolReference(const Problem &p)
      : MovementReference(p), walk(walkOver(p)), strides(stridesOf(target())) {}

protected:
  int move(void *const *operands, void *result) const override {
    std::memset(result, 0, static_cast<size_t>(storedBytes(target())));
    switch (dtypeBytes(target().dtype)) {
    case 1:
      return moveAs<uint8_t>(operands, result);
    case 2:
      return moveAs<uint16_t>(operands, result);
    case 4:
      return moveAs<uint32_t>(operands, result);
    default:
      return moveAs<uint64_t>(operands, result);
    }
  }

private:
  static Walk walkOver(const Problem &p) {
    const npu_tensor_desc &data = p.inputs[0];
    Walk walk({data.dims, data.dims + data.rank});
    walk.add(dimMaps(data));
    walk.add(dimMaps(p.inputs[1]));
    return walk;
  }

  /// The offsets of `n` elements of an operand from `start` on.
  void list(int operand, int64_t start, int n, int64_t *offsets) const {
    Walk::Run run = walk.offsets(operand, start, n, offsets);
    for (int i = 1; run != Walk::Run::Listed && i < n; ++i)
      offsets[i] = offsets[0] + (run == Walk::Run::Contiguous ? i : 0);
  }

  template <typename T>
  int moveAs(void *const *operands, void *result) const {
    constexpr int chunk = 256;
    int64_t from[chunk], where[chunk], places[chunk];
    const auto *data = static_cast<const T *>(operands[0]);
    int64_t count = elementCount(target());
    for (int64_t start = 0; start < walk.size(); start += chunk) {
      int n = static_cast<int>(std::min<int64_t>(chunk, walk.size() - start));
      list(0, start, n, from);
      list(1, start, n, where);
      load(problem.inputs[1].dtype, operands[1], Walk::Run::Listed, where, n,
           places);
      for (int i = 0; i < n; ++i) {
        if (places[i] < 0 || places[i] >= count)
          return 1;
        static_cast<T *>(result)[offsetAt(places[i])] = data[from[i]];
      }
    }
    return 0;
  }

  /// Where the element with this row-major number is stored.
  int64_t offsetAt(int64_t number) const {
    int64_t index[NPU_MAX_RANK];
    for (int d = target().rank; d-- > 0;) {
      index[d] = number % target().dims[d];
      number /= target().dims[d];
    }
    return offsetOf(target(), strides, index);
  }

  Walk walk;
  Strides strides;
};

} // namespace

std::unique_ptr<Kernel> createMaskunpoolReference(const Problem &problem,
                                                  std::string &) {
  return std::make_unique<MaskunpoolReference>(problem);
}

} // namespace npu::kernels
