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
    Option<"strategy", "strategy", "std::string", "\"optimal\"",
           "Name of a strategy: none, naive, auto-nhwc, convert, preset, alter, "
           "smartmem, pbqp, optimal">,
    Option<"target", "target", "std::string", "\"npu-nhwc\"",
           "Name of a shipped target or path of a target file">,
    Option<"ioLayout", "io-layout", "std::string", "\"fixed\"",
           "fixed, free, NAME=LAYOUT, or several separated by commas">,
    Option<"objective", "objective", "std::string", "\"time\"",
           "What optimal makes small: count, bytes, time or energy">,
    Option<"seconds", "seconds", "double", "10.0",
           "How long optimal may search">,
    Option<"desiredLayouts", "desired-layouts", "std::string", "\"\"",
           "For convert: OP:LAYOUT[:LAYOUT], several separated by commas">,
    Option<"defaultColour", "default-colour", "std::string", "\"tensor\"",
           "For preset: the colour of inputs that nothing tells about">,
    Option<"layoutPlan", "layout-plan", "std::string", "\"\"",
           "File whose pins are held (docs/layout-plan.md)">,
    Option<"verifyExactly", "verify-exactly", "bool", "false",
           "Compare source and result on index-tagged values">
  ];
  let dependentDialects = ["::npu::NPUDialect"];
}

def TransmitLayout : Pass<"npu-transmit-layout", "::mlir::func::FuncOp"> {
  let summary = "Colours every value as an image with its axes, or as a tensor.";
  let description = [{
    First half of the strategy `preset`. Backward from the ops that know their
    operands (convolutions, matrix products), where two users disagree the first
    one wins; inputs that nothing tells about get the default colour; then
    forward. An op that cannot tell its operand's colour from its result's (a
    reshape, a broadcast) is where one kind turns into the other. Two walks,
    linear time. The colours stand on the ops and arguments as `npu.colour`.

    Example:
    ```mlir
    func.func @flatten(%x: tensor<2x8x6x6xf32>, %m: tensor<288x4xf32>) -> tensor<2x4xf32> {
      %0 = npu.max_pool(%x) {dilations = [1, 1], kernel = [1, 1], pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<2x8x6x6xf32>) -> tensor<2x8x6x6xf32>
      %1 = npu.reshape(%0) : (tensor<2x8x6x6xf32>) -> tensor<2x288xf32>
      %2 = npu.matmul(%1, %m) : (tensor<2x288xf32>, tensor<288x4xf32>) -> tensor<2x4xf32>
      return %2 : tensor<2x4xf32>
    }
    ==>
    func.func @flatten(%x: tensor<2x8x6x6xf32> {npu.colour = "NCHW"}, %m: tensor<288x4xf32> {npu.colour = "tensor"}) -> tensor<2x4xf32> {
      %0 = npu.max_pool(%x) {dilations = [1, 1], kernel = [1, 1], npu.colour = "NCHW", pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<2x8x6x6xf32>) -> tensor<2x8x6x6xf32>
      %1 = npu.reshape(%0) {npu.colour = "tensor"} : (tensor<2x8x6x6xf32>) -> tensor<2x288xf32>
      %2 = npu.matmul(%1, %m) {npu.colour = "tensor"} : (tensor<2x288xf32>, tensor<288x4xf32>) -> tensor<2x4xf32>
      return %2 : tensor<2x4xf32>
    }
    ```
    test/compiler/Layout/transmit-layout.mlir runs it.
  }];
  let options = [
    Option<"defaultColour", "default-colour", "std::string", "\"tensor\"",
           "Colour of inputs that nothing tells about: tensor, NCHW, ...">
  ];
}

