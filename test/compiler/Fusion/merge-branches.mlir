// RUN: npu-opt %s --npu-merge-branches | FileCheck %s
// RUN: npu-opt %s --npu-merge-branches=own-data=false | FileCheck %s --check-prefix=OTHERS

// The example of the pass's description: 1x1 beside 1x3.
// CHECK-LABEL: @example
// CHECK-SAME: %[[X:[^:]*]]:
// CHECK: %[[W:.*]] = npu.constant dense<{{\[\[\[\[}}1.000000e+00, 5.000000e+00, 4.000000e+00]]]]>
// CHECK: %[[Y:.*]] = npu.conv2d(%[[X]], %[[W]])
// CHECK-NEXT: return %[[Y]]
func.func @example(%x: tensor<1x1x8x8xf32>) -> tensor<1x1x8x8xf32> {
  %w = npu.constant dense<[[[[1.0, 2.0, 4.0]]]]> : tensor<1x1x1x3xf32> -> tensor<1x1x1x3xf32>
  %v = npu.constant dense<3.0> : tensor<1x1x1x1xf32> -> tensor<1x1x1x1xf32>
  %0 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [0, 1, 0, 1], strides = [1, 1]} : (tensor<1x1x8x8xf32>, tensor<1x1x1x3xf32>) -> tensor<1x1x8x8xf32>
  %1 = npu.conv2d(%x, %v) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x1x8x8xf32>, tensor<1x1x1x1xf32>) -> tensor<1x1x8x8xf32>
  %2 = npu.eltwise add(%0, %1) : (tensor<1x1x8x8xf32>, tensor<1x1x8x8xf32>) -> tensor<1x1x8x8xf32>
  return %2 : tensor<1x1x8x8xf32>
}

// A window of five has one of three with gaps, the smaller one first; biases
// are added; what is behind the sum goes into the weights, too.
// OTHERS-LABEL: @window_with_gaps
// OTHERS-NOT: npu.eltwise add
// CHECK-LABEL: @window_with_gaps
// CHECK-DAG: npu.constant dense<{{\[\[\[}}4.000000e+00, 2.000000e+00, 4.000000e+00, 2.000000e+00, 4.000000e+00]]]>
// CHECK-DAG: npu.constant dense<1.000000e+01> : tensor<1xf32>
// CHECK: npu.conv1d({{.*}}dilations = [1], {{.*}}pads = [2, 2]
// CHECK-NEXT: return
func.func @window_with_gaps(%x: tensor<1x1x9xf32>) -> tensor<1x1x9xf32> {
  %w = npu.constant dense<1.0> : tensor<1x1x5xf32> -> tensor<1x1x5xf32>
  %v = npu.constant dense<1.0> : tensor<1x1x3xf32> -> tensor<1x1x3xf32>
  %b = npu.constant dense<2.0> : tensor<1xf32> -> tensor<1xf32>
  %c = npu.constant dense<3.0> : tensor<1xf32> -> tensor<1xf32>
  %two = npu.constant dense<2.0> : tensor<f32> -> tensor<f32>
  %0 = npu.conv1d(%x, %v, %c) {dilations = [2], groups = 1, pads = [2, 2], strides = [1]} : (tensor<1x1x9xf32>, tensor<1x1x3xf32>, tensor<1xf32>) -> tensor<1x1x9xf32>
  %1 = npu.conv1d(%x, %w, %b) {dilations = [1], groups = 1, pads = [2, 2], strides = [1]} : (tensor<1x1x9xf32>, tensor<1x1x5xf32>, tensor<1xf32>) -> tensor<1x1x9xf32>
  %2 = npu.eltwise add(%0, %1) : (tensor<1x1x9xf32>, tensor<1x1x9xf32>) -> tensor<1x1x9xf32>
  %3 = npu.eltwise mul(%2, %two) : (tensor<1x1x9xf32>, tensor<f32>) -> tensor<1x1x9xf32>
  return %3 : tensor<1x1x9xf32>
}

