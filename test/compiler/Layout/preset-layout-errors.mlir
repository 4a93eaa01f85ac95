// RUN: npu-opt %s -split-input-file -verify-diagnostics --npu-preset-layout="target=npu-nhwc"

// expected-error @+1 {{argument 0 has no colour (a string npu.colour); run npu-transmit-layout first}}
func.func @argument(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

func.func @missing(%x: tensor<4xf32> {npu.colour = "tensor"}) -> tensor<4xf32> {
  // expected-error @+1 {{has no colour}}
  %0 = npu.eltwise relu(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @wrong(%x: tensor<4xf32> {npu.colour = "tensor"}) -> tensor<4xf32> {
  // expected-error @+1 {{has the colour 'NCHW', expected tensor or the axes of a value of rank 1}}
  %0 = npu.eltwise relu(%x) {npu.colour = "NCHW"} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// expected-error @+1 {{has 0 blocks, the layout stage takes one}}
func.func private @external(tensor<4xf32>)
