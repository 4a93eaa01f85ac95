// RUN: npu-opt %s -split-input-file -verify-diagnostics
//
// One case for each label of NPUChipVerifiers.cpp: the label, what is wrong, the message.

// conv_bpa_c1
func.func @conv_bpa_c1(%g: tensor<8x4xf32>, %w: tensor<8x4x3x3xf32>) {
  // expected-error @+1 {{data has rank 2, expected 3, 4 or 5}}
  %0 = npu.conv_bpa(%g, %w) {dilations = [1, 1], groups = 1, pads = [1, 1, 1, 1], strides = [2, 2]} : (tensor<8x4xf32>, tensor<8x4x3x3xf32>) -> tensor<1x4x8x8xf32>
  return
}

// -----

// conv_bpa_c2
func.func @conv_bpa_c2_strides(%g: tensor<1x8x4x4xf32>, %w: tensor<8x4x3x3xf32>) {
  // expected-error @+1 {{strides must be at least 1}}
  %0 = npu.conv_bpa(%g, %w) {dilations = [1, 1], groups = 1, pads = [1, 1, 1, 1], strides = [0, 2]} : (tensor<1x8x4x4xf32>, tensor<8x4x3x3xf32>) -> tensor<1x4x8x8xf32>
  return
}

// -----

// conv_bpa_c2
func.func @conv_bpa_c2_dilations(%g: tensor<1x8x4x4xf32>, %w: tensor<8x4x3x3xf32>) {
  // expected-error @+1 {{dilations has 1 entries, expected 2}}
  %0 = npu.conv_bpa(%g, %w) {dilations = [1], groups = 1, pads = [1, 1, 1, 1], strides = [2, 2]} : (tensor<1x8x4x4xf32>, tensor<8x4x3x3xf32>) -> tensor<1x4x8x8xf32>
  return
}

// -----

// conv_bpa_c2
func.func @conv_bpa_c2_pads(%g: tensor<1x8x4x4xf32>, %w: tensor<8x4x3x3xf32>) {
  // expected-error @+1 {{pads must be at least 0}}
  %0 = npu.conv_bpa(%g, %w) {dilations = [1, 1], groups = 1, pads = [1, 1, 1, -1], strides = [2, 2]} : (tensor<1x8x4x4xf32>, tensor<8x4x3x3xf32>) -> tensor<1x4x8x8xf32>
  return
}

// -----

// conv_bpa_c3
func.func @conv_bpa_c3(%g: tensor<1x8x4x4xf32>, %w: tensor<8x3x3x3xf32>) {
  // expected-error @+1 {{the weight 8x3x3x3 must have 4 input channels in each group}}
  %0 = npu.conv_bpa(%g, %w) {dilations = [1, 1], groups = 1, pads = [1, 1, 1, 1], strides = [2, 2]} : (tensor<1x8x4x4xf32>, tensor<8x3x3x3xf32>) -> tensor<1x4x8x8xf32>
  return
}

// -----

// conv_bpa_c4
func.func @conv_bpa_c4(%g: tensor<1x8x5x4xf32>, %w: tensor<8x4x3x3xf32>) {
  // expected-error @+1 {{the gradient has shape 1x8x5x4, expected 1x8x4x4}}
  %0 = npu.conv_bpa(%g, %w) {dilations = [1, 1], groups = 1, pads = [1, 1, 1, 1], strides = [2, 2]} : (tensor<1x8x5x4xf32>, tensor<8x4x3x3xf32>) -> tensor<1x4x8x8xf32>
  return
}

// -----

// conv_bpa_c5
func.func @conv_bpa_c5(%g: tensor<1x8x4x4xi1>, %w: tensor<8x4x3x3xi1>) {
  // expected-error @+1 {{element type i1, expected numbers}}
  %0 = npu.conv_bpa(%g, %w) {dilations = [1, 1], groups = 1, pads = [1, 1, 1, 1], strides = [2, 2]} : (tensor<1x8x4x4xi1>, tensor<8x4x3x3xi1>) -> tensor<1x4x8x8xi1>
  return
}

// -----

