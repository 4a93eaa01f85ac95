// RUN: npu-opt %s -split-input-file -verify-diagnostics
//
// Verifiers of layouts, constants and views: one case for each label, with what is wrong and the
// message. labels.test checks that none is missing.

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

// layout_c3
func.func @layout_c3(%x: tensor<2x3xf32, #npu.layout<ab>>) {
  // expected-error @+1 {{operand 0 is stored ab, which does not go with the result's ba}}
  %0 = npu.eltwise relu(%x) : (tensor<2x3xf32, #npu.layout<ab>>) -> tensor<2x3xf32, #npu.layout<ba>>
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

// reshape_c1
func.func @reshape_c1(%x: tensor<2xf32>) {
  // expected-error @+1 {{has more than 2^40 elements}}
  %0 = npu.reshape(%x) : (tensor<2xf32>) -> tensor<2000000x2000000xf32>
  return
}

// -----

// reshape_c2
func.func @reshape_c2(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{6 elements do not fit shape 5}}
  %0 = npu.reshape(%x) : (tensor<2x3xf32>) -> tensor<5xf32>
  return
}

// -----

// reshape_c3
func.func @reshape_c3(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{element types 'f32' and 'f16' differ}}
  %0 = npu.reshape(%x) : (tensor<2x3xf32>) -> tensor<6xf16>
  return
}

// -----

// broadcast_c1
func.func @broadcast_c1(%x: tensor<3xf32>) {
  // expected-error @+1 {{do not broadcast}}
  %0 = npu.broadcast(%x) : (tensor<3xf32>) -> tensor<2x4xf32>
  return
}

// -----

// broadcast_c2
func.func @broadcast_c2(%x: tensor<1xf32>) {
  // expected-error @+1 {{element types 'f32' and 'f16' differ}}
  %0 = npu.broadcast(%x) : (tensor<1xf32>) -> tensor<4xf16>
  return
}
