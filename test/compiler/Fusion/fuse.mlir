// RUN: npu-opt %s --npu-fuse | FileCheck %s
// RUN: npu-opt %s --npu-fuse="target=host" | FileCheck %s --check-prefix=HOST

// Without a target every group is one kernel.

// The example of the pass's description, with an activation behind it.
// CHECK-LABEL: @example
// CHECK-SAME: %[[X:[^:]*]]: {{.*}}, %[[W:[^:]*]]: {{.*}}, %[[R:[^:]*]]:
// CHECK-NEXT: %[[Y:.*]] = npu.fused(%[[X]], %[[W]], %[[R]])
// CHECK-NEXT: ^bb0(%[[A:.*]]: {{.*}}, %[[B:.*]]: {{.*}}, %[[C:.*]]: {{.*}}):
// CHECK-NEXT: %[[V:.*]] = npu.conv2d(%[[A]], %[[B]])
// CHECK-NEXT: %[[S:.*]] = npu.eltwise add(%[[V]], %[[C]])
// CHECK-NEXT: %[[T:.*]] = npu.eltwise relu(%[[S]])
// CHECK-NEXT: npu.yield %[[T]]
// CHECK: return %[[Y]]
func.func @example(%x: tensor<1x16x8x8xf32>, %w: tensor<16x16x3x3xf32>, %r: tensor<1x16x8x8xf32>) -> tensor<1x16x8x8xf32> {
  %0 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [1, 1, 1, 1], strides = [1, 1]} : (tensor<1x16x8x8xf32>, tensor<16x16x3x3xf32>) -> tensor<1x16x8x8xf32>
  %1 = npu.eltwise add(%0, %r) : (tensor<1x16x8x8xf32>, tensor<1x16x8x8xf32>) -> tensor<1x16x8x8xf32>
  %2 = npu.eltwise relu(%1) : (tensor<1x16x8x8xf32>) -> tensor<1x16x8x8xf32>
  return %2 : tensor<1x16x8x8xf32>
}

// Of two convolutions the later one takes the sum; the residual of a
// convolution with itself has an argument of its own.
// CHECK-LABEL: @residuals
// CHECK-SAME: %[[X:[^:]*]]: {{.*}}, %[[W:[^:]*]]:
// CHECK-NEXT: %[[F:.*]] = npu.conv2d(%[[X]], %[[W]])
// CHECK-NEXT: %[[G:.*]] = npu.fused(%[[X]], %[[W]], %[[F]])
// CHECK: npu.fused(%[[G]], %[[W]], %[[G]])
func.func @residuals(%x: tensor<1x16x8x8xf32>, %w: tensor<16x16x3x3xf32>) -> tensor<1x16x8x8xf32> {
  %0 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [1, 1, 1, 1], strides = [1, 1]} : (tensor<1x16x8x8xf32>, tensor<16x16x3x3xf32>) -> tensor<1x16x8x8xf32>
  %1 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [1, 1, 1, 1], strides = [1, 1]} : (tensor<1x16x8x8xf32>, tensor<16x16x3x3xf32>) -> tensor<1x16x8x8xf32>
  %2 = npu.eltwise add(%0, %1) : (tensor<1x16x8x8xf32>, tensor<1x16x8x8xf32>) -> tensor<1x16x8x8xf32>
  %3 = npu.conv2d(%2, %w) {dilations = [1, 1], groups = 1, pads = [1, 1, 1, 1], strides = [1, 1]} : (tensor<1x16x8x8xf32>, tensor<16x16x3x3xf32>) -> tensor<1x16x8x8xf32>
  %4 = npu.eltwise add(%3, %2) : (tensor<1x16x8x8xf32>, tensor<1x16x8x8xf32>) -> tensor<1x16x8x8xf32>
  return %4 : tensor<1x16x8x8xf32>
}

// Bytes are converted by the kernel that reads them, wherever the model does.
// CHECK-LABEL: @converted
// CHECK-SAME: %[[X:[^:]*]]: {{.*}}, %[[W:[^:]*]]: {{.*}}, %[[R:[^:]*]]:
// CHECK-NEXT: %[[Y:.*]] = npu.fused(%[[X]], %[[W]], %[[R]])
// CHECK: npu.conv2d
// CHECK: %[[N:.*]] = npu.eltwise cast
// CHECK: npu.eltwise add(%{{.*}}, %[[N]])
// CHECK: return %[[Y]]
func.func @converted(%x: tensor<1x16x8x8xf32>, %w: tensor<16x16x3x3xf32>, %r: tensor<1x16x8x8xui8>) -> tensor<1x16x8x8xf32> {
  %0 = npu.eltwise cast(%r) : (tensor<1x16x8x8xui8>) -> tensor<1x16x8x8xf32>
  %1 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [1, 1, 1, 1], strides = [1, 1]} : (tensor<1x16x8x8xf32>, tensor<16x16x3x3xf32>) -> tensor<1x16x8x8xf32>
  %2 = npu.eltwise add(%1, %0) : (tensor<1x16x8x8xf32>, tensor<1x16x8x8xf32>) -> tensor<1x16x8x8xf32>
  return %2 : tensor<1x16x8x8xf32>
}

