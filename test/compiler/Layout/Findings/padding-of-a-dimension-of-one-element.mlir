// RUN: layout-fuzz --replay=%s --target=%S/../Inputs/double-blocks-of-convolutions.yaml --io-layout=y0=CAB4b2a8c --seed=31474693

// Two columns in a block of eight are stored as the convolution's blocks say
// them, which pad the dimension of one element between them. `alter` planned
// the pad by the other spelling and was refused.
module {
  func.func @main(%arg0: tensor<2x3x3xf32> {npu.name = "x1"}, %arg1: tensor<1x3x1xf32> {npu.name = "x0"}, %arg2: tensor<1xf32> {npu.name = "x2"}) -> (tensor<3x2x2xf32> {npu.name = "y0"}) {
    %0 = npu.conv1d(%arg0, %arg1, %arg2) {dilations = [1], groups = 1 : i64, pads = [0, 0], strides = [2]} : (tensor<2x3x3xf32>, tensor<1x3x1xf32>, tensor<1xf32>) -> tensor<2x1x2xf32>
    %1 = npu.pad(%0) {mode = #npu.pad_mode<constant>, pads = [1, 1, 0, 0, 0, 0]} : (tensor<2x1x2xf32>) -> tensor<3x2x2xf32>
    return %1 : tensor<3x2x2xf32>
  }
}
