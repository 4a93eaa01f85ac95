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
