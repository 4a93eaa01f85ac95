// RUN: layout-fuzz --replay=%s --target=npu-nchw16c --io-layout=fixed --seed=108341

// The same: folding dropped a relayout from Bac16b to aBc16b, which says
// nothing here, and the verifier refused what was left.
func.func @main(%arg0: tensor<1x5x5xf32> {npu.name = "x3"}, %arg1: tensor<3x5x2xf32> {npu.name = "x0"}, %arg2: tensor<3xf32> {npu.name = "x1"}, %arg3: tensor<3x1x1xf32> {npu.name = "x2"}) -> (tensor<6x3x1xf32> {npu.name = "y0"}) {
  %0 = npu.conv_transpose1d(%arg0, %arg1, %arg2) {dilations = [1], groups = 1 : i64, pads = [0, 0], strides = [1]} : (tensor<1x5x5xf32>, tensor<3x5x2xf32>, tensor<3xf32>) -> tensor<1x3x6xf32>
  %1 = npu.transpose(%0) {permutation = [2, 1, 0]} : (tensor<1x3x6xf32>) -> tensor<6x3x1xf32>
  %2 = npu.conv1d(%1, %arg3, %arg2) {dilations = [1], groups = 3 : i64, pads = [0, 0], strides = [1]} : (tensor<6x3x1xf32>, tensor<3x1x1xf32>, tensor<3xf32>) -> tensor<6x3x1xf32>
  return %2 : tensor<6x3x1xf32>
}
