// SPDX-License-Identifier: Apache-2.0
#include "compiler/Layout/Passes.h"

namespace npu {
namespace {
#define GEN_PASS_REGISTRATION
#include "compiler/Layout/Passes.h.inc"
} // namespace
} // namespace npu

void npu::registerLayoutPasses() {
  registerAlterLayout();
  registerAssignLayout();
  registerFindBestLayout();
  registerFoldLayout();
  registerInferLayout();
  registerPeepholeLayout();
  registerPresetLayout();
  registerReportLayout();
  registerTransmitLayout();
  registerVerifyLayout();
}
