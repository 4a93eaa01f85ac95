// RUN: npu-opt %s -split-input-file -verify-diagnostics
//
// One case for each label of NPUVerifiers.cpp that speaks of matrices and axes, and of gather and
// broadcast: the label, what
// is wrong, the message.

// matmul_c1
func.func @matmul_c1(%x: tensor<4xf32>, %y: tensor<4x4xf32>) {
  // expected-error @+1 {{operand of rank 1, expected at least 2}}
  %0 = npu.matmul(%x, %y) : (tensor<4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  return
}

// -----

// matmul_c2
func.func @matmul_c2(%x: tensor<2x3xf32>, %y: tensor<4x4xf32>) {
  // expected-error @+1 {{inner extents differ: 2x3 times 4x4}}
  %0 = npu.matmul(%x, %y) : (tensor<2x3xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

// matmul_c3
func.func @matmul_c3(%x: tensor<2x4xi32>, %y: tensor<4x4xi64>) {
  // expected-error @+1 {{element types 'i64' and 'i32' differ}}
  %0 = npu.matmul(%x, %y) : (tensor<2x4xi32>, tensor<4x4xi64>) -> tensor<2x4xi32>
  return
}

// -----

// matmul_c4
func.func @matmul_c4(%x: tensor<2x6xf32>, %y: tensor<1x6x8xi8>) {
  // expected-error @+1 {{packed operand of}}
  %0 = npu.matmul(%x, %y) {zero_point = 1 : i64} : (tensor<2x6xf32>, tensor<1x6x8xi8>) -> tensor<2x8xf32>
  return
}

// -----

// matmul_c5
func.func @matmul_c5(%x: tensor<2x6xf32>, %y: tensor<3x8xi8>) {
  // expected-error @+1 {{with bits 4}}
  %0 = npu.matmul(%x, %y) {bits = 4 : i64} : (tensor<2x6xf32>, tensor<3x8xi8>) -> tensor<2x8xf32>
  return
}

// -----

// matmul_c6
func.func @matmul_c6(%x: tensor<2x6xf32>, %y: tensor<2x8xui8>) {
  // expected-error @+1 {{expected 3 rows}}
  %0 = npu.matmul(%x, %y) {bits = 4 : i64} : (tensor<2x6xf32>, tensor<2x8xui8>) -> tensor<2x8xf32>
  return
}

// -----

// matmul_c7
func.func @matmul_c7(%x: tensor<2x6xf32>, %y: tensor<6x8xi8>) {
  // expected-error @+1 {{has 0 parameters for blocks of 4}}
  %0 = npu.matmul(%x, %y) {block = 4 : i64} : (tensor<2x6xf32>, tensor<6x8xi8>) -> tensor<2x8xf32>
  return
}

// -----

// matmul_c8
func.func @matmul_c8(%x: tensor<2x6xf32>, %y: tensor<6x8xi8>, %s: tensor<3x8xf32>) {
  // expected-error @+1 {{parameter of shape 3x8, expected 2x8 or 2x1}}
  %0 = npu.matmul(%x, %y, %s) {block = 4 : i64} : (tensor<2x6xf32>, tensor<6x8xi8>, tensor<3x8xf32>) -> tensor<2x8xf32>
  return
}

// -----

// matmul_c9
func.func @matmul_c9(%x: tensor<2x6xf32>, %y: tensor<6x8xi8>, %s: tensor<2x8xi8>) {
  // expected-error @+1 {{scales are 'i8'}}
  %0 = npu.matmul(%x, %y, %s) {block = 4 : i64} : (tensor<2x6xf32>, tensor<6x8xi8>, tensor<2x8xi8>) -> tensor<2x8xf32>
  return
}

// -----

// matmul_c10
func.func @matmul_c10(%x: tensor<2x6xf32>, %y: tensor<6x8xi8>, %s: tensor<2x8xf32>, %z: tensor<2x8xi32>) {
  // expected-error @+1 {{zero points are 'i32'}}
  %0 = npu.matmul(%x, %y, %s, %z) {block = 4 : i64} : (tensor<2x6xf32>, tensor<6x8xi8>, tensor<2x8xf32>, tensor<2x8xi32>) -> tensor<2x8xf32>
  return
}

// -----

// matmul_c11
func.func @matmul_c11(%x: tensor<2x6xf32>, %y: tensor<6x8xf16>) {
  // expected-error @+1 {{quantizes data for a packed operand of 'f16', expected bytes}}
  %0 = npu.matmul(%x, %y) {quantize = 32 : i64} : (tensor<2x6xf32>, tensor<6x8xf16>) -> tensor<2x8xf32>
  return
}

// -----

// matmul_c12
func.func @matmul_c12(%x: tensor<2x6xf32>, %y: tensor<6x8xf32>) {
  // expected-error @+1 {{quantizes data for an operand that is not packed}}
  %0 = npu.matmul(%x, %y) {quantize = 32 : i64} : (tensor<2x6xf32>, tensor<6x8xf32>) -> tensor<2x8xf32>
  return
}

// -----

// matmul_c13
func.func @matmul_c13(%x: tensor<2x24xf32>, %y: tensor<24x8xi8>, %s: tensor<2x8xf32>) {
  // expected-error @+1 {{quantizes groups of 8 for blocks of 12, expected a multiple or a divisor}}
  %0 = npu.matmul(%x, %y, %s) {block = 12 : i64, quantize = 8 : i64} : (tensor<2x24xf32>, tensor<24x8xi8>, tensor<2x8xf32>) -> tensor<2x8xf32>
  return
}

// -----

// matmul_c14
func.func @matmul_c14(%x: tensor<2x24xf32>, %y: tensor<24x8xi8>, %s: tensor<2x8xf32>) {
  // expected-error @+1 {{quantizes by its range for 'i8' with 1 parameters for blocks of 12, expected i8 with scales for 24 rows}}
  %0 = npu.matmul(%x, %y, %s) {block = 12 : i64, quantize = -1 : i64} : (tensor<2x24xf32>, tensor<24x8xi8>, tensor<2x8xf32>) -> tensor<2x8xf32>
  return
}

// -----

// concat_c1
func.func @concat_c1() {
  // expected-error @+1 {{has no operand}}
  %0 = npu.concat() {axis = 0 : i64} : () -> tensor<4xf32>
  return
}

// -----

// concat_c2
func.func @concat_c2(%x: tensor<4xf32>) {
  // expected-error @+1 {{axis 1 is not a dimension of rank 1}}
  %0 = npu.concat(%x) {axis = 1 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// concat_c3
func.func @concat_c3(%x: tensor<4xf32>) {
  // expected-error @+1 {{result shape is 9, expected 8}}
  %0 = npu.concat(%x, %x) {axis = 0 : i64} : (tensor<4xf32>, tensor<4xf32>) -> tensor<9xf32>
  return
}

// -----

// concat_c4
func.func @concat_c4(%x: tensor<4xf32>) {
  // expected-error @+1 {{element types 'f32' and 'f16' differ}}
  %0 = npu.concat(%x, %x) {axis = 0 : i64} : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf16>
  return
}

// -----

// pad_c1
func.func @pad_c1(%x: tensor<4xf32>) {
  // expected-error @+1 {{pads has 1 entries, expected 2}}
  %0 = npu.pad(%x) {mode = #npu.pad_mode<constant>, pads = [1]} : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

// pad_c2
func.func @pad_c2(%x: tensor<4xf32>) {
  // expected-error @+1 {{result shape is 6, expected 5}}
  %0 = npu.pad(%x) {mode = #npu.pad_mode<constant>, pads = [1, 0]} : (tensor<4xf32>) -> tensor<6xf32>
  return
}

// -----

// pad_c3
func.func @pad_c3(%x: tensor<4xf32>) {
  // expected-error @+1 {{mode 'reflect' cannot add 4 elements to an extent of 4}}
  %0 = npu.pad(%x) {mode = #npu.pad_mode<reflect>, pads = [4, 0]} : (tensor<4xf32>) -> tensor<8xf32>
  return
}

// -----

// pad_c4
func.func @pad_c4(%x: tensor<4xf32>) {
  // expected-error @+1 {{element types 'f32' and 'f16' differ}}
  %0 = npu.pad(%x) {mode = #npu.pad_mode<constant>, pads = [1, 0]} : (tensor<4xf32>) -> tensor<5xf16>
  return
}

// -----

// slice_c1
func.func @slice_c1(%x: tensor<4xf32>) {
  // expected-error @+1 {{result has rank 2, the input 1}}
  %0 = npu.slice(%x) {starts = [0], steps = [1]} : (tensor<4xf32>) -> tensor<2x1xf32>
  return
}

// -----

// slice_c2
func.func @slice_c2(%x: tensor<4xf32>) {
  // expected-error @+1 {{starts must be at least 0 and at most 2^31, found -1}}
  %0 = npu.slice(%x) {starts = [-1], steps = [1]} : (tensor<4xf32>) -> tensor<2xf32>
  return
}

// -----

// slice_c3
func.func @slice_c3(%x: tensor<4xf32>) {
  // expected-error @+1 {{steps has 2 entries, expected 1}}
  %0 = npu.slice(%x) {starts = [0], steps = [1, 1]} : (tensor<4xf32>) -> tensor<2xf32>
  return
}

// -----

// slice_c4
func.func @slice_c4(%x: tensor<4xf32>) {
  // expected-error @+1 {{step of dimension 0 is 0}}
  %0 = npu.slice(%x) {starts = [0], steps = [0]} : (tensor<4xf32>) -> tensor<2xf32>
  return
}

// -----

// slice_c5
func.func @slice_c5(%x: tensor<4xf32>) {
  // expected-error @+1 {{reads elements 1 to 5 of dimension 0, which has 4}}
  %0 = npu.slice(%x) {starts = [1], steps = [2]} : (tensor<4xf32>) -> tensor<3xf32>
  return
}

// -----

// slice_c6
func.func @slice_c6(%x: tensor<4xf32>) {
  // expected-error @+1 {{element types 'f32' and 'f16' differ}}
  %0 = npu.slice(%x) {starts = [1], steps = [1]} : (tensor<4xf32>) -> tensor<2xf16>
  return
}

// -----

// reduce_c1
func.func @reduce_c1(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{axis 2 is not a dimension of rank 2}}
  %0 = npu.reduce(%x) {axes = [2], keep_dims = false, kind = #npu.reduce_kind<sum>} : (tensor<2x4xf32>) -> tensor<2xf32>
  return
}

// -----

// reduce_c2
func.func @reduce_c2(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{reduces axis 1 twice}}
  %0 = npu.reduce(%x) {axes = [1, 1], keep_dims = false, kind = #npu.reduce_kind<sum>} : (tensor<2x4xf32>) -> tensor<2xf32>
  return
}

// -----

// reduce_c3
func.func @reduce_c3(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{result shape is 4, expected 2}}
  %0 = npu.reduce(%x) {axes = [1], keep_dims = false, kind = #npu.reduce_kind<sum>} : (tensor<2x4xf32>) -> tensor<4xf32>
  return
}

// -----

// reduce_c4
func.func @reduce_c4(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{element types 'f32' and 'f16' differ}}
  %0 = npu.reduce(%x) {axes = [1], keep_dims = false, kind = #npu.reduce_kind<sum>} : (tensor<2x4xf32>) -> tensor<2xf16>
  return
}

// -----

// softmax_c1
func.func @softmax_c1(%x: tensor<4xf32>) {
  // expected-error @+1 {{axis 1 is not a dimension of rank 1}}
  %0 = npu.softmax(%x) {axis = 1 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// softmax_c2
func.func @softmax_c2(%x: tensor<4xf32>) {
  // expected-error @+1 {{result shape is 5, expected 4}}
  %0 = npu.softmax(%x) {axis = 0 : i64} : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

// softmax_c3
func.func @softmax_c3(%x: tensor<4xi32>) {
  // expected-error @+1 {{element type 'i32', expected a float type}}
  %0 = npu.softmax(%x) {axis = 0 : i64} : (tensor<4xi32>) -> tensor<4xi32>
  return
}

// -----

// softmax_c4
func.func @softmax_c4(%x: tensor<4xf32>) {
  // expected-error @+1 {{element types 'f32' and 'f16' differ}}
  %0 = npu.softmax(%x) {axis = 0 : i64} : (tensor<4xf32>) -> tensor<4xf16>
  return
}

// -----

// resize_c1
func.func @resize_c1(%x: tensor<4xf32>) {
  // expected-error @+1 {{has 2 scales and a result of rank 1 for an input of rank 1}}
  %0 = npu.resize(%x) {coordinates = #npu.resize_coordinates<asymmetric>, mode = #npu.resize_mode<nearest>, nearest = #npu.resize_nearest<floor>, scales = [2.0, 1.0]} : (tensor<4xf32>) -> tensor<8xf32>
  return
}

// -----

// resize_c2
func.func @resize_c2(%x: tensor<4xf32>) {
  // expected-error @+1 {{scales must be positive, found -2.0}}
  %0 = npu.resize(%x) {coordinates = #npu.resize_coordinates<asymmetric>, mode = #npu.resize_mode<nearest>, nearest = #npu.resize_nearest<floor>, scales = [-2.0]} : (tensor<4xf32>) -> tensor<8xf32>
  return
}

// -----

// resize_c3
func.func @resize_c3(%x: tensor<0xf32>) {
  // expected-error @+1 {{resizes an empty tensor}}
  %0 = npu.resize(%x) {coordinates = #npu.resize_coordinates<asymmetric>, mode = #npu.resize_mode<nearest>, nearest = #npu.resize_nearest<floor>, scales = [2.0]} : (tensor<0xf32>) -> tensor<8xf32>
  return
}

// -----

// resize_c4
func.func @resize_c4(%x: tensor<4xf32>) {
  // expected-error @+1 {{element types 'f32' and 'f16' differ}}
  %0 = npu.resize(%x) {coordinates = #npu.resize_coordinates<asymmetric>, mode = #npu.resize_mode<nearest>, nearest = #npu.resize_nearest<floor>, scales = [2.0]} : (tensor<4xf32>) -> tensor<8xf16>
  return
}

// -----

// gather_c1
func.func @gather_c1(%x: tensor<4x8xf32>, %i: tensor<2xi64>) {
  // expected-error @+1 {{axis 2 is not a dimension of rank 2}}
  %0 = npu.gather(%x, %i) {axis = 2 : i64} : (tensor<4x8xf32>, tensor<2xi64>) -> tensor<2x8xf32>
  return
}

// -----

// gather_c2
func.func @gather_c2(%x: tensor<4x8xf32>, %i: tensor<2xf32>) {
  // expected-error @+1 {{indices are 'f32', expected i32 or i64}}
  %0 = npu.gather(%x, %i) {axis = 0 : i64} : (tensor<4x8xf32>, tensor<2xf32>) -> tensor<2x8xf32>
  return
}

// -----

// gather_c3
func.func @gather_c3(%x: tensor<4x8xf32>, %i: tensor<2xi64>) {
  // expected-error @+1 {{element types 'f32' and 'f16' differ}}
  %0 = npu.gather(%x, %i) {axis = 0 : i64} : (tensor<4x8xf32>, tensor<2xi64>) -> tensor<2x8xf16>
  return
}

// -----

// gather_c4
func.func @gather_c4(%x: tensor<4x8xf32>, %i: tensor<2xi64>) {
  // expected-error @+1 {{result shape is 3x8, expected 2x8}}
  %0 = npu.gather(%x, %i) {axis = 0 : i64} : (tensor<4x8xf32>, tensor<2xi64>) -> tensor<3x8xf32>
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

// -----

// slice_c5
func.func @huge_step(%x: tensor<4xf32>) {
  // expected-error @+1 {{of dimension 0, which has 4}}
  %0 = npu.slice(%x) {starts = [0], steps = [4611686018427387904]} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// slice_c5
func.func @hugest_step(%x: tensor<4xf32>) {
  // expected-error @+1 {{of dimension 0, which has 4}}
  %0 = npu.slice(%x) {starts = [0], steps = [-9223372036854775808]} : (tensor<4xf32>) -> tensor<2xf32>
  return
}
