// RUN: npu-opt %s -split-input-file -verify-diagnostics
//
// Verifiers of convolutions and pooling: one case for each label, with what is wrong and the
// message. labels.test checks that none is missing.

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
func.func @conv_c6(%x: tensor<1x4x8x8xi32>, %w: tensor<4x4x1x1xi32>) {
  // expected-error @+1 {{element type 'i32', expected a float type}}
  %0 = npu.conv2d(%x, %w) {dilations = [1, 1], groups = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x4x8x8xi32>, tensor<4x4x1x1xi32>) -> tensor<1x4x8x8xi32>
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
