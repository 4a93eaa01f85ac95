// RUN: layout-fuzz --replay=%s --target=npu-nhwc --io-layout=x0=acdb --seed=40355

// Peephole: moved through one of two concatenations, a relayout changes what
// moving it through the other costs. It went to and fro for ever.
func.func @main(%arg0: tensor<2x4x2x1xf32> {npu.name = "x0"}, %arg1: tensor<2x4x2x1xf32> {npu.name = "x1"}) -> (tensor<2x48xf32> {npu.name = "y0"}) {
  %0 = npu.concat(%arg1, %arg0, %arg1, %arg1) {axis = 0 : i64} : (tensor<2x4x2x1xf32>, tensor<2x4x2x1xf32>, tensor<2x4x2x1xf32>, tensor<2x4x2x1xf32>) -> tensor<8x4x2x1xf32>
  %1 = npu.concat(%arg0, %0, %arg1) {axis = 0 : i64} : (tensor<2x4x2x1xf32>, tensor<8x4x2x1xf32>, tensor<2x4x2x1xf32>) -> tensor<12x4x2x1xf32>
  %2 = npu.reshape(%1) : (tensor<12x4x2x1xf32>) -> tensor<48x2xf32>
  %3 = npu.transpose(%2) {permutation = [1, 0]} : (tensor<48x2xf32>) -> tensor<2x48xf32>
  return %3 : tensor<2x48xf32>
}
