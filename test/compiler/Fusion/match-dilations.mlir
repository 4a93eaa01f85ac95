// RUN: npu-opt %s --npu-match-dilations | FileCheck %s

// The example of the pass's description.
// CHECK-LABEL: @example
// CHECK-SAME: %[[X:[^:]*]]:
// CHECK-NEXT: %[[Y:.*]] = npu.conv2d(%[[X]], %{{.*}}) {dilations = [2, 2], groups = 1 : i64, pads = [2, 2, 2, 2], strides = [1, 1]} : {{.*}} -> tensor<1x8x8x8xf32>
// CHECK-NEXT: return %[[Y]]
func.func @example(%x: tensor<1x4x8x8xf32>, %w: tensor<8x4x3x3xf32>) -> tensor<1x8x8x8xf32> {
  %0 = npu.reshape(%x) : (tensor<1x4x8x8xf32>) -> tensor<4x4x2x4x2xf32>
  %1 = npu.transpose(%0) {permutation = [2, 4, 0, 1, 3]} : (tensor<4x4x2x4x2xf32>) -> tensor<2x2x4x4x4xf32>
  %2 = npu.reshape(%1) : (tensor<2x2x4x4x4xf32>) -> tensor<4x4x4x4xf32>
  %3 = npu.conv2d(%2, %w) {dilations = [1, 1], groups = 1, pads = [1, 1, 1, 1], strides = [1, 1]} : (tensor<4x4x4x4xf32>, tensor<8x4x3x3xf32>) -> tensor<4x8x4x4xf32>
  %4 = npu.reshape(%3) : (tensor<4x8x4x4xf32>) -> tensor<2x2x8x4x4xf32>
  %5 = npu.transpose(%4) {permutation = [2, 3, 0, 4, 1]} : (tensor<2x2x8x4x4xf32>) -> tensor<8x4x2x4x2xf32>
  %6 = npu.reshape(%5) : (tensor<8x4x2x4x2xf32>) -> tensor<1x8x8x8xf32>
  return %6 : tensor<1x8x8x8xf32>
}

// Batches of their own, phases of one dimension only, channels alone, a window
// that is dilated already.
// CHECK-LABEL: @batches
// CHECK-SAME: %[[X:[^:]*]]:
// CHECK: npu.conv2d(%[[X]], %{{.*}}) {dilations = [1, 6], groups = 4 : i64, pads = [0, 6, 0, 6], strides = [1, 1]} : (tensor<2x4x8x9xf32>, {{.*}} -> tensor<2x4x6x9xf32>
// CHECK-NEXT: return
func.func @batches(%x: tensor<2x4x8x9xf32>, %w: tensor<4x1x3x3xf32>) -> tensor<2x4x6x9xf32> {
  %0 = npu.reshape(%x) : (tensor<2x4x8x9xf32>) -> tensor<2x4x8x3x3xf32>
  %1 = npu.transpose(%0) {permutation = [4, 0, 1, 2, 3]} : (tensor<2x4x8x3x3xf32>) -> tensor<3x2x4x8x3xf32>
  %2 = npu.reshape(%1) : (tensor<3x2x4x8x3xf32>) -> tensor<6x4x8x3xf32>
  %3 = npu.conv2d(%2, %w) {dilations = [1, 2], groups = 4, pads = [0, 2, 0, 2], strides = [1, 1]} : (tensor<6x4x8x3xf32>, tensor<4x1x3x3xf32>) -> tensor<6x4x6x3xf32>
  %4 = npu.reshape(%3) : (tensor<6x4x6x3xf32>) -> tensor<3x2x4x6x3xf32>
  %5 = npu.transpose(%4) {permutation = [1, 2, 3, 4, 0]} : (tensor<3x2x4x6x3xf32>) -> tensor<2x4x6x3x3xf32>
  %6 = npu.reshape(%5) : (tensor<2x4x6x3x3xf32>) -> tensor<2x4x6x9xf32>
  return %6 : tensor<2x4x6x9xf32>
}

