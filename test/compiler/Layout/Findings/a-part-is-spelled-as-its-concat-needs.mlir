// RUN: layout-fuzz --replay=%s --target=%S/../Inputs/transposes-in-blocks.yaml --io-layout=fixed --seed=31749744

// alter: what a transposition stores lies as a part of the concatenation has to,
// but its padding was spelled as another dimension's, which no part may have.
func.func @main(%arg0: tensor<1x1x1x1x2xf32> {npu.name = "x0"}) -> (tensor<1x1x2x2x1xf32> {npu.name = "y0"}) {
  %0 = npu.transpose(%arg0) {permutation = [0, 2, 3, 4, 1]} : (tensor<1x1x1x1x2xf32>) -> tensor<1x1x1x2x1xf32>
  %1 = npu.concat(%0, %0) {axis = 2 : i64} : (tensor<1x1x1x2x1xf32>, tensor<1x1x1x2x1xf32>) -> tensor<1x1x2x2x1xf32>
  %2 = npu.transpose(%1) {permutation = [0, 4, 1, 2, 3]} : (tensor<1x1x2x2x1xf32>) -> tensor<1x1x1x2x2xf32>
  %3 = npu.transpose(%2) {permutation = [2, 1, 3, 4, 0]} : (tensor<1x1x1x2x2xf32>) -> tensor<1x1x2x2x1xf32>
  return %3 : tensor<1x1x2x2x1xf32>
}
