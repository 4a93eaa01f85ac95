// RUN: layout-fuzz --replay=%s --target=%S/../Inputs/padded-vectors.yaml --io-layout=fixed

// One element padded to four lies the same whichever of its dimensions the
// block is written of. The search priced it by the dimension, and the finished
// function, which wrote another, cost more than was reported.
func.func @main(%arg0: tensor<1x1x1xf32> {npu.name = "x2"}, %arg1: tensor<1xf32> {npu.name = "x3"}) -> (tensor<1x1x1xf32> {npu.name = "y1"}, tensor<1x1x1xf32> {npu.name = "y2"}) {
  %0 = npu.transpose(%arg0) {permutation = [0, 2, 1]} : (tensor<1x1x1xf32>) -> tensor<1x1x1xf32>
  %1 = npu.conv1d(%arg0, %arg0, %arg1) {dilations = [1], groups = 1 : i64, pads = [0, 0], strides = [1]} : (tensor<1x1x1xf32>, tensor<1x1x1xf32>, tensor<1xf32>) -> tensor<1x1x1xf32>
  %2 = npu.transpose(%1) {permutation = [1, 0, 2]} : (tensor<1x1x1xf32>) -> tensor<1x1x1xf32>
  %3 = npu.eltwise add(%2, %0) : (tensor<1x1x1xf32>, tensor<1x1x1xf32>) -> tensor<1x1x1xf32>
  return %3, %0 : tensor<1x1x1xf32>, tensor<1x1x1xf32>
}
