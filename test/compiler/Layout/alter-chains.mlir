// RUN: npu-opt %s --npu-assign-layout="strategy=alter target=npu-nhwc verify-exactly=true" | FileCheck %s
// RUN: npu-opt %s --npu-assign-layout="strategy=alter target=host verify-exactly=true" | FileCheck %s --check-prefix=HOST

// Relayouts meet in a residual chain: what a convolution reads channels last
// the sum may read, too. One relayout at each end.
// CHECK-LABEL: @residual
// CHECK: npu.eltwise relu
// CHECK-NEXT: npu.relayout
// CHECK-NOT: npu.relayout
// CHECK: npu.conv2d
// CHECK-NOT: npu.relayout
// CHECK: npu.conv2d
// CHECK-NOT: npu.relayout
// CHECK: npu.eltwise add
// CHECK-NEXT: npu.relayout
// CHECK-NEXT: return
func.func @residual(%x: tensor<1x8x12x12xf32>, %w: tensor<8x8x1x1xf32>) -> tensor<1x8x12x12xf32> {
  %0 = npu.eltwise relu(%x) : (tensor<1x8x12x12xf32>) -> tensor<1x8x12x12xf32>
  %1 = npu.conv2d(%0, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x8x12x12xf32>, tensor<8x8x1x1xf32>) -> tensor<1x8x12x12xf32>
  %2 = npu.eltwise relu(%1) : (tensor<1x8x12x12xf32>) -> tensor<1x8x12x12xf32>
  %3 = npu.eltwise add(%2, %0) : (tensor<1x8x12x12xf32>, tensor<1x8x12x12xf32>) -> tensor<1x8x12x12xf32>
  %4 = npu.eltwise relu(%3) : (tensor<1x8x12x12xf32>) -> tensor<1x8x12x12xf32>
  %5 = npu.conv2d(%4, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x8x12x12xf32>, tensor<8x8x1x1xf32>) -> tensor<1x8x12x12xf32>
  %6 = npu.eltwise relu(%5) : (tensor<1x8x12x12xf32>) -> tensor<1x8x12x12xf32>
  %7 = npu.eltwise add(%6, %4) : (tensor<1x8x12x12xf32>, tensor<1x8x12x12xf32>) -> tensor<1x8x12x12xf32>
  return %7 : tensor<1x8x12x12xf32>
}

// A pooling of which the target lists no orders passes channels last on, so
// that only the ends of a network of convolutions and poolings are relaid.
// HOST-LABEL: @pools
// HOST: npu.relayout
// HOST-NOT: npu.relayout
// HOST: npu.max_pool({{.*}} -> tensor<1x16x8x8xf32, #npu.layout<acdb>>
// HOST-NOT: npu.relayout
// HOST: npu.max_pool({{.*}} -> tensor<1x16x4x4xf32, #npu.layout<acdb>>
// HOST-NEXT: npu.relayout
// HOST-NEXT: return
func.func @pools(%x: tensor<1x16x16x16xf32>) -> tensor<1x16x4x4xf32> {
  %w = npu.constant dense<1.0> : tensor<16x16x1x1xf32> -> tensor<16x16x1x1xf32>
  %0 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x16x16x16xf32>, tensor<16x16x1x1xf32>) -> tensor<1x16x16x16xf32>
  %1 = npu.max_pool(%0) {dilations = [1, 1], kernel = [2, 2], pads = [0, 0, 0, 0], strides = [2, 2]} : (tensor<1x16x16x16xf32>) -> tensor<1x16x8x8xf32>
  %2 = npu.conv2d(%1, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x16x8x8xf32>, tensor<16x16x1x1xf32>) -> tensor<1x16x8x8xf32>
  %3 = npu.max_pool(%2) {dilations = [1, 1], kernel = [2, 2], pads = [0, 0, 0, 0], strides = [2, 2]} : (tensor<1x16x8x8xf32>) -> tensor<1x16x4x4xf32>
  return %3 : tensor<1x16x4x4xf32>
}
