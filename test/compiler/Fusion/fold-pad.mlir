// RUN: npu-opt %s --npu-fold-pad | FileCheck %s

// The example of the pass's description.
// CHECK-LABEL: @example
// CHECK-SAME: %[[X:[^:]*]]:
// CHECK-NEXT: npu.conv2d(%[[X]], %{{.*}}) {dilations = [1, 1], groups = 1 : i64, pads = [1, 1, 1, 1], strides = [1, 1]}
func.func @example(%x: tensor<1x4x8x8xf32>, %w: tensor<8x4x3x3xf32>) -> tensor<1x8x8x8xf32> {
  %0 = npu.pad(%x) {mode = #npu.pad_mode<constant>, pads = [0, 0, 1, 1, 0, 0, 1, 1], value = 0.0 : f64} : (tensor<1x4x8x8xf32>) -> tensor<1x4x10x10xf32>
  %1 = npu.conv2d(%0, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x4x10x10xf32>, tensor<8x4x3x3xf32>) -> tensor<1x8x8x8xf32>
  return %1 : tensor<1x8x8x8xf32>
}

// Uneven padding adds to what is there; each reader folds for itself.
// CHECK-LABEL: @uneven
// CHECK-NOT: npu.pad(
// CHECK: npu.conv2d({{.*}}pads = [1, 2, 2, 2]
// CHECK: npu.conv2d({{.*}}pads = [0, 1, 1, 1]
func.func @uneven(%x: tensor<1x4x8x8xf32>, %w: tensor<4x1x3x3xf32>) -> (tensor<1x4x9x10xf32>, tensor<1x4x7x8xf32>) {
  %0 = npu.pad(%x) {mode = #npu.pad_mode<constant>, pads = [0, 0, 0, 1, 0, 0, 1, 1], value = 0.0 : f64} : (tensor<1x4x8x8xf32>) -> tensor<1x4x9x10xf32>
  %1 = npu.conv2d(%0, %w) {dilations = [1, 1], groups = 4, pads = [1, 1, 1, 1], strides = [1, 1]} : (tensor<1x4x9x10xf32>, tensor<4x1x3x3xf32>) -> tensor<1x4x9x10xf32>
  %2 = npu.conv2d(%0, %w) {dilations = [1, 1], groups = 4, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x4x9x10xf32>, tensor<4x1x3x3xf32>) -> tensor<1x4x7x8xf32>
  return %1, %2 : tensor<1x4x9x10xf32>, tensor<1x4x7x8xf32>
}

// Another value, another mode, cropping, padded channels; a transposed
// convolution's padding crops.
// CHECK-LABEL: @keep
// CHECK-COUNT-5: npu.pad(
// CHECK-NOT: npu.pad(
func.func @keep(%x: tensor<1x4x8x8xf32>, %w: tensor<4x4x1x1xf32>, %v: tensor<4x6x1x1xf32>) -> (tensor<1x4x10x8xf32>, tensor<1x4x10x8xf32>, tensor<1x4x6x8xf32>, tensor<1x4x8x8xf32>, tensor<1x4x10x8xf32>) {
  %0 = npu.pad(%x) {mode = #npu.pad_mode<constant>, pads = [0, 0, 1, 0, 0, 0, 1, 0], value = 1.0 : f64} : (tensor<1x4x8x8xf32>) -> tensor<1x4x10x8xf32>
  %1 = npu.conv2d(%0, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x4x10x8xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x10x8xf32>
  %2 = npu.pad(%x) {mode = #npu.pad_mode<edge>, pads = [0, 0, 1, 0, 0, 0, 1, 0], value = 0.0 : f64} : (tensor<1x4x8x8xf32>) -> tensor<1x4x10x8xf32>
  %3 = npu.conv2d(%2, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x4x10x8xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x10x8xf32>
  %4 = npu.pad(%x) {mode = #npu.pad_mode<constant>, pads = [0, 0, -1, 0, 0, 0, -1, 0], value = 0.0 : f64} : (tensor<1x4x8x8xf32>) -> tensor<1x4x6x8xf32>
  %5 = npu.conv2d(%4, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x4x6x8xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x6x8xf32>
  %6 = npu.pad(%x) {mode = #npu.pad_mode<constant>, pads = [0, 1, 0, 0, 0, 1, 0, 0], value = 0.0 : f64} : (tensor<1x4x8x8xf32>) -> tensor<1x6x8x8xf32>
  %7 = npu.conv2d(%6, %v) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x6x8x8xf32>, tensor<4x6x1x1xf32>) -> tensor<1x4x8x8xf32>
  %8 = npu.pad(%x) {mode = #npu.pad_mode<constant>, pads = [0, 0, 1, 0, 0, 0, 1, 0], value = 0.0 : f64} : (tensor<1x4x8x8xf32>) -> tensor<1x4x10x8xf32>
  %9 = npu.conv_transpose2d(%8, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x4x10x8xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x10x8xf32>
  return %1, %3, %5, %7, %9 : tensor<1x4x10x8xf32>, tensor<1x4x10x8xf32>, tensor<1x4x6x8xf32>, tensor<1x4x8x8xf32>, tensor<1x4x10x8xf32>
}

// A maximum of values that are not below zero may take the zeros away, as in
// ResNet; of other values not.
// CHECK-LABEL: @maximum
// CHECK: npu.max_pool({{.*}}pads = [1, 1, 1, 1]
// CHECK: npu.pad(
// CHECK: npu.max_pool({{.*}}pads = [0, 0, 0, 0]
func.func @maximum(%x: tensor<1x4x8x8xf32>) -> (tensor<1x4x4x4xf32>, tensor<1x4x4x4xf32>) {
  %r = npu.eltwise relu(%x) : (tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  %0 = npu.pad(%r) {mode = #npu.pad_mode<constant>, pads = [0, 0, 1, 1, 0, 0, 1, 1], value = 0.0 : f64} : (tensor<1x4x8x8xf32>) -> tensor<1x4x10x10xf32>
  %1 = npu.max_pool(%0) {dilations = [1, 1], kernel = [3, 3], pads = [0, 0, 0, 0], strides = [2, 2]} : (tensor<1x4x10x10xf32>) -> tensor<1x4x4x4xf32>
  %2 = npu.pad(%x) {mode = #npu.pad_mode<constant>, pads = [0, 0, 1, 1, 0, 0, 1, 1], value = 0.0 : f64} : (tensor<1x4x8x8xf32>) -> tensor<1x4x10x10xf32>
  %3 = npu.max_pool(%2) {dilations = [1, 1], kernel = [3, 3], pads = [0, 0, 0, 0], strides = [2, 2]} : (tensor<1x4x10x10xf32>) -> tensor<1x4x4x4xf32>
  return %1, %3 : tensor<1x4x4x4xf32>, tensor<1x4x4x4xf32>
}

// A window that would lie in the padding alone has no maximum.
// CHECK-LABEL: @window_without_data
// CHECK: npu.pad(
func.func @window_without_data(%x: tensor<1x4x8x8xf32>) -> tensor<1x4x6x6xf32> {
  %r = npu.eltwise relu(%x) : (tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  %0 = npu.pad(%r) {mode = #npu.pad_mode<constant>, pads = [0, 0, 2, 2, 0, 0, 2, 2], value = 0.0 : f64} : (tensor<1x4x8x8xf32>) -> tensor<1x4x12x12xf32>
  %1 = npu.max_pool(%0) {dilations = [1, 1], kernel = [2, 2], pads = [0, 0, 0, 0], strides = [2, 2]} : (tensor<1x4x12x12xf32>) -> tensor<1x4x6x6xf32>
  return %1 : tensor<1x4x6x6xf32>
}

// Nor does any pooling have a kernel that pads by its whole window, at either
// end, or of data without an element.
// CHECK-LABEL: @pads_as_large_as_windows
// CHECK-COUNT-3: npu.pad(
// CHECK-NOT: npu.pad(
// CHECK: npu.avg_pool({{.*}}pads = [0, 0, 1, 1]
func.func @pads_as_large_as_windows(%x: tensor<1x4x6x8xf32>, %none: tensor<1x4x0x8xf32>) -> (tensor<1x4x4x5xf32>, tensor<1x4x2x8xf32>, tensor<1x4x4x8xf32>, tensor<1x4x3x4xf32>) {
  %0 = npu.pad(%x) {mode = #npu.pad_mode<constant>, pads = [0, 0, 1, 1, 0, 0, 2, 2], value = 0.0 : f64} : (tensor<1x4x6x8xf32>) -> tensor<1x4x9x11xf32>
  %1 = npu.avg_pool(%0) {dilations = [1, 1], kernel = [2, 2], pads = [0, 0, 0, 0], strides = [2, 2]} : (tensor<1x4x9x11xf32>) -> tensor<1x4x4x5xf32>
  %2 = npu.pad(%none) {mode = #npu.pad_mode<constant>, pads = [0, 0, 1, 0, 0, 0, 1, 0], value = 0.0 : f64} : (tensor<1x4x0x8xf32>) -> tensor<1x4x2x8xf32>
  %3 = npu.avg_pool(%2) {dilations = [1, 1], kernel = [3, 1], pads = [1, 0, 1, 0], strides = [1, 1], count_include_pad = true} : (tensor<1x4x2x8xf32>) -> tensor<1x4x2x8xf32>
  %4 = npu.pad(%x) {mode = #npu.pad_mode<constant>, pads = [0, 0, 3, 0, 0, 0, 0, 0], value = 0.0 : f64} : (tensor<1x4x6x8xf32>) -> tensor<1x4x9x8xf32>
  %5 = npu.avg_pool(%4) {dilations = [2, 1], kernel = [2, 1], pads = [0, 0, 0, 0], strides = [2, 1]} : (tensor<1x4x9x8xf32>) -> tensor<1x4x4x8xf32>
  %6 = npu.pad(%x) {mode = #npu.pad_mode<constant>, pads = [0, 0, 0, 0, 0, 0, 1, 1], value = 0.0 : f64} : (tensor<1x4x6x8xf32>) -> tensor<1x4x7x9xf32>
  %7 = npu.avg_pool(%6) {dilations = [1, 1], kernel = [2, 2], pads = [0, 0, 0, 0], strides = [2, 2]} : (tensor<1x4x7x9xf32>) -> tensor<1x4x3x4xf32>
  return %1, %3, %5, %7 : tensor<1x4x4x5xf32>, tensor<1x4x2x8xf32>, tensor<1x4x4x8xf32>, tensor<1x4x3x4xf32>
}

// An average counts the zeros from then on; one with padding of its own that
// does not count cannot.
// CHECK-LABEL: @average
// CHECK-SAME: %[[X:[^:]*]]:
// CHECK: %[[P:.*]] = npu.pad(
// CHECK-NEXT: npu.avg_pool(%[[X]]) {count_include_pad = true{{.*}}pads = [1, 1, 1, 1]
// CHECK-NEXT: npu.avg_pool(%[[P]]) {dilations{{.*}}pads = [1, 1, 1, 1]
func.func @average(%x: tensor<1x4x8x8xf32>) -> (tensor<1x4x8x8xf32>, tensor<1x4x10x10xf32>) {
  %0 = npu.pad(%x) {mode = #npu.pad_mode<constant>, pads = [0, 0, 1, 1, 0, 0, 1, 1], value = 0.0 : f64} : (tensor<1x4x8x8xf32>) -> tensor<1x4x10x10xf32>
  %1 = npu.avg_pool(%0) {dilations = [1, 1], kernel = [3, 3], pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x4x10x10xf32>) -> tensor<1x4x8x8xf32>
  %2 = npu.avg_pool(%0) {dilations = [1, 1], kernel = [3, 3], pads = [1, 1, 1, 1], strides = [1, 1]} : (tensor<1x4x10x10xf32>) -> tensor<1x4x10x10xf32>
  return %1, %2 : tensor<1x4x8x8xf32>, tensor<1x4x10x10xf32>
}

// Every second element in front of a convolution is its stride, and dilation of
// a window; of the last ones that are cut off none is read.
// CHECK-LABEL: @slice_in_front
// CHECK-SAME: %[[X:[^:]*]]:
// CHECK-NEXT: npu.conv2d(%[[X]], %{{.*}}) {dilations = [1, 1], groups = 1 : i64, pads = [0, 0, 0, 0], strides = [2, 2]} : {{.*}} -> tensor<1x4x4x4xf32>
// CHECK-NEXT: npu.conv2d(%[[X]], %{{.*}}) {dilations = [2, 2], groups = 1 : i64, pads = [2, 2, 1, 1], strides = [2, 2]} : {{.*}} -> tensor<1x4x4x4xf32>
// CHECK-NEXT: npu.conv2d(%[[X]], %{{.*}}) {dilations = [1, 1], groups = 1 : i64, pads = [0, 0, 0, 0], strides = [2, 2]} : {{.*}} -> tensor<1x4x4x4xf32>
// CHECK-NEXT: npu.max_pool(%[[X]]) {{.*}} -> tensor<1x4x3x3xf32>
func.func @slice_in_front(%x: tensor<1x4x8x8xf32>, %w: tensor<4x4x1x1xf32>, %v: tensor<4x4x3x3xf32>) -> (tensor<1x4x4x4xf32>, tensor<1x4x4x4xf32>, tensor<1x4x4x4xf32>, tensor<1x4x3x3xf32>) {
  %0 = npu.slice(%x) {starts = [0, 0, 0, 0], steps = [1, 1, 2, 2]} : (tensor<1x4x8x8xf32>) -> tensor<1x4x4x4xf32>
  %1 = npu.conv2d(%0, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x4x4x4xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x4x4xf32>
  %2 = npu.conv2d(%0, %v) {dilations = [1, 1], groups = 1, pads = [1, 1, 1, 1], strides = [1, 1]} : (tensor<1x4x4x4xf32>, tensor<4x4x3x3xf32>) -> tensor<1x4x4x4xf32>
  %3 = npu.slice(%x) {starts = [0, 0, 0, 0], steps = [1, 1, 1, 1]} : (tensor<1x4x8x8xf32>) -> tensor<1x4x7x7xf32>
  %4 = npu.conv2d(%3, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [2, 2]} : (tensor<1x4x7x7xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x4x4xf32>
  %5 = npu.max_pool(%3) {dilations = [1, 1], kernel = [3, 3], pads = [0, 0, 0, 0], strides = [2, 2]} : (tensor<1x4x7x7xf32>) -> tensor<1x4x3x3xf32>
  return %1, %2, %4, %5 : tensor<1x4x4x4xf32>, tensor<1x4x4x4xf32>, tensor<1x4x4x4xf32>, tensor<1x4x3x3xf32>
}

// What a slice takes of a convolution's results alone is computed.
// CHECK-LABEL: @slice_behind
// CHECK-SAME: %[[X:[^:]*]]:
// CHECK-NEXT: npu.conv2d(%[[X]], %{{.*}}) {dilations = [1, 1], groups = 1 : i64, pads = [1, 0, 0, 0], strides = [1, 2]} : {{.*}} -> tensor<1x4x7x3xf32>
// CHECK-NEXT: return
func.func @slice_behind(%x: tensor<1x4x8x8xf32>, %v: tensor<4x4x3x3xf32>) -> tensor<1x4x7x3xf32> {
  %0 = npu.conv2d(%x, %v) {dilations = [1, 1], groups = 1, pads = [1, 1, 1, 1], strides = [1, 1]} : (tensor<1x4x8x8xf32>, tensor<4x4x3x3xf32>) -> tensor<1x4x8x8xf32>
  %1 = npu.slice(%0) {starts = [0, 0, 0, 1], steps = [1, 1, 1, 2]} : (tensor<1x4x8x8xf32>) -> tensor<1x4x7x3xf32>
  return %1 : tensor<1x4x7x3xf32>
}

// Data would stand where padding was, or be cut off; somebody reads the slice;
// channels.
// CHECK-LABEL: @keep_slices
// CHECK-COUNT-5: npu.slice(
// CHECK-NOT: npu.slice(
func.func @keep_slices(%x: tensor<1x4x8x8xf32>, %w: tensor<4x4x1x1xf32>, %v: tensor<4x4x3x3xf32>, %u: tensor<4x2x1x1xf32>) -> (tensor<1x4x7x8xf32>, tensor<1x4x7x8xf32>, tensor<1x4x4x8xf32>, tensor<1x4x4x8xf32>, tensor<1x4x8x8xf32>, tensor<1x4x6x8xf32>) {
  %0 = npu.slice(%x) {starts = [0, 0, 0, 0], steps = [1, 1, 1, 1]} : (tensor<1x4x8x8xf32>) -> tensor<1x4x7x8xf32>
  %1 = npu.conv2d(%0, %v) {dilations = [1, 1], groups = 1, pads = [1, 1, 1, 1], strides = [1, 1]} : (tensor<1x4x7x8xf32>, tensor<4x4x3x3xf32>) -> tensor<1x4x7x8xf32>
  %2 = npu.slice(%x) {starts = [0, 0, 1, 0], steps = [1, 1, 1, 1]} : (tensor<1x4x8x8xf32>) -> tensor<1x4x7x8xf32>
  %3 = npu.conv2d(%2, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x4x7x8xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x7x8xf32>
  %4 = npu.slice(%x) {starts = [0, 0, 0, 0], steps = [1, 1, 2, 1]} : (tensor<1x4x8x8xf32>) -> tensor<1x4x4x8xf32>
  %5 = npu.conv2d(%4, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x4x4x8xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x4x8xf32>
  %6 = npu.slice(%x) {starts = [0, 2, 0, 0], steps = [1, 1, 1, 1]} : (tensor<1x4x8x8xf32>) -> tensor<1x2x8x8xf32>
  %7 = npu.conv2d(%6, %u) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x2x8x8xf32>, tensor<4x2x1x1xf32>) -> tensor<1x4x8x8xf32>
  %8 = npu.conv2d(%x, %v) {dilations = [1, 1], groups = 1, pads = [1, 1, 1, 1], strides = [1, 1]} : (tensor<1x4x8x8xf32>, tensor<4x4x3x3xf32>) -> tensor<1x4x8x8xf32>
  %9 = npu.slice(%8) {starts = [0, 0, 2, 0], steps = [1, 1, 1, 1]} : (tensor<1x4x8x8xf32>) -> tensor<1x4x6x8xf32>
  return %1, %3, %4, %5, %7, %9 : tensor<1x4x7x8xf32>, tensor<1x4x7x8xf32>, tensor<1x4x4x8xf32>, tensor<1x4x4x8xf32>, tensor<1x4x8x8xf32>, tensor<1x4x6x8xf32>
}

// Padding passes a view that only moves dimensions of one element.
// CHECK-LABEL: @behind_a_view
// CHECK-SAME: %[[X:[^:]*]]:
// CHECK-NEXT: %[[R:.*]] = npu.reshape(%[[X]])
// CHECK-NEXT: npu.conv2d(%[[R]], %{{.*}}) {dilations = [1, 1], groups = 1 : i64, pads = [1, 1, 1, 1]
func.func @behind_a_view(%x: tensor<1x8x8x1xf32>, %w: tensor<4x1x3x3xf32>) -> tensor<1x4x8x8xf32> {
  %0 = npu.pad(%x) {mode = #npu.pad_mode<constant>, pads = [0, 1, 1, 0, 0, 1, 1, 0], value = 0.0 : f64} : (tensor<1x8x8x1xf32>) -> tensor<1x10x10x1xf32>
  %1 = npu.reshape(%0) : (tensor<1x10x10x1xf32>) -> tensor<1x1x10x10xf32>
  %2 = npu.conv2d(%1, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x1x10x10xf32>, tensor<4x1x3x3xf32>) -> tensor<1x4x8x8xf32>
  return %2 : tensor<1x4x8x8xf32>
}
