// RUN: npu-opt %s --npu-fusion | FileCheck %s
// RUN: npu-opt %s --npu-fusion --npu-fusion | FileCheck %s

// A block as Keras exports it: convolution, transpose, batch normalisation and
// hard swish channels last, padding, transpose, convolution. Two kernels are
// left.
// CHECK-LABEL: @keras
// CHECK-NOT: npu.transpose
// CHECK-NOT: npu.pad(
// CHECK: npu.fused
// CHECK: npu.conv2d(%{{.*}}, %{{.*}}, %{{.*}})
// CHECK-NEXT: npu.eltwise hard_swish
// CHECK-NEXT: npu.yield
// CHECK: npu.conv2d({{.*}}pads = [0, 0, 1, 1]
// CHECK-NEXT: return
func.func @keras(%x: tensor<1x8x8x8xf32>, %w: tensor<8x8x3x3xf32>) -> tensor<1x8x4x4xf32> {
  %v = npu.constant dense<0.5> : tensor<8x8x1x1xf32> -> tensor<8x8x1x1xf32>
  %scale = npu.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]> : tensor<8xf32> -> tensor<8xf32>
  %three = npu.constant dense<3.0> : tensor<f32> -> tensor<f32>
  %sixth = npu.constant dense<0.166666672> : tensor<f32> -> tensor<f32>
  %0 = npu.conv2d(%x, %v) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x8x8x8xf32>, tensor<8x8x1x1xf32>) -> tensor<1x8x8x8xf32>
  %1 = npu.transpose(%0) {permutation = [0, 2, 3, 1]} : (tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32>
  %2 = npu.eltwise mul(%1, %scale) : (tensor<1x8x8x8xf32>, tensor<8xf32>) -> tensor<1x8x8x8xf32>
  %3 = npu.eltwise sub(%2, %scale) : (tensor<1x8x8x8xf32>, tensor<8xf32>) -> tensor<1x8x8x8xf32>
  %4 = npu.eltwise add(%3, %three) : (tensor<1x8x8x8xf32>, tensor<f32>) -> tensor<1x8x8x8xf32>
  %5 = npu.eltwise clip(%4) {alpha = 0.0 : f32, beta = 6.0 : f32} : (tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32>
  %6 = npu.eltwise mul(%5, %sixth) : (tensor<1x8x8x8xf32>, tensor<f32>) -> tensor<1x8x8x8xf32>
  %7 = npu.eltwise mul(%3, %6) : (tensor<1x8x8x8xf32>, tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32>
  %8 = npu.pad(%7) {mode = #npu.pad_mode<constant>, pads = [0, 0, 0, 0, 0, 1, 1, 0], value = 0.0 : f64} : (tensor<1x8x8x8xf32>) -> tensor<1x9x9x8xf32>
  %9 = npu.transpose(%8) {permutation = [0, 3, 1, 2]} : (tensor<1x9x9x8xf32>) -> tensor<1x8x9x9xf32>
  %10 = npu.conv2d(%9, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [2, 2]} : (tensor<1x8x9x9xf32>, tensor<8x8x3x3xf32>) -> tensor<1x8x4x4xf32>
  return %10 : tensor<1x8x4x4xf32>
}
