// RUN: layout-fuzz --replay=%s --target=%S/../Inputs/blocked-views.yaml --io-layout=fixed
// RUN: npu-opt %s --npu-assign-layout="strategy=optimal objective=count target=%S/../Inputs/blocked-views.yaml verify-exactly=true" | FileCheck %s

// The target lists channels last for the data and blocks for the result. That
// was a contradiction; it is how most chips read a picture.
// CHECK-LABEL: @main
// CHECK-NOT: npu.relayout(%arg0)
// CHECK: npu.conv2d{{.*}}<acdb>>, {{.*}} -> tensor<1x8x6x6xf32, #npu.layout<aBcd4b>>
// CHECK: npu.relayout
// CHECK-NOT: npu.relayout
// CHECK: return
func.func @main(%x: tensor<1x6x6x3xf32> {npu.name = "x"}, %w: tensor<8x3x1x1xf32> {npu.name = "w"}) -> (tensor<1x8x6x6xf32> {npu.name = "y"}) {
  %0 = npu.transpose(%x) {permutation = [0, 3, 1, 2]} : (tensor<1x6x6x3xf32>) -> tensor<1x3x6x6xf32>
  %1 = npu.conv2d(%0, %w) {dilations = [1, 1], groups = 1 : i64, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x3x6x6xf32>, tensor<8x3x1x1xf32>) -> tensor<1x8x6x6xf32>
  %2 = npu.eltwise relu(%1) : (tensor<1x8x6x6xf32>) -> tensor<1x8x6x6xf32>
  return %2 : tensor<1x8x6x6xf32>
}
