// RUN: layout-fuzz --replay=%s --target=host --io-layout=fixed --run

// The kernel described the matrices with their units last (free, and good for
// images); oneDNN took rows for columns and failed when it ran.
func.func @main(%arg0: tensor<2x1x1xf32> {npu.name = "x1"}, %arg1: tensor<2x1x2xf32> {npu.name = "x2"}) -> (tensor<2x1x2xf32> {npu.name = "y0"}) {
  %0 = npu.matmul(%arg0, %arg1) : (tensor<2x1x1xf32>, tensor<2x1x2xf32>) -> tensor<2x1x2xf32>
  return %0 : tensor<2x1x2xf32>
}
