// SPDX-License-Identifier: Apache-2.0

#include "kernels/tensor.h"

#include "format/element_types.h"

#include <cctype>

namespace npu::kernels {

int64_t dtypeBytes(int32_t dtype) {
  const ElementType *type = lookupType(dtype);
  return type ? type->bytes : 1;
}

const char *dtypeName(int32_t dtype) {
  const ElementType *type = lookupType(dtype);
  return type ? type->name : "unknown type";
}

int64_t elementCount(const npu_tensor_desc &tensor) {
  int64_t count = 1;
  for (int d = 0; d < tensor.rank; ++d)
    count *= tensor.dims[d];
  return count;
}

int64_t blockOf(const npu_tensor_desc &tensor, int dim) {
  int64_t block = 1;
  for (int k = 0; k < tensor.block_count; ++k)
    if (tensor.block_dims[k] == dim)
      block *= tensor.block_sizes[k];
  return block;
}

/// Extent of the outer part of logical dimension `dim`.
static int64_t outerExtent(const npu_tensor_desc &tensor, int dim) {
  int64_t block = blockOf(tensor, dim);
  return (tensor.dims[dim] + block - 1) / block;
}

int64_t storedElements(const npu_tensor_desc &tensor) {
  int64_t count = 1;
  for (int d = 0; d < tensor.rank; ++d)
    count *= outerExtent(tensor, d) * blockOf(tensor, d);
  return count;
}

int64_t storedBytes(const npu_tensor_desc &tensor) {
  return storedElements(tensor) * dtypeBytes(tensor.dtype);
}

Strides stridesOf(const npu_tensor_desc &tensor) {
  Strides strides = {};
  int64_t stride = 1;
  for (int k = tensor.block_count - 1; k >= 0; --k) {
    strides.block[k] = stride;
    stride *= tensor.block_sizes[k];
  }
  for (int place = tensor.rank - 1; place >= 0; --place) {
    int d = tensor.order[place];
    strides.outer[d] = stride;
    stride *= outerExtent(tensor, d);
  }
  return strides;
}

int64_t offsetOf(const npu_tensor_desc &tensor, const Strides &strides,
                 const int64_t *index) {
  int64_t offset = 0;
  for (int d = 0; d < tensor.rank; ++d) {
    int64_t block = blockOf(tensor, d);
    offset += index[d] / block * strides.outer[d];
    int64_t rest = index[d] % block;
    for (int k = 0; k < tensor.block_count; ++k) {
      if (tensor.block_dims[k] != d)
        continue;
      block /= tensor.block_sizes[k];
      offset += rest / block * strides.block[k];
      rest %= block;
    }
  }
  return offset;
}

npu_tensor_desc makeTensor(int32_t dtype, const int64_t *dims, int rank) {
  npu_tensor_desc tensor = {};
  tensor.dtype = dtype;
  tensor.rank = rank;
  tensor.weights_offset = -1;
  for (int d = 0; d < rank; ++d) {
    tensor.dims[d] = dims[d];
    tensor.order[d] = static_cast<int8_t>(d);
  }
  return tensor;
}

/// Position of the next entry of `order` whose outer part is not a unit.
static int nextPlace(const npu_tensor_desc &tensor, int place) {
  while (place < tensor.rank && outerExtent(tensor, tensor.order[place]) == 1)
    ++place;
  return place;
}

bool sameStorage(const npu_tensor_desc &a, const npu_tensor_desc &b) {
  if (a.rank != b.rank || a.block_count != b.block_count)
    return false;
  for (int d = 0; d < a.rank; ++d)
    if (a.dims[d] != b.dims[d])
      return false;
  for (int k = 0; k < a.block_count; ++k)
    if (a.block_dims[k] != b.block_dims[k] ||
        a.block_sizes[k] != b.block_sizes[k])
      return false;
  int i = nextPlace(a, 0), j = nextPlace(b, 0);
  while (i < a.rank && j < b.rank) {
    if (a.order[i] != b.order[j])
      return false;
    i = nextPlace(a, i + 1);
    j = nextPlace(b, j + 1);
  }
  return i == a.rank && j == b.rank;
}

std::string layoutString(const npu_tensor_desc &tensor) {
  if (tensor.rank == 0)
    return "scalar";
  std::string text;
  for (int place = 0; place < tensor.rank; ++place) {
    int d = tensor.order[place];
    text += static_cast<char>((blockOf(tensor, d) > 1 ? 'A' : 'a') + d);
  }
  for (int k = 0; k < tensor.block_count; ++k) {
    text += std::to_string(tensor.block_sizes[k]);
    text += static_cast<char>('a' + tensor.block_dims[k]);
  }
  return text;
}

std::string describe(const npu_tensor_desc &tensor) {
  std::string text = dtypeName(tensor.dtype);
  text += ' ';
  for (int d = 0; d < tensor.rank; ++d)
    text += (d ? "x" : "") + std::to_string(tensor.dims[d]);
  if (tensor.rank)
    text += ' ';
  return text + layoutString(tensor);
}

npu_tensor_desc channelsLast(const npu_tensor_desc &tensor) {
  npu_tensor_desc result = tensor;
  result.block_count = 0;
  for (int k = 0; k < NPU_MAX_BLOCKS; ++k)
    result.block_sizes[k] = result.block_dims[k] = 0;
  for (int place = 0; place < tensor.rank; ++place)
    result.order[place] =
        static_cast<int8_t>(place == 0                 ? 0
                            : place + 1 == tensor.rank ? 1
                                                       : place + 1);
  if (tensor.rank == 1)
    result.order[0] = 0;
  return result;
}

bool isChannelsLastF32(const npu_tensor_desc &tensor) {
  return tensor.dtype == NPU_F32 && sameStorage(tensor, channelsLast(tensor));
}

} // namespace npu::kernels
