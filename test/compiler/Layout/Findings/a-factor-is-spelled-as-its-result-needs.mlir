// RUN: layout-fuzz --replay=%s --target=%S/../Inputs/products-in-split-blocks.yaml --io-layout=x0=aBC4c2b --seed=31760109

// preset: an input lies as the product reads it, in other letters, which do not
// go with the result's.
func.func @main(%arg0: tensor<1x2x2xf32> {npu.name = "x0"}, %arg1: tensor<i64> {npu.name = "x1"}) -> (tensor<2x1xf32> {npu.name = "y1"}) {
  %0 = npu.matmul(%arg0, %arg0) : (tensor<1x2x2xf32>, tensor<1x2x2xf32>) -> tensor<1x2x2xf32>
  %1 = npu.avg_pool(%0) {dilations = [1], kernel = [2], pads = [0, 0], strides = [2]} : (tensor<1x2x2xf32>) -> tensor<1x2x1xf32>
  %2 = npu.gather(%1, %arg1) {axis = 2 : i64} : (tensor<1x2x1xf32>, tensor<i64>) -> tensor<1x2xf32>
  %3 = npu.rotate(%2) {axes = [0, 1], turns = 3 : i64} : (tensor<1x2xf32>) -> tensor<2x1xf32>
  return %3 : tensor<2x1xf32>
}
