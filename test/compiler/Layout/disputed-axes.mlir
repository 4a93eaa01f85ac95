// RUN: npu-opt %s --npu-assign-layout="strategy=naive target=npu-nhwc verify-exactly=true" -o /dev/null
// RUN: npu-opt %s --npu-assign-layout="strategy=auto-nhwc target=npu-nhwc verify-exactly=true" -o /dev/null
// RUN: npu-opt %s --npu-assign-layout="strategy=convert target=npu-nhwc verify-exactly=true" -o /dev/null
// RUN: npu-opt %s --npu-assign-layout="strategy=preset target=npu-nhwc verify-exactly=true" -o /dev/null
// RUN: npu-opt %s --npu-assign-layout="strategy=alter target=npu-nhwc verify-exactly=true" -o /dev/null
// RUN: npu-opt %s --npu-assign-layout="strategy=optimal target=npu-nhwc verify-exactly=true" | FileCheck %s

// What is the channel before the op is a spatial axis behind it. The op goes
// with its operand: (N, H, C, W) stored NHWC is abdc. So the result of the first
// convolution is read as it is, and one relayout stands behind the op.

// CHECK-LABEL: @concat
// CHECK: npu.conv2d
// CHECK-NOT: npu.relayout
// CHECK: npu.concat{{.*}} -> tensor<16x8x8x8xf32, #npu.layout<abdc>>
// CHECK-NEXT: npu.relayout
// CHECK-NEXT: npu.conv2d
func.func @concat(%x: tensor<8x8x8x8xf32>) -> tensor<16x8x8x8xf32> {
  %w = npu.constant dense<1.0> : tensor<8x8x3x3xf32> -> tensor<8x8x3x3xf32>
  %0 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [1, 1, 1, 1], strides = [1, 1]} : (tensor<8x8x8x8xf32>, tensor<8x8x3x3xf32>) -> tensor<8x8x8x8xf32>
  %1 = npu.transpose(%0) {permutation = [0, 2, 1, 3]} : (tensor<8x8x8x8xf32>) -> tensor<8x8x8x8xf32>
  %2 = npu.concat(%1, %1) {axis = 0 : i64} : (tensor<8x8x8x8xf32>, tensor<8x8x8x8xf32>) -> tensor<16x8x8x8xf32>
  %3 = npu.conv2d(%2, %w) {dilations = [1, 1], groups = 1, pads = [1, 1, 1, 1], strides = [1, 1]} : (tensor<16x8x8x8xf32>, tensor<8x8x3x3xf32>) -> tensor<16x8x8x8xf32>
  return %3 : tensor<16x8x8x8xf32>
}

// CHECK-LABEL: @pad
// CHECK: npu.conv2d
// CHECK-NOT: npu.relayout
// CHECK: npu.pad{{.*}} -> tensor<8x8x10x10xf32, #npu.layout<abdc>>
// CHECK-NEXT: npu.relayout
// CHECK-NEXT: npu.conv2d
func.func @pad(%x: tensor<8x8x8x8xf32>) -> tensor<8x8x10x10xf32> {
  %w = npu.constant dense<1.0> : tensor<8x8x3x3xf32> -> tensor<8x8x3x3xf32>
  %0 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [1, 1, 1, 1], strides = [1, 1]} : (tensor<8x8x8x8xf32>, tensor<8x8x3x3xf32>) -> tensor<8x8x8x8xf32>
  %1 = npu.transpose(%0) {permutation = [0, 2, 1, 3]} : (tensor<8x8x8x8xf32>) -> tensor<8x8x8x8xf32>
  %2 = npu.pad(%1) {mode = #npu.pad_mode<constant>, pads = [0, 0, 1, 1, 0, 0, 1, 1], value = 0.0 : f64} : (tensor<8x8x8x8xf32>) -> tensor<8x8x10x10xf32>
  %3 = npu.conv2d(%2, %w) {dilations = [1, 1], groups = 1, pads = [1, 1, 1, 1], strides = [1, 1]} : (tensor<8x8x10x10xf32>, tensor<8x8x3x3xf32>) -> tensor<8x8x10x10xf32>
  return %3 : tensor<8x8x10x10xf32>
}

// CHECK-LABEL: @resize
// CHECK: npu.conv2d
// CHECK-NOT: npu.relayout
// CHECK: npu.resize{{.*}} -> tensor<8x8x16x16xf32, #npu.layout<abdc>>
// CHECK-NEXT: npu.relayout
// CHECK-NEXT: npu.conv2d
func.func @resize(%x: tensor<8x8x8x8xf32>) -> tensor<8x8x16x16xf32> {
  %w = npu.constant dense<1.0> : tensor<8x8x3x3xf32> -> tensor<8x8x3x3xf32>
  %0 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [1, 1, 1, 1], strides = [1, 1]} : (tensor<8x8x8x8xf32>, tensor<8x8x3x3xf32>) -> tensor<8x8x8x8xf32>
  %1 = npu.transpose(%0) {permutation = [0, 2, 1, 3]} : (tensor<8x8x8x8xf32>) -> tensor<8x8x8x8xf32>
  %2 = npu.resize(%1) {mode = #npu.resize_mode<linear>, coordinates = #npu.resize_coordinates<half_pixel>, nearest = #npu.resize_nearest<floor>, scales = [1.0, 1.0, 2.0, 2.0], cubic = -0.75 : f64} : (tensor<8x8x8x8xf32>) -> tensor<8x8x16x16xf32>
  %3 = npu.conv2d(%2, %w) {dilations = [1, 1], groups = 1, pads = [1, 1, 1, 1], strides = [1, 1]} : (tensor<8x8x16x16xf32>, tensor<8x8x3x3xf32>) -> tensor<8x8x16x16xf32>
  return %3 : tensor<8x8x16x16xf32>
}

