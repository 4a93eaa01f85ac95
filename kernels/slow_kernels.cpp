// SPDX-License-Identifier: Apache-2.0

#include "kernels/slow_kernels.h"

#include <algorithm>

namespace npu::kernels {

static std::string sentence(const std::vector<const SlowKernel *> &equal) {
  constexpr size_t mostNamed = 3;
  size_t count = equal.size(), named = std::min(count, mostNamed);
  std::string text = count == 1 ? ""
                                : std::to_string(count) +
                                      " kernels run on the slow "
                                      "implementation '" +
                                      equal[0]->implementation + "': ";
  for (size_t i = 0; i < named; ++i)
    text += (i ? ", " : "") + equal[i]->name + " (" + equal[i]->node + ")";
  if (count == 1)
    text +=
        " runs on the slow implementation '" + equal[0]->implementation + "'";
  if (count > named)
    text += " and " + std::to_string(count - named) + " more";
  return text;
}

std::vector<std::string>
describeSlowKernels(const std::vector<SlowKernel> &kernels) {
  std::vector<std::vector<const SlowKernel *>> groups;
  for (const SlowKernel &kernel : kernels) {
    auto group = std::find_if(groups.begin(), groups.end(), [&](auto &each) {
      return each[0]->implementation == kernel.implementation;
    });
    if (group == groups.end())
      group = groups.insert(groups.end(), {{}});
    group->push_back(&kernel);
  }
  std::vector<std::string> sentences;
  for (const auto &group : groups)
    sentences.push_back(sentence(group));
  return sentences;
}

} // namespace npu::kernels
