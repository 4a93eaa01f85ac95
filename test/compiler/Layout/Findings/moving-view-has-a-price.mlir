// RUN: layout-fuzz --replay=%s --target=%S/../Inputs/row-major-views.yaml --io-layout=fixed
// RUN: layout-fuzz --replay=%s --target=%S/../Inputs/row-major-views.yaml --io-layout=free

// The target takes transposes from row-major to row-major only, which is no
// view: the search thought that such a transpose cost nothing.
func.func @main(%x: tensor<1x4x3x2xf32> {npu.name = "x0"}) -> (tensor<1x2x4x3xf32> {npu.name = "y0"}) {
  %0 = npu.transpose(%x) {permutation = [0, 3, 1, 2]} : (tensor<1x4x3x2xf32>) -> tensor<1x2x4x3xf32>
  return %0 : tensor<1x2x4x3xf32>
}
