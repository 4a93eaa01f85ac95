// RUN: layout-fuzz --replay=%s --target=npu-nc1hwc0 --io-layout=y1=acbDe4d2d --seed=31820783

// smartmem: blocks that the output alone has were known to the strategy, and not
// to the verifier, to whom a view had shown the output in one block of 8.
func.func @main(%arg0: tensor<2x2x1x4xf32> {npu.name = "x1"}) -> (tensor<2x2x2x1x2xf32> {npu.name = "y1"}) {
  %0 = npu.attention(%arg0, %arg0, %arg0) {scale = 5.000000e-01 : f64} : (tensor<2x2x1x4xf32>, tensor<2x2x1x4xf32>, tensor<2x2x1x4xf32>) -> tensor<2x2x1x4xf32>
  %1 = npu.reshape(%0) : (tensor<2x2x1x4xf32>) -> tensor<2x2x1x2x2xf32>
  %2 = npu.transpose(%1) {permutation = [0, 1, 3, 2, 4]} : (tensor<2x2x1x2x2xf32>) -> tensor<2x2x2x1x2xf32>
  return %2 : tensor<2x2x2x1x2xf32>
}