// conv_bpa_c6
func.func @conv_bpa_c6(%g: tensor<1x8x4x4xf32>, %w: tensor<8x4x3x3xf16>) {
  // expected-error @+1 {{gradient: element types 'f16' and 'f32' differ}}
  %0 = npu.conv_bpa(%g, %w) {dilations = [1, 1], groups = 1, pads = [1, 1, 1, 1], strides = [2, 2]} : (tensor<1x8x4x4xf32>, tensor<8x4x3x3xf16>) -> tensor<1x4x8x8xf32>
  return
}

// -----

// conv_bpw_c1
func.func @conv_bpw_c1(%x: tensor<4x8xf32>, %g: tensor<1x8x4x4xf32>) {
  // expected-error @+1 {{data has rank 2, expected 3, 4 or 5}}
  %0 = npu.conv_bpw(%x, %g) {dilations = [1, 1], groups = 1, pads = [1, 1, 1, 1], strides = [2, 2]} : (tensor<4x8xf32>, tensor<1x8x4x4xf32>) -> tensor<8x4x3x3xf32>
  return
}

// -----

// conv_bpw_c2
func.func @conv_bpw_c2(%x: tensor<1x4x8x8xf32>, %g: tensor<1x8x4x4xf32>) {
  // expected-error @+1 {{pads has 2 entries, expected 4}}
  %0 = npu.conv_bpw(%x, %g) {dilations = [1, 1], groups = 1, pads = [1, 1], strides = [2, 2]} : (tensor<1x4x8x8xf32>, tensor<1x8x4x4xf32>) -> tensor<8x4x3x3xf32>
  return
}

// -----

// conv_bpw_c3
func.func @conv_bpw_c3(%x: tensor<1x4x8x8xf32>, %g: tensor<1x8x4x4xf32>) {
  // expected-error @+1 {{groups = 3 must divide the 4 input channels}}
  %0 = npu.conv_bpw(%x, %g) {dilations = [1, 1], groups = 3, pads = [1, 1, 1, 1], strides = [2, 2]} : (tensor<1x4x8x8xf32>, tensor<1x8x4x4xf32>) -> tensor<8x4x3x3xf32>
  return
}

// -----

// conv_bpw_c4
func.func @conv_bpw_c4(%x: tensor<1x4x8x8xf32>, %g: tensor<1x8x4x5xf32>) {
  // expected-error @+1 {{the gradient has shape 1x8x4x5, expected 1x8x4x4}}
  %0 = npu.conv_bpw(%x, %g) {dilations = [1, 1], groups = 1, pads = [1, 1, 1, 1], strides = [2, 2]} : (tensor<1x4x8x8xf32>, tensor<1x8x4x5xf32>) -> tensor<8x4x3x3xf32>
  return
}

// -----

// conv_bpw_c5
func.func @conv_bpw_c5(%x: tensor<1x4x8x8xi1>, %g: tensor<1x8x4x4xi1>) {
  // expected-error @+1 {{element type i1, expected numbers}}
  %0 = npu.conv_bpw(%x, %g) {dilations = [1, 1], groups = 1, pads = [1, 1, 1, 1], strides = [2, 2]} : (tensor<1x4x8x8xi1>, tensor<1x8x4x4xi1>) -> tensor<8x4x3x3xi1>
  return
}

// -----

// conv_bpw_c6
func.func @conv_bpw_c6(%x: tensor<1x4x8x8xf32>, %g: tensor<1x8x4x4xf32>) {
  // expected-error @+1 {{gradient: element types 'f32' and 'f16' differ}}
  %0 = npu.conv_bpw(%x, %g) {dilations = [1, 1], groups = 1, pads = [1, 1, 1, 1], strides = [2, 2]} : (tensor<1x4x8x8xf32>, tensor<1x8x4x4xf32>) -> tensor<8x4x3x3xf16>
  return
}

// -----

// img2col_c1
func.func @img2col_c1(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{data has rank 2, expected 3, 4 or 5}}
  %0 = npu.img2col(%x) {dilations = [1, 1], kernel = [3, 3], pads = [1, 1, 1, 1], strides = [1, 1]} : (tensor<4x8xf32>) -> tensor<36x8xf32>
  return
}

