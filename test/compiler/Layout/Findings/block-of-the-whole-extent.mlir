// RUN: layout-fuzz --replay=%s --target=npu-nhwc --io-layout=y=abC4c

// Held in blocks of four, y of four columns lies as without. The chip has no
// such blocks, so a value of two rows, padded to four, is none that a kernel
// knows: the search took it for one, the finished graph did not.
func.func @main(%x: tensor<2x2x4xf32> {npu.name = "x"}) -> (tensor<2x2x4xf32> {npu.name = "y"}) {
  %0 = npu.rotate(%x) {axes = [1, 2], turns = 3 : i64} : (tensor<2x2x4xf32>) -> tensor<2x4x2xf32>
  %1 = npu.transpose(%0) {permutation = [0, 2, 1]} : (tensor<2x4x2xf32>) -> tensor<2x2x4xf32>
  return %1 : tensor<2x2x4xf32>
}
