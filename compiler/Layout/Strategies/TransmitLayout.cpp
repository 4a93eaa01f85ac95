// SPDX-License-Identifier: Apache-2.0
#include "compiler/Layout/Passes/Passes.h"
#include "compiler/Layout/Strategies/Colours.h"

using namespace npu;

namespace npu {
#define GEN_PASS_DEF_TRANSMITLAYOUT
#include "compiler/Layout/Passes/Passes.h.inc"
} // namespace npu

namespace {
struct TransmitLayout : npu::impl::TransmitLayoutBase<TransmitLayout> {
  using TransmitLayoutBase::TransmitLayoutBase;

  void runOnOperation() override {
    mlir::func::FuncOp function = getOperation();
    if (!isColour(defaultColour)) {
      function.emitError() << "--default-colour: '" << defaultColour
                           << "' is no colour, " << colourHelp;
      return signalPassFailure();
    }
    if (failed(requireOneBlock(function)))
      return signalPassFailure();
    writeColours(function, transmitColours(function, defaultColour));
  }
};
} // namespace
