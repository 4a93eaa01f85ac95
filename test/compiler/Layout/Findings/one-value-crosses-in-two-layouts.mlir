// RUN: layout-fuzz --replay=%s --target=%S/../Inputs/beside-the-chip.yaml --io-layout=fixed --seed=30014836

// An op of the processor reads one value twice. While it is one operand, it
// crosses the link once; in two layouts it crosses twice, which the search did
// not see: it reported less than what the finished function costs.
module {
  func.func @main(%arg0: tensor<1x1x1x1xf32> {npu.name = "x2"}, %arg1: tensor<2x1x1x1xf32> {npu.name = "x0"}) -> (tensor<1x2x1x1xf32> {npu.name = "y1"}) {
    %0 = npu.conv2d(%arg0, %arg1) {dilations = [1, 1], groups = 1 : i64, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x1x1x1xf32>, tensor<2x1x1x1xf32>) -> tensor<1x2x1x1xf32>
    %1 = npu.fused(%arg0, %0, %0) : (tensor<1x1x1x1xf32>, tensor<1x2x1x1xf32>, tensor<1x2x1x1xf32>) -> tensor<1x2x1x1xf32> {
    ^bb0(%arg2: tensor<1x1x1x1xf32>, %arg3: tensor<1x2x1x1xf32>, %arg4: tensor<1x2x1x1xf32>):
      %2 = npu.matmul(%arg2, %arg3) : (tensor<1x1x1x1xf32>, tensor<1x2x1x1xf32>) -> tensor<1x2x1x1xf32>
      npu.yield %2 : tensor<1x2x1x1xf32>
    }
    return %1 : tensor<1x2x1x1xf32>
  }
}