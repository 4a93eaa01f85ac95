// SPDX-License-Identifier: Apache-2.0
//
// A plugin in C++ that lets an exception out of a strategy.
#include "npuc/plugin.h"

#include <stdexcept>

static int32_t choose(const npuc_problem *, int32_t *, char *) {
  throw std::runtime_error("it was not caught");
}

extern "C" const npu_plugin_header *npuc_plugin_get(const npu_plugin_host *,
                                                    uint32_t) {
  static const npuc_strategy strategy = {sizeof(strategy), "throws", "throws",
                                         choose};
  static const npuc_strategy *const strategies[] = {&strategy};
  static const npuc_plugin plugin = {
      {sizeof(plugin), NPU_PLUGIN_ABI_VERSION, "thrower", "1"},
      nullptr,
      strategies,
      nullptr,
      0,
      1,
      0};
  return &plugin.header;
}
