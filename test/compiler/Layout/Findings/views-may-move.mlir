// RUN: layout-fuzz --replay=%s --target=%S/../Inputs/view-orders.yaml --io-layout=fixed --seed=200488

// The free views of the transpose need relayouts on both sides to meet the
// demand; the search did not know that it may move its data instead.
func.func @main(%arg0: tensor<1x2x2x2xf32> {npu.name = "x0"}) -> (tensor<2x1x6x2xf32> {npu.name = "y1"}) {
  %0 = npu.avg_pool(%arg0) {dilations = [1, 1], kernel = [2, 2], pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x2x2x2xf32>) -> tensor<1x2x1x1xf32>
  %1 = npu.eltwise less(%arg0, %0) : (tensor<1x2x2x2xf32>, tensor<1x2x1x1xf32>) -> tensor<1x2x2x2xi1>
  %2 = npu.eltwise select(%1, %arg0, %arg0) : (tensor<1x2x2x2xi1>, tensor<1x2x2x2xf32>, tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32>
  %3 = npu.transpose(%2) {permutation = [1, 0, 3, 2]} : (tensor<1x2x2x2xf32>) -> tensor<2x1x2x2xf32>
  %4 = npu.concat(%3, %3, %3) {axis = 2 : i64} : (tensor<2x1x2x2xf32>, tensor<2x1x2x2xf32>, tensor<2x1x2x2xf32>) -> tensor<2x1x6x2xf32>
  return %4 : tensor<2x1x6x2xf32>
}
