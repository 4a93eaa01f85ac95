// RUN: npu-opt %s -split-input-file -verify-diagnostics
//
// One case for each label of npu.attention: the label, what is wrong, what the verifier says.

// attention_c1
func.func @attention_c1(%q: tensor<4x8x16xf32>, %k: tensor<3x8x16xf32>, %v: tensor<3x8x16xf32>) {
  // expected-error @+1 {{query, key and value of shapes 4x8x16, 3x8x16 and 3x8x16 do not fit one another: expected (..., H, M, D), (..., G, N, D) and (..., G, N, V), G dividing H}}
  %0 = npu.attention(%q, %k, %v) {scale = 1.0 : f64} : (tensor<4x8x16xf32>, tensor<3x8x16xf32>, tensor<3x8x16xf32>) -> tensor<4x8x16xf32>
  return
}

// -----

// attention_c1
func.func @another_depth(%q: tensor<4x8x16xf32>, %k: tensor<4x8x15xf32>) {
  // expected-error @+1 {{do not fit one another}}
  %0 = npu.attention(%q, %k, %k) {scale = 1.0 : f64} : (tensor<4x8x16xf32>, tensor<4x8x15xf32>, tensor<4x8x15xf32>) -> tensor<4x8x15xf32>
  return
}

// -----

// attention_c1
func.func @another_batch(%q: tensor<2x4x8x16xf32>, %k: tensor<1x4x8x16xf32>) {
  // expected-error @+1 {{do not fit one another}}
  %0 = npu.attention(%q, %k, %k) {scale = 1.0 : f64} : (tensor<2x4x8x16xf32>, tensor<1x4x8x16xf32>, tensor<1x4x8x16xf32>) -> tensor<2x4x8x16xf32>
  return
}

// -----

// attention_c1
func.func @another_result(%q: tensor<4x8x16xf32>) {
  // expected-error @+1 {{result shape is 4x8x15, expected 4x8x16}}
  %0 = npu.attention(%q, %q, %q) {scale = 1.0 : f64} : (tensor<4x8x16xf32>, tensor<4x8x16xf32>, tensor<4x8x16xf32>) -> tensor<4x8x15xf32>
  return
}

// -----

// attention_c2
func.func @attention_c2(%q: tensor<8x16xi32>) {
  // expected-error @+1 {{element type 'i32', expected a float type}}
  %0 = npu.attention(%q, %q, %q) {scale = 1.0 : f64} : (tensor<8x16xi32>, tensor<8x16xi32>, tensor<8x16xi32>) -> tensor<8x16xi32>
  return
}

// -----

// attention_c3
func.func @attention_c3(%q: tensor<8x16xf32>, %k: tensor<8x16xf16>) {
  // expected-error @+1 {{element types 'f16' and 'f32' differ}}
  %0 = npu.attention(%q, %k, %q) {scale = 1.0 : f64} : (tensor<8x16xf32>, tensor<8x16xf16>, tensor<8x16xf32>) -> tensor<8x16xf32>
  return
}

// -----

// attention_c4
func.func @attention_c4(%q: tensor<8x16xf32>) {
  // expected-error @+1 {{scale is INF and fill 0.000000e+00, expected a finite scale and numbers}}
  %0 = npu.attention(%q, %q, %q) {scale = 0x7FF0000000000000 : f64} : (tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
  return
}

// -----

// attention_c5
func.func @attention_c5(%q: tensor<8x16xf32>, %m: tensor<8x8xi32>) {
  // expected-error @+1 {{mask is 'i32', expected i1 or 'f32'}}
  %0 = npu.attention(%q, %q, %q, %m) {scale = 1.0 : f64} : (tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x8xi32>) -> tensor<8x16xf32>
  return
}

// -----

// attention_c6
func.func @attention_c6(%q: tensor<8x16xf32>, %m: tensor<1x8x8xf32>) {
  // expected-error @+1 {{mask of shape 1x8x8 does not broadcast to the scores' 8x8}}
  %0 = npu.attention(%q, %q, %q, %m) {scale = 1.0 : f64} : (tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<1x8x8xf32>) -> tensor<8x16xf32>
  return
}
