// RUN: npu-opt %s -split-input-file -verify-diagnostics
//
// One case for each label of NPUVerifiers.cpp and LayoutUse.cpp: the label, what
// is wrong, the message.

// layout_c1
func.func @layout_c1(%x: tensor<4xf32>) {
  // expected-error @+1 {{encoding "row" is not an #npu.layout}}
  %0 = npu.eltwise relu(%x) : (tensor<4xf32>) -> tensor<4xf32, "row">
  return
}

// -----

// layout_c2
func.func @layout_c2(%x: tensor<4xf32>) {
  // expected-error @+1 {{layout ab is of rank 2, the tensor of rank 1}}
  %0 = npu.eltwise relu(%x) : (tensor<4xf32>) -> tensor<4xf32, #npu.layout<ab>>
  return
}

// -----

// constant_c1
func.func @constant_c1() {
  // expected-error @+1 {{do not fit the result}}
  %0 = npu.constant dense<1.0> : tensor<2xf32> -> tensor<3xf32>
  return
}

// -----

// constant_c2
func.func @constant_c2() {
  // expected-error @+1 {{has elements that are neither dense nor a resource}}
  %0 = npu.constant sparse<[[0]], [1.0]> : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

// relayout_c1
func.func @relayout_c1(%x: tensor<4xf32>) {
  // expected-error @+1 {{changes the shape from 4 to 5}}
  %0 = npu.relayout(%x) : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

// relayout_c2
func.func @relayout_c2(%x: tensor<4xf32>) {
  // expected-error @+1 {{element types 'f32' and 'f16' differ}}
  %0 = npu.relayout(%x) : (tensor<4xf32>) -> tensor<4xf16>
  return
}

// -----

// transpose_c1
func.func @transpose_c1(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{the permutation must name each of 0..1 once}}
  %0 = npu.transpose(%x) {permutation = [0, 0]} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return
}

// -----

// transpose_c2
func.func @transpose_c2(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{result shape is 2x3, expected 3x2}}
  %0 = npu.transpose(%x) {permutation = [1, 0]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

// transpose_c3
func.func @transpose_c3(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{element types 'f32' and 'f16' differ}}
  %0 = npu.transpose(%x) {permutation = [1, 0]} : (tensor<2x3xf32>) -> tensor<3x2xf16>
  return
}

// -----

// A value of the dialect has no more than 2^40 elements.
func.func @reshape_huge(%x: tensor<2xf32>) {
  // expected-error @+1 {{must be a tensor with at most 8 dimensions, all known, and at most 2^40 elements}}
  %0 = npu.reshape(%x) : (tensor<2xf32>) -> tensor<2000000x2000000xf32>
  return
}

// -----

// reshape_c1
func.func @reshape_c1(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{6 elements do not fit shape 5}}
  %0 = npu.reshape(%x) : (tensor<2x3xf32>) -> tensor<5xf32>
  return
}

// -----

// reshape_c2
func.func @reshape_c2(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{element types 'f32' and 'f16' differ}}
  %0 = npu.reshape(%x) : (tensor<2x3xf32>) -> tensor<6xf16>
  return
}

// -----

