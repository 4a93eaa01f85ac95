// SPDX-License-Identifier: Apache-2.0
//
// Which plugin a thread is in.
#include "plugin/Plugin.h"

#include <cstdio>

namespace npu::plugin {
namespace {

/// Plain pointers: a handler of signals reads them.
struct Running {
  const char *name, *version, *what;
};
thread_local Running innermost = {nullptr, nullptr, nullptr};

} // namespace

InPlugin::InPlugin(const char *name, const char *version, const char *what)
    : outer{innermost.name, innermost.version, innermost.what} {
  innermost = {name, version, what};
}

InPlugin::~InPlugin() { innermost = {outer[0], outer[1], outer[2]}; }

const char *running() {
  static char text[256];
  if (!innermost.name)
    return nullptr;
  std::snprintf(text, sizeof(text), "%s%s%s (%s)", innermost.name,
                *innermost.version ? " " : "", innermost.version,
                innermost.what);
  return text;
}

} // namespace npu::plugin
