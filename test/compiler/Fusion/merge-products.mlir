// RUN: npu-opt %s --npu-merge-products | FileCheck %s

// The example of the pass's description: through three channels and back.
// CHECK-LABEL: @example
// CHECK-SAME: %[[X:[^:]*]]:
// CHECK: %[[W:.*]] = npu.constant dense<1.800000e+01> : tensor<1x1x1x1xf32>
// CHECK-NEXT: %[[Y:.*]] = npu.conv2d(%[[X]], %[[W]])
// CHECK-NEXT: return %[[Y]]
func.func @example(%x: tensor<1x1x8x8xf32>) -> tensor<1x1x8x8xf32> {
  %w = npu.constant dense<2.0> : tensor<1x3x1x1xf32> -> tensor<1x3x1x1xf32>
  %v = npu.constant dense<3.0> : tensor<3x1x1x1xf32> -> tensor<3x1x1x1xf32>
  %0 = npu.conv2d(%x, %v) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x1x8x8xf32>, tensor<3x1x1x1xf32>) -> tensor<1x3x8x8xf32>
  %1 = npu.conv2d(%0, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x3x8x8xf32>, tensor<1x3x1x1xf32>) -> tensor<1x1x8x8xf32>
  return %1 : tensor<1x1x8x8xf32>
}

// SegFormer's head: tokens become an image between `Linear` and convolution;
// what is added to them meets the second weight, too.
// CHECK-LABEL: @tokens_to_image
// CHECK-SAME: %[[X:[^:]*]]:
// CHECK: %[[T:.*]] = npu.transpose(%[[X]]) {permutation = [0, 2, 1]} : (tensor<1x16x2xf32>) -> tensor<1x2x16xf32>
// CHECK-NEXT: %[[R:.*]] = npu.reshape(%[[T]]) : (tensor<1x2x16xf32>) -> tensor<1x2x4x4xf32>
// CHECK: %[[W:.*]] = npu.constant dense<{{\[\[\[\[}}1.000000e+00]], {{\[\[}}1.000000e+01]]], {{\[\[\[}}2.000000e+00]], {{\[\[}}2.000000e+01]]]]>
// CHECK-NEXT: %[[B:.*]] = npu.constant dense<[1.070000e+02, 1.140000e+02]> : tensor<2xf32>
// CHECK: %[[Y:.*]] = npu.conv2d(%[[R]], %[[W]], %[[B]])
// CHECK-NEXT: return %[[Y]]
func.func @tokens_to_image(%x: tensor<1x16x2xf32>) -> tensor<1x2x4x4xf32> {
  %v = npu.constant dense<[[1.0, 0.0, 0.0], [0.0, 10.0, 0.0]]> : tensor<2x3xf32> -> tensor<2x3xf32>
  %a = npu.constant dense<[1.0, 2.0, 4.0]> : tensor<3xf32> -> tensor<3xf32>
  %w = npu.constant dense<[[[[1.0]], [[1.0]], [[1.0]]], [[[2.0]], [[2.0]], [[2.0]]]]> : tensor<2x3x1x1xf32> -> tensor<2x3x1x1xf32>
  %b = npu.constant dense<100.0> : tensor<2xf32> -> tensor<2xf32>
  %0 = npu.matmul(%x, %v) : (tensor<1x16x2xf32>, tensor<2x3xf32>) -> tensor<1x16x3xf32>
  %1 = npu.eltwise add(%0, %a) : (tensor<1x16x3xf32>, tensor<3xf32>) -> tensor<1x16x3xf32>
  %2 = npu.transpose(%1) {permutation = [0, 2, 1]} : (tensor<1x16x3xf32>) -> tensor<1x3x16xf32>
  %3 = npu.reshape(%2) : (tensor<1x3x16xf32>) -> tensor<1x3x4x4xf32>
  %4 = npu.conv2d(%3, %w, %b) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x3x4x4xf32>, tensor<2x3x1x1xf32>, tensor<2xf32>) -> tensor<1x2x4x4xf32>
  return %4 : tensor<1x2x4x4xf32>
}

