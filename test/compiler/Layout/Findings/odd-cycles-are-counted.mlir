// RUN: layout-fuzz --replay=%s --target=%S/../Inputs/transposes-in-double-blocks.yaml --io-layout=fixed --seed=9252

// Odd cycles were looked for by hundreds of steps that nobody counted: the time
// struck instead, in the first choice of what stays on the chip, and pbqp, which
// went on, was cheaper.
module {
  func.func @main(%arg0: tensor<2x2x2x2xf32> {npu.name = "x0"}, %arg1: tensor<2x2x2x2xf32> {npu.name = "x1"}) -> (tensor<2x8x2x4xf32> {npu.name = "y0"}, tensor<8x2x2x2xf32> {npu.name = "y1"}, tensor<8x2x2x2xf32> {npu.name = "y2"}) {
    %0 = npu.transpose(%arg1) {permutation = [3, 2, 0, 1]} : (tensor<2x2x2x2xf32>) -> tensor<2x2x2x2xf32>
    %1 = npu.concat(%arg0, %arg1, %arg1, %0) {axis = 1 : i64} : (tensor<2x2x2x2xf32>, tensor<2x2x2x2xf32>, tensor<2x2x2x2xf32>, tensor<2x2x2x2xf32>) -> tensor<2x8x2x2xf32>
    %2 = npu.transpose(%1) {permutation = [1, 2, 3, 0]} : (tensor<2x8x2x2xf32>) -> tensor<8x2x2x2xf32>
    %3 = npu.concat(%arg0, %arg0, %0, %arg1) {axis = 2 : i64} : (tensor<2x2x2x2xf32>, tensor<2x2x2x2xf32>, tensor<2x2x2x2xf32>, tensor<2x2x2x2xf32>) -> tensor<2x2x8x2xf32>
    %4 = npu.transpose(%3) {permutation = [2, 0, 1, 3]} : (tensor<2x2x8x2xf32>) -> tensor<8x2x2x2xf32>
    %5 = npu.transpose(%4) {permutation = [3, 1, 2, 0]} : (tensor<8x2x2x2xf32>) -> tensor<2x2x2x8xf32>
    %6 = npu.transpose(%5) {permutation = [1, 3, 2, 0]} : (tensor<2x2x2x8xf32>) -> tensor<2x8x2x2xf32>
    %7 = npu.concat(%6, %1) {axis = 3 : i64} : (tensor<2x8x2x2xf32>, tensor<2x8x2x2xf32>) -> tensor<2x8x2x4xf32>
    return %7, %2, %2 : tensor<2x8x2x4xf32>, tensor<8x2x2x2xf32>, tensor<8x2x2x2xf32>
  }
}
