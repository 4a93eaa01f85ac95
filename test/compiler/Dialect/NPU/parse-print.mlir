// RUN: npu-opt %s | npu-opt | FileCheck %s

// Names of image orders are accepted, letters are printed.
// CHECK-LABEL: @names
// CHECK-SAME: tensor<1x3x8x8xf32, #npu.layout<acdb>>
// CHECK-SAME: tensor<4x3x3x3xf32, #npu.layout<cdba>>
// CHECK-SAME: tensor<1x32x8x8xf32, #npu.layout<aBcd16b>>
// CHECK-SAME: tensor<1x3x8xf32, #npu.layout<acb>>
// CHECK-SAME: tensor<1x3x2x8x8xf32, #npu.layout<acdeb>>
func.func @names(%0: tensor<1x3x8x8xf32, #npu.layout<NHWC>>,
                 %1: tensor<4x3x3x3xf32, #npu.layout<HWIO>>,
                 %2: tensor<1x32x8x8xf32, #npu.layout<NCHW16c>>,
                 %3: tensor<1x3x8xf32, #npu.layout<NWC>>,
                 %4: tensor<1x3x2x8x8xf32, #npu.layout<NDHWC>>) {
  return
}

// CHECK-LABEL: @scalar
// CHECK-SAME: tensor<f32, #npu.layout<scalar>>
func.func @scalar(%0: tensor<f32, #npu.layout<scalar>>) {
  return
}

// CHECK-LABEL: @ops
func.func @ops(%x: tensor<1x4x8x8xf32>, %w: tensor<4x4x1x1xf32>, %b: tensor<4xf32>, %i: tensor<2xi64>) {
  // CHECK: npu.conv2d(%{{.*}}, %{{.*}}, %{{.*}}) {dilations = [1, 1], groups = 1 : i64, pads = [0, 0, 0, 0], strides = [1, 1]}
  %0 = npu.conv2d(%x, %w, %b) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x4x8x8xf32>, tensor<4x4x1x1xf32>, tensor<4xf32>) -> tensor<1x4x8x8xf32>
  // CHECK: npu.eltwise clip(%{{.*}}) {beta = 6.000000e+00 : f32}
  %1 = npu.eltwise clip(%0) {alpha = 0.0 : f32, beta = 6.0 : f32} : (tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  // CHECK: npu.gather
  %2 = npu.gather(%1, %i) {axis = 1 : i64} : (tensor<1x4x8x8xf32>, tensor<2xi64>) -> tensor<1x2x8x8xf32>
  // CHECK: npu.reduce({{.*}}) {axes = [2, 3], keep_dims = false, kind = #npu.reduce_kind<mean>}
  %3 = npu.reduce(%2) {axes = [2, 3], keep_dims = false, kind = #npu.reduce_kind<mean>} : (tensor<1x2x8x8xf32>) -> tensor<1x2xf32>
  // CHECK: npu.reshape
  %4 = npu.reshape(%3) : (tensor<1x2xf32>) -> tensor<2xf32>
  // CHECK: npu.fused(%{{.*}}) : (tensor<2xf32>) -> tensor<2xf32> {
  // CHECK: ^bb0(%[[A:.*]]: tensor<2xf32>)
  // CHECK: npu.yield
  %5 = npu.fused(%4) : (tensor<2xf32>) -> tensor<2xf32> {
  ^bb0(%a: tensor<2xf32>):
    %6 = npu.eltwise relu(%a) : (tensor<2xf32>) -> tensor<2xf32>
    npu.yield %6 : tensor<2xf32>
  }
  return
}
