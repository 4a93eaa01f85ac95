// RUN: npu-opt %s --npu-route-channels | FileCheck %s

// The example of the pass's description.
// CHECK-LABEL: @example
// CHECK: %[[A:.*]] = npu.conv2d(
// CHECK: npu.constant dense<{{.*}}5.0{{.*}}7.0{{.*}}6.0{{.*}}8.0{{.*}}> : tensor<1x4x1x1xf32>
// CHECK: %[[B:.*]] = npu.conv2d(%[[A]],
// CHECK-NEXT: return %[[B]]
func.func @example(%x: tensor<1x1x8x8xf32>) -> tensor<1x1x8x8xf32> {
  %w = npu.constant dense<[[[[1.0]]], [[[2.0]]], [[[3.0]]], [[[4.0]]]]> : tensor<4x1x1x1xf32> -> tensor<4x1x1x1xf32>
  %0 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x1x8x8xf32>, tensor<4x1x1x1xf32>) -> tensor<1x4x8x8xf32>
  %1 = npu.reshape(%0) : (tensor<1x4x8x8xf32>) -> tensor<1x2x2x8x8xf32>
  %2 = npu.transpose(%1) {permutation = [0, 2, 1, 3, 4]} : (tensor<1x2x2x8x8xf32>) -> tensor<1x2x2x8x8xf32>
  %3 = npu.reshape(%2) : (tensor<1x2x2x8x8xf32>) -> tensor<1x4x8x8xf32>
  %v = npu.constant dense<[[[[5.0]], [[6.0]], [[7.0]], [[8.0]]]]> : tensor<1x4x1x1xf32> -> tensor<1x4x1x1xf32>
  %4 = npu.conv2d(%3, %v) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x4x8x8xf32>, tensor<1x4x1x1xf32>) -> tensor<1x1x8x8xf32>
  return %4 : tensor<1x1x8x8xf32>
}

// Halves of what is shuffled: the producer gives first what the first half
// needs, with its bias and the slopes of each channel.
// CHECK-LABEL: @halves
// CHECK-DAG: npu.constant dense<{{.*}}1.0{{.*}}3.0{{.*}}2.0{{.*}}4.0{{.*}}> : tensor<4x1x1x1xf32>
// CHECK-DAG: npu.constant dense<[5.0{{[^,]*}}, 7.0{{[^,]*}}, 6.0{{[^,]*}}, 8.0{{[^,]*}}]> : tensor<4xf32>
// CHECK-DAG: npu.constant dense<{{.*}}1.0{{.*}}3.0{{.*}}2.0{{.*}}4.0{{.*}}> : tensor<4x1x1xf32>
// CHECK: %[[A:.*]] = npu.eltwise mul
// CHECK-NOT: npu.transpose
// CHECK: npu.slice(%[[A]]) {starts = [0, 0, 0, 0]
// CHECK-NOT: npu.transpose
func.func @halves(%x: tensor<1x1x8x8xf32>, %u: tensor<1x2x8x8xf32>) -> (tensor<1x1x8x8xf32>, tensor<1x1x8x8xf32>) {
  %w = npu.constant dense<[[[[1.0]]], [[[2.0]]], [[[3.0]]], [[[4.0]]]]> : tensor<4x1x1x1xf32> -> tensor<4x1x1x1xf32>
  %b = npu.constant dense<[5.0, 6.0, 7.0, 8.0]> : tensor<4xf32> -> tensor<4xf32>
  %s = npu.constant dense<[[[1.0]], [[2.0]], [[3.0]], [[4.0]]]> : tensor<4x1x1xf32> -> tensor<4x1x1xf32>
  %0 = npu.conv2d(%x, %w, %b) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x1x8x8xf32>, tensor<4x1x1x1xf32>, tensor<4xf32>) -> tensor<1x4x8x8xf32>
  %1 = npu.eltwise mul(%0, %s) : (tensor<1x4x8x8xf32>, tensor<4x1x1xf32>) -> tensor<1x4x8x8xf32>
  %2 = npu.reshape(%1) : (tensor<1x4x8x8xf32>) -> tensor<2x2x64xf32>
  %3 = npu.transpose(%2) {permutation = [1, 0, 2]} : (tensor<2x2x64xf32>) -> tensor<2x2x64xf32>
  %4 = npu.reshape(%3) : (tensor<2x2x64xf32>) -> tensor<1x4x8x8xf32>
  %5 = npu.slice(%4) {starts = [0, 0, 0, 0], steps = [1, 1, 1, 1]} : (tensor<1x4x8x8xf32>) -> tensor<1x2x8x8xf32>
  %6 = npu.slice(%4) {starts = [0, 2, 0, 0], steps = [1, 1, 1, 1]} : (tensor<1x4x8x8xf32>) -> tensor<1x2x8x8xf32>
  %v = npu.constant dense<[[[[5.0]], [[6.0]]]]> : tensor<1x2x1x1xf32> -> tensor<1x2x1x1xf32>
  %7 = npu.conv2d(%5, %v) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x2x8x8xf32>, tensor<1x2x1x1xf32>) -> tensor<1x1x8x8xf32>
  %8 = npu.conv2d(%6, %v) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x2x8x8xf32>, tensor<1x2x1x1xf32>) -> tensor<1x1x8x8xf32>
  return %7, %8 : tensor<1x1x8x8xf32>, tensor<1x1x8x8xf32>
}

