// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a manifest; what is accepted must survive a round trip.

#include "format/manifest.h"

#include <cstdlib>

using namespace npu::format;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Manifest manifest, again;
  std::string text(reinterpret_cast<const char *>(data), size);
  if (!parseManifest(text, manifest).empty())
    return 0;
  std::string printed = printManifest(manifest);
  if (!parseManifest(printed, again).empty() || printManifest(again) != printed)
    abort();
  return 0;
}
