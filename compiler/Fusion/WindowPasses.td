// SPDX-License-Identifier: Apache-2.0
//
// Rewrites of what stands around windows: their channels, phases, padding and
// columns.
#ifndef NPU_FUSION_WINDOW_PASSES_TD
#define NPU_FUSION_WINDOW_PASSES_TD

include "mlir/Pass/PassBase.td"

def MatchDilations : Pass<"npu-match-dilations", "::mlir::func::FuncOp"> {
  let summary = "Makes dilated convolutions of those of an image's phases.";
  let description = [{
    TensorFlow writes a dilated convolution as one of every n-th element:
    SpaceToBatch moves the phases of the image into the batch, BatchToSpace
    brings their results together. A convolution of stride 1 whose batch holds
    phases becomes one of the image, with n times the dilation and the padding,
    where all that reads it brings the phases together.

    Example:
    ```mlir
    %0 = npu.reshape(%x) : (tensor<1x4x8x8xf32>) -> tensor<4x4x2x4x2xf32>
    %1 = npu.transpose(%0) {permutation = [2, 4, 0, 1, 3]} : (tensor<4x4x2x4x2xf32>) -> tensor<2x2x4x4x4xf32>
    %2 = npu.reshape(%1) : (tensor<2x2x4x4x4xf32>) -> tensor<4x4x4x4xf32>
    %3 = npu.conv2d(%2, %w) {dilations = [1, 1], groups = 1, pads = [1, 1, 1, 1], strides = [1, 1]} : (tensor<4x4x4x4xf32>, tensor<8x4x3x3xf32>) -> tensor<4x8x4x4xf32>
    %4 = npu.reshape(%3) : (tensor<4x8x4x4xf32>) -> tensor<2x2x8x4x4xf32>
    %5 = npu.transpose(%4) {permutation = [2, 3, 0, 4, 1]} : (tensor<2x2x8x4x4xf32>) -> tensor<8x4x2x4x2xf32>
    %6 = npu.reshape(%5) : (tensor<8x4x2x4x2xf32>) -> tensor<1x8x8x8xf32>
    ==>
    %6 = npu.conv2d(%x, %w) {dilations = [2, 2], groups = 1, pads = [2, 2, 2, 2], strides = [1, 1]} : (tensor<1x4x8x8xf32>, tensor<8x4x3x3xf32>) -> tensor<1x8x8x8xf32>
    ```
    test/compiler/Fusion/match-dilations.mlir runs more.
  }];
  let dependentDialects = ["::npu::NPUDialect"];
}

def RouteChannels : Pass<"npu-route-channels", "::mlir::func::FuncOp"> {
  let summary = "Turns channel shuffles into orders of constant weights.";
  let description = [{
    A convolution with constant weights takes its channels, and gives its
    results, in any order that its weights have; what treats each channel alone
    passes an order on. Where shuffles, slices and concats of channels lie
    between nothing else, each convolution reads the channels that it needs of
    those that made them, sorted by who reads them: ShuffleNet without a
    shuffle. Nothing is changed where more elements would be copied, or where
    anybody needs the channels as they are.

    Example:
    ```mlir
    %w = npu.constant dense<[[[[1.0]]], [[[2.0]]], [[[3.0]]], [[[4.0]]]]> : tensor<4x1x1x1xf32> -> tensor<4x1x1x1xf32>
    %0 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x1x8x8xf32>, tensor<4x1x1x1xf32>) -> tensor<1x4x8x8xf32>
    %1 = npu.reshape(%0) : (tensor<1x4x8x8xf32>) -> tensor<1x2x2x8x8xf32>
    %2 = npu.transpose(%1) {permutation = [0, 2, 1, 3, 4]} : (tensor<1x2x2x8x8xf32>) -> tensor<1x2x2x8x8xf32>
    %3 = npu.reshape(%2) : (tensor<1x2x2x8x8xf32>) -> tensor<1x4x8x8xf32>
    %v = npu.constant dense<[[[[5.0]], [[6.0]], [[7.0]], [[8.0]]]]> : tensor<1x4x1x1xf32> -> tensor<1x4x1x1xf32>
    %4 = npu.conv2d(%3, %v) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x4x8x8xf32>, tensor<1x4x1x1xf32>) -> tensor<1x1x8x8xf32>
    ==>
    %w = npu.constant dense<[[[[1.0]]], [[[2.0]]], [[[3.0]]], [[[4.0]]]]> : tensor<4x1x1x1xf32> -> tensor<4x1x1x1xf32>
    %0 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x1x8x8xf32>, tensor<4x1x1x1xf32>) -> tensor<1x4x8x8xf32>
    %v = npu.constant dense<[[[[5.0]], [[7.0]], [[6.0]], [[8.0]]]]> : tensor<1x4x1x1xf32> -> tensor<1x4x1x1xf32>
    %4 = npu.conv2d(%0, %v) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x4x8x8xf32>, tensor<1x4x1x1xf32>) -> tensor<1x1x8x8xf32>
    ```
    test/compiler/Fusion/route-channels.mlir runs more.
  }];
  let dependentDialects = ["::npu::NPUDialect"];
}

