// RUN: npu-opt %s -split-input-file -verify-diagnostics --npu-fold-layout

// expected-error @+1 {{has an argument without a layout}}
func.func @undecided(%x: tensor<4xf32>) {
  return
}

// -----

func.func @inside(%x: tensor<4xf32, #npu.layout<a>>) {
  // expected-error @+1 {{has a tensor without a layout}}
  %0 = npu.eltwise relu(%x) : (tensor<4xf32, #npu.layout<a>>) -> tensor<4xf32>
  return
}