// So is their factor; an offset would be another step of the kernel.
// CHECK-LABEL: @scaled
// CHECK-SAME: %[[X:[^:]*]]: {{.*}}, %[[W:[^:]*]]: {{.*}}, %[[R:[^:]*]]:
// CHECK-NEXT: %[[Y:.*]] = npu.fused(%[[X]], %[[W]], %[[R]])
// CHECK: npu.conv2d
// CHECK: %[[N:.*]] = npu.eltwise cast
// CHECK: %[[S:.*]] = npu.eltwise linear(%[[N]]) {alpha = 5.000000e-01 : f32}
// CHECK: npu.eltwise add(%{{.*}}, %[[S]])
// CHECK: return %[[Y]]
func.func @scaled(%x: tensor<1x16x8x8xf32>, %w: tensor<16x16x3x3xf32>, %r: tensor<1x16x8x8xui8>) -> tensor<1x16x8x8xf32> {
  %0 = npu.eltwise cast(%r) : (tensor<1x16x8x8xui8>) -> tensor<1x16x8x8xf32>
  %1 = npu.eltwise linear(%0) {alpha = 0.5 : f32} : (tensor<1x16x8x8xf32>) -> tensor<1x16x8x8xf32>
  %2 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [1, 1, 1, 1], strides = [1, 1]} : (tensor<1x16x8x8xf32>, tensor<16x16x3x3xf32>) -> tensor<1x16x8x8xf32>
  %3 = npu.eltwise add(%2, %1) : (tensor<1x16x8x8xf32>, tensor<1x16x8x8xf32>) -> tensor<1x16x8x8xf32>
  return %3 : tensor<1x16x8x8xf32>
}

// CHECK-LABEL: @shifted
// CHECK: npu.fused
// CHECK: npu.eltwise linear
// CHECK: npu.fused
// CHECK: npu.conv2d
// CHECK-NOT: npu.eltwise linear
func.func @shifted(%x: tensor<1x16x8x8xf32>, %w: tensor<16x16x3x3xf32>, %r: tensor<1x16x8x8xui8>) -> tensor<1x16x8x8xf32> {
  %0 = npu.eltwise cast(%r) : (tensor<1x16x8x8xui8>) -> tensor<1x16x8x8xf32>
  %1 = npu.eltwise linear(%0) {alpha = 0.5 : f32, beta = 1.0 : f32} : (tensor<1x16x8x8xf32>) -> tensor<1x16x8x8xf32>
  %2 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [1, 1, 1, 1], strides = [1, 1]} : (tensor<1x16x8x8xf32>, tensor<16x16x3x3xf32>) -> tensor<1x16x8x8xf32>
  %3 = npu.eltwise add(%2, %1) : (tensor<1x16x8x8xf32>, tensor<1x16x8x8xf32>) -> tensor<1x16x8x8xf32>
  return %3 : tensor<1x16x8x8xf32>
}

// A value that is read outside ends the group; the rest forms its own.
// CHECK-LABEL: @read_outside
// CHECK-NEXT: %[[C:.*]] = npu.conv2d
// CHECK-NEXT: %[[F:.*]] = npu.fused(%[[C]])
// CHECK: npu.eltwise relu
// CHECK-NEXT: npu.eltwise sigmoid
// CHECK: return %[[C]], %[[F]]
func.func @read_outside(%x: tensor<1x16x8x8xf32>, %w: tensor<16x16x1x1xf32>) -> (tensor<1x16x8x8xf32>, tensor<1x16x8x8xf32>) {
  %0 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x16x8x8xf32>, tensor<16x16x1x1xf32>) -> tensor<1x16x8x8xf32>
  %1 = npu.eltwise relu(%0) : (tensor<1x16x8x8xf32>) -> tensor<1x16x8x8xf32>
  %2 = npu.eltwise sigmoid(%1) : (tensor<1x16x8x8xf32>) -> tensor<1x16x8x8xf32>
  return %0, %2 : tensor<1x16x8x8xf32>, tensor<1x16x8x8xf32>
}

