// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as the table of a chip's program: it is taken, or one clause says
// why not. One that is taken can be shown and written again.

#include "chip/table.h"
#include "chip/text.h"

#include <cstdlib>

using namespace npu::chip;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  ProgramT program, again;
  if (!decode(std::string(reinterpret_cast<const char *>(data), size), program)
           .empty())
    return 0;
  if (textOf(program).empty() || !decode(encode(program), again).empty())
    abort();
  return 0;
}
