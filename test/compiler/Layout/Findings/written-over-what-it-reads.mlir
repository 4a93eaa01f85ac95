// RUN: layout-fuzz --replay=%s --target=host --io-layout=fixed --run

// The convolution adds its own input: behind a relayout that is the last use of
// both, and the result was written over what the convolution still read.
func.func @main(%arg0: tensor<1x8x3x3xf32> {npu.name = "x0"}, %arg1: tensor<8x1x3x3xf32> {npu.name = "x1"}, %arg2: tensor<8xf32> {npu.name = "x2"}) -> (tensor<1x8x3x3xf32> {npu.name = "y0"}) {
  %0 = npu.fused(%arg0, %arg1, %arg2, %arg0) : (tensor<1x8x3x3xf32>, tensor<8x1x3x3xf32>, tensor<8xf32>, tensor<1x8x3x3xf32>) -> tensor<1x8x3x3xf32> {
  ^bb0(%arg3: tensor<1x8x3x3xf32>, %arg4: tensor<8x1x3x3xf32>, %arg5: tensor<8xf32>, %arg6: tensor<1x8x3x3xf32>):
    %1 = npu.conv2d(%arg3, %arg4, %arg5) {dilations = [1, 1], groups = 8 : i64, pads = [1, 1, 1, 1], strides = [1, 1]} : (tensor<1x8x3x3xf32>, tensor<8x1x3x3xf32>, tensor<8xf32>) -> tensor<1x8x3x3xf32>
    %2 = npu.eltwise add(%1, %arg6) : (tensor<1x8x3x3xf32>, tensor<1x8x3x3xf32>) -> tensor<1x8x3x3xf32>
    npu.yield %2 : tensor<1x8x3x3xf32>
  }
  return %0 : tensor<1x8x3x3xf32>
}