// What a group reads must not depend on what it computes: the gate reads the
// convolution, so the product stays outside.
// CHECK-LABEL: @gate
// CHECK-NEXT: npu.conv2d
// CHECK-NEXT: npu.reduce
// CHECK-NEXT: npu.eltwise mul
func.func @gate(%x: tensor<1x16x8x8xf32>, %w: tensor<16x16x1x1xf32>) -> tensor<1x16x8x8xf32> {
  %0 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x16x8x8xf32>, tensor<16x16x1x1xf32>) -> tensor<1x16x8x8xf32>
  %1 = npu.reduce(%0) {axes = [2, 3], keep_dims = true, kind = #npu.reduce_kind<mean>} : (tensor<1x16x8x8xf32>) -> tensor<1x16x1x1xf32>
  %2 = npu.eltwise mul(%0, %1) : (tensor<1x16x8x8xf32>, tensor<1x16x1x1xf32>) -> tensor<1x16x8x8xf32>
  return %2 : tensor<1x16x8x8xf32>
}

// The library runs lines, not this diamond: on host the convolution stays
// alone, the diamond is a group without a root.
// CHECK-LABEL: @diamond
// CHECK-NEXT: npu.fused
// CHECK-NEXT: ^bb0
// CHECK-NEXT: npu.conv2d
// CHECK-NEXT: npu.eltwise tanh
// CHECK-NEXT: npu.eltwise mul
// CHECK-NEXT: npu.yield
// HOST-LABEL: @diamond
// HOST-NEXT: %[[C:.*]] = npu.conv2d
// HOST-NEXT: npu.fused(%[[C]])
// HOST-NEXT: ^bb0
// HOST-NEXT: npu.eltwise tanh
// HOST-NEXT: npu.eltwise mul
// HOST-NEXT: npu.yield
func.func @diamond(%x: tensor<1x16x8x8xf32>, %w: tensor<16x16x1x1xf32>) -> tensor<1x16x8x8xf32> {
  %0 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x16x8x8xf32>, tensor<16x16x1x1xf32>) -> tensor<1x16x8x8xf32>
  %1 = npu.eltwise tanh(%0) : (tensor<1x16x8x8xf32>) -> tensor<1x16x8x8xf32>
  %2 = npu.eltwise mul(%0, %1) : (tensor<1x16x8x8xf32>, tensor<1x16x8x8xf32>) -> tensor<1x16x8x8xf32>
  return %2 : tensor<1x16x8x8xf32>
}

// Elementwise producers of one shape join their reader, whichever side they
// are on; a broadcast one does not.
// CHECK-LABEL: @chain
// CHECK-SAME: %[[X:[^:]*]]: {{.*}}, %[[Y:[^:]*]]: {{.*}}, %[[Z:[^:]*]]:
// CHECK-NEXT: %[[G:.*]] = npu.eltwise sigmoid(%[[Z]])
// CHECK-NEXT: npu.fused(%[[X]], %[[Y]], %[[G]])
// CHECK-COUNT-4: npu.eltwise
// CHECK-NOT: npu.eltwise
// CHECK: npu.yield
func.func @chain(%x: tensor<2x8x4x4xf32>, %y: tensor<2x8x4x4xf32>, %z: tensor<2x8x1x1xf32>) -> tensor<2x8x4x4xf32> {
  %0 = npu.eltwise relu(%x) : (tensor<2x8x4x4xf32>) -> tensor<2x8x4x4xf32>
  %1 = npu.eltwise relu(%y) : (tensor<2x8x4x4xf32>) -> tensor<2x8x4x4xf32>
  %2 = npu.eltwise add(%0, %1) : (tensor<2x8x4x4xf32>, tensor<2x8x4x4xf32>) -> tensor<2x8x4x4xf32>
  %3 = npu.eltwise sigmoid(%z) : (tensor<2x8x1x1xf32>) -> tensor<2x8x1x1xf32>
  %4 = npu.eltwise mul(%2, %3) : (tensor<2x8x4x4xf32>, tensor<2x8x1x1xf32>) -> tensor<2x8x4x4xf32>
  return %4 : tensor<2x8x4x4xf32>
}

