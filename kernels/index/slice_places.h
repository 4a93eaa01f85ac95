// SPDX-License-Identifier: Apache-2.0
//
// Where GATHER_ND reads and SCATTER_ND writes: points, each a vector of
// indices, and the slice that lies at each.
#ifndef NPU_KERNELS_INDEX_SLICE_PLACES_H
#define NPU_KERNELS_INDEX_SLICE_PLACES_H

#include "kernels/kernel.h"
#include "kernels/parallel.h"
#include "kernels/support/access.h"

#include <algorithm>

namespace npu::kernels {

class SlicePlaces {
public:
  /// Points that are handled together.
  static constexpr int chunk = 256;

  /// Where slices begin in the tensor that the indices point into, and in the
  /// other one, which has a slice for each point.
  struct Starts {
    int64_t indexed[chunk], other[chunk];
    bool isContiguous; // in the other one
  };

  /// In memory order of `other` points may come in any order, else they come in
  /// that of the indices.
  SlicePlaces(const Problem &problem, const npu_tensor_desc &indexed,
              const npu_tensor_desc &other, bool inMemoryOrder);

  int64_t points() const { return pointWalk.size(); }
  int64_t sliceElements() const { return sliceWalk.size(); }

  /// Of points from `first` on, at most a chunk; false if an index of one lies
  /// outside.
  bool find(const void *indices, int64_t first, int count,
            Starts &starts) const;

  /// Calls visit(in the indexed tensor, in the other one, elements) for each
  /// stretch of these elements of a slice that lies in one piece in both;
  /// offsets are from where a slice begins.
  template <typename Visit>
  void forStretches(Range elements, Visit visit) const {
    constexpr int64_t longest = 1024;
    int64_t indexed[longest], other[longest];
    for (int64_t at = elements.begin; at < elements.end;) {
      auto n = static_cast<int>(std::min(longest, elements.end - at));
      Walk::Run runs[] = {sliceWalk.list(0, at, n, indexed),
                          sliceWalk.list(1, at, n, other)};
      bool isOne = runs[0] == Walk::Run::Contiguous && runs[1] == runs[0];
      for (int i = 0, length = n; i < n; i += length) {
        for (length = isOne ? n : 1;
             i + length < n && indexed[i + length] == indexed[i] + length &&
             other[i + length] == other[i] + length;)
          ++length;
        visit(indexed[i], other[i], length);
      }
      at += n;
    }
  }

private:
  int32_t indexType;
  int64_t indexBytes;
  std::vector<int64_t> extents; // of the dimensions that a vector counts
  std::vector<DimMap> along;    // the same in the indexed tensor
  DimMap vector;                // the numbers of one vector
  Walk pointWalk;               // other, indices, indexed (batches alone)
  Walk sliceWalk;               // indexed, other
};

} // namespace npu::kernels

#endif // NPU_KERNELS_INDEX_SLICE_PLACES_H
