// SPDX-License-Identifier: Apache-2.0
//
// The reference of every operation that is a list of pieces (see movement.h).

#include "kernels/registry.h"
#include "kernels/support/movement.h"
#include "kernels/support/reference.h"

#include <algorithm>

namespace npu::kernels {

namespace {
class PiecesReference : public MovementReference {
public:
  explicit PiecesReference(const Problem &p) : MovementReference(p) {
    std::string whyNot;
    pieces = makePieces(p, target(), whyNot);
  }

protected:
  int move(void *const *operands, void *result) const override {
    int64_t bytes = dtypeBytes(target().dtype);
    for (const Piece &piece : pieces)
      movePlainly(piece, bytes,
                  piece.input < 0 ? nullptr : operands[piece.input], result);
    return 0;
  }

private:
  std::vector<Piece> pieces;
};

/// RESHAPE keeps the row-major sequence of logical elements: one walk over
/// each side, whatever the extents.
class ReshapeReference : public MovementReference {
public:
  explicit ReshapeReference(const Problem &p)
      : MovementReference(p), from(logicalWalk(p.inputs[0])),
        to(logicalWalk(target())) {}

protected:
  int move(void *const *operands, void *result) const override {
    const auto *source = static_cast<const char *>(operands[0]);
    auto *out = static_cast<char *>(result);
    switch (dtypeBytes(target().dtype)) {
    case 1:
      moveAs<uint8_t>(source, out);
      break;
    case 2:
      moveAs<uint16_t>(source, out);
      break;
    case 4:
      moveAs<uint32_t>(source, out);
      break;
    default:
      moveAs<uint64_t>(source, out);
      break;
    }
    return 0;
  }

private:
  static Walk logicalWalk(const npu_tensor_desc &tensor) {
    Walk walk({tensor.dims, tensor.dims + tensor.rank});
    walk.add(dimMaps(tensor));
    walk.coalesce();
    return walk;
  }

  template <typename T>
  void moveAs(const char *source, char *out) const {
    constexpr int chunk = 256;
    int64_t there[chunk], here[chunk];
    auto list = [](const Walk &walk, int64_t start, int n, int64_t *offsets) {
      Walk::Run run = walk.offsets(0, start, n, offsets);
      for (int i = 1; run != Walk::Run::Listed && i < n; ++i)
        offsets[i] = offsets[0] + (run == Walk::Run::Contiguous ? i : 0);
    };
    for (int64_t start = 0; start < from.size(); start += chunk) {
      int n = static_cast<int>(std::min<int64_t>(chunk, from.size() - start));
      list(from, start, n, there);
      list(to, start, n, here);
      for (int i = 0; i < n; ++i)
        reinterpret_cast<T *>(out)[here[i]] =
            reinterpret_cast<const T *>(source)[there[i]];
    }
  }

  Walk from, to;
};
} // namespace

std::unique_ptr<Kernel> createPiecesReference(const Problem &problem,
                                              std::string &) {
  if (problem.op == NPU_OP_RESHAPE)
    return std::make_unique<ReshapeReference>(problem);
  return std::make_unique<PiecesReference>(problem);
}

} // namespace npu::kernels