// Somebody needs the channels as they are; groups need theirs; what is shuffled
// is no channel.
// CHECK-LABEL: @keep
// CHECK-COUNT-3: npu.transpose(
// CHECK-NOT: npu.transpose(
func.func @keep(%x: tensor<1x1x8x8xf32>) -> (tensor<1x4x8x8xf32>, tensor<1x1x8x8xf32>, tensor<1x2x8x8xf32>, tensor<1x1x8x8xf32>) {
  %w = npu.constant dense<[[[[1.0]]], [[[2.0]]], [[[3.0]]], [[[4.0]]]]> : tensor<4x1x1x1xf32> -> tensor<4x1x1x1xf32>
  %v = npu.constant dense<[[[[5.0]], [[6.0]], [[7.0]], [[8.0]]]]> : tensor<1x4x1x1xf32> -> tensor<1x4x1x1xf32>
  %0 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x1x8x8xf32>, tensor<4x1x1x1xf32>) -> tensor<1x4x8x8xf32>
  %1 = npu.reshape(%0) : (tensor<1x4x8x8xf32>) -> tensor<1x2x2x8x8xf32>
  %2 = npu.transpose(%1) {permutation = [0, 2, 1, 3, 4]} : (tensor<1x2x2x8x8xf32>) -> tensor<1x2x2x8x8xf32>
  %3 = npu.reshape(%2) : (tensor<1x2x2x8x8xf32>) -> tensor<1x4x8x8xf32>
  %4 = npu.conv2d(%3, %v) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x4x8x8xf32>, tensor<1x4x1x1xf32>) -> tensor<1x1x8x8xf32>

  %g = npu.constant dense<[[[[5.0]], [[6.0]]], [[[7.0]], [[8.0]]]]> : tensor<2x2x1x1xf32> -> tensor<2x2x1x1xf32>
  %10 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x1x8x8xf32>, tensor<4x1x1x1xf32>) -> tensor<1x4x8x8xf32>
  %11 = npu.reshape(%10) : (tensor<1x4x8x8xf32>) -> tensor<1x2x2x8x8xf32>
  %12 = npu.transpose(%11) {permutation = [0, 2, 1, 3, 4]} : (tensor<1x2x2x8x8xf32>) -> tensor<1x2x2x8x8xf32>
  %13 = npu.reshape(%12) : (tensor<1x2x2x8x8xf32>) -> tensor<1x4x8x8xf32>
  %14 = npu.conv2d(%13, %g) {dilations = [1, 1], groups = 2, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x4x8x8xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x8x8xf32>

  %20 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x1x8x8xf32>, tensor<4x1x1x1xf32>) -> tensor<1x4x8x8xf32>
  %21 = npu.reshape(%20) : (tensor<1x4x8x8xf32>) -> tensor<1x4x2x4x8xf32>
  %22 = npu.transpose(%21) {permutation = [0, 1, 3, 2, 4]} : (tensor<1x4x2x4x8xf32>) -> tensor<1x4x4x2x8xf32>
  %23 = npu.reshape(%22) : (tensor<1x4x4x2x8xf32>) -> tensor<1x4x8x8xf32>
  %24 = npu.conv2d(%23, %v) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x4x8x8xf32>, tensor<1x4x1x1xf32>) -> tensor<1x1x8x8xf32>
  return %3, %4, %14, %24 : tensor<1x4x8x8xf32>, tensor<1x1x8x8xf32>, tensor<1x2x8x8xf32>, tensor<1x1x8x8xf32>
}
