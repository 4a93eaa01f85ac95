// SPDX-License-Identifier: Apache-2.0

#include "kernels/index/slice_places.h"

#include "kernels/support/convert.h"

#include <numeric>

namespace npu::kernels {

/// Dimensions [begin, end) of the tensor, in its memory order.
static std::vector<int> dimsInOrder(const npu_tensor_desc &tensor, int begin,
                                    int end) {
  std::vector<int> dims;
  for (int place = 0; place < tensor.rank; ++place)
    if (int dim = tensor.order[place]; dim >= begin && dim < end)
      dims.push_back(dim);
  return dims;
}

static Walk walkOver(const npu_tensor_desc &tensor,
                     const std::vector<int> &dims) {
  std::vector<int64_t> extents;
  extents.reserve(dims.size());
  for (int dim : dims)
    extents.push_back(tensor.dims[dim]);
  return Walk(std::move(extents));
}

/// The maps of those of the tensor's dimensions that lie in [begin, end); the
/// walk's dimension d is the tensor's d + shift.
static std::vector<DimMap> mapsOf(const npu_tensor_desc &tensor,
                                  const std::vector<int> &dims, int begin,
                                  int end, int shift) {
  std::vector<DimMap> maps;
  maps.reserve(dims.size());
  for (int dim : dims)
    if (int own = dim + shift; own >= begin && own < end)
      maps.push_back(dimMap(tensor, own, tensor.dims[own]));
    else
      maps.emplace_back();
  return maps;
}

SlicePlaces::SlicePlaces(const Problem &p, const npu_tensor_desc &indexed,
                         const npu_tensor_desc &other, bool inMemoryOrder)
    : indexType(p.inputs[1].dtype), indexBytes(dtypeBytes(indexType)),
      pointWalk({}), sliceWalk({}) {
  const npu_tensor_desc &indices = p.inputs[1];
  const int pointRank = indices.rank - 1;
  const auto depth = static_cast<int>(indices.dims[pointRank]);
  const auto batch = static_cast<int>(p.attrs.index.batch_dims);
  const int kept = batch + depth; // the slice's first dimension
  vector = dimMap(indices, pointRank, depth);
  for (int d = batch; d < kept; ++d) {
    extents.push_back(indexed.dims[d]);
    along.push_back(dimMap(indexed, d, indexed.dims[d]));
  }
  std::vector<int> dims = dimsInOrder(other, 0, pointRank);
  if (!inMemoryOrder)
    std::iota(dims.begin(), dims.end(), 0);
  pointWalk = walkOver(other, dims);
  pointWalk.add(mapsOf(other, dims, 0, pointRank, 0));
  pointWalk.add(mapsOf(indices, dims, 0, pointRank, 0));
  pointWalk.add(mapsOf(indexed, dims, 0, batch, 0));
  pointWalk.coalesce();
  dims = dimsInOrder(other, pointRank, other.rank);
  sliceWalk = walkOver(other, dims);
  sliceWalk.add(mapsOf(indexed, dims, kept, indexed.rank, kept - pointRank));
  sliceWalk.add(mapsOf(other, dims, pointRank, other.rank, 0));
  sliceWalk.coalesce();
}

/// Adds where the indices point along one dimension; false if one lies outside.
static bool addPlaces(const int64_t *indices, int count, int64_t extent,
                      const DimMap &along, int64_t *starts) {
  bool isOutside = false;
  for (int i = 0; i < count; ++i)
    isOutside |= indices[i] < -extent || indices[i] >= extent;
  if (isOutside)
    return false;
  for (int i = 0; i < count; ++i)
    starts[i] += along.at(indices[i] + (indices[i] < 0 ? extent : 0));
  return true;
}

bool SlicePlaces::find(const void *indices, int64_t first, int count,
                       Starts &starts) const {
  int64_t where[chunk], list[chunk];
  starts.isContiguous =
      pointWalk.list(0, first, count, starts.other) == Walk::Run::Contiguous;
  Walk::Run run = pointWalk.offsets(1, first, count, where);
  pointWalk.list(2, first, count, starts.indexed);
  for (size_t j = 0; j < extents.size(); ++j) {
    const char *from = static_cast<const char *>(indices) +
                       vector.at(static_cast<int64_t>(j)) * indexBytes;
    load(indexType, from, run, where, count, list);
    if (!addPlaces(list, count, extents[j], along[j], starts.indexed))
      return false;
  }
  return true;
}

} // namespace npu::kernels
