// SPDX-License-Identifier: Apache-2.0

#include "kernels/matmul/window_runs.h"

#include "kernels/support/access.h"

#include <algorithm>

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
  const npu_conv_attrs &a = conv.attrs.conv;
  begins.clear();
  for (int64_t n = 0; n < y.dims[0]; ++n)
    begins.push_back({n * image, {}, true});
  for (int i = 0; i < y.rank - 2; ++i) {
    const auto dim = static_cast<size_t>(i);
    std::vector<Window> more;
    more.reserve(begins.size() * static_cast<size_t>(y.dims[i + 2]));
    for (const Window &window : begins)
      for (int64_t place = 0; place < y.dims[i + 2]; ++place) {
        const int64_t at = place * a.strides[i] - a.pads_begin[i];
        Window next = window;
        next.offset += at * steps[dim];
        next.at[dim] = static_cast<int32_t>(at);
        more.push_back(next);
      }
    begins = std::move(more);
  }
  // The first and the last run are the window's corners.
  for (Window &window : begins)
    window.isInside =
        isInside(window, runs.front()) && isInside(window, runs.back());
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
  for (int64_t w = windows.begin; w < windows.end; ++w) {
    const Window &window = begins[static_cast<size_t>(w)];
    const float *from = data + window.offset;
    for (int64_t r = which.begin; r < which.end; ++r) {
      const Run &run = runs[static_cast<size_t>(r)];
      located[r - which.begin][w - windows.begin] =
          window.isInside || isInside(window, run) ? from + run.offset
                                                   : zeros.data();
    }
  }
}

} // namespace npu::kernels