// CHECK-LABEL: @mirror
// CHECK: npu.conv2d
// CHECK-NOT: npu.relayout
// CHECK: npu.mirror{{.*}} -> tensor<8x8x8x8xf32, #npu.layout<abdc>>
// CHECK-NEXT: npu.relayout
// CHECK-NEXT: npu.conv2d
func.func @mirror(%x: tensor<8x8x8x8xf32>) -> tensor<8x8x8x8xf32> {
  %w = npu.constant dense<1.0> : tensor<8x8x3x3xf32> -> tensor<8x8x3x3xf32>
  %0 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [1, 1, 1, 1], strides = [1, 1]} : (tensor<8x8x8x8xf32>, tensor<8x8x3x3xf32>) -> tensor<8x8x8x8xf32>
  %1 = npu.transpose(%0) {permutation = [0, 2, 1, 3]} : (tensor<8x8x8x8xf32>) -> tensor<8x8x8x8xf32>
  %2 = npu.mirror(%1) {axes = [2]} : (tensor<8x8x8x8xf32>) -> tensor<8x8x8x8xf32>
  %3 = npu.conv2d(%2, %w) {dilations = [1, 1], groups = 1, pads = [1, 1, 1, 1], strides = [1, 1]} : (tensor<8x8x8x8xf32>, tensor<8x8x3x3xf32>) -> tensor<8x8x8x8xf32>
  return %3 : tensor<8x8x8x8xf32>
}

// CHECK-LABEL: @norm
// CHECK: npu.conv2d
// CHECK-NOT: npu.relayout
// CHECK: npu.tensornorm{{.*}} -> tensor<8x8x8x8xf32, #npu.layout<abdc>>
// CHECK-NEXT: npu.relayout
// CHECK-NEXT: npu.conv2d
func.func @norm(%x: tensor<8x8x8x8xf32>) -> tensor<8x8x8x8xf32> {
  %w = npu.constant dense<1.0> : tensor<8x8x3x3xf32> -> tensor<8x8x3x3xf32>
  %s = npu.constant dense<1.0> : tensor<8x1x1xf32> -> tensor<8x1x1xf32>
  %0 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [1, 1, 1, 1], strides = [1, 1]} : (tensor<8x8x8x8xf32>, tensor<8x8x3x3xf32>) -> tensor<8x8x8x8xf32>
  %1 = npu.transpose(%0) {permutation = [0, 2, 1, 3]} : (tensor<8x8x8x8xf32>) -> tensor<8x8x8x8xf32>
  %2 = npu.tensornorm(%1, %s) {axes = [2, 3], epsilon = 1.0e-5 : f64} : (tensor<8x8x8x8xf32>, tensor<8x1x1xf32>) -> tensor<8x8x8x8xf32>
  %3 = npu.conv2d(%2, %w) {dilations = [1, 1], groups = 1, pads = [1, 1, 1, 1], strides = [1, 1]} : (tensor<8x8x8x8xf32>, tensor<8x8x3x3xf32>) -> tensor<8x8x8x8xf32>
  return %3 : tensor<8x8x8x8xf32>
}

// The operands of one concatenation are different images, too. It goes with the
// first; the second has a relayout.
// CHECK-LABEL: @operands
// CHECK: npu.concat{{.*}} -> tensor<8x16x8x8xf32, #npu.layout<abdc>>
func.func @operands(%x: tensor<8x8x8x8xf32>) -> tensor<8x16x8x8xf32> {
  %w = npu.constant dense<1.0> : tensor<8x8x3x3xf32> -> tensor<8x8x3x3xf32>
  %0 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [1, 1, 1, 1], strides = [1, 1]} : (tensor<8x8x8x8xf32>, tensor<8x8x3x3xf32>) -> tensor<8x8x8x8xf32>
  %1 = npu.transpose(%0) {permutation = [0, 2, 1, 3]} : (tensor<8x8x8x8xf32>) -> tensor<8x8x8x8xf32>
  %2 = npu.concat(%1, %0) {axis = 1 : i64} : (tensor<8x8x8x8xf32>, tensor<8x8x8x8xf32>) -> tensor<8x16x8x8xf32>
  return %2 : tensor<8x16x8x8xf32>
}

// The same with lines.
// CHECK-LABEL: @lines
// CHECK: npu.concat{{.*}} -> tensor<16x8x8xf32, #npu.layout<cab>>
func.func @lines(%x: tensor<8x8x8xf32>) -> tensor<8x8x8xf32> {
  %w = npu.constant dense<1.0> : tensor<8x8x1xf32> -> tensor<8x8x1xf32>
  %0 = npu.conv1d(%x, %w) {dilations = [1], groups = 1, pads = [0, 0], strides = [1]} : (tensor<8x8x8xf32>, tensor<8x8x1xf32>) -> tensor<8x8x8xf32>
  %1 = npu.transpose(%0) {permutation = [2, 1, 0]} : (tensor<8x8x8xf32>) -> tensor<8x8x8xf32>
  %2 = npu.concat(%1, %1) {axis = 0 : i64} : (tensor<8x8x8xf32>, tensor<8x8x8xf32>) -> tensor<16x8x8xf32>
  %3 = npu.slice(%2) {starts = [4, 0, 0], steps = [1, 1, 1]} : (tensor<16x8x8xf32>) -> tensor<8x8x8xf32>
  %4 = npu.conv1d(%3, %w) {dilations = [1], groups = 1, pads = [0, 0], strides = [1]} : (tensor<8x8x8xf32>, tensor<8x8x1xf32>) -> tensor<8x8x8xf32>
  return %4 : tensor<8x8x8xf32>
}
