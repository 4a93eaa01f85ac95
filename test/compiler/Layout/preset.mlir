// RUN: npu-opt %s --npu-assign-layout="strategy=preset target=npu-nhwc verify-exactly=true" | FileCheck %s
// RUN: npu-opt %s --npu-transmit-layout --npu-preset-layout="target=npu-nhwc verify-exactly=true" -o %t.mlir
// RUN: npu-opt %s --npu-assign-layout="strategy=preset target=npu-nhwc" | diff %t.mlir -
// RUN: npu-opt %t.mlir --npu-fold-layout="target=npu-nhwc" | diff %t.mlir -

// The published example for (b): right are a transpose before the convolution
// and one between it and the reshape. Without the second the two operands of
// the sum look alike and differ in order.
// CHECK-LABEL: @conv_reshape_add
// CHECK-SAME: %[[X:[^:]*]]: tensor<2x8x6x6xf32, #npu.layout<abcd>>
// CHECK: %[[IN:.*]] = npu.relayout(%[[X]]) : {{.*}} -> tensor<2x8x6x6xf32, #npu.layout<acdb>>
// CHECK: %[[C:.*]] = npu.conv2d(%[[IN]]
// CHECK-NOT: npu.relayout
// CHECK: %[[BACK:.*]] = npu.relayout(%[[C]]) : {{.*}} -> tensor<2x8x6x6xf32, #npu.layout<abcd>>
// CHECK: npu.reshape(%[[BACK]])
// CHECK-NOT: npu.relayout
// CHECK: return
func.func @conv_reshape_add(%input1: tensor<2x8x6x6xf32>, %input3: tensor<2x8x6x6xf32>) -> tensor<2x288xf32> {
  %input2 = npu.constant dense<1.0> : tensor<8x8x3x3xf32> -> tensor<8x8x3x3xf32>
  %0 = npu.conv2d(%input1, %input2) {dilations = [1, 1], groups = 1, pads = [1, 1, 1, 1], strides = [1, 1]} : (tensor<2x8x6x6xf32>, tensor<8x8x3x3xf32>) -> tensor<2x8x6x6xf32>
  %1 = npu.reshape(%0) : (tensor<2x8x6x6xf32>) -> tensor<2x288xf32>
  %2 = npu.reshape(%input3) : (tensor<2x8x6x6xf32>) -> tensor<2x288xf32>
  %3 = npu.eltwise add(%1, %2) : (tensor<2x288xf32>, tensor<2x288xf32>) -> tensor<2x288xf32>
  return %3 : tensor<2x288xf32>
}

// The same where the sum has four dimensions again: they are no image's.
// CHECK-LABEL: @same_rank
// CHECK: npu.relayout
// CHECK-NOT: npu.relayout
// CHECK: npu.conv2d
// CHECK: npu.relayout{{.*}} -> tensor<2x8x6x6xf32, #npu.layout<abcd>>
// CHECK-NOT: npu.relayout
// CHECK: return
func.func @same_rank(%input1: tensor<2x8x6x6xf32>, %input3: tensor<2x8x6x6xf32>) -> tensor<4x12x4x3xf32> {
  %input2 = npu.constant dense<1.0> : tensor<8x8x3x3xf32> -> tensor<8x8x3x3xf32>
  %0 = npu.conv2d(%input1, %input2) {dilations = [1, 1], groups = 1, pads = [1, 1, 1, 1], strides = [1, 1]} : (tensor<2x8x6x6xf32>, tensor<8x8x3x3xf32>) -> tensor<2x8x6x6xf32>
  %1 = npu.reshape(%0) : (tensor<2x8x6x6xf32>) -> tensor<4x12x4x3xf32>
  %2 = npu.reshape(%input3) : (tensor<2x8x6x6xf32>) -> tensor<4x12x4x3xf32>
  %3 = npu.eltwise add(%1, %2) : (tensor<4x12x4x3xf32>, tensor<4x12x4x3xf32>) -> tensor<4x12x4x3xf32>
  return %3 : tensor<4x12x4x3xf32>
}

// A path without a demanding op gets no transpose at all.
// CHECK-LABEL: @no_demand
// CHECK-NOT: npu.relayout
// CHECK: return
func.func @no_demand(%x: tensor<2x8x6x6xf32>) -> tensor<2x8x3x3xf32> {
  %0 = npu.eltwise relu(%x) : (tensor<2x8x6x6xf32>) -> tensor<2x8x6x6xf32>
  %1 = npu.max_pool(%0) {dilations = [1, 1], kernel = [2, 2], pads = [0, 0, 0, 0], strides = [2, 2]} : (tensor<2x8x6x6xf32>) -> tensor<2x8x3x3xf32>
  return %1 : tensor<2x8x3x3xf32>
}

