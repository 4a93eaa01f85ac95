// RUN: layout-fuzz --replay=%s --target=%S/../Inputs/steps-in-split-blocks.yaml --io-layout=y0=CaB4b2b8c --seed=31937897

// smartmem: a part of a concatenation, padded in two dimensions, lies as one that
// is padded in the dimension that is not concatenated; only that one may.
func.func @main(%arg0: tensor<2x2x1xf32> {npu.name = "x1"}) -> (tensor<2x3x2xf32> {npu.name = "y0"}) {
  %0 = npu.eltwise relu(%arg0) : (tensor<2x2x1xf32>) -> tensor<2x2x1xf32>
  %1 = npu.concat(%0, %arg0, %arg0) {axis = 2 : i64} : (tensor<2x2x1xf32>, tensor<2x2x1xf32>, tensor<2x2x1xf32>) -> tensor<2x2x3xf32>
  %2 = npu.transpose(%1) {permutation = [0, 2, 1]} : (tensor<2x2x3xf32>) -> tensor<2x3x2xf32>
  return %2 : tensor<2x3x2xf32>
}
