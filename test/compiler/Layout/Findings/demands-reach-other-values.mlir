// RUN: layout-fuzz --replay=%s --target=%S/../Inputs/concats-last.yaml --io-layout=fixed --seed=516822

// The demand means nothing to the inputs, which are one wide, and constants
// have no candidates: the search never tried the order that it means for the
// result, and found no plan.
func.func @main(%arg0: tensor<1x8x1xf32> {npu.name = "x0"}, %arg1: tensor<24x1x1xf32> {npu.name = "x1"}) -> (tensor<1x26x1xf32> {npu.name = "y0"}) {
  %0 = npu.constant dense<5.000000e-01> : tensor<1x8x5xf32> -> tensor<1x8x5xf32>
  %1 = npu.concat(%arg0, %arg0, %0) {axis = 2 : i64} : (tensor<1x8x1xf32>, tensor<1x8x1xf32>, tensor<1x8x5xf32>) -> tensor<1x8x7xf32>
  %2 = npu.conv_transpose1d(%arg0, %arg1) {dilations = [1], groups = 8 : i64, pads = [0, 0], strides = [1]} : (tensor<1x8x1xf32>, tensor<24x1x1xf32>) -> tensor<1x24x1xf32>
  %3 = npu.slice(%1) {starts = [0, 7, 0], steps = [1, 1, 1]} : (tensor<1x8x7xf32>) -> tensor<1x1x1xf32>
  %4 = npu.concat(%3, %3, %2) {axis = 1 : i64} : (tensor<1x1x1xf32>, tensor<1x1x1xf32>, tensor<1x24x1xf32>) -> tensor<1x26x1xf32>
  return %4 : tensor<1x26x1xf32>
}
