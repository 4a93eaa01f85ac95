// RUN: layout-fuzz --replay=%s --target=%S/../Inputs/blocked-reshapes.yaml --io-layout=free --seed=1100087751

// Folding makes the plan cheaper than the search has seen, and free: that was
// not said to be proved, though nothing is less than nothing.
module {
  func.func @main(%arg0: tensor<1x5x1x1xf32> {npu.name = "x0"}, %arg1: tensor<4x1x1x1xf32> {npu.name = "x1"}, %arg2: tensor<4x1x3x3xf32> {npu.name = "x3"}) -> (tensor<1x1x4x3xf32> {npu.name = "y1"}) {
    %0 = npu.reshape(%arg0) : (tensor<1x5x1x1xf32>) -> tensor<1x1x5x1xf32>
    %1 = npu.conv2d(%0, %arg1) {dilations = [1, 1], groups = 1 : i64, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x1x5x1xf32>, tensor<4x1x1x1xf32>) -> tensor<1x4x5x1xf32>
    %2 = npu.transpose(%1) {permutation = [0, 3, 2, 1]} : (tensor<1x4x5x1xf32>) -> tensor<1x1x5x4xf32>
    %3 = npu.transpose(%2) {permutation = [0, 3, 1, 2]} : (tensor<1x1x5x4xf32>) -> tensor<1x4x1x5xf32>
    %4 = npu.conv2d(%3, %arg2) {dilations = [1, 1], groups = 4 : i64, pads = [1, 1, 1, 1], strides = [1, 2]} : (tensor<1x4x1x5xf32>, tensor<4x1x3x3xf32>) -> tensor<1x4x1x3xf32>
    %5 = npu.transpose(%4) {permutation = [0, 2, 3, 1]} : (tensor<1x4x1x3xf32>) -> tensor<1x1x3x4xf32>
    %6 = npu.transpose(%5) {permutation = [2, 3, 1, 0]} : (tensor<1x1x3x4xf32>) -> tensor<3x4x1x1xf32>
    %7 = npu.eltwise cast(%6) : (tensor<3x4x1x1xf32>) -> tensor<3x4x1x1xui8>
    %8 = npu.eltwise cast(%7) : (tensor<3x4x1x1xui8>) -> tensor<3x4x1x1xf32>
    %9 = npu.transpose(%8) {permutation = [1, 2, 3, 0]} : (tensor<3x4x1x1xf32>) -> tensor<4x1x1x3xf32>
    %10 = npu.transpose(%9) {permutation = [1, 2, 0, 3]} : (tensor<4x1x1x3xf32>) -> tensor<1x1x4x3xf32>
    return %10 : tensor<1x1x4x3xf32>
  }
}