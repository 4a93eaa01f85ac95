// RUN: npu-opt %s --npu-fold-layout="target=%S/../Inputs/view-demands.yaml" --npu-verify-layout="target=%S/../Inputs/view-demands.yaml" | FileCheck %s

// Folding asked only computing ops what the target accepts: it ran the reshape
// in the order of %x, which saves a relayout and breaks the demand.
// CHECK: npu.relayout
// CHECK: npu.reshape({{.*}}) : (tensor<7x2x3x5xf32, #npu.layout<acdb>>) -> tensor<7x2x3x5xf32, #npu.layout<acdb>>
func.func @main(%x: tensor<7x2x3x5xf32, #npu.layout<bacd>>) -> tensor<7x2x3x5xf32, #npu.layout<bacd>> {
  %w = npu.constant dense<1.0> : tensor<2x2x1x1xf32> -> tensor<2x2x1x1xf32, #npu.layout<abcd>>
  %0 = npu.relayout(%x) : (tensor<7x2x3x5xf32, #npu.layout<bacd>>) -> tensor<7x2x3x5xf32, #npu.layout<acdb>>
  %1 = npu.reshape(%0) : (tensor<7x2x3x5xf32, #npu.layout<acdb>>) -> tensor<7x2x3x5xf32, #npu.layout<acdb>>
  %2 = npu.relayout(%1) : (tensor<7x2x3x5xf32, #npu.layout<acdb>>) -> tensor<7x2x3x5xf32, #npu.layout<bacd>>
  %3 = npu.conv2d(%2, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<7x2x3x5xf32, #npu.layout<bacd>>, tensor<2x2x1x1xf32, #npu.layout<abcd>>) -> tensor<7x2x3x5xf32, #npu.layout<bacd>>
  return %3 : tensor<7x2x3x5xf32, #npu.layout<bacd>>
}
