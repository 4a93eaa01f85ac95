// SPDX-License-Identifier: Apache-2.0
//
// Arithmetic on npu_tensor_desc: sizes, strides, offsets. Shared by kernels,
// runtime and compiler, so that "where is element (n,c,h,w)" has one answer.
#ifndef NPU_KERNELS_TENSOR_H
#define NPU_KERNELS_TENSOR_H

#include "format/program_format.h"

#include <cstdint>
#include <string>

namespace npu::kernels {

/// Bytes of one element: 4 for NPU_F32, 1 for NPU_BOOL, ...
int64_t dtypeBytes(int32_t dtype);
/// "f32", "bool", ...
const char *dtypeName(int32_t dtype);

/// Logical elements.
int64_t elementCount(const npu_tensor_desc &tensor);
/// Stored elements: logical ones and block padding.
int64_t storedElements(const npu_tensor_desc &tensor);
/// Stored bytes.
int64_t storedBytes(const npu_tensor_desc &tensor);
/// Product of the block sizes over logical dimension `dim` (1: not blocked).
int64_t blockOf(const npu_tensor_desc &tensor, int dim);

/// Element strides of the outer part of each logical dimension, and of each
/// block in order; both in stored elements.
struct Strides {
  int64_t outer[NPU_MAX_RANK];
  int64_t block[NPU_MAX_BLOCKS];
};
Strides stridesOf(const npu_tensor_desc &tensor);

/// Stored element offset of the element at logical `index`.
int64_t offsetOf(const npu_tensor_desc &tensor, const Strides &strides,
                 const int64_t *index);

/// Row-major descriptor of the given extents.
npu_tensor_desc makeTensor(int32_t dtype, const int64_t *dims, int rank);
/// Whether both store their elements at the same offsets (extents equal, order
/// equal up to unit dimensions, blocks equal).
bool sameStorage(const npu_tensor_desc &a, const npu_tensor_desc &b);

/// The layout as letters: "acdb", "aBcd16b"; "scalar" at rank 0.
std::string layoutString(const npu_tensor_desc &tensor);
/// "f32 1x64x56x56 acdb"
std::string describe(const npu_tensor_desc &tensor);

/// The order N, spatial..., C.
npu_tensor_desc channelsLast(const npu_tensor_desc &tensor);
/// Whether it is f32 in that order.
bool isChannelsLastF32(const npu_tensor_desc &tensor);

} // namespace npu::kernels

#endif // NPU_KERNELS_TENSOR_H
