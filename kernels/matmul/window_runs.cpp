// SPDX-License-Identifier: Apache-2.0

#include "kernels/matmul/window_runs.h"

#include "kernels/support/access.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace npu::kernels {

/// Where a window begins, and the places of it that are no padding.
struct WindowRuns::Window {
  int64_t offset;
  Places at, first, end;
  bool isInside; ///< all of it

  int64_t runCount() const {
    int64_t count = 1;
    for (size_t i = 0; i < spatial; ++i)
      count *= std::max(end[i] - first[i], 0);
    return count;
  }
};

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
  sortWindows(windowsOf(conv));
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

std::vector<WindowRuns::Window>
WindowRuns::windowsOf(const Problem &conv) const {
  const npu_tensor_desc &y = conv.outputs[0];
  std::vector<Window> windows;
  for (int64_t n = 0; n < y.dims[0]; ++n)
    windows.push_back({n * image, {}, {}, {1, 1, 1}, true});
  for (int i = 0; i < y.rank - 2; ++i) {
    std::vector<Window> more;
    more.reserve(windows.size() * static_cast<size_t>(y.dims[i + 2]));
    for (const Window &window : windows)
      for (int64_t place = 0; place < y.dims[i + 2]; ++place) {
        more.push_back(window);
        addPlace(conv, static_cast<size_t>(i), place, more.back());
      }
    windows = std::move(more);
  }
  return windows;
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

void WindowRuns::sortWindows(const std::vector<Window> &windows) {
  order.resize(windows.size());
  std::iota(order.begin(), order.end(), int64_t{0});
  const auto key = [&](int64_t place) {
    const Window &window = windows[static_cast<size_t>(place)];
    return std::make_tuple(!window.isInside, window.first, window.end, place);
  };
  std::sort(order.begin(), order.end(),
            [&](int64_t one, int64_t other) { return key(one) < key(other); });
  int64_t before = 0;
  for (int64_t place : order) {
    const Window &window = windows[static_cast<size_t>(place)];
    const int64_t count = window.runCount();
    if (groups.empty() || groups.back().runsEach != count)
      groups.push_back({rows(), count, before});
    before += count;
    offsets.push_back(window.offset);
    if (!window.isInside)
      borders.push_back(window.at);
  }
  groups.push_back({rows(), 0, before});
}

int64_t WindowRuns::windowAt(int64_t part) const {
  const int64_t all = groups.back().runsBefore;
  if (part >= rows() || all == 0) // those without runs are last
    return part;
  const auto wanted = static_cast<int64_t>(static_cast<double>(all) *
                                           static_cast<double>(part) /
                                           static_cast<double>(rows()));
  size_t g = 0;
  while (groups[g + 1].runsBefore < wanted)
    ++g;
  const Group &group = groups[g];
  const int64_t each = std::max<int64_t>(group.runsEach, 1);
  return std::min(group.first + (wanted - group.runsBefore + each - 1) / each,
                  groups[g + 1].first);
}

bool WindowRuns::isInside(const Places &window, const Run &run) const {
  for (size_t i = 0; i < spatial; ++i)
    if (static_cast<uint32_t>(window[i] + run.from[i]) >=
        static_cast<uint32_t>(extents[i]))
      return false;
  return true;
}

void WindowRuns::locate(const float *data, Range windows, Range which,
                        RunOfRows *located) const {
  const auto inside = static_cast<int64_t>(offsets.size() - borders.size());
  for (int64_t w = windows.begin; w < windows.end; ++w) {
    const float *from = data + offsets[static_cast<size_t>(w)];
    const Places *at =
        w < inside ? nullptr : &borders[static_cast<size_t>(w - inside)];
    for (int64_t r = which.begin; r < which.end; ++r) {
      const Run &run = runs[static_cast<size_t>(r)];
      located[r - which.begin][w - windows.begin] =
          !at || isInside(*at, run) ? from + run.offset : zeros.data();
    }
  }
  const int64_t count = windows.end - windows.begin;
  const auto areZeros = [&](const float *run) { return run == zeros.data(); };
  for (int64_t r = 0; windows.end > inside && r < which.end - which.begin; ++r)
    if (std::all_of(located[r], located[r] + count, areZeros))
      located[r][0] = nullptr;
}

} // namespace npu::kernels
