// SPDX-License-Identifier: Apache-2.0
//
// Windows of a convolution whose data has the channels inside: where the runs
// of each lie, one for each of its places, or for each of its rows.
#ifndef NPU_KERNELS_MATMUL_WINDOW_RUNS_H
#define NPU_KERNELS_MATMUL_WINDOW_RUNS_H

#include "kernels/kernel.h"
#include "kernels/matmul/panel_tile.h"
#include "kernels/parallel.h"

#include <array>
#include <string>
#include <vector>

namespace npu::kernels {

class WindowRuns {
public:
  /// `data` is input 0 of the convolution with its channels as the last
  /// dimension. False with a reason where its elements lie otherwise.
  bool map(const Problem &conv, const npu_tensor_desc &data,
           std::string &whyNot);

  int64_t count() const { return static_cast<int64_t>(runs.size()); }
  /// Windows: one for each place of the result.
  int64_t rows() const { return static_cast<int64_t>(offsets.size()); }

  /// Windows are counted so that such with the same runs in padding are
  /// neighbours: number i is of place takeOrder()[i] of the result. Once.
  std::vector<int64_t> takeOrder() { return std::move(order); }

  /// The window at which a part of the work ends that takes as long as so many
  /// windows of the mean length.
  int64_t windowAt(int64_t part) const;

  /// Runs `which` of up to mostTileRows windows; those in padding are zeros,
  /// and null where they are for all.
  void locate(const float *data, Range windows, Range which,
              RunOfRows *located) const;

private:
  static constexpr int spatial = 3;
  using Places = std::array<int32_t, spatial>;
  struct Run {
    int64_t offset; ///< elements from where the window begins
    Places from;    ///< likewise, in places of the data
  };
  struct Window;
  /// Windows from one on that have as many runs that are no padding.
  struct Group {
    int64_t first, runsEach;
    int64_t runsBefore; ///< of all windows before
  };
  void addRuns(const Problem &conv);
  std::vector<Window> windowsOf(const Problem &conv) const;
  void addPlace(const Problem &conv, size_t dim, int64_t place,
                Window &window) const;
  void sortWindows(const std::vector<Window> &windows);
  bool isInside(const Places &window, const Run &run) const;

  std::vector<Run> runs;
  std::vector<int64_t> offsets; ///< of each window's first element, which may
                                ///< lie in padding
  std::vector<Places> borders;  ///< places of the windows behind those inside
  std::vector<Group> groups;
  std::vector<int64_t> order;
  Places extents = {1, 1, 1};
  std::array<int64_t, spatial> steps = {}; ///< elements between places
  int64_t image = 0;                       ///< and between images
  std::vector<float> zeros;
};

} // namespace npu::kernels

#endif // NPU_KERNELS_MATMUL_WINDOW_RUNS_H