// -----

// img2col_c2
func.func @img2col_c2(%x: tensor<1x4x8x8xf32>) {
  // expected-error @+1 {{a window of extent 11 does not fit the padded extent 10}}
  %0 = npu.img2col(%x) {dilations = [1, 1], kernel = [11, 3], pads = [1, 1, 1, 1], strides = [1, 1]} : (tensor<1x4x8x8xf32>) -> tensor<1x36x8x8xf32>
  return
}

// -----

// img2col_c3
func.func @img2col_c3(%x: tensor<1x4x8x8xf32>) {
  // expected-error @+1 {{result shape is 1x35x8x8, expected 1x36x8x8}}
  %0 = npu.img2col(%x) {dilations = [1, 1], kernel = [3, 3], pads = [1, 1, 1, 1], strides = [1, 1]} : (tensor<1x4x8x8xf32>) -> tensor<1x35x8x8xf32>
  return
}

// -----

// img2col_c4
func.func @img2col_c4(%x: tensor<1x4x8x8xf32>) {
  // expected-error @+1 {{img2col: element types 'f32' and 'f16' differ}}
  %0 = npu.img2col(%x) {dilations = [1, 1], kernel = [3, 3], pads = [1, 1, 1, 1], strides = [1, 1]} : (tensor<1x4x8x8xf32>) -> tensor<1x36x8x8xf16>
  return
}

// -----

// unpool_c1
func.func @unpool_c1(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{data has rank 2, expected 3, 4 or 5}}
  %0 = npu.unpool(%x) {kernel = [2, 2], mode = #npu.unpool_mode<zero>} : (tensor<4x8xf32>) -> tensor<4x16xf32>
  return
}

// -----

// unpool_c2
func.func @unpool_c2(%x: tensor<1x4x8x8xf32>) {
  // expected-error @+1 {{kernel must be at least 1}}
  %0 = npu.unpool(%x) {kernel = [2, 0], mode = #npu.unpool_mode<zero>} : (tensor<1x4x8x8xf32>) -> tensor<1x4x16x16xf32>
  return
}

// -----

// unpool_c3
func.func @unpool_c3(%x: tensor<1x4x8x8xf32>) {
  // expected-error @+1 {{result shape is 1x4x16x8, expected 1x4x16x16}}
  %0 = npu.unpool(%x) {kernel = [2, 2], mode = #npu.unpool_mode<zero>} : (tensor<1x4x8x8xf32>) -> tensor<1x4x16x8xf32>
  return
}

// -----

// unpool_c4
func.func @unpool_c4(%x: tensor<1x4x8x8xf32>) {
  // expected-error @+1 {{unpooling: element types 'f32' and 'f16' differ}}
  %0 = npu.unpool(%x) {kernel = [2, 2], mode = #npu.unpool_mode<zero>} : (tensor<1x4x8x8xf32>) -> tensor<1x4x16x16xf16>
  return
}

// -----

// maskunpool_c1
func.func @maskunpool_c1(%x: tensor<4x8xf32>, %i: tensor<4x8xi64>) {
  // expected-error @+1 {{data has rank 2, expected 3, 4 or 5}}
  %0 = npu.maskunpool(%x, %i) : (tensor<4x8xf32>, tensor<4x8xi64>) -> tensor<4x16xf32>
  return
}

// -----

// maskunpool_c2
func.func @maskunpool_c2(%x: tensor<1x4x8xf32>, %i: tensor<1x4x4xi64>) {
  // expected-error @+1 {{indices has shape 1x4x4, expected 1x4x8}}
  %0 = npu.maskunpool(%x, %i) : (tensor<1x4x8xf32>, tensor<1x4x4xi64>) -> tensor<1x4x16xf32>
  return
}

// -----

// maskunpool_c3
func.func @maskunpool_c3(%x: tensor<1x4x8xf32>, %i: tensor<1x4x8xf32>) {
  // expected-error @+1 {{indices of type 'f32', expected i64 or i32}}
  %0 = npu.maskunpool(%x, %i) : (tensor<1x4x8xf32>, tensor<1x4x8xf32>) -> tensor<1x4x16xf32>
  return
}

// -----

// maskunpool_c4
func.func @maskunpool_c4(%x: tensor<1x4x8xf32>, %i: tensor<1x4x8xi64>) {
  // expected-error @+1 {{result shape 1x5x16 does not keep batch and channels of 1x4x8}}
  %0 = npu.maskunpool(%x, %i) : (tensor<1x4x8xf32>, tensor<1x4x8xi64>) -> tensor<1x5x16xf32>
  return
}

// -----

// maskunpool_c5
func.func @maskunpool_c5(%x: tensor<1x4x8xf32>, %i: tensor<1x4x8xi64>) {
  // expected-error @+1 {{element types 'f32' and 'f16' differ}}
  %0 = npu.maskunpool(%x, %i) : (tensor<1x4x8xf32>, tensor<1x4x8xi64>) -> tensor<1x4x16xf16>
  return
}

// -----

// mirror_c1
func.func @mirror_c1(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{axis 2 is not a dimension of rank 2}}
  %0 = npu.mirror(%x) {axes = [2]} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// mirror_c2
func.func @mirror_c2(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{names axis 1 twice}}
  %0 = npu.mirror(%x) {axes = [1, 1]} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// mirror_c3
func.func @mirror_c3(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{the result has shape 8x4, expected 4x8}}
  %0 = npu.mirror(%x) {axes = [1]} : (tensor<4x8xf32>) -> tensor<8x4xf32>
  return
}

// -----

// mirror_c4
func.func @mirror_c4(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{mirroring: element types 'f32' and 'f16' differ}}
  %0 = npu.mirror(%x) {axes = [1]} : (tensor<4x8xf32>) -> tensor<4x8xf16>
  return
}

// -----

// rotate_c1
func.func @rotate_c1(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{axes has 1 entries, expected 2}}
  %0 = npu.rotate(%x) {axes = [0], turns = 1 : i64} : (tensor<4x8xf32>) -> tensor<8x4xf32>
  return
}

