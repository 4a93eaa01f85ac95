// RUN: npu-opt %s -split-input-file -verify-diagnostics --npu-infer-layout

// expected-error @+1 {{has 0 blocks, the layout stage takes one}}
func.func private @external(tensor<4xf32>)

// -----

func.func @foreign(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{does not know layouts; only npu ops may reach the layout stage}}
  %0 = "func.call"(%x) <{callee = @foreign}> : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
