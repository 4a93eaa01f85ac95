// RUN: npu-opt %s --npu-assign-layout="strategy=auto-nhwc target=npu-nhwc verify-exactly=true" | FileCheck %s
// RUN: npu-opt %s --npu-assign-layout="strategy=auto-nhwc target=host verify-exactly=true" | npu-opt --npu-fold-layout="target=host"

// A model that is NHWC already, with Transposes around its convolutions, is
// stored channels last throughout: its Transposes are views.
// CHECK-LABEL: @keras
// CHECK-NOT: npu.relayout
// CHECK: npu.transpose({{.*}}) {permutation = [0, 3, 1, 2]} : (tensor<2x6x6x8xf32, #npu.layout<abcd>>) -> tensor<2x8x6x6xf32, #npu.layout<acdb>>
// CHECK-NOT: npu.relayout
// CHECK: npu.eltwise add{{.*}} tensor<8xf32, #npu.layout<a>>) -> tensor<2x6x6x8xf32, #npu.layout<abcd>>
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

// A concatenation between convolutions takes its channel from them.
// CHECK-LABEL: @concat
// CHECK: npu.relayout
// CHECK-NOT: npu.relayout
// CHECK: npu.concat({{.*}} -> tensor<2x16x6x6xf32, #npu.layout<acdb>>
// CHECK: npu.relayout
// CHECK-NOT: npu.relayout
// CHECK: return
func.func @concat(%x: tensor<2x8x6x6xf32>) -> tensor<2x16x6x6xf32> {
  %c = npu.constant dense<1.0> : tensor<8x8x1x1xf32> -> tensor<8x8x1x1xf32>
  %0 = npu.conv2d(%x, %c) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<2x8x6x6xf32>, tensor<8x8x1x1xf32>) -> tensor<2x8x6x6xf32>
  %1 = npu.conv2d(%0, %c) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<2x8x6x6xf32>, tensor<8x8x1x1xf32>) -> tensor<2x8x6x6xf32>
  %2 = npu.concat(%0, %1) {axis = 1 : i64} : (tensor<2x8x6x6xf32>, tensor<2x8x6x6xf32>) -> tensor<2x16x6x6xf32>
  return %2 : tensor<2x16x6x6xf32>
}

// A Flatten that mixes channels with space: one relayout before it, the reshape
// itself is a view.
// CHECK-LABEL: @flatten
// CHECK: npu.relayout
// CHECK: npu.conv2d
// CHECK: %[[R:.*]] = npu.relayout
// CHECK: npu.reshape(%[[R]]) : (tensor<2x8x6x6xf32, #npu.layout<abcd>>) -> tensor<2x288xf32, #npu.layout<ab>>
// CHECK-NOT: npu.relayout
// CHECK: return
func.func @flatten(%x: tensor<2x8x6x6xf32>) -> tensor<2x4xf32> {
  %w = npu.constant dense<1.0> : tensor<8x8x1x1xf32> -> tensor<8x8x1x1xf32>
  %m = npu.constant dense<1.0> : tensor<288x4xf32> -> tensor<288x4xf32>
  %0 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<2x8x6x6xf32>, tensor<8x8x1x1xf32>) -> tensor<2x8x6x6xf32>
  %1 = npu.reshape(%0) : (tensor<2x8x6x6xf32>) -> tensor<2x288xf32>
  %2 = npu.matmul(%1, %m) : (tensor<2x288xf32>, tensor<288x4xf32>) -> tensor<2x4xf32>
  return %2 : tensor<2x4xf32>
}

// Ranks 3 and 5.
// CHECK-LABEL: @other_ranks
// CHECK: npu.conv1d({{.*}} -> tensor<2x8x9xf32, #npu.layout<acb>>
// CHECK: npu.conv3d({{.*}} -> tensor<2x8x3x3x3xf32, #npu.layout<acdeb>>
func.func @other_ranks(%x: tensor<2x4x9xf32>, %y: tensor<2x4x3x3x3xf32>) -> (tensor<2x8x9xf32>, tensor<2x8x3x3x3xf32>) {
  %v = npu.constant dense<1.0> : tensor<8x4x3xf32> -> tensor<8x4x3xf32>
  %w = npu.constant dense<1.0> : tensor<8x4x1x1x1xf32> -> tensor<8x4x1x1x1xf32>
  %0 = npu.conv1d(%x, %v) {dilations = [1], groups = 1, pads = [1, 1], strides = [1]} : (tensor<2x4x9xf32>, tensor<8x4x3xf32>) -> tensor<2x8x9xf32>
  %1 = npu.conv3d(%y, %w) {dilations = [1, 1, 1], groups = 1, pads = [0, 0, 0, 0, 0, 0], strides = [1, 1, 1]} : (tensor<2x4x3x3x3xf32>, tensor<8x4x1x1x1xf32>) -> tensor<2x8x3x3x3xf32>
  return %0, %1 : tensor<2x8x9xf32>, tensor<2x8x3x3x3xf32>
}