// Normalised data beside a convolution of all channels: scales on the diagonal.
// OTHERS-LABEL: @scaled_data
// OTHERS-COUNT-2: npu.eltwise add
// OTHERS-NOT: npu.eltwise add
// CHECK-LABEL: @scaled_data
// CHECK-DAG: npu.constant dense<{{\[\[\[\[}}4.000000e+00]], {{\[\[}}1.000000e+00]]], {{\[\[\[}}1.000000e+00]], {{\[\[}}5.000000e+00]]]]>
// CHECK-DAG: npu.constant dense<[5.000000e+00, 6.000000e+00]> : tensor<2xf32>
// CHECK: npu.conv2d
// CHECK-NEXT: return
func.func @scaled_data(%x: tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32> {
  %w = npu.constant dense<1.0> : tensor<2x2x1x1xf32> -> tensor<2x2x1x1xf32>
  %scale = npu.constant dense<[[[3.0]], [[4.0]]]> : tensor<2x1x1xf32> -> tensor<2x1x1xf32>
  %offset = npu.constant dense<[[[5.0]], [[6.0]]]> : tensor<2x1x1xf32> -> tensor<2x1x1xf32>
  %0 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %1 = npu.eltwise mul(%x, %scale) : (tensor<1x2x4x4xf32>, tensor<2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %2 = npu.eltwise add(%1, %offset) : (tensor<1x2x4x4xf32>, tensor<2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %3 = npu.eltwise add(%2, %0) : (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  return %3 : tensor<1x2x4x4xf32>
}

// The data itself, beside a convolution of each channel.
// OTHERS-LABEL: @own_data
// OTHERS: npu.eltwise add
// CHECK-LABEL: @own_data
// CHECK-DAG: npu.constant dense<{{\[\[\[\[}}1.000000e+00, 2.000000e+00, 1.000000e+00]]], {{\[\[\[}}1.000000e+00, 2.000000e+00, 1.000000e+00]]]]>
// CHECK: npu.conv2d
// CHECK-NEXT: return
func.func @own_data(%x: tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32> {
  %w = npu.constant dense<1.0> : tensor<2x1x1x3xf32> -> tensor<2x1x1x3xf32>
  %0 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 2, pads = [0, 1, 0, 1], strides = [1, 1]} : (tensor<1x2x4x4xf32>, tensor<2x1x1x3xf32>) -> tensor<1x2x4x4xf32>
  %1 = npu.eltwise add(%x, %0) : (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  return %1 : tensor<1x2x4x4xf32>
}

// Not: windows of which neither has the other, other data, another stride,
// groups, a branch that something else reads, the data itself beside a
// convolution of all channels.
// CHECK-LABEL: @keep
// CHECK-COUNT-7: npu.eltwise add
// CHECK-NOT: npu.eltwise add
// CHECK: return
func.func @keep(%x: tensor<1x2x4x4xf32>, %y: tensor<1x2x4x4xf32>) -> (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) {
  %w = npu.constant dense<1.0> : tensor<2x2x1x3xf32> -> tensor<2x2x1x3xf32>
  %v = npu.constant dense<1.0> : tensor<2x2x3x1xf32> -> tensor<2x2x3x1xf32>
  %u = npu.constant dense<1.0> : tensor<2x1x1x3xf32> -> tensor<2x1x1x3xf32>
  %t = npu.constant dense<1.0> : tensor<2x2x5x1xf32> -> tensor<2x2x5x1xf32>
  %0 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [0, 1, 0, 1], strides = [1, 1]} : (tensor<1x2x4x4xf32>, tensor<2x2x1x3xf32>) -> tensor<1x2x4x4xf32>
  %1 = npu.conv2d(%x, %v) {dilations = [1, 1], groups = 1, pads = [1, 0, 1, 0], strides = [1, 1]} : (tensor<1x2x4x4xf32>, tensor<2x2x3x1xf32>) -> tensor<1x2x4x4xf32>
  %2 = npu.eltwise add(%0, %1) : (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %3 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [0, 1, 0, 1], strides = [1, 1]} : (tensor<1x2x4x4xf32>, tensor<2x2x1x3xf32>) -> tensor<1x2x4x4xf32>
  %4 = npu.conv2d(%y, %w) {dilations = [1, 1], groups = 1, pads = [0, 1, 0, 1], strides = [1, 1]} : (tensor<1x2x4x4xf32>, tensor<2x2x1x3xf32>) -> tensor<1x2x4x4xf32>
  %5 = npu.eltwise add(%3, %4) : (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %6 = npu.conv2d(%x, %v) {dilations = [1, 1], groups = 1, pads = [1, 0, 1, 0], strides = [1, 1]} : (tensor<1x2x4x4xf32>, tensor<2x2x3x1xf32>) -> tensor<1x2x4x4xf32>
  %7 = npu.conv2d(%x, %t) {dilations = [1, 1], groups = 1, pads = [4, 0, 3, 0], strides = [2, 1]} : (tensor<1x2x4x4xf32>, tensor<2x2x5x1xf32>) -> tensor<1x2x4x4xf32>
  %8 = npu.eltwise add(%6, %7) : (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %9 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [0, 1, 0, 1], strides = [1, 1]} : (tensor<1x2x4x4xf32>, tensor<2x2x1x3xf32>) -> tensor<1x2x4x4xf32>
  %10 = npu.conv2d(%x, %u) {dilations = [1, 1], groups = 2, pads = [0, 1, 0, 1], strides = [1, 1]} : (tensor<1x2x4x4xf32>, tensor<2x1x1x3xf32>) -> tensor<1x2x4x4xf32>
  %11 = npu.eltwise add(%9, %10) : (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %12 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [0, 1, 0, 1], strides = [1, 1]} : (tensor<1x2x4x4xf32>, tensor<2x2x1x3xf32>) -> tensor<1x2x4x4xf32>
  %13 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [0, 1, 0, 1], strides = [1, 1]} : (tensor<1x2x4x4xf32>, tensor<2x2x1x3xf32>) -> tensor<1x2x4x4xf32>
  %14 = npu.eltwise add(%12, %13) : (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %15 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [0, 1, 0, 1], strides = [1, 1]} : (tensor<1x2x4x4xf32>, tensor<2x2x1x3xf32>) -> tensor<1x2x4x4xf32>
  %16 = npu.eltwise add(%x, %15) : (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %17 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [0, 1, 0, 1], strides = [1, 1]} : (tensor<1x2x4x4xf32>, tensor<2x2x1x3xf32>) -> tensor<1x2x4x4xf32>
  %18 = npu.eltwise relu(%x) : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %19 = npu.eltwise add(%18, %17) : (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  return %2, %5, %8, %11, %13, %14, %16, %19 : tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>
}

// Weights that are bytes' multiples stay such.
// CHECK-LABEL: @narrow
// CHECK: npu.eltwise add
func.func @narrow(%x: tensor<1x1x4x4xf32>) -> tensor<1x1x4x4xf32> {
  %w = npu.constant dense<[[[[3.0, -7.0, 5.0], [11.0, 1.0, -127.0], [-2.0, 9.0, 6.0]]]]> : tensor<1x1x3x3xf32> -> tensor<1x1x3x3xf32>
  %v = npu.constant dense<0.3> : tensor<1x1x1x1xf32> -> tensor<1x1x1x1xf32>
  %0 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [1, 1, 1, 1], strides = [1, 1]} : (tensor<1x1x4x4xf32>, tensor<1x1x3x3xf32>) -> tensor<1x1x4x4xf32>
  %1 = npu.conv2d(%x, %v) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x1x4x4xf32>, tensor<1x1x1x1xf32>) -> tensor<1x1x4x4xf32>
  %2 = npu.eltwise add(%0, %1) : (tensor<1x1x4x4xf32>, tensor<1x1x4x4xf32>) -> tensor<1x1x4x4xf32>
  return %2 : tensor<1x1x4x4xf32>
}