// Matrix products take a bias over their columns.
// CHECK-LABEL: @matmul
// CHECK-NEXT: npu.fused
// CHECK-NEXT: ^bb0
// CHECK-NEXT: npu.matmul
// CHECK-NEXT: npu.eltwise add
// CHECK-NEXT: npu.eltwise relu
func.func @matmul(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>, %b: tensor<16xf32>) -> tensor<4x16xf32> {
  %0 = npu.matmul(%x, %w) : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  %1 = npu.eltwise add(%0, %b) : (tensor<4x16xf32>, tensor<16xf32>) -> tensor<4x16xf32>
  %2 = npu.eltwise relu(%1) : (tensor<4x16xf32>) -> tensor<4x16xf32>
  return %2 : tensor<4x16xf32>
}

// Locations name all nodes.
// RUN: npu-opt %s --npu-fuse -mlir-print-debuginfo | FileCheck %s --check-prefix=LOC
// LOC-DAG: #[[FIRST:.*]] = loc("first")
// LOC-DAG: #[[SECOND:.*]] = loc("second")
// LOC: loc(fused[#[[FIRST]], #[[SECOND]]])
func.func @locations(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = npu.eltwise relu(%x) : (tensor<4xf32>) -> tensor<4xf32> loc("first")
  %1 = npu.eltwise tanh(%0) : (tensor<4xf32>) -> tensor<4xf32> loc("second")
  return %1 : tensor<4xf32>
}

// Sums are scaled in integers and stored as bytes; the residual is read as
// bytes, with its own scale.
// CHECK-LABEL: @integers
// CHECK-SAME: %[[X:[^:]*]]: {{.*}}, %[[R:[^:]*]]:
// CHECK-NOT: npu.eltwise
// CHECK: %[[Y:.*]] = npu.fused(%[[X]], {{.*}}%[[R]]{{.*}}tensor<1x16x8x8xi8>
// CHECK: npu.conv2d
// CHECK-COUNT-9: npu.eltwise
// CHECK-NEXT: npu.yield
// CHECK: return %[[Y]]
func.func @integers(%x: tensor<1x16x8x8xi8>, %r: tensor<1x16x8x8xi8>) -> tensor<1x16x8x8xi8> {
  %w = npu.constant dense<3> : tensor<16x16x3x3xi8> -> tensor<16x16x3x3xi8>
  %m = npu.constant dense<1518500250> : tensor<16x1x1xi32> -> tensor<16x1x1xi32>
  %s = npu.constant dense<40> : tensor<16x1x1xi32> -> tensor<16x1x1xi32>
  %n = npu.constant dense<1073741824> : tensor<i32> -> tensor<i32>
  %t = npu.constant dense<31> : tensor<i32> -> tensor<i32>
  %z = npu.constant dense<-5> : tensor<i32> -> tensor<i32>
  %0 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [1, 1, 1, 1], strides = [1, 1]} : (tensor<1x16x8x8xi8>, tensor<16x16x3x3xi8>) -> tensor<1x16x8x8xi32>
  %1 = npu.eltwise mul_shift(%0, %m, %s) {alpha = 1.0 : f32} : (tensor<1x16x8x8xi32>, tensor<16x1x1xi32>, tensor<16x1x1xi32>) -> tensor<1x16x8x8xi32>
  %2 = npu.eltwise cast(%r) : (tensor<1x16x8x8xi8>) -> tensor<1x16x8x8xi32>
  %3 = npu.eltwise sub(%2, %z) : (tensor<1x16x8x8xi32>, tensor<i32>) -> tensor<1x16x8x8xi32>
  %4 = npu.eltwise mul_shift(%3, %n, %t) : (tensor<1x16x8x8xi32>, tensor<i32>, tensor<i32>) -> tensor<1x16x8x8xi32>
  %5 = npu.eltwise add(%1, %4) : (tensor<1x16x8x8xi32>, tensor<1x16x8x8xi32>) -> tensor<1x16x8x8xi32>
  %6 = npu.eltwise mul_shift(%5, %n, %t) : (tensor<1x16x8x8xi32>, tensor<i32>, tensor<i32>) -> tensor<1x16x8x8xi32>
  %7 = npu.eltwise add(%6, %z) : (tensor<1x16x8x8xi32>, tensor<i32>) -> tensor<1x16x8x8xi32>
  %8 = npu.eltwise clip(%7) {alpha = -128.0 : f32, beta = 127.0 : f32} : (tensor<1x16x8x8xi32>) -> tensor<1x16x8x8xi32>
  %9 = npu.eltwise cast(%8) : (tensor<1x16x8x8xi32>) -> tensor<1x16x8x8xi8>
  return %9 : tensor<1x16x8x8xi8>
}
