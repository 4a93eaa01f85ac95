// RUN: layout-fuzz --replay=%s --target=npu-nchw --io-layout=fixed --seed=41100468

// A value of six dimensions of two in blocks of two has five thousand spellings.
// Each of an op's result was asked for against each of its operand's: the searches
// of one graph took minutes.
func.func @main(%arg0: tensor<2x2x2x2x2x2xf32> {npu.name = "x0"}) -> (tensor<2x8x4xf32> {npu.name = "y1"}, tensor<2x2x2x2x8x2xf32> {npu.name = "y2"}) {
  %0 = npu.transpose(%arg0) {permutation = [2, 3, 5, 4, 0, 1]} : (tensor<2x2x2x2x2x2xf32>) -> tensor<2x2x2x2x2x2xf32>
  %1 = npu.transpose(%0) {permutation = [4, 5, 1, 0, 3, 2]} : (tensor<2x2x2x2x2x2xf32>) -> tensor<2x2x2x2x2x2xf32>
  %2 = npu.rotate(%1) {axes = [5, 0], turns = 1 : i64} : (tensor<2x2x2x2x2x2xf32>) -> tensor<2x2x2x2x2x2xf32>
  %3 = npu.transpose(%2) {permutation = [1, 3, 4, 2, 5, 0]} : (tensor<2x2x2x2x2x2xf32>) -> tensor<2x2x2x2x2x2xf32>
  %4 = npu.eltwise tanh(%3) : (tensor<2x2x2x2x2x2xf32>) -> tensor<2x2x2x2x2x2xf32>
  %5 = npu.concat(%0, %4, %arg0, %3) {axis = 4 : i64} : (tensor<2x2x2x2x2x2xf32>, tensor<2x2x2x2x2x2xf32>, tensor<2x2x2x2x2x2xf32>, tensor<2x2x2x2x2x2xf32>) -> tensor<2x2x2x2x8x2xf32>
  %9 = npu.reshape(%arg0) : (tensor<2x2x2x2x2x2xf32>) -> tensor<2x2x2x4x2xf32>
  %10 = npu.transpose(%9) {permutation = [1, 4, 2, 3, 0]} : (tensor<2x2x2x4x2xf32>) -> tensor<2x2x2x4x2xf32>
  %11 = npu.reshape(%10) : (tensor<2x2x2x4x2xf32>) -> tensor<4x8x2xf32>
  %12 = npu.transpose(%11) {permutation = [2, 1, 0]} : (tensor<4x8x2xf32>) -> tensor<2x8x4xf32>
  return %12, %5 : tensor<2x8x4xf32>, tensor<2x2x2x2x8x2xf32>
}
