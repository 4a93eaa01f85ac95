// SPDX-License-Identifier: Apache-2.0
//
// The layout stage, one pass for each step, in the order in which they run.
#ifndef NPU_LAYOUT_PASSES_TD
#define NPU_LAYOUT_PASSES_TD

include "mlir/Pass/PassBase.td"

def AssignLayout : Pass<"npu-assign-layout", "::mlir::func::FuncOp"> {
  let summary = "Decides who stores what how, by one strategy, and applies it.";
  let description = [{
    Every tensor gets a layout, and `npu.relayout` appears where a reader wants
    another order than is there. A plan that breaks a demand of the target is an
    error that names the op.

    Example (`strategy=auto-nhwc target=npu-nhwc`):
    ```mlir
    func.func @pool(%x: tensor<2x8x6x6xf32>) -> tensor<2x8x3x3xf32> {
      %0 = npu.max_pool(%x) {dilations = [1, 1], kernel = [2, 2], pads = [0, 0, 0, 0], strides = [2, 2]} : (tensor<2x8x6x6xf32>) -> tensor<2x8x3x3xf32>
      return %0 : tensor<2x8x3x3xf32>
    }
    ==>
    func.func @pool(%x: tensor<2x8x6x6xf32, #npu.layout<abcd>>) -> tensor<2x8x3x3xf32, #npu.layout<abcd>> {
      %0 = npu.relayout(%x) : (tensor<2x8x6x6xf32, #npu.layout<abcd>>) -> tensor<2x8x6x6xf32, #npu.layout<acdb>>
      %1 = npu.max_pool(%0) {dilations = [1, 1], kernel = [2, 2], pads = [0, 0, 0, 0], strides = [2, 2]} : (tensor<2x8x6x6xf32, #npu.layout<acdb>>) -> tensor<2x8x3x3xf32, #npu.layout<acdb>>
      %2 = npu.relayout(%1) : (tensor<2x8x3x3xf32, #npu.layout<acdb>>) -> tensor<2x8x3x3xf32, #npu.layout<abcd>>
      return %2 : tensor<2x8x3x3xf32, #npu.layout<abcd>>
    }
    ```
    test/compiler/Layout/auto-nhwc.mlir runs it.
  }];
  let options = [
    Option<"strategy", "strategy", "std::string", "\"auto-nhwc\"",
           "Name of a strategy: none, naive, auto-nhwc, optimal">,
    Option<"objective", "objective", "std::string", "\"time\"",
           "What optimal makes small: count, bytes or time">,
    Option<"seconds", "seconds", "double", "10.0",
           "How long optimal may search">,
    Option<"target", "target", "std::string", "\"npu-nhwc\"",
           "Name of a shipped target or path of a target file">,
    Option<"ioLayout", "io-layout", "std::string", "\"fixed\"",
           "fixed, free, NAME=LAYOUT, or several separated by commas">,
    Option<"layoutPlan", "layout-plan", "std::string", "\"\"",
           "File whose pins are held (docs/layout-plan.md)">,
    Option<"verifyExactly", "verify-exactly", "bool", "false",
           "Compare source and result on index-tagged values">
  ];
}

def FoldLayout : Pass<"npu-fold-layout", "::mlir::func::FuncOp"> {
  let summary = "Removes relayouts, and never moves more bytes than before.";
  let description = [{
    A relayout of a constant becomes the constant's layout; adjacent inverse
    pairs cancel, chains and duplicates merge; a relayout moves through an op
    that takes any order, or through a view, where fewer bytes are moved in all.

    Example:
    ```mlir
    %0 = npu.relayout(%x) : (tensor<2x4x8x8xf32, #npu.layout<acdb>>) -> tensor<2x4x8x8xf32, #npu.layout<abcd>>
    %1 = npu.eltwise relu(%0) : (tensor<2x4x8x8xf32, #npu.layout<abcd>>) -> tensor<2x4x8x8xf32, #npu.layout<abcd>>
    %2 = npu.relayout(%1) : (tensor<2x4x8x8xf32, #npu.layout<abcd>>) -> tensor<2x4x8x8xf32, #npu.layout<acdb>>
    ==>
    %1 = npu.eltwise relu(%x) : (tensor<2x4x8x8xf32, #npu.layout<acdb>>) -> tensor<2x4x8x8xf32, #npu.layout<acdb>>
    ```
    test/compiler/Layout/fold-layout.mlir runs it.
  }];
  let options = [
    Option<"target", "target", "std::string", "\"npu-nhwc\"",
           "Target whose demands stay met">,
    Option<"constantsOnly", "constants-only", "bool", "false",
           "Only relay constants">
  ];
}

def VerifyLayout : Pass<"npu-verify-layout", "::mlir::func::FuncOp"> {
  let summary = "Checks that every demand of the target is met.";
  let description = [{
    Every tensor has a layout, every op that the target makes demands on has its
    operands and result as demanded, and only npu ops see laid-out tensors.

    Example that fails for `target=npu-nhwc`, because the chip's convolution
    reads channels-last data:
    ```mlir
    %y = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x4x8x8xf32, #npu.layout<abcd>>, tensor<4x4x1x1xf32, #npu.layout<cdba>>) -> tensor<1x4x8x8xf32, #npu.layout<abcd>>
    ```
    test/compiler/Layout/verify-layout-errors.mlir runs it.
  }];
  let options = [
    Option<"target", "target", "std::string", "\"npu-nhwc\"",
           "Name of a shipped target or path of a target file">
  ];
}

def ReportLayout : Pass<"npu-report-layout", "::mlir::func::FuncOp"> {
  let summary = "Prints each relayout that is left, and why.";
  let description = [{
    What `npuc --explain-layout` prints: bytes, orders, node, and the op or
    boundary that forces the relayout; then the model's own transposes and
    reshapes that move data. Goes to standard error; changes nothing.

    Example:
    ```mlir
    %y = npu.relayout(%x) : (tensor<1x8x4x4xf32, #npu.layout<abcd>>) -> tensor<1x8x4x4xf32, #npu.layout<acdb>>
    ```
    prints `1 relayout, 512 bytes` and one line about it;
    test/compiler/Layout/report-layout.mlir runs it.
  }];
  let options = [
    Option<"target", "target", "std::string", "\"npu-nhwc\"",
           "Name of a shipped target or path of a target file">
  ];
}

#endif // NPU_LAYOUT_PASSES_TD
