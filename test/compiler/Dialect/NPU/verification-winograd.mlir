// RUN: npu-opt %s -split-input-file -verify-diagnostics
//
// One case for each label of NPUVerifiers.cpp that speaks of Winograd's algorithm: the label, what
// is wrong, the message.

// constant_c3
func.func @constant_c3() {
  // expected-error @+1 {{has one of 'taps' and 'tile', expected both or none}}
  %0 = npu.constant {tile = 2 : i64} dense<1.0> : tensor<8x4x4x4xf32> -> tensor<8x4x4x4xf32>
  return
}

// -----

// constant_c4
func.func @constant_c4_shape() {
  // expected-error @+1 {{taps of 'tensor<8x4x3x3xf32>' with tile 4 do not give 'tensor<8x4x4x4xf32>'}}
  %0 = npu.constant {taps = dense<1.0> : tensor<8x4x3x3xf32>, tile = 4 : i64} dense<1.0> : tensor<8x4x4x4xf32> -> tensor<8x4x4x4xf32>
  return
}

// -----

// constant_c4
func.func @constant_c4_type() {
  // expected-error @+1 {{taps of 'tensor<8x4x3x3xf16>' with tile 2 do not give 'tensor<8x4x4x4xf32>'}}
  %0 = npu.constant {taps = dense<1.0> : tensor<8x4x3x3xf16>, tile = 2 : i64} dense<1.0> : tensor<8x4x4x4xf32> -> tensor<8x4x4x4xf32>
  return
}

// -----

// winograd_weight_c1
func.func @winograd_weight_c1_tile(%w: tensor<8x4x3x3xf32>) {
  // expected-error @+1 {{tile is 3, expected 2 or 4}}
  %0 = npu.winograd_weight(%w) {tile = 3 : i64} : (tensor<8x4x3x3xf32>) -> tensor<8x4x5x5xf32>
  return
}

// -----

// winograd_weight_c1
func.func @winograd_weight_c1_taps(%w: tensor<8x4x5x5xf32>) {
  // expected-error @+1 {{the weight is 8x4x5x5, expected four dimensions, the last two 3x3}}
  %0 = npu.winograd_weight(%w) {tile = 2 : i64} : (tensor<8x4x5x5xf32>) -> tensor<8x4x4x4xf32>
  return
}

// -----

// winograd_weight_c1
func.func @winograd_weight_c1_result(%w: tensor<8x4x3x3xf32>) {
  // expected-error @+1 {{result shape is 8x4x6x6, expected 8x4x4x4}}
  %0 = npu.winograd_weight(%w) {tile = 2 : i64} : (tensor<8x4x3x3xf32>) -> tensor<8x4x6x6xf32>
  return
}

// -----

// winograd_weight_c2
func.func @winograd_weight_c2(%w: tensor<8x4x3x3xi32>) {
  // expected-error @+1 {{element type 'i32', expected a float type}}
  %0 = npu.winograd_weight(%w) {tile = 2 : i64} : (tensor<8x4x3x3xi32>) -> tensor<8x4x4x4xi32>
  return
}

// -----

// winograd_weight_c3
func.func @winograd_weight_c3(%w: tensor<8x4x3x3xf16>) {
  // expected-error @+1 {{element types 'f16' and 'f32' differ}}
  %0 = npu.winograd_weight(%w) {tile = 2 : i64} : (tensor<8x4x3x3xf16>) -> tensor<8x4x4x4xf32>
  return
}

// -----

// conv_winograd_c1
func.func @conv_winograd_c1(%x: tensor<1x4x8x8xf32>, %u: tensor<8x4x4x4xf32>) {
  // expected-error @+1 {{pads has 2 entries, expected 4}}
  %0 = npu.conv2d_winograd(%x, %u) {pads = [1, 1], tile = 2 : i64} : (tensor<1x4x8x8xf32>, tensor<8x4x4x4xf32>) -> tensor<1x8x8x8xf32>
  return
}

// -----

// conv_winograd_c2
func.func @conv_winograd_c2_tile(%x: tensor<1x4x8x8xf32>, %u: tensor<8x4x4x4xf32>) {
  // expected-error @+1 {{tile is 6, expected 2 or 4}}
  %0 = npu.conv2d_winograd(%x, %u) {pads = [1, 1, 1, 1], tile = 6 : i64} : (tensor<1x4x8x8xf32>, tensor<8x4x4x4xf32>) -> tensor<1x8x8x8xf32>
  return
}

// -----

// conv_winograd_c2
func.func @conv_winograd_c2_weight(%x: tensor<1x4x8x8xf32>, %u: tensor<8x4x4x4xf32>) {
  // expected-error @+1 {{the weight is 8x4x4x4, expected four dimensions, the last two 6x6}}
  %0 = npu.conv2d_winograd(%x, %u) {pads = [1, 1, 1, 1], tile = 4 : i64} : (tensor<1x4x8x8xf32>, tensor<8x4x4x4xf32>) -> tensor<1x8x8x8xf32>
  return
}

// -----

// conv_winograd_c2
func.func @conv_winograd_c2_window(%x: tensor<1x4x2x8xf32>, %u: tensor<8x4x4x4xf32>) {
  // expected-error @+1 {{a window of extent 3 does not fit the padded extent 2 of spatial dimension 0}}
  %0 = npu.conv2d_winograd(%x, %u) {pads = [0, 0, 0, 0], tile = 2 : i64} : (tensor<1x4x2x8xf32>, tensor<8x4x4x4xf32>) -> tensor<1x8x1x6xf32>
  return
}

// -----

// conv_winograd_c2
func.func @conv_winograd_c2_result(%x: tensor<1x4x8x8xf32>, %u: tensor<8x4x4x4xf32>) {
  // expected-error @+1 {{result shape is 1x8x8x8, expected 1x8x6x6}}
  %0 = npu.conv2d_winograd(%x, %u) {pads = [0, 0, 0, 0], tile = 2 : i64} : (tensor<1x4x8x8xf32>, tensor<8x4x4x4xf32>) -> tensor<1x8x8x8xf32>
  return
}

// -----

// conv_winograd_c3
func.func @conv_winograd_c3(%x: tensor<1x4x8x8xf32>, %u: tensor<8x4x4x4xf32>, %b: tensor<4xf32>) {
  // expected-error @+1 {{bias has shape 4, expected 8}}
  %0 = npu.conv2d_winograd(%x, %u, %b) {pads = [1, 1, 1, 1], tile = 2 : i64} : (tensor<1x4x8x8xf32>, tensor<8x4x4x4xf32>, tensor<4xf32>) -> tensor<1x8x8x8xf32>
  return
}

// -----

// conv_winograd_c4
func.func @conv_winograd_c4(%x: tensor<1x4x8x8xi32>, %u: tensor<8x4x4x4xi32>) {
  // expected-error @+1 {{element type 'i32', expected a float type}}
  %0 = npu.conv2d_winograd(%x, %u) {pads = [1, 1, 1, 1], tile = 2 : i64} : (tensor<1x4x8x8xi32>, tensor<8x4x4x4xi32>) -> tensor<1x8x8x8xi32>
  return
}

// -----

// conv_winograd_c5
func.func @conv_winograd_c5(%x: tensor<1x4x8x8xf16>, %u: tensor<8x4x4x4xf32>) {
  // expected-error @+1 {{element types 'f16' and 'f32' differ}}
  %0 = npu.conv2d_winograd(%x, %u) {pads = [1, 1, 1, 1], tile = 2 : i64} : (tensor<1x4x8x8xf16>, tensor<8x4x4x4xf32>) -> tensor<1x8x8x8xf32>
  return
}
