// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a .npy header.

#include "files/npy.h"

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  npu::tools::NpyHeader header;
  std::string wrong = npu::tools::parseNpyHeader(
      reinterpret_cast<const char *>(data), size, header);
  if (wrong.empty() && header.dataOffset > size)
    abort();
  return 0;
}
