// RUN: npu-opt %s -split-input-file -verify-diagnostics
//
// One case for each label of NPUIndexVerifiers.cpp that verification-axes.mlir does not have: the
// label, what is wrong, the message.

// max_pool_indices_c1
func.func @max_pool_indices_c1(%x: tensor<1x4x8x8xf32>) {
  // expected-error @+1 {{element type 'i32', expected i64}}
  %0 = npu.max_pool_indices(%x) {column_major = false, dilations = [1, 1], kernel = [2, 2], pads = [0, 0, 0, 0], strides = [2, 2]} : (tensor<1x4x8x8xf32>) -> tensor<1x4x4x4xi32>
  return
}

// -----

// gather_elements_c1
func.func @gather_elements_c1(%x: tensor<4x8xf32>, %i: tensor<4x2xf32>) {
  // expected-error @+1 {{indices are 'f32', expected i32 or i64}}
  %0 = npu.gather_elements(%x, %i) {axis = 1 : i64} : (tensor<4x8xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}

// -----

// gather_elements_c2
func.func @gather_elements_c2(%x: tensor<4x8xf32>, %i: tensor<4x2xi64>) {
  // expected-error @+1 {{element types 'f32' and 'f16' differ}}
  %0 = npu.gather_elements(%x, %i) {axis = 1 : i64} : (tensor<4x8xf32>, tensor<4x2xi64>) -> tensor<4x2xf16>
  return
}

// -----

// gather_elements_c3
func.func @gather_elements_c3(%x: tensor<4x8xf32>, %i: tensor<5x2xi64>) {
  // expected-error @+1 {{indices 5x2 do not fit data 4x8}}
  %0 = npu.gather_elements(%x, %i) {axis = 1 : i64} : (tensor<4x8xf32>, tensor<5x2xi64>) -> tensor<5x2xf32>
  return
}

// -----

// gather_nd_c1
func.func @gather_nd_c1(%x: tensor<4x8xf32>, %i: tensor<4x1xui8>) {
  // expected-error @+1 {{indices are 'ui8', expected i32 or i64}}
  %0 = npu.gather_nd(%x, %i) : (tensor<4x8xf32>, tensor<4x1xui8>) -> tensor<4x8xf32>
  return
}

// -----

// gather_nd_c2
func.func @gather_nd_c2(%x: tensor<4x8xf32>, %i: tensor<4x1xi64>) {
  // expected-error @+1 {{element types 'f32' and 'i32' differ}}
  %0 = npu.gather_nd(%x, %i) : (tensor<4x8xf32>, tensor<4x1xi64>) -> tensor<4x8xi32>
  return
}

// -----

// gather_nd_c3
func.func @gather_nd_c3_depth(%x: tensor<4x8xf32>, %i: tensor<4x3xi64>) {
  // expected-error @+1 {{pick from 3 dimensions, expected 1 to 2}}
  %0 = npu.gather_nd(%x, %i) : (tensor<4x8xf32>, tensor<4x3xi64>) -> tensor<4xf32>
  return
}

// -----

// gather_nd_c3
func.func @gather_nd_c3_batch(%x: tensor<4x8xf32>, %i: tensor<3x1xi64>) {
  // expected-error @+1 {{differ in their 1 batch dimensions}}
  %0 = npu.gather_nd(%x, %i) {batch_dims = 1 : i64} : (tensor<4x8xf32>, tensor<3x1xi64>) -> tensor<3xf32>
  return
}

// -----

// gather_nd_c3
func.func @gather_nd_c3_many(%x: tensor<4x8xf32>, %i: tensor<4x1xi64>) {
  // expected-error @+1 {{2 batch dimensions, expected fewer}}
  %0 = npu.gather_nd(%x, %i) {batch_dims = 2 : i64} : (tensor<4x8xf32>, tensor<4x1xi64>) -> tensor<4xf32>
  return
}

// -----

// scatter_c1
func.func @scatter_c1(%x: tensor<4x8xf32>, %i: tensor<2x1xi1>, %u: tensor<2x8xf32>) {
  // expected-error @+1 {{indices are 'i1', expected i32 or i64}}
  %0 = npu.scatter_nd(%x, %i, %u) {reduction = #npu.scatter_reduction<none>} : (tensor<4x8xf32>, tensor<2x1xi1>, tensor<2x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// scatter_c2
func.func @scatter_c2(%x: tensor<4x8xf32>, %i: tensor<2x1xi64>, %u: tensor<2x8xf16>) {
  // expected-error @+1 {{element types 'f32' and 'f16' differ}}
  %0 = npu.scatter_nd(%x, %i, %u) {reduction = #npu.scatter_reduction<none>} : (tensor<4x8xf32>, tensor<2x1xi64>, tensor<2x8xf16>) -> tensor<4x8xf32>
  return
}

// -----

// scatter_c3
func.func @scatter_c3(%x: tensor<4x8xf32>, %i: tensor<2x1xi64>, %u: tensor<2x8xf32>) {
  // expected-error @+1 {{element types 'f32' and 'bf16' differ}}
  %0 = npu.scatter_nd(%x, %i, %u) {reduction = #npu.scatter_reduction<none>} : (tensor<4x8xf32>, tensor<2x1xi64>, tensor<2x8xf32>) -> tensor<4x8xbf16>
  return
}

// -----

// scatter_c4
func.func @scatter_c4(%x: tensor<4x8xf32>, %i: tensor<2x1xi64>, %u: tensor<2x1xf32>) {
  // expected-error @+1 {{axis 2 is outside of rank 2}}
  %0 = npu.scatter_elements(%x, %i, %u) {axis = 2 : i64, reduction = #npu.scatter_reduction<none>} : (tensor<4x8xf32>, tensor<2x1xi64>, tensor<2x1xf32>) -> tensor<4x8xf32>
  return
}

// -----

// scatter_c5
func.func @scatter_c5(%x: tensor<4x8xf32>, %i: tensor<2x1xi64>, %u: tensor<2x2xf32>) {
  // expected-error @+1 {{updates have shape 2x2, expected 2x1}}
  %0 = npu.scatter_elements(%x, %i, %u) {axis = 1 : i64, reduction = #npu.scatter_reduction<none>} : (tensor<4x8xf32>, tensor<2x1xi64>, tensor<2x2xf32>) -> tensor<4x8xf32>
  return
}

// -----

// scatter_c6
func.func @scatter_c6(%x: tensor<4x8xf32>, %i: tensor<2x1xi64>, %u: tensor<2x1xf32>) {
  // expected-error @+1 {{result shape is 4x7, expected 4x8}}
  %0 = npu.scatter_elements(%x, %i, %u) {axis = 1 : i64, reduction = #npu.scatter_reduction<none>} : (tensor<4x8xf32>, tensor<2x1xi64>, tensor<2x1xf32>) -> tensor<4x7xf32>
  return
}

// -----

// top_k_c1
func.func @top_k_c1(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{axis 2 is not a dimension of rank 2}}
  %0 = npu.top_k(%x) {axis = 2 : i64, largest = true} : (tensor<4x8xf32>) -> tensor<4x3xi64>
  return
}

// -----

// top_k_c2
func.func @top_k_c2(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{element type 'f32', expected i64}}
  %0 = npu.top_k(%x) {axis = 1 : i64, largest = true} : (tensor<4x8xf32>) -> tensor<4x3xf32>
  return
}

// -----

// top_k_c3
func.func @top_k_c3(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{result shape is 4x9, expected 4x8}}
  %0 = npu.top_k(%x) {axis = 1 : i64, largest = true} : (tensor<4x8xf32>) -> tensor<4x9xi64>
  return
}

// -----

// cumulate_c1
func.func @cumulate_c1(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{axis -1 is not a dimension of rank 2}}
  %0 = npu.cumulate(%x) {axis = -1 : i64, exclusive = false, kind = #npu.cumulate_kind<sum>, reverse = false} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// cumulate_c2
func.func @cumulate_c2(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{element types 'f32' and 'f16' differ}}
  %0 = npu.cumulate(%x) {axis = 1 : i64, exclusive = false, kind = #npu.cumulate_kind<sum>, reverse = false} : (tensor<4x8xf32>) -> tensor<4x8xf16>
  return
}

// -----

// cumulate_c3
func.func @cumulate_c3(%x: tensor<4x8xi1>) {
  // expected-error @+1 {{element type i1, expected numbers}}
  %0 = npu.cumulate(%x) {axis = 1 : i64, exclusive = false, kind = #npu.cumulate_kind<sum>, reverse = false} : (tensor<4x8xi1>) -> tensor<4x8xi1>
  return
}

// -----

// cumulate_c4
func.func @cumulate_c4(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{result shape is 4x7, expected 4x8}}
  %0 = npu.cumulate(%x) {axis = 1 : i64, exclusive = false, kind = #npu.cumulate_kind<sum>, reverse = false} : (tensor<4x8xf32>) -> tensor<4x7xf32>
  return
}