// eltwise_c1
func.func @eltwise_c1(%x: tensor<4xf32>) {
  // expected-error @+1 {{number 1000 is not an elementwise function}}
  %0 = "npu.eltwise"(%x) <{kind = 1000 : i32}> : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// eltwise_c2
func.func @eltwise_c2(%x: tensor<4xf32>) {
  // expected-error @+1 {{add takes 2 operands, found 1}}
  %0 = npu.eltwise add(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// eltwise_c3
func.func @eltwise_c3(%x: tensor<4xf32>, %y: tensor<3xf32>) {
  // expected-error @+1 {{do not broadcast}}
  %0 = npu.eltwise add(%x, %y) : (tensor<4xf32>, tensor<3xf32>) -> tensor<4xf32>
  return
}

// -----

// eltwise_c4
func.func @eltwise_c4(%x: tensor<4xf32>) {
  // expected-error @+1 {{less of f32 gives bool, not f32; use cast}}
  %0 = npu.eltwise less(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// eltwise_c4
func.func @eltwise_c4(%x: tensor<4xf32>, %y: tensor<4xf16>) {
  // expected-error @+1 {{less mixes f32 and f16; cast one of them}}
  %0 = npu.eltwise less(%x, %y) : (tensor<4xf32>, tensor<4xf16>) -> tensor<4xi1>
  return
}

// -----

// eltwise_c4
func.func @eltwise_c4(%x: tensor<4xf32>) {
  // expected-error @+1 {{select takes a bool first, not f32}}
  %0 = npu.eltwise select(%x, %x, %x) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// eltwise_c4
func.func @eltwise_c4(%x: tensor<4xf32>) {
  // expected-error @+1 {{logical_not has no meaning on f32}}
  %0 = npu.eltwise logical_not(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// eltwise_c4
func.func @eltwise_c4(%x: tensor<4xi32>) {
  // expected-error @+1 {{exp has no meaning on i32}}
  %0 = npu.eltwise exp(%x) : (tensor<4xi32>) -> tensor<4xi32>
  return
}

// -----

// eltwise_c4
func.func @eltwise_c4(%x: tensor<4xi32>) {
  // expected-error @+1 {{floor has no meaning on i32}}
  %0 = npu.eltwise floor(%x) : (tensor<4xi32>) -> tensor<4xi32>
  return
}

// -----

// eltwise_c4
func.func @eltwise_c4(%x: tensor<4xf32>) {
  // expected-error @+1 {{relu of f32 gives f32, not f16; use cast}}
  %0 = npu.eltwise relu(%x) : (tensor<4xf32>) -> tensor<4xf16>
  return
}

// -----

// eltwise_c4
func.func @eltwise_c4(%x: tensor<4xf32>) {
  // expected-error @+1 {{shift_left has no meaning on f32}}
  %0 = npu.eltwise shift_left(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// eltwise_c4
func.func @eltwise_c4(%x: tensor<4xf32>) {
  // expected-error @+1 {{bitcast of f32 cannot give f16, which has another width}}
  %0 = npu.eltwise bitcast(%x) : (tensor<4xf32>) -> tensor<4xf16>
  return
}

// -----

// eltwise_c5
func.func @eltwise_c5(%x: tensor<4xf32>) {
  // expected-error @+1 {{clips to an empty range}}
  %0 = npu.eltwise clip(%x) {alpha = 1.0 : f32, beta = 0.0 : f32} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// fused_c1
func.func @fused_c1(%x: tensor<4xf32>) {
  // expected-error @+1 {{body takes 2 arguments, the op has 1 operands}}
  %r = npu.fused(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    %0 = npu.eltwise add(%a, %b) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    npu.yield %0 : tensor<4xf32>
  }
  return
}

// -----

// fused_c2
func.func @fused_c2(%x: tensor<4xf32>) {
  // expected-error @+1 {{argument 0 is 'tensor<4xf16>', its operand 'tensor<4xf32>'}}
  %r = npu.fused(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf16>):
    %0 = npu.eltwise cast(%a) : (tensor<4xf16>) -> tensor<4xf32>
    npu.yield %0 : tensor<4xf32>
  }
  return
}

// -----

// fused_c2, fused_c7: two spellings of one storage are one, where a block holds
// all channels.
func.func @fused_spelled_alike(%x: tensor<1x16x4x4xf32, #npu.layout<aBcd16b>>) {
  %r = npu.fused(%x) : (tensor<1x16x4x4xf32, #npu.layout<aBcd16b>>) -> tensor<1x16x4x4xf32, #npu.layout<aBcd16b>> {
  ^bb0(%a: tensor<1x16x4x4xf32, #npu.layout<acdb>>):
    %0 = npu.eltwise exp(%a) : (tensor<1x16x4x4xf32, #npu.layout<acdb>>) -> tensor<1x16x4x4xf32, #npu.layout<acdb>>
    npu.yield %0 : tensor<1x16x4x4xf32, #npu.layout<acdb>>
  }
  return
}

// -----

// fused_c2: where it holds some, they are not.
func.func @fused_stored_otherwise(%x: tensor<1x32x4x4xf32, #npu.layout<aBcd16b>>) {
  // expected-error @+1 {{argument 0 is 'tensor<1x32x4x4xf32, #npu.layout<acdb>>', its operand}}
  %r = npu.fused(%x) : (tensor<1x32x4x4xf32, #npu.layout<aBcd16b>>) -> tensor<1x32x4x4xf32, #npu.layout<aBcd16b>> {
  ^bb0(%a: tensor<1x32x4x4xf32, #npu.layout<acdb>>):
    %0 = npu.eltwise exp(%a) : (tensor<1x32x4x4xf32, #npu.layout<acdb>>) -> tensor<1x32x4x4xf32, #npu.layout<acdb>>
    npu.yield %0 : tensor<1x32x4x4xf32, #npu.layout<acdb>>
  }
  return
}

// -----

// fused_c3
func.func @fused_c3(%x: tensor<4xf32>) {
  // expected-error @+1 {{has an empty body}}
  %r = npu.fused(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    npu.yield %a : tensor<4xf32>
  }
  return
}

// -----

// fused_c4
func.func @fused_c4(%x: tensor<4xf32>) {
  %r = npu.fused(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    // expected-error @+1 {{cannot be the root of npu.fused}}
    %0 = npu.reshape(%a) : (tensor<4xf32>) -> tensor<4xf32>
    npu.yield %0 : tensor<4xf32>
  }
  return
}

// -----

// fused_c5
func.func @fused_c5(%x: tensor<4xf32>) {
  %r = npu.fused(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %0 = npu.eltwise relu(%a) : (tensor<4xf32>) -> tensor<4xf32>
    // expected-error @+1 {{only elementwise ops may stand}}
    %1 = npu.softmax(%0) {axis = 0 : i64} : (tensor<4xf32>) -> tensor<4xf32>
    npu.yield %1 : tensor<4xf32>
  }
  return
}

// -----

// fused_c6
func.func @fused_c6(%x: tensor<4xf32>, %y: tensor<2x4xf32>) {
  %r = npu.fused(%x, %y) : (tensor<4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32> {
  ^bb0(%a: tensor<4xf32>, %b: tensor<2x4xf32>):
    // expected-error @+1 {{inside npu.fused has shape 4, the kernel's result 2x4}}
    %0 = npu.eltwise relu(%a) : (tensor<4xf32>) -> tensor<4xf32>
    %1 = npu.eltwise add(%0, %b) : (tensor<4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    npu.yield %1 : tensor<2x4xf32>
  }
  return
}

// -----

// fused_c7
func.func @fused_c7(%x: tensor<4xf32>) {
  // expected-error @+1 {{yields 'tensor<4xf16>', its result is 'tensor<4xf32>'}}
  %r = npu.fused(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %0 = npu.eltwise cast(%a) : (tensor<4xf32>) -> tensor<4xf16>
    npu.yield %0 : tensor<4xf16>
  }
  return
}

// -----

// fused_c8
func.func @fused_c8(%x: tensor<4xf32>) {
  // expected-error @+1 {{has a body that does not end in npu.yield}}
  %r = "npu.fused"(%x) ({
  ^bb0(%a: tensor<4xf32>):
    "func.return"() : () -> ()
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// fused_c9
func.func @fused_c9(%x: tensor<2x3xf32>, %y: tensor<3x2xf32>) {
  %r = npu.fused(%y, %x) : (tensor<3x2xf32>, tensor<2x3xf32>) -> tensor<2x2xf32> {
  ^bb0(%b: tensor<3x2xf32>, %a: tensor<2x3xf32>):
    // expected-error @+1 {{must read the first operands of npu.fused, in order}}
    %0 = npu.matmul(%a, %b) : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
    npu.yield %0 : tensor<2x2xf32>
  }
  return
}

// -----

// What the body has not got is found by the body's own checks.
func.func @fused_no_yield(%x: tensor<4xf32>) {
  // expected-error @+1 {{'npu.yield' op requires a single operand}}
  %r = npu.fused(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %0 = npu.eltwise relu(%a) : (tensor<4xf32>) -> tensor<4xf32>
  }
  return
}

// -----

// conv_c1
func.func @conv_c1(%x: tensor<4x8x8xf32>, %w: tensor<4x4x1x1xf32>) {
  // expected-error @+1 {{data has rank 3, expected 4}}
  %0 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<4x8x8xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x8x8xf32>
  return
}

// -----

// conv_c2
func.func @conv_c2(%x: tensor<1x4x8x8xf32>, %w: tensor<4x4x1xf32>) {
  // expected-error @+1 {{weight has rank 3, expected 4}}
  %0 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x4x8x8xf32>, tensor<4x4x1xf32>) -> tensor<1x4x8x8xf32>
  return
}

// -----

// conv_c3
func.func @conv_c3(%x: tensor<1x4x8x8xf32>, %w: tensor<4x4x1x1xf32>) {
  // expected-error @+1 {{strides must be at least 1 and at most 2^31, found 0}}
  %0 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [0, 1]} : (tensor<1x4x8x8xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x8x8xf32>
  return
}

// -----

// conv_c4
func.func @conv_c4(%x: tensor<1x4x8x8xf32>, %w: tensor<4x4x1x1xf32>) {
  // expected-error @+1 {{groups must be at least 1, found 0}}
  %0 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 0, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x4x8x8xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x8x8xf32>
  return
}

// -----

// conv_c5
func.func @conv_c5(%x: tensor<1x4x8x8xf32>, %w: tensor<4x4x1x1xf32>, %b: tensor<3xf32>) {
  // expected-error @+1 {{bias has shape 3, expected 4}}
  %0 = npu.conv2d(%x, %w, %b) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x4x8x8xf32>, tensor<4x4x1x1xf32>, tensor<3xf32>) -> tensor<1x4x8x8xf32>
  return
}

// -----

// conv_c6
func.func @conv_c6(%x: tensor<1x4x8x8xui8>, %w: tensor<4x4x1x1xi8>) {
  // expected-error @+1 {{zero point -1 does not fit data of 'ui8'}}
  %0 = npu.conv2d(%x, %w) {data_zero_point = -1, dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x4x8x8xui8>, tensor<4x4x1x1xi8>) -> tensor<1x4x8x8xi32>
  return
}

// -----

// conv_c6
func.func @conv_c6_float(%x: tensor<1x4x8x8xf32>, %w: tensor<4x4x1x1xf32>) {
  // expected-error @+1 {{zero point 1 does not fit data of 'f32'}}
  %0 = npu.conv2d(%x, %w) {data_zero_point = 1, dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x4x8x8xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x8x8xf32>
  return
}

// -----

// conv_c9
func.func @conv_c9_operand(%x: tensor<1x4x8x8xui8>, %w: tensor<4x4x1x1xf32>) {
  // expected-error @+1 {{operand 1 is 'f32', expected 8 bits like the other operand}}
  %0 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x4x8x8xui8>, tensor<4x4x1x1xf32>) -> tensor<1x4x8x8xi32>
  return
}

// -----

// conv_c9
func.func @conv_c9_bias(%x: tensor<1x4x8x8xui8>, %w: tensor<4x4x1x1xi8>, %b: tensor<4xf32>) {
  // expected-error @+1 {{operand 2 is 'f32', expected i32 like the result}}
  %0 = npu.conv2d(%x, %w, %b) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x4x8x8xui8>, tensor<4x4x1x1xi8>, tensor<4xf32>) -> tensor<1x4x8x8xi32>
  return
}

// -----

// conv_c9
func.func @conv_c9_result(%x: tensor<1x4x8x8xui8>, %w: tensor<4x4x1x1xi8>) {
  // expected-error @+1 {{element type 'i64', expected i32 from bytes}}
  %0 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x4x8x8xui8>, tensor<4x4x1x1xi8>) -> tensor<1x4x8x8xi64>
  return
}

// -----

// conv_c9
func.func @conv_c9_bool(%x: tensor<1x4x8x8xi1>, %w: tensor<4x4x1x1xi1>) {
  // expected-error @+1 {{element type i1, expected numbers}}
  %0 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x4x8x8xi1>, tensor<4x4x1x1xi1>) -> tensor<1x4x8x8xi1>
  return
}

// -----

// conv_c9
func.func @conv_c9_wide(%x: tensor<1x4x8x8xbf16>, %w: tensor<4x4x1x1xbf16>, %b: tensor<4xbf16>) {
  // expected-error @+1 {{adds 'bf16', expected f32 like the result}}
  %0 = npu.conv2d(%x, %w, %b) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x4x8x8xbf16>, tensor<4x4x1x1xbf16>, tensor<4xbf16>) -> tensor<1x4x8x8xf32>
  return
}

// -----

// conv_c7
func.func @conv_c7(%x: tensor<1x4x8x8xf32>, %w: tensor<4x4x1x1xf16>) {
  // expected-error @+1 {{element types 'f16' and 'f32' differ}}
  %0 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x4x8x8xf32>, tensor<4x4x1x1xf16>) -> tensor<1x4x8x8xf32>
  return
}

// -----

// conv_c8
func.func @conv_c8(%x: tensor<1x4x8x8xf32>, %w: tensor<4x4x1x1xf32>) {
  // expected-error @+1 {{result shape is 1x4x7x8, expected 1x4x8x8}}
  %0 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x4x8x8xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x7x8xf32>
  return
}

// -----

// conv_transpose_c1
func.func @conv_transpose_c1(%x: tensor<1x3x8x8xf32>, %w: tensor<4x4x1x1xf32>) {
  // expected-error @+1 {{must have 3 input channels}}
  %0 = npu.conv_transpose2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x3x8x8xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x8x8xf32>
  return
}

// -----

// conv_transpose_c2
func.func @conv_transpose_c2(%x: tensor<1x4x8x8xf32>, %w: tensor<4x4x1x1xf32>) {
  // expected-error @+1 {{result shape is 1x5x8x8, expected 1x4x8x8}}
  %0 = npu.conv_transpose2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x4x8x8xf32>, tensor<4x4x1x1xf32>) -> tensor<1x5x8x8xf32>
  return
}

// -----

// conv_transpose_c3
func.func @conv_transpose_c3(%x: tensor<1x4x8x8xf32>, %w: tensor<4x4x1x1xf32>) {
  // expected-error @+1 {{result extent 9 of dimension 2 is not in [8, 8]}}
  %0 = npu.conv_transpose2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x4x8x8xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x9x8xf32>
  return
}

// -----

// pool_c1
func.func @pool_c1(%x: tensor<4x4xf32>) {
  // expected-error @+1 {{data has rank 2, expected 3, 4 or 5}}
  %0 = npu.max_pool(%x) {dilations = [1, 1], kernel = [2, 2], pads = [0, 0, 0, 0], strides = [2, 2]} : (tensor<4x4xf32>) -> tensor<2x2xf32>
  return
}

// -----

// pool_c2
func.func @pool_c2(%x: tensor<1x4x8x8xf32>) {
  // expected-error @+1 {{kernel has 1 entries, expected 2}}
  %0 = npu.max_pool(%x) {dilations = [1, 1], kernel = [2], pads = [0, 0, 0, 0], strides = [2, 2]} : (tensor<1x4x8x8xf32>) -> tensor<1x4x4x4xf32>
  return
}

// -----

// pool_c3
func.func @pool_c3(%x: tensor<1x4x8x8xf32>) {
  // expected-error @+1 {{does not keep batch and channels of 1x4x8x8}}
  %0 = npu.max_pool(%x) {dilations = [1, 1], kernel = [2, 2], pads = [0, 0, 0, 0], strides = [2, 2]} : (tensor<1x4x8x8xf32>) -> tensor<1x5x4x4xf32>
  return
}

// -----

// pool_c4
func.func @pool_c4(%x: tensor<1x4x8x8xf32>) {
  // expected-error @+1 {{pads of spatial dimension 0 leave a window without data}}
  %0 = npu.max_pool(%x) {dilations = [1, 1], kernel = [2, 2], pads = [2, 0, 0, 0], strides = [2, 2]} : (tensor<1x4x8x8xf32>) -> tensor<1x4x5x4xf32>
  return
}

// -----

// pool_c5
func.func @pool_c5(%x: tensor<1x4x8x8xf32>) {
  // expected-error @+1 {{result extent 5 of spatial dimension 0 is not what 8 elements give}}
  %0 = npu.max_pool(%x) {dilations = [1, 1], kernel = [2, 2], pads = [0, 0, 0, 0], strides = [2, 2]} : (tensor<1x4x8x8xf32>) -> tensor<1x4x5x4xf32>
  return
}

// -----

// pool_c6
func.func @pool_c6(%x: tensor<1x4x8x8xf32>) {
  // expected-error @+1 {{element types 'f32' and 'f16' differ}}
  %0 = npu.max_pool(%x) {dilations = [1, 1], kernel = [2, 2], pads = [0, 0, 0, 0], strides = [2, 2]} : (tensor<1x4x8x8xf32>) -> tensor<1x4x4x4xf16>
  return
}

// -----

// avg_pool_c2
func.func @avg_pool_c2(%x: tensor<1x4x8x8xui8>) {
  // expected-error @+1 {{element type 'f16', expected f32 from bytes}}
  %0 = npu.avg_pool(%x) {dilations = [1, 1], kernel = [2, 2], pads = [0, 0, 0, 0], strides = [2, 2]} : (tensor<1x4x8x8xui8>) -> tensor<1x4x4x4xf16>
  return
}

// -----

// avg_pool_c1
func.func @avg_pool_c1(%x: tensor<1x4x8x8xi32>) {
  // expected-error @+1 {{element type 'i32', expected a float type}}
  %0 = npu.avg_pool(%x) {dilations = [1, 1], kernel = [2, 2], pads = [0, 0, 0, 0], strides = [2, 2]} : (tensor<1x4x8x8xi32>) -> tensor<1x4x4x4xi32>
  return
}

// -----

// pool_c2
func.func @huge_window(%x: tensor<1x4x8x8xf32>) {
  // expected-error @+1 {{kernel must be at least 1 and at most 2^31, found 4611686018427387904}}
  %0 = npu.max_pool(%x) {dilations = [4, 4], kernel = [4611686018427387904, 2], pads = [0, 0, 0, 0], strides = [2, 2]} : (tensor<1x4x8x8xf32>) -> tensor<1x4x4x4xf32>
  return
}
