// RUN: npu-opt %s -split-input-file -verify-diagnostics

// A layout's letters: each dimension once.
// expected-error @+1 {{'aab' is not a layout}}
func.func @twice(%0: tensor<1x2x3xf32, #npu.layout<aab>>)

// -----

// Names of activations and weights do not mix.
// expected-error @+1 {{'NHWO' is not a layout}}
func.func @mixed(%0: tensor<1x2x3x4xf32, #npu.layout<NHWO>>)

// -----

// A blocked dimension stands in upper case.
// expected-error @+1 {{'abcd16b' is not a layout}}
func.func @lower(%0: tensor<1x2x3x4xf32, #npu.layout<abcd16b>>)

// -----

func.func @function(%x: tensor<4xf32>) {
  // expected-error @+1 {{'halve' is not an elementwise function}}
  %0 = npu.eltwise halve(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// A word of a closed set.
func.func @pad_mode(%x: tensor<4xf32>) {
  // expected-error @+1 {{'mirror' is none of constant, reflect, edge, wrap}}
  %0 = npu.pad(%x) {mode = #npu.pad_mode<mirror>, pads = [1, 0]} : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @reduce_kind(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{'median' is none of sum, mean, max}}
  %0 = npu.reduce(%x) {axes = [1], keep_dims = false, kind = #npu.reduce_kind<median>} : (tensor<2x4xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @resize_mode(%x: tensor<4xf32>) {
  // expected-error @+1 {{'bicubic' is none of nearest, linear, cubic}}
  %0 = npu.resize(%x) {coordinates = #npu.resize_coordinates<asymmetric>, mode = #npu.resize_mode<bicubic>, nearest = #npu.resize_nearest<floor>, scales = [2.0]} : (tensor<4xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @resize_coordinates(%x: tensor<4xf32>) {
  // expected-error @+1 {{'whole' is none of half_pixel,}}
  %0 = npu.resize(%x) {coordinates = #npu.resize_coordinates<whole>, mode = #npu.resize_mode<nearest>, nearest = #npu.resize_nearest<floor>, scales = [2.0]} : (tensor<4xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @resize_nearest(%x: tensor<4xf32>) {
  // expected-error @+1 {{'up' is none of round_prefer_floor,}}
  %0 = npu.resize(%x) {coordinates = #npu.resize_coordinates<asymmetric>, mode = #npu.resize_mode<nearest>, nearest = #npu.resize_nearest<up>, scales = [2.0]} : (tensor<4xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @unpool_mode(%x: tensor<1x4x8x8xf32>) {
  // expected-error @+1 {{'one' is none of nearest, zero}}
  %0 = npu.unpool(%x) {kernel = [2, 2], mode = #npu.unpool_mode<one>} : (tensor<1x4x8x8xf32>) -> tensor<1x4x16x16xf32>
  return
}

// -----

func.func @scatter_reduction(%x: tensor<4x8xf32>, %i: tensor<2x1xi64>, %u: tensor<2x8xf32>) {
  // expected-error @+1 {{'sub' is none of none, add, mul, max, min}}
  %0 = npu.scatter_nd(%x, %i, %u) {reduction = #npu.scatter_reduction<sub>} : (tensor<4x8xf32>, tensor<2x1xi64>, tensor<2x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @cumulate_kind(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'max' is none of sum, prod}}
  %0 = npu.cumulate(%x) {axis = 1 : i64, exclusive = false, kind = #npu.cumulate_kind<max>, reverse = false} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// A string is no such word.
func.func @string(%x: tensor<4xf32>) {
  // expected-error @+1 {{'mode' failed to satisfy constraint: one of #npu.pad_mode<constant, reflect, edge, wrap>}}
  %0 = npu.pad(%x) {mode = "constant", pads = [1, 0]} : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

// No kernel reads such a value.
func.func @rank(%x: tensor<1x1x1x1x1x1x1x1x4xf32>) -> tensor<1x1x1x1x1x1x1x1x4xf32> {
  // expected-error @+1 {{operand #0 must be a tensor with at most 8 dimensions, all known, and at most 2^40 elements}}
  %0 = npu.softmax(%x) {axis = 0 : i64} : (tensor<1x1x1x1x1x1x1x1x4xf32>) -> tensor<1x1x1x1x1x1x1x1x4xf32>
  return %0 : tensor<1x1x1x1x1x1x1x1x4xf32>
}

// -----

func.func @unknown_extent(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{operand #0 must be a tensor with at most 8 dimensions, all known, and at most 2^40 elements}}
  %0 = npu.softmax(%x) {axis = 0 : i64} : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @huge(%x: tensor<4294967296x4294967296x16xf32>) -> tensor<4294967296x4294967296x16xf32> {
  // expected-error @+1 {{operand #0 must be a tensor with at most 8 dimensions, all known, and at most 2^40 elements}}
  %0 = npu.softmax(%x) {axis = 0 : i64} : (tensor<4294967296x4294967296x16xf32>) -> tensor<4294967296x4294967296x16xf32>
  return %0 : tensor<4294967296x4294967296x16xf32>
}

// -----

func.func @element(%x: tensor<4xi7>) -> tensor<4xi7> {
  // expected-error @+1 {{operand #0 must be a tensor with at most 8 dimensions, all known, and at most 2^40 elements}}
  %0 = npu.softmax(%x) {axis = 0 : i64} : (tensor<4xi7>) -> tensor<4xi7>
  return %0 : tensor<4xi7>
}
