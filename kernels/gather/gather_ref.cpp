// SPDX-License-Identifier: Apache-2.0

#include "kernels/registry.h"
#include "kernels/support/movement.h"
#include "kernels/support/reference.h"

#include <algorithm>
#include <numeric>

namespace npu::kernels {

namespace {

/// data [before, axis, behind], indices [any] -> [before, any, behind]; a
/// negative index counts from the end.
class GatherReference : public MovementReference {
public:
  explicit GatherReference(const Problem &p) : MovementReference(p) {}

protected:
  int move(void *const *operands, void *result) const override {
    const npu_tensor_desc &data = problem.inputs[0];
    const npu_tensor_desc &positions = problem.inputs[1];
    int axis = static_cast<int>(problem.attrs.axis.axis);
    int64_t extent = data.dims[axis];
    std::vector<int64_t> list(static_cast<size_t>(elementCount(positions)));
    toDense(positions, operands[1], list.data());
    for (int64_t &index : list) {
      index += index < 0 ? extent : 0;
      if (index < 0 || index >= extent)
        return 1;
    }
    if (elementCount(target()) == 0)
      return 0;
    move(list, axis, operands[0], result);
    return 0;
  }

private:
  void move(const std::vector<int64_t> &list, int axis, const void *from,
            void *result) const {
    const npu_tensor_desc &data = problem.inputs[0];
    int spread = problem.inputs[1].rank;
    Piece piece;
    piece.input = 0;
    for (int d = 0; d < target().rank; ++d) {
      piece.extents.push_back(target().dims[d]);
      piece.to.push_back(dimMap(target(), d, target().dims[d]));
      piece.from.emplace_back();
      if (d < axis)
        piece.from.back() = dimMap(data, d, data.dims[d]);
      else if (d >= axis + spread)
        piece.from.back() =
            dimMap(data, d - spread + 1, data.dims[d - spread + 1]);
    }
    // The index dimensions together are one list; walk over it outside.
    DimMap along = dimMap(data, axis, data.dims[axis]);
    npu_tensor_desc indexSpace =
        makeTensor(NPU_I64, problem.inputs[1].dims, spread);
    for (int64_t k = 0; k < static_cast<int64_t>(list.size()); ++k) {
      Piece one = piece;
      one.fromBase = along.at(list[static_cast<size_t>(k)]);
      int64_t rest = k;
      for (int d = spread - 1; d >= 0; --d) {
        auto loop = static_cast<size_t>(axis + d);
        one.toBase += piece.to[loop].at(rest % indexSpace.dims[d]);
        rest /= indexSpace.dims[d];
        one.extents[loop] = 1;
        one.to[loop] = DimMap();
      }
      movePlainly(one, dtypeBytes(data.dtype), from, result);
    }
  }
};

} // namespace

std::unique_ptr<Kernel> createGatherReference(const Problem &problem,
                                              std::string &) {
  return std::make_unique<GatherReference>(problem);
}

} // namespace npu::kernels
