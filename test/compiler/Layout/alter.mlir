// RUN: npu-opt %s --npu-assign-layout="strategy=alter target=npu-nchw16c verify-exactly=true" -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: npu-opt %t.mlir --npu-peephole-layout="target=npu-nchw16c" | diff %t.mlir -
// RUN: npu-opt %s --npu-infer-layout --npu-find-best-layout="target=npu-nchw16c" --npu-alter-layout --npu-peephole-layout="target=npu-nchw16c" | FileCheck %s
// RUN: npu-opt %s --npu-assign-layout="strategy=alter target=npu-nhwc verify-exactly=true" | FileCheck %s --check-prefix=NHWC

// The published example: data - conv2d - add(bias) in NCHW ends as one relayout
// in, both ops in blocks, the bias as it lies in blocks, one relayout out.
// CHECK-LABEL: @conv_bias
// CHECK-SAME: %[[X:[^:]*]]: tensor<1x32x8x8xf32, #npu.layout<abcd>>
// CHECK: npu.constant {{.*}} -> tensor<32x1x1xf32, #npu.layout<abc>>
// CHECK: %[[IN:.*]] = npu.relayout(%[[X]])
// CHECK: %[[C:.*]] = npu.conv2d(%[[IN]], {{.*}} : (tensor<1x32x8x8xf32, #npu.layout<aBcd16b>>, tensor<32x32x3x3xf32, #npu.layout<Abcd16a>>) -> tensor<1x32x8x8xf32, #npu.layout<aBcd16b>>
// CHECK: %[[A:.*]] = npu.eltwise add(%[[C]], {{.*}} -> tensor<1x32x8x8xf32, #npu.layout<aBcd16b>>
// CHECK: %[[OUT:.*]] = npu.relayout(%[[A]]) : {{.*}} -> tensor<1x32x8x8xf32, #npu.layout<abcd>>
// CHECK: return %[[OUT]]
// NHWC-LABEL: @conv_bias
// NHWC: npu.relayout
// NHWC-NOT: npu.relayout
// NHWC: npu.conv2d({{.*}} -> tensor<1x32x8x8xf32, #npu.layout<acdb>>
// NHWC: npu.relayout
// NHWC-NOT: npu.relayout
// NHWC: return
func.func @conv_bias(%data: tensor<1x32x8x8xf32>) -> tensor<1x32x8x8xf32> {
  %w = npu.constant dense<1.0> : tensor<32x32x3x3xf32> -> tensor<32x32x3x3xf32>
  %b = npu.constant dense<1.0> : tensor<32x1x1xf32> -> tensor<32x1x1xf32>
  %0 = npu.conv2d(%data, %w) {dilations = [1, 1], groups = 1, pads = [1, 1, 1, 1], strides = [1, 1]} : (tensor<1x32x8x8xf32>, tensor<32x32x3x3xf32>) -> tensor<1x32x8x8xf32>
  %1 = npu.eltwise add(%0, %b) : (tensor<1x32x8x8xf32>, tensor<32x1x1xf32>) -> tensor<1x32x8x8xf32>
  return %1 : tensor<1x32x8x8xf32>
}

// Several ops between two convolutions, a residual around one, and a pooling
// that reads what two others read.
// CHECK-LABEL: @residual
// CHECK-COUNT-2: npu.relayout
// CHECK-NOT: npu.relayout
// CHECK: return
func.func @residual(%x: tensor<1x16x8x8xf32>) -> (tensor<1x16x4x4xf32>) {
  %w = npu.constant dense<1.0> : tensor<16x16x3x3xf32> -> tensor<16x16x3x3xf32>
  %0 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [1, 1, 1, 1], strides = [1, 1]} : (tensor<1x16x8x8xf32>, tensor<16x16x3x3xf32>) -> tensor<1x16x8x8xf32>
  %1 = npu.eltwise relu(%0) : (tensor<1x16x8x8xf32>) -> tensor<1x16x8x8xf32>
  %2 = npu.eltwise tanh(%1) : (tensor<1x16x8x8xf32>) -> tensor<1x16x8x8xf32>
  %3 = npu.conv2d(%2, %w) {dilations = [1, 1], groups = 1, pads = [1, 1, 1, 1], strides = [1, 1]} : (tensor<1x16x8x8xf32>, tensor<16x16x3x3xf32>) -> tensor<1x16x8x8xf32>
  %4 = npu.eltwise add(%3, %1) : (tensor<1x16x8x8xf32>, tensor<1x16x8x8xf32>) -> tensor<1x16x8x8xf32>
  %5 = npu.max_pool(%4) {dilations = [1, 1], kernel = [2, 2], pads = [0, 0, 0, 0], strides = [2, 2]} : (tensor<1x16x8x8xf32>) -> tensor<1x16x4x4xf32>
  return %5 : tensor<1x16x4x4xf32>
}

// A model in channels-last order is inferred as such, and stays so.
// NHWC-LABEL: @keras
// NHWC-NOT: npu.relayout
// NHWC: return
func.func @keras(%x: tensor<2x6x6x16xf32>) -> tensor<2x6x6x16xf32> {
  %w = npu.constant dense<1.0> : tensor<16x16x1x1xf32> -> tensor<16x16x1x1xf32>
  %0 = npu.transpose(%x) {permutation = [0, 3, 1, 2]} : (tensor<2x6x6x16xf32>) -> tensor<2x16x6x6xf32>
  %1 = npu.conv2d(%0, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<2x16x6x6xf32>, tensor<16x16x1x1xf32>) -> tensor<2x16x6x6xf32>
  %2 = npu.transpose(%1) {permutation = [0, 2, 3, 1]} : (tensor<2x16x6x6xf32>) -> tensor<2x6x6x16xf32>
  return %2 : tensor<2x6x6x16xf32>
}
