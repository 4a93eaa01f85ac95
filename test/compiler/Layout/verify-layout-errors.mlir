// RUN: npu-opt %s -split-input-file -verify-diagnostics --npu-verify-layout="target=npu-nhwc"
// RUN: not npu-opt %s -split-input-file --npu-verify-layout="target=%S/Inputs/bf16-only.yaml" 2>&1 | FileCheck %s
// CHECK: target 'bf16-only' has no element type 'f32'

func.func @data(%x: tensor<1x4x8x8xf32, #npu.layout<abcd>>, %w: tensor<4x4x1x1xf32, #npu.layout<cdab>>) {
  // expected-error @+1 {{infeasible: target 'npu-nhwc' demands NHWC (acdb) for its data, found abcd}}
  %y = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x4x8x8xf32, #npu.layout<abcd>>, tensor<4x4x1x1xf32, #npu.layout<cdab>>) -> tensor<1x4x8x8xf32, #npu.layout<abcd>>
  return
}

// -----

func.func @weight(%x: tensor<1x4x8x8xf32, #npu.layout<acdb>>, %w: tensor<4x4x1x1xf32, #npu.layout<cdba>>) {
  // expected-error @+1 {{infeasible: target 'npu-nhwc' demands HWOI (cdab) for its weight, found cdba}}
  %y = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x4x8x8xf32, #npu.layout<acdb>>, tensor<4x4x1x1xf32, #npu.layout<cdba>>) -> tensor<1x4x8x8xf32, #npu.layout<acdb>>
  return
}

// -----

// The pad's channel is known from the convolution behind it.
func.func @pad(%x: tensor<1x4x6x6xf32, #npu.layout<abcd>>, %w: tensor<4x4x1x1xf32, #npu.layout<cdab>>) {
  // expected-error @+1 {{infeasible: target 'npu-nhwc' demands NHWC (acdb) for its input, found abcd}}
  %0 = npu.pad(%x) {mode = #npu.pad_mode<constant>, pads = [0, 0, 1, 1, 0, 0, 1, 1]} : (tensor<1x4x6x6xf32, #npu.layout<abcd>>) -> tensor<1x4x8x8xf32, #npu.layout<abcd>>
  %1 = npu.relayout(%0) : (tensor<1x4x8x8xf32, #npu.layout<abcd>>) -> tensor<1x4x8x8xf32, #npu.layout<acdb>>
  %2 = npu.conv2d(%1, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x4x8x8xf32, #npu.layout<acdb>>, tensor<4x4x1x1xf32, #npu.layout<cdab>>) -> tensor<1x4x8x8xf32, #npu.layout<acdb>>
  return
}

// -----

// What the target says nothing of goes in and out in one order.
func.func @together(%x: tensor<2x3xf32, #npu.layout<ab>>) {
  // expected-error @+1 {{infeasible: operand 0 is stored ab, which does not go with the result's ba on target 'npu-nhwc'}}
  %0 = npu.eltwise relu(%x) : (tensor<2x3xf32, #npu.layout<ab>>) -> tensor<2x3xf32, #npu.layout<ba>>
  return
}

// -----

// A kernel takes no blocks that its target does not list, but for the two pieces
// that views have of a dimension; a view shows any.
func.func @blocks(%x: tensor<2x2x3x2x4xf32, #npu.layout<abced>>) {
  %0 = npu.reshape(%x) : (tensor<2x2x3x2x4xf32, #npu.layout<abced>>) -> tensor<2x12x4xf32, #npu.layout<aBc2b>>
  // expected-error @+1 {{infeasible: target 'npu-nhwc' has no blocks as in aBc2b}}
  %1 = npu.eltwise relu(%0) : (tensor<2x12x4xf32, #npu.layout<aBc2b>>) -> tensor<2x12x4xf32, #npu.layout<aBc2b>>
  return
}
