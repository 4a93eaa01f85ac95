// RUN: npu-opt %s -split-input-file -verify-diagnostics
//
// One case for each label of NPUQuantizeOps.cpp: the label, what is wrong, the message.

// quantize_c1
func.func @quantize_c1(%x: tensor<4xf16>, %s: tensor<f32>) {
  // expected-error @+1 {{found real numbers or scales of 'f16', expected f32}}
  %0 = npu.quantize(%x, %s) : (tensor<4xf16>, tensor<f32>) -> tensor<4xi8>
  return
}

// -----

// quantize_c1
func.func @quantize_c1(%x: tensor<4xf32>, %s: tensor<f32>) {
  // expected-error @+1 {{found quantized numbers or zero points of 'f32', expected integers}}
  %0 = npu.quantize(%x, %s) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

// quantize_c1
func.func @quantize_c1(%x: tensor<4xf32>, %s: tensor<f32>) {
  // expected-error @+1 {{found quantized numbers or zero points of 'i1', expected integers}}
  %0 = npu.quantize(%x, %s) : (tensor<4xf32>, tensor<f32>) -> tensor<4xi1>
  return
}

// -----

// quantize_c2
func.func @quantize_c2(%x: tensor<4xf32>, %s: tensor<3xf32>) {
  // expected-error @+1 {{do not broadcast}}
  %0 = npu.quantize(%x, %s) : (tensor<4xf32>, tensor<3xf32>) -> tensor<4xi8>
  return
}

// -----

// quantize_c3
func.func @quantize_c3(%x: tensor<4xf32>, %s: tensor<f32>) {
  // expected-error @+1 {{rounds half_up, expected half_even or half_away}}
  %0 = npu.quantize(%x, %s) {rounding = #npu.rounding<half_up>} : (tensor<4xf32>, tensor<f32>) -> tensor<4xi8>
  return
}

// -----

// dequantize_c1
func.func @dequantize_c1(%x: tensor<4xi8>, %s: tensor<f32>) {
  // expected-error @+1 {{found quantized numbers or zero points of 'f32', expected integers}}
  %0 = npu.dequantize(%x, %s, %s) : (tensor<4xi8>, tensor<f32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

// dequantize_c2
func.func @dequantize_c2(%x: tensor<4xi8>, %s: tensor<f32>) {
  // expected-error @+1 {{result shape is}}
  %0 = npu.dequantize(%x, %s) : (tensor<4xi8>, tensor<f32>) -> tensor<5xf32>
  return
}

// -----

// requantize_c1
func.func @requantize_c1(%x: tensor<4xi32>) {
  // expected-error @+1 {{makes 'f32' of 'i32', expected integers}}
  %0 = npu.requantize(%x) {high = 127 : i64, low = -128 : i64} : (tensor<4xi32>) -> tensor<4xf32>
  return
}

// -----

// requantize_c2
func.func @requantize_c2(%x: tensor<4xi32>, %s: tensor<i32>) {
  // expected-error @+1 {{has 1 operands to scale by, expected a multiplier and a shift, or none}}
  %0 = npu.requantize(%x, %s) {high = 127 : i64, low = -128 : i64} : (tensor<4xi32>, tensor<i32>) -> tensor<4xi8>
  return
}

// -----

// requantize_c3
func.func @requantize_c3(%x: tensor<4xi64>, %s: tensor<i32>) {
  // expected-error @+1 {{scales by 'i32', expected 'i64'}}
  %0 = npu.requantize(%x, %s, %s) {high = 127 : i64, low = -128 : i64} : (tensor<4xi64>, tensor<i32>, tensor<i32>) -> tensor<4xi8>
  return
}

// -----

// requantize_c4
func.func @requantize_c4(%x: tensor<4xi32>, %s: tensor<3xi32>) {
  // expected-error @+1 {{do not broadcast}}
  %0 = npu.requantize(%x, %s, %s) {high = 127 : i64, low = -128 : i64} : (tensor<4xi32>, tensor<3xi32>, tensor<3xi32>) -> tensor<4xi8>
  return
}

// -----

// requantize_c5
func.func @requantize_c5(%x: tensor<4xi32>) {
  // expected-error @+1 {{has the empty range from 5 to -5}}
  %0 = npu.requantize(%x) {high = -5 : i64, low = 5 : i64} : (tensor<4xi32>) -> tensor<4xi8>
  return
}

// -----

// requantize_c6
func.func @requantize_c6(%x: tensor<4xi32>) {
  // expected-error @+1 {{rounds half_even, expected half_up or twice}}
  %0 = npu.requantize(%x) {high = 127 : i64, low = -128 : i64, rounding = #npu.rounding<half_even>} : (tensor<4xi32>) -> tensor<4xi8>
  return
}
