// RUN: layout-fuzz --replay=%s --target=%S/../Inputs/some-demands.yaml --io-layout=fixed
// RUN: layout-fuzz --replay=%s --target=%S/../Inputs/some-demands.yaml --io-layout=free

// auto-nhwc placed the kernel around operand 1; operands 0 and 2 went with that
// operand, but not with the result, and the verifier refused the plan.
func.func @main(%x: tensor<2x2x2xf32> {npu.name = "x0"}, %w: tensor<2x2x1xf32> {npu.name = "x1"}) -> (tensor<2x2x2xf32> {npu.name = "y0"}) {
  %0 = npu.conv1d(%x, %w) {dilations = [1], groups = 1 : i64, pads = [0, 0], strides = [1]} : (tensor<2x2x2xf32>, tensor<2x2x1xf32>) -> tensor<2x2x2xf32>
  %1 = npu.fused(%x, %0, %x) : (tensor<2x2x2xf32>, tensor<2x2x2xf32>, tensor<2x2x2xf32>) -> tensor<2x2x2xf32> {
  ^bb0(%a: tensor<2x2x2xf32>, %b: tensor<2x2x2xf32>, %c: tensor<2x2x2xf32>):
    %2 = npu.matmul(%a, %b) : (tensor<2x2x2xf32>, tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
    npu.yield %2 : tensor<2x2x2xf32>
  }
  return %1 : tensor<2x2x2xf32>
}