// A fused kernel answers for its root: the residual follows the result, the
// small operand is read through broadcasting.
// CHECK-LABEL: @fused
// CHECK-SAME: %[[X:.*]]: tensor<2x8x6x6xf32, #npu.layout<abcd>>
// CHECK: %[[R:.*]] = npu.relayout(%[[X]])
// CHECK-NOT: npu.relayout
// CHECK: npu.fused(%[[R]], %{{.*}}, %[[R]], %{{.*}}) : (tensor<2x8x6x6xf32, #npu.layout<acdb>>
// CHECK: ^bb0({{.*}}: tensor<2x8x6x6xf32, #npu.layout<acdb>>, {{.*}}: tensor<8x8x3x3xf32, #npu.layout<cdab>>
// CHECK: npu.yield {{.*}} #npu.layout<acdb>>
// CHECK: npu.relayout
// CHECK-NOT: npu.relayout
func.func @fused(%x: tensor<2x8x6x6xf32>) -> tensor<2x8x6x6xf32> {
  %w = npu.constant dense<1.0> : tensor<8x8x3x3xf32> -> tensor<8x8x3x3xf32>
  %s = npu.constant dense<1.0> : tensor<8x1x1xf32> -> tensor<8x1x1xf32>
  %0 = npu.fused(%x, %w, %x, %s) : (tensor<2x8x6x6xf32>, tensor<8x8x3x3xf32>, tensor<2x8x6x6xf32>, tensor<8x1x1xf32>) -> tensor<2x8x6x6xf32> {
  ^bb0(%a: tensor<2x8x6x6xf32>, %b: tensor<8x8x3x3xf32>, %c: tensor<2x8x6x6xf32>, %d: tensor<8x1x1xf32>):
    %1 = npu.conv2d(%a, %b) {dilations = [1, 1], groups = 1, pads = [1, 1, 1, 1], strides = [1, 1]} : (tensor<2x8x6x6xf32>, tensor<8x8x3x3xf32>) -> tensor<2x8x6x6xf32>
    %2 = npu.eltwise add(%1, %c) : (tensor<2x8x6x6xf32>, tensor<2x8x6x6xf32>) -> tensor<2x8x6x6xf32>
    %3 = npu.eltwise mul(%2, %d) : (tensor<2x8x6x6xf32>, tensor<8x1x1xf32>) -> tensor<2x8x6x6xf32>
    npu.yield %3 : tensor<2x8x6x6xf32>
  }
  return %0 : tensor<2x8x6x6xf32>
}

// The example in Passes.td.
// CHECK-LABEL: @pool
// CHECK-SAME: %[[X:[^:]*]]: tensor<2x8x6x6xf32, #npu.layout<abcd>>
// CHECK: %[[A:.*]] = npu.relayout(%[[X]])
// CHECK: %[[B:.*]] = npu.max_pool(%[[A]]) {{.*}} -> tensor<2x8x3x3xf32, #npu.layout<acdb>>
// CHECK: %[[C:.*]] = npu.relayout(%[[B]])
// CHECK: return %[[C]] : tensor<2x8x3x3xf32, #npu.layout<abcd>>
func.func @pool(%x: tensor<2x8x6x6xf32>) -> tensor<2x8x3x3xf32> {
  %0 = npu.max_pool(%x) {dilations = [1, 1], kernel = [2, 2], pads = [0, 0, 0, 0], strides = [2, 2]} : (tensor<2x8x6x6xf32>) -> tensor<2x8x3x3xf32>
  return %0 : tensor<2x8x3x3xf32>
}
