// SPDX-License-Identifier: Apache-2.0
//
// Prints the page docs/tosa-ops.md.
#include "compiler/Frontend/TOSA/TosaImporter.h"

#include <cstdio>

int main() {
  std::fputs(npu::supportedTosaOpsMarkdown().c_str(), stdout);
  return 0;
}
