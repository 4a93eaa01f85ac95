// RUN: npu-opt %s --npu-assign-layout="strategy=optimal target=npu-nhwc verify-exactly=true" | npu-opt --npu-verify-layout="target=npu-nhwc" | FileCheck %s
// RUN: npu-opt %s --npu-assign-layout="strategy=pbqp target=npu-nhwc verify-exactly=true" | FileCheck %s --check-prefix=WHOLE

// The sum's other operand and the result lie channels first: as one kernel both
// would be moved, as two the value between them is.
// CHECK-LABEL: @sum
// CHECK: npu.relayout(%arg0)
// CHECK: %[[C:.*]] = npu.conv2d{{.*}}npu.split
// CHECK: %[[R:.*]] = npu.relayout(%[[C]])
// CHECK-NOT: npu.relayout
// CHECK: npu.fused(%[[R]], %arg1) {npu.split = {{{.*}}name = "split1"
// CHECK: npu.eltwise add
// CHECK: npu.eltwise relu
// CHECK: return
// WHOLE-LABEL: @sum
// WHOLE-COUNT-3: npu.relayout
// WHOLE-NOT: npu.relayout
// WHOLE-NOT: npu.split
// WHOLE: return
func.func @sum(%x: tensor<1x3x112x112xf32>, %y: tensor<1x64x112x112xf32>) -> tensor<1x64x112x112xf32> {
  %w = npu.constant dense<1.0> : tensor<64x3x3x3xf32> -> tensor<64x3x3x3xf32>
  %0 = npu.fused(%x, %w, %y) : (tensor<1x3x112x112xf32>, tensor<64x3x3x3xf32>, tensor<1x64x112x112xf32>) -> tensor<1x64x112x112xf32> {
  ^bb0(%a: tensor<1x3x112x112xf32>, %b: tensor<64x3x3x3xf32>, %c: tensor<1x64x112x112xf32>):
    %1 = npu.conv2d(%a, %b) {dilations = [1, 1], groups = 1, pads = [1, 1, 1, 1], strides = [1, 1]} : (tensor<1x3x112x112xf32>, tensor<64x3x3x3xf32>) -> tensor<1x64x112x112xf32>
    %2 = npu.eltwise add(%1, %c) : (tensor<1x64x112x112xf32>, tensor<1x64x112x112xf32>) -> tensor<1x64x112x112xf32>
    %3 = npu.eltwise relu(%2) : (tensor<1x64x112x112xf32>) -> tensor<1x64x112x112xf32>
    npu.yield %3 : tensor<1x64x112x112xf32>
  }
  return %0 : tensor<1x64x112x112xf32>
}

// Where the other operand is a convolution's it has its order, and all is one.
// CHECK-LABEL: @residual
// CHECK-NOT: npu.split
// CHECK: return
func.func @residual(%x: tensor<1x64x56x56xf32>) -> tensor<1x64x56x56xf32> {
  %w = npu.constant dense<1.0> : tensor<64x64x1x1xf32> -> tensor<64x64x1x1xf32>
  %y = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x64x56x56xf32>, tensor<64x64x1x1xf32>) -> tensor<1x64x56x56xf32>
  %0 = npu.fused(%y, %w, %y) : (tensor<1x64x56x56xf32>, tensor<64x64x1x1xf32>, tensor<1x64x56x56xf32>) -> tensor<1x64x56x56xf32> {
  ^bb0(%a: tensor<1x64x56x56xf32>, %b: tensor<64x64x1x1xf32>, %c: tensor<1x64x56x56xf32>):
    %1 = npu.conv2d(%a, %b) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x64x56x56xf32>, tensor<64x64x1x1xf32>) -> tensor<1x64x56x56xf32>
    %2 = npu.eltwise add(%1, %c) : (tensor<1x64x56x56xf32>, tensor<1x64x56x56xf32>) -> tensor<1x64x56x56xf32>
    npu.yield %2 : tensor<1x64x56x56xf32>
  }
  return %0 : tensor<1x64x56x56xf32>
}

// Both orders of what lies between have room on the chip.
// CHECK-LABEL: @stays
// CHECK: npu.conv2d{{.*}}npu.split, npu.split_place = array<i64: 50176, 1>
// CHECK: npu.relayout
// CHECK: npu.eltwise add{{.*}}"split1"
// CHECK: return
func.func @stays(%x: tensor<1x3x28x28xf32>, %y: tensor<1x16x28x28xf32>) -> tensor<1x16x28x28xf32> {
  %w = npu.constant dense<1.0> : tensor<16x3x3x3xf32> -> tensor<16x3x3x3xf32>
  %0 = npu.fused(%x, %w, %y) : (tensor<1x3x28x28xf32>, tensor<16x3x3x3xf32>, tensor<1x16x28x28xf32>) -> tensor<1x16x28x28xf32> {
  ^bb0(%a: tensor<1x3x28x28xf32>, %b: tensor<16x3x3x3xf32>, %c: tensor<1x16x28x28xf32>):
    %1 = npu.conv2d(%a, %b) {dilations = [1, 1], groups = 1, pads = [1, 1, 1, 1], strides = [1, 1]} : (tensor<1x3x28x28xf32>, tensor<16x3x3x3xf32>) -> tensor<1x16x28x28xf32>
    %2 = npu.eltwise add(%1, %c) : (tensor<1x16x28x28xf32>, tensor<1x16x28x28xf32>) -> tensor<1x16x28x28xf32>
    npu.yield %2 : tensor<1x16x28x28xf32>
  }
  return %0 : tensor<1x16x28x28xf32>
}
