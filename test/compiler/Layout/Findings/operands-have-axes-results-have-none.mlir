// RUN: layout-fuzz --replay=%s --target=npu-nhwc --io-layout=fixed
// RUN: npu-opt %s --npu-assign-layout="strategy=auto-nhwc target=npu-nhwc verify-exactly=true" | FileCheck %s

// The pad's operand is an image with a height of 1; its result has a height of
// 2 that no op knows. auto-nhwc tried orders of the result alone.
// CHECK: npu.pad({{.*}} : (tensor<5x1x3x3xf32, #npu.layout<cbda>>)
func.func @main(%x: tensor<5x5x6xf32> {npu.name = "x1"}, %w: tensor<3x5x1xf32> {npu.name = "x0"}) -> (tensor<5x3x6xf32> {npu.name = "y0"}, tensor<5x2x3x5xf32> {npu.name = "y2"}) {
  %0 = npu.slice(%x) {starts = [0, 0, 0], steps = [2, 1, 2]} : (tensor<5x5x6xf32>) -> tensor<3x5x3xf32>
  %1 = npu.transpose(%0) {permutation = [1, 0, 2]} : (tensor<3x5x3xf32>) -> tensor<5x3x3xf32>
  %2 = npu.reshape(%1) : (tensor<5x3x3xf32>) -> tensor<5x1x3x3xf32>
  %3 = npu.pad(%2) {mode = #npu.pad_mode<constant>, pads = [0, 1, 0, 1, 0, 0, 0, 1], value = 1.000000e+00 : f64} : (tensor<5x1x3x3xf32>) -> tensor<5x2x3x5xf32>
  %4 = npu.conv1d(%x, %w) {dilations = [1], groups = 1 : i64, pads = [0, 0], strides = [1]} : (tensor<5x5x6xf32>, tensor<3x5x1xf32>) -> tensor<5x3x6xf32>
  return %4, %3 : tensor<5x3x6xf32>, tensor<5x2x3x5xf32>
}
