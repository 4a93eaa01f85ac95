// RUN: npu-opt %s -split-input-file -verify-diagnostics --npu-alter-layout

// expected-error @+1 {{has an argument without a layout}}
func.func @undecided(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

func.func @few(%x: tensor<4xf32, #npu.layout<a>>) -> tensor<4xf32, #npu.layout<a>> {
  // expected-error @+1 {{npu.best_layouts must list 2 layouts, one for each operand, then the result's}}
  %0 = npu.eltwise relu(%x) {npu.best_layouts = [#npu.layout<a>]} : (tensor<4xf32, #npu.layout<a>>) -> tensor<4xf32, #npu.layout<a>>
  return %0 : tensor<4xf32, #npu.layout<a>>
}

// -----

func.func @rank(%x: tensor<4xf32, #npu.layout<a>>) -> tensor<4xf32, #npu.layout<a>> {
  // expected-error @+1 {{is no layout for the result of rank 1}}
  %0 = npu.eltwise relu(%x) {npu.best_layouts = [#npu.layout<a>, #npu.layout<ba>]} : (tensor<4xf32, #npu.layout<a>>) -> tensor<4xf32, #npu.layout<a>>
  return %0 : tensor<4xf32, #npu.layout<a>>
}
