// SPDX-License-Identifier: Apache-2.0
//
// Constants in f32 that a program makes of smaller ones when it is loaded, as
// kernels see them that keep the smaller ones.
#ifndef NPU_KERNELS_NARROW_H
#define NPU_KERNELS_NARROW_H

#include "format/program_format.h"

#include <optional>

namespace npu::kernels {

struct Problem;

/// Each element is (its number + offset) * scale, in f32.
struct Narrow {
  /// The constant's extents and order, in i8, f16 or bf16.
  npu_tensor_desc numbers = {};
  const void *data = nullptr;     ///< at least until the kernel has packed them
  int dim = 0;                    ///< along which scales and offsets differ
  const float *scales = nullptr;  ///< of each index of `dim`; null: 1
  const float *offsets = nullptr; ///< likewise; null: 0

  /// Whether all elements have one scale and one offset: then `dim` says
  /// nothing.
  bool isUniform() const;
  /// Whether they differ along no dimension but this one.
  bool isAlong(int dimension) const { return dim == dimension || isUniform(); }
};

/// How `maker`, an elementwise kernel without data of its own, makes
/// `constant`, which a kernel reads: all but the addresses. Nothing where it
/// does something else. Input 0 is the numbers, input 1 the scales, input 2 the
/// offsets.
std::optional<Narrow> narrowOf(const Problem &maker,
                               const npu_tensor_desc &constant);

} // namespace npu::kernels

#endif // NPU_KERNELS_NARROW_H