// V_VV: two images; the one whose relayout moves fewer bytes is aligned. V_VS:
// a small operand is read through broadcasting and forces nothing to move.
// CHECK-LABEL: @align
// CHECK: npu.relayout
// CHECK-NOT: npu.relayout
// CHECK: npu.conv2d
// CHECK: npu.eltwise add(%{{.*}}) : (tensor<2x8x6x6xf32, #npu.layout<acdb>>, tensor<8x1x1xf32
// CHECK: npu.eltwise add(%{{.*}}) : (tensor<2x8x6x6xf32, #npu.layout<acdb>>, tensor<6x6xf32
// CHECK: npu.relayout
// CHECK-NOT: npu.relayout
// CHECK: npu.eltwise mul(%{{.*}}) : (tensor<2x8x6x6xf32, #npu.layout<abcd>>, tensor<2x8x6x6xf32, #npu.layout<abcd>>)
// CHECK-NOT: npu.relayout
// CHECK: return
func.func @align(%x: tensor<2x8x6x6xf32>, %b: tensor<8x1x1xf32>, %s: tensor<6x6xf32>) -> tensor<2x8x6x6xf32> {
  %w = npu.constant dense<1.0> : tensor<8x8x1x1xf32> -> tensor<8x8x1x1xf32>
  %0 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<2x8x6x6xf32>, tensor<8x8x1x1xf32>) -> tensor<2x8x6x6xf32>
  %1 = npu.eltwise add(%0, %b) : (tensor<2x8x6x6xf32>, tensor<8x1x1xf32>) -> tensor<2x8x6x6xf32>
  %2 = npu.eltwise add(%1, %s) : (tensor<2x8x6x6xf32>, tensor<6x6xf32>) -> tensor<2x8x6x6xf32>
  %3 = npu.eltwise mul(%x, %2) : (tensor<2x8x6x6xf32>, tensor<2x8x6x6xf32>) -> tensor<2x8x6x6xf32>
  return %3 : tensor<2x8x6x6xf32>
}

// An existing transpose is a view, on both sides of a convolution.
// CHECK-LABEL: @keras
// CHECK-NOT: npu.relayout
// CHECK: return
func.func @keras(%x: tensor<2x6x6x8xf32>) -> tensor<2x6x6x8xf32> {
  %w = npu.constant dense<1.0> : tensor<8x8x1x1xf32> -> tensor<8x8x1x1xf32>
  %0 = npu.transpose(%x) {permutation = [0, 3, 1, 2]} : (tensor<2x6x6x8xf32>) -> tensor<2x8x6x6xf32>
  %1 = npu.conv2d(%0, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<2x8x6x6xf32>, tensor<8x8x1x1xf32>) -> tensor<2x8x6x6xf32>
  %2 = npu.transpose(%1) {permutation = [0, 2, 3, 1]} : (tensor<2x8x6x6xf32>) -> tensor<2x6x6x8xf32>
  return %2 : tensor<2x6x6x8xf32>
}

// A plain tensor from a global average needs nothing: it has one order.
// CHECK-LABEL: @head
// CHECK: npu.relayout
// CHECK-NOT: npu.relayout
// CHECK: return
func.func @head(%x: tensor<2x8x6x6xf32>) -> tensor<2x4xf32> {
  %w = npu.constant dense<1.0> : tensor<8x8x1x1xf32> -> tensor<8x8x1x1xf32>
  %m = npu.constant dense<1.0> : tensor<8x4xf32> -> tensor<8x4xf32>
  %0 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<2x8x6x6xf32>, tensor<8x8x1x1xf32>) -> tensor<2x8x6x6xf32>
  %1 = npu.reduce(%0) {axes = [2, 3], keep_dims = true, kind = #npu.reduce_kind<mean>} : (tensor<2x8x6x6xf32>) -> tensor<2x8x1x1xf32>
  %2 = npu.reshape(%1) : (tensor<2x8x1x1xf32>) -> tensor<2x8xf32>
  %3 = npu.matmul(%2, %m) : (tensor<2x8xf32>, tensor<8x4xf32>) -> tensor<2x4xf32>
  return %3 : tensor<2x4xf32>
}
