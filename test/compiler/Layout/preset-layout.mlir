// RUN: npu-opt %s --npu-preset-layout="target=npu-nhwc verify-exactly=true" -o %t.once.mlir
// RUN: FileCheck %s < %t.once.mlir
// RUN: npu-opt %t.once.mlir --npu-preset-layout="target=npu-nhwc" | diff %t.once.mlir -

// The colours decide: this reshape's result is a plain tensor, its order never
// changes, so the source's order is restored before it.
// CHECK-LABEL: @tensor
// CHECK-NOT: npu.colour
// CHECK: npu.relayout
// CHECK: npu.conv2d
// CHECK: npu.relayout
// CHECK: npu.reshape{{.*}} -> tensor<2x8x36xf32, #npu.layout<abc>>
func.func @tensor(%x: tensor<2x8x6x6xf32> {npu.colour = "NCHW"}) -> tensor<2x8x36xf32> {
  %w = npu.constant {npu.colour = "OIHW"} dense<1.0> : tensor<8x8x1x1xf32> -> tensor<8x8x1x1xf32>
  %0 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, npu.colour = "NCHW", pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<2x8x6x6xf32>, tensor<8x8x1x1xf32>) -> tensor<2x8x6x6xf32>
  %1 = npu.reshape(%0) {npu.colour = "tensor"} : (tensor<2x8x6x6xf32>) -> tensor<2x8x36xf32>
  %2 = npu.eltwise relu(%1) {npu.colour = "tensor"} : (tensor<2x8x36xf32>) -> tensor<2x8x36xf32>
  return %2 : tensor<2x8x36xf32>
}

// This one's is an image, whose order passes through and is restored at the
// output.
// CHECK-LABEL: @image
// CHECK: npu.relayout
// CHECK: npu.conv2d
// CHECK-NOT: npu.relayout
// CHECK: npu.reshape{{.*}} -> tensor<2x8x36xf32, #npu.layout<acb>>
// CHECK: npu.eltwise relu
// CHECK: npu.relayout
func.func @image(%x: tensor<2x8x6x6xf32> {npu.colour = "NCHW"}) -> tensor<2x8x36xf32> {
  %w = npu.constant {npu.colour = "OIHW"} dense<1.0> : tensor<8x8x1x1xf32> -> tensor<8x8x1x1xf32>
  %0 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, npu.colour = "NCHW", pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<2x8x6x6xf32>, tensor<8x8x1x1xf32>) -> tensor<2x8x6x6xf32>
  %1 = npu.reshape(%0) {npu.colour = "NCW"} : (tensor<2x8x6x6xf32>) -> tensor<2x8x36xf32>
  %2 = npu.eltwise relu(%1) {npu.colour = "NCW"} : (tensor<2x8x36xf32>) -> tensor<2x8x36xf32>
  return %2 : tensor<2x8x36xf32>
}
