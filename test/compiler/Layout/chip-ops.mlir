// RUN: npu-opt %s --npu-assign-layout="strategy=optimal target=npu-nhwc objective=count verify-exactly=true" | FileCheck %s
// RUN: npu-opt %s --npu-assign-layout="strategy=naive target=npu-nhwc verify-exactly=true" | FileCheck %s --check-prefix=NAIVE
// RUN: npu-opt %s --npu-assign-layout="strategy=auto-nhwc target=npu-nhwc verify-exactly=true" -o /dev/null
// RUN: npu-opt %s --npu-assign-layout="strategy=preset target=npu-nhwc verify-exactly=true" -o /dev/null
// RUN: npu-opt %s --npu-assign-layout="strategy=none target=npu-nchw verify-exactly=true" -o /dev/null
// RUN: npu-opt %s --npu-assign-layout="strategy=optimal target=npu-nchw16c objective=count verify-exactly=true" -o /dev/null
//
// The chip's own ops: channels last goes through all of them, so only the boundary is moved.

// A mirror and a rotation follow their data; the rotation changes extents, not the order.
// CHECK-LABEL: @flip
// CHECK: npu.relayout
// CHECK-NOT: npu.relayout
// CHECK: npu.mirror({{.*}}) {axes = [3]} : (tensor<1x4x8x6xf32, #npu.layout<acdb>>) -> tensor<1x4x8x6xf32, #npu.layout<acdb>>
// CHECK: npu.rotate({{.*}}) {axes = [2, 3], turns = 1 : i64} : (tensor<1x4x8x6xf32, #npu.layout<acdb>>) -> tensor<1x4x6x8xf32, #npu.layout<acdb>>
// CHECK: npu.conv2d
// CHECK: npu.relayout
// CHECK-NOT: npu.relayout
// CHECK: return
// NAIVE-LABEL: @flip
// NAIVE-COUNT-6: npu.relayout
// NAIVE-NOT: npu.relayout
// NAIVE: return
func.func @flip(%x: tensor<1x4x8x6xf32>) -> tensor<1x4x6x8xf32> {
  %w = npu.constant dense<1.0> : tensor<4x4x1x1xf32> -> tensor<4x4x1x1xf32>
  %0 = npu.mirror(%x) {axes = [3]} : (tensor<1x4x8x6xf32>) -> tensor<1x4x8x6xf32>
  %1 = npu.rotate(%0) {axes = [2, 3], turns = 1 : i64} : (tensor<1x4x8x6xf32>) -> tensor<1x4x6x8xf32>
  %2 = npu.conv2d(%1, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x4x6x8xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x6x8xf32>
  return %2 : tensor<1x4x6x8xf32>
}

// Without an image op nothing tells which dimension is the channel: no demand, no relayout.
// CHECK-LABEL: @plain
// CHECK-NOT: npu.relayout
// CHECK: return
func.func @plain(%x: tensor<2x4x8x6xf32>) -> tensor<2x4x6x8xf32> {
  %0 = npu.rotate(%x) {axes = [2, 3], turns = 3 : i64} : (tensor<2x4x8x6xf32>) -> tensor<2x4x6x8xf32>
  %1 = npu.mirror(%0) {axes = [1]} : (tensor<2x4x6x8xf32>) -> tensor<2x4x6x8xf32>
  return %1 : tensor<2x4x6x8xf32>
}

// Patches, unpooling and normalisation keep channels last; scale and bias are read through
// broadcasting and keep their own order.
// CHECK-LABEL: @encoder
// CHECK: npu.relayout
// CHECK-NOT: npu.relayout
// CHECK: npu.img2col({{.*}}) -> tensor<1x36x8x8xf32, #npu.layout<acdb>>
// CHECK: npu.tensornorm({{.*}}) {{.*}} -> tensor<1x36x8x8xf32, #npu.layout<acdb>>
// CHECK: npu.unpool({{.*}}) {{.*}} -> tensor<1x36x16x16xf32, #npu.layout<acdb>>
// CHECK: npu.relayout
// CHECK-NOT: npu.relayout
// CHECK: return
func.func @encoder(%x: tensor<1x4x8x8xf32>, %s: tensor<36x1x1xf32>) -> tensor<1x36x16x16xf32> {
  %0 = npu.img2col(%x) {dilations = [1, 1], kernel = [3, 3], pads = [1, 1, 1, 1], strides = [1, 1]} : (tensor<1x4x8x8xf32>) -> tensor<1x36x8x8xf32>
  %1 = npu.tensornorm(%0, %s, %s) {axes = [1, 2, 3], epsilon = 1.0e-5 : f64, groups = 4 : i64} : (tensor<1x36x8x8xf32>, tensor<36x1x1xf32>, tensor<36x1x1xf32>) -> tensor<1x36x8x8xf32>
  %2 = npu.unpool(%1) {kernel = [2, 2], mode = #npu.unpool_mode<nearest>} : (tensor<1x36x8x8xf32>) -> tensor<1x36x16x16xf32>
  return %2 : tensor<1x36x16x16xf32>
}

// The places of maxima are numbers: their tensor may lie in any order.
// CHECK-LABEL: @segment
// CHECK: npu.relayout
// CHECK-NOT: npu.relayout
// CHECK: npu.maskunpool({{.*}}) : (tensor<1x4x4x4xf32, #npu.layout<acdb>>, tensor<1x4x4x4xi64, #npu.layout<{{.*}}>>) -> tensor<1x4x8x8xf32, #npu.layout<acdb>>
// CHECK: npu.relayout
// CHECK-NOT: npu.relayout
// CHECK: return
func.func @segment(%x: tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32> {
  %0 = npu.max_pool(%x) {dilations = [1, 1], kernel = [2, 2], pads = [0, 0, 0, 0], strides = [2, 2]} : (tensor<1x4x8x8xf32>) -> tensor<1x4x4x4xf32>
  %1 = npu.max_pool_indices(%x) {column_major = false, dilations = [1, 1], kernel = [2, 2], pads = [0, 0, 0, 0], strides = [2, 2]} : (tensor<1x4x8x8xf32>) -> tensor<1x4x4x4xi64>
  %2 = npu.maskunpool(%0, %1) : (tensor<1x4x4x4xf32>, tensor<1x4x4x4xi64>) -> tensor<1x4x8x8xf32>
  return %2 : tensor<1x4x8x8xf32>
}

// A convolution's two gradients: activations channels last, both weights HWOI. The gradient by the
// result is moved once for both.
// CHECK-LABEL: @gradients
// CHECK: npu.conv_bpa({{.*}}) {{.*}} : (tensor<1x8x4x4xf32, #npu.layout<acdb>>, tensor<8x4x3x3xf32, #npu.layout<cdab>>) -> tensor<1x4x8x8xf32, #npu.layout<acdb>>
// CHECK: npu.conv_bpw({{.*}}) {{.*}} : (tensor<1x4x8x8xf32, #npu.layout<acdb>>, tensor<1x8x4x4xf32, #npu.layout<acdb>>) -> tensor<8x4x3x3xf32, #npu.layout<cdab>>
// CHECK: return
// NAIVE-LABEL: @gradients
// NAIVE: npu.conv_bpw({{.*}}) {{.*}} -> tensor<8x4x3x3xf32, #npu.layout<cdab>>
// NAIVE: return
func.func @gradients(%x: tensor<1x4x8x8xf32>, %w: tensor<8x4x3x3xf32>, %dy: tensor<1x8x4x4xf32>) -> (tensor<1x4x8x8xf32>, tensor<8x4x3x3xf32>) {
  %0 = npu.conv_bpa(%dy, %w) {dilations = [1, 1], groups = 1, pads = [1, 1, 1, 1], strides = [2, 2]} : (tensor<1x8x4x4xf32>, tensor<8x4x3x3xf32>) -> tensor<1x4x8x8xf32>
  %1 = npu.conv_bpw(%x, %dy) {dilations = [1, 1], groups = 1, pads = [1, 1, 1, 1], strides = [2, 2]} : (tensor<1x4x8x8xf32>, tensor<1x8x4x4xf32>) -> tensor<8x4x3x3xf32>
  return %0, %1 : tensor<1x4x8x8xf32>, tensor<8x4x3x3xf32>
}