// A stride takes other elements of each phase.
// CHECK-LABEL: @stride
// CHECK: npu.conv2d({{.*}} : (tensor<4x4x4x4xf32>
func.func @stride(%x: tensor<1x4x8x8xf32>, %w: tensor<8x4x1x1xf32>) -> tensor<1x8x4x4xf32> {
  %0 = npu.reshape(%x) : (tensor<1x4x8x8xf32>) -> tensor<4x4x2x4x2xf32>
  %1 = npu.transpose(%0) {permutation = [2, 4, 0, 1, 3]} : (tensor<4x4x2x4x2xf32>) -> tensor<2x2x4x4x4xf32>
  %2 = npu.reshape(%1) : (tensor<2x2x4x4x4xf32>) -> tensor<4x4x4x4xf32>
  %3 = npu.conv2d(%2, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [2, 2]} : (tensor<4x4x4x4xf32>, tensor<8x4x1x1xf32>) -> tensor<4x8x2x2xf32>
  %4 = npu.reshape(%3) : (tensor<4x8x2x2xf32>) -> tensor<2x2x8x2x2xf32>
  %5 = npu.transpose(%4) {permutation = [2, 3, 0, 4, 1]} : (tensor<2x2x8x2x2xf32>) -> tensor<8x2x2x2x2xf32>
  %6 = npu.reshape(%5) : (tensor<8x2x2x2x2xf32>) -> tensor<1x8x4x4xf32>
  return %6 : tensor<1x8x4x4xf32>
}

// Phases that somebody reads as such, and windows: these lie outside of what is
// in them.
// CHECK-LABEL: @keep
// CHECK: npu.conv2d({{.*}} : (tensor<4x4x4x4xf32>
// CHECK: npu.conv2d({{.*}} : (tensor<4x4x4x4xf32>
func.func @keep(%x: tensor<1x4x8x8xf32>, %w: tensor<8x4x3x3xf32>) -> (tensor<1x8x8x8xf32>, tensor<4x8x4x4xf32>, tensor<1x8x8x8xf32>) {
  %0 = npu.reshape(%x) : (tensor<1x4x8x8xf32>) -> tensor<4x4x2x4x2xf32>
  %1 = npu.transpose(%0) {permutation = [2, 4, 0, 1, 3]} : (tensor<4x4x2x4x2xf32>) -> tensor<2x2x4x4x4xf32>
  %2 = npu.reshape(%1) : (tensor<2x2x4x4x4xf32>) -> tensor<4x4x4x4xf32>
  %3 = npu.conv2d(%2, %w) {dilations = [1, 1], groups = 1, pads = [1, 1, 1, 1], strides = [1, 1]} : (tensor<4x4x4x4xf32>, tensor<8x4x3x3xf32>) -> tensor<4x8x4x4xf32>
  %4 = npu.reshape(%3) : (tensor<4x8x4x4xf32>) -> tensor<2x2x8x4x4xf32>
  %5 = npu.transpose(%4) {permutation = [2, 3, 0, 4, 1]} : (tensor<2x2x8x4x4xf32>) -> tensor<8x4x2x4x2xf32>
  %6 = npu.reshape(%5) : (tensor<8x4x2x4x2xf32>) -> tensor<1x8x8x8xf32>
  %10 = npu.reshape(%x) : (tensor<1x4x8x8xf32>) -> tensor<4x2x4x2x4xf32>
  %11 = npu.transpose(%10) {permutation = [1, 3, 0, 2, 4]} : (tensor<4x2x4x2x4xf32>) -> tensor<2x2x4x4x4xf32>
  %12 = npu.reshape(%11) : (tensor<2x2x4x4x4xf32>) -> tensor<4x4x4x4xf32>
  %13 = npu.conv2d(%12, %w) {dilations = [1, 1], groups = 1, pads = [1, 1, 1, 1], strides = [1, 1]} : (tensor<4x4x4x4xf32>, tensor<8x4x3x3xf32>) -> tensor<4x8x4x4xf32>
  %14 = npu.reshape(%13) : (tensor<4x8x4x4xf32>) -> tensor<2x2x8x4x4xf32>
  %15 = npu.transpose(%14) {permutation = [2, 0, 3, 1, 4]} : (tensor<2x2x8x4x4xf32>) -> tensor<8x2x4x2x4xf32>
  %16 = npu.reshape(%15) : (tensor<8x2x4x2x4xf32>) -> tensor<1x8x8x8xf32>
  return %6, %3, %16 : tensor<1x8x8x8xf32>, tensor<4x8x4x4xf32>, tensor<1x8x8x8xf32>
}
