// SPDX-License-Identifier: Apache-2.0
//
// Operations that only move elements, as a list of pieces: disjoint boxes of
// the result, each filled from one input by index maps, or with a constant.
// The plain reference walks over the pieces; the fast kernels compile them.
#ifndef NPU_KERNELS_SUPPORT_MOVEMENT_H
#define NPU_KERNELS_SUPPORT_MOVEMENT_H

#include "kernels/kernel.h"
#include "kernels/support/access.h"

namespace npu::kernels {

struct Piece {
  int input = -1;               // -1: fill with `value`
  std::vector<int64_t> extents; // one per loop
  std::vector<DimMap> from, to; // one per loop; `from` empty when filling
  int64_t fromBase = 0, toBase = 0;
  uint64_t value = 0; // the bytes of one element, lowest first
};

/// The pieces of RELAYOUT, TRANSPOSE, RESHAPE, BROADCAST, SLICE, PAD, CONCAT
/// IMG2COL, UNPOOL, ROTATE and nearest RESIZE, with the result stored as
/// `target`. Empty with `whyNot` for a RESHAPE whose dimensions do not factor.
std::vector<Piece> makePieces(const Problem &problem,
                              const npu_tensor_desc &target,
                              std::string &whyNot);

/// The block padding of a stored tensor, to be filled with zeros.
std::vector<Piece> paddingPieces(const npu_tensor_desc &tensor);

/// Writes zeros there.
void zeroPadding(const npu_tensor_desc &tensor, void *data);

/// Why a kernel that gives elements of its first input's type, and runs no
/// fused instructions, does not take the problem; empty: it may.
std::string whyNotAsStored(const Problem &problem);

/// Moves one piece, element by element.
void movePlainly(const Piece &piece, int64_t elementBytes, const void *from,
                 void *to);

} // namespace npu::kernels

#endif // NPU_KERNELS_SUPPORT_MOVEMENT_H
