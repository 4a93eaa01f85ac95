// RUN: layout-fuzz --replay=%s --target=%S/../Inputs/axes-in-dispute.yaml --io-layout=fixed --seed=79

// The convolution and the pooling see %1 differently. Whom the other values
// followed depended on how many relayouts stood between, so folding kept a
// demand that the check behind it read differently.
func.func @main(%arg0: tensor<2x1x1x3xf32> {npu.name = "x1"}, %arg1: tensor<3x1x1x1xf32> {npu.name = "x0"}, %arg2: tensor<3x3xf32> {npu.name = "x2"}) -> (tensor<2x1x2x2xf32> {npu.name = "y0"}, tensor<2x1x3x3xf32> {npu.name = "y1"}) {
  %0 = npu.conv2d(%arg0, %arg1) {dilations = [1, 1], groups = 1 : i64, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<2x1x1x3xf32>, tensor<3x1x1x1xf32>) -> tensor<2x3x1x3xf32>
  %1 = npu.transpose(%0) {permutation = [0, 2, 3, 1]} : (tensor<2x3x1x3xf32>) -> tensor<2x1x3x3xf32>
  %2 = npu.eltwise add(%arg2, %1) : (tensor<3x3xf32>, tensor<2x1x3x3xf32>) -> tensor<2x1x3x3xf32>
  %3 = npu.transpose(%2) {permutation = [0, 3, 1, 2]} : (tensor<2x1x3x3xf32>) -> tensor<2x3x1x3xf32>
  %4 = npu.transpose(%3) {permutation = [0, 2, 3, 1]} : (tensor<2x3x1x3xf32>) -> tensor<2x1x3x3xf32>
  %5 = npu.max_pool(%1) {dilations = [1, 1], kernel = [2, 2], pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<2x1x3x3xf32>) -> tensor<2x1x2x2xf32>
  return %5, %4 : tensor<2x1x2x2xf32>, tensor<2x1x3x3xf32>
}
