// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a chip's file: an error that names the file, or a chip of which
// can be said which cases its conditions cover, and which can be given a
// processor. The files that it names are read from the folder of the run.

#include "compiler/Target/Coverage.h"

#include <cmath>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string error;
  llvm::StringRef text(reinterpret_cast<const char *>(data), size);
  std::optional<npu::TargetSpec> chip =
      npu::parseTarget(text, "chip.yaml", error);
  if (chip.has_value() == !error.empty())
    abort();
  if (!chip) {
    if (error.find("chip.yaml") == std::string::npos)
      abort();
    return 0;
  }
  if (chip->name.empty() || !(chip->machine.clockMHz > 0))
    abort();
  npu::coverageText(*chip);
  npu::fusesText(*chip);
  std::string why;
  if (!npu::chooseFallback(*chip, "host", why) || !chip->fallback ||
      !std::isfinite(chip->fallback->linkGBs))
    abort();
  return 0;
}