def MatchColumns : Pass<"npu-match-columns", "::mlir::func::FuncOp"> {
  let summary = "Makes convolutions of products of an image's columns.";
  let description = [{
    In front of a recurrent layer each column of an image (all channels and rows
    of it) is a row of a product by constants. Where the target has the channels
    innermost, a column lies in as many pieces as the image has rows, and would
    be moved. The product is a convolution whose window is the whole column, with
    what is added to it as bias.

    Example (`target=npu-nhwc`):
    ```mlir
    %v = npu.constant dense<1.0> : tensor<2x2x1x1xf32> -> tensor<2x2x1x1xf32>
    %x = npu.conv2d(%d, %v) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x2x2x5xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x2x5xf32>
    %0 = npu.transpose(%x) {permutation = [3, 0, 1, 2]} : (tensor<1x2x2x5xf32>) -> tensor<5x1x2x2xf32>
    %1 = npu.reshape(%0) : (tensor<5x1x2x2xf32>) -> tensor<5x4xf32>
    %w = npu.constant dense<[[1.0], [2.0], [3.0], [4.0]]> : tensor<4x1xf32> -> tensor<4x1xf32>
    %2 = npu.matmul(%1, %w) : (tensor<5x4xf32>, tensor<4x1xf32>) -> tensor<5x1xf32>
    ==>
    %v = npu.constant dense<1.0> : tensor<2x2x1x1xf32> -> tensor<2x2x1x1xf32>
    %x = npu.conv2d(%d, %v) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x2x2x5xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x2x5xf32>
    %w = npu.constant dense<[[[[1.0], [2.0]], [[3.0], [4.0]]]]> : tensor<1x2x2x1xf32> -> tensor<1x2x2x1xf32>
    %0 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x2x2x5xf32>, tensor<1x2x2x1xf32>) -> tensor<1x1x1x5xf32>
    %1 = npu.transpose(%0) {permutation = [3, 0, 2, 1]} : (tensor<1x1x1x5xf32>) -> tensor<5x1x1x1xf32>
    %2 = npu.reshape(%1) : (tensor<5x1x1x1xf32>) -> tensor<5x1xf32>
    ```
    test/compiler/Fusion/match-columns.mlir runs it.
  }];
  let options = [
    Option<"target", "target", "std::string", "",
           "Name of a shipped target or path of a target file; without one, "
           "nothing is changed">,
  ];
  let dependentDialects = ["::npu::NPUDialect"];
}

def FoldPad : Pass<"npu-fold-pad", "::mlir::func::FuncOp"> {
  let summary = "Makes zero padding and cropping attributes of windowed ops.";
  let description = [{
    A constant pad with zeros of the spatial dimensions becomes padding of the
    convolution or of the average pooling that counts padding. A maximum ignores
    its padding, which is the same only where no value is below zero. A slice in
    front of a convolution, or behind it, becomes its stride and padding (and,
    of a window, dilation), where it reads the same; in front of a pooling it
    goes where no window reaches what it cuts off.

    Example:
    ```mlir
    %0 = npu.pad(%x) {mode = #npu.pad_mode<constant>, pads = [0, 0, 1, 1, 0, 0, 1, 1], value = 0.0 : f64} : (tensor<1x4x8x8xf32>) -> tensor<1x4x10x10xf32>
    %1 = npu.conv2d(%0, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x4x10x10xf32>, tensor<8x4x3x3xf32>) -> tensor<1x8x8x8xf32>
    ==>
    %1 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [1, 1, 1, 1], strides = [1, 1]} : (tensor<1x4x8x8xf32>, tensor<8x4x3x3xf32>) -> tensor<1x8x8x8xf32>
    ```
    test/compiler/Fusion/fold-pad.mlir runs more.
  }];
  let dependentDialects = ["::npu::NPUDialect"];
}

#endif // NPU_FUSION_WINDOW_PASSES_TD
