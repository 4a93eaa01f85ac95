// RUN: layout-fuzz --replay=%s --target=%S/../Inputs/backward-in-blocks.yaml --io-layout=free --seed=30060719

// A free input that is stored in blocks of two, a unit dimension among them,
// was taken for one in blocks of six; twelve elements in blocks of four then
// seemed to go together with it, and the verifier refused what the search had
// found.
module {
  func.func @main(%arg0: tensor<1x1x1x5xf32> {npu.name = "x0"}, %arg1: tensor<1x1x1x1xf32> {npu.name = "x1"}) -> (tensor<1x1x3x5xf32> {npu.name = "y0"}, tensor<1x1x3x1x3xf32> {npu.name = "y1"}) {
    %0 = npu.conv_bpa(%arg0, %arg1) {dilations = [1, 1], groups = 1 : i64, pads = [0, 0, 0, 0], strides = [2, 2]} : (tensor<1x1x1x5xf32>, tensor<1x1x1x1xf32>) -> tensor<1x1x1x9xf32>
    %1 = npu.reshape(%0) : (tensor<1x1x1x9xf32>) -> tensor<1x1x1x3x3xf32>
    %2 = npu.transpose(%1) {permutation = [0, 1, 3, 2, 4]} : (tensor<1x1x1x3x3xf32>) -> tensor<1x1x3x1x3xf32>
    %3 = npu.concat(%arg0, %arg0, %arg0) {axis = 2 : i64} : (tensor<1x1x1x5xf32>, tensor<1x1x1x5xf32>, tensor<1x1x1x5xf32>) -> tensor<1x1x3x5xf32>
    return %3, %2 : tensor<1x1x3x5xf32>, tensor<1x1x3x1x3xf32>
  }
}