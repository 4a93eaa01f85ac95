// RUN: npu-opt %s --npu-split-products=target=npu-nhwc | FileCheck %s --check-prefixes=CHECK,LAST
// RUN: npu-opt %s --npu-split-products=target=npu-nchw | FileCheck %s --check-prefixes=CHECK,FIRST

// Halves of a convolution's channels, behind its activation: copies where
// channels are last, one piece each where they are in front of the image.
// CHECK-LABEL: @halves
// LAST-DAG: %[[A:.*]] = npu.conv2d(%arg0, {{.*}}) {{.*}} -> tensor<1x2x4x4xf32>
// LAST-DAG: %[[B:.*]] = npu.conv2d(%arg0, {{.*}}) {{.*}} -> tensor<1x2x4x4xf32>
// LAST-NOT: npu.slice
// FIRST: npu.conv2d
// FIRST-NOT: npu.conv2d
// FIRST-COUNT-2: npu.slice
// FIRST-NOT: npu.slice
// CHECK: return
func.func @halves(%x: tensor<1x3x4x4xf32>) -> tensor<1x2x4x4xf32> {
  %w = npu.constant dense<1.0> : tensor<4x3x1x1xf32> -> tensor<4x3x1x1xf32>
  %c = npu.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32> -> tensor<4xf32>
  %0 = npu.conv2d(%x, %w, %c) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x3x4x4xf32>, tensor<4x3x1x1xf32>, tensor<4xf32>) -> tensor<1x4x4x4xf32>
  %1 = npu.eltwise relu(%0) : (tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
  %a = npu.slice(%1) {starts = [0, 0, 0, 0], steps = [1, 1, 1, 1]} : (tensor<1x4x4x4xf32>) -> tensor<1x2x4x4xf32>
  %b = npu.slice(%1) {starts = [0, 2, 0, 0], steps = [1, 1, 1, 1]} : (tensor<1x4x4x4xf32>) -> tensor<1x2x4x4xf32>
  %y = npu.eltwise mul(%a, %b) : (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  return %y : tensor<1x2x4x4xf32>
}

// Groups of channels are of the data, too.
// CHECK-LABEL: @groups
// CHECK: npu.conv2d
// CHECK-NOT: npu.conv2d
// CHECK-COUNT-2: npu.slice
// CHECK-NOT: npu.slice
func.func @groups(%x: tensor<1x4x4x4xf32>) -> (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) {
  %w = npu.constant dense<1.0> : tensor<4x2x1x1xf32> -> tensor<4x2x1x1xf32>
  %0 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 2, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x4x4x4xf32>, tensor<4x2x1x1xf32>) -> tensor<1x4x4x4xf32>
  %a = npu.slice(%0) {starts = [0, 0, 0, 0], steps = [1, 1, 1, 1]} : (tensor<1x4x4x4xf32>) -> tensor<1x2x4x4xf32>
  %b = npu.slice(%0) {starts = [0, 2, 0, 0], steps = [1, 1, 1, 1]} : (tensor<1x4x4x4xf32>) -> tensor<1x2x4x4xf32>
  return %a, %b : tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>
}

// Pictures of a batch lie apart in any order.
// CHECK-LABEL: @batch
// CHECK-COUNT-2: npu.conv2d
// CHECK-NOT: npu.conv2d
// CHECK-NOT: npu.slice
func.func @batch(%x: tensor<2x3x4x4xf32>) -> tensor<2x2x4x4xf32> {
  %w = npu.constant dense<1.0> : tensor<4x3x1x1xf32> -> tensor<4x3x1x1xf32>
  %0 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<2x3x4x4xf32>, tensor<4x3x1x1xf32>) -> tensor<2x4x4x4xf32>
  %a = npu.slice(%0) {starts = [0, 0, 0, 0], steps = [1, 1, 1, 1]} : (tensor<2x4x4x4xf32>) -> tensor<2x2x4x4xf32>
  %b = npu.slice(%0) {starts = [0, 2, 0, 0], steps = [1, 1, 1, 1]} : (tensor<2x4x4x4xf32>) -> tensor<2x2x4x4xf32>
  %y = npu.eltwise mul(%a, %b) : (tensor<2x2x4x4xf32>, tensor<2x2x4x4xf32>) -> tensor<2x2x4x4xf32>
  return %y : tensor<2x2x4x4xf32>
}

// Results of the network, in the model's order: one relayout in front of the
// slices is enough for both.
// CHECK-LABEL: @results
// CHECK: npu.conv2d
// CHECK-NOT: npu.conv2d
// CHECK-COUNT-2: npu.slice
// CHECK-NOT: npu.slice
func.func @results(%x: tensor<1x3x4x4xf32>) -> (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) {
  %w = npu.constant dense<1.0> : tensor<4x3x1x1xf32> -> tensor<4x3x1x1xf32>
  %0 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x3x4x4xf32>, tensor<4x3x1x1xf32>) -> tensor<1x4x4x4xf32>
  %a = npu.slice(%0) {starts = [0, 0, 0, 0], steps = [1, 1, 1, 1]} : (tensor<1x4x4x4xf32>) -> tensor<1x2x4x4xf32>
  %b = npu.slice(%0) {starts = [0, 2, 0, 0], steps = [1, 1, 1, 1]} : (tensor<1x4x4x4xf32>) -> tensor<1x2x4x4xf32>
  return %a, %b : tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>
}
