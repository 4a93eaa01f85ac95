// SPDX-License-Identifier: Apache-2.0
//
// Prints the page docs/tflite-ops.md.
#include "compiler/Frontend/TFLite/TfliteOps.h"

#include <cstdio>

int main() {
  std::fputs(npu::supportedTfliteOpsMarkdown().c_str(), stdout);
  return 0;
}
