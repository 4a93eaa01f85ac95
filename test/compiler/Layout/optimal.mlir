// RUN: npu-opt %s --npu-assign-layout="strategy=optimal objective=count target=npu-nhwc verify-exactly=true" | FileCheck %s
// RUN: npu-opt %s --npu-assign-layout="strategy=optimal objective=bytes target=npu-nhwc verify-exactly=true" | FileCheck %s --check-prefix=BYTES
// RUN: npu-opt %s --npu-assign-layout="strategy=optimal target=npu-nchw16c verify-exactly=true" | npu-opt --npu-verify-layout="target=npu-nchw16c" | FileCheck %s --check-prefix=BLOCKED
// RUN: npu-opt %s --npu-assign-layout="strategy=optimal target=host io-layout=free verify-exactly=true" | FileCheck %s --check-prefix=HOST

// A relayout that two readers share is paid once: here the Reshape wants NCHW,
// and so does the output.
// CHECK-LABEL: @shared
// CHECK: npu.relayout(%arg0)
// CHECK: npu.conv2d
// CHECK: npu.relayout
// CHECK-NOT: npu.relayout
// CHECK: npu.reshape
// CHECK-NOT: npu.relayout
// CHECK: return
func.func @shared(%x: tensor<2x8x6x6xf32>) -> (tensor<2x8x6x6xf32>, tensor<2x288xf32>) {
  %w = npu.constant dense<1.0> : tensor<8x8x1x1xf32> -> tensor<8x8x1x1xf32>
  %0 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<2x8x6x6xf32>, tensor<8x8x1x1xf32>) -> tensor<2x8x6x6xf32>
  %1 = npu.eltwise relu(%0) : (tensor<2x8x6x6xf32>) -> tensor<2x8x6x6xf32>
  %2 = npu.reshape(%1) : (tensor<2x8x6x6xf32>) -> tensor<2x288xf32>
  return %1, %2 : tensor<2x8x6x6xf32>, tensor<2x288xf32>
}

// Two outputs that are pieces of one value: one relayout before the pieces are
// cut, where a greedy plan moves each. By bytes it is the same.
// CHECK-LABEL: @pieces
// CHECK-COUNT-2: npu.relayout
// CHECK-NOT: npu.relayout
// CHECK: return
func.func @pieces(%x: tensor<2x8x6x6xf32>) -> (tensor<2x3x6x6xf32>, tensor<2x5x6x6xf32>) {
  %w = npu.constant dense<1.0> : tensor<8x8x1x1xf32> -> tensor<8x8x1x1xf32>
  %0 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<2x8x6x6xf32>, tensor<8x8x1x1xf32>) -> tensor<2x8x6x6xf32>
  %1 = npu.slice(%0) {starts = [0, 0, 0, 0], steps = [1, 1, 1, 1]} : (tensor<2x8x6x6xf32>) -> tensor<2x3x6x6xf32>
  %2 = npu.slice(%0) {starts = [0, 3, 0, 0], steps = [1, 1, 1, 1]} : (tensor<2x8x6x6xf32>) -> tensor<2x5x6x6xf32>
  return %1, %2 : tensor<2x3x6x6xf32>, tensor<2x5x6x6xf32>
}

// By bytes the small result of the pooling is moved, not the large operand; by
// count either is one relayout, and time breaks the tie the same way.
// CHECK-LABEL: @pooled
// BYTES-LABEL: @pooled
// BYTES: npu.conv2d
// BYTES: npu.max_pool
// BYTES: npu.relayout{{.*}}tensor<2x8x3x3xf32
// BYTES: return
// BLOCKED-LABEL: @pooled
// BLOCKED: npu.max_pool{{.*}}#npu.layout<aBcd16b>
// HOST-LABEL: @pooled
// HOST-NOT: npu.relayout
// HOST: npu.conv2d{{.*}} -> tensor<2x8x6x6xf32, #npu.layout<acdb>>
// HOST-NOT: npu.relayout
func.func @pooled(%x: tensor<2x8x6x6xf32>) -> tensor<2x8x3x3xf32> {
  %w = npu.constant dense<1.0> : tensor<8x8x1x1xf32> -> tensor<8x8x1x1xf32>
  %0 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<2x8x6x6xf32>, tensor<8x8x1x1xf32>) -> tensor<2x8x6x6xf32>
  %1 = npu.max_pool(%0) {dilations = [1, 1], kernel = [2, 2], pads = [0, 0, 0, 0], strides = [2, 2]} : (tensor<2x8x6x6xf32>) -> tensor<2x8x3x3xf32>
  return %1 : tensor<2x8x3x3xf32>
}

// Two convolutions and what is between them, written channels last with its
// Transposes: all of them are views.
// CHECK-LABEL: @keras
// CHECK-NOT: npu.relayout
// CHECK: return
func.func @keras(%x: tensor<2x6x6x8xf32>) -> tensor<2x6x6x8xf32> {
  %w = npu.constant dense<1.0> : tensor<8x8x1x1xf32> -> tensor<8x8x1x1xf32>
  %b = npu.constant dense<1.0> : tensor<8xf32> -> tensor<8xf32>
  %0 = npu.transpose(%x) {permutation = [0, 3, 1, 2]} : (tensor<2x6x6x8xf32>) -> tensor<2x8x6x6xf32>
  %1 = npu.conv2d(%0, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<2x8x6x6xf32>, tensor<8x8x1x1xf32>) -> tensor<2x8x6x6xf32>
  %2 = npu.transpose(%1) {permutation = [0, 2, 3, 1]} : (tensor<2x8x6x6xf32>) -> tensor<2x6x6x8xf32>
  %3 = npu.eltwise add(%2, %b) : (tensor<2x6x6x8xf32>, tensor<8xf32>) -> tensor<2x6x6x8xf32>
  return %3 : tensor<2x6x6x8xf32>
}

// A reshape that adds a unit dimension behind a blocked one is a view.
// BLOCKED-LABEL: @unit
// BLOCKED-COUNT-2: npu.relayout
// BLOCKED-NOT: npu.relayout
// BLOCKED: return
func.func @unit(%x: tensor<2x8x6x6xf32>) -> tensor<2x8x36xf32> {
  %w = npu.constant dense<1.0> : tensor<8x8x1x1xf32> -> tensor<8x8x1x1xf32>
  %v = npu.constant dense<1.0> : tensor<8x8x1xf32> -> tensor<8x8x1xf32>
  %0 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<2x8x6x6xf32>, tensor<8x8x1x1xf32>) -> tensor<2x8x6x6xf32>
  %1 = npu.reshape(%0) : (tensor<2x8x6x6xf32>) -> tensor<2x8x36xf32>
  %2 = npu.conv1d(%1, %v) {dilations = [1], groups = 1, pads = [0, 0], strides = [1]} : (tensor<2x8x36xf32>, tensor<8x8x1xf32>) -> tensor<2x8x36xf32>
  return %2 : tensor<2x8x36xf32>
}
