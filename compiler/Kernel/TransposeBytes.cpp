// SPDX-License-Identifier: Apache-2.0
#include "compiler/Kernel/TransposeBytes.h"

#include <algorithm>
#include <cstring>

using namespace npu;

// A tile of 32 x 32 elements of either side stays in the first-level cache.
static constexpr int64_t tile = 32;

namespace {
/// The permutation without unit dimensions and with neighbours that stay
/// neighbours merged: result extents and their strides in the source.
struct Nest {
  SmallVector<int64_t> extents, strides;
};
} // namespace

static Nest makeNest(ArrayRef<int64_t> shape, ArrayRef<int64_t> permutation) {
  SmallVector<int64_t> sourceStrides(shape.size(), 1);
  for (size_t i = shape.size(); i > 1; --i)
    sourceStrides[i - 2] = sourceStrides[i - 1] * shape[i - 1];
  Nest nest;
  for (int64_t dim : permutation) {
    int64_t extent = shape[dim], stride = sourceStrides[dim];
    if (extent == 1)
      continue;
    if (!nest.extents.empty() && nest.strides.back() == extent * stride) {
      nest.extents.back() *= extent;
      nest.strides.back() = stride;
      continue;
    }
    nest.extents.push_back(extent);
    nest.strides.push_back(stride);
  }
  return nest;
}

static int64_t product(ArrayRef<int64_t> extents) {
  int64_t result = 1;
  for (int64_t extent : extents)
    result *= extent;
  return result;
}

/// Calls `body(sourceOffset, resultOffset)` for each index of the nest's
/// dimensions but `skipped`, whose result strides are given too.
template <typename Body>
static void forEachOther(const Nest &nest, ArrayRef<int64_t> resultStrides,
                         ArrayRef<size_t> skipped, Body body) {
  SmallVector<size_t> dims;
  for (size_t i = 0; i < nest.extents.size(); ++i)
    if (!llvm::is_contained(skipped, i))
      dims.push_back(i);
  SmallVector<int64_t> index(dims.size(), 0);
  int64_t source = 0, result = 0;
  while (true) {
    body(source, result);
    size_t d = dims.size();
    for (; d > 0; --d) {
      size_t dim = dims[d - 1];
      source += nest.strides[dim];
      result += resultStrides[dim];
      if (++index[d - 1] < nest.extents[dim])
        break;
      source -= nest.strides[dim] * nest.extents[dim];
      result -= resultStrides[dim] * nest.extents[dim];
      index[d - 1] = 0;
    }
    if (d == 0)
      return;
  }
}

template <typename Element>
static void transposeTiles(const Element *source, Element *result, int64_t rows,
                           int64_t columns, int64_t resultStride,
                           int64_t sourceStride) {
  for (int64_t r = 0; r < rows; r += tile)
    for (int64_t c = 0; c < columns; c += tile)
      for (int64_t i = r; i < std::min(r + tile, rows); ++i)
        for (int64_t j = c; j < std::min(c + tile, columns); ++j)
          result[i * resultStride + j] = source[i + j * sourceStride];
}

template <typename Element>
static void transpose(const char *sourceBytes, char *resultBytes,
                      const Nest &nest) {
  auto *source = reinterpret_cast<const Element *>(sourceBytes);
  auto *result = reinterpret_cast<Element *>(resultBytes);
  size_t rank = nest.extents.size();
  SmallVector<int64_t> resultStrides(rank, 1);
  for (size_t i = rank; i > 1; --i)
    resultStrides[i - 2] = resultStrides[i - 1] * nest.extents[i - 1];
  size_t last = rank - 1;
  int64_t run = nest.extents[last];
  if (nest.strides[last] == 1) {
    forEachOther(nest, resultStrides, {last}, [&](int64_t from, int64_t to) {
      std::memcpy(result + to, source + from, run * sizeof(Element));
    });
    return;
  }
  size_t fast = llvm::find(nest.strides, 1) - nest.strides.begin();
  forEachOther(nest, resultStrides, {fast, last},
               [&](int64_t from, int64_t to) {
                 transposeTiles(source + from, result + to, nest.extents[fast],
                                run, resultStrides[fast], nest.strides[last]);
               });
}

void npu::transposeBytes(ArrayRef<char> source, ArrayRef<int64_t> shape,
                         ArrayRef<int64_t> permutation, int64_t width,
                         MutableArrayRef<char> result) {
  Nest nest = makeNest(shape, permutation);
  if (nest.extents.size() < 2 || product(nest.extents) == 0) {
    llvm::copy(source, result.begin());
    return;
  }
  switch (width) {
  case 1:
    return transpose<uint8_t>(source.data(), result.data(), nest);
  case 2:
    return transpose<uint16_t>(source.data(), result.data(), nest);
  case 4:
    return transpose<uint32_t>(source.data(), result.data(), nest);
  default:
    return transpose<uint64_t>(source.data(), result.data(), nest);
  }
}
