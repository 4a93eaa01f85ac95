// RUN: npu-opt %s --npu-sink-transposes | FileCheck %s

// The example of the pass's description.
// CHECK-LABEL: @example
// CHECK-SAME: %[[X:[^:]*]]:
// CHECK: %[[R:.*]] = npu.eltwise relu(%[[X]]) : (tensor<1x8x4x4xf32>)
// CHECK-NEXT: npu.transpose(%[[R]]) {permutation = [0, 2, 3, 1]}
// CHECK-NEXT: return
func.func @example(%x: tensor<1x8x4x4xf32>) -> tensor<1x4x4x8xf32> {
  %0 = npu.transpose(%x) {permutation = [0, 2, 3, 1]} : (tensor<1x8x4x4xf32>) -> tensor<1x4x4x8xf32>
  %1 = npu.eltwise relu(%0) : (tensor<1x4x4x8xf32>) -> tensor<1x4x4x8xf32>
  return %1 : tensor<1x4x4x8xf32>
}

// A constant over the last dimension follows its dimension, and a transpose
// meets its inverse.
// CHECK-LABEL: @constant
// CHECK-SAME: %[[X:[^:]*]]:
// CHECK: %[[C:.*]] = npu.constant dense<{{.*}}> : tensor<2x1x1xf32>
// CHECK: %[[A:.*]] = npu.eltwise add(%[[X]], %[[C]])
// CHECK-NEXT: return %[[A]]
func.func @constant(%x: tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32> {
  %c = npu.constant dense<[1.0, 2.0]> : tensor<2xf32> -> tensor<2xf32>
  %0 = npu.transpose(%x) {permutation = [0, 2, 3, 1]} : (tensor<1x2x4x4xf32>) -> tensor<1x4x4x2xf32>
  %1 = npu.eltwise add(%0, %c) : (tensor<1x4x4x2xf32>, tensor<2xf32>) -> tensor<1x4x4x2xf32>
  %2 = npu.transpose(%1) {permutation = [0, 3, 1, 2]} : (tensor<1x4x4x2xf32>) -> tensor<1x2x4x4xf32>
  return %2 : tensor<1x2x4x4xf32>
}

// Two operands with the same transpose, and squeeze and excite as Keras writes
// it: mean over the image, a gate that is broadcast.
// CHECK-LABEL: @gate
// CHECK-SAME: %[[X:[^:]*]]:
// CHECK: %[[M:.*]] = npu.reduce(%[[X]]) {axes = [2, 3], keep_dims = true, kind = #npu.reduce_kind<mean>}
// CHECK-NEXT: %[[S:.*]] = npu.eltwise sigmoid(%[[M]]) : (tensor<1x8x1x1xf32>)
// CHECK-NEXT: %[[G:.*]] = npu.eltwise mul(%[[X]], %[[S]])
// CHECK-NEXT: %[[R:.*]] = npu.eltwise add(%[[X]], %[[G]])
// CHECK-NEXT: npu.transpose(%[[R]])
// CHECK-NEXT: return
func.func @gate(%x: tensor<1x8x4x4xf32>) -> tensor<1x4x4x8xf32> {
  %0 = npu.transpose(%x) {permutation = [0, 2, 3, 1]} : (tensor<1x8x4x4xf32>) -> tensor<1x4x4x8xf32>
  %1 = npu.reduce(%0) {axes = [1, 2], keep_dims = true, kind = #npu.reduce_kind<mean>} : (tensor<1x4x4x8xf32>) -> tensor<1x1x1x8xf32>
  %2 = npu.eltwise sigmoid(%1) : (tensor<1x1x1x8xf32>) -> tensor<1x1x1x8xf32>
  %3 = npu.eltwise mul(%0, %2) : (tensor<1x4x4x8xf32>, tensor<1x1x1x8xf32>) -> tensor<1x4x4x8xf32>
  %4 = npu.eltwise add(%0, %3) : (tensor<1x4x4x8xf32>, tensor<1x4x4x8xf32>) -> tensor<1x4x4x8xf32>
  return %4 : tensor<1x4x4x8xf32>
}

// Axes are renamed; a reduction that drops dimensions leaves a transpose of the
// others.
// CHECK-LABEL: @axes
// CHECK: npu.pad(%{{.*}}) {{{.*}}pads = [0, 3, 1, 2, 0, 6, 4, 5]
// CHECK: npu.concat(%{{.*}}, %{{.*}}) {axis = 1 : i64}
// CHECK: %[[R:.*]] = npu.reduce(%{{.*}}) {axes = [2], keep_dims = false, kind = #npu.reduce_kind<max>}
// CHECK-NEXT: npu.transpose(%[[R]]) {permutation = [0, 2, 1]}
// CHECK-NEXT: return
func.func @axes(%x: tensor<1x8x4x4xf32>) -> tensor<1x11x34xf32> {
  %0 = npu.transpose(%x) {permutation = [0, 2, 3, 1]} : (tensor<1x8x4x4xf32>) -> tensor<1x4x4x8xf32>
  %1 = npu.pad(%0) {mode = #npu.pad_mode<constant>, pads = [0, 1, 2, 3, 0, 4, 5, 6], value = 0.0 : f64} : (tensor<1x4x4x8xf32>) -> tensor<1x9x11x17xf32>
  %2 = npu.concat(%1, %1) {axis = 3 : i64} : (tensor<1x9x11x17xf32>, tensor<1x9x11x17xf32>) -> tensor<1x9x11x34xf32>
  %3 = npu.reduce(%2) {axes = [1], keep_dims = false, kind = #npu.reduce_kind<max>} : (tensor<1x9x11x34xf32>) -> tensor<1x11x34xf32>
  return %3 : tensor<1x11x34xf32>
}

// An operand of the full extent that is not transposed stops it, and so do two
// different transposes.
// CHECK-LABEL: @stop
// CHECK: npu.transpose
// CHECK-NEXT: npu.eltwise add
// CHECK-NEXT: npu.transpose
// CHECK-NEXT: npu.transpose
// CHECK-NEXT: npu.eltwise add
// CHECK-NEXT: return
func.func @stop(%x: tensor<4x4xf32>, %y: tensor<4x4xf32>, %z: tensor<2x4x4xf32>, %w: tensor<4x2x4xf32>) -> (tensor<4x4xf32>, tensor<4x4x2xf32>) {
  %0 = npu.transpose(%x) {permutation = [1, 0]} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = npu.eltwise add(%0, %y) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = npu.transpose(%z) {permutation = [1, 2, 0]} : (tensor<2x4x4xf32>) -> tensor<4x4x2xf32>
  %3 = npu.transpose(%w) {permutation = [0, 2, 1]} : (tensor<4x2x4xf32>) -> tensor<4x4x2xf32>
  %4 = npu.eltwise add(%2, %3) : (tensor<4x4x2xf32>, tensor<4x4x2xf32>) -> tensor<4x4x2xf32>
  return %1, %4 : tensor<4x4xf32>, tensor<4x4x2xf32>
}

// Rows and columns change places behind a convolution, whose weights are turned,
// and behind pooling; not in front of a larger result, nor other dimensions.
// CHECK-LABEL: @windows
// CHECK-SAME: %[[X:[^:]*]]:
// CHECK: npu.constant dense<{{.*}}1.0{{.*}}2.0{{.*}}3.0{{.*}}> : tensor<2x2x1x3xf32>
// CHECK: %[[C:.*]] = npu.conv2d(%[[X]], %{{.*}}) {dilations = [1, 2], groups = 1 : i64, pads = [0, 2, 0, 1], strides = [2, 1]} : {{.*}} -> tensor<1x2x4x5xf32>
// CHECK: %[[P:.*]] = npu.max_pool(%[[C]]) {dilations = [1, 1], kernel = [1, 2], pads = [0, 1, 0, 0], strides = [1, 2]} : {{.*}} -> tensor<1x2x4x3xf32>
// CHECK: %[[T:.*]] = npu.transpose(%[[P]]) {permutation = [0, 1, 3, 2]} : {{.*}} -> tensor<1x2x3x4xf32>
// CHECK: npu.conv2d(%[[T]],
// CHECK: npu.transpose(%[[X]]) {permutation = [0, 2, 1, 3]}
func.func @windows(%x: tensor<1x2x7x6xf32>, %v: tensor<4x2x1x1xf32>) -> (tensor<1x4x3x4xf32>, tensor<1x2x7x6xf32>) {
  %w = npu.constant dense<[[[[1.0], [2.0], [3.0]], [[4.0], [5.0], [6.0]]], [[[7.0], [8.0], [9.0]], [[1.0], [2.0], [3.0]]]]> : tensor<2x2x3x1xf32> -> tensor<2x2x3x1xf32>
  %0 = npu.transpose(%x) {permutation = [0, 1, 3, 2]} : (tensor<1x2x7x6xf32>) -> tensor<1x2x6x7xf32>
  %1 = npu.conv2d(%0, %w) {dilations = [2, 1], groups = 1, pads = [2, 0, 1, 0], strides = [1, 2]} : (tensor<1x2x6x7xf32>, tensor<2x2x3x1xf32>) -> tensor<1x2x5x4xf32>
  %2 = npu.max_pool(%1) {dilations = [1, 1], kernel = [2, 1], pads = [1, 0, 0, 0], strides = [2, 1]} : (tensor<1x2x5x4xf32>) -> tensor<1x2x3x4xf32>
  %3 = npu.conv2d(%2, %v) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x2x3x4xf32>, tensor<4x2x1x1xf32>) -> tensor<1x4x3x4xf32>
  %u = npu.constant dense<1.0> : tensor<7x7x1x1xf32> -> tensor<7x7x1x1xf32>
  %4 = npu.transpose(%x) {permutation = [0, 2, 1, 3]} : (tensor<1x2x7x6xf32>) -> tensor<1x7x2x6xf32>
  %5 = npu.conv2d(%4, %u) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x7x2x6xf32>, tensor<7x7x1x1xf32>) -> tensor<1x7x2x6xf32>
  %6 = npu.transpose(%5) {permutation = [0, 2, 1, 3]} : (tensor<1x7x2x6xf32>) -> tensor<1x2x7x6xf32>
  return %3, %6 : tensor<1x4x3x4xf32>, tensor<1x2x7x6xf32>
}
