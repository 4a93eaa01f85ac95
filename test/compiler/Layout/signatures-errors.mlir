// RUN: npu-opt %s -split-input-file -verify-diagnostics --npu-verify-layout="target=%S/Inputs/signatures.yaml"

// Blocks from one entry of the target's demands, channels last from another.
func.func @crossed(%x: tensor<1x64x8x8xf32, #npu.layout<aBcd32b>>, %w: tensor<64x64x1x1xf32, #npu.layout<cdab>>) {
  // expected-error @+1 {{infeasible: of the demands of target 'signatures' on conv2d each accepts some of these layouts, none all of them: data aBcd32b, weight cdab, result acdb}}
  %0 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x64x8x8xf32, #npu.layout<aBcd32b>>, tensor<64x64x1x1xf32, #npu.layout<cdab>>) -> tensor<1x64x8x8xf32, #npu.layout<acdb>>
  return
}

// -----

// The weight, too, is the entry's.
func.func @other_weight(%x: tensor<1x64x8x8xf32, #npu.layout<acdb>>, %w: tensor<64x64x3x3xf32, #npu.layout<ABcd32b32a>>) {
  // expected-error @+1 {{infeasible: of the demands of target 'signatures' on conv2d each accepts some of these layouts, none all of them: data acdb, weight ABcd32b32a, result aBcd32b}}
  %0 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x64x8x8xf32, #npu.layout<acdb>>, tensor<64x64x3x3xf32, #npu.layout<ABcd32b32a>>) -> tensor<1x64x6x6xf32, #npu.layout<aBcd32b>>
  return
}

// -----

// A view's layouts are one entry's as well.
func.func @view(%x: tensor<2x3x4xf32, #npu.layout<abc>>) {
  // expected-error @+1 {{none all of them: input abc, result acb}}
  %0 = npu.transpose(%x) {permutation = [0, 2, 1]} : (tensor<2x3x4xf32, #npu.layout<abc>>) -> tensor<2x4x3xf32, #npu.layout<acb>>
  return
}

// -----

// What no entry lists is said as ever.
func.func @unlisted(%x: tensor<1x64x8x8xf32, #npu.layout<abcd>>, %w: tensor<64x64x1x1xf32, #npu.layout<cdab>>) {
  // expected-error @+1 {{infeasible: target 'signatures' demands NHWC (acdb) or NCHW32c (aBcd32b) for its data, found abcd}}
  %0 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x64x8x8xf32, #npu.layout<abcd>>, tensor<64x64x1x1xf32, #npu.layout<cdab>>) -> tensor<1x64x8x8xf32, #npu.layout<acdb>>
  return
}
