// RUN: npu-opt %s --npu-verify-layout="target=npu-nhwc" | FileCheck %s

// Where nothing tells which dimension is the channel, a demand does not apply.
// CHECK-LABEL: @no_image
func.func @no_image(%x: tensor<2x4x6x6xf32, #npu.layout<abcd>>) -> tensor<2x8x6x6xf32, #npu.layout<abcd>> {
  %0 = npu.concat(%x, %x) {axis = 1 : i64} : (tensor<2x4x6x6xf32, #npu.layout<abcd>>, tensor<2x4x6x6xf32, #npu.layout<abcd>>) -> tensor<2x8x6x6xf32, #npu.layout<abcd>>
  return %0 : tensor<2x8x6x6xf32, #npu.layout<abcd>>
}

// Unit dimensions may stand anywhere.
// CHECK-LABEL: @unit
func.func @unit(%x: tensor<1x8x1x1xf32, #npu.layout<abcd>>, %w: tensor<4x8x1x1xf32, #npu.layout<abcd>>) -> tensor<1x4x1x1xf32, #npu.layout<abcd>> {
  %0 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x8x1x1xf32, #npu.layout<abcd>>, tensor<4x8x1x1xf32, #npu.layout<abcd>>) -> tensor<1x4x1x1xf32, #npu.layout<abcd>>
  return %0 : tensor<1x4x1x1xf32, #npu.layout<abcd>>
}
