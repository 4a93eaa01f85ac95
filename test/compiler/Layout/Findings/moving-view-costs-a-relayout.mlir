// RUN: layout-fuzz --replay=%s --target=npu-nchw --io-layout=free --seed=1044190

// A reshape that moves its data was priced without the rows of its result: it
// seemed cheaper than a free view and a relayout, which do the same.
module {
  func.func @main(%arg0: tensor<2x4xf32> {npu.name = "x0"}, %arg1: tensor<2x1x3xf32> {npu.name = "x3"}) -> (tensor<3x4x1x2x2x2xf32> {npu.name = "y0"}) {
    %0 = npu.reshape(%arg0) : (tensor<2x4xf32>) -> tensor<2x2x2xf32>
    %1 = npu.eltwise cast(%0) : (tensor<2x2x2xf32>) -> tensor<2x2x2xui8>
    %2 = npu.transpose(%1) {permutation = [1, 0, 2]} : (tensor<2x2x2xui8>) -> tensor<2x2x2xui8>
    %3 = npu.eltwise cast(%2) : (tensor<2x2x2xui8>) -> tensor<2x2x2xf32>
    %4 = npu.conv1d(%3, %arg1) {dilations = [1], groups = 2 : i64, pads = [1, 1], strides = [1]} : (tensor<2x2x2xf32>, tensor<2x1x3xf32>) -> tensor<2x2x2xf32>
    %5 = npu.broadcast(%4) : (tensor<2x2x2xf32>) -> tensor<3x4x1x2x2x2xf32>
    return %5 : tensor<3x4x1x2x2x2xf32>
  }
}