def PresetLayout : Pass<"npu-preset-layout", "::mlir::func::FuncOp"> {
  let summary = "Meets the target's demands, from the colours of transmit.";
  let description = [{
    Second half of the strategy `preset`. In topological order each op looks
    only at its own operands: a demand is met; where an image becomes a plain
    tensor the source's order is restored; operands whose orders differ are
    aligned towards the one that moves the fewest bytes; outputs have the
    source's order again. A plain tensor's order never changes. Afterwards every
    tensor has a layout and the colours are gone; a function whose tensors all
    have layouts is left alone.

    Example:
    ```mlir
    func.func @flatten(%x: tensor<2x8x6x6xf32> {npu.colour = "NCHW"}) -> tensor<2x288xf32> {
      %w = npu.constant {npu.colour = "OIHW"} dense<1.0> : tensor<8x8x3x3xf32> -> tensor<8x8x3x3xf32>
      %0 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, npu.colour = "NCHW", pads = [1, 1, 1, 1], strides = [1, 1]} : (tensor<2x8x6x6xf32>, tensor<8x8x3x3xf32>) -> tensor<2x8x6x6xf32>
      %1 = npu.reshape(%0) {npu.colour = "tensor"} : (tensor<2x8x6x6xf32>) -> tensor<2x288xf32>
      return %1 : tensor<2x288xf32>
    }
    ==>
    func.func @flatten(%x: tensor<2x8x6x6xf32, #npu.layout<abcd>>) -> tensor<2x288xf32, #npu.layout<ab>> {
      %0 = npu.constant dense<1.0> : tensor<8x8x3x3xf32> -> tensor<8x8x3x3xf32, #npu.layout<cdab>>
      %1 = npu.relayout(%x) : (tensor<2x8x6x6xf32, #npu.layout<abcd>>) -> tensor<2x8x6x6xf32, #npu.layout<acdb>>
      %2 = npu.conv2d(%1, %0) {dilations = [1, 1], groups = 1, pads = [1, 1, 1, 1], strides = [1, 1]} : (tensor<2x8x6x6xf32, #npu.layout<acdb>>, tensor<8x8x3x3xf32, #npu.layout<cdab>>) -> tensor<2x8x6x6xf32, #npu.layout<acdb>>
      %3 = npu.relayout(%2) : (tensor<2x8x6x6xf32, #npu.layout<acdb>>) -> tensor<2x8x6x6xf32, #npu.layout<abcd>>
      %4 = npu.reshape(%3) : (tensor<2x8x6x6xf32, #npu.layout<abcd>>) -> tensor<2x288xf32, #npu.layout<ab>>
      return %4 : tensor<2x288xf32, #npu.layout<ab>>
    }
    ```
    test/compiler/Layout/preset-layout.mlir runs it.
  }];
  let options = [
    Option<"target", "target", "std::string", "\"npu-nhwc\"",
           "Name of a shipped target or path of a target file">,
    Option<"ioLayout", "io-layout", "std::string", "\"fixed\"",
           "fixed, free, NAME=LAYOUT, or several separated by commas">,
    Option<"verifyExactly", "verify-exactly", "bool", "false",
           "Compare source and result on index-tagged values">
  ];
  let dependentDialects = ["::npu::NPUDialect"];
}

def InferLayout : Pass<"npu-infer-layout", "::mlir::func::FuncOp"> {
  let summary = "Gives undecided values the layouts that follow from the others.";
  let description = [{
    First step of the strategy `alter`: forward from values that have a layout,
    then backward, row-major where nothing tells. Types carry shapes, so an
    operand that is read through broadcasting is inferred like any other. A
    relayout appears only where an op cannot run on what is there; a second run
    changes nothing.

    Example:
    ```mlir
    func.func @broadcast_add(%x: tensor<1x3x224x224xf32, #npu.layout<abcd>>, %y: tensor<224x224xf32>) -> tensor<1x3x224x224xf32> {
      %0 = npu.eltwise add(%x, %y) : (tensor<1x3x224x224xf32, #npu.layout<abcd>>, tensor<224x224xf32>) -> tensor<1x3x224x224xf32>
      return %0 : tensor<1x3x224x224xf32>
    }
    ==>
    func.func @broadcast_add(%x: tensor<1x3x224x224xf32, #npu.layout<abcd>>, %y: tensor<224x224xf32, #npu.layout<ab>>) -> tensor<1x3x224x224xf32, #npu.layout<abcd>> {
      %0 = npu.eltwise add(%x, %y) : (tensor<1x3x224x224xf32, #npu.layout<abcd>>, tensor<224x224xf32, #npu.layout<ab>>) -> tensor<1x3x224x224xf32, #npu.layout<abcd>>
      return %0 : tensor<1x3x224x224xf32, #npu.layout<abcd>>
    }
    ```
    test/compiler/Layout/infer-layout.mlir runs it.
  }];
  let options = [
    Option<"showNames", "show-names", "bool", "false",
           "Remark at each op which layouts it reads and gives, by image axes">
  ];
  let dependentDialects = ["::npu::NPUDialect"];
}