// -----

// rotate_c2
func.func @rotate_c2(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{axis -1 is not a dimension of rank 2}}
  %0 = npu.rotate(%x) {axes = [0, -1], turns = 1 : i64} : (tensor<4x8xf32>) -> tensor<8x4xf32>
  return
}

// -----

// rotate_c3
func.func @rotate_c3(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{names axis 1 twice}}
  %0 = npu.rotate(%x) {axes = [1, 1], turns = 1 : i64} : (tensor<4x8xf32>) -> tensor<8x4xf32>
  return
}

// -----

// rotate_c4
func.func @rotate_c4(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{turns is 4, expected 1, 2 or 3}}
  %0 = npu.rotate(%x) {axes = [0, 1], turns = 4 : i64} : (tensor<4x8xf32>) -> tensor<8x4xf32>
  return
}

// -----

// rotate_c5
func.func @rotate_c5(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{the result has shape 4x8, expected 8x4}}
  %0 = npu.rotate(%x) {axes = [0, 1], turns = 1 : i64} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// rotate_c6
func.func @rotate_c6(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{rotation: element types 'f32' and 'f16' differ}}
  %0 = npu.rotate(%x) {axes = [0, 1], turns = 1 : i64} : (tensor<4x8xf32>) -> tensor<8x4xf16>
  return
}

// -----

// tensornorm_c1
func.func @tensornorm_c1(%x: tensor<1x4x8xf32>, %s: tensor<4x1xf32>) {
  // expected-error @+1 {{normalises over no axis}}
  %0 = npu.tensornorm(%x, %s) {axes = [], epsilon = 1.0e-5 : f64} : (tensor<1x4x8xf32>, tensor<4x1xf32>) -> tensor<1x4x8xf32>
  return
}

// -----

// tensornorm_c2
func.func @tensornorm_c2(%x: tensor<1x4x8xf32>, %s: tensor<4x1xf32>) {
  // expected-error @+1 {{axis 3 is not a dimension of rank 3}}
  %0 = npu.tensornorm(%x, %s) {axes = [3], epsilon = 1.0e-5 : f64} : (tensor<1x4x8xf32>, tensor<4x1xf32>) -> tensor<1x4x8xf32>
  return
}

