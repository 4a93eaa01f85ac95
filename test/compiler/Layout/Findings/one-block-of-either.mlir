// RUN: layout-fuzz --replay=%s --target=%S/../Inputs/blocked-convolutions.yaml --io-layout=fixed --seed=317437

// The convolution's result has one block of channels, its operand two. The
// verifier asked only the operand whether the place of the blocks matters.
func.func @main(%arg0: tensor<1x9x2xf32> {npu.name = "x1"}, %arg1: tensor<2x9x1xf32> {npu.name = "x0"}) -> (tensor<1x4xf32> {npu.name = "y0"}, tensor<1x9x2xf32> {npu.name = "y2"}) {
  %0 = npu.eltwise add(%arg0, %arg0) : (tensor<1x9x2xf32>, tensor<1x9x2xf32>) -> tensor<1x9x2xf32>
  %1 = npu.conv1d(%arg0, %arg1) {dilations = [1], groups = 1 : i64, pads = [0, 0], strides = [1]} : (tensor<1x9x2xf32>, tensor<2x9x1xf32>) -> tensor<1x2x2xf32>
  %2 = npu.reshape(%1) : (tensor<1x2x2xf32>) -> tensor<1x4xf32>
  return %2, %0 : tensor<1x4xf32>, tensor<1x9x2xf32>
}
