// RUN: npu-opt %s --npu-fold-scale | FileCheck %s

// The example of the pass's description: batch normalisation.
// CHECK-LABEL: @example
// CHECK-SAME: %[[X:[^:]*]]:
// CHECK-DAG: %[[W:.*]] = npu.constant dense<{{\[\[\[\[}}1.000000e+01{{\]\]}}, {{\[\[}}2.000000e+01{{\]\]\]}}, {{\[\[\[}}6.000000e+01{{\]\]}}, {{\[\[}}8.000000e+01{{\]\]\]\]}}>
// CHECK-DAG: %[[B:.*]] = npu.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
// CHECK: %[[Y:.*]] = npu.conv2d(%[[X]], %[[W]], %[[B]])
// CHECK-NEXT: return %[[Y]]
func.func @example(%x: tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32> {
  %w = npu.constant dense<[[[[1.0]], [[2.0]]], [[[3.0]], [[4.0]]]]> : tensor<2x2x1x1xf32> -> tensor<2x2x1x1xf32>
  %scale = npu.constant dense<[[[10.0]], [[20.0]]]> : tensor<2x1x1xf32> -> tensor<2x1x1xf32>
  %offset = npu.constant dense<[[[[1.0]], [[2.0]]]]> : tensor<1x2x1x1xf32> -> tensor<1x2x1x1xf32>
  %0 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %1 = npu.eltwise mul(%0, %scale) : (tensor<1x2x4x4xf32>, tensor<2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %2 = npu.eltwise add(%1, %offset) : (tensor<1x2x4x4xf32>, tensor<1x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  return %2 : tensor<1x2x4x4xf32>
}

// A bias is scaled too: 3 - (w x + b) / 2, for groups and transposed
// convolutions alike, whose weights begin with the output channel.
// CHECK-LABEL: @bias
// CHECK-DAG: npu.constant dense<{{\[\[\[\[}}-5.000000e-01{{\]\]\]}}, {{\[\[\[}}-1.000000e+00{{\]\]\]\]}}>
// CHECK-DAG: npu.constant dense<[-2.000000e+00, -7.000000e+00]> : tensor<2xf32>
// CHECK: %[[Y:.*]] = npu.conv_transpose2d({{.*}}groups = 2
// CHECK-NEXT: return %[[Y]]
func.func @bias(%x: tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32> {
  %w = npu.constant dense<[[[[1.0]]], [[[2.0]]]]> : tensor<2x1x1x1xf32> -> tensor<2x1x1x1xf32>
  %b = npu.constant dense<[10.0, 20.0]> : tensor<2xf32> -> tensor<2xf32>
  %two = npu.constant dense<2.0> : tensor<f32> -> tensor<f32>
  %three = npu.constant dense<3.0> : tensor<1xf32> -> tensor<1xf32>
  %0 = npu.conv_transpose2d(%x, %w, %b) {dilations = [1, 1], groups = 2, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x2x4x4xf32>, tensor<2x1x1x1xf32>, tensor<2xf32>) -> tensor<1x2x4x4xf32>
  %1 = npu.eltwise div(%0, %two) : (tensor<1x2x4x4xf32>, tensor<f32>) -> tensor<1x2x4x4xf32>
  %2 = npu.eltwise sub(%three, %1) : (tensor<1xf32>, tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  return %2 : tensor<1x2x4x4xf32>
}

// A matrix product scales its columns; it has no bias to take an offset.
// CHECK-LABEL: @matmul
// CHECK: %[[W:.*]] = npu.constant dense<{{\[\[}}1.000000e+01, 4.000000e+01], [3.000000e+01, 8.000000e+01]]>
// CHECK: %[[M:.*]] = npu.matmul(%{{.*}}, %[[W]])
// CHECK-NEXT: npu.eltwise add(%[[M]]
func.func @matmul(%x: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %w = npu.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32> -> tensor<2x2xf32>
  %scale = npu.constant dense<[10.0, 20.0]> : tensor<2xf32> -> tensor<2xf32>
  %0 = npu.matmul(%x, %w) : (tensor<4x2xf32>, tensor<2x2xf32>) -> tensor<4x2xf32>
  %1 = npu.eltwise mul(%0, %scale) : (tensor<4x2xf32>, tensor<2xf32>) -> tensor<4x2xf32>
  %2 = npu.eltwise add(%1, %scale) : (tensor<4x2xf32>, tensor<2xf32>) -> tensor<4x2xf32>
  return %2 : tensor<4x2xf32>
}

// Not: a result that something else reads, a constant along another dimension,
// weights or a bias that are not constant, a step that broadcasts the result,
// division by zero.
// CHECK-LABEL: @keep
// CHECK: npu.eltwise mul
// CHECK: npu.eltwise add
// CHECK: npu.eltwise mul
// CHECK: npu.eltwise add
// CHECK: npu.eltwise add
// CHECK: npu.eltwise div
func.func @keep(%x: tensor<1x2x2x2xf32>, %v: tensor<2x2x1x1xf32>, %b: tensor<2xf32>)
    -> (tensor<1x2x2x2xf32>, tensor<1x2x2x2xf32>, tensor<1x2x2x2xf32>, tensor<1x2x2x2xf32>, tensor<1x2x2x2xf32>, tensor<3x2x2x2xf32>, tensor<1x2x2x2xf32>) {
  %w = npu.constant dense<1.0> : tensor<2x2x1x1xf32> -> tensor<2x2x1x1xf32>
  %two = npu.constant dense<2.0> : tensor<f32> -> tensor<f32>
  %zero = npu.constant dense<0.0> : tensor<f32> -> tensor<f32>
  %row = npu.constant dense<[1.0, 2.0]> : tensor<2xf32> -> tensor<2xf32>
  %batch = npu.constant dense<1.0> : tensor<3x1x1x1xf32> -> tensor<3x1x1x1xf32>
  %0 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x2x2x2xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x2x2xf32>
  %1 = npu.eltwise mul(%0, %two) : (tensor<1x2x2x2xf32>, tensor<f32>) -> tensor<1x2x2x2xf32>
  %2 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x2x2x2xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x2x2xf32>
  %3 = npu.eltwise add(%2, %row) : (tensor<1x2x2x2xf32>, tensor<2xf32>) -> tensor<1x2x2x2xf32>
  %4 = npu.conv2d(%x, %v) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x2x2x2xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x2x2xf32>
  %5 = npu.eltwise mul(%4, %two) : (tensor<1x2x2x2xf32>, tensor<f32>) -> tensor<1x2x2x2xf32>
  %6 = npu.conv2d(%x, %w, %b) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x2x2x2xf32>, tensor<2x2x1x1xf32>, tensor<2xf32>) -> tensor<1x2x2x2xf32>
  %7 = npu.eltwise add(%6, %two) : (tensor<1x2x2x2xf32>, tensor<f32>) -> tensor<1x2x2x2xf32>
  %8 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x2x2x2xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x2x2xf32>
  %9 = npu.eltwise add(%8, %batch) : (tensor<1x2x2x2xf32>, tensor<3x1x1x1xf32>) -> tensor<3x2x2x2xf32>
  %10 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x2x2x2xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x2x2xf32>
  %11 = npu.eltwise div(%10, %zero) : (tensor<1x2x2x2xf32>, tensor<f32>) -> tensor<1x2x2x2xf32>
  return %0, %1, %3, %5, %7, %9, %11 : tensor<1x2x2x2xf32>, tensor<1x2x2x2xf32>, tensor<1x2x2x2xf32>, tensor<1x2x2x2xf32>, tensor<1x2x2x2xf32>, tensor<3x2x2x2xf32>, tensor<1x2x2x2xf32>
}

// A bias that is 0 goes, of integers too; so do zeros that are added to a
// product.
// CHECK-LABEL: @zeros
// CHECK: npu.conv2d(%{{[a-z0-9]*}}, %{{[a-z0-9]*}}) {{.*}} -> tensor<1x4x8x8xf32>
// CHECK: npu.conv2d(%{{[a-z0-9]*}}, %{{[a-z0-9]*}}) {{.*}} -> tensor<1x4x8x8xi32>
// CHECK: %[[P:.*]] = npu.matmul(
// CHECK-NEXT: %[[S:.*]] = npu.eltwise add(
// CHECK-NEXT: return {{.*}}%[[P]], %[[S]]
func.func @zeros(%x: tensor<1x4x8x8xf32>, %i: tensor<1x4x8x8xi8>, %m: tensor<2x4xf32>, %w: tensor<4x4x1x1xf32>, %u: tensor<4x4x1x1xi8>, %v: tensor<4x3xf32>, %y: tensor<3xf32>) -> (tensor<1x4x8x8xf32>, tensor<1x4x8x8xi32>, tensor<2x3xf32>, tensor<2x3xf32>) {
  %b = npu.constant dense<[0.0, -0.0, 0.0, 0.0]> : tensor<4xf32> -> tensor<4xf32>
  %c = npu.constant dense<0> : tensor<4xi32> -> tensor<4xi32>
  %z = npu.constant dense<0.0> : tensor<3xf32> -> tensor<3xf32>
  %o = npu.constant dense<0.0> : tensor<2x3xf32> -> tensor<2x3xf32>
  %0 = npu.conv2d(%x, %w, %b) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x4x8x8xf32>, tensor<4x4x1x1xf32>, tensor<4xf32>) -> tensor<1x4x8x8xf32>
  %1 = npu.conv2d(%i, %u, %c) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x4x8x8xi8>, tensor<4x4x1x1xi8>, tensor<4xi32>) -> tensor<1x4x8x8xi32>
  %2 = npu.matmul(%m, %v) : (tensor<2x4xf32>, tensor<4x3xf32>) -> tensor<2x3xf32>
  %3 = npu.eltwise add(%2, %z) : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %4 = npu.eltwise add(%y, %o) : (tensor<3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0, %1, %3, %4 : tensor<1x4x8x8xf32>, tensor<1x4x8x8xi32>, tensor<2x3xf32>, tensor<2x3xf32>
}