// -----

// tensornorm_c3
func.func @tensornorm_c3(%x: tensor<1x4x8xf32>, %s: tensor<4x1xf32>) {
  // expected-error @+1 {{names axis 1 twice}}
  %0 = npu.tensornorm(%x, %s) {axes = [1, 1], epsilon = 1.0e-5 : f64} : (tensor<1x4x8xf32>, tensor<4x1xf32>) -> tensor<1x4x8xf32>
  return
}

// -----

// tensornorm_c4
func.func @tensornorm_c4(%x: tensor<1x4x8xf32>, %s: tensor<4x1xf32>) {
  // expected-error @+1 {{groups = 3 does not divide the extent 4 of axis 1}}
  %0 = npu.tensornorm(%x, %s) {axes = [1, 2], epsilon = 1.0e-5 : f64, groups = 3 : i64} : (tensor<1x4x8xf32>, tensor<4x1xf32>) -> tensor<1x4x8xf32>
  return
}

// -----

// tensornorm_c5
func.func @tensornorm_c5(%x: tensor<1x4x8xf32>, %s: tensor<4x1xf32>) {
  // expected-error @+1 {{the result has shape 1x4x4, expected 1x4x8}}
  %0 = npu.tensornorm(%x, %s) {axes = [2], epsilon = 1.0e-5 : f64} : (tensor<1x4x8xf32>, tensor<4x1xf32>) -> tensor<1x4x4xf32>
  return
}

// -----

// tensornorm_c6
func.func @tensornorm_c6(%x: tensor<1x4x8xf32>, %s: tensor<3x1xf32>) {
  // expected-error @+1 {{scale or bias of shape 3x1 does not broadcast to 1x4x8}}
  %0 = npu.tensornorm(%x, %s) {axes = [2], epsilon = 1.0e-5 : f64} : (tensor<1x4x8xf32>, tensor<3x1xf32>) -> tensor<1x4x8xf32>
  return
}

// -----

// tensornorm_c7
func.func @tensornorm_c7(%x: tensor<1x4x8xf32>, %s: tensor<4x1xf32>) {
  // expected-error @+1 {{epsilon is nan, expected a finite number}}
  %0 = npu.tensornorm(%x, %s) {axes = [2], epsilon = 0x7FF8000000000000 : f64} : (tensor<1x4x8xf32>, tensor<4x1xf32>) -> tensor<1x4x8xf32>
  return
}

// -----

// tensornorm_c8
func.func @tensornorm_c8(%x: tensor<1x4x8xi32>, %s: tensor<4x1xi32>) {
  // expected-error @+1 {{element type 'i32', expected a float type}}
  %0 = npu.tensornorm(%x, %s) {axes = [2], epsilon = 1.0e-5 : f64} : (tensor<1x4x8xi32>, tensor<4x1xi32>) -> tensor<1x4x8xi32>
  return
}

// -----

// tensornorm_c9
func.func @tensornorm_c9(%x: tensor<1x4x8xf32>, %s: tensor<4x1xf16>) {
  // expected-error @+1 {{normalisation: element types 'f16' and 'f32' differ}}
  %0 = npu.tensornorm(%x, %s) {axes = [2], epsilon = 1.0e-5 : f64} : (tensor<1x4x8xf32>, tensor<4x1xf16>) -> tensor<1x4x8xf32>
  return
}

// -----

// tensornorm_c9
func.func @tensornorm_c9_rounded(%x: tensor<1x4x8xf32>, %s: tensor<4x1xf32>) -> tensor<1x4x8xf16> {
  %0 = npu.tensornorm(%x, %s) {axes = [2], epsilon = 1.0e-5 : f64} : (tensor<1x4x8xf32>, tensor<4x1xf32>) -> tensor<1x4x8xbf16>
  // expected-error @+1 {{normalisation: element types 'f32' and 'f16' differ}}
  %1 = npu.tensornorm(%x, %s) {axes = [2], epsilon = 1.0e-5 : f64} : (tensor<1x4x8xf32>, tensor<4x1xf32>) -> tensor<1x4x8xf16>
  return %1 : tensor<1x4x8xf16>
}