def FindBestLayout : Pass<"npu-find-best-layout", "::mlir::func::FuncOp"> {
  let summary = "Notes each op's best layouts for the target; changes nothing.";
  let description = [{
    Second step of the strategy `alter`: an analysis. An op that would be faster
    in other layouts, or that the target does not take in its own, gets them as
    `npu.best_layouts`: one for each operand, then the result's. A registered
    layout rule goes first. Nothing else changes.

    Example (`target=npu-nchw16c`):
    ```mlir
    %y = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x16x8x8xf32, #npu.layout<abcd>>, tensor<16x16x1x1xf32, #npu.layout<abcd>>) -> tensor<1x16x8x8xf32, #npu.layout<abcd>>
    ==>
    %y = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, npu.best_layouts = [#npu.layout<aBcd16b>, #npu.layout<Abcd16a>, #npu.layout<aBcd16b>], pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x16x8x8xf32, #npu.layout<abcd>>, tensor<16x16x1x1xf32, #npu.layout<abcd>>) -> tensor<1x16x8x8xf32, #npu.layout<abcd>>
    ```
    test/compiler/Layout/find-best-layout.mlir runs it.
  }];
  let options = [
    Option<"target", "target", "std::string", "\"npu-nhwc\"",
           "Name of a shipped target or path of a target file">
  ];
}

def AlterLayout : Pass<"npu-alter-layout", "::mlir::func::FuncOp"> {
  let summary = "Replaces each op that has better layouts by a set of ops.";
  let description = [{
    Third step of the strategy `alter`: an op with `npu.best_layouts` becomes
    relayouts of its operands, the op in those layouts, and a relayout back.
    Outside nothing changes; the note is gone.

    Example:
    ```mlir
    %y = npu.eltwise relu(%x) {npu.best_layouts = [#npu.layout<acdb>, #npu.layout<acdb>]} : (tensor<1x16x8x8xf32, #npu.layout<abcd>>) -> tensor<1x16x8x8xf32, #npu.layout<abcd>>
    ==>
    %0 = npu.relayout(%x) : (tensor<1x16x8x8xf32, #npu.layout<abcd>>) -> tensor<1x16x8x8xf32, #npu.layout<acdb>>
    %1 = npu.eltwise relu(%0) : (tensor<1x16x8x8xf32, #npu.layout<acdb>>) -> tensor<1x16x8x8xf32, #npu.layout<acdb>>
    %2 = npu.relayout(%1) : (tensor<1x16x8x8xf32, #npu.layout<acdb>>) -> tensor<1x16x8x8xf32, #npu.layout<abcd>>
    ```
    test/compiler/Layout/alter-layout.mlir runs it.
  }];
}

def PeepholeLayout : Pass<"npu-peephole-layout", "::mlir::func::FuncOp"> {
  let summary = "Carries relayouts through their readers, and removes them.";
  let description = [{
    Fourth step of the strategy `alter`: a relayout is carried through all of
    its readers where that moves no more bytes, through one of them where it
    moves fewer; then pairs cancel and what nobody reads is gone, as in
    `npu-fold-layout`. Demands of the target stay met.

    Example (`target=npu-nchw16c`):
    ```mlir
    %b = npu.constant dense<1.0> : tensor<16x1x1xf32> -> tensor<16x1x1xf32, #npu.layout<abc>>
    %0 = npu.relayout(%x) : (tensor<1x16x8x8xf32, #npu.layout<aBcd16b>>) -> tensor<1x16x8x8xf32, #npu.layout<abcd>>
    %1 = npu.eltwise add(%0, %b) : (tensor<1x16x8x8xf32, #npu.layout<abcd>>, tensor<16x1x1xf32, #npu.layout<abc>>) -> tensor<1x16x8x8xf32, #npu.layout<abcd>>
    ==>
    %b = npu.constant dense<1.0> : tensor<16x1x1xf32> -> tensor<16x1x1xf32, #npu.layout<abc>>
    %0 = npu.eltwise add(%x, %b) : (tensor<1x16x8x8xf32, #npu.layout<aBcd16b>>, tensor<16x1x1xf32, #npu.layout<abc>>) -> tensor<1x16x8x8xf32, #npu.layout<aBcd16b>>
    %1 = npu.relayout(%0) : (tensor<1x16x8x8xf32, #npu.layout<aBcd16b>>) -> tensor<1x16x8x8xf32, #npu.layout<abcd>>
    ```
    test/compiler/Layout/peephole-layout.mlir runs it.
  }];
  let options = [
    Option<"target", "target", "std::string", "\"npu-nhwc\"",
           "Name of a shipped target or path of a target file">
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
