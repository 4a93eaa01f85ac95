// SPDX-License-Identifier: Apache-2.0

#include "kernels/matmul/window_runs.h"

#include "kernels/support/access.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace npu::kernels {

bool WindowRuns::map(const Problem &conv, const npu_tensor_desc &data,
                     std::string &whyNot) {
  const std::vector<DimMap> maps = dimMaps(data);
  const int64_t channels = data.dims[data.rank - 1];
  if (conv.attrs.conv.groups != 1) {
    whyNot = "windows of groups of channels";
    return false;
  }
  bool isLinear = std::all_of(maps.begin(), maps.end(),
                              [](const DimMap &map) { return map.isLinear(); });
  if (!isLinear || (maps.back().stride != 1 && channels > 1) ||
      data.rank - 2 > spatial) {
    whyNot = "windows whose channels do not lie in one piece";
    return false;
  }
  image = maps.front().stride;
  for (int i = 0; i < data.rank - 2; ++i) {
    extents[static_cast<size_t>(i)] = static_cast<int32_t>(data.dims[i + 1]);
    steps[static_cast<size_t>(i)] = maps[static_cast<size_t>(i + 1)].stride;
  }
  zeros.resize(static_cast<size_t>(channels));
  addRuns(conv);
  addWindows(conv);
  sortWindows();
  return true;
}

/// In the order of a window's places, the last dimension innermost.
void WindowRuns::addRuns(const Problem &conv) {
  const npu_tensor_desc &w = conv.inputs[1];
  runs = {{0, {}}};
  for (int i = 0; i < w.rank - 2; ++i) {
    const auto dim = static_cast<size_t>(i);
    const int64_t apart = conv.attrs.conv.dilations[i];
    std::vector<Run> more;
    for (Run run : runs)
      for (int64_t place = 0; place < w.dims[i + 2]; ++place) {
        Run next = run;
        next.offset += place * apart * steps[dim];
        next.from[dim] = static_cast<int32_t>(place * apart);
        more.push_back(next);
      }
    runs = std::move(more);
  }
}

void WindowRuns::addWindows(const Problem &conv) {
  const npu_tensor_desc &y = conv.outputs[0];
  begins.clear();
  for (int64_t n = 0; n < y.dims[0]; ++n)
    begins.push_back({n * image, {}, {}, {1, 1, 1}, true});
  for (int i = 0; i < y.rank - 2; ++i) {
    const auto dim = static_cast<size_t>(i);
    std::vector<Window> more;
    more.reserve(begins.size() * static_cast<size_t>(y.dims[i + 2]));
    for (const Window &window : begins)
      for (int64_t place = 0; place < y.dims[i + 2]; ++place) {
        more.push_back(window);
        addPlace(conv, dim, place, more.back());
      }
    begins = std::move(more);
  }
}

/// The window's place in one more dimension of the result.
void WindowRuns::addPlace(const Problem &conv, size_t dim, int64_t place,
                          Window &window) const {
  const npu_conv_attrs &a = conv.attrs.conv;
  const int64_t at = place * a.strides[dim] - a.pads_begin[dim],
                apart = a.dilations[dim], size = conv.inputs[1].dims[dim + 2];
  // Of the window's places those from 0 on, and below the data's extent.
  const auto below = [&](int64_t limit) {
    return std::clamp<int64_t>((limit - at + apart - 1) / apart, 0, size);
  };
  window.offset += at * steps[dim];
  window.at[dim] = static_cast<int32_t>(at);
  window.first[dim] = static_cast<int32_t>(at < 0 ? below(0) : 0);
  window.end[dim] =
      static_cast<int32_t>(at < extents[dim] ? below(extents[dim]) : 0);
  window.isInside &= window.first[dim] == 0 && window.end[dim] == size;
}

void WindowRuns::sortWindows() {
  places.resize(begins.size());
  std::iota(places.begin(), places.end(), int64_t{0});
  const auto key = [&](int64_t place) {
    const Window &window = begins[static_cast<size_t>(place)];
    return std::make_tuple(!window.isInside, window.first, window.end, place);
  };
  std::sort(places.begin(), places.end(),
            [&](int64_t one, int64_t other) { return key(one) < key(other); });
  std::vector<Window> sorted;
  runsBefore = {0};
  for (int64_t place : places) {
    const Window &window = begins[static_cast<size_t>(place)];
    int64_t inside = 1;
    for (size_t i = 0; i < spatial; ++i)
      inside *= std::max(window.end[i] - window.first[i], 0);
    runsBefore.push_back(runsBefore.back() + inside);
    sorted.push_back(window);
  }
  begins = std::move(sorted);
}

int64_t WindowRuns::windowAt(int64_t part) const {
  const int64_t all = runsBefore.back();
  if (part >= rows() || all == 0) // those without runs are last
    return part;
  const auto found =
      std::lower_bound(runsBefore.begin(), runsBefore.end(),
                       static_cast<int64_t>(static_cast<double>(all) *
                                            static_cast<double>(part) /
                                            static_cast<double>(rows())));
  return found - runsBefore.begin();
}

bool WindowRuns::isInside(const Window &window, const Run &run) const {
  for (size_t i = 0; i < spatial; ++i)
    if (static_cast<uint32_t>(window.at[i] + run.from[i]) >=
        static_cast<uint32_t>(extents[i]))
      return false;
  return true;
}

void WindowRuns::locate(const float *data, Range windows, Range which,
                        RunOfRows *located) const {
  bool anyIsInPadding = false;
  for (int64_t w = windows.begin; w < windows.end; ++w) {
    const Window &window = begins[static_cast<size_t>(w)];
    const float *from = data + window.offset;
    anyIsInPadding |= !window.isInside;
    for (int64_t r = which.begin; r < which.end; ++r) {
      const Run &run = runs[static_cast<size_t>(r)];
      located[r - which.begin][w - windows.begin] =
          window.isInside || isInside(window, run) ? from + run.offset
                                                   : zeros.data();
    }
  }
  const int64_t count = windows.end - windows.begin;
  const auto areZeros = [&](const float *run) { return run == zeros.data(); };
  for (int64_t r = 0; anyIsInPadding && r < which.end - which.begin; ++r)
    if (std::all_of(located[r], located[r] + count, areZeros))
      located[r][0] = nullptr;
}

} // namespace npu::kernels