// A convolution's bias is added behind a matrix product.
// CHECK-LABEL: @bias
// CHECK: npu.transpose(%{{.*}}) {permutation = [0, 2, 1]} : (tensor<1x1x5xf32>)
// CHECK: %[[W:.*]] = npu.constant dense<6.000000e+00> : tensor<1x1xf32>
// CHECK: %[[B:.*]] = npu.constant dense<1.200000e+01> : tensor<1xf32>
// CHECK: %[[M:.*]] = npu.matmul(%{{.*}}, %[[W]])
// CHECK-NEXT: npu.eltwise add(%[[M]], %[[B]])
// CHECK-NEXT: return
func.func @bias(%x: tensor<1x1x5xf32>) -> tensor<1x5x1xf32> {
  %v = npu.constant dense<1.0> : tensor<3x1x1xf32> -> tensor<3x1x1xf32>
  %a = npu.constant dense<2.0> : tensor<3xf32> -> tensor<3xf32>
  %w = npu.constant dense<2.0> : tensor<3x1xf32> -> tensor<3x1xf32>
  %0 = npu.conv1d(%x, %v, %a) {dilations = [1], groups = 1, pads = [0, 0], strides = [1]} : (tensor<1x1x5xf32>, tensor<3x1x1xf32>, tensor<3xf32>) -> tensor<1x3x5xf32>
  %1 = npu.transpose(%0) {permutation = [0, 2, 1]} : (tensor<1x3x5xf32>) -> tensor<1x5x3xf32>
  %2 = npu.matmul(%1, %w) : (tensor<1x5x3xf32>, tensor<3x1xf32>) -> tensor<1x5x1xf32>
  return %2 : tensor<1x5x1xf32>
}

// Not: two thin matrices, a result that something else reads, a function in
// between, a reshape that takes channels apart, another dimension.
// CHECK-LABEL: @keep
// CHECK-COUNT-9: npu.matmul
// CHECK-NOT: npu.matmul
// CHECK: return
func.func @keep(%x: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x1xf32>, tensor<4x1xf32>, tensor<8x1xf32>, tensor<4x4xf32>) {
  %down = npu.constant dense<1.0> : tensor<4x1xf32> -> tensor<4x1xf32>
  %up = npu.constant dense<1.0> : tensor<1x4xf32> -> tensor<1x4xf32>
  %whole = npu.constant dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 0.1, 7.0, 8.0], [9.0, 10.0, 0.3, 12.0], [13.0, 14.0, 15.0, 0.7]]> : tensor<4x4xf32> -> tensor<4x4xf32>
  %two = npu.constant dense<1.0> : tensor<2x1xf32> -> tensor<2x1xf32>
  %0 = npu.matmul(%x, %down) : (tensor<4x4xf32>, tensor<4x1xf32>) -> tensor<4x1xf32>
  %1 = npu.matmul(%0, %up) : (tensor<4x1xf32>, tensor<1x4xf32>) -> tensor<4x4xf32>
  %2 = npu.matmul(%x, %whole) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %3 = npu.matmul(%2, %down) : (tensor<4x4xf32>, tensor<4x1xf32>) -> tensor<4x1xf32>
  %4 = npu.matmul(%x, %whole) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %5 = npu.eltwise relu(%4) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %6 = npu.matmul(%5, %down) : (tensor<4x4xf32>, tensor<4x1xf32>) -> tensor<4x1xf32>
  %7 = npu.matmul(%x, %whole) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %8 = npu.reshape(%7) : (tensor<4x4xf32>) -> tensor<8x2xf32>
  %9 = npu.matmul(%8, %two) : (tensor<8x2xf32>, tensor<2x1xf32>) -> tensor<8x1xf32>
  %10 = npu.transpose(%0) {permutation = [1, 0]} : (tensor<4x1xf32>) -> tensor<1x4xf32>
  %11 = npu.matmul(%10, %whole) : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  %12 = npu.eltwise add(%2, %11) : (tensor<4x4xf32>, tensor<1x4xf32>) -> tensor<4x4xf32>
  return %1, %2, %3, %6, %9, %12 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x1xf32>, tensor<4x1xf32>, tensor<8x1xf32>, tensor<4x4xf32>
}
