// RUN: layout-fuzz --replay=%s --target=%S/../Inputs/volume-views.yaml --io-layout=free --seed=7093553

// No order of the reshape's operand makes it a free view of what is demanded:
// it has to move its data, from one order into another. Only alter knew.
func.func @main(%arg0: tensor<4x1xf32> {npu.name = "x1"}, %arg1: tensor<3x1x3x3x3xf32> {npu.name = "x0"}) -> (tensor<1x2x4x2x3xf32> {npu.name = "y0"}) {
  %0 = npu.reshape(%arg0) : (tensor<4x1xf32>) -> tensor<2x2x1x1x1xf32>
  %1 = npu.transpose(%0) {permutation = [1, 2, 0, 4, 3]} : (tensor<2x2x1x1x1xf32>) -> tensor<2x1x2x1x1xf32>
  %2 = npu.conv3d(%1, %arg1) {dilations = [1, 1, 1], groups = 1 : i64, pads = [1, 1, 1, 1, 1, 1], strides = [1, 2, 1]} : (tensor<2x1x2x1x1xf32>, tensor<3x1x3x3x3xf32>) -> tensor<2x3x2x1x1xf32>
  %3 = npu.transpose(%2) {permutation = [1, 4, 0, 2, 3]} : (tensor<2x3x2x1x1xf32>) -> tensor<3x1x2x2x1xf32>
  %4 = npu.broadcast(%3) : (tensor<3x1x2x2x1xf32>) -> tensor<3x4x2x2x1xf32>
  %5 = npu.transpose(%4) {permutation = [4, 3, 1, 2, 0]} : (tensor<3x4x2x2x1xf32>) -> tensor<1x2x4x2x3xf32>
  return %5 : tensor<1x2x4x2x3xf32>
}
